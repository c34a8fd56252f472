"""Roles at a table, another join key, visibility of the camera, and the speaker in the log."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from urllib.parse import quote

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.web.conftest import running
from tests.web.fake_table import FakeTable, photograph
from web.app import create_app
from web.limits.keys import KeyGuard
from web.table.access import SPEAKER, Access, Speaker
from web.table.refusal import NotKept

ACCESS = Access("SAVANNA7", "HOSTHOSTHOST", "CAMERACAMERA")
PICTURES = ("/api/picture", "/api/picture.jpg", "/api/turns/1/crop.jpg")


class Sink:
    def push(self, jpeg: bytes) -> None:
        pass


class Hosted:
    """A table that is served with a guard of all keys, which are kept in a list."""

    def __init__(self) -> None:
        self.table = FakeTable()
        self.table.play(2)
        self.kept: list[Access] = []
        self.full = False
        self.guard = KeyGuard(ACCESS, keep=self.keep)
        self.url = ""

    def keep(self, access: Access) -> None:
        if self.full:
            raise NotKept("the disk is full")
        self.kept.append(access)

    def ask(self, method: str, path: str, key: str | None = None, **how: object) -> httpx.Response:
        headers = {"X-Table-Key": key} if key else {}
        return httpx.request(method, f"{self.url}{path}", headers=headers, timeout=60, **how)  # type: ignore[arg-type]


@pytest.fixture
def hosted() -> Iterator[Hosted]:
    served = Hosted()
    with running(create_app(served.table, key=served.guard, phone=Sink())) as url:
        served.url = url
        yield served
        served.table.feed.close()


@pytest.mark.parametrize(
    ("path", "body", "statuses"),
    [
        ("GET /api/key", None, {"player": 200, "host": 200, "camera": 403}),
        ("POST /api/undo", None, {"player": 200, "host": 200, "camera": 403}),
        ("GET /api/host", None, {"player": 403, "host": 200, "camera": 403}),
        ("GET /api/host/join.svg", None, {"player": 403, "host": 200, "camera": 403}),
        ("GET /api/host/watch.svg", None, {"player": 403, "host": 200, "camera": 403}),
        ("POST /api/host/camera", {"spectators": True}, {"player": 403, "host": 200, "camera": 403}),
        ("POST /api/host/hints", {"on": True}, {"player": 403, "host": 200, "camera": 403}),
        ("POST /api/host/labels", {"on": True}, {"player": 403, "host": 200, "camera": 403}),
        ("POST /api/host/key", None, {"player": 403, "camera": 403, "host": 200}),
    ],
)
def test_each_role_does_what_it_may(
    hosted: Hosted, path: str, body: object, statuses: dict[str, int]
) -> None:
    method, address = path.split()
    assert hosted.ask(method, address, json=body).json()["error"]["code"] == "key_missing"
    for role, status in statuses.items():
        answer = hosted.ask(method, address, getattr(ACCESS, role), json=body)
        assert answer.status_code == status, role
        if status == 403:
            assert answer.json()["error"]["code"] == "not_allowed"


def test_the_role_is_told(hosted: Hosted) -> None:
    for role in ("player", "host"):
        told = hosted.ask("GET", "/api/key", getattr(ACCESS, role)).json()
        assert told == {"ok": True, "role": role, "hints": False, "keep_labels": False}


def test_after_another_join_key_old_links_open_nothing(hosted: Hosted) -> None:
    answer = hosted.ask("POST", "/api/host/key", ACCESS.host).json()
    key = answer["key"]
    assert key != ACCESS.player and answer["join_url"] == f"{hosted.url}/#key={key}"
    assert [access.player for access in hosted.kept] == [key] and hosted.kept[0].retired == (ACCESS.player,)
    assert hosted.ask("POST", "/api/undo", ACCESS.player).json()["error"]["code"] == "key_wrong"
    assert hosted.ask("POST", "/api/undo", key).status_code == 200
    assert hosted.ask("GET", "/api/host", ACCESS.host).json()["key"] == key
    assert b"<svg" in hosted.ask("GET", "/api/host/join.svg", ACCESS.host).content
    assert hosted.ask("GET", "/api/host", ACCESS.host).json()["watch_url"] == f"{hosted.url}/tv"


def test_a_key_that_cannot_be_kept_is_not_changed(hosted: Hosted) -> None:
    hosted.full = True
    assert hosted.ask("POST", "/api/host/key", ACCESS.host).status_code == 507
    assert hosted.ask("POST", "/api/undo", ACCESS.player).status_code == 200


def test_the_camera_may_be_hidden_from_spectators(hosted: Hosted) -> None:
    assert all(hosted.ask("GET", path).status_code == 200 for path in PICTURES)
    assert 'class="photo"' in hosted.ask("GET", "/api/report.html").text
    assert hosted.ask("POST", "/api/host/camera", ACCESS.host, json={"spectators": False}).status_code == 200
    for path in PICTURES:
        answer = hosted.ask("GET", path)
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "camera_hidden")
        assert hosted.ask("GET", path, ACCESS.player).status_code == 200
        assert hosted.ask("GET", path, ACCESS.camera).status_code == 403
    assert hosted.ask("GET", "/api/state").status_code == 200
    assert 'class="photo"' not in hosted.ask("GET", "/api/report.html").text
    assert hosted.kept[-1].spectators_see_camera is False


def test_players_are_told_that_the_host_lets_labels_be_kept(hosted: Hosted) -> None:
    def told() -> tuple[object, object]:
        player = hosted.ask("GET", "/api/key", ACCESS.player).json()["keep_labels"]
        return player, hosted.ask("GET", "/api/host", ACCESS.host).json()["keep_labels"]

    assert told() == (False, False)
    assert hosted.ask("POST", "/api/host/labels", ACCESS.host, json={"on": True}).status_code == 200
    assert told() == (True, True) and hosted.kept[-1] == replace(ACCESS, keep_labels=True)
    hosted.ask("POST", "/api/host/labels", ACCESS.host, json={"on": False})
    assert told() == (False, False) and hosted.kept[-1] == ACCESS


def test_a_table_without_a_log_here_keeps_no_labels(hosted: Hosted) -> None:
    with running(create_app(hosted.table, key=KeyGuard(ACCESS))) as hosted.url:
        assert hosted.ask("GET", "/api/host", ACCESS.host).json()["keep_labels"] is None
        answer = hosted.ask("POST", "/api/host/labels", ACCESS.host, json={"on": True})
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "no_log")
        assert hosted.ask("GET", "/api/key", ACCESS.host).json()["keep_labels"] is False


@contextmanager
def phone(hosted: Hosted, key: str) -> Iterator[ClientConnection]:
    with connect(hosted.url.replace("http", "ws") + "/api/phone") as opened:
        opened.send(json.dumps({"key": key}))
        yield opened


def test_the_cameras_key_sends_pictures_and_survives_another_join_key(hosted: Hosted) -> None:
    with phone(hosted, ACCESS.camera) as camera:
        assert json.loads(camera.recv(timeout=60)) == {"welcome": True}
        hosted.ask("POST", "/api/host/key", ACCESS.host)
        camera.send(photograph())
        assert json.loads(camera.recv(timeout=60))["frame"] == 1


def test_a_camera_with_the_former_join_key_is_sent_away(hosted: Hosted) -> None:
    with phone(hosted, ACCESS.player) as camera:
        assert json.loads(camera.recv(timeout=60)) == {"welcome": True}
        hosted.ask("POST", "/api/host/key", ACCESS.host)
        camera.send(photograph())
        with pytest.raises(ConnectionClosed) as closed:
            camera.recv(timeout=60)
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 4403


@pytest.mark.parametrize(
    ("name", "told"), [("Zoë 🦓", "Zoë 🦓"), ("", ""), ("x" * 31, ""), ("a\x1b[31m", ""), ("\ud800", "")]
)
def test_the_table_hears_who_says_what(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch, name: str, told: str
) -> None:
    heard: list[Speaker | None] = []
    monkeypatch.setattr(hosted.table, "undo", lambda entry: heard.append(SPEAKER.get()))
    headers = {"X-Table-Key": ACCESS.player, "X-Table-Name": quote(name, errors="surrogatepass")}
    assert httpx.post(f"{hosted.url}/api/undo", headers=headers).status_code == 200
    assert heard[0] is not None
    assert (heard[0].role, heard[0].name) == ("player", told or heard[0].name)
    assert "\x1b" not in heard[0].name and len(heard[0].name) <= 30
    heard[0].to_json()["name"].encode()
    assert SPEAKER.get() is None


def test_the_host_is_told_where_the_phone_opens_its_camera_page(hosted: Hosted) -> None:
    access = hosted.ask("GET", "/api/host", ACCESS.host).json()
    assert access["camera_url"] == f"{hosted.url}/camera#key={ACCESS.camera}" and not access["camera_warns"]
    code = hosted.ask("GET", "/api/host/camera.svg", ACCESS.host)
    assert code.headers["content-type"] == "image/svg+xml" and code.headers["cache-control"] == "no-store"
    assert hosted.ask("GET", "/api/host/camera.svg", ACCESS.player).status_code == 403
    secured = create_app(
        hosted.table, key=hosted.guard, phone=Sink(), url="http://a", secure_url="https://a:1"
    )
    with running(secured) as hosted.url:
        access = hosted.ask("GET", "/api/host", ACCESS.host).json()
        assert access["camera_url"] == f"https://a:1/camera#key={ACCESS.camera}" and access["camera_warns"]
    with running(create_app(hosted.table, key=hosted.guard)) as hosted.url:
        access = hosted.ask("GET", "/api/host", ACCESS.host).json()
        assert access["camera_url"] is None and not access["camera_warns"]
        assert hosted.ask("GET", "/api/host/camera.svg", ACCESS.host).status_code == 404
