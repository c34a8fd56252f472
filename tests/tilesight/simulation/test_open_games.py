"""`tilesight play` and `tilesight check` for a game in which nothing is drawn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from engine.game import OpenGame
from engine.games import game_named
from engine.record import check, read_record, write_record
from tilesight.commands.check import check_command
from tilesight.simulation.open_games import random_open_game
from tilesight.simulation.tile_games import play_command

app = typer.Typer()
app.command("play")(play_command)
app.command("check")(check_command)
GAME = game_named("tricky-safari")


def run(*arguments: str, stdin: str = "") -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(arguments), input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


def test_a_played_game_is_the_same_for_the_same_seed_and_checks() -> None:
    code, out, err = run("play", "--game", "tricky-safari", "--seed", "7")
    assert (code, err) == (0, "")
    assert check(read_record(out)).valid
    assert run("play", "--game", "tricky-safari", "--seed", "7")[1] == out
    assert run("play", "--game", "tricky-safari", "--seed", "8")[1] != out
    document = json.loads(run("play", "--game", "tricky-safari", "--seed", "7", "--json")[1])
    assert document["record"] == [json.loads(line) for line in out.splitlines()]


def test_its_check_gives_winner_and_photos(tmp_path: Path) -> None:
    """docs/formats.md, 'Output of check'."""
    assert isinstance(GAME, OpenGame)
    record = random_open_game(GAME, 2, 2, greedy=1, expect=True)
    path = tmp_path / "a.game.jsonl"
    path.write_text(write_record(record), "utf-8")
    code, out, _ = run("check", "--json", str(path))
    value = json.loads(out)
    assert code == 0
    assert set(value) == {"tilesight", "valid", "turns", "winner", "photos", "events"}
    assert value["photos"] == {
        player: sum(event["points"] for event in value["events"] if event["player"] == player)
        for player in ("yellow", "red")
    }
    code, out, _ = run("check", str(path))
    assert code == 0
    assert out.splitlines()[-1].startswith("final: yellow ")
    assert sum(line.startswith("  turn ") for line in out.splitlines()) == len(value["events"])


def test_an_illegal_and_an_unreadable_record_are_told_apart(tmp_path: Path) -> None:
    assert isinstance(GAME, OpenGame)
    text = write_record(random_open_game(GAME, 2, 2, turns=1))
    header, first, _ = text.splitlines()
    code, out, _ = run("check", "--json", "-", stdin=f"{header}\n{first}\n{first}\n")
    value = json.loads(out)["records"][0]
    assert (code, value["valid"], value["line"]) == (1, False, 3)
    assert "wrong_player" in {fault["code"] for fault in value["faults"]}
    code, _, err = run("check", "-", stdin=f'{header}\n{{"player":"yellow","to":3}}\n')
    assert code == 2
    assert "line 2: to:" in err


@pytest.mark.parametrize("arguments", [["--players", "3"], ["--players", "1"], ["--rules", "mine"]])
def test_wrong_use_is_exit_2(arguments: list[str]) -> None:
    code, out, err = run("play", "--game", "tricky-safari", *arguments)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1


def test_greedy_players_need_fewer_moves() -> None:
    assert isinstance(GAME, OpenGame)
    lengths = {
        greedy: sum(len(random_open_game(GAME, 2, seed, greedy=greedy).lines) for seed in range(4))
        for greedy in (0.0, 1.0)
    }
    assert lengths[1.0] < lengths[0.0]
