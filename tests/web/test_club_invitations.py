"""Invitations on the hub's page: a host makes several, prints their codes, and ends one."""

from __future__ import annotations

import re
from collections.abc import Sequence

import httpx
import pytest
from playwright import sync_api

from engine.message import Message
from tests.web.browser import SIZES_WH, serious
from tests.web.conftest import KEY, running
from tests.web.fake_accounts import FakeAccounts
from tests.web.test_club_app import NO_TOURNAMENTS, FakeClub
from tests.web.test_other_pages import quiet_page
from web.club.app import create_club_app
from web.club.invitations import KeyKind, KnownKey, NewInvitation
from web.table.refusal import Refusal

expect = sync_api.expect
HOST = {"X-Table-Key": KEY}


class FakeInvitations:
    """The keys of a club in memory."""

    def __init__(self) -> None:
        self.known: list[KnownKey] = []

    def valid(self) -> Sequence[KnownKey]:
        return self.known

    def invite(self, names: Sequence[str], kind: KeyKind) -> Sequence[NewInvitation]:
        if {one.name for one in self.known} & set(names):
            raise Refusal("invitation", Message("there is a key already"))
        self.known += [KnownKey(name, kind, 1.0) for name in names]
        return [NewInvitation(name, kind, f"http://club/join#seed={'S' * 200}{name}") for name in names]

    def revoke(self, name: str, kind: KeyKind) -> None:
        self.known = [one for one in self.known if (one.name, one.kind) != (name, kind)]


def test_hosts_invite_and_everybody_gets_the_codes_of_the_pages() -> None:
    accounts, invitations = FakeAccounts(), FakeInvitations()
    app = create_club_app(FakeClub(), NO_TOURNAMENTS, key=KEY, accounts=accounts, invitations=invitations)
    with running(app) as url, httpx.Client(base_url=url) as client:
        asked = {"names": ["hall-1", "hall-2"]}
        assert client.post("/api/invitations", json=asked).status_code == 403
        assert client.get("/api/invitations").status_code == 403
        made = client.post("/api/invitations", json=asked, headers=HOST)
        assert made.status_code == 201
        assert [one["name"] for one in made.json()["invitations"]] == ["hall-1", "hall-2"]
        assert all(one["qr"].startswith("<svg") for one in made.json()["invitations"])
        assert client.post("/api/invitations", json=asked, headers=HOST).status_code == 409
        ended = client.post("/api/invitations/revoke", json={"name": "hall-1"}, headers=HOST)
        assert ended.json() == {"ok": True}
        assert client.get("/api/invitations", headers=HOST).json()["keys"] == [
            {"name": "hall-2", "role": "table", "made_s": 1.0}
        ]
        assert [one.path for one in accounts.acts()] == ["/api/invitations/revoke", "/api/invitations"]
        for place in ("club", "screen"):
            assert client.get(f"/qr/{place}.svg").text.startswith("<svg")
        assert client.get("/qr/other.svg").status_code == 422


@pytest.mark.long
@pytest.mark.browser
@pytest.mark.parametrize("size_wh", SIZES_WH)
def test_a_host_prints_invitations_from_the_page(browser: sync_api.Browser, size_wh: tuple[int, int]) -> None:
    invitations = FakeInvitations()
    app = create_club_app(
        FakeClub(), NO_TOURNAMENTS, key=KEY, accounts=FakeAccounts(), invitations=invitations
    )
    with running(app) as url, quiet_page(browser, size_wh, f"{url}/#key={KEY}") as page:
        page.get_by_role("button", name="Wall and codes").click()
        expect(page.get_by_role("link", name=f"{url}/screen")).to_be_visible()
        assert page.locator("img[src='/qr/screen.svg']").evaluate("(one) => one.naturalWidth > 0")
        assert serious(page) == []
        page.get_by_role("button", name="Close").click()
        page.get_by_role("link", name="Invitations").click()
        page.get_by_label("Name").fill("hall")
        page.get_by_label("How many").fill("8")
        page.get_by_role("button", name="Make invitations").click()
        expect(page.locator(".phones-cards figure")).to_have_count(8)
        expect(page.get_by_role("img", name="hall-3")).to_be_visible()
        assert serious(page) == []
        pages = re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True))
        assert len(pages) == 1  # eight to cut out, and no empty one
        page.on("dialog", lambda dialog: dialog.accept())
        page.get_by_role("button", name="End: hall-2").click()
        expect(page.locator(".phones-keys li")).to_have_count(7)
        assert "hall-2" not in {one.name for one in invitations.known}
