"""A live game in a real browser, from joining to the final chart, kept by its table and log."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright import sync_api

from engine.games import tile_game_named
from engine.pack import load_pack
from tests.tilesight.synthetic import CLEAN, film
from tests.web.browser import LAPTOP, PHONE, SIZES_WH, chromium, look_back, page_of
from tests.web.conftest import Shown
from tilesight.live.tiles.table import TileTable
from tilesight.server.dashboard import Dashboard
from tilesight.simulation.tile_games import Style, random_game
from tilesight.table_log.event_fold import EntryKind
from tilesight.table_log.event_store import TableStore
from vision.observation import Frame
from web.table.correction import ReplaceTurn

pytestmark = pytest.mark.browser
expect = sync_api.expect
TURNS = 10
BLANK = Frame(np.full((720, 1280, 3), 90, np.uint8))


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.mark.parametrize("size_wh", SIZES_WH)
def test_a_game_is_joined_watched_corrected_and_ended(
    browser: sync_api.Browser, tmp_path: Path, size_wh: tuple[int, int]
) -> None:
    pack = load_pack("savanna")
    style = Style(allow=("meeple", "ranger"), greedy=0.6)
    record = random_game(pack, 2, 7, turns=TURNS, style=style, hands_seen=False)
    start = tile_game_named("safari").start(record.header, pack)  # type: ignore[arg-type]
    pictures = [seen for _, seen in film(start, record.turns, CLEAN, 3)]
    with contextlib.ExitStack() as stack:
        store = stack.enter_context(TableStore(tmp_path / "one.table"))
        store.append(EntryKind.OPENED, {"header": {"game": "safari"}, "names": {}})
        table = TileTable(start, {"red": "Ana"}, store, title="a game", game="safari")
        dashboard = stack.enter_context(Dashboard(table, host="127.0.0.1", port=0))
        watching = threading.Thread(target=lambda: [table.game.see(seen, BLANK, 0.0) for seen in pictures])
        shown: Any = Shown(table, dashboard.url, dashboard.key)  # type: ignore[arg-type]
        with page_of(browser, shown, size_wh, key=dashboard.key) as page:
            watching.start()
            watching.join(60)
            expect(page.locator("#board .tile")).to_have_count(3 + TURNS)
            points = [str(score) for score in table.state().state.scores.values()]
            expect(page.locator(".score-points")).to_have_text(points)
            if size_wh == PHONE:
                page.locator("#panel-handle").click()
            correct_last_turn(page)
            expect(page.locator("dialog.sheet")).to_have_count(0)
            assert table.state().played[-1].turn != record.turns[-1]
            page.get_by_role("button", name="Undo").click()
            expect(page.locator("#do-redo")).to_be_enabled()
            assert [played.turn for played in table.state().played] == list(record.turns)
            page.on("dialog", lambda dialog: dialog.accept())
            page.get_by_role("button", name="End the game").click()
            expect(page.locator("#final h2")).to_be_visible()
            page.get_by_role("button", name="All points").click()
            page.locator("#log-chart").click()
            expect(page.locator(".chart-line")).to_have_count(2)
        assert [entry.kind for entry in store.entries()][-3:] == ["said", "undo", "end"]


def test_a_double_click_takes_one_turn_back_and_two_clicks_two(
    browser: sync_api.Browser, tmp_path: Path
) -> None:
    pack = load_pack("savanna")
    record = random_game(pack, 2, 7, turns=6, style=Style(allow=("meeple",), greedy=0.6), hands_seen=False)
    start = tile_game_named("safari").start(record.header, pack)  # type: ignore[arg-type]
    with contextlib.ExitStack() as stack:
        store = stack.enter_context(TableStore(tmp_path / "one.table"))
        store.append(EntryKind.OPENED, {"header": {"game": "safari"}, "names": {}})
        table = TileTable(start, {}, store, title="a game", game="safari")
        table.game.say(record.turns[:1])
        for number in range(2, 7):
            table.correct(ReplaceTurn(number, record.turns[number - 1].to_json()))
        dashboard = stack.enter_context(Dashboard(table, host="127.0.0.1", port=0))
        shown: Any = Shown(table, dashboard.url, dashboard.key)  # type: ignore[arg-type]
        with page_of(browser, shown, LAPTOP, key=dashboard.key) as page:
            # Of the slow double click, the page has shown the first click's result before the second.
            for button, clicks, delay_ms, left in (
                ("#do-undo", 2, 0, 5), ("#do-redo", 2, 0, 6), ("#do-undo", 2, 120, 5),
                ("#do-undo", 1, 0, 4), ("#do-undo", 1, 0, 3),
            ):  # fmt: skip
                page.locator(button).click(click_count=clicks, delay=delay_ms)
                expect(page.locator("#board .tile")).to_have_count(3 + left)
                page.wait_for_timeout(300)
                assert len(table.state().played) == left


@pytest.mark.long
@pytest.mark.parametrize("size_wh", SIZES_WH)
def test_a_replay_is_watched_to_its_end(browser: sync_api.Browser, size_wh: tuple[int, int]) -> None:
    pack = load_pack("savanna")
    record = random_game(
        pack, 2, 7, turns=TURNS, style=Style(allow=("meeple",), greedy=0.6), hands_seen=False
    )
    start = tile_game_named("safari").start(record.header, pack)  # type: ignore[arg-type]
    table = TileTable(start, {"red": "Ana", "blue": "Bo"}, title="a replay", game="safari", rendered=True)
    with Dashboard(table, host="127.0.0.1", port=0) as dashboard:
        shown: Any = Shown(table, dashboard.url, dashboard.key)  # type: ignore[arg-type]
        with page_of(browser, shown, size_wh) as page:
            expect(page.locator("#board-sample")).to_be_visible()
            for number, (_, seen) in enumerate(film(start, record.turns, CLEAN, 3)):
                table.game.see(seen, replace(BLANK, index=number), 0.0)
            expect(page.locator("#board .tile")).to_have_count(3 + TURNS)
            state = table.state().state
            table.game.close_with_source()
            expect(page.locator("#final h2")).to_be_visible()
            page.get_by_role("button", name="All points").click()
            expect(page.locator("#camera")).to_have_attribute("data-seeing", "ended")
            final = state.final()
            expect(page.locator(".score-points")).to_have_text([str(n) for n in final.scores.values()])
            look_back(page, 0, TURNS)
            expect(page.locator("#board .tile")).to_have_count(3)
            page.get_by_role("button", name="Now", exact=True).click()
            expect(page.locator("#board .tile")).to_have_count(3 + TURNS)
            page.locator("#log-chart").click()
            expect(page.locator(".chart-line")).to_have_count(2)
            assert not page.locator("#commands").is_visible()  # nobody changes a recording


def correct_last_turn(page: sync_api.Page) -> None:
    """Look at the last turn with the picture it was made from, and say that another tile was laid."""
    page.locator("#log-all").click()
    page.locator(".log-button").first.click()
    page.locator(".log-look").click()
    page.wait_for_function("() => document.querySelector('.told .crop')?.naturalWidth > 0")
    page.get_by_role("button", name="Another tile").click()
    page.locator(".face").nth(1).click()
    page.locator(".placement, .pick-dot").first.wait_for()
    if page.locator(".pick-dot").count():
        page.locator(".pick-dot").first.click()
    page.get_by_role("button", name="No piece").click()
