"""Guests of the benchmark: readers get every event, and the other guests block no newcomer."""

from __future__ import annotations

import asyncio

import pytest

from tests.crowds.crowd import _delays, _since
from tests.crowds.guests import Crowd, CrowdSize
from tests.web.fake_table import FakeTable
from tilesight.server.connections import ConnectionLimiter
from tilesight.server.dashboard import Dashboard


@pytest.mark.long
def test_readers_hear_every_event_among_guests_who_mean_no_good() -> None:
    table = FakeTable()
    table.play(3)

    async def stay(port: int) -> Crowd:
        crowd = Crowd(port, CrowdSize(readers=5, silent=4, idle=60, greedy=3))
        await asyncio.wait_for(crowd.come(), 20)
        await asyncio.to_thread(table.play, 4)
        await asyncio.sleep(1.5)
        await crowd.leave()
        return crowd

    limiter = ConnectionLimiter(40)
    with Dashboard(table, host="127.0.0.1", port=0, limiter=limiter) as dashboard:
        before = table.feed.last_id
        crowd = asyncio.run(stay(dashboard.port))
        events = range(before + 1, table.feed.last_id + 1)
    figures = _delays([phone.heard for phone in crowd.phones], events)
    assert figures["events"] == len(events) > 0 and figures["delivered"] == 1.0
    assert crowd.answers > 0 and crowd.cut_off > 0


def test_an_event_that_a_reader_missed_counts_as_not_delivered() -> None:
    figures = _delays([{1: 0.1, 2: 0.3}, {2: 0.5}, {0: 9.0, 1: 0.1, 2: 0.1}], range(1, 3))
    assert figures["delivered"] == 5 / 6 and figures["event_ms_p50"] == 100.0
    assert _delays([], range(1, 1))["delivered"] == 0.0
    assert _since([{1: 10.5, 2: 11.0}, {9: 1.0}], {1: 10.0, 2: 10.0}) == [0.5, 1.0]
