"""A phone as the camera: its page with Chromium's made-up camera, and the messages that are accepted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import httpx
import pytest
from playwright import sync_api
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from engine.message import Message
from tests.web.browser import PHONE, chromium, serious
from tests.web.conftest import KEY, Shown, running, serving
from tests.web.fake_table import FakeTable, photograph
from vision.image.decode import decode_image
from web.api import phone as phone_api
from web.app import create_app
from web.table.camera_status import CameraStatus
from web.table.pictures import Framing, Picture

FAKE_CAMERA = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")


class FramedTable(FakeTable):
    """A table whose pictures are checked."""

    framing = Framing(True, 3, 44.0, 30.0)

    def picture(self) -> Picture | None:
        picture = super().picture()
        return None if picture is None else replace(picture, framing=self.framing)


class Pictures:
    """Takes a phone's pictures."""

    def __init__(self) -> None:
        self.came: list[bytes] = []

    def push(self, jpeg: bytes) -> None:
        self.came.append(jpeg)


@pytest.fixture
def pictures() -> Pictures:
    return Pictures()


@pytest.fixture
def shown(pictures: Pictures) -> Iterator[Shown]:
    with serving(FakeTable(), phone=pictures) as running:
        yield running


def test_the_page_opens_again(shown: Shown) -> None:
    for encoding in ("gzip", "gzip", "identity"):
        page = httpx.get(f"{shown.url}/camera", headers={"Accept-Encoding": encoding})
        assert page.status_code == 200 and page.text.rstrip().endswith("</html>")


def socket_url(shown: Shown) -> str:
    return shown.url.replace("http", "ws") + "/api/phone"


def test_pictures_are_taken_from_who_has_the_key(shown: Shown, pictures: Pictures) -> None:
    with connect(socket_url(shown)) as phone:
        phone.send(json.dumps({"key": KEY}))
        assert json.loads(phone.recv()) == {"welcome": True}
        for number in (1, 2):
            phone.send(photograph())
            assert json.loads(phone.recv())["frame"] == number
    assert pictures.came == [photograph()] * 2


@pytest.mark.parametrize("first", [json.dumps({"key": "WRONG"}), "no json", "[]", b"\xff\xd8", "{}"])
def test_a_phone_without_the_key_is_disconnected_and_sends_no_picture(
    shown: Shown, pictures: Pictures, first: str | bytes
) -> None:
    with connect(socket_url(shown)) as phone:
        phone.send(first)
        with pytest.raises(ConnectionClosed) as closed:
            phone.recv()
    assert closed.value.rcvd is not None and closed.value.rcvd.code == 4403
    assert pictures.came == []


def test_too_many_wrong_keys_are_told_and_the_right_one_passes(shown: Shown) -> None:
    codes = []
    for _ in range(5):
        with connect(socket_url(shown)) as phone:
            phone.send(json.dumps({"key": "WRONG"}))
            with pytest.raises(ConnectionClosed) as closed:
                phone.recv()
        assert closed.value.rcvd is not None
        codes.append(closed.value.rcvd.code)
    assert codes == [4403, 4403, 4403, 4403, 4429]
    assert httpx.get(f"{shown.url}/api/key", headers={"X-Table-Key": KEY}).status_code == 200


def test_a_page_of_another_site_opens_no_socket(shown: Shown, pictures: Pictures) -> None:
    with pytest.raises(InvalidStatus) as refused:
        connect(socket_url(shown), origin=Origin("https://evil.example"))
    assert refused.value.response.status_code == 403
    assert pictures.came == []


@pytest.mark.parametrize("message", [b"GIF89a", "a text"])
def test_a_message_that_is_no_jpeg_ends_the_connection(
    shown: Shown, pictures: Pictures, message: str | bytes
) -> None:
    with connect(socket_url(shown)) as phone:
        phone.send(json.dumps({"key": KEY}))
        phone.recv()
        phone.send(message)
        with pytest.raises(ConnectionClosed) as closed:
            phone.recv()
    assert closed.value.rcvd is not None and closed.value.rcvd.code == 4415
    assert pictures.came == []


