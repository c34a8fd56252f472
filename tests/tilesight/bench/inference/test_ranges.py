"""`tilesight bench ranges`: simulated boards, and the figures over them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.tilesight.test_command_line import run
from tilesight.bench.inference import ranges
from tilesight.bench.inference.ranges import (
    RangedBoard,
    figures_of,
    logged,
    ranged_boards,
    rendered_board,
    rendered_boards,
)
from tilesight.settings import SettingsError


def test_ranges_contain_the_truth_of_worn_boards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Almost half of these boards are read with an error in their points."""
    monkeypatch.setattr(ranges, "FEWEST_TURNS", 8)
    monkeypatch.setattr(ranges, "MOST_TURNS", 12)
    rows = list(ranged_boards("carcassonne", 12, 4, worn=True))
    assert sum(all(row.inside) for row in rows) >= 11
    assert sum(row.exact for row in rows) <= 8, "the boards of this test should be doubtful"
    assert rows[:1] == list(ranged_boards("carcassonne", 1, 4, worn=True)), "the same seed, the same board"


def test_figures_count_boards_and_colours() -> None:
    rows = [
        RangedBoard(1, True, 0.9, (True, True), (0, 2)),
        RangedBoard(2, False, 0.5, (True, False), (4, 6)),
    ]
    figures = figures_of(rows)
    assert (figures["covered"], figures["colors_covered"], figures["exact"]) == (0.5, 0.75, 0.5)
    assert (figures["width_mean"], figures["widest_mean"]) == (3.0, 4.0)


def test_the_command_writes_json(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(ranges, "MOST_TURNS", 16)
    code, out, _ = run(monkeypatch, capsys, "bench", "ranges", "--boards", "1", "--game", "safari", "--json")
    assert code == 0
    assert list(json.loads(out)["ranges"]) == ["safari"]


def test_rendered_boards_are_logged_and_not_rendered_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered: list[int] = []

    def board(name: str, seed: int, folder: Path) -> RangedBoard:
        rendered.append(seed)
        return RangedBoard(seed, exact=True, probability=0.5, inside=(True, False), widths=(1, 2))

    monkeypatch.setattr(ranges, "rendered_board", board)
    log = tmp_path / "boards.jsonl"
    first = list(rendered_boards("safari", 2, 1, log))
    both = list(rendered_boards("safari", 3, 1, log))
    assert both[:2] == first and len(both) == 3
    assert len(set(rendered)) == len(rendered) == 3
    assert logged(log, "carcassonne") == []
    log.write_text("nonsense\n")
    with pytest.raises(SettingsError, match="no log of boards"):
        list(rendered_boards("safari", 1, 1, log))


@pytest.mark.long
def test_a_rendered_board_is_read_as_a_photograph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranges, "FEWEST_TURNS", 8)
    monkeypatch.setattr(ranges, "MOST_TURNS", 9)
    row = rendered_board("carcassonne", 7, tmp_path / "board")
    assert len(row.inside) >= 2 and row.probability > 0
    assert [path.name for path in (tmp_path / "board" / "frames").iterdir()] == ["0000.jpg"]
