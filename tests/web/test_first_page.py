"""The lobby's first page in a real browser: every beginning is one tap away, a table opens by itself."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from playwright import sync_api

from engine.message import Message
from engine.pack import Pack
from tests.web.browser import PHONE, SIZES_WH, serious
from tests.web.conftest import KEY, running, serving
from tests.web.fake_table import FakeTable
from tests.web.test_lobby_app import ANA_BO, FakeLobby
from tests.web.test_lobby_enrolment import PACK, FakeEnrolments
from tests.web.test_other_pages import quiet_page
from web.lobby_app import NewTable, create_lobby_app
from web.lobby_print import PaperName
from web.table.refusal import Refusal

pytestmark = pytest.mark.browser
expect = sync_api.expect


def drawn(pack: Pack, paper: PaperName) -> bytes:
    """A deck that is drawn at once."""
    if paper == "a3":
        raise Refusal("no_sheets", Message("a picture is missing"))
    return f"%PDF {pack.id} {paper}".encode()


def beginning() -> FakeLobby:
    """A lobby whose tables take their time to start."""
    lobby = FakeLobby()
    lobby.phase, lobby.url = "starting", None
    return lobby


@pytest.mark.parametrize("size_wh", SIZES_WH)
def test_every_way_to_begin_is_one_tap_away(browser: sync_api.Browser, size_wh: tuple[int, int]) -> None:
    lobby = beginning()
    app = create_lobby_app(lobby, key=KEY, printer=drawn, enrolments=FakeEnrolments())
    with running(app) as url, quiet_page(browser, size_wh, f"{url}/#key={KEY}", refused=True) as page:
        expect(page.get_by_role("link", name="Score a photograph", exact=True)).to_have_attribute(
            "href", f"/photo#key={KEY}"
        )
        for scheme in ("dark", "light"):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            assert serious(page) == []
        close = page.locator("dialog[open]").get_by_role("button", name="Close")
        page.get_by_role("button", name="Help", exact=True).click()
        expect(page.locator("#start li")).to_have_count(6)
        assert serious(page) == []
        close.click()
        page.get_by_role("button", name="Print a deck", exact=True).click()
        deck = page.locator("#start").get_by_role("button", name="Savanna")
        expect(page.locator(".start-choices button")).to_have_count(1)  # the other has no pictures to print
        page.get_by_label("Paper").select_option("letter")
        with page.expect_download() as waiting:
            deck.click()
        assert waiting.value.suggested_filename == "savanna-letter.pdf"
        assert Path(waiting.value.path()).read_bytes() == b"%PDF savanna letter"
        expect(page.locator("#start [role=status]")).to_contain_text("saved with your downloads")
        assert serious(page) == []
        page.get_by_label("Paper").select_option("a3")
        deck.click()
        expect(page.locator("#start [role=status]")).to_contain_text("does not fit on that paper")
        close.click()
        page.get_by_role("button", name="Use tiles you own", exact=True).click()
        expect(page.locator(".start-choices button")).to_have_count(1)
        assert serious(page) == []
        page.locator(".start-choices button").click()
        expect(page.locator("#enrol-title")).to_contain_text("Hunters and Gatherers")
        close.click()
        page.get_by_role("button", name="Watch a sample game", exact=True).click()
        assert serious(page) == []
        page.get_by_role("button", name="First light").click()
        expect(page.get_by_role("heading", name="The table is being prepared")).to_be_visible()
        assert lobby.cards["table-0"].asked == NewTable("savanna", ANA_BO, "/s", None)


def test_an_empty_lobby_says_how_to_begin(browser: sync_api.Browser) -> None:
    with (
        running(create_lobby_app(FakeLobby(), key=KEY)) as url,
        quiet_page(browser, PHONE, f"{url}/#key={KEY}") as page,
    ):
        expect(page.locator("#nothing")).to_contain_text("“New table” begins one")


@pytest.mark.parametrize(("locale", "help_"), [("de-DE", "Hilfe"), ("fr-FR", "Aide")])
def test_the_first_page_in_other_languages(browser: sync_api.Browser, locale: str, help_: str) -> None:
    with running(create_lobby_app(FakeLobby(), key=KEY)) as url:
        page = browser.new_page(locale=locale)
        page.goto(f"{url}/#key={KEY}")
        page.get_by_role("button", name=help_, exact=True).click()
        expect(page.locator("#start li")).to_have_count(6)
        assert "undefined" not in page.locator("body").inner_text()
        page.close()


def test_a_table_opens_by_itself_and_back_leads_to_the_lobby(browser: sync_api.Browser) -> None:
    lobby, table = beginning(), FakeTable()
    with (
        running(create_lobby_app(lobby, key=KEY)) as url,
        serving(table) as shown,
        quiet_page(browser, PHONE, f"{url}/#key={KEY}") as page,
    ):
        page.get_by_role("button", name="New table", exact=True).click()
        page.get_by_label("Desk camera").check()
        page.get_by_role("button", name="Begin the game").click()
        expect(page.locator("#opening progress")).to_be_visible()
        card = lobby.cards["table-0"]
        lobby.cards["table-0"] = replace(card, phase="running", url=f"{shown.url}/#key={KEY}")
        expect(page.locator('#connection[data-link="live"]')).to_be_visible()
        assert page.url.startswith(shown.url)
        page.go_back()
        expect(page.locator(".lobby-card")).to_have_attribute("data-phase", "running")
        expect(page.locator("dialog[open]")).to_have_count(0)
        assert page.url == f"{url}/#key={KEY}"


def test_an_address_that_asks_for_a_table_asks_once(browser: sync_api.Browser) -> None:
    lobby = beginning()
    lobby.begin(NewTable("savanna", ANA_BO, "0"))
    with (
        running(create_lobby_app(lobby, key=KEY)) as url,
        quiet_page(browser, PHONE, f"{url}/#key={KEY}&open=table-0") as page,
    ):
        expect(page.get_by_role("heading", name="The table is being prepared")).to_be_visible()
        assert page.url == f"{url}/#key={KEY}"


def test_a_table_that_cannot_be_started_says_why(browser: sync_api.Browser) -> None:
    lobby = beginning()
    with (
        running(create_lobby_app(lobby, key=KEY)) as url,
        quiet_page(browser, PHONE, f"{url}/#key={KEY}") as page,
    ):
        page.get_by_role("button", name="Watch a sample game").click()
        page.get_by_role("button", name="First light").click()
        expect(page.locator("#opening progress")).to_be_visible()
        lobby.cards["table-0"] = replace(lobby.cards["table-0"], phase="failed", message="no such camera")
        expect(page.locator("#opening [role=alert]")).to_have_text(
            re.compile("no such camera", re.IGNORECASE)
        )
        assert serious(page) == []
        page.locator("#opening").get_by_role("button", name="Change and try again").click()
        expect(page.locator("#form")).to_be_visible()


def test_a_phone_that_films_gets_its_code_before_the_table_opens(browser: sync_api.Browser) -> None:
    lobby, table = beginning(), FakeTable()
    with (
        running(create_lobby_app(lobby, key=KEY)) as url,
        serving(table) as shown,
        quiet_page(browser, PHONE, f"{url}/#key={KEY}") as page,
    ):
        page.get_by_role("button", name="New table", exact=True).click()
        page.locator("#form").get_by_label("A phone as the camera").check()
        page.get_by_role("button", name="Begin the game").click()
        expect(page.locator("#opening progress")).to_be_visible()
        films = "https://127.0.0.1:9/camera#key=x"
        lobby.cards["table-0"] = replace(
            lobby.cards["table-0"], phase="running", url=f"{shown.url}/#key={KEY}", camera_url=films
        )
        expect(page.locator("#opening svg[role=img]")).to_be_visible()
        expect(page.get_by_role("link", name=films)).to_be_visible()
        assert serious(page) == []
        page.get_by_role("button", name="Open the table").click()
        expect(page.locator('#connection[data-link="live"]')).to_be_visible()


@pytest.mark.parametrize("asked", ["yes", PACK])
def test_the_address_of_another_page_opens_the_sheet_of_enrolment(
    browser: sync_api.Browser, asked: str
) -> None:
    with (
        running(create_lobby_app(FakeLobby(), key=KEY, enrolments=FakeEnrolments())) as url,
        quiet_page(browser, PHONE, f"{url}/#key={KEY}&enrol={asked}") as page,
    ):
        if asked == "yes":
            expect(page.locator("#start-sheet-title")).to_have_text("Use tiles you own")
            page.locator(".start-choices button").click()
        expect(page.locator("#enrol-title")).to_contain_text("Hunters and Gatherers")
        assert page.url == f"{url}/#key={KEY}"