def test_the_latest_phone_is_the_camera(shown: Shown, pictures: Pictures) -> None:
    with connect(socket_url(shown)) as first, connect(socket_url(shown)) as second:
        for phone in (first, second):
            phone.send(json.dumps({"key": KEY}))
            phone.recv()
        with pytest.raises(ConnectionClosed) as closed:
            first.recv()
        second.send(photograph())
        assert json.loads(second.recv())["frame"] == 1
    assert closed.value.rcvd is not None and closed.value.rcvd.code == 4409


def test_a_phone_is_told_what_the_table_sees(pictures: Pictures, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phone_api, "PLACING_S", 0.0)
    table = FramedTable()
    with serving(table, phone=pictures) as shown, connect(socket_url(shown)) as phone:
        phone.send(json.dumps({"key": KEY}))
        phone.recv()

        def told() -> dict[str, object]:
            phone.send(photograph())
            seen: dict[str, object] = json.loads(phone.recv()).get("seen", {})
            return seen

        seen = told()
        assert seen["framing"]["tiles"] == 3 and seen["tiles"], "with the outlines"  # type: ignore[index]
        assert (seen["seeing"], seen["turns"]) == ("watching", 0)
        assert told() == {}, "each picture once"
        table.say(CameraStatus("lost", Message("the board is not in view")))
        assert told()["seeing"] == "lost"
        monkeypatch.setattr(phone_api, "PLACING_S", 60.0)
        table.say(CameraStatus("watching"))
        told()
        table.say(CameraStatus("moving"))
        assert told() == {}, "not too often"


def test_a_table_with_a_camera_of_its_own_has_no_such_page() -> None:
    with serving(FakeTable()) as shown:
        assert httpx.get(f"{shown.url}/camera").status_code == 404


@pytest.mark.browser
def test_the_page_streams_the_phones_camera(shown: Shown, pictures: Pictures) -> None:
    with chromium(*FAKE_CAMERA) as browser:
        page = browser.new_page(viewport={"width": PHONE[0], "height": PHONE[1]})
        wrong: list[str] = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        page.goto(f"{shown.url}/camera#key={KEY}")
        page.get_by_role("button", name="Start the camera").click()
        sync_api.expect(page.locator("#count")).to_contain_text("3 pictures sent", timeout=20_000)
        sync_api.expect(page.locator(".lens")).to_have_attribute("data-state", "sending")
        assert "key" not in page.url
        page.get_by_role("button", name="Stop").click()
        sync_api.expect(page.locator(".lens")).to_have_attribute("data-state", "waiting")
        assert wrong == []
    image = decode_image(pictures.came[0])
    assert image.shape[2] == 3 and image.std() > 10


@pytest.mark.browser
def test_without_the_key_the_page_says_so(shown: Shown, pictures: Pictures) -> None:
    with chromium(*FAKE_CAMERA) as browser:
        page = browser.new_page(locale="de-DE")
        page.goto(f"{shown.url}/camera")
        page.get_by_role("button", name="Kamera starten").click()
        sync_api.expect(page.locator("#said")).to_contain_text("Schlüssel")
    assert pictures.came == []


