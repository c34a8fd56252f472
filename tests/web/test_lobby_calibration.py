"""Calibration from the lobby: its routes, and the sheet in a real browser."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import httpx
import pytest
from playwright import sync_api

from tests.web.browser import SIZES_WH, serious
from tests.web.conftest import KEY, running
from tests.web.fake_table import photograph
from tests.web.test_lobby_app import FakeLobby
from tests.web.test_other_pages import quiet_page
from web.lobby_app import create_lobby_app
from web.lobby_calibration import Calibration

expect = sync_api.expect


class FakeCalibrations:
    """Calibrations that open no camera."""

    def __init__(self) -> None:
        self.state = Calibration("idle")
        self.asked: list[tuple[str, ...]] = []
        self.board_pdf: bytes | None = b"%PDF-"

    def lens(self, camera: str) -> Calibration:
        self.asked.append((camera,))
        self.state = Calibration("looking", least=5, wanted=("straight", "close"), frame=1)
        return self.state

    def colors(self, camera: str, pack: str, colors: Sequence[str]) -> Calibration:
        self.asked.append((camera, pack, *colors))
        self.state = Calibration("showing", tuple(colors), colors[0])
        return self.state

    def go_on(self) -> Calibration:
        self.asked.append(("go on",))
        return self.state

    def now(self) -> Calibration:
        return self.state

    def picture(self) -> bytes | None:
        return photograph() if self.state.frame is not None else None

    def stop(self) -> Calibration:
        self.state = Calibration("idle")
        return self.state

    def board(self) -> bytes | None:
        return self.board_pdf


def ask(calibrations: FakeCalibrations, method: str, path: str, key: str = KEY, **how: Any) -> httpx.Response:
    app = create_lobby_app(FakeLobby(), key=KEY, calibrations=calibrations)

    async def one() -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://table") as client:
            return await client.request(method, path, headers={"X-Table-Key": key}, **how)

    return asyncio.run(one())


def test_a_camera_is_calibrated_by_those_who_hold_the_key() -> None:
    fake = FakeCalibrations()
    for method, path in (("GET", "/api/calibration"), ("GET", "/api/calibration/board.pdf")):
        assert ask(fake, method, path, key="").status_code == 403
    assert ask(fake, "GET", "/api/calibration/picture.jpg").status_code == 404
    looked = ask(fake, "POST", "/api/calibration", json={"camera": " 0 "}).json()
    assert (looked["state"], looked["wanted"]) == ("looking", ["straight", "close"])
    assert ask(fake, "GET", "/api/calibration/picture.jpg").content == photograph()
    asked = {"camera": "0", "colors": ["red", "blue"], "pack": "savanna"}
    assert ask(fake, "POST", "/api/calibration", json=asked).json()["color"] == "red"
    assert fake.asked == [("0",), ("0", "savanna", "red", "blue")]
    assert ask(fake, "GET", "/api/calibration/board.pdf").content == b"%PDF-"
    fake.board_pdf = None
    assert ask(fake, "GET", "/api/calibration/board.pdf").status_code == 503
    assert ask(fake, "POST", "/api/calibration/stop").json()["state"] == "idle"


@pytest.mark.long
@pytest.mark.browser
@pytest.mark.parametrize("size_wh", SIZES_WH)
def test_a_camera_is_calibrated_with_taps(browser: sync_api.Browser, size_wh: tuple[int, int]) -> None:
    fake = FakeCalibrations()
    with (
        running(create_lobby_app(FakeLobby(), key=KEY, calibrations=fake)) as url,
        quiet_page(browser, size_wh, f"{url}/#key={KEY}") as page,
    ):
        page.get_by_role("button", name="New table").click()
        page.get_by_role("button", name="Calibrate this camera").click()
        assert serious(page) == []
        with page.expect_download() as download:
            page.get_by_role("button", name="Print the board").click()
        assert download.value.suggested_filename == "tilesight-board.pdf"
        page.get_by_role("button", name="Calibrate the lens").click()
        said = page.locator(".calibrate-said")
        expect(said).to_have_text("Hold the board straight in front of the camera.")
        expect(page.locator(".calibrate-picture")).to_be_visible()
        expect(page.get_by_role("button", name="That is enough")).to_have_count(0)
        fake.state = Calibration("looking", views=5, least=5, wanted=("far",), frame=2)
        expect(page.get_by_role("progressbar")).to_have_js_property("value", 10)
        page.get_by_role("button", name="That is enough").click()
        fake.state = Calibration("done", error_px=0.31)
        expect(said).to_have_text("The lens is calibrated, to 0.3 pixels. It is used from now on.")
        assert serious(page) == []
        page.get_by_role("button", name="Learn the colours").click()
        expect(said).to_contain_text("pieces on laid tiles")
        page.get_by_role("button", name="They are in place").click()
        fake.state = Calibration("failed", ("red",), problem="no_pieces")
        expect(said).to_contain_text("No pieces were seen")
        assert ("go on",) in fake.asked
        page.keyboard.press("Escape")
        expect(page.locator("#calibrate")).to_be_hidden()
