"""Attack: start the program where the system has no locale but ASCII, with "ü" in names and paths.

``LC_ALL=C PYTHONUTF8=0`` ended commands with a traceback: a file's name, a player's and a line of output
could not be encoded. Held: every command goes on in UTF-8.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.attacks.targets import table_in
from tests.matrix.games import kit_of

ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0"}
SESSION = Path(__file__).parents[2] / "samples" / "first-light"
SLOW_S = 60


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder called Größe, and an environment whose locale is ASCII."""
    for name, value in ASCII.items():
        monkeypatch.setenv(name, value)
    folder = tmp_path / "Größe"
    folder.mkdir()
    monkeypatch.setenv("TILESIGHT_HOME", str(folder / "home"))
    return folder


def _told(*words: str | Path | bytes) -> tuple[int, str]:
    """The exit code of a command, and all that it prints."""
    command = [os.fsencode(word) for word in (sys.executable, "-m", "tilesight.app", *words)]
    done = subprocess.run(command, capture_output=True, timeout=SLOW_S, check=False)
    told = (done.stdout + done.stderr).decode()
    assert "Traceback" not in told, told
    return done.returncode, told


def test_commands_read_and_write_files_with_umlauts(folder: Path) -> None:
    """Commands read and write files called "ü", and print their names."""
    record = folder / "Züge.jsonl"
    code, record_text = _told("play", "--game", "safari", "--seed", "1")
    assert code == 0
    record.write_text(record_text, "utf-8")
    code, told = _told("check", record)
    assert code == 0 and "Größe/Züge.jsonl" in told
    code, told = _told("check", folder / "fehlt-ü.jsonl")
    assert code == 2 and "fehlt-ü.jsonl" in told
    photo = shutil.copyfile(SESSION / "frames" / "0001.jpg", folder / "Brett-ü.jpg")
    code, told = _told("photo", photo, "--report", folder / "Bericht-ü.html")
    assert code == 0 and (folder / "Bericht-ü.html").is_file(), told


def test_a_table_of_players_with_umlauts_is_kept(folder: Path) -> None:
    """A table whose folder and players have umlauts is begun, told and backed up."""
    red, blue = list(kit_of("safari").colors)[:2]
    with table_in(folder, players=f"{red}=Jürg,{blue}=Zoë") as table:
        assert [one["name"] for one in table.state()["players"]] == ["Jürg", "Zoë"]
        log = table.log
    assert log.is_file()
    code, told = _told("table", "backup", log, folder / "Kopie-ü.table")
    assert code == 0 and (folder / "Kopie-ü.table").is_file(), told


def test_a_name_that_is_no_text_is_refused_in_one_line(folder: Path) -> None:
    """A player's name that is not UTF-8 ends the command with one line."""
    words = ("live", "--game", "safari", "--players", b"red=J\xfcrg,blue=Bo", "--camera", folder)
    code, told = _told(*words, "--table", folder / "one.table")
    assert code == 2 and len(told.splitlines()) == 1, told