@pytest.mark.browser
def test_the_phone_says_how_it_stands(pictures: Pictures, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phone_api, "PLACING_S", 0.2)
    table = FramedTable()
    table.framing = Framing(False, 0, 0.0, 30.0, ("dark", "no_tiles"))
    with serving(table, phone=pictures) as shown, chromium(*FAKE_CAMERA) as browser:
        page = browser.new_page(viewport={"width": PHONE[0], "height": PHONE[1]})
        page.goto(f"{shown.url}/camera#key={KEY}")
        sync_api.expect(page.locator(".tips li")).to_have_count(3)
        start = page.get_by_role("button", name="Start the camera")
        sync_api.expect(start).to_be_visible()
        assert serious(page) == []
        start.click()
        verdict = page.locator(".verdict")
        sync_api.expect(verdict).to_contain_text("Too dark: switch on a light.")
        sync_api.expect(verdict).to_contain_text("lay the start tile down")
        sync_api.expect(page.locator("#guide")).to_have_attribute("data-board", "false")
        inside = page.evaluate(
            "() => { const box = (id) => document.getElementById(id).getBoundingClientRect(),"
            " guide = box('guide'), view = box('view');"
            " return guide.width > 100 && guide.left > view.left && guide.bottom < view.bottom; }"
        )
        assert inside, "the frame lies within the picture"
        table.framing = Framing(True, 3, 44.0, 30.0)
        table.say(CameraStatus("unclear"))
        sync_api.expect(verdict).to_have_text("I see 3 tiles, sharp and bright enough.")
        sync_api.expect(page.locator("#guide")).to_have_attribute("data-board", "true")
        assert page.locator("#overlay polygon.framed").count() > 0
        assert serious(page) == []
        table.framing = Framing(True, 1, 44.0, 30.0, ("cut_off",), cut_off=("left",))
        table.say(CameraStatus("moving"))  # hands: what was said stands
        page.wait_for_timeout(600)
        sync_api.expect(verdict).to_have_text("I see 3 tiles, sharp and bright enough.")
        table.say(CameraStatus("ended"))
        sync_api.expect(page.locator("#said")).to_have_text("The game is over; this phone is free.")
        sync_api.expect(verdict).to_be_hidden()


@pytest.mark.browser
@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (None, "Proceed to"),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0) Version/17.0 Safari/604.1",
            "visit this website",
        ),
        ("Mozilla/5.0 (Android 14; Mobile; rv:130.0) Gecko/130.0 Firefox/130.0", "Accept the Risk"),
    ],
)
def test_an_unencrypted_page_leads_to_the_encrypted_one(
    pictures: Pictures, agent: str | None, words: str
) -> None:
    app = create_app(FakeTable(), key=KEY, phone=pictures, secure_url="https://192.168.1.20:8771")
    with running(app) as url, chromium() as browser:
        page = browser.new_page(user_agent=agent, viewport={"width": PHONE[0], "height": PHONE[1]})
        page.add_init_script("Object.defineProperty(navigator, 'mediaDevices', { value: undefined })")
        page.goto(f"{url}/camera#key={KEY}")
        way = page.get_by_role("link", name="Open the encrypted page")
        sync_api.expect(way).to_have_attribute("href", f"https://192.168.1.20:8771/camera#key={KEY}")
        sync_api.expect(page.locator("#help")).to_contain_text(words)
        sync_api.expect(page.get_by_role("button", name="Start the camera")).to_be_hidden()
        assert serious(page) == []


REFUSED = """navigator.mediaDevices.getUserMedia =
  () => Promise.reject(new DOMException("Permission denied", "NotAllowedError"))"""


@pytest.mark.browser
@pytest.mark.parametrize(
    ("error", "said"),
    [
        ("NotAllowedError", "The browser may not use the camera."),
        ("NotFoundError", "No camera was found on this device."),
        ("NotReadableError", "Another app is using the camera."),
    ],
)
def test_a_camera_refused_missing_or_in_use_has_its_own_sentence(shown: Shown, error: str, said: str) -> None:
    with chromium() as browser:
        page = browser.new_page(viewport={"width": PHONE[0], "height": PHONE[1]})
        page.add_init_script(REFUSED.replace("NotAllowedError", error))
        page.goto(f"{shown.url}/camera#key={KEY}")
        page.get_by_role("button", name="Start the camera").click()
        sync_api.expect(page.locator("#said")).to_contain_text(said)


@pytest.mark.browser
def test_a_camera_that_is_refused_says_where_to_allow_it(shown: Shown) -> None:
    with chromium() as browser:
        page = browser.new_page(viewport={"width": PHONE[0], "height": PHONE[1]})
        page.add_init_script(REFUSED)  # the headless shell has no prompt that could be denied
        page.goto(f"{shown.url}/camera#key={KEY}")
        page.get_by_role("button", name="Start the camera").click()
        sync_api.expect(page.locator("#help")).to_contain_text("Permissions")
        sync_api.expect(page.get_by_role("button", name="Start the camera")).to_be_visible()
        assert serious(page) == []
