"""Attack: learn the network addresses of the guests' phones from what a table shows, shares or sends.

Logs of old versions hold the address of the phone behind each change. Held: new logs hold none, and nothing
that a table, a library or a hub gives out holds one, however old the log is.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attacks.logs import play
from tests.attacks.targets import Target, lobby_in, table_in
from tests.attacks.test_07_keys_travel import ways_out
from tilesight.club.messages import LogEntry
from tilesight.home import tables_folder
from tilesight.lobby.library import Library
from tilesight.table_log.event_fold import EntryKind
from tilesight.table_log.event_store import TableStore

ADDRESSES = ("192.168.178.42", "fd00::beef:42")
"""Addresses of phones in the old log."""


def old_log(path: Path) -> Path:
    """Write a log as an old version did, with the address of the phone behind each change."""
    play(path, 3)
    with TableStore(path) as store:
        turn = store.entries()[-1].data["lines"][0]
        lost = {
            "keep": 2,
            "lines": [],
            "what": "remove",
            "turn": 3,
            "unkept": [{"turn": 3, "line": turn, "faults": []}],
        }
        for address in ADDRESSES:
            who = {"role": "player", "name": "Zoe", "address": address}
            store.append(EntryKind.SAID, {"keep": 2, "lines": [], **lost, "who": who})
            store.append(EntryKind.SEATED, {"color": "red", "name": "Ana", "who": who})
    return path


def held(content: bytes) -> list[str]:
    """The addresses that are in some bytes, as they are or escaped in JSON."""
    return [one for one in ADDRESSES if one.encode() in content or json.dumps(one).encode() in content]


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    """A live table that goes on with an old log."""
    home = tmp_path_factory.mktemp("table")
    old_log(home / "attacked.table")
    with table_in(home) as running:
        yield running


def test_no_answer_of_a_table_holds_an_address(target: Target) -> None:
    """No page, state, event or file of a table that goes on with an old log holds a phone's address."""
    state = target.state()
    assert state["history"]["who"] == {"role": "player", "name": "Zoe"}, "the log is taken up"
    paths = [
        path for path, routes in target.ask("/api/openapi.json").json()["paths"].items() if "get" in routes
    ]
    assert len(paths) > 20
    for path in paths:
        place = path.format(turn=1, question="q", name="x", version="v")
        if path != "/api/events":
            for key in (None, target.running.ready["host_key"]):
                assert not held(target.ask(place, key=key).content), place
    with target.connect() as opened:
        opened.sendall(b"GET /api/events?last_event_id=0 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert not held(opened.recv(1 << 20))


def test_a_new_entry_holds_no_address(target: Target) -> None:
    """A change is kept with the role and name of its sender, and never with an address, whatever is sent."""
    with TableStore(target.log, read_only=True) as store:
        before = len(store.entries())
    told = {"X-Forwarded-For": ADDRESSES[0], "Forwarded": f"for={ADDRESSES[0]}", "X-Table-Name": "Ana"}
    body = {"color": "red", "name": "Anna"}
    assert target.ask("/api/seat", body, key=target.key, headers=told).status_code == 200
    assert target.ask("/api/undo", {}, key=target.key, headers=told).status_code == 200
    with TableStore(target.log, read_only=True) as store:
        new = [entry.data for entry in store.entries()[before:]]
    assert any(data.get("who") == {"role": "player", "name": "Ana"} for data in new)
    text = json.dumps(new)
    assert "127.0.0.1" not in text and not held(text.encode())


def test_no_file_of_an_old_game_holds_an_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All games in one file, a replay, a backup, an export and the club's copy of an old game hold none."""
    monkeypatch.setenv("TILESIGHT_HOME", str(tmp_path / "home"))
    log = old_log(tables_folder() / "one.table")
    assert held(log.read_bytes()) == list(ADDRESSES)
    for name, content in ways_out(Library(), log, tmp_path):
        assert not held(content), name


def test_a_lobby_shows_and_packs_no_address(tmp_path: Path) -> None:
    """A lobby's list, replay and file of all games hold no address, nor do those of an imported game."""
    old_log(tmp_path / "home" / "tables" / "one.table")
    old = old_log(tmp_path / "two.table")
    with lobby_in(tmp_path / "home") as lobby:
        brought = {"content": old.read_bytes(), "params": {"name": "two.table"}}
        assert lobby.ask("/api/library/import", key=lobby.key, **brought).json()["brought"] == 1
        for path in ("/api/library", "/api/tables", "/api/library/one/replay.html"):
            assert not held(lobby.ask(path, key=lobby.key).content), path
        packed = lobby.ask("/api/library/export.zip", key=lobby.key).content
    (tmp_path / "all.zip").write_bytes(packed)
    with zipfile.ZipFile(tmp_path / "all.zip") as members:
        assert sorted(members.namelist()) == ["one.table", "two.table"]
        assert not [name for name in members.namelist() if held(members.read(name))]


def test_a_hub_keeps_no_address_that_an_old_table_sends() -> None:
    """A hub leaves the address out of an entry that a table of an old version sends, and knows it again."""
    data = {"names": {}, "who": {"role": "player", "name": "Zoe", "address": ADDRESSES[0]}}
    sent = json.dumps({"v": 1, "number": 2, "kind": "seat", "at_s": 1.0, "data": data}).encode()
    read = LogEntry.model_validate_json(sent)
    assert read.data["who"] == {"role": "player", "name": "Zoe"} and not held(read.encoded())
    assert LogEntry.of(read.entry()) == read
