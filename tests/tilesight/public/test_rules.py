"""Rules from a program: games, checks, simulated games."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import tilesight as ts
from engine.games import game_names


def test_every_game_is_listed_and_plays_a_legal_game() -> None:
    games = ts.games()
    assert [game.name for game in games] == list(game_names())
    for game in games:
        checked = ts.check(ts.play(game.name, seed=3, rules=game.rules[-1]))
        assert checked.valid and checked.turns > 10 and checked.faults == ()


def test_the_same_seed_plays_the_same_game(tmp_path: Path) -> None:
    played = ts.play("safari", players=3, seed=5)
    assert played.to_json() == ts.play("safari", players=3, seed=5).to_json()
    assert ts.check(played.save(tmp_path / "game.jsonl")).to_json() == ts.check(played).to_json()


def test_an_illegal_line_has_its_reasons(tmp_path: Path) -> None:
    lines = ts.play("carcassonne", seed=7).text.splitlines()
    path = tmp_path / "wrong.jsonl"
    path.write_text("\n".join([*lines[:2], lines[1], *lines[2:]]) + "\n", "utf-8")
    checked = ts.check(path)
    assert not checked.valid and checked.faults and checked.final == {}


@pytest.mark.parametrize("asked", [("chess", 2), ("safari", 9)])
def test_a_game_that_cannot_be_played_says_why(asked: tuple[str, int]) -> None:
    with pytest.raises(ValueError, match=r"chess|9"):
        ts.play(*asked)


def test_a_record_that_is_missing_says_so(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"none\.jsonl"):
        ts.check(tmp_path / "none.jsonl")


def test_results_become_tables_where_pandas_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=list))
    played = ts.play("carcassonne", seed=7)
    rows = list(played.to_pandas())
    assert len(rows) == ts.check(played).turns
    assert all("player" in row for row in rows)
    assert [row["points"] for row in ts.check(played).to_pandas()]


def test_without_pandas_a_table_is_an_import_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError):
        ts.check(ts.play("carcassonne", seed=7)).to_pandas()


def test_a_game_is_the_same_in_a_fresh_process() -> None:
    """The kinds of action that a random player knows once hung on which games were imported."""
    program = "import tilesight as ts; print(ts.play('hunters-gatherers', seed=1).text, end='')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == ts.play("hunters-gatherers", seed=1).text
    assert '"hut"' in done.stdout
