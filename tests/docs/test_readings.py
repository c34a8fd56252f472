"""The table of readings and its floors, written by `make readings` from what a scoreboard tells."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from docs import make_readings, provenance

REAL, KEPT = make_readings.SCOREBOARD, make_readings.KEPT

SCOREBOARD = """
import argparse, json, os, pathlib, sys

options = argparse.ArgumentParser()
for name in ("program", "--only", "--floors", "--out"):
    options.add_argument(name)
for name in ("--quick", "--raise"):
    options.add_argument(name, action="store_true", dest=name.strip("-") + "_asked")
asked = options.parse_args()
told = json.loads(pathlib.Path(__file__).with_name("told.json").read_text())
figures = {name: told[name] for name in (asked.only or " ".join(told)).replace(",", " ").split()}
if asked.quick_asked:
    figures.pop("own", None)
floors, fell = json.loads(pathlib.Path(asked.floors).read_text()), 0
for name, one in figures.items():
    for figure, value in one.items():
        if value < floors.get(name, {}).get(figure, value):
            print("WORSE", name, figure)
            fell = 1
        if asked.raise_asked:
            held = floors.setdefault(name, {})
            held[figure] = max(value, held.get(figure, value))
pathlib.Path(asked.floors).write_text(json.dumps(floors))
pathlib.Path(asked.out).write_text(json.dumps(figures))
print("galleries in", os.environ["TILESIGHT_SCOREBOARD"])
sys.exit(fell)
"""
"""A scoreboard that tells what `told.json` beside it says; of every figure, more is better."""
FLOORS = {"game": {"exact": 30, "final": 1}, "own": {"exact": 30}, "second": {"exact": 6}}


@dataclass(frozen=True)
class Bench:
    """A scoreboard that tells what it is told to, and the folder of what is kept."""

    folder: Path
    kept: Path

    def tells(self, **figures: dict[str, float]) -> None:
        (self.folder / "told.json").write_text(json.dumps(figures), "utf-8")

    @property
    def floors(self) -> dict[str, dict[str, float]]:
        floors: dict[str, dict[str, float]] = json.loads((self.kept / "floors.json").read_text("utf-8"))
        return floors

    @property
    def rows(self) -> dict[str, str]:
        text = (self.kept / "readings.md").read_text("utf-8")
        return {row.split(" | ")[0].strip("| "): row for row in text.splitlines() if row.startswith("| ")}


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    made = Bench(tmp_path, tmp_path / "kept")
    made.kept.mkdir()
    (made.kept / "floors.json").write_text(json.dumps(FLOORS), "utf-8")
    (tmp_path / "scoreboard.py").write_text(SCOREBOARD, "utf-8")
    monkeypatch.setattr(make_readings, "SCOREBOARD", tmp_path / "scoreboard.py")
    monkeypatch.setattr(make_readings, "KEPT", made.kept)
    monkeypatch.setattr(make_readings, "head", lambda: "1234567")
    monkeypatch.setattr(make_readings, "same_code", lambda since: True)
    return made


def test_without_the_sets_one_line_says_that_nothing_is_read(
    bench: Bench, capfd: pytest.CaptureFixture[str]
) -> None:
    (bench.folder / "scoreboard.py").unlink()
    assert make_readings.main([]) == 0
    assert capfd.readouterr().out == "readings: skipped, ../shared/tools/scoreboard.py is not there\n"
    assert not (bench.kept / "readings.md").exists()


def test_figures_that_hold_make_rows_that_name_commit_day_and_machine(bench: Bench) -> None:
    bench.tells(game={"exact": 30, "final": 1})
    assert make_readings.main([]) == 0
    assert bench.rows["game"] == (
        f"| game | exact 30, final 1 | 1234567 | {provenance.today()} | {provenance.machine()} |"
    )


def test_a_line_names_each_figure_that_fell(bench: Bench, capfd: pytest.CaptureFixture[str]) -> None:
    bench.tells(game={"exact": 29, "final": 0}, own={"exact": 30})
    assert make_readings.main([]) == 1
    lines = capfd.readouterr().out.splitlines()
    assert [line for line in lines if "WORSE" in line] == ["WORSE game exact", "WORSE game final"]
    assert bench.floors == FLOORS
    assert "exact 29, final 0" in bench.rows["game"]


def test_a_figure_that_is_told_no_more_fell(bench: Bench, capfd: pytest.CaptureFixture[str]) -> None:
    bench.tells(game={"exact": 30})
    assert make_readings.main([]) == 1
    assert "WORSE game: final, which has a floor, was not told" in capfd.readouterr().out


def test_floors_are_raised_and_never_lowered(bench: Bench) -> None:
    bench.tells(game={"exact": 29, "final": 1}, own={"exact": 31}, second={"exact": 28})
    make_readings.main([])
    assert bench.floors == FLOORS
    assert make_readings.main(["--raise"]) == 1
    assert bench.floors == FLOORS | {"own": {"exact": 31}}  # `second` tips with the machine: it stays


@pytest.mark.parametrize("part", [["--quick"], ["--only", "game"]])
def test_a_part_of_the_sets_leaves_the_other_rows_as_they_were(
    bench: Bench, part: list[str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    bench.tells(game={"exact": 30, "final": 1}, own={"exact": 30})
    make_readings.main([])
    before = bench.rows
    bench.tells(game={"exact": 31, "final": 1}, own={"exact": 31})
    monkeypatch.setattr(make_readings, "head", lambda: "89abcde")
    capfd.readouterr()
    assert make_readings.main(part) == 0
    assert bench.rows["own"] == before["own"]
    assert bench.rows["game"] == before["game"].replace("exact 30", "exact 31").replace("1234567", "89abcde")
    assert "readings: game in" in capfd.readouterr().out


def test_code_that_is_not_committed_is_said(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(make_readings, "same_code", lambda since: False)
    bench.tells(game={"exact": 30, "final": 1})
    make_readings.main([])
    assert "| 1234567 and changes |" in bench.rows["game"]


def test_each_run_enrols_its_own_galleries(bench: Bench, capfd: pytest.CaptureFixture[str]) -> None:
    bench.tells(game={"exact": 30, "final": 1})
    make_readings.main([])
    make_readings.main([])
    told = re.findall("galleries in (.*)", capfd.readouterr().out)
    assert len(set(told)) == 2
    assert not any(Path(folder).exists() for folder in told)


def test_a_scoreboard_that_breaks_off_changes_nothing(bench: Bench) -> None:
    (bench.folder / "scoreboard.py").write_text("import sys; sys.exit(3)", "utf-8")
    with pytest.raises(SystemExit, match="exit status 3"):
        make_readings.main(["--raise"])
    assert bench.floors == FLOORS


@pytest.mark.skipif(not REAL.is_file(), reason="the sets are not there")
def test_the_scoreboard_itself_is_understood(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A program that tells no turn and a right final score takes the place of `tilesight`."""
    program = bench.folder / "tilesight"
    told = json.dumps({"turns": [], "asked": [], "compare": {"final_exact": True}})
    program.write_text(f"#!{sys.executable}\nprint({told!r})\n", "utf-8")
    program.chmod(0o755)
    monkeypatch.setattr(make_readings, "PROGRAM", program)
    monkeypatch.setattr(make_readings, "SCOREBOARD", REAL)
    assert make_readings.main(["--only", "game", "--raise"]) == 1
    assert "WORSE game: exact 0, was 30" in capfd.readouterr().out
    assert bench.floors == FLOORS | {"game": {"exact": 30, "final": 1, "silent": 0, "asked": 0}}
    assert "exact 0, silent 0, asked 0, final 1" in bench.rows["game"]


def test_the_page_of_the_repository_is_the_program_s() -> None:
    text = (KEPT / "readings.md").read_text("utf-8")
    rows = make_readings.ROW.findall(text)
    assert make_readings.page(text, {}, "") == text
    assert set(rows) - {"set"} <= set(json.loads((KEPT / "floors.json").read_text("utf-8")))
