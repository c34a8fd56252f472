"""Screen of the hub on a wall: tables, pairings and standings in turn, whatever happens to the hub."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright import sync_api

pytest.importorskip("sqlalchemy", reason="the extra club is not installed: make dev")

from tests.web.browser import context_of, serious
from tests.web.conftest import KEY, running
from tests.web.fake_accounts import FakeAccounts
from tests.web.fake_table import FakeTable
from tests.web.test_big_screen import CONTROLS, LETTERS, SMALLEST_LETTER
from tests.web.test_club_app import FakeClub, club_table
from tilesight.club.database.engine import open_database
from tilesight.club.hub.tournaments import Tournaments
from web.club.app import create_club_app

pytestmark = [pytest.mark.browser, pytest.mark.long]
expect = sync_api.expect
OUTSIDE = """() => [...document.querySelectorAll(".cup-table")].filter((one) => {
  const right = one.getBoundingClientRect().right;
  return [...one.querySelectorAll("strong")].some((points) => points.getBoundingClientRect().right > right);
}).length"""
"""Returns the number of pairings whose points are outside of their card."""
LUMINANCE = """() => getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)"""


@pytest.mark.parametrize("size_wh", [(1920, 1080), (1280, 720)])
def test_a_wall_shows_what_is_played(
    browser: sync_api.Browser, size_wh: tuple[int, int], tmp_path: Path
) -> None:
    club, engine = FakeClub(), open_database(tmp_path / "hub.db")
    cups = Tournaments(engine, lambda: club.since(0)[1])
    number = cups.begin("Spring cup", 5, 2, "swiss", None)
    cups.enter(number, [f"Player {n} of the house of Habersack-Wolkenstein" for n in range(1, 30)])
    cups.pair(number, 1)
    club.put(club_table("hall-1"))
    club.put(club_table("hall-2", phase="over"))
    board = club.boards["hall-1"] = FakeTable()
    board.play(9)
    context = context_of(browser, size_wh, color_scheme="light")
    page = context.new_page()
    with running(create_club_app(club, cups, key=KEY, accounts=FakeAccounts())) as url:
        page.goto(f"{url}/screen#seconds=6")
        expect(page.locator(".cup-table")).to_have_count(12)
        expect(page.locator("#since")).to_contain_text("0:0")
        assert page.evaluate(OUTSIDE) == 0  # long names hide no points
        assert max(page.evaluate(LUMINANCE)) < 60  # dark, although the device prefers light
        assert page.locator(CONTROLS).count() == 0
        assert min(page.evaluate(LETTERS)) > SMALLEST_LETTER
        assert serious(page) == []
        last = page.locator(".cup-table").last.bounding_box()
        assert last is not None and last["y"] + last["height"] <= size_wh[1]
        table = page.frame_locator("iframe[data-shown]")
        expect(table.locator(".tile")).to_have_count(12)
        expect(page.locator("#where")).to_have_text("hall-1")
        assert max(page.frames[1].evaluate(LUMINANCE)) < 60
        board.play(1)
        expect(table.locator("#last-turn")).to_contain_text("Turn 10")
        # The hub is away: what is shown stays, and it goes on when the hub is back.
        page.route("**/api/tables", lambda route: route.abort())
        expect(page.locator("#away")).to_be_visible()
        expect(page.locator("[data-shown]")).to_have_count(1)
        club.put(club_table("hall-1", phase="over"))
        page.unroute("**/api/tables")
        expect(page.locator("#away")).to_be_hidden()
        expect(page.locator(".cup-standings tbody tr").first).to_be_visible()
        last = page.locator("tbody tr").last.bounding_box()
        assert last is not None and last["y"] + last["height"] <= size_wh[1]
        assert serious(page) == []
        board.feed.close()
    context.close()
    engine.dispose()
