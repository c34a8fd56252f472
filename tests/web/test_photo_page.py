"""The page of photographs says why there is no board, and that a picture is mirrored."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from playwright import sync_api

from tests.web.conftest import KEY, running
from tests.web.test_lobby_app import FakeLobby
from tests.web.test_lobby_photo import FakePhotographs
from tests.web.test_other_pages import quiet_page
from tilesight.photograph.trouble import told_trouble
from web.lobby_app import create_lobby_app
from web.lobby_photo import Json

pytestmark = pytest.mark.browser


class Unread(FakePhotographs):
    """A photograph that is too blurred to read."""

    def document(self, photo: str) -> Json:
        message = told_trouble("blurred", (400, 300))
        return {
            "id": "a",
            "pack": "savanna",
            "tiles": [],
            "pieces": [],
            "faults": [],
            "hangs_on": [],
            "if_ended_now": {},
            "presets": ["zman"],
            "said": 0,
            "other_edition": None,
            "pictures": [{"size_wh": [400, 300], "tiles": [], "pieces": [], "free": []}],
            "trouble": {"code": "blurred", "message": message, "said": message.to_json()},
            "mirrored": False,
        }

    def picture(self, photo: str, number: int) -> bytes:
        return cv2.imencode(".jpg", np.zeros((300, 400, 3), np.uint8))[1].tobytes()


@pytest.mark.parametrize(
    ("locale", "said"), [("en-GB", "It is too blurred"), ("de-DE", "Es ist zu unscharf")]
)
def test_the_page_says_why_there_is_no_board(browser: sync_api.Browser, locale: str, said: str) -> None:
    app = create_lobby_app(FakeLobby(), key=KEY, photographs=Unread())
    address = f"/photo#key={KEY}&photo=a"
    with running(app) as url, quiet_page(browser, (390, 844), url + address, locale=locale) as page:
        sync_api.expect(page.locator("#panel")).to_contain_text(said)
