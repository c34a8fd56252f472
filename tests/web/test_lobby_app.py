"""The lobby's application: its rights, answers and refusals."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import httpx
import pytest

from engine.games import game_named
from engine.message import Message
from engine.pack import Pack, load_pack
from tests.web.conftest import KEY
from web.lobby_app import CameraChoice, Edition, NewTable, TableCard, TablePhase, create_lobby_app
from web.lobby_club import Membership
from web.lobby_photo import Photographs
from web.lobby_print import PaperName, Printer
from web.table.refusal import Refusal

SAFARI = game_named("safari")
ANA_BO = (("red", "Ana"), ("blue", "Bo"))


class FakeLobby:
    """A lobby whose tables are cards alone; ``phase`` and ``url`` are those of one that is begun."""

    phase: TablePhase = "running"
    url: str | None = "http://127.0.0.1/#key=x"

    def __init__(self) -> None:
        self.cards: dict[str, TableCard] = {}
        packs = (load_pack("savanna"), load_pack("hunters-gatherers-2020"))
        self._editions = [
            Edition(pack, SAFARI.name, SAFARI.colors, SAFARI.presets, pack.ships_faces) for pack in packs
        ]

    def editions(self) -> list[Edition]:
        return self._editions

    def cameras(self) -> list[CameraChoice]:
        return [CameraChoice("0", "Desk camera"), CameraChoice("/s", "First light", "savanna", ANA_BO)]

    def names(self) -> dict[str, str]:
        return {"yellow": "Zoe"}

    def tables(self) -> list[TableCard]:
        return list(self.cards.values())

    def begin(self, asked: NewTable) -> TableCard:
        if len({color for color, _ in asked.players}) < len(asked.players):
            raise Refusal("colors", Message("every player needs a colour"))
        id_ = f"table-{len(self.cards)}"
        self.cards[id_] = TableCard(id_, asked, SAFARI.name, self.phase, 3, 1.5e9, self.url)
        return self.cards[id_]

    def resume(self, table: str, camera: str) -> TableCard:
        card = self.cards[table]
        self.cards[table] = replace(card, phase="running", asked=replace(card.asked, camera=camera))
        return self.cards[table]

    def stop(self, table: str) -> None:
        if table not in self.cards:
            raise Refusal("unknown_table", Message("there is no such table"))
        self.cards[table] = replace(self.cards[table], phase="sleeping", url=None)


class Client:
    """Asks the application without a server."""

    def __init__(
        self,
        lobby: FakeLobby,
        membership: Membership | None = None,
        photographs: Photographs | None = None,
        printer: Printer | None = None,
    ) -> None:
        self._app = create_lobby_app(
            lobby, key=KEY, membership=membership, photographs=photographs, printer=printer
        )

    def ask(self, method: str, path: str, key: str = KEY, **how: Any) -> httpx.Response:
        async def one() -> httpx.Response:
            transport = httpx.ASGITransport(self._app)
            async with httpx.AsyncClient(transport=transport, base_url="http://table") as client:
                return await client.request(method, path, headers={"X-Table-Key": key}, **how)

        return asyncio.run(one())

    def get(self, path: str, key: str = KEY) -> httpx.Response:
        return self.ask("GET", path, key)

    def post(self, path: str, body: object = None) -> httpx.Response:
        return self.ask("POST", path, json={} if body is None else body)


@pytest.fixture
def client() -> Client:
    return Client(FakeLobby())


ASKED = {
    "pack": "savanna",
    "players": [{"color": color, "name": name} for color, name in ANA_BO],
    "camera": "phone",
}


@pytest.mark.parametrize("path", ["/api/lobby", "/api/tables", "/api/qr.svg?text=x"])
def test_routes_that_tell_table_keys_need_the_lobbys_key(client: Client, path: str) -> None:
    assert client.get(path).status_code == 200
    assert client.get(path, key="").status_code == 403
    assert client.get(path, key="GUESSED9").status_code == 403


def test_a_table_is_begun_stopped_and_taken_up(client: Client) -> None:
    begun = client.post("/api/tables", ASKED)
    assert begun.status_code == 201 and begun.json()["phase"] == "running"
    assert begun.json()["players"] == ASKED["players"]
    assert client.post("/api/tables/table-0/stop").json() == {"stopped": True}
    assert client.get("/api/tables").json()["tables"][0]["phase"] == "sleeping"
    taken_up = client.post("/api/tables/table-0/take-up", {"camera": "0"}).json()
    assert (taken_up["phase"], taken_up["camera"]) == ("running", "0")


def test_labels_are_kept_only_at_a_table_that_is_begun_so() -> None:
    lobby = FakeLobby()
    for more in ({}, {"keep_labels": True}):
        assert Client(lobby).post("/api/tables", {**ASKED, **more}).status_code == 201
    assert [card.asked.keep_labels for card in lobby.cards.values()] == [False, True]


def test_a_table_whose_meeples_are_discs_is_begun_so() -> None:
    lobby = FakeLobby()
    for more in ({}, {"discs": True}):
        assert Client(lobby).post("/api/tables", {**ASKED, **more}).status_code == 201
    assert [card.asked.discs for card in lobby.cards.values()] == [False, True]


@pytest.mark.parametrize(
    "changed",
    [
        {"players": []},
        {"players": [{"color": "red", "name": " "}]},
        {"players": [{"color": "red", "name": "Ana\n"}]},
        {"camera": ""},
        {"pack": 7},
        {"more": True},
    ],
)
def test_an_invalid_request_for_a_table_is_refused_with_422(
    client: Client, changed: dict[str, object]
) -> None:
    answer = client.post("/api/tables", {**ASKED, **changed})
    assert answer.status_code == 422 and answer.json()["error"]["code"] == "invalid"


def test_refusals_are_told(client: Client) -> None:
    twice = client.post("/api/tables", {**ASKED, "players": [{"color": "red", "name": "A"}] * 2})
    assert (twice.status_code, twice.json()["error"]["code"]) == (409, "colors")
    assert client.post("/api/tables/nowhere/stop").status_code == 404


def test_an_edition_has_a_picture_where_its_pack_has_one(client: Client) -> None:
    savanna, bare = client.get("/api/lobby").json()["editions"]
    assert savanna["ready"] and not bare["ready"] and bare["picture"] is None
    assert client.get(savanna["picture"], key="").headers["content-type"] == "image/webp"
    for path in ("/art/savanna/pack.json", "/art/savanna/..%2Fpack.json", "/art/nothing/CSS-W.jpg"):
        assert client.get(path).status_code == 404


def test_a_deck_is_printed_for_who_holds_the_key() -> None:
    def drawn(pack: Pack, paper: PaperName) -> bytes:
        if paper == "a3":
            raise Refusal("no_sheets", Message("nothing to print"))
        return f"%PDF {pack.id} {paper}".encode()

    client = Client(FakeLobby(), printer=drawn)
    answer = client.get("/api/print/savanna.pdf?paper=letter")
    assert (answer.status_code, answer.content) == (200, b"%PDF savanna letter")
    assert answer.headers["Content-Type"] == "application/pdf"
    assert client.get("/api/print/savanna.pdf", key="").status_code == 403
    assert client.get("/api/print/savanna.pdf?paper=napkin").status_code == 422
    assert client.get("/api/print/savanna.pdf?paper=a3").json()["error"]["code"] == "no_sheets"
    for nothing in ("hunters-gatherers-2020", "nowhere"):  # one has no pictures
        assert client.get(f"/api/print/{nothing}.pdf").json()["error"]["code"] == "unknown_pack"
    assert Client(FakeLobby()).get("/api/print/savanna.pdf").status_code == 404
