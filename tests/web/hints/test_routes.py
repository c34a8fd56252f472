"""Hints over HTTP: off at first, switched by the host, locked where games may count in a tournament."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from tests.web.conftest import running
from tests.web.fake_table import FakeTable
from web.app import create_app
from web.limits.keys import KeyGuard
from web.table.access import Access

ACCESS = Access("SAVANNA7", "HOSTHOSTHOST", "CAMERACAMERA")
PLAYER, HOST = {"X-Table-Key": ACCESS.player}, {"X-Table-Key": ACCESS.host}


@contextmanager
def asked(guard: KeyGuard, *, tournament: bool = False) -> Iterator[tuple[FakeTable, httpx.Client]]:
    table = FakeTable()
    table.play(14)
    with (
        running(create_app(table, key=guard, tournament=tournament)) as url,
        httpx.Client(base_url=url) as client,
    ):
        yield table, client
        table.feed.close()


def test_hints_are_off_until_the_host_switches_them_on() -> None:
    guard = KeyGuard(ACCESS)
    with asked(guard) as (table, client):
        tile = next(iter(table.view.state.bag))
        for address in ("/api/odds", f"/api/places?tile={tile}"):
            assert client.get(address).status_code == 403
            refused = client.get(address, headers=PLAYER)
            assert (refused.status_code, refused.json()["error"]["code"]) == (409, "hints_off")
        assert client.get("/api/host", headers=HOST).json()["hints"] is False
        assert client.post("/api/host/hints", headers=PLAYER, json={"on": True}).status_code == 403
        assert client.post("/api/host/hints", headers=HOST, json={"on": True}).status_code == 200
        assert client.get("/api/key", headers=PLAYER).json()["hints"] is True and guard.access.hints
        odds = client.get("/api/odds", headers=PLAYER).json()
        assert odds["left"] == sum(table.view.state.bag.values()) and odds["hands"]
        assert sum(one["chance"] for one in odds["tiles"]) == pytest.approx(1, abs=0.01)
        told = [
            client.get(f"/api/places?tile={one['tile']}", headers=PLAYER).json() for one in odds["tiles"][:6]
        ]
        assert all(one["player"] == table.view.state.player for one in told)
        assert any(place["points"] > 0 and place["line"]["tile"] for one in told for place in one["places"])
        assert (
            client.get("/api/places?tile=nothing", headers=PLAYER).json()["error"]["code"] == "unknown_tile"
        )
        table.end()
        assert client.get("/api/odds", headers=PLAYER).json()["error"]["code"] == "over"


def test_hints_stay_off_where_games_may_count_in_a_tournament() -> None:
    guard = KeyGuard(Access(ACCESS.player, ACCESS.host, ACCESS.camera, hints=True))
    with asked(guard, tournament=True) as (_, client):
        assert client.get("/api/odds", headers=HOST).status_code == 409
        assert client.get("/api/key", headers=PLAYER).json()["hints"] is False
        host = client.get("/api/host", headers=HOST).json()
        assert (host["hints"], host["hints_locked"]) == (False, True)
        refused = client.post("/api/host/hints", headers=HOST, json={"on": True})
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "hints_locked")
        assert client.post("/api/host/hints", headers=HOST, json={"on": False}).status_code == 200
        assert not guard.access.hints


def test_hints_are_kept_with_the_keys_and_off_in_older_logs() -> None:
    on = Access(hints=True)
    assert Access.from_json(on.to_json()) == on
    older = Access.from_json({"key": "SAVANNA7"})
    assert older is not None and not older.hints
