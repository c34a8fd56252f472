"""Events to spectators through nginx with Nchan: each once, in order, bounded."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import httpx
import pytest

from engine.message import plain
from tests.tilesight.club.club_parts import free_port
from tests.tilesight.club.nginx_servers import Nginx, needs_nginx, nginx_serving
from tilesight.club import fan_out
from tilesight.club.database.models import Game
from tilesight.club.fan_out import NchanFanOut
from tilesight.club.hub.broadcast import EVENT_BYTES, Broadcast, events
from tilesight.club.hub.cards import card_of
from tilesight.club.hub.presence import Presence
from web.club.views import ClubTable
from web.table.camera_status import CameraStatus

LISTENS = {"Accept": "text/event-stream"}


async def read(url: str, number: int, last_id: str | None = None) -> list[tuple[str, str]]:
    """The first events of a stream, each with its id."""
    events, one = [], {}
    headers = LISTENS | ({"Last-Event-ID": last_id} if last_id else {})
    async with (
        httpx.AsyncClient(trust_env=False) as client,
        client.stream("GET", url, headers=headers) as got,
    ):
        assert got.status_code == 200
        async for line in got.aiter_lines():
            if line:
                key, _, value = line.partition(": ")
                one[key] = value
            elif "data" in one:
                events.append((one.pop("id"), one.pop("data")))
                if len(events) == number:
                    return events
    raise AssertionError("the stream ended")


def addresses(settings: Nginx) -> tuple[str, str]:
    return f"http://127.0.0.1:{settings.port}", f"http://{settings.publish}/pub"


@needs_nginx
def test_every_spectator_of_a_table_hears_each_event_once_and_in_order(tmp_path: Path) -> None:
    async def main() -> None:
        outside, publish = addresses(settings)
        async with NchanFanOut(publish, "blue") as hub, NchanFanOut(publish, "red") as of_red:
            readers = [asyncio.create_task(read(f"{outside}/sub/blue", 20)) for _ in range(30)]
            other = asyncio.create_task(read(f"{outside}/sub/red", 1))
            await asyncio.sleep(1)
            for n in range(20):
                hub.tell(json.dumps({"number": n}))
            of_red.tell("{}")
            expected = [json.dumps({"number": n}) for n in range(20)]
            for reader in readers:
                assert [data for _, data in await asyncio.wait_for(reader, 10)] == expected
            assert [data for _, data in await other] == ["{}"]
            assert hub.dropped == 0
            # Who comes later sees how it stood last, and who comes back goes on where it was.
            assert [data for _, data in await read(f"{outside}/sub/blue", 4)] == expected[-4:]
            before = (await readers[0])[-3][0]
            assert [data for _, data in await read(f"{outside}/sub/blue", 2, before)] == expected[-2:]

    with nginx_serving(tmp_path / "nginx") as settings:
        asyncio.run(asyncio.wait_for(main(), 40))


@needs_nginx
def test_from_outside_nothing_is_published_and_addresses_are_bounded(tmp_path: Path) -> None:
    async def main() -> None:
        outside, publish = addresses(settings)
        async with httpx.AsyncClient(trust_env=False) as client:
            assert (await client.post(f"{outside}/pub/blue", content=b"x")).status_code == 404
            assert (await client.post(f"{outside}/sub/blue", content=b"x")).status_code == 403
            assert (await client.delete(f"{outside}/sub/blue")).status_code == 403
            assert (await client.get(f"{outside}/sub/..%2Fstatus")).status_code != 200
            assert (await client.get(f"{outside}/status")).status_code == 502, "the hub's, which is not there"
            large = await client.post(f"{publish}/blue", content=b"x" * 70_000)
            assert large.status_code == 413
        reading = [asyncio.create_task(read(f"{outside}/sub/blue", 1)) for _ in range(3)]
        await asyncio.sleep(1)
        async with httpx.AsyncClient(trust_env=False) as client:
            assert (await client.get(f"{outside}/sub/blue", headers=LISTENS)).status_code == 429
        async with NchanFanOut(publish, "blue") as hub:
            hub.tell("{}")
            await asyncio.wait_for(asyncio.gather(*reading), 10)

    with nginx_serving(tmp_path / "nginx", changes={"spectators 2000": "spectators 3"}) as settings:
        asyncio.run(asyncio.wait_for(main(), 40))


@needs_nginx
def test_nginx_refuses_events_from_another_address_than_the_hubs(tmp_path: Path) -> None:
    with nginx_serving(tmp_path / "nginx", changes={"allow 127.0.0.1": "allow 192.0.2.1"}) as settings:
        refused = httpx.post(f"{addresses(settings)[1]}/blue", content=b"x", trust_env=False)
        assert refused.status_code == 403


class Tables:
    """A club whose tables change when told to."""

    def __init__(self) -> None:
        self.version = 1

    def since(self, version: int) -> tuple[int, Sequence[ClubTable]]:
        """One table, as many versions old."""
        return self.version, [
            cast(ClubTable, SimpleNamespace(to_json=lambda: {"id": "blue", "v": self.version}))
        ]


@needs_nginx
def test_all_who_watch_the_club_hear_its_changes_as_from_the_hub_itself(tmp_path: Path) -> None:
    async def main() -> None:
        outside, publish = addresses(settings)
        club, began = Tables(), time.time()
        with Broadcast(club, publish):
            readers = [asyncio.create_task(read(f"{outside}/api/events?since=1", 2)) for _ in range(5)]
            await asyncio.sleep(1)
            club.version = 2
            for reader in readers:
                told = [json.loads(data) for _, data in await asyncio.wait_for(reader, 20)]
                assert all(began <= one.pop("told_s") + 0.001 <= time.time() for one in told)
                assert told == [{"version": v, "tables": [{"id": "blue", "v": v}]} for v in (1, 2)]
        async with (
            httpx.AsyncClient(trust_env=False) as client,
            client.stream("GET", f"{outside}/api/events", headers=LISTENS) as got,
        ):
            lines = got.aiter_lines()
            assert "event: tables" in [await anext(lines) for _ in range(5)]

    with nginx_serving(tmp_path / "nginx") as settings:
        asyncio.run(asyncio.wait_for(main(), 60))


def test_all_tables_at_once_are_told_in_parts_that_nginx_takes() -> None:
    game = Game(table_id="t", log_id="0", turns=3, over=False, changed_s=1.0)
    card = card_of(game, Presence())
    tables = [replace(card, id=f"t{n}", camera=CameraStatus("unclear", plain("x" * 500))) for n in range(300)]
    told = list(events(7, tables))
    assert len(told) > 3 and max(map(len, told)) <= EVENT_BYTES
    parts = [json.loads(one) for one in told]
    assert {one["version"] for one in parts} == {7}
    assert [card["id"] for one in parts for card in one["tables"]] == [one.id for one in tables]
    assert list(events(7, ())) == []


@needs_nginx
def test_the_hub_is_asked_once_however_many_come(tmp_path: Path) -> None:
    asked: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        await asyncio.sleep(0.2)
        writer.write(b"HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nContent-Length: 2\r\n\r\n{}")
        writer.close()

    async def main() -> None:
        outside, _ = addresses(settings)
        port = int(settings.hub.rpartition(":")[2])
        async with (
            await asyncio.start_server(answer, "127.0.0.1", port),
            httpx.AsyncClient(trust_env=False) as many,
        ):
            answers = await asyncio.gather(*(many.get(f"{outside}/api/tables") for _ in range(40)))
            assert {one.text for one in answers} == {"{}"}
            assert len(asked) < 10

    with nginx_serving(tmp_path / "nginx") as settings:
        asyncio.run(asyncio.wait_for(main(), 60))


@needs_nginx
def test_events_wait_while_nginx_is_away(tmp_path: Path) -> None:
    async def main() -> None:
        port = free_port()
        async with NchanFanOut(f"http://127.0.0.1:{port}/pub", "blue") as hub:
            hub.tell("1")
            hub.tell("2")
            await asyncio.sleep(0.3)
            heard: list[str] = []

            async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                while head := await reader.readuntil(b"\r\n\r\n"):
                    size = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
                    heard.append((await reader.readexactly(size)).decode())
                    writer.write(b"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")

            async with await asyncio.start_server(take, "127.0.0.1", port):
                while len(heard) < 2:
                    await asyncio.sleep(0.05)
                assert heard == ["1", "2"] and hub.dropped == 0

    asyncio.run(asyncio.wait_for(main(), 20))


def test_a_full_queue_drops_events_and_counts_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fan_out, "WAITING", 3)

    async def main() -> None:
        hub = NchanFanOut("http://127.0.0.1:9/pub", "blue")
        for n in range(5):
            hub.tell(str(n))
        assert hub.dropped == 2

    asyncio.run(main())
