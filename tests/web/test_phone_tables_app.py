"""Routes of tables without a computer: rights to make them, film them and command them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.web.conftest import KEY, running
from tests.web.fake_accounts import FakeAccounts
from tests.web.fake_table import photograph
from tests.web.test_club_app import NO_TOURNAMENTS, FakeClub, club_table
from tilesight.club.database.engine import open_database
from tilesight.club.hub.phone_tables import PhoneTables
from web.club import phone_tables
from web.club.app import create_club_app
from web.club.phone_tables import Addresses

PLAYERS = [{"color": "red", "name": "Ana"}, {"color": "blue", "name": "Bo"}]
TABLE = {"name": "Table 7", "game": "safari", "players": PLAYERS}
HOST = {"X-Table-Key": KEY}


class FilmedTables(PhoneTables):
    """Tables whose pictures stay here."""

    came: list[tuple[str, bytes]]

    def push_picture(self, table: str, jpeg: bytes) -> None:
        self.came.append((table, jpeg))


@contextmanager
def phone_hub(path: Path, club: FakeClub | None = None) -> Iterator[tuple[httpx.Client, FilmedTables]]:
    """A hub's pages over a database, and the pictures that came."""
    engine = open_database(path / "hub.db")
    tables = FilmedTables(engine, lambda: {"hall-1"})
    tables.came = []
    addresses = Addresses("http://192.168.1.5:8780", "https://192.168.1.5:8783")
    app = create_club_app(
        club or FakeClub(),
        NO_TOURNAMENTS,
        key=KEY,
        accounts=FakeAccounts(),
        phones=tables,
        addresses=addresses,
    )
    with running(app) as url, httpx.Client(base_url=url) as client:
        yield client, tables
    engine.dispose()


def made(client: httpx.Client, **more: Any) -> dict[str, Any]:
    answer = client.post("/api/phone-tables", json={**TABLE, **more}, headers=HOST)
    assert answer.status_code == 201, answer.text
    told: dict[str, Any] = answer.json()
    return told


def test_the_host_makes_a_table_and_closes_it(tmp_path: Path) -> None:
    with phone_hub(tmp_path) as (client, _):
        assert client.post("/api/phone-tables", json=TABLE).status_code == 403
        assert client.get("/api/phone-tables").status_code == 403
        table = made(client)
        assert (table["id"], len(table["key"]), table["players"]) == ("table-7", 16, PLAYERS)
        assert table["camera_url"] == f"https://192.168.1.5:8783/camera/table-7#key={table['key']}"
        assert table["url"] == f"http://192.168.1.5:8780/table/table-7#key={table['key']}"
        told = client.get("/api/phone-tables", headers=HOST).json()
        assert told["tables"] == [table]
        most = {one["game"]: (one["fewest"], one["most"]) for one in told["games"]}
        assert most["safari"] == (2, 5) and most["tricky-safari"] == (2, 2)
        assert client.get("/api/qr.svg?text=x", headers=HOST).text.startswith("<svg")
        assert client.get("/api/qr.svg?text=x").status_code == 403
        own = {"X-Table-Key": table["key"]}
        assert client.post("/api/phone-tables/table-7/close", headers=own).status_code == 403
        assert client.post("/api/phone-tables/table-7/close", headers=HOST).json() == {"ok": True}
        assert client.post("/api/phone-tables/table-7/close", headers=HOST).status_code == 404
        assert client.get("/api/tables/table-7/key", headers=own).status_code == 403
        again = made(client)
        assert again["id"] == table["id"] and again["key"] != table["key"]


