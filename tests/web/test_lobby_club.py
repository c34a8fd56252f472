"""Joining a club: the lobby's sheet, and the page that an invitation opens."""

from __future__ import annotations

import io

import pytest
import segno
from playwright import sync_api

from engine.message import Message
from tests.web.browser import SIZES_WH, serious
from tests.web.conftest import KEY, running
from tests.web.fake_accounts import FakeAccounts
from tests.web.test_club_app import NO_TOURNAMENTS, FakeClub
from tests.web.test_lobby_app import Client, FakeLobby
from tests.web.test_other_pages import quiet_page
from web.club.app import create_club_app
from web.lobby_app import create_lobby_app
from web.lobby_club import JoinedClub
from web.table.refusal import Refusal

expect = sync_api.expect
SIZES = pytest.mark.parametrize("size_wh", SIZES_WH)
SECRET = "AKEYTHATISNONE0123456789AB"
FRAGMENT = f"link=192.168.1.5:8783&table=hall-1&key={SECRET}"


class FakeMembership:
    """Knows one invitation."""

    def __init__(self) -> None:
        self.invitation: str | None = None
        self.codes: list[bytes] = []

    def joined(self) -> JoinedClub | None:
        return None if self.invitation is None else JoinedClub("http://hub.local:8780", "hall-1")

    def join(self, invitation: str) -> bool:
        if SECRET not in invitation:
            raise Refusal(
                "no_invitation", Message("this is no invitation to a club, or a part of it is missing")
            )
        self.invitation = invitation
        return False

    def leave(self) -> None:
        self.invitation = None

    def read_code(self, jpeg: bytes) -> str:
        self.codes.append(jpeg)
        return f"http://hub.local:8780/join#{FRAGMENT}"


def test_the_invitation_is_taken_and_never_told_again() -> None:
    membership = FakeMembership()
    client = Client(FakeLobby(), membership)
    assert client.get("/api/club").json() == {"club": None}
    refused = client.post("/api/club", {"invitation": "hello"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "no_invitation")
    joined = client.post("/api/club", {"invitation": f" http://hub.local:8780/join#{FRAGMENT}\n"}).json()
    assert joined == {"club": {"hub": "http://hub.local:8780", "table": "hall-1"}, "answers": False}
    assert membership.invitation == f"http://hub.local:8780/join#{FRAGMENT}"
    assert SECRET not in client.get("/api/club").text
    assert client.ask("POST", "/api/club/code", content=b"no picture").status_code == 415
    assert client.post("/api/club/leave").json() == {"club": None}
    assert client.ask("POST", "/api/club", key="", json={"invitation": FRAGMENT}).status_code == 403


def test_without_the_club_installed_the_lobby_says_so() -> None:
    client = Client(FakeLobby())
    assert client.get("/api/club").json() == {"club": None}
    refused = client.post("/api/club", {"invitation": FRAGMENT})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "no_club")


@pytest.mark.browser
@SIZES
def test_a_club_is_joined_and_left_from_the_lobby(
    browser: sync_api.Browser, size_wh: tuple[int, int]
) -> None:
    membership = FakeMembership()
    app = create_lobby_app(FakeLobby(), key=KEY, membership=membership)
    with running(app) as url, quiet_page(browser, size_wh, f"{url}/#key={KEY}", refused=True) as page:
        page.get_by_role("button", name="Join a club").click()
        sheet = page.locator("#club")
        sheet.get_by_label("The invitation's link").fill("hello")
        sheet.get_by_role("button", name="Join a club").click()
        expect(sheet.get_by_role("status")).to_have_text(
            "This is not an invitation to a club, or a part of it is missing."
        )
        assert serious(page) == []
        photo = io.BytesIO()
        segno.make("http://hub").save(photo, kind="png", scale=8)
        picture: sync_api.FilePayload = {
            "name": "code.png",
            "mimeType": "image/png",
            "buffer": photo.getvalue(),
        }
        sheet.locator("#invitation-picture").set_input_files(picture)
        expect(sheet.get_by_label("The invitation's link")).to_have_value(
            f"http://hub.local:8780/join#{FRAGMENT}"
        )
        assert membership.codes[0].startswith(b"\xff\xd8")
        sheet.get_by_role("button", name="Join a club").click()
        expect(sheet).to_contain_text("as table hall-1")
        expect(sheet.get_by_role("status")).to_contain_text("gets them later")
        assert serious(page) == []
        page.keyboard.press("Escape")
        page.reload()
        page.get_by_role("button", name="Club: hall-1").click()
        page.get_by_role("button", name="Leave the club").click()
        expect(sheet.get_by_label("The invitation's link")).to_have_value("")
        assert membership.invitation is None


@pytest.mark.browser
@SIZES
def test_an_invitations_page_sends_its_secret_nowhere(
    browser: sync_api.Browser, size_wh: tuple[int, int]
) -> None:
    with running(create_club_app(FakeClub(), NO_TOURNAMENTS, key=KEY, accounts=FakeAccounts())) as url:
        with quiet_page(browser, size_wh, f"{url}/") as page:
            sent: list[str] = []
            page.on("request", lambda one: sent.append(f"{one.url} {one.headers} {one.post_data}"))
            page.goto(f"{url}/join#{FRAGMENT}")
            expect(page.get_by_text("as table hall-1")).to_be_visible()
            expect(page.locator("code").nth(1)).to_contain_text(f"--hub '{url}/join#{FRAGMENT}'")
            page.get_by_role("button", name="Copy the command").click()
            expect(
                page.get_by_role("button", name="Copied").or_(page.get_by_text("Selected"))
            ).to_be_visible()
            assert serious(page) == []
            page.get_by_role("link", name="All tables").click()
            expect(page.locator("#nothing")).to_be_visible()
            assert len(sent) > 5
            # The browser's own list shows the fragment of the page's address, which it sends to nobody.
            assert [one for one in sent if SECRET in one.replace(f"/join#{FRAGMENT} ", "/join ")] == []
        with quiet_page(browser, size_wh, f"{url}/join#link=1") as page:
            expect(page.get_by_text("This is not an invitation")).to_be_visible()
