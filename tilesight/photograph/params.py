"""Tuned parameters of `tilesight.photograph`: the range of a photograph's points."""

from __future__ import annotations

from dataclasses import dataclass

from vision.params import param


@dataclass(frozen=True)
class PhotographParams:
    """Parameters of sampling boards from a photograph's posterior."""

    samples: int = param(200, unit="boards", raising="ranges are steadier; each takes a millisecond")
    covered: float = param(
        0.93,
        unit="share of the sampled boards",
        raising="ranges are wider: all points of this share of the samples are in them",
        fitted="0.9 is promised: with 0.9, 0.92 and 0.93 ranges held the truth of 88, 89 and 91 % of 199 "
        "simulated boards of Safari, the hardest game (tilesight bench ranges, seed 1); of 94, 96 and 96 % "
        "of 100 others",
    )
    unseen_piece: float = param(
        0.004,
        unit="share of a tile's chance of a piece",
        raising="more pieces that no network saw are assumed anywhere, so ranges are wider",
        fitted="at most: 617 tiles without hidden parts and pieces of 14 photographed and 40 rendered boards "
        "hold none",
    )
    unseen_hidden: float = param(
        0.6,
        unit="the same, per hidden share of the tile",
        raising="more such pieces are assumed on tiles that something hides",
        fitted="15 on 267 partly hidden tiles of those boards, which would hold 23 if what is hidden held as "
        "many as the rest; 14 of them on the rendered boards, under hands",
    )
    new_color: float = param(
        0.2,
        unit="pieces",
        raising="a piece more often has a colour that no other piece has",
        fitted="15 pieces of 2.9 colours, the mean of 14 photographed boards: concentration 0.9, shared by "
        "the colours that are left",
    )


PARAMS = PhotographParams()
