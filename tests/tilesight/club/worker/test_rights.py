"""A worker's rights at a real nats-server: leases, pictures and the logs that it goes on from; no more."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("nats", reason="the extra club is not installed: make dev")

from nats.js.errors import KeyWrongLastSequenceError

from tests.tilesight.club.nats_servers import client, holder, refused, serving
from tilesight.club.connection import ensure_buckets, ensure_stream
from tilesight.club.credentials import KeyRing, Role
from tilesight.club.messages import PhoneTable
from tilesight.club.subjects import LEASES, PHONE_TABLES, STREAM, table_subject

TABLE = PhoneTable(game="safari", players="red=Ana,blue=Bo", key="JOINKEY").encoded()


def test_a_worker_does_what_its_duty_needs_and_nothing_else(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path / "keys.json")
    hub, one, other = (
        holder(ring, *who) for who in (("hub", Role.HUB), ("w1", Role.WORKER), ("w2", Role.WORKER))
    )

    async def main() -> None:
        with serving(tmp_path / "nats", ring) as server:
            async with client(server, *hub) as of_hub, client(server, *one) as a, client(server, *other) as b:
                for _ in range(2):  # what is there already is left as it is
                    await ensure_stream(of_hub.jetstream())
                    await ensure_buckets(of_hub.jetstream())
                await (await of_hub.jetstream().key_value(PHONE_TABLES)).put("t-1", TABLE)
                await _does_its_duty(of_hub, a, b)
                await _does_no_more(of_hub, a)

    asyncio.run(asyncio.wait_for(main(), 60))


async def _does_its_duty(of_hub: Any, a: Any, b: Any) -> None:
    tables = await a.jetstream().key_value(PHONE_TABLES)
    assert (await tables.get("t-1")).value == TABLE
    mine, theirs = [await one.jetstream().key_value(LEASES) for one in (a, b)]
    held = await mine.create("t-1", b"w1")
    with pytest.raises(KeyWrongLastSequenceError):
        await theirs.create("t-1", b"w2")
    held = await mine.update("t-1", b"w1", held)
    await mine.delete("t-1", held)
    await theirs.create("t-1", b"w2")
    info = await a.jetstream().stream_info(f"KV_{LEASES}", ">")
    assert list(info.state.subjects) == [f"$KV.{LEASES}.t-1"]

    seen = await a.subscribe(table_subject("t-1", "frame"))
    assert await refused(a, 0.2) == []  # the library's flush may overtake what was subscribed to
    await of_hub.publish(table_subject("t-1", "frame"), b"jpeg")
    assert (await seen.next_msg(5)).data == b"jpeg"
    stream = a.jetstream()
    for entry in (b"1", b"2"):
        await stream.publish("table.t-1.log.g1", entry)
    assert (await stream.get_last_msg(STREAM, "table.t-1.log.g1", direct=True)).data == b"2"
    read = await stream.get_msg(STREAM, 1, "table.t-1.log.g1", direct=True, next=True)
    assert (read.seq, read.data) == (1, b"1")
    assert await refused(a, 0.2) == []


async def _does_no_more(of_hub: Any, a: Any) -> None:
    for subject in (">", "table.*.log.*", "_INBOX.>", "_INBOX.worker.w2.>", "$KV.>", "$JS.>"):
        await a.subscribe(subject)
        assert len(await refused(a)) == 1, subject
    for subject in (
        *(f"$KV.{PHONE_TABLES}.t-1", "table.t-1.frame", "table.t-1.command", "$SYS.REQ.SERVER.PING"),
        *(f"$JS.API.STREAM.{verb}.{STREAM}" for verb in ("PURGE", "DELETE", "UPDATE", "MSG.DELETE")),
        *(f"$JS.API.STREAM.{verb}.KV_{LEASES}" for verb in ("CREATE", "PURGE", "DELETE", "UPDATE")),
        # The hub's own consumer could be changed or removed.
        *(f"$JS.API.CONSUMER.{verb}.{STREAM}.hub" for verb in ("CREATE", "DELETE")),
        f"$JS.API.CONSUMER.CREATE.{STREAM}.hub.table.*.log.*",
        f"$JS.API.CONSUMER.DURABLE.CREATE.{STREAM}.hub",
        "$KV.other.t-1",
    ):
        await a.publish(subject, b"x")
        assert len(await refused(a)) == 1, subject
    assert (await of_hub.jetstream().stream_info(STREAM)).state.messages == 2
