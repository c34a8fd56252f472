"""`tilesight accounts`: made, listed, given another password, removed."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

pytest.importorskip("pwdlib", reason="the extra club is not installed: make dev")

from tilesight import app as command_line
from tilesight.club.database.engine import open_database
from tilesight.club.hub.accounts import Accounts

PASSWORD = "correct horse"


class Terminal:
    """Runs `tilesight accounts` with the club's folder in a temporary place."""

    def __init__(
        self, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self._monkeypatch, self._capsys = monkeypatch, capsys
        self.database = home / "club" / "hub.db"
        monkeypatch.setenv("TILESIGHT_HOME", str(home))

    def run(self, *words: str, given: str = "") -> tuple[int, str]:
        self._monkeypatch.setattr(sys, "argv", ["tilesight", "accounts", *words])
        self._monkeypatch.setattr(sys, "stdin", io.StringIO(given))
        with pytest.raises(SystemExit) as ended:
            command_line.main()
        out, err = self._capsys.readouterr()
        return int(ended.value.code or 0), out + err

    def opens(self, name: str, password: str) -> bool:
        engine = open_database(self.database)
        try:
            return Accounts(engine, "secret").login(name, password) is not None
        finally:
            engine.dispose()


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(tmp_path, monkeypatch, capsys)


def test_an_account_is_made_changed_and_removed(terminal: Terminal) -> None:
    made = terminal.run("add", "Ana", "--role", "referee", "--password-stdin", given=f"{PASSWORD}\n")
    assert made == (0, "referee Ana: made\n")
    assert terminal.opens("ana", PASSWORD)
    for path in (terminal.database.parent, terminal.database.parent / "session.secret"):
        assert path.stat().st_mode & 0o077 == 0  # nobody else reads it
    listed = json.loads(terminal.run("list", "--json")[1])["accounts"]
    assert [(one["name"], one["role"]) for one in listed] == [("Ana", "referee")]
    assert terminal.run("password", "ana", "--password-stdin", given="another one\n")[0] == 0
    assert terminal.opens("Ana", "another one") and not terminal.opens("Ana", PASSWORD)
    assert terminal.run("remove", "Ana") == (0, "Ana: removed\n")
    assert not terminal.opens("Ana", "another one")


@pytest.mark.parametrize(
    ("words", "given"),
    [
        (("add", "Ana", "--role", "referee", "--password-stdin"), "short\n"),
        (("add", "Ana", "--role", "referee"), f"{PASSWORD}\n"),
        (("add", "", "--role", "host", "--password-stdin"), f"{PASSWORD}\n"),
        (("add", "Ana", "--role", "king"), ""),
        (("add", "Ana", "--role", "host", PASSWORD), ""),
        (("remove", "Ana"), ""),
        (("password", "Ana", "--password-stdin"), f"{PASSWORD}\n"),
    ],
)
def test_wrong_use_is_one_line(terminal: Terminal, words: tuple[str, ...], given: str) -> None:
    code, said = terminal.run(*words, given=given)
    assert code == 2 and said.startswith("tilesight: ") and said.count("\n") == 1
    assert "no_account" not in said and PASSWORD not in said.replace(f"({PASSWORD})", "")
