"""Corrections, the camera's view, hands, names and the time line, in a real browser."""

from __future__ import annotations

import pytest
from playwright import sync_api

from engine.safari.actions import MoveRanger
from tests.web.browser import LAPTOP, PHONE, SIZES_WH, look_back, page_of, place_words
from tests.web.conftest import Shown
from tests.web.fake_table import FakeTable

pytestmark = pytest.mark.browser
expect = sync_api.expect
SIZES = pytest.mark.parametrize("size_wh", SIZES_WH)


def open_last_turn(page: sync_api.Page, size_wh: tuple[int, int]) -> None:
    if size_wh == PHONE:
        page.locator("#panel-handle").click()
    page.locator("#log-all").click()
    page.locator(".log-button").first.click()
    page.locator(".log-look").click()
    expect(page.locator("dialog.sheet")).to_be_visible()


@SIZES
def test_a_turn_is_looked_at_and_corrected(
    browser: sync_api.Browser, shown: Shown, size_wh: tuple[int, int]
) -> None:
    table: FakeTable = shown.table
    table.play(6)
    with page_of(browser, shown, size_wh, key=shown.key) as page:
        open_last_turn(page, size_wh)
        page.wait_for_function("() => document.querySelector('.told .crop').naturalWidth > 0")
        expect(page.locator(".told")).to_contain_text("97 % sure")
        page.get_by_role("button", name="Another tile").click()
        tile = table.choices(6).tiles[3]
        page.locator(".search").fill(tile.lower())
        page.locator(".face").first.click()
        place = page.locator(".pick-dot, .placement").first
        expect(place).to_be_visible()
        if page.locator(".pick-dot").count():
            page.locator(".pick-dot").first.click()
        page.get_by_role("button", name="No piece").click()
        expect(page.locator("dialog.sheet")).to_have_count(0)
        expect(page.locator("#last-turn")).to_contain_text("Turn 6")
        assert table.view.played[5].turn.tile == tile and table.view.played[5].turn.action is None
        page.get_by_role("button", name="Undo").click()
        page.wait_for_function("() => !document.querySelector('#do-redo').disabled")
        assert table.view.played[5].turn.tile != tile


@pytest.mark.long
def test_a_ranger_is_told_on_the_map(browser: sync_api.Browser, shown: Shown) -> None:
    table: FakeTable = shown.table
    table.play(2)
    turn = next(turn for turn in table.choices(2).turns if isinstance(turn.action, MoveRanger))
    with page_of(browser, shown, LAPTOP, key=shown.key) as page:
        open_last_turn(page, LAPTOP)
        page.get_by_role("button", name="A ranger moved").click()
        assert isinstance(turn.action, MoveRanger)
        to = turn.action.to
        page.get_by_role("button", name=place_words(to), exact=True).click()
        page.locator(".fixing .answers .plain").first.click()
        expect(page.locator("dialog.sheet")).to_have_count(0)
        assert table.view.played[1].turn.action == MoveRanger(turn.action.start, to)


def test_a_turn_is_removed_and_one_is_added_by_hand(browser: sync_api.Browser, shown: Shown) -> None:
    table: FakeTable = shown.table
    table.play(3)
    with page_of(browser, shown, LAPTOP, key=shown.key) as page:
        open_last_turn(page, LAPTOP)
        page.get_by_text("Order and players").click()
        page.get_by_role("button", name="Delete this turn").click()
        expect(page.locator("#board .tile")).to_have_count(5)
        page.get_by_role("button", name="Add a turn by hand").click()
        page.locator(".face").first.click()
        page.locator(".pick-dot").first.click()
        page.get_by_role("button", name="No piece").click()
        expect(page.locator("#board .tile")).to_have_count(6)


@pytest.mark.long
def test_a_question_may_be_answered_otherwise(browser: sync_api.Browser, shown: Shown) -> None:
    shown.table.play(4)
    shown.table.ask("What was turn 5?")
    with page_of(browser, shown, PHONE, key=shown.key) as page:
        page.get_by_role("button", name="Another answer").click()
        expect(page.locator("dialog.sheet h2")).to_contain_text("Turn 5")
        expect(page.locator(".face").first).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator("dialog.sheet")).to_have_count(0)


