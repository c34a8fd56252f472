"""A feature lit up on the dashboard: the whole of it, and the finished features that pay for it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from playwright import sync_api

from engine.games import tile_game_named
from engine.pack import load_pack
from engine.tiles.actions import Meeple
from engine.tiles.game import Header
from engine.tiles.turn import Turn
from tests.web.browser import PHONE, SIZES_WH, page_of, serious, tap_point
from tests.web.conftest import Shown
from tests.web.fake_table import FakeTable

pytestmark = pytest.mark.browser
expect = sync_api.expect


@pytest.fixture
def table(request: pytest.FixtureRequest) -> FakeTable:
    """A finished city of two tiles, a farmer of Ana's in the field above it, a road of three tiles."""
    pack = load_pack(getattr(request, "param", "bastide"))
    start = tile_game_named("carcassonne").start(Header("carcassonne", pack.id, ("red", "blue")), pack)
    table = FakeTable()
    table.view = replace(table.view, game="carcassonne", pack=pack, start=start, state=start)
    table.lay(Turn("red", "BC-E", (0, -1), 180, Meeple("f0")))
    table.lay(Turn("blue", "BC-W", (1, 0), 0))
    return table


def tap(page: sync_api.Page, tile: int, u: float, v: float) -> None:
    """Tap a point of a tile on the board."""
    box = page.locator("#board .tile .tile-edge").nth(tile).bounding_box()
    assert box is not None
    tap_point(page, box["x"] + u * box["width"], box["y"] + v * box["height"])


@pytest.mark.long
@pytest.mark.parametrize("size_wh", SIZES_WH)
def test_a_tap_on_a_field_shows_all_of_it_and_its_cities(
    browser: sync_api.Browser, shown: Shown, size_wh: tuple[int, int]
) -> None:
    with page_of(browser, shown, size_wh) as page:
        expect(page.locator("#board .tile")).to_have_count(3)
        tap(page, 1, 0.5, 0.3)
        card = page.locator("#tile-card")
        lit = card.locator('[aria-pressed="true"]')
        expect(lit).to_contain_text("1 finished city: 3 if the game ended; goes to Ana")
        expect(page.locator("#board .glow-area")).to_have_count(1)
        expect(page.locator("#board .pays-area")).to_have_count(2)
        expect(page.locator("#board .tile.lit")).to_have_count(2)
        assert serious(page) == []
        tap(page, 1, 0.5, 0.3)
        expect(card).to_be_hidden()
        expect(page.locator("#board .tile.lit, #board .pays-area")).to_have_count(0)


@pytest.mark.long
def test_another_feature_of_the_tile_lights_up_from_its_card(browser: sync_api.Browser, shown: Shown) -> None:
    with page_of(browser, shown, PHONE) as page:
        tap(page, 0, 0.5, 0.5)
        lit = page.locator('#tile-card [aria-pressed="true"]')
        expect(lit).to_contain_text("Road")
        expect(page.locator("#board .glow-way")).to_have_count(2)
        page.get_by_role("button", name="City", exact=True).click()
        expect(lit).to_contain_text("City")
        expect(page.locator("#board .glow-area")).to_have_count(2)
        lit.click()
        expect(page.locator("#board .glow-area")).to_have_count(0)
        expect(page.locator("#tile-card")).to_be_visible()


@pytest.mark.long
@pytest.mark.parametrize("table", ["carcassonne"], indirect=True)
def test_a_printed_edition_without_drawn_areas_shows_where_its_features_run(
    browser: sync_api.Browser, shown: Shown
) -> None:
    with page_of(browser, shown, PHONE) as page:
        page.locator("#board .tile").nth(1).click()
        page.locator("#tile-card .tile-feature", has_text="Field").click()
        expect(page.locator("#board .glow-way")).to_have_count(1)
        expect(page.locator("#board .pays-way")).to_have_count(2)
