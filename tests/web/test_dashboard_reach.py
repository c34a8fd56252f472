"""The dashboard under a thumb: commands in reach, tiles uncovered, a board that turns, notes that agree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright import sync_api
from playwright.sync_api import expect

from engine.message import Message
from tests.web.browser import LAPTOP, PHONE, page_of, place_words, serious, tap_point
from tests.web.conftest import Shown, serving
from tests.web.fake_table import NAMES, FakeTable
from web.table.camera_status import CameraStatus
from web.table.pictures import Framing
from web.table.seats import Seat

pytestmark = pytest.mark.browser
LOST = CameraStatus("lost", Message("no picture comes from the camera"))
COMMANDS = ("#do-undo", "#do-add", "#do-end")
CLEAR = """() => {
    const box = (element) => element.getBoundingClientRect();
    const overlap = (a, b) =>
        a.right > b.left + 1 && a.left < b.right - 1 && a.bottom > b.top + 1 && a.top < b.bottom - 1;
    const over = [...document.querySelectorAll(".board-tools > :not([hidden]), .toast")].map(box);
    return [...document.querySelectorAll("#board .tile .tile-under")].map(box)
        .every((tile) => !over.some((one) => overlap(tile, one)));
}"""
LINES = """() => [...document.querySelectorAll(".hand-bar button:not(:disabled)")].map((button) => {
    const words = document.createRange();
    words.selectNodeContents(button);
    return new Set([...words.getClientRects()].map(({ top }) => top)).size;
})"""
CUT = """() => [".switch button", ".score-name-text", ".score-points", ".hand-bar button"]
    .flatMap((selector) => [...document.querySelectorAll(selector)])
    .filter((element) => {
        const { left, right } = element.getBoundingClientRect();
        const { parentElement: room } = element;
        return left < 0 || right > innerWidth + 1 || room.scrollWidth > room.clientWidth + 1;
    }).map((element) => element.textContent)"""


@pytest.fixture
def long_game() -> Iterator[Shown]:
    table = FakeTable(seed=3)
    table.play(40)
    with serving(table) as shown:
        yield shown


def in_view(page: sync_api.Page, selector: str) -> bool:
    """Whether all of an element lies within the window."""
    box, size = page.locator(selector).bounding_box(), page.viewport_size
    assert size is not None
    assert box is not None and box["height"] >= 44
    return box["y"] >= 0 and box["y"] + box["height"] <= size["height"]


@pytest.mark.parametrize("size_wh", [PHONE, (780, 360), LAPTOP])
def test_commands_stay_in_reach_however_long_the_log_is(
    browser: sync_api.Browser, long_game: Shown, size_wh: tuple[int, int]
) -> None:
    with page_of(browser, long_game, size_wh, key=long_game.key) as page:
        expect(page.locator("#do-undo")).to_be_enabled()
        assert all(in_view(page, one) for one in COMMANDS)
        if size_wh == PHONE:
            page.locator("#panel-handle").click()
        page.locator("#log-all").click()
        page.locator(".log-button").last.scroll_into_view_if_needed()
        assert all(in_view(page, one) for one in COMMANDS)
        long_game.table.ask()
        page.locator(".question").wait_for()
        assert all(in_view(page, one) for one in COMMANDS)
        assert serious(page) == []


def test_the_log_is_in_reach_while_a_question_is_open(browser: sync_api.Browser, long_game: Shown) -> None:
    with page_of(browser, long_game, (900, 520), key=long_game.key) as page:
        long_game.table.ask()
        page.locator(".question").wait_for()
        page.locator("#log-all").click()
        page.locator(".log-button").first.click()
        expect(page.locator(".log-button").first).to_have_attribute("aria-pressed", "true")


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_no_tool_and_no_note_covers_a_tile(browser: sync_api.Browser, seed: int) -> None:
    table = FakeTable(seed=seed)
    table.play(28)
    table.doubt(3, 0.5)
    with serving(table) as shown, page_of(browser, shown, PHONE, key=shown.key) as page:
        for width, height in [(320, 560), PHONE, (780, 360), LAPTOP]:
            page.set_viewport_size({"width": width, "height": height})
            page.reload()
            expect(page.locator("#to-check")).to_be_visible()
            for _ in range(4):
                page.wait_for_function(CLEAR)
                table.say(LOST)
                expect(page.locator(".toast")).to_have_count(1)
                page.wait_for_function(CLEAR)
                table.say(CameraStatus("watching"))
                expect(page.locator(".toast")).to_have_count(0)
                page.locator("#turn-board").click()


def test_a_turned_board_is_remembered_and_tapped_where_its_tiles_are(
    browser: sync_api.Browser, shown: Shown
) -> None:
    shown.table.play(6)
    last = shown.table.view.played[-1].turn
    x, y = last.cell

    def middle(page: sync_api.Page, cell: str) -> tuple[float, float]:
        # Where a turned drawing has its parts, Chromium knows a frame later.
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))")
        x, y = page.locator(f'#board .tile[data-cell="{cell}"] .tile-under').evaluate(
            "(e) => { const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; }"
        )
        return x, y

    with page_of(browser, shown, PHONE) as page:
        expect(page.locator("#board .tile")).to_have_count(9)
        before = middle(page, "0,0"), middle(page, "1,0")
        assert before[1][0] > before[0][0] and abs(before[1][1] - before[0][1]) < 1
        page.locator("#turn-board").click()
        start, east = middle(page, "0,0"), middle(page, "1,0")
        assert east[1] > start[1] and abs(east[0] - start[0]) < 1, "the east lies below now"
        page.reload()
        expect(page.locator("#board .tile")).to_have_count(9)
        assert middle(page, "1,0")[1] > middle(page, "0,0")[1] + 10
        tap_point(page, *middle(page, f"{x},{y}"))
        expect(page.locator("#tile-card")).to_contain_text("Turn 6")
        page.locator("#board").focus()
        page.keyboard.press("ArrowDown")  # appears on the last tile
        expect(page.locator("#board-at")).to_contain_text(place_words((-y, x)))
        assert serious(page) == []
        for _ in range(3):
            page.locator("#turn-board").click()
        assert middle(page, "1,0")[0] > middle(page, "0,0")[0]


def test_one_note_says_what_is_wrong_with_the_camera(browser: sync_api.Browser, shown: Shown) -> None:
    shown.table.play(2)
    with page_of(browser, shown, LAPTOP, key=shown.key) as page:
        page.locator("#camera-show").click()
        page.locator(".camera-view polygon").first.wait_for()
        expect(page.locator(".camera-last")).to_be_hidden()
        framing = Framing(True, 3, 44.0, 30.0, ("glare",), "left")
        shown.table.say(replace(LOST, framing=framing))
        expect(page.locator(".toast")).to_have_text("No picture comes from the camera")
        expect(page.locator(".camera-last")).to_be_visible()
        expect(page.locator("#camera")).to_be_hidden()
        expect(page.locator("#framing-note")).to_be_hidden()
        shown.table.end()
        shown.table.say(LOST)
        page.get_by_role("button", name="All points").click()
        for alarm in (".toast", "#camera", "#framing-note"):
            expect(page.locator(alarm).first).to_be_hidden()


def test_a_remedy_for_the_camera_shows_without_scrolling(browser: sync_api.Browser, shown: Shown) -> None:
    shown.table.play(12)
    shown.table.say(CameraStatus("watching", framing=Framing(True, 3, 44.0, 30.0, ("glare",), "left")))
    with page_of(browser, shown, PHONE, key=shown.key) as page:
        expect(page.locator("#framing-note")).to_contain_text("Glare on the left")
        assert in_view(page, "#framing-note")
        note, bar = page.locator("#framing-note").bounding_box(), page.locator("#commands").bounding_box()
        assert note is not None and bar is not None and note["y"] + note["height"] <= bar["y"]


def test_back_closes_the_log_before_it_leaves(browser: sync_api.Browser, shown: Shown) -> None:
    shown.table.play(3)
    with page_of(browser, shown, PHONE) as page:
        page.locator("#panel-handle").click()
        expect(page.locator("#panel")).to_have_attribute("data-open", "true")
        page.locator("#menu").click()
        page.go_back()
        expect(page.locator("dialog.sheet")).to_have_count(0)
        expect(page.locator("#panel")).to_have_attribute("data-open", "true")
        page.go_back()
        expect(page.locator("#panel")).to_have_attribute("data-open", "false")
        assert page.url.startswith(shown.url)
        page.locator("#panel-handle").click()
        page.locator("#panel-handle").click()
        page.wait_for_function("() => !history.state?.over")
        assert page.url.startswith(shown.url)


@pytest.mark.parametrize("size_wh", [PHONE, (640, 400), LAPTOP])
def test_five_players_in_large_letters_lose_no_word(
    browser: sync_api.Browser, size_wh: tuple[int, int]
) -> None:
    table = FakeTable(tuple(NAMES), seed=3)
    names = ("Anna-Lena", "Bo", "Maximilian", "Zoé", "Wolfgang")
    seats = zip(table.view.seats, names, strict=True)
    table.view = replace(table.view, seats=tuple(Seat(seat.color, name) for seat, name in seats))
    table.say(LOST)
    with serving(table) as shown, page_of(browser, shown, size_wh, key=shown.key, locale="de-DE") as page:
        if size_wh == LAPTOP:
            page.evaluate("document.documentElement.style.fontSize = '200%'")
        expect(page.locator("#do-add")).to_be_enabled()
        page.wait_for_timeout(100)
        assert page.evaluate(CUT) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("size_wh", [PHONE, LAPTOP])
@pytest.mark.parametrize("locale", ["de-DE", "fr-FR"])
def test_commands_in_large_letters_break_at_most_twice(
    browser: sync_api.Browser, long_game: Shown, size_wh: tuple[int, int], locale: str
) -> None:
    with page_of(browser, long_game, size_wh, key=long_game.key, locale=locale) as page:
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        expect(page.locator("#do-add")).to_be_enabled()
        expect(page.locator("#do-redo")).to_be_hidden()
        assert max(page.evaluate(LINES)) <= 3


def test_the_name_in_the_header_is_whole_in_every_language(browser: sync_api.Browser, shown: Shown) -> None:
    shown.table.play(2)
    for locale in ("en-GB", "de-DE", "fr-FR"):
        with page_of(browser, shown, PHONE, locale=locale) as page:
            for seeing in ("watching", "moving"):
                shown.table.say(CameraStatus(seeing))
                page.locator(f'#camera[data-seeing="{seeing}"]').wait_for(state="attached")
                whole = """() => {
                    const [name, brand] = [document.querySelector("h1"), document.querySelector(".brand")]
                        .map((one) => one.getBoundingClientRect());
                    return name.right <= brand.right + 1 && name.bottom <= brand.bottom + 1;
                }"""
                assert page.evaluate(whole), f"{locale}, {seeing}"
                assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize(
    ("plain", "says"), [(False, "Der Tisch antwortet nicht"), (True, "Neu geladen wäre")]
)
def test_a_table_that_is_away_is_said_to_be(
    browser: sync_api.Browser, table: FakeTable, plain: bool, says: str
) -> None:
    """Reloaded, the page tells that it waits; where the browser has no service worker (plain http), the page
    tells that it must not be reloaded."""
    context = browser.new_context(locale="de-DE", reduced_motion="reduce")
    page = context.new_page()
    if plain:
        page.add_init_script(
            "Object.defineProperty(Navigator.prototype, 'serviceWorker', { value: undefined })"
        )
    with serving(table) as shown:
        page.goto(shown.url)
        page.wait_for_selector('#connection[data-link="live"]')
        if not plain:
            page.evaluate("() => navigator.serviceWorker.ready.then(() => caches.delete('tilesight-pages'))")
    if not plain:
        page.reload()
    expect(page.locator("body")).to_contain_text(says)
    assert serious(page) == []
    context.close()