def test_a_spectator_sees_the_picture_but_nothing_to_correct(browser: sync_api.Browser, shown: Shown) -> None:
    shown.table.play(4)
    with page_of(browser, shown, LAPTOP) as page:
        open_last_turn(page, LAPTOP)
        expect(page.locator(".told .crop")).to_be_visible()
        assert page.locator(".fixing *").count() == 0
        page.get_by_role("button", name="Close", exact=True).click()
        page.locator(".score-open").first.click()
        assert page.locator(".name-form").count() == 0


@pytest.mark.long
@SIZES
def test_the_camera_shows_what_it_recognised(
    browser: sync_api.Browser, shown: Shown, size_wh: tuple[int, int]
) -> None:
    shown.table.play(4)
    with page_of(browser, shown, size_wh) as page:
        page.get_by_role("button", name="What the camera sees").click()
        expect(page.locator(".camera-view polygon")).to_have_count(7)
        expect(page.locator(".camera-view .seen-differs")).to_have_count(1)
        shown.table.play(1)
        expect(page.locator(".camera-view polygon")).to_have_count(8)
        page.get_by_role("button", name="Back to the board").click()
        expect(page.locator("#camera-view")).to_be_hidden()


@pytest.mark.long
def test_a_seat_gets_a_name_and_a_drawn_animal_is_told(browser: sync_api.Browser, shown: Shown) -> None:
    table: FakeTable = shown.table
    color = None
    while color is None:
        before = table.view.state
        table.play(1)
        played = table.view.played[-1]
        color = next(iter(before.drawn(played.turn, played.after)), None)
    with page_of(browser, shown, PHONE, key=shown.key) as page:
        player = page.locator(f".score.ink-{color} .score-open")
        player.click()
        page.get_by_label("Name", exact=True).fill("Anouk")
        page.get_by_role("button", name="Save").click()
        expect(page.locator(f".score.ink-{color} .score-name-text")).to_have_text("Anouk")
        player.click()
        turns = page.locator(".drawn").count()
        assert turns > 0
        page.locator(".drawn").first.get_by_role("button", name="giraffe").click()
        expect(page.locator("dialog.sheet")).to_have_count(0)
        assert "giraffe" in table.view.state.hands[color]


@pytest.mark.long
@SIZES
def test_the_time_line_shows_the_table_as_it_was(
    browser: sync_api.Browser, shown: Shown, size_wh: tuple[int, int]
) -> None:
    shown.table.play(8)
    with page_of(browser, shown, size_wh) as page:
        if size_wh == PHONE:
            page.locator("#panel-handle").click()
        look_back(page, 3, 8)
        expect(page.locator("#board .tile")).to_have_count(6)
        expect(page.locator("#board-past")).to_have_text("As it was after turn 3")
        points = [str(played) for played in shown.table.view.played[2].after.scores.values()]
        expect(page.locator(".score-points")).to_have_text(points)
        shown.table.play(1)  # what happens now does not take people back
        expect(page.locator(".time-words")).to_have_text("Turn 3 of 9")
        page.get_by_role("button", name="One turn forward").click()
        expect(page.locator("#board .tile")).to_have_count(7)
        page.get_by_role("button", name="Now", exact=True).click()
        expect(page.locator("#board .tile")).to_have_count(12)
        expect(page.locator("#board-past")).to_be_hidden()


@pytest.mark.long
def test_a_late_answer_does_not_replace_the_turn_chosen_since(
    browser: sync_api.Browser, shown: Shown
) -> None:
    shown.table.play(8)
    with page_of(browser, shown, LAPTOP) as page:
        look_back(page, 3, 8)
        expect(page.locator("#board .tile")).to_have_count(6)
        late: list[sync_api.Route] = []
        page.route("**/api/state?turn=3", lambda route: late.append(route), times=1)
        with page.expect_request("**/api/state?turn=3"):
            shown.table.pause(True)
        page.get_by_role("button", name="One turn forward").click()
        expect(page.locator("#board .tile")).to_have_count(7)
        with page.expect_response("**/api/state?turn=3"):
            late[0].continue_()
        page.wait_for_function("() => new Promise((done) => setTimeout(() => done(true), 100))")
        expect(page.locator(".time-words")).to_have_text("Turn 4 of 8")
        expect(page.locator("#board .tile")).to_have_count(7)
