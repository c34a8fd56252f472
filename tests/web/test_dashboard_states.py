"""The dashboard in states that are seldom tried: many players, large letters, a turned phone, keys alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright import sync_api

from engine.message import Message
from tests.web.browser import LAPTOP, PHONE, page_of
from tests.web.conftest import Shown, serving
from tests.web.fake_table import NAMES, FakeTable
from web.table.camera_status import CameraStatus
from web.table.question import Question
from web.table.seats import Seat

pytestmark = [pytest.mark.browser, pytest.mark.long]
expect = sync_api.expect
ON_ITS_SIDE = (780, 360)
OVERLAP = """const overlap = (a, b) =>
    a.right > b.left + 1 && a.left < b.right - 1 && a.bottom > b.top + 1 && a.top < b.bottom - 1;
const box = (element) => element.getBoundingClientRect();"""
COVERED = f"""() => {{
    {OVERLAP}
    return [...document.querySelectorAll(".score")].filter((card) => {{
        const points = box(card.querySelector(".score-points"));
        const room = box(card.querySelector(".score-supply"));
        return [...card.querySelectorAll(".score-supply :is(svg, img, .token, .count)")].map(box)
            .filter((part) => part.width && part.left < room.right)
            .some(({{ left, right, top, bottom }}) =>
                overlap({{ left, top, bottom, right: Math.min(right, room.right) }}, points));
    }}).map((card) => card.textContent);
}}"""
CLEAR = f"""() => {{
    {OVERLAP}
    const tiles = [...document.querySelectorAll("#board .tile .tile-under")].map(box);
    return tiles.length > 3 && ![...document.querySelectorAll(".board-tools, .toast")].map(box)
        .some((over) => tiles.some((tile) => overlap(tile, over)));
}}"""


@pytest.fixture
def five() -> Iterator[Shown]:
    table = FakeTable(tuple(NAMES), seed=3)
    table.play(10)
    long = [Seat(seat.color, f"{seat.name}-Katharina the Great") for seat in table.view.seats]
    table.view = replace(table.view, seats=tuple(long))
    with serving(table) as shown:
        yield shown


@pytest.mark.parametrize("size_wh", [PHONE, ON_ITS_SIDE, LAPTOP])
@pytest.mark.parametrize("letters", ["100%", "200%"])
def test_five_players_see_their_points(
    browser: sync_api.Browser, five: Shown, size_wh: tuple[int, int], letters: str
) -> None:
    with page_of(browser, five, size_wh, locale="de-DE") as page:
        page.evaluate("(size) => { document.documentElement.style.fontSize = size; }", letters)
        expect(page.locator(".score")).to_have_count(5)
        assert page.evaluate(COVERED) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        menu = page.locator("#menu").bounding_box()
        assert menu is not None and menu["width"] >= 44 and menu["x"] + menu["width"] <= size_wh[0]


@pytest.mark.parametrize("size_wh", [PHONE, ON_ITS_SIDE, LAPTOP])
def test_nothing_stands_over_the_tiles(
    browser: sync_api.Browser, five: Shown, size_wh: tuple[int, int]
) -> None:
    table = five.table
    table.say(CameraStatus("lost", Message("no picture comes from the camera")))
    with page_of(browser, five, size_wh, locale="de-DE") as page:
        expect(page.locator(".toast")).to_have_count(1)
        expect(page.locator(".toast")).to_contain_text("Es kommt kein Bild von der Kamera")
        page.wait_for_function(CLEAR)
        width, height = size_wh
        page.set_viewport_size({"width": height, "height": width})  # the screen is turned
        page.wait_for_function(CLEAR)
        table.end()
        expect(page.locator(".toast")).to_have_count(0)


def test_a_message_without_a_translation_is_left_out(browser: sync_api.Browser, shown: Shown) -> None:
    shown.table.say(CameraStatus("lost", Message("something nobody translated")))
    with page_of(browser, shown, PHONE, locale="fr-FR") as page:
        expect(page.locator(".toast")).to_have_text("La caméra ne voit pas de plateau")


def test_keys_walk_over_the_tiles_and_open_one(browser: sync_api.Browser, shown: Shown) -> None:
    shown.table.play(4)
    with page_of(browser, shown, LAPTOP) as page:
        expect(page.locator("#board .tile")).to_have_count(7)
        page.locator("#board").focus()
        page.keyboard.press("ArrowLeft")
        expect(page.locator(".cursor-line")).to_have_count(1)
        first = page.locator("#board-at").text_content()
        seen = set()
        for key in ("ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown"):
            page.keyboard.press(key)
            seen.add(page.locator("#board-at").text_content())
        assert first and seen - {first}
        page.keyboard.press("Enter")
        expect(page.locator("#tile-card")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator("#tile-card")).to_be_hidden()


def test_back_closes_what_is_open_and_nothing_else(browser: sync_api.Browser, shown: Shown) -> None:
    shown.table.play(3)
    with page_of(browser, shown, PHONE, key=shown.key) as page:
        for _ in range(2):
            page.locator("#menu").click()
            expect(page.locator("dialog.sheet")).to_be_visible()
            page.go_back()
            expect(page.locator("dialog.sheet")).to_have_count(0)
            page.locator("#menu").click()
            page.locator("dialog.sheet .sheet-head .tool").click()
            expect(page.locator("dialog.sheet")).to_have_count(0)
            page.wait_for_function("() => !history.state?.over")
        assert page.url.startswith(shown.url)
        shown.table.end()
        expect(page.locator("dialog.ending")).to_be_visible()
        page.go_back()
        expect(page.locator("dialog.ending")).to_have_count(0)


def test_a_long_title_cuts_itself_and_not_the_name(browser: sync_api.Browser, shown: Shown) -> None:
    shown.table.play(3)
    shown.table.view = replace(shown.table.view, title="Carcassonne: Jäger und Sammler am Sonntag")
    for size_wh in (PHONE, LAPTOP):
        with page_of(browser, shown, size_wh, locale="fr-FR") as page:
            expect(page.locator(".brand h1")).to_be_visible()
            seen = page.evaluate("""() => {
                const room = document.querySelector(".brand").getBoundingClientRect();
                const name = document.querySelector(".brand h1").getBoundingClientRect();
                return name.right <= room.right + 1 && name.bottom <= room.bottom + 1;
            }""")
            assert seen, size_wh


@pytest.mark.parametrize("letters", ["100%", "200%"])
def test_the_mark_of_the_player_to_move_leaves_the_name_free(
    browser: sync_api.Browser, five: Shown, letters: str
) -> None:
    with page_of(browser, five, PHONE) as page:
        page.evaluate("(size) => { document.documentElement.style.fontSize = size; }", letters)
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))")
        below_px = page.evaluate("""() => {
            const card = document.querySelector('.score[data-turn="true"]');
            const mark = card.querySelector(".score-turn").getBoundingClientRect();
            return card.querySelector(".score-name-text").getBoundingClientRect().top - mark.bottom;
        }""")
        assert below_px > -6  # letters begin some pixels below the top of their line


def test_an_order_of_three_turns_is_given_without_scrolling(browser: sync_api.Browser) -> None:
    table = FakeTable(tuple(NAMES), seed=3)
    table.play(10)
    table.asked = (Question("q9", Message("In which order?"), (), turn_no=8, order=(8, 9, 10)),)
    with serving(table) as five, page_of(browser, five, LAPTOP, key=five.key) as page:
        expect(page.get_by_role("button", name="That is the order")).to_be_visible()
        free_px = page.evaluate("""() => {
            const last = [...document.querySelectorAll(".order-cards > *")].at(-1).getBoundingClientRect();
            const all = [...document.querySelectorAll(".question button")];
            const button = all.find((one) => one.textContent.includes("That is the order"));
            return button.getBoundingClientRect().top - last.bottom;
        }""")
        assert free_px >= -1
