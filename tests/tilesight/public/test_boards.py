"""Photographs and sessions from a program."""

from __future__ import annotations

from pathlib import Path

import pytest

import tilesight as ts
from tests.matrix.games import SAMPLES

BOARD = SAMPLES / "house-boards" / "house-26.jpg"
SESSION = SAMPLES / "staged" / "hand-resting"


@pytest.fixture(scope="module")
def board() -> ts.Board:
    return ts.read(BOARD, pack="savanna")


def test_a_board_is_what_the_document_says(board: ts.Board) -> None:
    told = board.to_json()
    assert (board.game, board.pack) == ("safari", "savanna")
    assert [tile.tile for tile in board.tiles] == [one["tile"] for one in told["tiles"]]
    assert [piece.color for piece in board.pieces] == [one["color"] for one in told["pieces"]]
    assert board.points == told["if_ended_now"]
    assert len(board.reasons) == len(told["if_ended_events"]) > 0
    assert all(least <= board.points[color] <= most for color, (least, most) in board.ranges.items())


def test_a_board_is_drawn_for_notebooks(board: ts.Board) -> None:
    assert board.plot().size == tuple(board.to_json()["image"]["size_wh"])
    png = board._repr_png_()
    assert png is not None and png.startswith(b"\x89PNG")


def test_a_photograph_that_is_missing_says_so(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"none\.jpg"):
        ts.read(tmp_path / "none.jpg")
    with pytest.raises(ValueError, match="at least one"):
        ts.read()


def test_a_session_is_watched_and_replayed_alike() -> None:
    replayed = ts.replay(SESSION)
    turns = [event.data["line"] for event in ts.watch(SESSION, pace="fast") if event.type == "turn"]
    assert [turn["tile"] for turn in turns] == [turn["tile"] for turn in replayed.turns]
    assert replayed.compare is not None and replayed.compare["final_exact"]


def test_a_table_that_is_not_finished_is_let_go_of() -> None:
    events = ts.watch(SESSION, game="safari", players={"red": "Ana", "blue": "Bo"}, pace="fast")
    assert next(events).type == "camera"
    events.close()


def test_a_game_needs_its_players() -> None:
    with pytest.raises(ValueError, match="player"):
        next(iter(ts.watch("0", game="safari")))
