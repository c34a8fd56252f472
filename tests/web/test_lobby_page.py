"""The lobby in a real browser: a table is begun by taps alone, and gone on with."""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import quote

import pytest
from playwright import sync_api

from tests.web.browser import PHONE, SIZES_WH, serious
from tests.web.conftest import KEY, running, serving
from tests.web.fake_table import FakeTable
from tests.web.test_lobby_app import SAFARI, FakeLobby
from tests.web.test_other_pages import quiet_page
from web.lobby_app import NewTable, create_lobby_app

pytestmark = pytest.mark.browser
expect = sync_api.expect


@pytest.mark.parametrize("size_wh", SIZES_WH)
def test_a_table_is_begun_stopped_and_taken_up(browser: sync_api.Browser, size_wh: tuple[int, int]) -> None:
    lobby = FakeLobby()
    lobby.phase, lobby.url = "starting", None
    with (
        running(create_lobby_app(lobby, key=KEY)) as url,
        quiet_page(browser, size_wh, f"{url}/#key={KEY}") as page,
    ):
        expect(page.locator("#nothing")).to_be_visible()
        expect(page.locator("#share")).to_be_enabled()  # while it is not, it is paler
        assert serious(page) == []
        page.get_by_role("button", name="New table").click()
        # The usual colours, by the names that played them last; a third player; one goes first.
        names = page.get_by_label("Name", exact=True)
        expect(names).to_have_count(2)
        expect(names.first).to_have_value("Zoe")
        page.get_by_role("button", name="One more player").click()
        names.nth(2).fill("Ida")
        page.get_by_role("button", name="Earlier in turn order: Ida").click()
        page.get_by_label("Another: a folder").check()
        page.get_by_label("Folder, file or address").fill("/pictures")
        assert serious(page) == []
        page.get_by_role("button", name="Begin the game").click()
        expect(page.get_by_role("heading", name="The table is being prepared")).to_be_visible()
        assert serious(page) == []
        page.get_by_role("button", name="Stay here").click()
        card = page.locator(".lobby-card")
        expect(card).to_have_attribute("data-phase", "starting")
        lobby.cards["table-0"] = replace(
            lobby.cards["table-0"], phase="running", url="http://127.0.0.1/#key=x"
        )
        expect(card).to_have_attribute("data-phase", "running")
        asked = lobby.cards["table-0"].asked
        players = (("yellow", "Zoe"), ("green", "Ida"), ("red", "red"))
        assert asked == NewTable("savanna", players, "/pictures", None)
        expect(page.get_by_role("link", name="Open")).to_have_attribute(
            "href", re.compile("^http://127.0.0.1/#key=x&lobby=")
        )
        page.get_by_role("button", name="Stop watching").click()
        expect(card).to_have_attribute("data-phase", "sleeping")
        page.get_by_role("button", name="Continue this game").click()
        page.locator("#form").get_by_label("Desk camera").check()
        page.locator("#form").get_by_role("button", name="Continue this game").click()
        page.get_by_role("button", name="Stay here").click()
        expect(card).to_have_attribute("data-phase", "running")
        assert lobby.cards["table-0"].asked.camera == "0"


def test_a_sample_brings_its_game_and_players(browser: sync_api.Browser) -> None:
    lobby = FakeLobby()
    lobby.phase, lobby.url = "starting", None
    with (
        running(create_lobby_app(lobby, key=KEY)) as url,
        quiet_page(browser, PHONE, f"{url}/#key={KEY}") as page,
    ):
        page.get_by_role("button", name="New table").click()
        page.get_by_label("Sample game: First light").check()
        page.get_by_role("button", name="Begin the game").click()
        page.get_by_role("button", name="Stay here").click()
        expect(page.locator(".lobby-card")).to_contain_text("Ana")
        assert lobby.cards["table-0"].asked.camera == "/s"
        # Its points are told, and once it is over it is put away.
        running_card = replace(lobby.cards["table-0"], phase="running", url="http://127.0.0.1/#key=x")
        lobby.cards["table-0"] = replace(running_card, over=True, points={"red": 41, "blue": 27})
        expect(page.locator(".lobby-players")).to_have_text("Ana 41Bo 27")
        expect(page.get_by_role("button", name="Put away")).to_have_count(1)
        expect(page.get_by_role("button", name="Stop watching")).to_have_count(0)
        # Played again with the other order.
        page.get_by_role("button", name="Play again").click()
        expect(page.get_by_label("Name", exact=True).first).to_have_value("Bo")


def test_the_players_of_a_sample_do_not_stay_in_the_form(browser: sync_api.Browser) -> None:
    with (
        running(create_lobby_app(FakeLobby(), key=KEY)) as url,
        quiet_page(browser, PHONE, f"{url}/#key={KEY}") as page,
    ):
        page.get_by_role("button", name="New table").click()
        names = page.get_by_label("Name", exact=True)
        page.get_by_label("Sample game: First light").check()
        expect(names.first).to_have_value("Ana")
        page.locator("#form").get_by_label("Desk camera").check()
        expect(names.first).to_have_value("Zoe")
        expect(names.nth(1)).to_have_value("")


