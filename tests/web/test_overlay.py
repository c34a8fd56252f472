"""The overlay of a stream: a transparent page without scroll bars that follows the table through outages."""

from __future__ import annotations

import io
from typing import Any

import httpx
import pytest
from PIL import Image
from playwright import sync_api

from tests.web.browser import serious
from tests.web.conftest import Shown, serving
from tests.web.fake_table import FakeTable
from tests.web.test_other_pages import quiet_page

pytestmark = pytest.mark.browser
expect = sync_api.expect
SIZES_WH = ((1920, 120), (400, 300), (3840, 2160))
LONG = "Annabelle-Wilhelmina von Stern"
"""A name as long as names may be."""
LAYOUTS = ("bar", "board", "card")
OUTSIDE = """() => [...document.querySelectorAll(".tv-score, .tv-score strong, #last-turn, .says")]
    .filter((one) => one.offsetParent)
    .map((one) => one.getBoundingClientRect())
    .filter((box) => box.left < 0 || box.right > innerWidth || box.top < 0 || box.bottom > innerHeight)
    .length"""
SCROLLS = """() => [document.documentElement, document.body]
    .some((one) => one.scrollWidth > innerWidth || one.scrollHeight > innerHeight)"""
OLD = 'for (const name of ["toSorted", "toReversed", "toSpliced", "with"]) delete Array.prototype[name];'
"""Takes away what lists can do in browsers since 2023 only."""
CARD = """() => getComputedStyle(document.querySelector(".tv-side")).backgroundColor"""
HIDES = """(state) => {
    Object.defineProperty(document, "visibilityState", { get: () => state, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
}"""


def alphas(page: sync_api.Page) -> Image.Image:
    """The opacity of each pixel of a page, as software for streams receives it."""
    picture = Image.open(io.BytesIO(page.screenshot(omit_background=True)))
    return picture.convert("RGBA").getchannel("A")


@pytest.fixture(scope="module")
def five() -> Any:
    table = FakeTable(("red", "blue", "yellow", "green", "black"))
    table.play(24)
    for color in ("blue", "black"):
        table.seat(color, LONG)
    with serving(table) as shown:
        yield shown


@pytest.mark.parametrize("size_wh", SIZES_WH)
def test_every_layout_is_transparent_and_whole_at_every_size(
    browser: sync_api.Browser, five: Shown, size_wh: tuple[int, int]
) -> None:
    for layout in LAYOUTS:
        with quiet_page(browser, size_wh, f"{five.url}/overlay?layout={layout}") as page:
            expect(page.locator("#last-turn")).to_contain_text("Turn 24")
            expect(page.locator('.tv-score[data-turn="true"]')).to_contain_text(LONG)
            expect(page.locator("#board .tile")).to_have_count(27 if layout == "board" else 0)
            assert not page.evaluate(SCROLLS) and page.evaluate(OUTSIDE) == 0, layout
            assert page.locator("a, button, input, select").count() == 0
            opacity = alphas(page)
            assert opacity.getpixel((size_wh[0] - 1, 0)) == 0, layout
            assert opacity.getextrema() == (0, 255), layout


def test_themes_are_those_of_the_address_and_not_of_the_device(
    browser: sync_api.Browser, five: Shown
) -> None:
    cards = {}
    for theme in ("dark", "light", "clear", "other"):
        with quiet_page(browser, (1280, 800), f"{five.url}/overlay?theme={theme}&lang=de") as page:
            page.emulate_media(color_scheme="light" if theme == "dark" else "dark", reduced_motion="reduce")
            expect(page.locator("#last-turn")).to_contain_text("Zug 24")
            cards[theme] = page.evaluate(
                'getComputedStyle(document.querySelector(".tv-side")).backgroundColor'
            )
            assert alphas(page).getpixel((1279, 0)) == 0, theme
            if theme != "clear":
                assert serious(page) == [], theme
    assert cards["other"] == cards["dark"] != cards["light"]
    assert cards["clear"] == "rgba(0, 0, 0, 0)"


def test_it_shows_what_happened_while_it_was_hidden_or_away(browser: sync_api.Browser, shown: Shown) -> None:
    shown.table.play(2)
    with quiet_page(browser, (1920, 120), f"{shown.url}/overlay") as page:
        expect(page.locator("#last-turn")).to_contain_text("Turn 2")
        page.evaluate(HIDES, "hidden")
        shown.table.play(2)
        page.evaluate(HIDES, "visible")
        expect(page.locator("#last-turn")).to_contain_text("Turn 4")
        page.reload()
        expect(page.locator("#last-turn")).to_contain_text("Turn 4")
        scores = page.locator(".tv-score strong").all_text_contents()
        assert scores == [str(shown.table.view.state.scores[color]) for color in ("red", "blue")]


def test_it_comes_back_after_the_network_fell_away(browser: sync_api.Browser, shown: Shown) -> None:
    shown.table.play(1)
    page = browser.new_page(viewport={"width": 1920, "height": 120})
    page.goto(f"{shown.url}/overlay")
    expect(page.locator("#last-turn")).to_contain_text("Turn 1")
    page.context.set_offline(True)
    shown.table.play(1)  # its event meets a stream that is cut
    expect(page.locator("#tv-notice")).to_be_visible()
    shown.table.play(1)
    page.context.set_offline(False)
    expect(page.locator("#last-turn")).to_contain_text("Turn 3")
    expect(page.locator("#tv-notice")).to_be_hidden()
    page.close()


def test_it_runs_in_the_older_browsers_of_programs_for_streams(
    browser: sync_api.Browser, shown: Shown
) -> None:
    shown.table.play(9)
    page = browser.new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    wrong: list[str] = []
    page.on("console", lambda said: wrong.append(said.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.add_init_script(OLD)
    page.goto(f"{shown.url}/overlay?layout=board")
    expect(page.locator("#board .tile")).to_have_count(12)
    shown.table.end()
    expect(page.locator("#tv-winner h2")).to_be_visible()
    page.close()
    assert wrong == [], wrong


def test_it_needs_no_key_and_keeps_the_strict_policy(shown: Shown) -> None:
    answer = httpx.get(f"{shown.url}/overlay")
    assert answer.status_code == 200 and shown.key not in answer.text
    policy = answer.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy and "unsafe" not in policy
