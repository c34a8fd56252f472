"""Webhooks on the host's page, in a browser: added, tried, failing, removed."""

from __future__ import annotations

import io

import pytest
from playwright import sync_api
from playwright.sync_api import expect
from rich.console import Console

from tests.tilesight.outward.receiver import HERE, receiving
from tests.web.browser import PHONE, page_of, serious
from tests.web.conftest import Shown, running
from tests.web.fake_table import FakeTable
from tilesight.outward.options import OutwardOptions
from tilesight.outward.outward import TableOutward
from web.api.served import offer
from web.app import create_app
from web.limits.keys import KeyGuard
from web.table.access import Access

pytestmark = pytest.mark.browser
ACCESS = Access("SAVANNA7", "HOSTHOSTHOST", "CAMERACAMERA")


def test_a_host_adds_tries_and_removes_a_webhook(browser: sync_api.Browser) -> None:
    table, guard = FakeTable(), KeyGuard(ACCESS)
    app = create_app(table, key=guard)
    wanted = OutwardOptions(networks=HERE)
    with receiving() as receiver, TableOutward(table, guard, wanted, Console(file=io.StringIO())) as outward:
        offer(app, outward)
        with (
            running(app) as url,
            page_of(browser, Shown(table, url, ACCESS.player), PHONE, key=ACCESS.host) as page,
        ):
            page.get_by_role("button", name="Settings").click()
            page.get_by_text("Webhooks", exact=True).click()
            page.get_by_label("Address").fill(receiver.url)
            page.get_by_role("button", name="Add webhook").click()
            secret = page.locator(".webhook-secret")
            expect(secret).to_be_visible()
            signs = guard.access.webhooks[0].secret
            expect(secret).to_have_text(signs)
            expect(page.locator(".webhook .join-url")).to_have_text(f"http://127.0.0.1:{receiver.port}/…")
            page.get_by_role("button", name="Send a test").click()
            expect(page.get_by_text("the test has arrived")).to_be_visible()
            expect(secret).to_have_count(0)
            assert receiver.got[0].is_signed(signs)
            receiver.answer = lambda got: 500
            page.get_by_role("button", name="Send a test").click()
            expect(page.locator("[role=status]").get_by_text("It answered 500.")).to_be_visible()
            assert serious(page) == []
            page.on("dialog", lambda dialog: dialog.accept())
            page.get_by_role("button", name="Remove").click()
            expect(page.locator(".webhook")).to_have_count(0)
            assert guard.access.webhooks == ()
            table.feed.close()
