"""Every mark can be tapped: it says what is there, how sure, and lets one say what is right."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from playwright import sync_api

from engine.message import Message
from engine.pack import load_pack
from engine.tiles.board import Laid, board_faults
from tests.web.browser import LAPTOP, PHONE, SIZES_WH, page_of, serious, tap_point
from tests.web.conftest import KEY, Shown, running
from tests.web.fake_table import FakeTable, photograph
from tests.web.photographed import PhotographedTable
from tests.web.test_lobby_app import FakeLobby
from tests.web.test_other_pages import quiet_page
from tests.web.test_worth_page import town
from web.lobby_app import create_lobby_app
from web.table.camera_status import CameraStatus
from web.table.question import Option, Question
from web.views.tile_json import pack_json

pytestmark = [pytest.mark.browser, pytest.mark.long]
expect = sync_api.expect


@pytest.fixture
def table() -> FakeTable:
    return town()


def tap_cell(page: sync_api.Page, cell: tuple[int, int]) -> None:
    """Tap the middle of a cell of the board."""
    start = page.locator("#board .tile .tile-edge").first.bounding_box()  # the start tile is drawn first
    assert start is not None
    x, y = cell
    tap_point(page, start["x"] + start["width"] * (x + 0.5), start["y"] + start["height"] * (y + 0.5))


@pytest.mark.parametrize("size_wh", SIZES_WH)
def test_a_missed_tile_of_the_board_opens_its_sheet(
    browser: sync_api.Browser, shown: Shown, table: FakeTable, size_wh: tuple[int, int]
) -> None:
    table.say(CameraStatus("unclear", Message("no turn explains what is seen"), cells=((-1, 0), (0, 1))))
    with page_of(browser, shown, size_wh, key=shown.key) as page:
        expect(page.locator("#board .fault-line")).to_have_count(1)
        tap_cell(page, (0, 1))
        sheet = page.locator("dialog.sheet")
        expect(sheet).to_contain_text("The place 1 down from the start tile")
        expect(sheet).to_contain_text("No turn explains what is seen")
        assert serious(page) == []
        sheet.get_by_role("button", name="Enter this turn").click()
        expect(sheet.locator(".face").first).to_be_visible()


def test_marks_are_reached_with_the_keyboard(
    browser: sync_api.Browser, shown: Shown, table: FakeTable
) -> None:
    table.say(CameraStatus("unclear", Message("no turn explains what is seen"), cells=((-1, 0),)))
    with page_of(browser, shown, LAPTOP, key=shown.key) as page:
        expect(page.locator("#board .fault-line")).to_have_count(1)
        page.locator("#board").focus()
        for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowLeft"):
            page.keyboard.press(key)
        expect(page.locator("#board-at")).to_contain_text("A tile that is not recorded")
        page.keyboard.press("Enter")
        expect(page.locator("dialog.sheet")).to_contain_text("The place 1 left from the start tile")


def test_a_fault_names_its_tiles_and_jumps_there(
    browser: sync_api.Browser, shown: Shown, table: FakeTable
) -> None:
    pack = table.view.pack
    board = {(x, 5): Laid(pack.designs["BC-A"], 0) for x in range(3)}
    fault = next(one for one in board_faults(pack, board) if one.code == "too_many")
    at = replace(fault, cells=((0, -1), (1, 0)))
    table.view = replace(table.view, faults=(at,))
    with page_of(browser, shown, PHONE, key=shown.key) as page:
        toast = page.locator(".toast[data-kind=fault]")
        expect(toast).to_contain_text("lies 3 times, the box has 2")
        expect(toast).to_contain_text("monastery")
        toast.get_by_role("button", name="Show the place").click()
        expect(page.locator("#tile-card .tile-fault")).to_contain_text("lies 3 times, the box has 2")
        page.get_by_role("button", name="Look at this turn").click()
        expect(page.locator("dialog.sheet")).to_contain_text("Tap what was played")


def test_questions_come_in_the_order_of_turns_and_from_their_tiles(
    browser: sync_api.Browser, shown: Shown, table: FakeTable
) -> None:
    turns = [played.turn for played in table.view.played]
    asked = []
    for number in (3, 1):
        turn = turns[number - 1]
        options = (Option("0", Message("it"), turn), Option("1", Message("that"), replace(turn, rot=270)))
        text = Message("What was turn {turn}?", turn=number)
        asked.append(Question(f"q{number}", text, options, (turn.cell,), turn_no=number))
    table.asked = tuple(asked)
    with page_of(browser, shown, PHONE, key=shown.key) as page:
        question = page.locator(".question")
        expect(question).to_contain_text("What was turn 1?")
        expect(question.get_by_role("button", name="Another answer …")).to_be_visible()
        tap_cell(page, turns[2].cell)
        page.locator("#tile-card .tile-asked").click()
        expect(question).to_contain_text("What was turn 3?")
        pictures = [one.evaluate("(one) => one.outerHTML") for one in question.locator(".turn-picture").all()]
        assert len(set(pictures)) == 2


APART = """async ([pack, sets]) => {
  const { tellApart, turnPictures } = await import("/js/telling.js");
  const { deed, designOf } = await import("/js/words.js");
  return sets.map((lines) => {
    const notes = tellApart(lines, pack);
    const pictures = turnPictures(lines, { board: [] }, pack).map((drawn) => drawn.outerHTML);
    return [lines.map((line, i) => `${deed(line, designOf(pack, line))} ${notes[i]}`), pictures];
  });
}"""


@pytest.mark.parametrize("name", ["bastide", "taiga", "savanna"])
def test_no_two_answers_have_the_same_words_or_picture(browser: sync_api.Browser, name: str) -> None:
    """All faces of a pack in one place, all rotations of a face, all places of a piece on a face."""
    pack = load_pack(name)
    desk = PhotographedTable(town().view.state, "carcassonne")
    line: dict[str, Any] = {"player": "red", "cell": [0, 0], "rot": 90}
    faces = [{**line, "tile": tile, "action": None} for tile in pack.designs]
    rots = [[{**one, "rot": rot} for rot in (0, 90, 180, 270)] for one in faces]
    pieces = [
        [{**one, "action": {"type": "meeple", "feature": feature.id}} for feature in design.tile.features]
        for one, design in zip(faces, pack.designs.values(), strict=True)
    ]
    sets = [faces, *rots, *pieces]
    app = create_lobby_app(FakeLobby(), key=KEY, photographs=desk)
    with running(app) as url, quiet_page(browser, LAPTOP, f"{url}/photo#key={KEY}") as page:
        page.route("**/art/**", lambda route: route.fulfill(body=photograph(), content_type="image/jpeg"))
        told = page.evaluate(APART, [pack_json(pack), sets])
    for words, pictures in told:
        assert len(set(words)) == len(words), [one for one in words if words.count(one) > 1]
        assert len(set(pictures)) == len(pictures)


@pytest.mark.parametrize("size_wh", SIZES_WH)
def test_every_mark_of_a_photograph_opens_a_sheet(
    browser: sync_api.Browser, size_wh: tuple[int, int]
) -> None:
    desk = PhotographedTable(town().view.state, "carcassonne")
    desk.unknown = ((0, -2), (1, 0))
    fault = {
        "code": "too_many",
        "message": "m",
        "said": Message(
            "{face} lies {number} times, the box has {count}", face="BC-A", number=3, count=2
        ).to_json(),
        "cells": [[0, 0], [0, -1]],
    }
    desk.changes = {"faults": [fault]}
    app = create_lobby_app(FakeLobby(), key=KEY, photographs=desk)
    with running(app) as url, quiet_page(browser, size_wh, f"{url}/photo#key={KEY}&photo=a") as page:
        sheet = page.locator("dialog.sheet")
        shut = sheet.locator(".sheet-head button").first

        def opened(mark: sync_api.Locator, *says: str) -> None:
            box = mark.bounding_box()
            assert box is not None
            tap_point(page, box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.7)
            for text in says:
                expect(sheet).to_contain_text(text)
            shut.click()
            expect(sheet).to_have_count(0)
            page.wait_for_timeout(460)  # else the next tap is the second of a double tap

        free = page.locator(".photo-free")
        expect(free.first).to_be_visible()
        tiles = page.locator(".photo-tile")
        opened(free.nth(0), "Add a tile here", "No tile is seen here", "from the start tile")
        opened(tiles.nth(0), "97 % sure", "It lies turned", "No tile here", "It is another tile")
        opened(tiles.nth(3), "This tile is not known", "left out until you say")
        opened(
            page.locator(".photo-piece.ink-red circle"),
            "97 % sure",
            "Colour",
            "No piece here",
            "What does it stand on?",
        )
        together = page.locator(".photo-unknown")
        expect(together).to_have_count(1)
        expect(together).to_contain_text("2 tiles of another set")
        together.click()
        expect(sheet.locator(".photo-list button")).to_have_count(2)
        assert serious(page) == []
        sheet.locator(".photo-list button").first.click()
        expect(sheet).to_contain_text("This tile is not known")
        shut.click()
        warning = page.locator(".photo-fault", has_text="lies 3 times")
        expect(warning).to_contain_text("monastery")
        warning.click()
        expect(sheet.locator(".photo-list button")).to_have_count(2)
        expect(sheet.locator(".photo-list")).to_contain_text("The place 1 up from the start tile")
        expect(page.locator(".photo-tile.lit")).to_have_count(2)
