"""Server-sent events over a real connection."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.web.conftest import Shown
from web.api.stream import HEARTBEAT_S, QUEUE_LIMIT, EventStream, parse_last_event_id
from web.table.feed import Feed, FeedEvent
from web.views.event_fan import EventFan

TIMEOUT = httpx.Timeout(60.0)


def events(response: httpx.Response) -> Iterator[dict[str, Any]]:
    """The events of a stream, heartbeats left out."""
    for line in response.iter_lines():
        if line.startswith("data: "):
            yield json.loads(line.removeprefix("data: "))


def test_events_arrive_as_they_happen(shown: Shown) -> None:
    with httpx.stream("GET", f"{shown.url}/api/events", timeout=TIMEOUT) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        lines = response.iter_lines()
        assert next(lines) == "retry: 1500"
        shown.table.play()
        event = json.loads(next(line for line in lines if line.startswith("data: ")).removeprefix("data: "))
    assert event["type"] == "turn" and event["id"] == 1 and event["turn"] == 1
    assert {"frame", "t_frame_s", "t_sent_s"} <= set(event)
    assert 0 <= event["t_sent_s"] - event["t_frame_s"] < 60


def test_a_phone_that_returns_gets_what_it_missed(shown: Shown) -> None:
    shown.table.play(6)
    last = shown.table.feed.last_id
    with httpx.stream(
        "GET", f"{shown.url}/api/events", headers={"Last-Event-ID": "2"}, timeout=TIMEOUT
    ) as response:
        stream = events(response)
        missed = [next(stream)["id"] for _ in range(last - 2)]
        shown.table.play()
        assert next(stream)["id"] == last + 1
    assert missed == list(range(3, last + 1))


def test_the_id_may_come_in_the_address_and_one_from_the_future_means_from_the_start(shown: Shown) -> None:
    shown.table.play(2)
    for asked, first in ((1, 2), (999_999, 1)):
        url = f"{shown.url}/api/events?last_event_id={asked}"
        with httpx.stream("GET", url, timeout=TIMEOUT) as response:
            assert next(events(response))["id"] == first


def test_a_quiet_stream_sends_heartbeats() -> None:
    assert HEARTBEAT_S == 15.0  # as docs/http.md says

    async def quiet() -> bytes:
        stream = EventStream(EventFan(Feed()), None).stream(heartbeat_s=0.05)
        await anext(stream)
        return await anext(stream)

    assert asyncio.run(quiet()).startswith(b":")


def test_a_phone_that_leaves_is_forgotten(shown: Shown) -> None:
    with httpx.stream("GET", f"{shown.url}/api/events", timeout=TIMEOUT) as response:
        lines = response.iter_lines()  # kept: a dropped iterator closes the connection
        next(lines)
        assert len(shown.table.feed._subscribers) == 1
    deadline_s = time.monotonic() + 60
    while shown.table.feed._subscribers and time.monotonic() < deadline_s:
        time.sleep(0.05)
    assert not shown.table.feed._subscribers


def test_closing_the_feed_ends_the_stream(shown: Shown) -> None:
    with httpx.stream("GET", f"{shown.url}/api/events", timeout=TIMEOUT) as response:
        lines = response.iter_lines()
        next(lines)
        shown.table.feed.close()
        assert all(not line.startswith("data: ") for line in lines)


def test_a_phone_that_leaves_while_something_is_sent_is_forgotten(shown: Shown) -> None:
    feed = shown.table.feed
    with httpx.stream("GET", f"{shown.url}/api/events", timeout=TIMEOUT) as response:
        next(response.iter_raw())
        for _ in range(300):  # more than the connection takes unread: the server waits in the middle of it
            feed.publish("camera", {"message": "x" * 50_000})
    deadline_s = time.monotonic() + 60
    while feed._subscribers and time.monotonic() < deadline_s:
        time.sleep(0.05)
    assert not feed._subscribers


def test_a_phone_that_sleeps_is_cut_off_with_what_it_has_read() -> None:
    async def asleep() -> int:
        feed = Feed()
        phone = EventStream(EventFan(feed), None)
        stream = phone.stream()
        await anext(stream)
        for _ in range(QUEUE_LIMIT + 1):
            feed.publish("turn")
        await asyncio.sleep(0)
        return len([event async for event in stream])

    assert asyncio.run(asleep()) == 0


def test_many_phones_all_hear_every_event() -> None:
    async def phone(fan: EventFan, wanted: int) -> list[int]:
        events = EventStream(fan, 0)
        heard: list[int] = []
        async for text in events.stream():
            heard += [int(number) for number in re.findall(rb"^id: (\d+)$", text, re.MULTILINE)]
            if len(heard) == wanted:
                break
        events.stop()
        return heard

    async def table() -> list[list[int]]:
        feed = Feed()
        fan = EventFan(feed)
        phones = [asyncio.create_task(phone(fan, 50)) for _ in range(100)]
        for number in range(50):
            await asyncio.to_thread(feed.publish, "turn", {"turn": number})
        return await asyncio.wait_for(asyncio.gather(*phones), 20)

    assert asyncio.run(table()) == [list(range(1, 51))] * 100


def test_an_event_is_made_bytes_once_for_all_phones(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    plain = FeedEvent.json_sent

    def counted(event: FeedEvent, t_s: float) -> str:
        made.append(event.id)
        return plain(event, t_s)

    monkeypatch.setattr(FeedEvent, "json_sent", counted)

    async def table() -> list[bytes]:
        feed = Feed()
        fan = EventFan(feed)
        phones = [EventStream(fan, None) for _ in range(20)]
        streams = [phone.stream() for phone in phones]
        for stream in streams:
            await anext(stream)
        for number in range(3):  # one picture's events go out together
            feed.publish("turn", {"turn": number})
        return [await anext(stream) for stream in streams]

    heard = asyncio.run(table())
    assert made == [1, 2, 3]
    assert len(set(heard)) == 1 and heard[0].count(b"event: turn") == 3


@pytest.mark.parametrize(
    ("text", "number"),
    [(None, None), ("", None), ("17", 17), ("-1", None), ("x", None), ("٣", None), ("9" * 40, None)],
)
def test_nonsense_for_an_id_is_no_id(text: str | None, number: int | None) -> None:
    assert parse_last_event_id(text) == number
