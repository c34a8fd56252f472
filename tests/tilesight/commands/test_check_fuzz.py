"""`tilesight check` on arbitrary input: an exit code and a clear line, never a traceback."""

from __future__ import annotations

import json
import random
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
import typer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from engine.game import OpenGame
from engine.games import game_named, game_names, tile_game_names
from engine.notation import read_position
from engine.pack import load_pack
from engine.record import write_record
from tilesight.commands.check import check_command
from tilesight.simulation.open_games import random_open_game
from tilesight.simulation.tile_games import random_game

app = typer.Typer()
app.command("check")(check_command)
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 7, 10**30, 0.5, 1e300, "", "red", "?", "lion", "a1", "ellow", "\ud800",
    "\u2028", "x" * 300, [], [0], [0, 0], [[0, 0], [0, 0]], ["red", "red"], {}, {"red": ["lion"]},
    {"type": "dig"}, {"red": 1},
)  # fmt: skip
KEYS = ("x", "player", "tile", "end", "game", "start", "pass")


@lru_cache
def lines_of(name: str) -> list[Any]:
    """A short game with every expectation, as JSON values."""
    game = game_named(name)
    if isinstance(game, OpenGame):
        record = random_open_game(game, 2, seed=3, turns=8, expect=True)
    else:
        record = random_game(load_pack(game.default_pack), 3, seed=3, turns=8, expect=True)
    return [json.loads(line) for line in write_record(record).splitlines()]


def run(*arguments: str, stdin: bytes = b"") -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(arguments), input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) inside a JSON value."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [(value, key) for key in keys] + [item for key in keys for item in places(value[key])]


def damaged(game: str, rng: random.Random) -> bytes:
    """The game with one or two values replaced, lost, renamed or moved; perhaps with signs lost too."""
    lines: list[Any] = json.loads(json.dumps(lines_of(game)))
    for _ in range(rng.randint(1, 2)):
        container, key = rng.choice(places(lines))
        kind = rng.randrange(5)
        if kind <= 1:
            container[key] = deepcopy(rng.choice(VALUES))  # the next round may change it
        elif kind == 2:
            del container[key]
        elif kind == 3:
            other, there = rng.choice(places(lines))
            container[key] = json.loads(json.dumps(other[there]))
        elif isinstance(container, dict):
            container[rng.choice(["x", "player", "tile", "end", "game", "start", "pass"])] = container.pop(
                key
            )
    data = "\n".join(json.dumps(line) for line in lines).encode()
    if rng.random() < 0.3:
        at = rng.randrange(len(data))
        data = data[:at] + bytes(rng.choices(range(256), k=2)) + data[at + rng.randint(0, 3) :]
    return data


def checked(data: bytes) -> None:
    """The same input in every form of output."""
    code, out, err = run("-", stdin=data)
    assert code in (0, 1, 2)
    if code == 2:
        assert err.startswith("tilesight check: ")
        assert all(line.startswith("tilesight check: ") for line in err.splitlines())
    elif code == 1:
        assert any(word in out for word in ("illegal at line", "not as expected"))
    again, document, _ = run("-", "--json", stdin=data)
    assert again == code
    value = json.loads(document)
    assert value["valid"] + value["invalid"] == len(value["records"])
    assert (value["invalid"] == 0) == (code == 0)
    again, lines, _ = run("-", "--position", stdin=data)
    assert again == code
    assert len(lines.splitlines()) == value["valid"]


@pytest.mark.parametrize("game", game_names())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(rng=st.randoms(use_true_random=False))
def test_a_damaged_record_gets_a_clear_answer(game: str, rng: random.Random) -> None:
    checked(damaged(game, rng))


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=60))
def test_bytes_get_a_clear_answer(data: bytes) -> None:
    code, out, err = run("-", stdin=data)
    assert (code, out) == (2, "")
    assert err.startswith("tilesight check: standard input")


def test_the_last_position_of_each_valid_record_is_a_line(tmp_path: Path) -> None:
    paths = []
    for game in game_names():
        path = tmp_path / f"{game}.game.jsonl"
        path.write_text("\n".join(json.dumps(line) for line in lines_of(game)), "utf-8")
        paths.append(str(path))
    code, out, err = run("--position", *paths)
    assert code == 0 and err == f"{len(paths)} of {len(paths)} records valid\n"
    assert [line.split("/")[0] for line in out.splitlines()] == list(game_names())
    for line in out.splitlines():
        read_position(line)
    code, document, _ = run("--position", "--json", *paths)
    assert [item["position"] for item in json.loads(document)["records"]] == out.splitlines()
    turn = json.dumps(lines_of("safari")[1])
    Path(paths[0]).write_text("\n".join((json.dumps(lines_of("safari")[0]), turn, turn)), "utf-8")
    code, out, err = run("--position", *paths)
    assert code == 1 and len(out.splitlines()) == len(paths) - 1 and "illegal at line 3" in err


def test_hundreds_of_records_are_checked_at_once() -> None:
    text = "\n".join(json.dumps(line) for game in tile_game_names() for line in lines_of(game)[:3])
    code, out, _ = run("-", stdin="\n".join([text] * 150).encode())
    assert code == 0 and out.splitlines()[-1] == "450 of 450 records valid"
