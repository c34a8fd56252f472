"""Accounts on the hub's pages, driven by clicks: made with the key, logged in and out, what a role may."""

from __future__ import annotations

import pytest
from playwright import sync_api

from tests.web.browser import SIZES_WH, serious
from tests.web.conftest import KEY, running
from tests.web.fake_accounts import PASSWORD, FakeAccounts
from tests.web.test_club_app import NO_TOURNAMENTS, QUESTION, FakeClub, club_table
from tests.web.test_other_pages import quiet_page
from web.club.app import create_club_app

expect = sync_api.expect

pytestmark = [pytest.mark.browser, pytest.mark.long]
sizes = pytest.mark.parametrize("size_wh", SIZES_WH)


def log_in(page: sync_api.Page, name: str, password: str = PASSWORD) -> None:
    page.get_by_role("button", name="Log in").click()
    sheet = page.get_by_role("dialog")
    sheet.get_by_label("Name").fill(name)
    sheet.get_by_label("Password").fill(password)
    assert serious(page) == []
    sheet.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("button", name=name)).to_be_visible()


@sizes
def test_a_key_holder_makes_a_referee_account_that_answers_a_question(
    browser: sync_api.Browser, size_wh: tuple[int, int]
) -> None:
    club, accounts = FakeClub(), FakeAccounts()
    club.put(club_table("hall-9", asked=(QUESTION,)))
    with running(create_club_app(club, NO_TOURNAMENTS, key=KEY, accounts=accounts)) as url:
        with quiet_page(browser, size_wh, f"{url}/#key={KEY}") as page:
            page.get_by_role("button", name="With the key").click()
            sheet = page.get_by_role("dialog")
            sheet.get_by_text("New account").click()
            sheet.get_by_label("Name").fill("Ina")
            sheet.get_by_label("Password").fill("long enough")
            sheet.get_by_role("button", name="Create").click()
            expect(sheet.locator(".who-people li")).to_have_count(3)
            assert serious(page) == []
            page.on("dialog", lambda asked: asked.accept())
            sheet.get_by_role("button", name="Remove: Hana").click()
            expect(sheet.locator(".who-people li")).to_have_count(2)
            sheet.get_by_text("Who did what").click()
            expect(sheet.locator(".who-acts li").first).to_contain_text("The key")
        with quiet_page(browser, size_wh, f"{url}/table/hall-9") as page:
            expect(page.locator(".club-question")).to_be_visible()
            expect(page.locator(".club-question button")).to_have_count(0)
            log_in(page, "Ina", "long enough")
            box = page.get_by_role("heading", name="hall-9").bounding_box()
            assert box is not None and box["height"] < 60  # one line, beside who one is
            page.get_by_role("button", name="This").click()
            expect(page.locator("#said")).to_contain_text("hall-9")
            assert club.commands == [("hall-9", "/api/answer", {"question": "q1", "option": "a"})]
            page.get_by_role("link", name="All tables").click()
            expect(page.locator("#phones")).to_be_hidden()  # tables are a host's
            page.get_by_role("button", name="Ina").click()
            expect(page.get_by_text("You are logged in as referee.")).to_be_visible()
            expect(page.get_by_text("Accounts")).to_have_count(0)
            page.get_by_role("button", name="Log out").click()
            expect(page.get_by_role("button", name="Log in")).to_be_visible()
        done = accounts.acts()[0]
        assert (done.account, done.table, done.path) == ("Ina", "hall-9", "/api/answer")


@sizes
def test_a_session_that_ended_elsewhere_is_said(browser: sync_api.Browser, size_wh: tuple[int, int]) -> None:
    club, accounts = FakeClub(), FakeAccounts()
    club.put(club_table("hall-9", asked=(QUESTION,)))
    with (
        running(create_club_app(club, NO_TOURNAMENTS, key=KEY, accounts=accounts)) as url,
        quiet_page(browser, size_wh, f"{url}/table/hall-9", refused=True) as page,
    ):
        page.get_by_role("button", name="Log in").click()
        page.get_by_role("dialog").get_by_label("Name").fill("Rob")
        page.get_by_role("dialog").get_by_label("Password").fill("not this one")
        page.get_by_role("dialog").get_by_role("button", name="Log in").click()
        expect(page.get_by_text("Wrong name or password.")).to_be_visible()
        page.get_by_role("button", name="✕").or_(page.get_by_label("Close")).first.click()
        log_in(page, "Rob")
        accounts.log_out("Rob")
        page.get_by_role("button", name="This").click()
        expect(page.get_by_text("You are logged out; log in again.")).to_be_visible()
        page.reload()
        expect(page.get_by_role("button", name="Log in")).to_be_visible()
        assert club.commands == []
