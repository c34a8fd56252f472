"""Tuned parameters of `tilesight.photograph`: the range of a photograph's points."""

from __future__ import annotations

from dataclasses import dataclass

from vision.params import param


@dataclass(frozen=True)
class PhotographParams:
    """Parameters of sampling boards from a photograph's posterior."""

    samples: int = param(200, unit="boards", raising="ranges are steadier; each takes a millisecond")
    covered: float = param(
        0.9,
        unit="share of the sampled boards",
        raising="ranges are wider: all points of this share of the samples are in them",
    )
    unseen_piece: float = param(
        0.001,
        unit="share of a tile's chance of a piece",
        raising="more pieces that no network saw are assumed anywhere, so ranges are wider",
        fitted="2409 tiles of 90 rendered boards without a piece or hint, less than a tenth of each hidden, "
        "hold one; they would hold 749 if they held as many as the rest",
    )
    unseen_power: float = param(
        2.0,
        unit="power of the tile's hidden share",
        raising="fewer such pieces are assumed on tiles that something hides in part",
        fitted="363 such tiles of which 0.1 to 0.8 are hidden hold 11, as 13 expected; with power 1 33",
    )
    hidden_bias: float = param(
        -8.7,
        unit="log-odds",
        raising="more tiles are assumed below hands and things beside the board",
        fitted="likelihood of 76 hidden tiles at 5624 cells beside 120 rendered boards, with the next two",
    )
    hidden_unlike: float = param(
        2.5,
        unit="log-odds per logarithm of the distance from the table's colours, in their spreads",
        raising="a cell that looks unlike the table hides a tile more often",
        fitted="as hidden_bias",
    )
    hidden_beside: float = param(
        5.4,
        unit="log-odds per hidden share of the tiles around it, the most hidden one",
        raising="a cell beside covered tiles hides a tile more often",
        fitted="as hidden_bias",
    )
    hidden_least: float = param(
        0.02,
        unit="probability",
        raising="fewer cells are considered, so ranges take less time",
    )


PARAMS = PhotographParams()
