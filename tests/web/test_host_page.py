"""A host's changes to a table in a browser, and the pages of players and spectators after them."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from playwright import sync_api
from playwright.sync_api import expect

from engine.message import Message
from tests.web.browser import LAPTOP, PHONE, page_of, serious
from tests.web.conftest import Shown, running
from tests.web.fake_table import FakeTable
from tests.web.test_other_pages import quiet_page
from web.app import create_app
from web.limits.keys import KeyGuard
from web.table.access import Access
from web.table.camera_status import CameraStatus
from web.table.vitals import Vitals

pytestmark = pytest.mark.browser
ACCESS = Access("SAVANNA7", "HOSTHOSTHOST", "CAMERACAMERA")


@pytest.fixture
def hosted() -> Iterator[tuple[Shown, KeyGuard]]:
    table = FakeTable()
    table.play(4)

    def keep(access: Access) -> None:
        table.feed.publish("access", {"spectators_see_camera": access.spectators_see_camera})

    guard = KeyGuard(ACCESS, keep=keep)
    with running(create_app(table, key=guard)) as url:
        yield Shown(table, url, ACCESS.player), guard
        table.feed.close()


def settings(page: sync_api.Page) -> None:
    page.get_by_role("button", name="Settings").click()


@pytest.mark.long
def test_the_host_gives_another_join_key_and_players_are_told(
    browser: sync_api.Browser, hosted: tuple[Shown, KeyGuard]
) -> None:
    shown, guard = hosted
    with (
        page_of(browser, shown, PHONE, key=ACCESS.host) as host,
        page_of(browser, shown, LAPTOP, key=ACCESS.player, refused=True) as player,
    ):
        settings(host)
        expect(host.locator(".join-url")).to_have_text(f"{shown.url}/#key={ACCESS.player}")
        expect(host.locator(".join-code")).to_be_visible()
        assert serious(host) == []
        expect(player.locator("#commands")).to_be_visible()
        host.on("dialog", lambda dialog: dialog.accept())
        host.get_by_role("button", name="New join key").click()
        expect(host.locator(".join-url")).not_to_have_text(f"{shown.url}/#key={ACCESS.player}")
        expect(host.locator(".join-url")).to_have_text(f"{shown.url}/#key={guard.access.player}")
        expect(player.locator(".toast")).to_contain_text("The table has a new key")
        expect(player.locator("#commands")).to_be_hidden()


def test_the_camera_is_hidden_from_spectators_alone(
    browser: sync_api.Browser, hosted: tuple[Shown, KeyGuard]
) -> None:
    shown, guard = hosted
    with (
        page_of(browser, shown, LAPTOP, key=ACCESS.host) as host,
        page_of(browser, shown, LAPTOP, refused=True) as spectator,
    ):
        settings(host)
        host.get_by_role("switch", name="Spectators see the camera").click()
        expect(host.get_by_role("switch", name="Spectators see the camera")).to_have_attribute(
            "aria-checked", "false"
        )
        assert not guard.access.spectators_see_camera
        host.keyboard.press("Escape")
        host.get_by_role("button", name="What the camera sees").click()
        expect(host.locator(".camera-view polygon")).to_have_count(7)
        spectator.get_by_role("button", name="What the camera sees").click()
        expect(spectator.locator("#camera-view")).to_contain_text("shows the camera")
        settings(spectator)
        assert spectator.locator(".host").count() == 0


def test_the_host_lets_labels_be_kept_and_players_read_that(
    browser: sync_api.Browser, hosted: tuple[Shown, KeyGuard]
) -> None:
    shown, guard = hosted
    with (
        page_of(browser, shown, PHONE, key=ACCESS.host) as host,
        page_of(browser, shown, PHONE, key=ACCESS.player) as player,
    ):
        settings(player)
        expect(player.get_by_text("You can answer and correct at this table")).to_be_visible()
        expect(player.locator(".labels-kept")).to_have_count(0)
        player.keyboard.press("Escape")
        settings(host)
        switch = host.get_by_role("switch", name="Let tilesight learn use this game's pictures")
        expect(switch).to_have_attribute("aria-checked", "false")
        expect(switch).to_contain_text("tilesight learn --forget")
        switch.click()
        expect(switch).to_have_attribute("aria-checked", "true")
        assert guard.access.keep_labels
        assert serious(host) == []
        told = player.locator(".labels-kept")
        end_s = time.monotonic() + 60
        settings(player)
        while not told.count() and time.monotonic() < end_s:  # the page asks when the table tells of a change
            player.keyboard.press("Escape")
            settings(player)
        expect(told).to_contain_text("Labels are kept")
        assert serious(player) == []


def test_a_table_without_a_log_has_no_switch_for_labels(browser: sync_api.Browser) -> None:
    table = FakeTable()
    with running(create_app(table, key=KeyGuard(ACCESS))) as url:
        with page_of(browser, Shown(table, url, ACCESS.player), PHONE, key=ACCESS.host) as host:
            settings(host)
            expect(host.get_by_role("switch", name="Spectators see the camera")).to_be_visible()
            expect(host.get_by_role("switch", name="Let tilesight learn")).to_have_count(0)
        table.feed.close()


class _Sink:
    def push(self, jpeg: bytes) -> None:
        pass


@pytest.mark.parametrize("size_wh", [PHONE, LAPTOP])
def test_a_table_without_a_picture_shows_the_code_for_its_phone(
    browser: sync_api.Browser, size_wh: tuple[int, int]
) -> None:
    table = FakeTable()
    table.say(CameraStatus("lost", Message("waiting for the phone: open its camera page")))
    app = create_app(
        table, key=KeyGuard(ACCESS), phone=_Sink(), url="http://table", secure_url="https://table:2"
    )
    with running(app) as url:
        shown = Shown(table, url, ACCESS.player)
        with (
            page_of(browser, shown, size_wh, key=ACCESS.host) as host,
            page_of(browser, shown, size_wh, key=ACCESS.player) as player,
        ):
            card = host.locator("#camera-card")
            expect(card.locator(".join-code")).to_be_visible()
            link = card.get_by_role("link")
            expect(link).to_have_attribute("href", f"https://table:2/camera#key={ACCESS.camera}")
            expect(host.locator(".toast")).to_have_count(0)
            card.locator("summary").click()
            expect(card).to_contain_text("Show Details")
            assert serious(host) == []
            expect(player.locator(".toast")).to_contain_text("open its camera page")
            expect(player.locator("#camera-card")).to_be_hidden()
            table.say(CameraStatus("watching"))
            expect(card).to_be_hidden()
            table.say(CameraStatus("lost", Message("the board is not in view")))
            expect(host.locator(".toast")).to_contain_text("The camera sees no board")
            expect(card).to_be_hidden()
        table.feed.close()


def test_a_table_with_its_own_camera_has_no_code_for_a_phone(
    browser: sync_api.Browser, hosted: tuple[Shown, KeyGuard]
) -> None:
    shown, _ = hosted
    with page_of(browser, shown, PHONE, key=ACCESS.host) as host:
        shown.table.say(CameraStatus("lost", Message("camera 0 gives no picture; trying again")))
        expect(host.locator(".toast")).to_contain_text("Camera 0 gives no picture")
        expect(host.locator("#camera-card")).to_be_hidden()


def test_the_host_copies_the_link_of_the_overlay(
    browser: sync_api.Browser, hosted: tuple[Shown, KeyGuard]
) -> None:
    shown, _ = hosted
    with page_of(browser, shown, PHONE, key=ACCESS.host) as host:
        host.context.grant_permissions(["clipboard-read", "clipboard-write"])
        settings(host)
        host.get_by_text("Overlay for a stream").click()
        host.get_by_label("Layout").select_option("Card")
        host.get_by_label("Colours").select_option("Light")
        host.get_by_role("button", name="Copy the link").click()
        expect(host.get_by_role("button", name="Copied")).to_be_visible()
        link = host.evaluate("navigator.clipboard.readText()")
        assert link == f"{shown.url}/overlay?layout=card&theme=light&lang=en"
        assert serious(host) == []


def test_the_host_is_told_that_the_hub_refuses_the_table(browser: sync_api.Browser) -> None:
    table = FakeTable()
    vitals = [Vitals(hub="second")]
    with running(create_app(table, key=KeyGuard(ACCESS), vitals=lambda: vitals[0])) as url:
        shown = Shown(table, url, ACCESS.player)
        with page_of(browser, shown, PHONE, key=ACCESS.host) as host:
            settings(host)
            expect(host.locator(".host-hub")).to_contain_text("each table needs its own")
            assert serious(host) == []
        vitals[0] = Vitals(hub="there")
        with page_of(browser, shown, PHONE, key=ACCESS.host) as host:
            settings(host)
            expect(host.locator(".join-url")).to_be_visible()
            expect(host.locator(".host-hub")).to_have_count(0)
        table.feed.close()


@pytest.mark.parametrize("size_wh", [PHONE, LAPTOP])
def test_the_link_for_watching_shows_the_table_and_nothing_else(
    browser: sync_api.Browser, hosted: tuple[Shown, KeyGuard], size_wh: tuple[int, int]
) -> None:
    shown, _ = hosted
    with page_of(browser, shown, PHONE, key=ACCESS.host) as host:
        settings(host)
        host.get_by_text("A link for watching").click()
        expect(host.locator(".watch-code")).to_have_js_property("complete", True)
        address = host.locator("details[open] code").inner_text()
        assert serious(host) == []
    assert address == f"{shown.url}/tv?lang=en"
    with quiet_page(browser, size_wh, address) as page:
        expect(page.locator("#board .tile")).to_have_count(len(shown.table.view.state.board))
        expect(page.locator("#tv-scores li")).to_have_count(2)
        for score in page.locator("#tv-scores strong").all():
            expect(score).to_be_in_viewport(ratio=1)
        expect(page.locator(".tv-name").first).to_be_in_viewport(ratio=1)
        assert page.locator("button, input, select, a[href]").count() == 0
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
        for scheme in ("dark", "light"):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            assert serious(page) == []
