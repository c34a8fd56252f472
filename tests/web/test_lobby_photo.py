"""Photograph routes of the lobby: their rights, the uploads they accept, and the requests they pass on."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from engine.message import Message
from engine.pack import Pack, load_pack
from tests.web.conftest import KEY
from tests.web.test_lobby_app import Client, FakeLobby
from web.lobby_app import TableCard, create_lobby_app
from web.lobby_photo import (
    PICTURE_LIMIT_BYTES,
    Json,
    PhotoPlayers,
    PieceCorrection,
    ShareFormat,
    TileCorrection,
)
from web.report.words import Language
from web.table.refusal import Refusal

JPEG = b"\xff\xd8\xff\xe0"
PNG = b"\x89PNG\r\n"


class FakePhotographs:
    """One board of one photograph; remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def _document(self, *asked: Any) -> Json:
        self.asked.append(asked)
        return {"id": "a", "tiles": []}

    def add(self, photo: str | None, picture: bytes, pack: str | None, rules: str | None) -> Json:
        return self._document("add", photo, picture, pack, rules)

    def jpeg(self, picture: bytes) -> bytes:
        if picture.startswith(b"HEIC"):
            raise Refusal("no_heif", Message("it is a HEIC photograph"))
        return JPEG

    def document(self, photo: str) -> Json:
        if photo != "a":
            raise Refusal("unknown_photo", Message("this photograph is not held any more; take it again"))
        return self._document("document")

    def picture(self, photo: str, number: int) -> bytes:
        return (JPEG, PNG)[number]

    def pack(self, photo: str) -> Pack:
        return load_pack("savanna")

    def choices(self, photo: str, cell: tuple[int, int]) -> list[Json]:
        return [{"tile": "CSS-C", "cell": cell}]

    def correct(self, photo: str, correction: TileCorrection | PieceCorrection) -> Json:
        return self._document("correct", correction)

    def set_rules(self, photo: str, rules: str) -> Json:
        return self._document("rules", rules)

    def undo(self, photo: str) -> Json:
        return self._document("undo")

    def share(self, photo: str, form: ShareFormat, language: Language, players: PhotoPlayers) -> bytes:
        self.asked.append((form, language, players))
        return b"made"

    def keep(
        self,
        photo: str,
        players: PhotoPlayers,
        *,
        over: bool,
        keep_labels: bool = False,
        again: bool = False,
    ) -> str:
        self.asked.append((players, over, keep_labels, again))
        return "game-1"

    def forget(self, photo: str) -> None:
        self.asked.append("forget")


@pytest.fixture
def desk() -> FakePhotographs:
    return FakePhotographs()


@pytest.fixture
def client(desk: FakePhotographs) -> Client:
    return Client(FakeLobby(), photographs=desk)


def said(client: Client, body: dict[str, Any]) -> httpx.Response:
    return client.ask("POST", "/api/photo/a/say", json=body)


def test_a_photograph_is_passed_on_with_what_was_asked(client: Client, desk: FakePhotographs) -> None:
    assert client.ask("POST", "/api/photo?pack=savanna", content=JPEG).json()["id"] == "a"
    assert client.ask("POST", "/api/photo?photo=a&rules=2015", content=PNG).status_code == 200
    assert desk.asked == [("add", None, JPEG, "savanna", None), ("add", "a", PNG, None, "2015")]


@pytest.mark.parametrize("path", ["/api/photo/a", "/api/photo/a/0.jpg", "/api/photo/a/pack"])
def test_without_the_key_nothing_is_told(client: Client, path: str) -> None:
    assert client.ask("GET", path, key="wrong").status_code == 403


def test_without_the_key_nothing_is_taken(client: Client, desk: FakePhotographs) -> None:
    assert client.ask("POST", "/api/photo", key="wrong", content=JPEG).status_code == 403
    assert desk.asked == []


def test_an_upload_that_is_no_picture_or_too_large_is_refused(client: Client, desk: FakePhotographs) -> None:
    answer = client.ask("POST", "/api/photo", content=b"GIF89a")
    assert (answer.status_code, answer.json()["error"]["code"]) == (415, "no_picture")
    answer = client.ask("POST", "/api/photo", content=JPEG + bytes(PICTURE_LIMIT_BYTES))
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")
    assert desk.asked == []


