"""`tilesight check`: exit codes and output (docs/formats.md, 'Output of check')."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from engine.pack import load_pack
from engine.record import write_record
from tilesight.commands.check import check_command
from tilesight.simulation.tile_games import random_game

app = typer.Typer()
app.command("check")(check_command)
PACK = load_pack("savanna")
LEGAL = write_record(random_game(PACK, 2, seed=3, turns=20, expect=True))
HEADER, FIRST = LEGAL.splitlines()[:2]


def run(*arguments: str, stdin: str | bytes = "") -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(arguments), input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


def document(*arguments: str, stdin: str = "") -> tuple[int, dict[str, Any]]:
    code, out, _ = run(*arguments, "--json", stdin=stdin)
    value: dict[str, Any] = json.loads(out)
    assert value["tilesight"] == 1
    return code, value


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    twice = json.loads(FIRST)
    texts = {
        "legal": LEGAL,
        "illegal": "\n".join((HEADER, FIRST, json.dumps({**twice, "expect": {}}))),
        "unmet": LEGAL.replace('"placements":', '"placements":1'),
        "broken": HEADER + "\n{",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.game.jsonl").write_text(text, "utf-8")
    return {name: str(tmp_path / f"{name}.game.jsonl") for name in texts}


def test_a_legal_record_is_exit_0_with_its_scores(files: dict[str, str]) -> None:
    code, value = document(files["legal"])
    assert (code, value["valid"], value["turns"]) == (0, True, 20)
    assert value["final"] == json.loads(LEGAL.splitlines()[-1])["expect"]["final"]
    assert set(value) == {"tilesight", "valid", "turns", "scores", "final", "events"}
    assert {"turn", "player", "points", "kind", "why", "cells"} <= set(value["events"][0])
    code, out, err = run(files["legal"])
    assert code == 0 and "valid, 20 turns" in out and err == ""


def test_an_illegal_record_is_exit_1_with_every_fault(files: dict[str, str]) -> None:
    code, value = document(files["illegal"])
    assert (code, value["valid"], value["line"]) == (1, False, 3)
    assert {"wrong_player", "cell_taken"} <= {fault["code"] for fault in value["faults"]}
    code, out, _ = run(files["illegal"])
    assert code == 1 and "line 3" in out


def test_an_unmet_expectation_is_exit_1(files: dict[str, str]) -> None:
    code, value = document(files["unmet"])
    assert (code, value["valid"]) == (1, False)
    assert {"line", "key", "expected", "got"} == set(value["expect_failed"][0])
    assert value["expect_failed"][0]["key"] == "placements"


def test_an_unreadable_record_exits_2_with_one_line(files: dict[str, str], tmp_path: Path) -> None:
    for path in (files["broken"], str(tmp_path / "none"), str(tmp_path)):
        code, out, err = run(path)
        assert (code, out) == (2, "")
        assert len(err.splitlines()) == 1
        assert path in err
    code, value = document(files["broken"])
    assert (code, value["valid"], value["error"]["line"]) == (2, False, 2)
    assert run("-", stdin=b"\xff\xff")[0] == 2


def test_several_records_are_counted(files: dict[str, str]) -> None:
    code, value = document(files["legal"], files["illegal"], files["legal"])
    assert (code, value["valid"], value["invalid"]) == (1, 2, 1)
    assert [item["valid"] for item in value["records"]] == [True, False, True]
    assert value["records"][1]["file"] == files["illegal"]
    code, out, _ = run(files["legal"], files["broken"])
    assert code == 2 and "1 of 2 records valid" in out


def test_a_header_line_starts_the_next_record_on_standard_input() -> None:
    code, value = document("-", stdin=LEGAL + LEGAL)
    assert (code, value["valid"], value["invalid"], len(value["records"])) == (0, 2, 0, 2)
    code, value = document("-", stdin=LEGAL)
    assert (code, value["valid"], len(value["records"])) == (0, 1, 1)


@pytest.mark.long
@pytest.mark.parametrize(
    "text",
    [
        (HEADER + "\n") * 1500,
        HEADER + "\n" + "{}\n" * 150_000,
        HEADER + "\n" + FIRST[:-1] + ',"expect":{"x":[' + "[]," * 500_000 + "[]]}}",
    ],
    ids=["headers", "lines", "one-line"],
)
def test_memory_does_not_grow_with_the_file(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.record.MAX_BYTES", 3 * 2**20)  # what is set aside for reading
    path = tmp_path / "large.game.jsonl"
    path.write_text(text)
    run(str(path))  # what is loaded once
    over = tracemalloc_peak(lambda: run(str(path))) - 3 * 2**20 - 2 * len(text)
    assert over < 2**20


def tracemalloc_peak(what: Callable[[], object]) -> int:
    """Bytes that Python held at most meanwhile."""
    tracemalloc.start()
    try:
        what()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_many_records_are_checked(files: dict[str, str]) -> None:
    assert run(*[files["legal"]] * 12)[0] == 0
