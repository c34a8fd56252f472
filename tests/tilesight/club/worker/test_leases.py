"""Leases: one holder at a time, given back at once, lost in time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("nats", reason="the extra club is not installed: make dev")

import nats
from nats.js.client import JetStreamContext

from tests.tilesight.club.club_parts import Nats, nats_server
from tilesight.club.connection import LEASE_S, ensure_buckets
from tilesight.club.worker.leases import GIVEN_BACK_S, HELD_S, Lease, LeaseLostError, Leases


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Nats]:
    with nats_server(tmp_path / "nats") as running:
        yield running


def run(server: Nats, main: Callable[[JetStreamContext], Awaitable[None]]) -> None:
    async def connected() -> None:
        client = await nats.connect(server.url)
        await ensure_buckets(client.jetstream())
        await main(client.jetstream())
        await client.close()

    asyncio.run(asyncio.wait_for(connected(), 30))


async def taken(leases: Leases, within_s: float) -> Lease:
    """The lease of t-1 as soon as it is free."""
    end = asyncio.get_running_loop().time() + within_s
    while (lease := await leases.take("t-1")) is None:
        assert asyncio.get_running_loop().time() < end, "it does not get free"
        await asyncio.sleep(0.1)
    return lease


def test_one_worker_has_a_table_and_what_is_given_back_is_free_at_once(server: Nats) -> None:
    async def main(stream: JetStreamContext) -> None:
        one, other = Leases(stream, "w1 a"), Leases(stream, "w1 b")
        lease = await one.take("t-1")
        assert lease is not None and await other.take("t-1") is None
        assert await other.held() == {"t-1"}
        before = replace(lease)
        await one.renew(lease)
        # The answer to that renewal may have been lost: it is still ours.
        await one.renew(before)
        await one.give_back(before)
        with pytest.raises(LeaseLostError):
            await one.renew(before)
        lease = await taken(other, GIVEN_BACK_S + 1.5)
        with pytest.raises(LeaseLostError):
            await one.renew(before)
        await other.renew(lease)

    run(server, main)


def test_a_lease_that_is_not_renewed_is_let_go_before_another_may_have_it(server: Nats) -> None:
    now_s = 100.0

    async def main(stream: JetStreamContext) -> None:
        nonlocal now_s
        leases = Leases(stream, "w1 a", lambda: now_s)
        lease = await leases.take("t-1")
        assert lease is not None and leases.holds(lease)
        now_s += HELD_S - 0.01
        assert leases.holds(lease)
        now_s += 0.02
        assert not leases.holds(lease) and HELD_S < LEASE_S
        await taken(Leases(stream, "w2 b"), LEASE_S + 3)

    run(server, main)
