"""A live game on squares in a real browser: from the set-up to the end, kept by its table and its log."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright import sync_api

from engine.geometry import EDGES
from engine.tricky_safari.state import Move
from tests.tilesight.live.squares.test_controller import NAMES, START, Live
from tests.tilesight.square_seen import PACK
from tests.web.browser import LAPTOP, PHONE, SIZES_WH, chromium, look_back, page_of, serious
from tests.web.conftest import KEY, Shown
from tests.web.test_announcer import listened, spoken
from tilesight.server.dashboard import Dashboard
from tilesight.table_log.event_store import TableStore
from web.app import create_square_app

pytestmark = pytest.mark.browser
expect = sync_api.expect
SIZES = pytest.mark.parametrize("size_wh", SIZES_WH)

COUNT_CLICKS = """() => {
    window.clicks = 0;
    const start = AudioBufferSourceNode.prototype.start;
    AudioBufferSourceNode.prototype.start = function (...when) {
        window.clicks += 1;
        return start.apply(this, when);
    };
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@contextmanager
def opened(
    browser: sync_api.Browser, path: Path, size_wh: tuple[int, int], **how: Any
) -> Iterator[tuple[Live, sync_api.Page]]:
    """A table whose set-up is in view, and its dashboard."""
    with TableStore(path / "one.table") as store:
        live = Live(store)
        app = create_square_app(live.table, key=KEY)
        with Dashboard(live.table, host="127.0.0.1", port=0, key=KEY, app=app) as dashboard:
            shown: Any = Shown(live.table, dashboard.url, KEY)  # type: ignore[arg-type]
            with page_of(browser, shown, size_wh, **{"key": KEY, **how}) as page:
                live.show(START.figures)
                yield live, page


def open_panel(page: sync_api.Page, size_wh: tuple[int, int]) -> None:
    if size_wh == PHONE and page.locator("#panel").get_attribute("data-open") != "true":
        page.locator("#panel-handle").click()


@SIZES
def test_a_round_is_played_guided_put_right_and_ended(
    browser: sync_api.Browser, tmp_path: Path, size_wh: tuple[int, int]
) -> None:
    with opened(browser, tmp_path, size_wh) as (live, page):
        expect(page.locator("#board .figure")).to_have_count(len(PACK.animals) + 2)
        expect(page.locator(".question")).to_contain_text("Is the table set up")
        page.get_by_role("button", name="Yes, begin").click()
        expect(page.locator(".question")).to_have_count(0)
        expect(page.locator("#fact")).to_have_text("80 moves left")
        assert live.table.state().confirmed

        # A photograph: a flash, a click, a card, a box.
        page.evaluate(COUNT_CLICKS)
        live.play("a7")
        page.wait_for_function("() => window.clicks === 2")
        expect(page.locator("#flash")).to_have_class("flash on")
        event = live.table.state().events[0]
        expect(page.locator(".photo")).to_contain_text(event.to_json()["species"])
        expect(page.locator('.photo-box[data-has="yes"]')).to_have_count(len(live.table.state().events))
        expect(page.locator("#last-turn")).to_contain_text("Gil goes to a7")

        # What a player's points consist of; a tap shows the square.
        page.locator("#scores .score-open").nth(
            [seat.color for seat in live.table.state().seats].index(event.player)
        ).click()
        photo = page.locator("dialog.sheet .worth-list button").first
        expect(photo).to_contain_text(event.to_json()["species"], ignore_case=True)
        assert serious(page) == []
        photo.click()
        expect(page.locator("#board .square-lit")).to_have_count(1)
        page.locator('.log-button[aria-pressed="true"]').press("Enter")
        expect(page.locator("#board .square-lit")).to_have_count(0)

        # The animals' step, one by one; one that is turned wrongly is named and ringed.
        after = live.position.apply(Move("red", "j8")).state
        before = replace(live.position, cameras=after.cameras).figures
        live.show(before)
        expect(page.locator(".way")).to_have_count(len(PACK.animals))
        expect(page.locator("#last-turn")).to_contain_text("1 of 10")
        first = live.table.state().guide[0]
        goes = first["to"]["name"]
        gone = next(one for one in after.figures if one.name == goes)
        live.show(tuple(gone if one.name == goes else one for one in before))
        expect(page.locator(".way")).to_have_count(len(PACK.animals) - 1)
        expect(page.locator("#last-turn")).to_contain_text("2 of 10")
        lion = next(f for f in after.figures if f.name == "lion")
        assert lion.facing is not None
        turned = replace(lion, facing=EDGES[(EDGES.index(lion.facing) + 1) % 4])
        live.show(tuple(turned if f == lion else f for f in after.figures))
        expect(page.locator("#alarm")).to_contain_text(f"The lion on {lion.square} looks")
        expect(page.locator(".square-wrong")).to_have_count(1)
        assert serious(page) == []

        # The ringed lion opens a sheet that says what is wrong; the camera's has its photographs.
        page.locator(f'#board .square-touch[data-square="{lion.square}"]').click()
        expect(page.locator("dialog.sheet")).to_contain_text(f"The lion on {lion.square} looks")
        expect(page.get_by_role("button", name="The table is right")).to_have_count(2)
        assert serious(page) == []
        page.locator("dialog.sheet .sheet-head button").click()
        expect(page.locator("dialog.sheet")).to_have_count(0)
        live.show(after.figures)
        expect(page.locator("#alarm")).to_be_hidden()
        expect(page.locator(".way")).to_have_count(0)

        # A turn looked at and put right; taken back; the end.
        open_panel(page, size_wh)
        page.locator("#log-all").click()
        page.locator(".log-button").first.click()
        page.locator(".log-look").click()
        page.wait_for_function("() => document.querySelector('.told .crop')?.naturalWidth > 0")
        assert serious(page) == []
        page.locator('.square-touch[data-square="j9"]').click()
        expect(page.locator("dialog.sheet")).to_have_count(0)
        assert live.lines == ["a7", "j9"]
        page.get_by_role("button", name="Undo").click()
        page.wait_for_function("() => !document.querySelector('#do-redo').disabled")
        assert live.lines == ["a7", "j8"]
        page.on("dialog", lambda dialog: dialog.accept())
        page.get_by_role("button", name="End the game").click()
        expect(page.locator("#final h2")).to_have_text("The game ended early")
        page.locator("#log-chart").click()
        expect(page.locator(".chart-line")).to_have_count(2)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.long
@SIZES
def test_the_set_up_is_put_right_with_taps(
    browser: sync_api.Browser, tmp_path: Path, size_wh: tuple[int, int]
) -> None:
    lion = next(one for one in START.figures if one.name == "lion")
    assert lion.facing is not None
    with opened(browser, tmp_path, size_wh) as (live, page):
        page.get_by_role("button", name="Yes, begin").click()
        open_panel(page, size_wh)
        page.get_by_role("button", name="Correct the set-up").click()
        page.locator(f'dialog .square-touch[data-square="{lion.square}"]').click()
        page.get_by_role("button", name="Move", exact=True).click()
        page.locator(f'dialog .square-touch[data-square="{lion.square}"]').click()
        page.locator('dialog .square-touch[data-square="a10"]').click()
        page.get_by_role("button", name="Ground").click()
        page.locator('dialog .square-touch[data-square="b10"]').press("Enter")
        assert serious(page) == []
        page.get_by_role("button", name="Save this set-up").click()
        expect(page.locator("dialog.sheet")).to_have_count(0)
        put = next(one for one in live.position.figures if one.name == "lion")
        assert put.square == "a10" and put.facing == EDGES[(EDGES.index(lion.facing) + 1) % 4]
        assert live.position.terrain[0][1] != START.terrain[0][1]


def test_a_move_is_inserted_and_what_could_not_be_kept_is_listed(
    browser: sync_api.Browser, tmp_path: Path
) -> None:
    with opened(browser, tmp_path, PHONE) as (live, page):
        page.get_by_role("button", name="Yes, begin").click()
        expect(page.locator(".question")).to_have_count(0)
        live.play("a7", "j8")
        expect(page.locator("#fact")).to_have_text("78 moves left")
        open_panel(page, PHONE)
        page.locator(".log-button").first.click()
        page.locator(".log-look").click()
        page.get_by_text("Order and players").click()
        expect(page.get_by_text("Was it another player")).to_have_count(0)
        page.get_by_role("button", name="Insert a turn before").click()
        expect(page.locator("dialog.sheet h2")).to_contain_text("A turn before turn 2")
        page.locator('.square-touch[data-square="j9"]').click()
        expect(page.locator("dialog.sheet")).to_have_count(0)
        expect(page.locator("#history h2")).to_have_text("1 turn could not be kept")
        assert serious(page) == []
        assert [one.line["to"] for one in live.table.state().played] == ["a7", "j9"]


def test_the_time_line_shows_the_table_as_it_was(browser: sync_api.Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, PHONE, key=None) as (live, page):
        live.play("a7", "j8", "a6", "j7")
        open_panel(page, PHONE)
        look_back(page, 2, 4)
        expect(page.locator("#board-past")).to_have_text("As it was after turn 2")
        expect(page.locator('#board .pawn[data-cell="a7"]')).to_have_count(1)
        expect(page.locator(".step")).to_have_count(len(PACK.animals))
        page.get_by_role("button", name="Now", exact=True).click()
        expect(page.locator('#board .pawn[data-cell="a6"]')).to_have_count(1)
        assert not page.locator("#commands").is_visible()
        page.get_by_role("button", name="What the camera sees").click()
        expect(page.locator(".camera-view .seen-piece")).to_have_count(len(PACK.animals) + 2)


@pytest.mark.long
@pytest.mark.parametrize("locale", ["de-DE", "fr-FR"])
def test_it_speaks_the_phones_language(browser: sync_api.Browser, tmp_path: Path, locale: str) -> None:
    lion = next(one for one in START.figures if one.name == "lion")
    assert lion.facing is not None
    turned = replace(lion, facing=EDGES[(EDGES.index(lion.facing) + 1) % 4])
    with opened(browser, tmp_path, PHONE, locale=locale) as (live, page):
        question = {"de-DE": "Ist der Tisch so aufgebaut", "fr-FR": "La table est-elle en place"}[locale]
        expect(page.locator(".question")).to_contain_text(question)
        page.locator(".question .plain").first.click()
        expect(page.locator(".question")).to_have_count(0)
        live.show(tuple(turned if one == lion else one for one in START.figures))
        word = {"de-DE": "Löwe auf", "fr-FR": "Lion en"}[locale]
        expect(page.locator("#alarm")).to_contain_text(word)
        expect(page.locator("#alarm")).not_to_contain_text("looks")


@pytest.mark.long
def test_names_are_seats(browser: sync_api.Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, LAPTOP) as (live, page):
        page.locator(".score-open").first.click()
        page.get_by_label("Name", exact=True).fill("Anouk")
        page.get_by_role("button", name="Save").click()
        expect(page.locator(".score-name-text").first).to_have_text("Anouk")
        assert live.table.state().seats[0].name == "Anouk" != NAMES["yellow"]


@pytest.mark.long
def test_the_big_screen_follows_a_game_of_photographs(browser: sync_api.Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, LAPTOP) as (live, page):
        page.get_by_role("button", name="Yes, begin").click()
        page.goto(page.url.split("#")[0] + "tv")
        expect(page.locator("#fact")).to_have_text("80 moves left")
        live.play("a7")
        expect(page.locator("#last-turn")).to_contain_text("Gil goes to a7")
        expect(page.locator("#board .figure")).to_have_count(len(PACK.animals) + 2)
        expect(page.locator('.photo-box[data-has="yes"]')).to_have_count(len(live.table.state().events))
        expect(page.locator('.tv-score[data-turn="true"]')).to_have_count(1)
        assert serious(page) == []
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
        live.table.end()
        expect(page.locator("#tv-winner h2")).to_be_visible()


def test_an_overlay_shows_the_board_and_speaks_of_photographs(
    browser: sync_api.Browser, tmp_path: Path
) -> None:
    with opened(browser, tmp_path, PHONE) as (live, page):
        page.get_by_role("button", name="Yes, begin").click()
        expect(page.locator("#fact")).to_have_text("80 moves left")
        overlay = page.url.split("#")[0] + "overlay?layout=board&speak=turns"
        with listened(browser, overlay, size_wh=LAPTOP) as stream:
            expect(stream.locator("#board .figure")).to_have_count(len(PACK.animals) + 2)
            live.play("a7")
            said = spoken(stream, "is to play.")
            photo = "en: Gil: 1 point, Photo: tiger on b7."
            assert said == ["en: Gil goes to a7.", photo, "en: Hana is to play."]
