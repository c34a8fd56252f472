"""Assignments of phone tables by the hub: one worker at a time, with the whole log, and to no other key."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="the extra club is not installed: make dev")

from websockets.exceptions import InvalidStatus

from tests.tilesight.club.socket_hubs import Speaker, speaking
from tests.tilesight.club.worker.worker_parts import ASKED, TABLE, Club, club_serving
from tilesight.club.credentials import Role
from tilesight.club.frames import (
    REVOKED,
    SECOND,
    SILENT,
    WRONG,
    Assigned,
    Entries,
    Frame,
    Held,
    Hello,
    Logged,
    Returned,
    Stored,
    ToWorker,
    Withdrawn,
    Working,
    picture_of,
    to_worker,
)
from tilesight.club.hub.records import Records
from tilesight.club.hub.sockets import link_sockets
from tilesight.club.invitation import Invitation
from tilesight.club.messages import LogEntry, PhoneTable
from web.table.refusal import Refusal

READY = Working(tables=2, ready=True)


@pytest.fixture
def club(tmp_path: Path) -> Iterator[Club]:
    with club_serving(tmp_path) as one:
        yield one


def entry(number: int) -> LogEntry:
    return LogEntry(number=number, kind="said", at_s=1.0, data={"n": number})


def entries(first: int, last: int) -> Entries:
    return Entries(game="g", entries=[entry(n) for n in range(first, last + 1)])


async def heard(worker: Speaker) -> ToWorker:
    return to_worker(await worker.text())


async def alive(worker: Speaker) -> None:
    """Send signs of life until cancelled."""
    while True:
        await worker.say(READY)
        await asyncio.sleep(0.5)


def link_of(invited: Invitation, given: Assigned) -> Invitation:
    """The invitation of an assigned table's link."""
    return Invitation(invited.hub, invited.server, Role.WORKER, invited.name, given.key, sees_for=given.table)


async def assigned(worker: Speaker) -> tuple[list[LogEntry], Assigned]:
    """The next assignment, and the log that comes before."""
    told = list[LogEntry]()
    while isinstance(frame := await heard(worker), Logged):
        assert frame.table == TABLE
        told += frame.entries
    assert isinstance(frame, Assigned) and frame.table == TABLE
    return told, frame


def test_a_silent_workers_table_is_anothers_with_the_whole_log(club: Club) -> None:
    one, two = (club.served.invite(name, Role.WORKER) for name in ("w1", "w2"))
    table = club.phones.begin(ASKED)

    async def main() -> None:
        async with speaking(one) as first, speaking(two) as second:
            living = asyncio.create_task(alive(first))
            told, given = await assigned(first)
            assert told == [] and club.holder() == "w1"
            assert (given.phone.key, given.phone.players) == (table.key, "red=Ana,blue=Bo")
            async with speaking(link_of(one, given)) as link:
                assert await link.ask(Hello(game="g")) == Held(game="g")
                assert await link.ask(entries(1, 200)) == Stored(game="g", number=200)
                assert await link.ask(entries(201, 250)) == Stored(game="g", number=250)
                living.cancel()  # the first says nothing any more
                living = asyncio.create_task(alive(second))
                told, again = await assigned(second)
                assert told == [entry(n) for n in range(1, 251)] and again.key != given.key
                assert (await first.closed())[0] == SILENT
                assert (await link.closed())[0] == REVOKED
                assert club.holder() == "w2"
            with pytest.raises(InvalidStatus):  # what the first worker's link sends late is refused
                async with speaking(link_of(one, given)):
                    pass
            async with speaking(link_of(two, again)) as link:
                assert await link.ask(Hello(game="g")) == Held(game="g", last=entry(250))
            living.cancel()

    asyncio.run(main())
    assert [one.number for one in club.log()] == list(range(1, 251))


def test_a_closed_connection_frees_its_tables_at_once(club: Club) -> None:
    one, two = (club.served.invite(name, Role.WORKER) for name in ("w1", "w2"))
    club.phones.begin(ASKED)

    async def main() -> None:
        async with speaking(two) as second:
            async with speaking(one) as first:
                await first.say(READY)
                _, given = await assigned(first)
            await second.say(READY)
            assert (await assigned(second))[1].key != given.key and club.holder() == "w2"

    asyncio.run(main())


