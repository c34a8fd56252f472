"""The big screen of a living room and of a club: read from four metres, without controls."""

from __future__ import annotations

from dataclasses import replace

import httpx
import pytest
from playwright import sync_api

from tests.web.browser import serious
from tests.web.conftest import KEY, Shown, running, serving
from tests.web.fake_table import FakeTable
from tests.web.test_lobby_app import ANA_BO, FakeLobby
from tests.web.test_other_pages import quiet_page
from web.lobby_app import NewTable, TableCard, create_lobby_app

pytestmark = pytest.mark.browser
expect = sync_api.expect
SCREENS_WH = ((1280, 800), pytest.param((1920, 1080), marks=pytest.mark.long))
LETTERS = """() => [...document.querySelectorAll("h1, h2, p, li span, strong")]
    .filter((one) => one.offsetParent && one.textContent && !one.closest(".hidden"))
    .map((one) => parseFloat(getComputedStyle(one).fontSize) / innerHeight)"""
CONTROLS = 'a, button, input, select, [tabindex]:not([tabindex="-1"])'
SMALLEST_LETTER = 0.04
"""Height of a letter as a part of the screen's, at least: 27 mm on a screen of 55 inches."""


@pytest.mark.parametrize("size_wh", SCREENS_WH)
def test_a_game_is_followed_to_its_winner(browser: sync_api.Browser, size_wh: tuple[int, int]) -> None:
    table = FakeTable(("red", "blue", "yellow", "green", "black"))
    table.play(24)
    with serving(table) as shown, quiet_page(browser, size_wh, f"{shown.url}/tv") as page:
        expect(page.locator(".tile")).to_have_count(27)
        expect(page.locator("#last-turn")).to_contain_text("Turn 24")
        expect(page.locator('.tv-score[data-turn="true"]')).to_contain_text("Edda")
        assert page.locator(CONTROLS).count() == 0
        assert min(page.evaluate(LETTERS)) > SMALLEST_LETTER
        table.ask()
        expect(page.locator("#tv-notice")).to_have_text("There is a question on your phones.")
        assert serious(page) == []
        table.answer(table.asked[0].id, "a")
        expect(page.locator("#tv-notice")).to_be_hidden()
        table.end()
        expect(page.locator("#tv-winner h2")).to_be_visible()
        final = table.view.final
        assert final is not None
        best_first = sorted(final.scores.values(), reverse=True)
        expect(page.locator(".tv-score strong")).to_have_text([str(n) for n in best_first])
        page.emulate_media(color_scheme="dark", reduced_motion="reduce")
        assert serious(page) == []
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
        assert min(page.evaluate(LETTERS)) > SMALLEST_LETTER
        for box in page.locator(".tv-score").all():
            place = box.bounding_box()
            assert place is not None and place["y"] + place["height"] <= size_wh[1]


def test_a_turn_is_shown_where_the_early_request_comes_late(browser: sync_api.Browser, shown: Shown) -> None:
    shown.table.play(1)
    page = browser.new_page()
    held: list[sync_api.Route] = []
    page.route("**/early.js", lambda route: held.append(route))
    page.goto(f"{shown.url}/tv", wait_until="commit")
    expect(page.locator("#last-turn")).to_contain_text("Turn 1")
    held[0].continue_()
    page.wait_for_load_state("load")
    page.evaluate("Promise.all(Object.values(globalThis.asked))")  # answered before the next turn
    shown.table.play(1)
    expect(page.locator("#last-turn")).to_contain_text("Turn 2")
    page.close()


def test_the_address_says_the_language(browser: sync_api.Browser, shown: Shown) -> None:
    shown.table.play(1)
    with quiet_page(browser, (1280, 800), f"{shown.url}/tv?lang=de") as page:
        expect(page.locator("#last-turn")).to_contain_text("Zug 1")


def test_it_may_be_shown_in_a_frame_and_the_dashboard_may_not(shown: Shown) -> None:
    frames = [
        httpx.get(f"{shown.url}{path}").headers["content-security-policy"].split("frame-ancestors ")[1]
        for path in ("/tv", "/")
    ]
    assert [one.split(";")[0] for one in frames] == ["http: https:", "'none'"]


@pytest.mark.long
def test_the_tables_of_a_club_are_shown_in_turn(browser: sync_api.Browser) -> None:
    lobby, one, other = FakeLobby(), FakeTable(), FakeTable(("yellow", "green"))
    one.play(3)
    other.play(2)
    with (
        serving(one) as first,
        serving(other) as second,
        running(create_lobby_app(lobby, key=KEY)) as url,
        quiet_page(browser, (1280, 800), f"{url}/tv#key={KEY}&seconds=3") as page,
    ):
        expect(page.locator("#said")).to_have_text("No game is being watched.")
        assert serious(page) == []
        asked = NewTable("savanna", ANA_BO, "0")
        for number, shown in enumerate((first, second)):
            card = TableCard(f"t{number}", asked, "safari", "running", url=f"{shown.url}/#key=secret")
            lobby.cards[card.id] = card
        page.reload()
        seen = page.frame_locator('iframe[data-shown="true"]')
        expect(seen.locator("#last-turn")).to_contain_text("Turn 3")
        assert "secret" not in page.content()
        expect(seen.locator("#last-turn")).to_contain_text("Turn 2")
        lobby.cards["t1"] = replace(lobby.cards["t1"], phase="ended")
        expect(page.locator("iframe")).to_have_count(1)
        expect(seen.locator("#last-turn")).to_contain_text("Turn 3")


def test_without_the_lobbys_key_nothing_is_shown(browser: sync_api.Browser) -> None:
    with (
        running(create_lobby_app(FakeLobby(), key=KEY)) as url,
        quiet_page(browser, (1280, 800), f"{url}/tv") as page,
    ):
        expect(page.locator("#said")).to_contain_text("with its key")
