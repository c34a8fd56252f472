"""The lobby's memory from one start to the next."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilesight.lobby import memory
from tilesight.lobby.memory import LobbyMemory


def test_key_names_and_cameras_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "home" / "lobby.json"
    first = LobbyMemory(path)
    first.remember("one", "phone", {"red": "Ana"})
    first.remember("one", "0", {"red": "Ida", "blue": "Bo"})
    again = LobbyMemory(path)
    assert again.key == first.key
    assert again.names == {"red": "Ida", "blue": "Bo"}
    assert (again.camera_of("one"), again.camera_of("other")) == ("0", "")
    assert path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("text", ["", "{", '{"key": 7}', '{"key": "short"}', "[]"])
def test_a_damaged_file_is_begun_anew(tmp_path: Path, text: str) -> None:
    path = tmp_path / "lobby.json"
    path.write_text(text)
    assert LobbyMemory(path).key == LobbyMemory(path).key


def test_the_oldest_cameras_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "TABLES_KEPT", 2)
    kept = LobbyMemory(tmp_path / "lobby.json")
    for table in ("a", "b", "a", "c"):
        kept.remember(table, "phone", {})
    assert [kept.camera_of(table) for table in "abc"] == ["phone", "", "phone"]


def test_a_table_with_discs_has_them_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "lobby.json"
    first = LobbyMemory(path)
    first.remember("one", "0", {}, discs=True)
    first.remember("two", "0", {})
    again = LobbyMemory(path)
    assert (again.has_discs("one"), again.has_discs("two")) == (True, False)
    again.remember("one", "0", {})
    assert not LobbyMemory(path).has_discs("one")


def test_a_forgotten_name_is_suggested_no_more(tmp_path: Path) -> None:
    memory = LobbyMemory(tmp_path / "lobby.json")
    memory.remember("one", "0", {"red": "Ana", "blue": "Bo"})
    memory.call(["Ana", "ana"], "Anna")
    memory.call(["Bo"], "")
    assert LobbyMemory(tmp_path / "lobby.json").names == {"red": "Anna"}
    memory.call(["ana"], "ana")
    assert memory.people == {"Ana": "Anna", "Bo": ""}
