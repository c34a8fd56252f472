"""The score of a photograph and its uncertainty."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.geometry import Cell
from engine.pack import load_pack
from engine.tiles.pieces import Sort
from tilesight.photograph import score as score_module
from tilesight.photograph.params import PARAMS
from tilesight.photograph.score import score_photograph
from vision.board import SeenPiece, SeenTile, SolvedBoard
from vision.geometry.lattice_frame import LatticeFrame
from vision.joint.belief_propagation import Face, joint_posterior
from vision.observation import CellReading, Observation, PieceReading

PACK = load_pack("carcassonne")
QUAD = np.array([(0, 0), (60, 0), (60, 60), (0, 60)], np.float32)


def tile(design: str, *others: tuple[str, float]) -> SeenTile:
    """A tile at the origin, and what else it may be."""
    sure = 1.0 - sum(share for _, share in others)
    return SeenTile((0, 0), Face(design, 0), sure, QUAD, tuple((Face(d, 0), p) for d, p in others))


def meeple(color: str, feature: str, sure: float = 1.0, cell: Cell = (0, 0), **probs: float) -> SeenPiece:
    colors, at = probs or {color: 1.0}, (cell[0] + 0.5, cell[1] + 0.12)
    reading = PieceReading("meeple", color, "standing", (30.0, 10.0), at, sure, colors)
    return SeenPiece(reading, cell, feature)


def board(seen: SeenTile, *pieces: SeenPiece, unlikely: tuple[SeenPiece, ...] = ()) -> SolvedBoard:
    observed = observation(seen)
    joint = joint_posterior(observed.cells, observed.designs, PACK, {})
    return SolvedBoard((seen,), pieces, LatticeFrame((0, 0), 0), unlikely, observed, joint)


def observation(seen: SeenTile) -> Observation:
    """What a tile was solved from: its faces with their probabilities, divided by their copies."""
    assert seen.face is not None
    designs = tuple(PACK.designs)
    logs = np.full((len(designs), 4), -30.0, np.float32)
    for face, share in ((seen.face, seen.confidence), *seen.alternatives):
        logs[designs.index(face.design), 0] = np.log(share / PACK.designs[face.design].count)
    reading = CellReading((0, 0), QUAD, logs, 16.0, print_known=1.0)
    return Observation(0, 0.0, None, designs, {(0, 0): reading}, ())


def test_a_sure_board_hangs_on_nothing() -> None:
    score = score_photograph(board(tile("BC-D"), meeple("red", "c0")), PACK, None)
    assert score.points == {"red": 1}
    assert score.ranges == {"red": (1, 1)}
    assert (score.probability, score.hangs_on) == (1.0, ())


def test_a_pennant_that_may_be_there_moves_points() -> None:
    """A city tile counts one unfinished, and one more for its pennant (rules, final scoring)."""
    score = score_photograph(board(tile("BC-N", ("BC-M", 0.3)), meeple("red", "c0")), PACK, None)
    assert score.points == {"red": 1}
    (doubt,) = score.hangs_on
    assert (doubt.what, doubt.instead, doubt.probability) == ("tile", "BC-M 0°", 0.3)
    assert doubt.points == {"red": 2}
    assert score.ranges == {"red": (1, 2)}
    assert score.probability == pytest.approx(0.7, abs=0.08)


def test_a_doubtful_colour_may_give_the_points_to_another_player() -> None:
    piece = meeple("blue", "c0", blue=0.8, black=0.2)
    score = score_photograph(board(tile("BC-D"), piece), PACK, None)
    assert score.points == {"blue": 1}
    assert score.ranges == {"blue": (0, 1), "black": (0, 1)}


def test_a_piece_that_may_be_none_and_one_that_may_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(score_module, "PARAMS", replace(PARAMS, samples=1000))
    there = board(tile("BC-D"), meeple("red", "c0", sure=0.7), unlikely=(meeple("red", "r0", sure=0.4),))
    score = score_photograph(there, PACK, None)
    told = {(one.told, one.instead) for one in score.hangs_on}
    assert told == {("red meeple on city c0", "nothing"), ("nothing", "red meeple on road r0")}
    assert score.probability == pytest.approx(0.7 * 0.6 + 0.3 * 0.4, abs=0.06)
    assert score.to_json()["if_ended_ranges"] == {"red": [0, 2]}


def test_a_colour_that_can_have_no_points_is_not_told() -> None:
    """A meeple on an unfinished road with no tile beside it scores one; on a field beside no city nothing."""
    unlikely = (meeple("blue", "f1", sure=0.3),)
    assert set(
        score_photograph(board(tile("BC-D"), meeple("red", "c0"), unlikely=unlikely), PACK, None).ranges
    ) == {"red"}


def test_all_points_are_in_their_ranges_with_the_probability_told() -> None:
    """Of four pieces that may be none with 4 % each, all are there in 85 % of the boards."""
    pieces = [meeple(color, "c0", sure=0.96) for color in ("red", "blue", "green", "black")]
    assert score_photograph(board(tile("BC-D"), pieces[0]), PACK, None).ranges == {"red": (1, 1)}
    spans = score_photograph(board(tile("BC-D"), *pieces), PACK, None).ranges.values()
    assert any(least < most for least, most in spans)


def test_the_doubt_that_moves_most_points_comes_first() -> None:
    there = board(tile("BC-N", ("BC-M", 0.3)), meeple("red", "c0", red=0.8, blue=0.2))
    color, pennant = score_photograph(there, PACK, None).hangs_on
    assert (color.what, pennant.what) == ("piece", "tile"), "two points at 20 % before one at 30 %"


def test_another_feature_is_an_option() -> None:
    standing: Sort = ("meeple", "standing")
    options: dict[tuple[Sort, str | None], float] = {(standing, "c0"): 0.7, (standing, "f0"): 0.3}
    piece = replace(meeple("red", "c0"), options=options)
    (doubt,) = score_photograph(board(tile("BC-D"), piece), PACK, None).hangs_on
    assert doubt.instead == "red meeple on field f0"
    assert doubt.points == {"red": 0}


def test_without_rules_there_is_no_score() -> None:
    assert score_photograph(board(tile("BC-D")), None, None).to_json()["if_ended_now"] == {}
