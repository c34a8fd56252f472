"""The dashboard in a real browser, on a phone and on a laptop."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from playwright import sync_api

from engine.message import Message
from tests.web.browser import LAPTOP, PHONE, SIZES_WH, context_of, page_of, serious, tap_point
from tests.web.conftest import KEY, Shown, serving
from tests.web.fake_table import FakeTable
from web.table.camera_status import CameraStatus
from web.table.pictures import Framing

pytestmark = pytest.mark.browser

# A followed board is shown whole: no tile reaches over the drawing's border.
WHOLE = """() => {
    const room = document.querySelector("#board").getBoundingClientRect();
    return [...document.querySelectorAll("#board .tile")].every((tile) => {
        const box = tile.getBoundingClientRect();
        return box.left >= room.left && box.right <= room.right
            && box.top >= room.top && box.bottom <= room.bottom;
    });
}"""


@pytest.mark.parametrize("size_wh", SIZES_WH)
def test_the_board_and_the_scores_grow_while_one_watches(
    browser: sync_api.Browser, shown: Shown, size_wh: tuple[int, int]
) -> None:
    table = shown.table
    with page_of(browser, shown, size_wh) as page:
        sync_api.expect(page.locator("#board .tile")).to_have_count(3)
        table.play(12)
        sync_api.expect(page.locator("#board .tile")).to_have_count(15)
        points = [str(score) for score in table.view.state.scores.values()]
        sync_api.expect(page.locator(".score-points")).to_have_text(points)
        sync_api.expect(page.locator("#last-turn")).to_contain_text("Turn 12")
        assert page.locator("#board .piece-ranger").count() == 2
        sync_api.expect(page.locator("#board-sample")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.wait_for_function(WHOLE)


@pytest.mark.parametrize("size_wh", SIZES_WH)
def test_an_entry_of_the_log_lights_up_its_cells(
    browser: sync_api.Browser, shown: Shown, size_wh: tuple[int, int]
) -> None:
    shown.table.play(20)
    event = next(event for event in reversed(shown.table.view.events) if event.points and event.cells)
    with page_of(browser, shown, size_wh) as page:
        if size_wh == PHONE:
            page.locator("#panel-handle").click()
        page.locator(".log-button").first.click()
        on_tiles = len(set(event.cells) & set(shown.table.view.state.board))
        sync_api.expect(page.locator("#board .tile.lit")).to_have_count(on_tiles)
        sync_api.expect(page.locator("#board")).to_have_class("board dimmed")
        page.locator(".log-button").first.click()
        sync_api.expect(page.locator("#board .tile.lit")).to_have_count(0)


def test_the_end_shows_winner_and_breakdown(browser: sync_api.Browser, shown: Shown) -> None:
    shown.table.play(16)
    with page_of(browser, shown, PHONE) as page:
        shown.table.end()
        final = shown.table.view.final
        assert final is not None
        sync_api.expect(page.locator("#final h2")).to_be_visible()
        totals = sorted((str(points) for points in final.scores.values()), key=int, reverse=True)
        sync_api.expect(page.locator(".breakdown tfoot td")).to_have_text(totals)


@pytest.mark.parametrize("size_wh", SIZES_WH)
def test_a_key_holder_answers_a_question_and_undoes_a_turn(
    browser: sync_api.Browser, shown: Shown, size_wh: tuple[int, int]
) -> None:
    shown.table.play(5)
    with page_of(browser, shown, size_wh, key=shown.key) as page:
        assert "key" not in page.url, "the key does not stay in the address"
        shown.table.ask("Which trail?")
        page.get_by_role("button", name="The bush").click()
        sync_api.expect(page.locator(".question")).to_have_count(0)
        assert shown.table.answers[0][1] == "b"
        if size_wh == PHONE:
            page.locator("#panel-handle").click()
        page.get_by_role("button", name="Undo").click()
        sync_api.expect(page.locator("#board .tile")).to_have_count(7)


def test_a_spectator_sees_the_question_but_no_buttons(browser: sync_api.Browser, shown: Shown) -> None:
    shown.table.play(2)
    shown.table.ask("Which trail?")
    with page_of(browser, shown, LAPTOP) as page:
        sync_api.expect(page.locator(".question h2")).to_have_text("Which trail?")
        assert page.locator(".question button").count() == 0
        assert not page.locator("#commands").is_visible()


@pytest.mark.long
def test_a_tap_on_a_tile_tells_what_it_is(browser: sync_api.Browser, shown: Shown) -> None:
    shown.table.play(3)
    turn = shown.table.view.played[-1].turn
    with page_of(browser, shown, PHONE) as page:
        tile = page.locator("#board .tile").last
        box = tile.bounding_box()
        assert box is not None
        tap_point(page, box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        sync_api.expect(page.locator("#tile-card")).to_contain_text(re.compile(r"\w+"))
        assert turn.tile not in page.locator("#tile-card").inner_text()
        sync_api.expect(page.locator("#tile-card")).to_contain_text("Turn 3, Ana")
        shown.table.undo()
        sync_api.expect(page.locator("#tile-card")).to_be_hidden()


@pytest.mark.long
def test_tiles_and_places_are_said_in_words(browser: sync_api.Browser, shown: Shown) -> None:
    shown.table.play(2)
    message = Message(
        "{tile} at {cell}: {reason}",
        tile="CS14-ZZ", cell=(3, -1), reason=Message("the tile's face is not clear"),
    )  # fmt: skip
    with page_of(browser, shown, PHONE) as page:
        shown.table.say(CameraStatus("unclear", message, 4, 75, ((3, -1),)))
        sync_api.expect(page.locator(".toast")).to_contain_text(
            "A zebra tile at the place 3 right and 1 up from the start tile: the tile's face is not clear"
        )


@pytest.mark.long
def test_an_unclear_table_is_reported_until_it_is_clear(browser: sync_api.Browser, shown: Shown) -> None:
    shown.table.play(2)
    with page_of(browser, shown, PHONE) as page:
        shown.table.say(CameraStatus("unclear", Message("Two turns explain this."), 4, 75, ((0, 1),)))
        sync_api.expect(page.locator(".toast")).to_contain_text("Two turns explain this.")
        shown.table.say(CameraStatus("watching"))
        sync_api.expect(page.locator(".toast")).to_have_count(0)


def test_names_are_text_and_never_markup(browser: sync_api.Browser, table: FakeTable) -> None:
    seat, *others = table.view.seats
    nasty = "<img src=x onerror=alert(1)>"
    table.view = replace(table.view, seats=(replace(seat, name=nasty), *others), title=nasty)
    table.play(8)
    with serving(table) as shown, page_of(browser, shown, LAPTOP) as page:
        sync_api.expect(page.locator(".score-name-text").first).to_have_text(nasty)


@pytest.mark.long
def test_keys_move_and_zoom_the_board(browser: sync_api.Browser, shown: Shown) -> None:
    with page_of(browser, shown, LAPTOP) as page:
        sync_api.expect(page.locator("#board .tile")).to_have_count(3)
        placed = page.locator(".board-root").get_attribute("transform")
        page.locator("#board").focus()
        page.keyboard.press("+")
        page.keyboard.press("ArrowLeft")
        assert page.locator(".board-root").get_attribute("transform") != placed
        sync_api.expect(page.locator("#zoom-fit")).to_have_attribute("aria-pressed", "false")
        page.keyboard.press("0")
        sync_api.expect(page.locator(".board-root")).to_have_attribute("transform", placed or "")


@pytest.mark.parametrize("size_wh", SIZES_WH)
def test_an_error_at_the_table_shows_as_an_error_and_goes_by_itself(
    browser: sync_api.Browser, shown: Shown, size_wh: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page that says "Live" over a state which the server cannot give is worse than none."""
    table = shown.table
    context = context_of(browser, size_wh, locale="en-GB", reduced_motion="no-preference")
    page = context.new_page()
    page.goto(shown.url)
    sync_api.expect(page.locator("#connection-text")).to_have_text("Live")

    def broken(*_: object) -> None:
        raise KeyError("yellow")

    monkeypatch.setattr(FakeTable, "questions", broken)
    table.play(1)
    sync_api.expect(page.locator("#connection-text")).to_have_text("Error")
    sync_api.expect(page.locator('.toast[data-key="trouble"]')).to_contain_text("(500)")
    assert serious(page) == []
    monkeypatch.undo()
    sync_api.expect(page.locator("#connection-text")).to_have_text("Live")
    sync_api.expect(page.locator(".toast")).to_have_count(0)
    sync_api.expect(page.locator("#board .tile")).to_have_count(4)
    context.close()


