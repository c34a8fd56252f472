"""What the host of a table does in a browser, and what players and spectators then see."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright import sync_api
from playwright.sync_api import expect

from tests.web.browser import LAPTOP, PHONE, page_of, serious
from tests.web.conftest import Shown, running
from tests.web.fake_table import FakeTable
from web.app import create_app
from web.limits.keys import Access, KeyGuard

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
