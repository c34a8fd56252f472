"""Attack: bring a game whose log makes the library's page fail for good.

A picture that cannot be decoded, a time of infinity or any other value that the page cannot show gave 500 at
`/api/library`, also after a restart. Held: such a log is told as unreadable or shown without its picture,
all other games are shown, and it can be deleted.
"""

from __future__ import annotations

import contextlib
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from tests.attacks.logs import change, play
from tests.web.conftest import KEY, running
from tests.web.test_lobby_app import FakeLobby
from tilesight.home import tables_folder
from tilesight.lobby.library import Library
from tilesight.lobby.shelf import Shelf
from web.lobby_app import create_lobby_app


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILESIGHT_HOME", str(tmp_path))


@contextlib.contextmanager
def _started() -> Iterator[httpx.Client]:
    """A lobby that was just started."""
    with (
        running(create_lobby_app(FakeLobby(), key=KEY, library=Library())) as url,
        httpx.Client(base_url=url, headers={"X-Table-Key": KEY}) as client,
    ):
        yield client


def _picture(jpeg: bytes) -> Callable[[Path], None]:
    """Replace every picture of a log, with a checksum that agrees."""

    def changed(path: Path) -> None:
        with contextlib.closing(sqlite3.connect(path)) as base, base:
            base.execute("UPDATE pictures SET jpeg = ?, sum = ?", (jpeg, zlib.crc32(jpeg)))

    return changed


PICTURES = (b"no picture at all", b"\xff\xd8\xff\xe0" + bytes(300), b"")
DATA = (
    {"at_s": float("inf")},
    {"at_s": float("-inf")},
    {"data": '{"keep": 0, "lines": ' + "[" * 5000 + "]" * 5000 + "}"},
    {"data": '{"keep": 1e999, "lines": []}'},
    {"data": '{"keep": 0, "lines": [7]}'},
    {"kind": "seat", "data": '{"color": "red", "name": "\\ud800"}'},
    {"kind": "seat", "data": '{"color": "red", "name": {"a": 1e999}}'},
    {"kind": "scores", "data": '{"turn": 1, "points": {"red": NaN}}'},
    {"kind": "table", "data": '{"header": [], "names": 3}'},
)


@pytest.mark.parametrize("jpeg", PICTURES)
def test_a_picture_that_cannot_be_decoded_hides_no_game(jpeg: bytes) -> None:
    play(tables_folder() / "good.table")
    _picture(jpeg)(play(tables_folder() / "bad.table"))
    for _ in range(2):  # also after a restart
        with _started() as client:
            _shows_both(client)


def _shows_both(client: httpx.Client) -> None:
    told = client.get("/api/library")
    assert told.status_code == 200
    assert {game["id"] for game in told.json()["games"]} == {"good", "bad"}
    assert client.get("/api/library/bad/photo.jpg").status_code < 500
    assert client.get("/api/library/bad/replay.html").status_code == 200


@pytest.mark.parametrize("values", DATA)
def test_a_log_that_cannot_be_read_is_told_and_can_be_deleted(values: dict[str, object]) -> None:
    play(tables_folder() / "good.table")
    change(play(tables_folder() / "bad.table"), 5, **values)
    for _ in range(2):
        with _started() as client:
            _tells_the_bad_one(client)
    assert [game.id for game in Shelf().games()] == ["good"]
    with _started() as client:
        assert client.post("/api/library/bad/delete").status_code == 200
        assert client.get("/api/library").json()["unreadable"] == []
        assert client.post("/api/library/bad/restore").status_code == 200
        assert len(client.get("/api/library").json()["unreadable"]) == 1


def _tells_the_bad_one(client: httpx.Client) -> None:
    told = client.get("/api/library")
    assert told.status_code == 200
    assert [game["id"] for game in told.json()["games"]] == ["good"]
    assert [log["id"] for log in told.json()["unreadable"]] == ["bad"]
    assert client.get("/api/library/bad/photo.jpg").status_code < 500
    assert client.get("/api/library/bad/replay.html").status_code < 500
