"""`tilesight bench inference`: games, figures and options."""

from __future__ import annotations

import json
import math

import pytest

from tests.tilesight.test_command_line import run
from tilesight.bench.inference.command import lines_of, log_score, simulated, summary
from tilesight.bench.inference.game import SimulationTask, drawn_game, simulate
from tilesight.inference.stories.tracker import StoryTracker

EASY = SimulationTask(0, 1, "carcassonne", "turn", turns=6, hardness=0.0)


def test_a_game_without_misreadings_is_followed_by_any_tracker() -> None:
    for make in (StoryTracker, None):
        row = simulate(EASY) if make is None else simulate(EASY, make)
        assert (row.turns, row.exact, row.final_exact) == (6, 6, True)
        assert row.silent == row.left_out == ()


def test_the_same_task_gives_the_same_row() -> None:
    task = SimulationTask(1, 1, "hunters-gatherers", "minute", turns=6)
    assert simulate(task) == simulate(task)


def test_results_do_not_depend_on_the_number_of_processes() -> None:
    tasks = [SimulationTask(n, 1, "carcassonne", turns=5) for n in range(3)]
    assert list(simulated(tasks, 1)) == list(simulated(tasks, 2))


def test_every_second_game_of_carcassonne_has_a_river() -> None:
    begins = [drawn_game("carcassonne", 1, number, 2)[0] for number in range(4)]
    editions = [getattr(start, "edition", None) for start in begins]
    assert editions == [None, "c1", None, "c3"]


def test_the_number_decides_the_game_and_the_pace() -> None:
    chosen = {(task.name, task.chosen_pace) for task in (SimulationTask(n, 1) for n in range(12))}
    assert len(chosen) == 12


def test_figures_count_all_games() -> None:
    row = simulate(EASY)
    total = summary([row, row])
    assert (total["games"], total["turns"], total["final_exact"]) == (2, 12, 2)
    assert total["gaps"]["turns"] == 2 * len(row.told_in_gaps)
    assert sum(one["count"] for one in total["reliability"]) == 12
    assert any(line.startswith("carcassonne: 12 of 12 turns") for line in lines_of([row, row]))


def test_the_log_score_punishes_sure_errors() -> None:
    assert log_score([(1.0, True)]) == 0.0
    assert log_score([(0.5, True), (0.5, False)]) == pytest.approx(math.log(0.5))
    assert log_score([(1.0, False)]) < log_score([(0.9, False)])


def test_the_command_writes_json(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--only", "0", "--turns", "3", "--game", "carcassonne", "--pace", "turn", "--json"]
    code, out, err = run(monkeypatch, capsys, "bench", "inference", *words)
    assert (code, err) == (0, "")
    total = json.loads(out)["inference"]
    assert total["games"] == 1 and total["each"][0]["turns"] == 3


@pytest.mark.parametrize(("word", "value"), [("--game", "tricky-safari"), ("--pace", "never")])
def test_options_that_cannot_be_simulated_exit_2_with_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], word: str, value: str
) -> None:
    code, out, err = run(monkeypatch, capsys, "bench", "inference", word, value)
    assert code == 2 and out == ""
    assert err.count("\n") == 1 and value in err
