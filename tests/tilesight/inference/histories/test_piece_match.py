"""Fit of a detection to a hypothetical piece: the print under it, and the number of detections."""

from __future__ import annotations

import pytest

from engine.pack import Pack, load_pack
from engine.tiles.board import Laid, Standing
from engine.tiles.pieces import Pose, Sort
from tilesight.inference.histories.appearances import Appearances, PieceEpoch, PieceTrack
from tilesight.inference.histories.piece_match import PieceMatch
from vision.observation import PieceReading
from vision.pieces.feature_assignment import kinds_of

PLAYERS = ("red", "blue")


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack("carcassonne")


def fit(
    pack: Pack, design: str, feature: str, confidence: float, *, read: Pose = "standing", looks: int = 1
) -> float:
    """Fit of a red meeple on a feature to a detection right at its place."""
    laid = Laid(pack.designs[design], 0)
    piece = Standing("meeple", "red", (0, 0), feature)
    printed = laid.design.tile.feature(feature)
    assert printed is not None
    at = printed.spot_of("meeple")
    sorts: dict[Sort, float] = {("meeple", "standing"): 0.2, ("meeple", "lying"): 0.2}
    sorts[("meeple", read)] = 0.8
    reading = PieceReading(
        "meeple", "red", read, (0, 0), at, confidence, {"red": 1.0}, None, sort_probs=sorts
    )
    epoch = PieceEpoch(0, 0, reading, odd=False, beside=False, equal=looks)
    match = PieceMatch(Appearances(), pack, PLAYERS, kinds_of(pack))
    return match.fit(laid, piece, PieceTrack(at, "piece", [epoch]), [epoch])


def test_only_a_printed_building_makes_a_doubtful_detection_doubtful(pack: Pack) -> None:
    assert fit(pack, "BC-A", "r0", 0.8) == pytest.approx(0.0, abs=0.1)  # a road with a monastery beside it
    assert fit(pack, "BC-A", "m0", 0.8) < -2.0
    assert fit(pack, "BC-A", "m0", 0.98) > -0.2


def test_three_equal_looks_say_a_third_more_than_one(pack: Pack) -> None:
    one = fit(pack, "BC-A", "r0", 0.99, read="lying")
    assert fit(pack, "BC-A", "r0", 0.99, read="lying", looks=3) == pytest.approx(1.34 * one, rel=0.05)
    assert fit(pack, "BC-A", "r0", 0.99, read="lying", looks=600) == fit(
        pack, "BC-A", "r0", 0.99, read="lying", looks=3
    )