def test_entries_that_are_being_stored_are_in_the_next_workers_log(
    club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = (club.served.invite(name, Role.WORKER) for name in ("w1", "w2"))
    club.phones.begin(ASKED)
    store, began, goes_on = Records.store, threading.Event(), threading.Event()

    def slow(records: Records, table: str, log: str, entries: Sequence[LogEntry]) -> set[int]:
        began.set()
        assert goes_on.wait(60)
        return store(records, table, log, entries)

    monkeypatch.setattr(Records, "store", slow)

    async def refused(link: Invitation) -> bool:
        try:
            async with speaking(link):
                return False
        except InvalidStatus:
            return True

    async def main() -> None:
        async with speaking(two) as second:
            async with speaking(one) as first:
                await first.say(READY)
                _, given = await assigned(first)
                link = link_of(one, given)
                async with speaking(link) as table:
                    await table.ask(Hello(game="g"))
                    await table.say(entries(1, 3))
                    await asyncio.to_thread(began.wait, 60)
            living = asyncio.create_task(alive(second))
            while not await refused(link):
                await asyncio.sleep(0.02)
            assert club.holder() == "w1", "the table is another's before its last entries are stored"
            goes_on.set()
            told, _ = await assigned(second)
            assert told == [entry(1), entry(2), entry(3)]
            living.cancel()

    asyncio.run(main())


def test_workers_with_one_invitation_share_the_tables(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_sockets, "WORKERS_AT_MOST", 2)
    invited = club.served.invite("w1", Role.WORKER)
    club.phones.begin(ASKED)
    club.phones.begin(replace(ASKED, name="t-2"))

    async def main() -> None:
        async with speaking(invited) as one, speaking(invited) as two:
            living = [asyncio.create_task(alive(worker)) for worker in (one, two)]
            frames = [await heard(worker) for worker in (one, two)]
            assert {frame.table for frame in frames} == {TABLE, "t-2"}
            async with speaking(invited) as three:
                assert (await three.closed())[0] == SECOND
            for task in living:
                task.cancel()

    asyncio.run(main())


def test_a_closed_table_is_withdrawn_and_its_name_free_once_it_is_given_back(club: Club) -> None:
    invited = club.served.invite("w1", Role.WORKER)
    club.phones.begin(ASKED)

    async def main() -> None:
        async with speaking(invited) as worker:
            living = asyncio.create_task(alive(worker))
            _, given = await assigned(worker)
            club.phones.end(TABLE)
            assert await heard(worker) == Withdrawn(table=TABLE)
            async with speaking(link_of(invited, given)) as link:  # it still sends the last entries
                await link.ask(Hello(game="g"))
                await link.ask(entries(1, 2))
            with pytest.raises(Refusal):
                club.phones.begin(ASKED)
            await worker.say(Returned(table=TABLE))
            while club.holder() is not None:
                await asyncio.sleep(0.02)
            club.phones.begin(ASKED)
            told, _ = await assigned(worker)
            assert told == [], "another evening's table begins anew"
            living.cancel()

    asyncio.run(main())


def test_a_table_that_fails_goes_to_another_worker(club: Club) -> None:
    one, two = (club.served.invite(name, Role.WORKER) for name in ("w1", "w2"))
    club.phones.begin(ASKED)

    async def main() -> None:
        async with speaking(one) as first, speaking(two) as second:
            living = [asyncio.create_task(alive(first))]
            await assigned(first)
            await first.say(Returned(table=TABLE, failed=True))
            while club.holder() is not None:
                await asyncio.sleep(0.02)
            living.append(asyncio.create_task(alive(second)))
            await assigned(second)
            assert club.holder() == "w2"
            for task in living:
                task.cancel()

    asyncio.run(main())


def test_of_waiting_pictures_the_latest_comes_to_the_tables_worker(club: Club) -> None:
    invited = club.served.invite("w1", Role.WORKER)
    club.phones.begin(ASKED)
    club.phones.push_picture(TABLE, b"\xff\xd8\xff to nobody")

    async def main() -> None:
        async with speaking(invited) as worker:
            await worker.say(READY)
            await assigned(worker)
            for jpeg in (b"\xff\xd8\xff one", b"\xff\xd8\xff" + b"x" * 899_997):
                club.phones.push_picture(TABLE, jpeg)
                data = await asyncio.wait_for(worker.socket.recv(), 20)
                assert isinstance(data, bytes) and picture_of(data) == (TABLE, jpeg)

    asyncio.run(main())


JUNK: list[Frame | str | bytes] = [
    Returned(table="t-2"),
    Hello(game="g"),
    entries(1, 1),
    Assigned(table="hall-1", key="K" * 26, phone=PhoneTable(game="safari", players="", key="KKKKKK")),
    '{"type": "working", "tables": -1, "ready": true}',
    '{"type": "working", "tables": 1000000, "ready": true}',
    "junk",
    b"\xff\xd8\xff",
]
"""Frames that no worker sends, or not of its own tables."""


def test_a_hostile_worker_reaches_no_table_but_its_own(club: Club) -> None:
    honest, hostile = (club.served.invite(name, Role.WORKER) for name in ("w1", "w2"))
    hall = club.served.invite("hall-1")
    club.phones.begin(ASKED)

    async def main() -> None:
        async with speaking(honest) as worker, speaking(hall) as table:
            living = asyncio.create_task(alive(worker))
            _, given = await assigned(worker)
            await table.ask(Hello(game="g"))
            for junk in (Returned(table=TABLE), *JUNK):
                async with speaking(hostile) as other:
                    await other.say(READY)
                    await other.say(junk)
                    assert (await other.closed())[0] == WRONG, junk
            assert club.holder() == "w1"
            async with speaking(link_of(honest, given)) as link:  # an assignment's key reads its table alone
                assert await link.ask(Hello(game="g")) == Held(game="g")
                await link.ask(entries(1, 1))
            assert await table.ask(Hello(game="g")) == Held(game="g")
            living.cancel()

    asyncio.run(main())
    assert club.served.sockets["links_refused"] == len(JUNK) + 1 and len(club.log()) == 1


def test_a_tables_key_is_none_of_a_worker(club: Club) -> None:
    hall = club.served.invite("hall-1")
    club.phones.begin(ASKED)

    async def main() -> None:
        for frame in (READY, Returned(table=TABLE)):
            async with speaking(hall) as table:
                await table.say(frame)
                assert (await table.closed())[0] == WRONG

    asyncio.run(main())
    assert club.holder() is None
