"""The likeliest sort and feature of a piece, as `vision.pieces.feature_assignment` weighs them."""

from __future__ import annotations

from collections.abc import Mapping

from engine.geometry import Point
from engine.pack import Design
from engine.tiles.pieces import Sort, Takes
from vision.pieces.feature_assignment import sort_feature_nats


def sort_and_feature(
    design: Design,
    rot: int,
    uv: Point,
    sorts: Mapping[Sort, float],
    takes: Takes,
    places: Mapping[Sort, int] | None = None,
) -> tuple[Sort, str | None]:
    """The (sort, feature id) with the highest log-probability; on a tile without features the likeliest sort
    and None. Arguments as for `sort_feature_nats`."""
    nats = sort_feature_nats(design, rot, uv, sorts, takes, places)
    if not nats:
        return max(sorts, key=lambda sort: sorts[sort]), None
    return max(nats, key=lambda one: nats[one])
