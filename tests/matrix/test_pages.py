"""Every game on its dashboard in a real browser, on a phone and on a laptop, replayed to its end.

Nothing may go wrong in the console, shut anybody out, or reach beyond the screen.

With ``TILESIGHT_SCREENSHOTS=DIR`` what was seen is kept as pictures.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright import sync_api

from tests.matrix.games import TURNS, Kit
from tests.matrix.tables import LiveTable, is_result, live, serving
from tests.web.browser import LAPTOP, PHONE, chromium, page_of, serious

pytestmark = [pytest.mark.browser, pytest.mark.long]
expect = sync_api.expect
SHOTS = os.environ.get("TILESIGHT_SCREENSHOTS")
SLOW_MS = 30_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def replayed(session: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveTable]:
    """``replay --serve``, at its end."""
    words = [sys.executable, "-m", "tilesight.app", "replay", str(session), "--serve", "--json"]
    words += ["--host", "127.0.0.1", "--port", "0"]
    with serving(words, tmp_path_factory.mktemp("home") / "none") as running:
        running.wait_for(is_result)
        yield running


@pytest.fixture(scope="module")
def table(kit: Kit, session: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveTable]:
    """A live table whose pictures are at their end, and that goes on."""
    with live(kit, session, tmp_path_factory.mktemp("home") / "evening.table") as running:
        running.wait_for(is_result)
        running.post("undo")
        yield running


CODES = re.compile(r"\[-?\d+, ?-?\d+\]|\b[A-Z]{2,}\d+")
"""Cells and names of designs as records write them: players see words."""


def fine(page: sync_api.Page, name: str) -> None:
    """Nobody is shut out, nothing reaches beyond the screen or speaks in codes; the picture is kept if
    wanted."""
    if SHOTS is not None:
        page.wait_for_timeout(300)
        page.screenshot(path=str(Path(SHOTS) / f"{name}.png"))
    assert serious(page) == []
    assert CODES.findall(page.locator("body").inner_text()) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def open_panel(page: sync_api.Page) -> None:
    """On a phone the log is behind a handle."""
    handle = page.locator("#panel-handle")
    if handle.is_visible() and page.locator("#panel").get_attribute("data-open") != "true":
        handle.click()


def test_a_replay_is_shown_to_its_end(browser: sync_api.Browser, kit: Kit, replayed: LiveTable) -> None:
    for size_wh in (PHONE, LAPTOP):
        _look_at_replay(browser, kit, replayed, size_wh)


def _look_at_replay(
    browser: sync_api.Browser, kit: Kit, replayed: LiveTable, size_wh: tuple[int, int]
) -> None:
    name = f"{kit.game}-{size_wh[0]}"
    with page_of(browser, replayed, size_wh) as page:  # type: ignore[arg-type]
        expect(page.locator("#final h2")).to_be_visible(timeout=SLOW_MS)
        expect(page.locator("#connection-text")).to_have_text("Live")
        scores = [str(one["score"]) for one in replayed.state()["players"]]
        final = list(map(str, replayed.state()["final"]["scores"].values()))
        expect(page.locator(".score-points")).to_have_text(final or scores)
        fine(page, f"{name}-final")
        open_panel(page)
        page.locator("#log-chart").click()
        expect(page.locator(".chart-line")).to_have_count(len(kit.colors))
        fine(page, f"{name}-chart")
        page.locator("#log-all").click()
        expect(page.locator(".log-button")).not_to_have_count(0)
        page.get_by_label("Timeline").fill("1")
        expect(page.locator("#board-past")).to_have_text("As it was after turn 1")
        fine(page, f"{name}-past")
        page.get_by_role("button", name="Now", exact=True).click()
        page.get_by_role("button", name="What the camera sees").click()
        expect(page.locator("#camera-view")).to_be_visible()
        fine(page, f"{name}-camera")


def test_a_turn_is_looked_into_and_the_game_ended(
    browser: sync_api.Browser, kit: Kit, table: LiveTable
) -> None:
    for size_wh in (PHONE, LAPTOP):
        _look_into_turn(browser, kit, table, size_wh)


def _look_into_turn(browser: sync_api.Browser, kit: Kit, table: LiveTable, size_wh: tuple[int, int]) -> None:
    name = f"{kit.game}-{size_wh[0]}"
    with page_of(browser, table, size_wh, key=table.key) as page:  # type: ignore[arg-type]
        expect(page.locator("#last-turn")).not_to_be_empty()
        open_panel(page)
        page.locator("#log-all").click()
        expect(page.locator(".log-button")).not_to_have_count(0)
        page.locator(".log-button").first.click()
        fine(page, f"{name}-log")
        page.locator(".log-look").click()
        page.wait_for_function("() => document.querySelector('.told .crop')?.naturalWidth > 0")
        fine(page, f"{name}-turn")
        page.keyboard.press("Escape")
        expect(page.locator("dialog.sheet")).to_have_count(0)
        page.locator(".score-open").first.click()
        fine(page, f"{name}-player")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Add a turn by hand").click()
        expect(page.locator("dialog.sheet")).to_contain_text(f"Turn {TURNS + 1}")
        fine(page, f"{name}-add")
        page.keyboard.press("Escape")
        page.on("dialog", lambda dialog: dialog.accept())
        page.get_by_role("button", name="End the game").click()
        expect(page.locator("#final h2")).to_be_visible()
        fine(page, f"{name}-ended")
        page.keyboard.press("Escape")
        expect(page.locator("dialog.ending")).to_have_count(0)
        page.get_by_role("button", name="Undo").click()
        expect(page.locator("#do-end")).to_be_enabled()
