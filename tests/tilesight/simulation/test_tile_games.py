"""`tilesight play`: random games that are legal, the same for the same seed."""

from __future__ import annotations

import json

import pytest
import typer
from typer.testing import CliRunner

from engine.pack import load_pack
from engine.record import End, check, read_record
from engine.safari.actions import Bonus, Dig, Drawn, Expand
from engine.tiles.game import GameError
from tests.tile_records import header_of
from tilesight.simulation.tile_games import Style, play_command, random_game

app = typer.Typer()
app.command("play")(play_command)
PACK = load_pack("savanna")


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize("game", ["safari", "hunters-gatherers", "carcassonne"])
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_a_played_game_checks_and_ends(players: int, game: str) -> None:
    code, out, _ = run("--game", game, "--players", str(players), "--seed", "7")
    record = read_record(out)
    assert code == 0
    assert isinstance(record.lines[-1].event, End)
    assert len(record.header.players) == players
    assert check(record).valid
    assert run("--game", game, "--players", str(players), "--seed", "7")[1] == out
    assert run("--game", game, "--players", str(players), "--seed", "8")[1] != out


def test_a_field_of_the_header_may_be_given() -> None:
    code, out, _ = run("--game", "carcassonne", "--with", "river=c3", "--seed", "2")
    assert code == 0 and header_of(read_record(out)).river == "c3"


def test_json_is_one_document_with_the_same_lines() -> None:
    _, lines, _ = run("--game", "safari", "--seed", "1")
    _, document, _ = run("--game", "safari", "--seed", "1", "--json")
    value = json.loads(document)
    assert value["tilesight"] == 1
    assert value["record"] == [json.loads(line) for line in lines.splitlines()]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--game", "chess"],
        ["--game", "safari", "--players", "1"],
        ["--game", "safari", "--players", "6"],
        ["--game", "safari", "--players", "-1"],
        ["--game", "safari", "--rules", "mine"],
        ["--game", "safari", "--with", "river=c1"],
        ["--game", "carcassonne", "--with", "river=c2"],
        ["--game", "carcassonne", "--with", "hands=none"],
        ["--game", "carcassonne", "--with", "sea"],
        ["--game", "safari", "--seed", "x"],
        [],
    ],
)
def test_wrong_use_is_exit_2(arguments: list[str]) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err


def test_a_style_keeps_to_what_it_allows() -> None:
    style = Style(allow=("meeple",), greedy=0.5)
    record = random_game(PACK, ("red", "blue"), 4, turns=26, style=style, hands_seen=False)
    assert len(record.turns) == 26
    assert record.header.players == ("red", "blue")
    assert header_of(record).hands is None
    assert not any(
        turn.parts_of(Bonus) or turn.parts_of(Drawn) or isinstance(turn.action, Dig | Expand)
        for turn in record.turns
    )
    assert check(record).valid


def test_greedy_players_score_more() -> None:
    def total(greedy: float) -> int:
        games = [random_game(PACK, 2, seed, turns=16, style=Style(greedy=greedy)) for seed in range(3)]
        return sum(sum(check(game).final.values()) for game in games)

    assert total(1.0) > total(0.0)


def test_a_pack_without_rules_is_not_played() -> None:
    pack = load_pack("savanna")
    without = type(pack)(
        "faces", None, "Faces", 45, pack.folder, pack.tiles, pack.start, pack.designs, pack.tokens
    )
    with pytest.raises(GameError, match="no rules"):
        random_game(without)
