"""The club's events: encoded once for all spectators, a slow one skips versions, one without news gets a
comment."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from typing import Any

import pytest
from fastapi.sse import KEEPALIVE_COMMENT

from tests.web.test_club_app import FakeClub, club_table
from web.club import events
from web.club.events import ClubEvents
from web.club.views import ClubTable

PATIENCE_S = 60.0


async def begun(club_events: ClubEvents, known: int) -> AsyncGenerator[bytes, None]:
    """A spectator's stream, after its first line."""
    stream = club_events.stream(known)
    assert (await anext(stream)).startswith(b"retry:")
    return stream


async def next_of(stream: AsyncGenerator[bytes, None]) -> bytes:
    return await asyncio.wait_for(anext(stream), PATIENCE_S)


def tables_of(event: bytes) -> dict[str, int]:
    """The turns of each table in an event."""
    data = next(line for line in event.decode().splitlines() if line.startswith("data: "))
    return {table["id"]: table["turns"] for table in json.loads(data[6:])["tables"]}


def test_a_change_is_encoded_once_for_all_spectators(monkeypatch: pytest.MonkeyPatch) -> None:
    club, encoded = FakeClub(), list[str]()
    club.put(club_table("hall-1"))
    club.put(club_table("hall-2"))
    plain = ClubTable.to_json

    def to_json(one: ClubTable) -> Mapping[str, Any]:
        encoded.append(one.id)
        return plain(one)

    monkeypatch.setattr(ClubTable, "to_json", to_json)

    async def watch() -> None:
        shown = ClubEvents(club)
        streams = [await begun(shown, 0) for _ in range(50)]
        first = await asyncio.gather(*map(next_of, streams))
        assert all(one is first[0] for one in first)
        waiting = [asyncio.create_task(next_of(stream)) for stream in streams]
        club.put(club_table("hall-1", turns=15))
        second = await asyncio.gather(*waiting)
        assert all(one is second[0] for one in second) and tables_of(second[0]) == {"hall-1": 15}
        assert sorted(encoded) == ["hall-1", "hall-1", "hall-2"]
        assert json.loads(shown.all_tables())["tables"][0]["turns"] == 15
        assert len(encoded) == 3 and shown.streams == 50
        for stream in streams:
            await stream.aclose()
        assert shown.streams == 0

    asyncio.run(watch())


def test_a_slow_spectator_hears_of_the_latest_version_alone() -> None:
    club = FakeClub()
    club.put(club_table("hall-1"))

    async def watch() -> None:
        shown = ClubEvents(club)
        slow, quick = await begun(shown, 1), await begun(shown, 1)
        for turns in (15, 16, 17):
            club.put(club_table("hall-1", turns=turns))
            assert tables_of(await next_of(quick)) == {"hall-1": turns}
        club.put(club_table("hall-2"))
        assert tables_of(await next_of(slow)) == {"hall-1": 17, "hall-2": 14}

    asyncio.run(watch())


def test_spectators_without_news_get_a_comment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "HEARTBEAT_S", 0.1)
    monkeypatch.setattr(events, "POLL_S", 0.05)

    async def watch() -> None:
        club = FakeClub()
        assert await next_of(await begun(ClubEvents(club), club.version)) == KEEPALIVE_COMMENT

    asyncio.run(watch())
