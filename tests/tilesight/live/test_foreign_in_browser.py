"""Foreign tiles in a real browser at a phone's size: laid as unknown, then described, and scored with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright import sync_api

from engine.games import tile_game_named
from engine.pack import load_pack
from engine.tiles.actions import Meeple
from engine.tiles.foreign import MARK, Foreign
from engine.tiles.game import Header
from engine.tiles.turn import Turn
from tests.web.browser import PHONE, chromium, page_of, serious
from tests.web.conftest import Shown
from tests.web.fake_table import photograph
from tilesight.live.tiles.table import TileTable
from tilesight.server.dashboard import Dashboard
from tilesight.table_log.event_fold import EntryKind, Ledger, folded
from tilesight.table_log.event_store import TableStore

pytestmark = [pytest.mark.browser, pytest.mark.long]
expect = sync_api.expect


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.fixture
def table(tmp_path: Path) -> Iterator[tuple[TileTable, Any, TableStore]]:
    """A served table of Carcassonne on which a tile lies east of the start tile that nobody knows."""
    pack = load_pack("carcassonne")
    start = tile_game_named("carcassonne").start(Header("carcassonne", pack.id, ("red", "blue")), pack)
    with TableStore(tmp_path / "one.table") as store:
        store.append(EntryKind.OPENED, {"header": {"game": "carcassonne"}, "names": {}})
        table = TileTable(start, {"red": "Ana", "blue": "Bo"}, store, title="a game", game="carcassonne")
        table.crop = lambda turn_no: photograph()  # type: ignore[method-assign]
        table.game.say([Turn("red", MARK, (1, 0), 0)])
        with Dashboard(table, host="127.0.0.1", port=0) as dashboard:
            shown: Any = Shown(table, dashboard.url, dashboard.key)  # type: ignore[arg-type]
            yield table, shown, store


def describe(page: sync_api.Page, edges: dict[str, str]) -> None:
    """Tap each edge of the editor until it shows its landscape."""
    for edge, kind in edges.items():
        button = page.locator(f'[data-edge="{edge}"]')
        for _ in range(6):
            if kind in (button.text_content() or ""):
                break
            before = button.text_content() or ""
            button.click()
            expect(button).not_to_have_text(before)
        expect(button).to_have_text(kind)


def test_a_tile_of_another_set_is_described_and_scored(
    browser: sync_api.Browser, table: tuple[TileTable, Any, TableStore]
) -> None:
    served, shown, store = table
    with page_of(browser, shown, PHONE, key=shown.key) as page:
        expect(page.locator("#board .tile")).to_have_count(2)
        expect(page.locator("#board .unknown")).to_have_count(4)
        page.locator("#board .tile").nth(1).click()
        expect(page.locator("#tile-card h2")).to_have_text("A tile of another set")
        page.locator("#tile-card").get_by_role("button", name="Look at this turn").click()
        page.locator("dialog").get_by_role("button", name="What is on it").click()
        describe(page, {"n": "City", "e": "Road", "s": "Field", "w": "Road"})
        page.get_by_role("button", name="right, left are one").click()
        expect(page.get_by_role("button", name="right, left are one")).to_have_attribute(
            "aria-pressed", "true"
        )
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert serious(page) == []
        page.get_by_role("button", name="Lay this tile").click()
        page.get_by_role("button", name="Put a meeple on the road").click()
        expect(page.locator("dialog.sheet")).to_have_count(0)
        expect(page.locator("#board .way-road")).to_have_count(2)
        expect(page.locator("#tile-card")).to_contain_text("Field")
        expect(page.locator("#tile-card")).not_to_contain_text("at the end")
        [played] = served.state().played
        assert played.turn.tile == "?city-road-field-road-ew"
        assert served.state().state.final().scores["red"] == 2
        assert list(folded(Ledger(), store.entries()).turns) == [played.turn]


def test_a_key_holder_is_asked_to_describe_an_unknown_tile(
    browser: sync_api.Browser, table: tuple[TileTable, Any, TableStore]
) -> None:
    served, shown, _ = table
    with page_of(browser, shown, PHONE) as page:
        expect(page.locator("#board .question-line")).to_have_count(1)
        expect(page.locator(".toast")).to_have_count(0)
    with page_of(browser, shown, PHONE, key=shown.key) as page:
        note = page.locator('.toast[data-key="foreign"]')
        expect(note).to_contain_text("The camera does not know it.")
        assert serious(page) == []
        note.get_by_role("button", name="What is on it").click()
        expect(page.locator("dialog.sheet h2")).to_contain_text("Turn 1, Ana")
        describe(page, {"n": "Field", "e": "Field", "s": "Field", "w": "Road"})
        page.get_by_role("button", name="Lay this tile").click()
        page.get_by_role("button", name="No piece").click()
        expect(note).to_have_count(0)
        expect(page.locator("#board .question-line")).to_have_count(0)
        [played] = served.state().played
        assert played.turn.tile == "?field-field-field-road"


def test_points_at_the_end_are_shown_on_demand(
    browser: sync_api.Browser, table: tuple[TileTable, Any, TableStore]
) -> None:
    served, shown, _ = table
    served.game.say(
        [Turn("red", Foreign(("field", "field", "city", "field")).name, (0, -1), 0, Meeple("f0"))]
    )
    with page_of(browser, shown, PHONE, key=shown.key) as page:
        expect(page.locator("#board .tile")).to_have_count(2)
        card = page.locator("#tile-card")
        page.locator("#board .tile").nth(1).click()
        expect(card).to_contain_text("Field")
        expect(card).not_to_contain_text("if the game ended")
        card.get_by_role("button", name="Field").click()
        expect(card).to_contain_text("1 finished city: 3 if the game ended")
