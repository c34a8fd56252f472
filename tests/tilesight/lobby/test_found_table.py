"""Tables that a lobby has left when it was killed are found, listed and ended by the next one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tilesight.home import tables_folder
from tilesight.lobby.lobby import TableLobby
from tilesight.lobby.memory import LobbyMemory
from tilesight.server.table_control import Control, controlled
from tilesight.table_log.event_fold import EntryKind
from tilesight.table_log.event_store import TableStore
from web.lobby_app import TableCard
from web.table.refusal import Refusal

HEADER = {"tilesight": 1, "game": "safari", "pack": "savanna", "rules": "zman", "players": ["red", "blue"]}
LOBBY = """
import sys, time
from tilesight.lobby.lobby import TableLobby
from tilesight.lobby.memory import LobbyMemory
from web.lobby_app import NewTable
with TableLobby(LobbyMemory(), "127.0.0.1") as lobby:
    lobby.begin(NewTable("savanna", (("red", "Ana"), ("blue", "Bo")), sys.argv[1]))
    while lobby.tables()[0].phase == "starting":
        time.sleep(0.1)
    print(lobby.tables()[0].url, flush=True)
    time.sleep(600)
"""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILESIGHT_HOME", str(tmp_path))
    tables_folder().mkdir(parents=True)


def only(lobby: TableLobby) -> TableCard:
    [card] = lobby.tables()
    return card


def test_a_running_table_is_listed_with_its_address_and_one_that_has_ended_is_not() -> None:
    log = tables_folder() / "evening.table"
    with TableLobby(LobbyMemory(), "127.0.0.1") as lobby, TableStore(log) as store:
        store.append(EntryKind.OPENED, {"header": HEADER, "names": {"red": "Ana", "blue": "Bo"}})
        with controlled(log, {"ready": True, "url": "http://127.0.0.1:1", "host_key": "K"}):
            for _ in range(2):
                card = only(lobby)
                assert (card.phase, card.url) == ("running", "http://127.0.0.1:1/#key=K")
            with pytest.raises(Refusal) as refused:
                lobby.resume("evening", "phone")
            assert refused.value.code == "watched"
            control = Control.of(log)
            assert control is not None
        # What a killed table leaves counts for nothing, whether or not another process has the log.
        (tables_folder() / "evening.table-control").write_text(control.model_dump_json())
        store._close()
        assert only(lobby).phase == "sleeping"
        with TableStore(log):
            assert only(lobby).phase == "elsewhere"
            with pytest.raises(Refusal) as refused:
                lobby.stop("evening")
            assert refused.value.code == "unknown_table"
    assert log.exists()  # a lobby that ends leaves tables of others alone


def ask(url: str, path: str, body: Any = None) -> Any:
    address, key = url.split("/#key=")
    headers = {"X-Table-Key": key, "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(
        urllib.request.Request(f"{address}{path}", data, headers), timeout=10
    ) as told:
        return json.load(told)


def until(wanted: Callable[[], bool]) -> None:
    for _ in range(600):
        if wanted():
            return
        time.sleep(0.1)
    raise AssertionError("too late")


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("how", ["SIGHUP", "SIGKILL"])
def test_the_next_lobby_goes_on_with_the_tables_of_a_killed_one(tmp_path: Path, how: str) -> None:
    camera = tmp_path / "camera"
    camera.mkdir()
    words = [sys.executable, "-c", LOBBY, str(camera)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, start_new_session=True) as first:
        assert first.stdout is not None
        url = first.stdout.readline().strip()
        os.kill(first.pid, getattr(signal, how))
    with TableLobby(LobbyMemory(), "127.0.0.1") as lobby:
        card = only(lobby)
        assert (card.phase, card.url, card.asked.camera) == ("running", url, str(camera))
        ask(url, "/api/seat", {"color": "red", "name": "Mia"})  # phones go on
        until(lambda: only(lobby).asked.players[0] == ("red", "Mia"))
        lobby.stop(card.id)
        assert only(lobby).phase == "sleeping"
        assert lobby.resume(card.id, str(camera)).id == card.id
        until(lambda: only(lobby).phase == "running")
    assert not list(tables_folder().glob("*-control"))
