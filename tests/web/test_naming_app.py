"""The page on which tiles are named: faces and designs, changes, and refusals."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import httpx
import pytest

from engine.pack import Pack, load_pack
from tests.web.fake_table import photograph
from web.naming_app import FaceCard, FaceName, create_naming_app

KEY = "ABCD2345"


class Faces:
    """Three faces to be named."""

    def __init__(self) -> None:
        self.pack: Pack = load_pack("hunters-gatherers-2020")
        self.cards = [FaceCard(2, FaceName()), FaceCard(1, FaceName("HG05", 3), (("HG05", 3), ("HG07", 0)))]
        self.finished = 0
        self.before: list[list[FaceCard]] = []
        self.photographs: list[bytes] = []
        self.no_tiles = False

    def faces(self) -> Sequence[FaceCard]:
        return list(self.cards)

    def picture(self, number: int) -> bytes:
        return b"jpeg %d" % number

    def name(self, number: int, named: FaceName) -> None:
        self.before.append(list(self.cards))
        card = self.cards[number]
        self.cards[number] = FaceCard(card.views, named, card.guesses, known=card.known)

    @property
    def changes(self) -> int:
        return len(self.before)

    def undo(self) -> None:
        if self.before:
            self.cards = self.before.pop()

    def photographed_more(self, photograph: bytes) -> Sequence[int]:
        self.photographs.append(photograph)
        if self.no_tiles:
            return []
        self.cards.append(FaceCard(1, FaceName("HG12", 1), (("HG12", 1),)))
        return [len(self.cards) - 1]

    def finish(self) -> None:
        self.finished += 1


@pytest.fixture
def faces() -> Faces:
    return Faces()


class Client:
    """Asks the application without a server."""

    def __init__(self, faces: Faces) -> None:
        self._app = create_naming_app(faces, key=KEY)

    def ask(self, method: str, path: str, key: str = KEY, **how: Any) -> httpx.Response:
        async def one() -> httpx.Response:
            transport = httpx.ASGITransport(self._app)
            async with httpx.AsyncClient(transport=transport, base_url="http://table") as client:
                return await client.request(method, path, headers={"X-Table-Key": key}, **how)

        return asyncio.run(one())

    def get(self, path: str) -> httpx.Response:
        return self.ask("GET", path)

    def post(self, path: str, key: str = KEY, **how: Any) -> httpx.Response:
        return self.ask("POST", path, key, **how)


@pytest.fixture
def client(faces: Faces) -> Client:
    return Client(faces)


def test_faces_and_designs_are_told(client: Client) -> None:
    told = client.get("/api/faces").json()
    assert told["pack"]["id"] == "hunters-gatherers-2020"
    assert len(told["designs"]) == 95
    assert told["designs"]["HG05"]["edges"].keys() == {"n", "e", "s", "w"}
    assert [face["design"] for face in told["faces"]] == [None, "HG05"]
    assert told["faces"][1]["guesses"] == [{"design": "HG05", "turn": 3}, {"design": "HG07", "turn": 0}]
    assert client.get(told["faces"][1]["picture"]).content == b"jpeg 1"
    assert [face["sides"] for face in told["faces"]] == [None, None]
    page = client.get("/")
    assert "naming.js" in page.text
    assert "script-src" not in page.headers["content-security-policy"]  # default-src 'self' holds
    for path in ("/js/naming.js", "/css/naming.css", "/css/base.css", "/img/tilesight.svg"):
        assert client.get(path).status_code == 200


def test_a_face_is_named_turned_and_dropped(client: Client, faces: Faces) -> None:
    assert client.post("/api/faces/0", json={"design": "HG12", "turn": 2}).json()["sure"] is True
    assert faces.cards[0].named == FaceName("HG12", 2, sure=True)
    client.post("/api/faces/0", json={"dropped": True})
    assert faces.cards[0].named == FaceName(None, 0, sure=True, dropped=True)
    assert client.post("/api/finish").status_code == 409  # a guess that nobody confirmed is no name
    client.post("/api/faces/1", json={"design": "HG05", "turn": 3})
    assert client.post("/api/finish").json() == {"finished": True}
    assert faces.finished == 1


def test_a_design_tells_what_its_picture_shows(client: Client, faces: Faces) -> None:
    faces.pack = load_pack("carcassonne")
    designs = client.get("/api/faces").json()["designs"]

    def features(name: str, kind: str) -> list[Any]:
        return [one for one in designs[name]["features"] if one["kind"] == kind]

    assert [sorted(one["edges"]) for one in features("BC-G", "city")] == [["n", "s"]]
    assert [one["edges"] for one in features("BC-H", "city")] == [["n"], ["s"]]
    assert features("BC-C", "city")[0]["marks"] == {"pennants": 1}
    assert features("BC-A", "road")[0]["ends_in"] == "monastery" and designs["BC-A"]["count"] == 2


def test_animal_tiles_are_named_like_designs_and_changes_are_undone(client: Client, faces: Faces) -> None:
    faces.pack = load_pack("safari")
    told = client.get("/api/faces").json()
    assert told["designs"]["token-lion"] == {
        "art": None, "count": 10, "edges": {}, "features": [], "animal": "lion",
    }  # fmt: skip
    assert client.post("/api/faces/0", json={"design": "token-lion"}).json()["design"] == "token-lion"
    assert client.get("/api/faces").json()["changes"] == 1
    assert client.post("/api/undo").json() == {"changes": 0}
    assert faces.cards[0].named == FaceName()


def test_photographs_are_added(client: Client, faces: Faces) -> None:
    path = "/api/photographs"
    assert client.post(path, content=photograph()).json() == {"faces": [2]}
    assert faces.photographs == [photograph()]
    assert client.post(path, content=b"GIF89a").status_code == 415
    assert client.post(path, key="", content=photograph()).status_code == 403
    faces.no_tiles = True
    assert client.post(path, content=photograph()).json()["error"]["code"] == "no_tiles"


def test_invalid_requests_and_those_without_the_key_are_refused(client: Client, faces: Faces) -> None:
    assert client.post("/api/faces/7", json={}).status_code == 404
    assert client.get("/api/faces/-1.jpg").status_code == 404
    assert client.post("/api/faces/0", json={"design": "CS1"}).json()["error"]["code"] == "unknown_design"
    assert client.post("/api/faces/0", json={"turn": 4}).status_code == 422
    assert client.post("/api/faces/0", json={"name": "HG12"}).status_code == 422
    assert client.post("/api/faces/0", json={}, key="").status_code == 403
    assert client.post("/api/finish", key="WRONG").status_code == 403
    assert client.get("/art/token-lion.png").status_code == 404
    faces.cards = [FaceCard(1, FaceName("HG05", sure=True, dropped=True))]
    assert client.post("/api/finish").status_code == 409
    assert faces.finished == 0
