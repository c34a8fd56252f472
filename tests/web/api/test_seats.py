"""``POST /api/seats``: who plays, in turn order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright import sync_api

from tests.tilesight.live.test_players import ANA, BO, HEADER, play, table_of
from tests.web.browser import PHONE, page_of, serious
from tests.web.conftest import Shown
from tilesight.live.tiles.table import TileTable
from tilesight.server.dashboard import Dashboard
from tilesight.table_log.event_fold import EntryKind
from tilesight.table_log.event_store import TableStore
from web.table.seats import Seat

expect = sync_api.expect


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Shown]:
    """A served table of two on which one turn was played."""
    with TableStore(tmp_path / "one.table") as store:
        store.append(EntryKind.OPENED, {"header": HEADER, "names": {"red": "Ana", "blue": "Bo"}})
        table = table_of(store)
        play(table, "meeple")
        with Dashboard(table, host="127.0.0.1", port=0) as dashboard:
            shown: Any = Shown(table, dashboard.url, dashboard.key)  # type: ignore[arg-type]
            yield shown


def seats(live: Shown) -> tuple[Any, ...]:
    table: Any = live.table
    assert isinstance(table, TileTable)
    return table.state().seats


@pytest.mark.parametrize(
    ("players", "status", "code"),
    [
        ([("red", "Bo"), ("blue", "Ana")], 200, None),
        ([("blue", "Bo"), ("red", "Ana")], 409, "illegal"),
        ([("red", "Ana"), ("blue", "Bo"), ("mauve", "Ida")], 409, "players"),
        ([("red", "Ana")], 409, "players"),
        ([], 422, "invalid"),
    ],
)
def test_a_program_says_who_plays(
    live: Shown, players: list[tuple[str, str]], status: int, code: str | None
) -> None:
    body = {"players": [{"color": color, "name": name} for color, name in players]}
    address = f"{live.url}/api/seats"
    assert httpx.post(address, json=body).status_code == 403
    answer = httpx.post(address, json=body, headers={"X-Table-Key": live.key})
    assert answer.status_code == status, answer.text
    if code is not None:
        assert answer.json()["error"]["code"] == code and seats(live) == (ANA, BO)


def test_a_program_says_that_a_colour_was_another_one(live: Shown) -> None:
    def post(*players: dict[str, str]) -> httpx.Response:
        body = {"players": list(players)}
        return httpx.post(f"{live.url}/api/seats", json=body, headers={"X-Table-Key": live.key})

    bo = {"color": "blue", "name": "Bo"}
    unknown = post({"color": "green", "name": "Ana", "was": "black"}, bo)
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, "unknown_player")
    same = post({"color": "blue", "name": "Ana", "was": "red"}, {"color": "green", "name": "Bo"})
    assert (same.status_code, same.json()["error"]["code"]) == (409, "players")
    assert seats(live) == (ANA, BO)
    assert post({"color": "green", "name": "Ana", "was": "red"}, bo).status_code == 200
    assert seats(live) == (Seat("green", "Ana"), BO)
    state = httpx.get(f"{live.url}/api/state").json()
    assert [turn["player"] for turn in state["turns"]] == ["green"]
    assert [piece["color"] for piece in state["standing"] if piece["kind"] == "meeple"] == ["green"]


@pytest.mark.browser
def test_a_wrong_colour_is_corrected_by_taps_after_many_turns(browser: sync_api.Browser, live: Shown) -> None:
    table: Any = live.table
    play(table, "bare", "bare", "bare", "bare")
    with page_of(browser, live, PHONE, key=live.key) as page:
        page.locator("#panel-handle").click()
        page.get_by_role("button", name="Players").click()
        page.get_by_label("Colour: Ana").select_option("black")
        assert serious(page) == []
        page.get_by_role("button", name="Save").click()
        expect(page.locator("dialog[open]")).to_have_count(0)
        expect(page.locator(".score").first).to_have_class(re.compile("ink-black"))
        assert seats(live) == (Seat("black", "Ana"), BO)
        # A name that only says the colour goes with it, and so it does where two change places.
        page.get_by_role("button", name="Players").click()
        names = page.locator(".seats input")
        names.first.fill("Black")
        names.first.blur()
        page.locator(".seats select").first.select_option("green")
        expect(names.first).to_have_attribute("placeholder", "Green")
        page.locator(".seats select").first.select_option("blue")
        expect(names.first).to_have_value("Bo")
        expect(names.nth(1)).to_have_attribute("placeholder", "Blue")


@pytest.mark.browser
def test_a_game_is_paused_and_its_clock_shown_by_taps(browser: sync_api.Browser, live: Shown) -> None:
    with page_of(browser, live, PHONE, key=live.key) as page:
        clocks = page.locator(".score-clock")
        expect(clocks).to_have_text(["", ""])
        page.locator("#menu").click()
        page.get_by_role("switch", name="Table clock").click()
        assert serious(page) == []
        page.get_by_role("button", name="Close", exact=True).click()
        expect(clocks.nth(1)).to_have_text(re.compile(r"^\d+:\d\d$"))
        page.locator("#panel-handle").click()
        page.get_by_role("button", name="Pause").click()
        expect(page.locator("#camera-text")).to_have_text("Paused")
        stopped = clocks.nth(1).text_content()
        assert serious(page) == []
        page.wait_for_timeout(1500)
        assert clocks.nth(1).text_content() == stopped
        page.goto(f"{live.url}/tv?clock=1")
        expect(page.locator("#tv-notice")).to_have_text("Paused")
        expect(page.locator(".tv-clock").nth(1)).to_have_text(stopped or "-")
        page.goto(live.url)
        page.locator("#panel-handle").click()
        page.get_by_role("button", name="Go on").click()
        expect(page.locator("#camera-text")).not_to_have_text("Paused")


@pytest.mark.browser
def test_a_late_joiner_is_added_by_taps(browser: sync_api.Browser, live: Shown) -> None:
    with page_of(browser, live, PHONE, key=live.key, refused=True) as page:
        page.locator("#panel-handle").click()
        page.get_by_role("button", name="Players").click()
        names = page.locator(".seats input")
        expect(names).to_have_count(2)
        page.get_by_role("button", name="One more player").click()
        names.nth(2).fill("Chidi")
        assert serious(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.get_by_role("button", name="Save").click()
        expect(page.locator(".score")).to_have_count(3)
        expect(page.locator(".score-name-text")).to_have_text(["Ana", "Bo", "Chidi"])
        # Who plays which colour: Bo has blue, and takes red from Ana.
        page.get_by_role("button", name="Players").click()
        page.get_by_label("Colour: Bo").select_option("red")
        page.get_by_role("button", name="Save").click()
        expect(page.locator(".score-name-text")).to_have_text(["Bo", "Ana", "Chidi"])
