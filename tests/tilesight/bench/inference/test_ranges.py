"""`tilesight bench ranges`: simulated boards, and the figures over them."""

from __future__ import annotations

import json

import pytest

from tests.tilesight.test_command_line import run
from tilesight.bench.inference import ranges
from tilesight.bench.inference.ranges import RangedBoard, figures_of, ranged_boards


def test_ranges_contain_the_truth_of_worn_boards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Almost half of these boards are read with an error in their points."""
    monkeypatch.setattr(ranges, "FEWEST_TURNS", 8)
    monkeypatch.setattr(ranges, "MOST_TURNS", 12)
    rows = list(ranged_boards("carcassonne", 12, 4, worn=True))
    assert sum(all(row.inside) for row in rows) >= 11
    assert sum(row.exact for row in rows) <= 8, "the boards of this test should be doubtful"
    assert rows[:1] == list(ranged_boards("carcassonne", 1, 4, worn=True)), "the same seed, the same board"


def test_figures_count_boards_and_colours() -> None:
    rows = [RangedBoard(True, 0.9, (True, True), (0, 2)), RangedBoard(False, 0.5, (True, False), (4, 6))]
    figures = figures_of(rows)
    assert (figures["covered"], figures["colors_covered"], figures["exact"]) == (0.5, 0.75, 0.5)
    assert (figures["width_mean"], figures["widest_mean"]) == (3.0, 4.0)


def test_the_command_writes_json(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(ranges, "MOST_TURNS", 16)
    code, out, _ = run(monkeypatch, capsys, "bench", "ranges", "--boards", "1", "--game", "safari", "--json")
    assert code == 0
    assert list(json.loads(out)["ranges"]) == ["safari"]