@pytest.mark.parametrize(
    ("more", "status", "code"),
    [
        ({"game": "chess"}, 404, "unknown_game"),
        ({"players": PLAYERS[:1]}, 409, "players_number"),
        ({"players": [*PLAYERS, {"color": "red", "name": "Chi"}]}, 409, "colors"),
        ({"players": [PLAYERS[0], {"color": "pink", "name": "Chi"}]}, 409, "colors"),
        ({"players": [PLAYERS[0], {"color": "blue", "name": "Bo,yellow=Eve"}]}, 409, "names"),
        ({"game": "tricky-safari"}, 409, "colors"),
        ({"game": "tricky-safari", "players": [PLAYERS[0]]}, 409, "players_number"),
        ({"name": "Table 7!"}, 409, "name_taken"),
        ({"name": "Hall 1"}, 409, "name_taken"),
        ({"name": "桌"}, 409, "no_name"),
        ({"name": " "}, 422, "invalid"),
        ({"key": "mine"}, 422, "invalid"),
    ],
)
def test_a_table_that_cannot_be_played_is_refused_in_one_line(
    tmp_path: Path, more: dict[str, Any], status: int, code: str
) -> None:
    with phone_hub(tmp_path) as (client, _):
        made(client)
        answer = client.post("/api/phone-tables", json={**TABLE, "name": "Other", **more}, headers=HOST)
        error = answer.json()["error"]
        assert (answer.status_code, error["code"]) == (status, code)
        assert "\n" not in error["message"]
        assert len(client.get("/api/phone-tables", headers=HOST).json()["tables"]) == 1


def test_a_phone_films_its_own_table_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phone_tables, "EVERY_S", 0.0)
    club = FakeClub()
    with phone_hub(tmp_path, club) as (client, tables):
        own, other = made(client), made(client, name="Table 8")
        club.put(club_table("table-7", phone="open"))
        page = client.get("/camera/table-7").text
        assert 'data-most="900000"' in page and 'data-secure="https://192.168.1.5:8783"' in page
        jpeg = photograph()

        def push_picture(
            key: str | None, body: bytes = jpeg, table: str = "table-7", phone: str = ""
        ) -> httpx.Response:
            headers = {"X-Phone": phone, **({"X-Table-Key": key} if key else {})}
            return client.post(f"/api/tables/{table}/camera", content=body, headers=headers)

        assert push_picture(own["key"]).json() == {"frame": 1, "worker": True, "seeing": "watching"}
        assert push_picture(KEY).json() == {"frame": 2}
        assert tables.came == [("table-7", jpeg)] * 2
        assert push_picture(None).json()["error"]["code"] == "key_missing"
        assert push_picture(other["key"]).json()["error"]["code"] == "key_wrong"
        assert push_picture(KEY, table="none").status_code == 404
        assert push_picture(own["key"], b"GIF89a").status_code == 415
        assert push_picture(own["key"], b"").status_code == 415
        assert push_picture(own["key"], jpeg + bytes(900_000)).status_code == 413
        assert push_picture(own["key"], phone="new").status_code == 200
        assert push_picture(own["key"]).json()["error"]["code"] == "replaced"
        monkeypatch.setattr(phone_tables, "EVERY_S", 60.0)
        assert push_picture(own["key"], phone="new").status_code == 200
        assert push_picture(own["key"], phone="new").json()["error"]["code"] == "too_soon"
        assert len(tables.came) == 4


def test_a_tables_own_key_opens_its_commands_alone(tmp_path: Path) -> None:
    club = FakeClub()
    with phone_hub(tmp_path, club) as (client, _):
        own = made(client)
        club.put(club_table("table-7", phone="open"))
        club.put(club_table("hall-1"))
        key = {"X-Table-Key": own["key"]}
        undo = {"path": "/api/undo", "body": {}}
        assert client.get("/api/tables/table-7/key", headers=key).json() == {"ok": True, "own": True}
        assert client.get("/api/tables/table-7/key", headers=HOST).json() == {"ok": True, "own": False}
        assert client.post("/api/tables/table-7/command", json=undo, headers=key).json() == {"ok": True}
        assert client.post("/api/tables/hall-1/command", json=undo, headers=key).status_code == 403
        assert client.get("/api/key", headers=key).status_code == 403
        assert client.post("/api/tournaments", json={}, headers=key).status_code == 403
        assert club.commands == [("table-7", "/api/undo", {})]


def test_guessing_keys_is_slowed_down_and_no_picture_is_read(tmp_path: Path) -> None:
    with phone_hub(tmp_path) as (client, tables):
        made(client)
        statuses = [
            client.post("/api/tables/table-7/camera", content=photograph(), headers={"X-Table-Key": f"K{n}"})
            for n in range(6)
        ]
        assert [one.status_code for one in statuses] == [403, 403, 403, 403, 429, 429]
        assert tables.came == []
