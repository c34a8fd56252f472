"""Enrolment from the lobby: its routes, and the sheet in a real browser."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright import sync_api

from engine.message import Message
from tests.web.browser import SIZES_WH, serious
from tests.web.conftest import KEY, running
from tests.web.fake_table import photograph
from tests.web.test_lobby_app import FakeLobby
from tests.web.test_other_pages import quiet_page
from web.lobby_app import Edition, create_lobby_app
from web.lobby_enrolment import PICTURE_LIMIT_BYTES, Enrolment
from web.table.refusal import Refusal

expect = sync_api.expect
PACK = "hunters-gatherers-2020"
PICTURES = "/api/enrolment/pictures"


class FakeEnrolments:
    """Enrolments that look at nothing."""

    def __init__(self) -> None:
        self.added: list[tuple[str, str, bytes]] = []
        self.state = Enrolment("idle")

    def add(self, pack: str, name: str, picture: bytes) -> Enrolment:
        self.added.append((pack, name, picture))
        self.state = Enrolment("idle", pack, len(self.added))
        return self.state

    def begin(self, pack: str) -> Enrolment:
        if not self.added:
            raise Refusal("no_pictures", Message("there are no photographs"))
        self.state = Enrolment("looking", pack, len(self.added), 0)
        return self.state

    def now(self) -> Enrolment:
        return self.state

    def stop(self) -> Enrolment:
        self.added.clear()
        self.state = Enrolment("idle")
        return self.state


def ask(enrolments: FakeEnrolments, method: str, path: str, key: str = KEY, **how: Any) -> httpx.Response:
    app = create_lobby_app(FakeLobby(), key=KEY, enrolments=enrolments)

    async def one() -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://table") as client:
            return await client.request(method, path, headers={"X-Table-Key": key}, **how)

    return asyncio.run(one())


def test_photographs_are_taken_from_who_holds_the_key() -> None:
    enrolments = FakeEnrolments()
    asked: dict[str, Any] = {"params": {"pack": PACK, "name": "HG05.jpg"}, "content": photograph()}
    assert ask(enrolments, "POST", PICTURES, key="", **asked).status_code == 403
    assert ask(enrolments, "POST", "/api/enrolment", json={"pack": PACK}).status_code == 409
    assert ask(enrolments, "POST", PICTURES, **asked).json()["pictures"] == 1
    assert enrolments.added == [(PACK, "HG05.jpg", photograph())]
    assert ask(enrolments, "POST", "/api/enrolment", json={"pack": PACK}).json()["state"] == "looking"
    assert ask(enrolments, "POST", "/api/enrolment/stop").json()["state"] == "idle"


@pytest.mark.parametrize(
    ("content", "status"),
    [(b"GIF89a", 415), (b"", 415), (b"\xff\xd8\xff" + bytes(PICTURE_LIMIT_BYTES), 413)],
    ids=["no photograph", "nothing", "too large"],
)
def test_an_upload_that_is_no_photograph_or_too_large_is_refused(content: bytes, status: int) -> None:
    enrolments = FakeEnrolments()
    params = {"pack": PACK, "name": "a.jpg"}
    assert ask(enrolments, "POST", PICTURES, params=params, content=content).status_code == status
    assert enrolments.added == []


def test_other_requests_stay_small() -> None:
    answer = ask(FakeEnrolments(), "POST", "/api/enrolment", content=bytes(100_000))
    assert answer.status_code == 413


@pytest.mark.browser
@pytest.mark.parametrize("size_wh", SIZES_WH)
def test_an_edition_is_enrolled_with_taps(
    browser: sync_api.Browser, size_wh: tuple[int, int], tmp_path: Path
) -> None:
    enrolments, lobby = FakeEnrolments(), FakeLobby()
    photos = [tmp_path / "table-1.jpg", tmp_path / "table-2.jpg"]
    for path in photos:
        path.write_bytes(photograph())
    with (
        running(create_lobby_app(lobby, key=KEY, enrolments=enrolments)) as url,
        quiet_page(browser, size_wh, f"{url}/#key={KEY}") as page,
    ):
        page.get_by_role("button", name="New table").click()
        page.get_by_role("button", name="Photograph its tiles").click()
        begin = page.get_by_role("button", name="Look at the photographs")
        expect(begin).to_be_disabled()
        page.locator("#enrol-files").set_input_files([str(path) for path in photos])
        expect(page.locator(".enrol-pictures img")).to_have_count(2)
        assert [name for _, name, _ in enrolments.added] == ["table-1.jpg", "table-2.jpg"]
        assert serious(page) == []
        begin.click()
        said = page.locator(".enrol-said")
        expect(said).to_have_text("Looking at photograph 1 of 2 …")
        enrolments.state = Enrolment("looking", PACK, 2, 1)
        expect(page.get_by_role("progressbar")).to_have_js_property("value", 1)
        assert serious(page) == []
        enrolments.state = Enrolment("naming", PACK, 2, 2, 38, "http://127.0.0.1:9/#key=x")
        expect(page.get_by_role("link", name="Name the tiles")).to_have_attribute(
            "href", "http://127.0.0.1:9/#key=x"
        )
        pack = lobby._editions[1].pack
        lobby._editions[1] = Edition(pack, "hunters-gatherers", ("red", "blue"), (), True)
        sides = [{"design": "HG07", "turn": 1}, {"design": "HG07", "turn": 2}]
        enrolments.state = Enrolment("done", PACK, 2, 2, designs=60, missing=("HG05",), sides=sides)
        expect(said).to_contain_text("60 tiles are known, 1 were not in the photographs")
        expect(page.locator(".enrol-left")).to_contain_text("The land on the sides of HG07 is not")
        assert serious(page) == []
        page.get_by_role("button", name="Play with it").click()
        expect(page.locator(f'input[name="edition"][value="{PACK}"]')).to_be_checked()
        expect(page.get_by_role("button", name="Photograph its tiles")).to_have_count(0)


class SlowEnrolments(FakeEnrolments):
    """Enrolments far away: each photograph takes its time."""

    def add(self, pack: str, name: str, picture: bytes) -> Enrolment:
        time.sleep(0.3)
        if self.state.state != "idle":
            raise Refusal("busy", Message("the photographs are being looked at"))
        return super().add(pack, name, picture)


@pytest.mark.browser
@pytest.mark.parametrize("size_wh", SIZES_WH)
def test_no_photograph_is_lost_when_the_button_is_pressed_early(
    browser: sync_api.Browser, size_wh: tuple[int, int], tmp_path: Path
) -> None:
    enrolments = SlowEnrolments()
    photos = [tmp_path / f"table-{number}.jpg" for number in range(6)]
    for path in photos:
        path.write_bytes(photograph())
    photos[2].write_bytes(b"no picture")
    with (
        running(create_lobby_app(FakeLobby(), key=KEY, enrolments=enrolments)) as url,
        quiet_page(browser, size_wh, f"{url}/#key={KEY}") as page,
    ):
        page.get_by_role("button", name="New table").click()
        page.get_by_role("button", name="Photograph its tiles").click()
        page.locator("#enrol-files").set_input_files([str(path) for path in photos[:4]])
        begin = page.get_by_role("button", name="Look at the photographs")
        begin.click()
        waiting = page.get_by_role("button", name="Waiting for the photographs …")
        expect(waiting).to_be_disabled()
        expect(waiting).to_have_attribute("aria-busy", "true")
        expect(page.locator(".enrol-said")).to_contain_text("Then they are looked at")
        page.locator("#enrol-files").set_input_files([str(path) for path in photos[4:]])
        expect(page.locator(".enrol-said")).to_contain_text("Looking at photograph 1 of 5")
        assert [name for _, name, _ in enrolments.added] == [f"table-{n}.jpg" for n in (0, 1, 3, 4, 5)]
        assert enrolments.state.pictures == 5
        expect(page.locator(".enrol-left")).to_have_text("table-2.jpg cannot be read. Choose JPEG or PNG.")
        assert serious(page) == []


@pytest.mark.browser
def test_a_lobby_that_does_not_answer_is_asked_again(browser: sync_api.Browser, tmp_path: Path) -> None:
    enrolments = FakeEnrolments()
    photos = [tmp_path / f"table-{number}.jpg" for number in range(3)]
    for path in photos:
        path.write_bytes(photograph())
    lost: list[str] = []

    def lose_one(route: sync_api.Route) -> None:
        lost.append(route.request.url)
        if len(lost) == 2:
            route.fulfill(status=200, body="", headers={"Content-Type": "text/plain"})  # a broken answer
        else:
            route.continue_()

    with (
        running(create_lobby_app(FakeLobby(), key=KEY, enrolments=enrolments)) as url,
        quiet_page(browser, (360, 780), f"{url}/#key={KEY}&enrol={PACK}") as page,
    ):
        page.route("**/api/enrolment/pictures?*", lose_one)
        page.locator("#enrol-files").set_input_files([str(path) for path in photos])
        page.get_by_role("button", name="Look at the photographs").click()
        expect(page.locator(".enrol-said")).to_contain_text("Looking at photograph 1 of 3")
        assert [name for _, name, _ in enrolments.added] == ["table-0.jpg", "table-1.jpg", "table-2.jpg"]


@pytest.mark.browser
def test_uploads_of_an_earlier_sheet_replace_none_of_the_next_sheets(
    browser: sync_api.Browser, tmp_path: Path
) -> None:
    enrolments = SlowEnrolments()
    photos = [tmp_path / f"table-{number}.jpg" for number in range(4)]
    for path in photos:
        path.write_bytes(photograph())
    with (
        running(create_lobby_app(FakeLobby(), key=KEY, enrolments=enrolments)) as url,
        quiet_page(browser, (360, 780), f"{url}/#key={KEY}&enrol={PACK}") as page,
    ):
        page.locator("#enrol-files").set_input_files([str(path) for path in photos[:2]])
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Use tiles you own").click()
        page.locator(".start-choices button").click()
        page.locator("#enrol-files").set_input_files([str(path) for path in photos[2:]])
        page.get_by_role("button", name="Look at the photographs").click()
        expect(page.locator(".enrol-said")).to_contain_text("Looking at photograph 1 of")
        assert {"table-2.jpg", "table-3.jpg"} <= {name for _, name, _ in enrolments.added}


@pytest.mark.browser
def test_an_enrolment_that_fails_says_why(browser: sync_api.Browser, tmp_path: Path) -> None:
    enrolments = FakeEnrolments()
    (tmp_path / "table.jpg").write_bytes(photograph())
    with (
        running(create_lobby_app(FakeLobby(), key=KEY, enrolments=enrolments)) as url,
        quiet_page(browser, (360, 780), f"{url}/#key={KEY}") as page,
    ):
        page.get_by_role("button", name="New table").click()
        page.get_by_role("button", name="Photograph its tiles").click()
        page.locator("#enrol-files").set_input_files(str(tmp_path / "table.jpg"))
        page.get_by_role("button", name="Look at the photographs").click()
        expect(page.locator(".enrol-said")).to_contain_text("Looking at photograph")  # it has begun
        enrolments.state = Enrolment("failed", PACK, 1, 1, problem="no_tiles")
        expect(page.locator(".enrol-said")).to_contain_text("No tiles are seen in the photographs")
        expect(page.get_by_role("button", name="Look at the photographs")).to_be_enabled()
        page.keyboard.press("Escape")
        expect(page.locator("#enrol")).to_be_hidden()
        expect(page.locator("#form")).to_be_visible()