@pytest.mark.parametrize("name", ["zoe", "M" * 60, "A, B"])
def test_a_wrong_name_is_said_at_its_field_and_begins_nothing(browser: sync_api.Browser, name: str) -> None:
    lobby = FakeLobby()
    with (
        running(create_lobby_app(lobby, key=KEY)) as url,
        quiet_page(browser, PHONE, f"{url}/#key={KEY}") as page,
    ):
        page.get_by_role("button", name="New table").click()
        field = page.get_by_label("Name", exact=True).nth(1)
        field.fill(name)
        expect(page.locator('.name-fault[data-fault="true"]').last).to_be_visible()
        page.get_by_role("button", name="Begin the game").click()
        expect(field).to_have_value(name)
        assert lobby.cards == {}
        assert serious(page) == []


def test_a_table_is_begun_with_consent_to_keep_labels(browser: sync_api.Browser) -> None:
    lobby = FakeLobby()
    lobby.phase, lobby.url = "starting", None
    with (
        running(create_lobby_app(lobby, key=KEY)) as url,
        quiet_page(browser, PHONE, f"{url}/#key={KEY}") as page,
    ):
        page.get_by_role("button", name="New table").click()
        box = page.get_by_role("checkbox", name="Let tilesight learn use")
        expect(box).not_to_be_checked()
        box.check()
        page.get_by_role("button", name="One more player").click()  # the form is drawn again
        expect(box).to_be_checked()
        assert serious(page) == []
        page.get_by_role("button", name="Begin the game").click()
        expect(page.locator(".lobby-card")).to_have_count(1)
        assert lobby.cards["table-0"].asked.keep_labels


def test_no_further_player_is_offered_when_all_colours_play(browser: sync_api.Browser) -> None:
    with (
        running(create_lobby_app(FakeLobby(), key=KEY)) as url,
        quiet_page(browser, PHONE, f"{url}/#key={KEY}") as page,
    ):
        page.get_by_role("button", name="New table").click()
        more, rows = page.get_by_role("button", name="One more player"), page.locator(".lobby-row")
        for _ in range(len(SAFARI.colors) - rows.count()):
            more.click()
        expect(more).to_have_count(0)
        expect(page.locator("#form-players")).not_to_contain_text("null")


def test_a_colour_of_another_player_changes_places_with_it(browser: sync_api.Browser) -> None:
    with (
        running(create_lobby_app(FakeLobby(), key=KEY)) as url,
        quiet_page(browser, PHONE, f"{url}/#key={KEY}") as page,
    ):
        page.get_by_role("button", name="New table").click()
        names, colors = page.get_by_label("Name", exact=True), page.get_by_label("Colour", exact=True)
        expect(names.first).to_have_value("Zoe")  # yellow, as the last time
        expect(names.nth(1)).to_have_attribute("placeholder", "Red")
        colors.first.select_option("red")
        expect(colors.first).to_have_value("red")
        expect(colors.nth(1)).to_have_value("yellow")
        expect(names.first).to_have_value("Zoe")
        expect(names.nth(1)).to_have_attribute("placeholder", "Yellow")  # without a name
        colors.nth(1).select_option("green")
        expect(names.nth(1)).to_have_attribute("placeholder", "Green")
        expect(colors.first).to_have_value("red")


def test_without_its_key_it_says_so(browser: sync_api.Browser) -> None:
    with (
        running(create_lobby_app(FakeLobby(), key=KEY)) as url,
        quiet_page(browser, PHONE, f"{url}/") as page,
    ):
        expect(page.locator("#said")).to_contain_text("with its key")
        expect(page.get_by_role("button", name="New table")).to_be_disabled()


def test_a_table_opened_from_the_lobby_leads_back_and_to_a_rematch(browser: sync_api.Browser) -> None:
    lobby, table = FakeLobby(), FakeTable()
    lobby.phase, lobby.url = "starting", None
    table.play(5)
    table.end()
    with (
        running(create_lobby_app(lobby, key=KEY)) as url,
        serving(table) as shown,
        quiet_page(browser, PHONE, f"{url}/#key={KEY}") as page,
    ):
        page.get_by_role("button", name="New table").click()
        page.get_by_label("Sample game: First light").check()
        page.get_by_role("button", name="Begin the game").click()
        page.get_by_role("button", name="Stay here").click()
        expect(page.locator(".lobby-card")).to_have_count(1)
        page.goto(f"{shown.url}/#key={KEY}&lobby={quote(f'{url}/#key={KEY}', safe='')}&table=table-0")
        page.get_by_role("button", name="Settings").click()
        expect(page.get_by_role("link", name="All tables")).to_have_attribute("href", f"{url}/#key={KEY}")
        assert serious(page) == []
        page.keyboard.press("Escape")
        page.get_by_role("link", name="Play again").click()
        expect(page.get_by_label("Name", exact=True).first).to_have_value("Bo")
