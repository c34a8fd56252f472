"""The replay of a game in one file: what is in it, and that it plays from a disk without a network."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright import sync_api

from tests.web.browser import SIZES_WH, serious
from tests.web.fake_table import FakeTable
from web.api.boards import TILES
from web.api.reports import replay_page
from web.page import STATIC, bundled_script, modules_in_order
from web.replay.bundle import OFFLINE
from web.table.seats import Seat

expect = sync_api.expect
EXPORT = re.compile(r"^export (?:async )?(?:function|const|class) (\w+)", re.MULTILINE)


@pytest.mark.parametrize("name", OFFLINE)
def test_an_offline_module_exports_the_names_of_the_module_it_replaces(name: str) -> None:
    own, offline = (set(EXPORT.findall((STATIC / "js" / path).read_text())) for path in (name, OFFLINE[name]))
    assert own == offline


def test_no_module_of_the_page_needs_a_server() -> None:
    for entry in ("tiles.js", "squares.js"):
        modules = modules_in_order(entry, OFFLINE)
        assert modules[-1] == entry and not OFFLINE.keys() & set(modules)
        script = bundled_script(entry, OFFLINE)
        assert not re.search(r"^(import|export)\b|</script|<!--", script, re.MULTILINE)


def test_names_stay_words() -> None:
    table = FakeTable()
    table.play(2)
    evil = "</script><script>alert(1)"
    table.view = type(table.view)(**{**vars(table.view), "seats": (Seat("red", evil), Seat("blue", "Bo"))})
    page = replay_page(table.state(), TILES, None).decode()
    assert evil not in page and "\\u003c/script>" in page


@pytest.mark.browser
def test_a_file_shows_something_before_its_data_are_read(browser: sync_api.Browser, tmp_path: Path) -> None:
    table = FakeTable()
    table.play(3)
    text = replay_page(table.state(), TILES, table.photo).decode()
    begun = text[: text.index('<script type="application/json"')]
    assert len(begun) < len(text) / 2 and "Tilesight" in begun
    file = tmp_path / "begun.html"
    file.write_text(begun, "utf-8")
    context = browser.new_context(locale="de-DE", offline=True)
    page = context.new_page()
    page.goto(file.as_uri())
    expect(page.get_by_text("Die Partie wird geöffnet")).to_be_visible()
    expect(page.get_by_text("Opening the game")).to_be_hidden()
    file.write_text(text, "utf-8")
    page.goto(file.as_uri())
    expect(page.locator("#board .tile")).to_have_count(6)
    expect(page.locator(".replay-wait")).to_be_hidden()
    context.close()


@pytest.mark.browser
@pytest.mark.parametrize("size_wh", SIZES_WH)
def test_a_game_is_replayed_from_a_file(
    browser: sync_api.Browser, size_wh: tuple[int, int], tmp_path: Path
) -> None:
    table = FakeTable()
    table.play(6)
    table.end()
    file = tmp_path / "game.html"
    file.write_bytes(replay_page(table.state(), TILES, table.photo))
    width, height = size_wh
    context = browser.new_context(
        viewport={"width": width, "height": height}, reduced_motion="reduce", locale="de-DE", offline=True
    )
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if said.type in ("error", "warning") else None)
    page.on("request", lambda asked: wrong.append(asked.url) if asked.url.startswith("http") else None)
    page.goto(file.as_uri())
    expect(page.locator("#final")).to_contain_text("gewinnt")
    tiles = page.locator("#board .tile")
    expect(tiles).to_have_count(len(table.state().state.board))
    assert serious(page) == []
    slider = page.locator("#timeline input")
    expect(slider).to_have_attribute("max", "6")
    slider.fill("2")
    expect(tiles).to_have_count(len(table.state().played[1].after.board))
    page.locator("#camera-show").click()
    expect(page.locator("#camera-view image")).to_have_count(1)
    context.close()
    assert wrong == [], wrong