@pytest.mark.long
@pytest.mark.parametrize("size_wh", SIZES_WH)
def test_a_quiet_note_says_what_the_camera_needs(
    browser: sync_api.Browser, shown: Shown, size_wh: tuple[int, int]
) -> None:
    shown.table.play(3)
    dark = Framing(True, 3, 44.0, 30.0, ("dark",))
    with page_of(browser, shown, size_wh, key=KEY) as page:
        note = page.locator("#framing-note")
        sync_api.expect(note).to_be_hidden()
        shown.table.say(CameraStatus("watching", framing=dark))
        sync_api.expect(note).to_contain_text("Too dark: switch on a light.")
        assert serious(page) == []
        shown.table.say(CameraStatus("watching"))
        sync_api.expect(note).to_be_hidden()
        shown.table.say(CameraStatus("watching", framing=dark))
        note.get_by_role("button", name="Hide this note").click()
        sync_api.expect(note).to_be_hidden()
        shown.table.say(CameraStatus("moving", framing=dark))
        sync_api.expect(page.locator("#camera")).to_have_attribute("data-seeing", "moving")
        sync_api.expect(note).to_be_hidden()
        glare = Framing(True, 3, 44.0, 30.0, ("glare",), "left")
        shown.table.say(CameraStatus("watching", framing=glare))
        sync_api.expect(note).to_contain_text("Glare on the left")
        shown.table.end()
        sync_api.expect(note).to_be_hidden()
