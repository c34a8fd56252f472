"""Hints in a browser: the host switches them on, a player sees the tiles left and the best places."""

from __future__ import annotations

import pytest
from playwright import sync_api
from playwright.sync_api import expect

from tests.web.browser import LAPTOP, PHONE, page_of, serious
from tests.web.conftest import Shown, running
from tests.web.fake_table import FakeTable
from web.app import create_app
from web.limits.keys import KeyGuard
from web.table.access import Access

pytestmark = [pytest.mark.browser, pytest.mark.long]
ACCESS = Access("SAVANNA7", "HOSTHOSTHOST", "CAMERACAMERA")


@pytest.mark.parametrize("size_wh", [PHONE, LAPTOP])
def test_a_player_sees_the_best_places_once_the_host_allows_it(
    browser: sync_api.Browser, size_wh: tuple[int, int]
) -> None:
    table = FakeTable()
    table.play(14)
    guard = KeyGuard(ACCESS, keep=lambda access: void(table.feed.publish("access", {})))
    with (
        running(create_app(table, key=guard)) as url,
        page_of(browser, Shown(table, url, ""), size_wh, key=ACCESS.host) as host,
        page_of(browser, Shown(table, url, ""), size_wh, key=ACCESS.player) as player,
    ):
        tool = player.get_by_role("button", name="Tiles left and best places")
        expect(player.locator("#commands")).to_be_visible()
        expect(tool).to_be_hidden()
        host.get_by_role("button", name="Settings").click()
        host.get_by_role("switch", name="Hints for players").click()
        tool.click()
        faces = player.locator(".sheet .face")
        expect(faces).to_have_count(len(table.view.state.bag))
        expect(faces.first).to_contain_text("3.4%")
        assert serious(player) == []
        faces.nth(1).click()
        places = player.locator(".hint-place")
        expect(places.first).to_be_visible()
        assert places.count() > 1
        expect(player.locator("#tile-card")).to_contain_text("+")
        assert serious(player) == []
        table.play(1)
        expect(places).to_have_count(0)
        expect(player.locator("#tile-card")).to_be_hidden()
        host.get_by_role("switch", name="Hints for players").click()
        expect(tool).to_be_hidden()
        table.feed.close()


def void(_: object) -> None:
    """What the guard's keeper answers."""