def test_a_picture_that_a_browser_cannot_decode_is_converted(client: Client) -> None:
    answer = client.ask("POST", "/api/jpeg", content=b"TIFF")
    assert (answer.content, answer.headers["content-type"]) == (JPEG, "image/jpeg")
    refused = client.ask("POST", "/api/jpeg", content=b"HEIC")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "no_heif")
    assert client.ask("POST", "/api/jpeg", key="wrong", content=b"TIFF").status_code == 403
    assert client.ask("POST", "/api/jpeg", content=bytes(PICTURE_LIMIT_BYTES + 1)).status_code == 413


def test_a_photograph_that_is_not_held_is_told_so(client: Client) -> None:
    answer = client.ask("GET", "/api/photo/b")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown_photo")


def test_pictures_keep_their_kind_and_faces_know_their_photograph(client: Client) -> None:
    assert client.ask("GET", "/api/photo/a/1.jpg").headers["content-type"] == "image/png"
    pack = client.ask("GET", "/api/photo/a/pack").json()
    assert pack["designs"]["CSS-C"]["art"].startswith("/photo/a/art/")
    assert client.ask("GET", pack["designs"]["CSS-C"]["art"], key="").status_code == 200


def test_a_cell_is_two_numbers(client: Client) -> None:
    assert client.ask("GET", "/api/photo/a/choices?cell=-1,2").json()["choices"][0]["cell"] == [-1, 2]
    assert client.ask("GET", "/api/photo/a/choices?cell=1").status_code == 422


def test_corrections_are_one_thing_at_a_time(client: Client, desk: FakePhotographs) -> None:
    assert said(client, {"tile": {"cell": [1, 0], "tile": "CSS-C", "rot": 90}}).status_code == 200
    assert said(client, {"piece": {"number": 2, "kind": None}}).status_code == 200
    assert said(client, {"rules": "2015"}).status_code == 200
    assert said(client, {"undo": True}).status_code == 200
    assert desk.asked == [
        ("correct", TileCorrection((1, 0), "CSS-C", 90)),
        ("correct", PieceCorrection(2, None)),
        ("rules", "2015"),
        ("undo",),
    ]
    for wrong in (
        {},
        {"undo": True, "rules": "x"},
        {"tile": {"cell": [1, 0], "rot": 45}},
        {"tile": {"cell": [1]}},
    ):
        assert said(client, wrong).status_code == 422, wrong


def test_a_game_is_kept_as_finished_or_goes_on_at_a_camera(client: Client, desk: FakePhotographs) -> None:
    players = [{"color": "red", "name": " Ana ", "before": 12}, {"color": "blue"}]
    kept = client.ask("POST", "/api/photo/a/keep", json={"players": players})
    assert (kept.status_code, kept.json()) == (201, {"game": "game-1"})
    assert desk.asked == [(PhotoPlayers({"red": "Ana", "blue": ""}, {"red": 12}, None), True, False, False)]
    desk.asked.clear()
    body = {"players": players, "keep_labels": True, "again": True}
    client.ask("POST", "/api/photo/a/keep", json=body)
    assert desk.asked == [(PhotoPlayers({"red": "Ana", "blue": ""}, {"red": 12}, None), True, True, True)]
    assert client.ask("POST", "/api/photo/a/keep", json={"players": []}).status_code == 422


def test_a_game_that_is_continued_twice_answers_alike(desk: FakePhotographs) -> None:
    class Watching(FakeLobby):
        def resume(self, table: str, camera: str) -> TableCard:
            raise Refusal(camera, Message("this table is being watched already"))

    client = Client(Watching(), photographs=desk)
    body = {"players": [{"color": "red"}], "camera": "watched"}
    assert client.ask("POST", "/api/photo/a/keep", json=body).json() == {"game": "game-1"}
    refused = client.ask("POST", "/api/photo/a/keep", json={**body, "camera": "too_many_tables"})
    assert refused.status_code == 409


def test_a_score_is_shared_as_a_file(client: Client, desk: FakePhotographs) -> None:
    answer = client.ask("POST", "/api/photo/a/share", json={"form": "pdf", "lang": "de"})
    assert (answer.content, answer.headers["content-type"]) == (b"made", "application/pdf")
    assert answer.headers["content-disposition"].startswith("attachment")
    assert desk.asked == [("pdf", "de", PhotoPlayers())]


def test_a_lobby_without_a_desk_says_so() -> None:
    assert Client(FakeLobby()).ask("GET", "/api/photo/a").status_code == 404
    assert create_lobby_app(FakeLobby(), key=KEY).state.photographs is None
