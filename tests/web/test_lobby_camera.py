"""The lobby's look through a camera: its routes, and the page in a real browser."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest
from playwright import sync_api

from engine.message import Message, plain
from tests.web.browser import PHONE, SIZES_WH, serious
from tests.web.conftest import KEY, running
from tests.web.fake_table import photograph
from tests.web.test_lobby_app import FakeLobby
from tests.web.test_other_pages import quiet_page
from web.lobby_app import create_lobby_app
from web.lobby_camera import CameraPreview
from web.table.pictures import Framing, Picture, PictureTile
from web.views.tile_json import picture_json

expect = sync_api.expect
CORNERS = ((300.0, 160.0), (380.0, 160.0), (380.0, 240.0), (300.0, 240.0))


def framing(**changed: Any) -> Framing:
    return Framing(**{"board": True, "tiles": 1, "side_px": 80.0, "wanted_px": 30.0, **changed})


class FakeCameras:
    """Cameras whose pictures are made up."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str | None]] = []
        self.looking = False
        self.framing = framing()
        self.fits: str | None = "savanna"
        self.message = ""

    def open(self, camera: str, pack: str | None) -> None:
        self.asked.append((camera, pack))
        self.looking = True

    def preview(self) -> CameraPreview:
        if not self.looking:
            return CameraPreview("stopped")
        if self.message:
            return CameraPreview("failed", plain(self.message))
        tile = PictureTile((0, 0), CORNERS, "CS1", 0.9, None)
        picture = Picture(0, (640, 360), photograph, (tile,), (), self.framing)
        return CameraPreview("watching", Message(""), {"picture": picture_json(picture), "fits": self.fits})

    def picture(self, frame: int) -> bytes | None:
        return photograph() if frame == 0 else None

    def still(self, source: str) -> bytes | None:
        return photograph() if source == "0" else None

    def stop(self) -> None:
        self.looking = False


def ask(cameras: FakeCameras, method: str, path: str, key: str = KEY, **how: Any) -> httpx.Response:
    app = create_lobby_app(FakeLobby(), key=KEY, cameras=cameras)

    async def one() -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://table") as client:
            return await client.request(method, path, headers={"X-Table-Key": key}, **how)

    return asyncio.run(one())


def test_a_camera_is_looked_through_by_those_who_hold_the_key() -> None:
    cameras = FakeCameras()
    for method, path in (("GET", "/api/camera"), ("POST", "/api/camera/stop")):
        assert ask(cameras, method, path, key="").status_code == 403
    assert ask(cameras, "GET", "/api/camera").json()["state"] == "stopped"
    looked = ask(cameras, "POST", "/api/camera", json={"camera": " 0 ", "pack": "savanna"}).json()
    assert cameras.asked == [("0", "savanna")]
    assert looked["state"] == "watching" and looked["picture"]["framing"]["tiles"] == 1
    assert ask(cameras, "GET", "/api/camera/picture.jpg?frame=0").headers["content-type"] == "image/jpeg"
    assert ask(cameras, "GET", "/api/camera/picture.jpg?frame=7").status_code == 404
    assert ask(cameras, "POST", "/api/camera/stop").json() == {"stopped": True} and not cameras.looking


@pytest.mark.parametrize(
    ("path", "status"),
    [("still.jpg?source=0", 200), ("still.jpg?source=1", 204), ("still.jpg?source=x", 422)],
)
def test_stills_are_of_cameras_that_are_plugged_in(path: str, status: int) -> None:
    assert ask(FakeCameras(), "GET", f"/api/camera/{path}").status_code == status


@pytest.mark.browser
@pytest.mark.parametrize("size_wh", SIZES_WH)
def test_a_camera_is_placed_before_the_game(browser: sync_api.Browser, size_wh: tuple[int, int]) -> None:
    cameras = FakeCameras()
    cameras.framing = framing(
        side_px=21.0, faults=("far", "glare", "cut_off"), glare_at="left", cut_off=("top",)
    )
    with (
        running(create_lobby_app(FakeLobby(), key=KEY, cameras=cameras)) as url,
        quiet_page(browser, size_wh, f"{url}/#key={KEY}") as page,
    ):
        page.get_by_role("button", name="New table").click()
        expect(page.locator(".camera-still")).to_be_visible()
        page.get_by_role("button", name="Look through this camera").click()
        verdict = page.locator(".verdict")
        expect(verdict).to_contain_text("a tile has 21 pixels, 30 are wanted")
        expect(verdict).to_contain_text("Glare on the left")
        expect(verdict).to_contain_text("Little room at the top")
        expect(page.locator(".preview-picture polygon.framed")).to_have_count(1)
        assert serious(page) == []
        cameras.framing = framing()
        expect(verdict).to_have_text("I see 1 tile, sharp and bright enough.")
        page.keyboard.press("Escape")
        expect(page.locator("#form")).to_be_hidden()
        assert cameras.asked == [("0", "savanna")]


@pytest.mark.long
@pytest.mark.browser
def test_a_camera_that_cannot_be_opened_says_why(browser: sync_api.Browser) -> None:
    cameras = FakeCameras()
    cameras.message = "no camera 0 here"
    with (
        running(create_lobby_app(FakeLobby(), key=KEY, cameras=cameras)) as url,
        quiet_page(browser, PHONE, f"{url}/#key={KEY}") as page,
    ):
        page.get_by_role("button", name="New table").click()
        expect(page.locator(".camera-still")).to_be_visible()
        page.get_by_role("button", name="Look through this camera").click()
        expect(page.locator(".verdict")).to_have_text("no camera 0 here")
