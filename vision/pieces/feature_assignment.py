"""Feature assignment: the feature of a tile on which a piece stands, by the pack's geometry."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from engine.games import tile_game_named, tile_game_names
from engine.geometry import Point, turned_point
from engine.pack import Design, Feature, Pack
from engine.tile import Tile
from engine.tiles.pieces import OUTSIDE, SORTS, TRAITS, PieceKind, Pose, Sort, Takes, features_take
from engine.tiles.tile_game import TileGame
from vision.pieces.feature_outline import outlines_of
from vision.pieces.params import PARAMS


def kinds_of(pack: Pack) -> frozenset[PieceKind]:
    """Return the kinds of piece of a pack: those in its game's box, and tokens if the pack has any.
    If it has no rules, meeples are taken for the box."""
    game = _game_of(pack)
    kinds = {piece.kind for piece in game.pieces} if game is not None else {"meeple"}
    return frozenset(kind for kind in TRAITS if kind in kinds or (kind == "token" and pack.tokens))


def colors_of(pack: Pack) -> Mapping[str, float] | None:
    """Return the prior odds of each piece colour of the pack's game; None if it has no rules.
    They are low for colours that only expansions add."""
    game = _game_of(pack)
    if game is None:
        return None
    return dict.fromkeys(game.more_colors, PARAMS.rare_color_odds) | dict.fromkeys(game.colors, 1.0)


@lru_cache(maxsize=16)
def takes_of(pack: Pack | None) -> Takes:
    """Return the sorts of piece that each kind of feature takes in the pack's game.
    {} without pack or rules."""
    game = None if pack is None else _game_of(pack)
    return {} if game is None else game.takes


def outside_of(pack: Pack) -> Mapping[PieceKind, int]:
    """Return the number of pieces of each kind that stands on empty cells, in the pack's game.
    {} if it has no rules."""
    game = _game_of(pack)
    if game is None:
        return {}
    return {kind: sum(piece.count for piece in game.pieces if piece.kind == kind) for kind in sorted(OUTSIDE)}


def _game_of(pack: Pack) -> TileGame | None:
    """Return the tile game of a pack; None if it names none."""
    return tile_game_named(pack.game) if pack.game in tile_game_names() else None


def feature_at(
    design: Design,
    rot: int,
    uv: Point,
    takes: Takes,
    kind: PieceKind = "meeple",
    pose: Pose = "standing",
) -> str | None:
    """Return the id of the feature nearest to a piece at ``uv``.

    None if the tile has no features, and for kinds that stand on empty cells. ``uv`` is the contact point in
    the cell, 0..1 from its north-west on the board; ``rot`` is the tile's clockwise rotation in degrees,
    ``takes`` are the sorts of piece on features (`takes_of`).
    """
    costs = feature_costs(design, rot, uv, takes, kind, pose)
    return min(costs, key=lambda name: costs[name]) if costs else None


@lru_cache(maxsize=16)
def places_of(pack: Pack) -> Mapping[Sort, int]:
    """Return, for each sort of piece, on how many features of the pack's tiles it may be put, at least 1."""
    takes = takes_of(pack)
    features = [f for tile in (*pack.tiles, *pack.start) for f in tile.features]
    return {sort: max(sum(sort in features_take(takes, f.kind) for f in features), 1) for sort in SORTS}


def sort_feature_nats(
    design: Design,
    rot: int,
    uv: Point,
    sorts: Mapping[Sort, float],
    takes: Takes,
    places: Mapping[Sort, int] | None = None,
) -> dict[tuple[Sort, str | None], float]:
    """Return unnormalised log-probabilities of (sort, feature id) for a piece at ``uv``; {} without features.

    ``sorts`` are the odds of each sort by the classifier. ``places`` (`places_of`) normalises each sort's
    prior over features. For the other arguments see `feature_at`.
    """
    own = turned_point(uv, -rot % 360)
    nats: dict[tuple[Sort, str | None], float] = {}
    for (kind, pose), share in sorts.items():
        spread = math.log(places.get((kind, pose), 1)) if places is not None else 0.0
        for feature in design.tile.features if kind not in OUTSIDE else ():
            taken = features_take(takes, feature.kind)
            off = PARAMS.nats_per_side * _off(design.tile, feature, own, kind, taken)
            told = math.log(max(share, 1e-6)) - spread - min(off, PARAMS.far_nats + 0.1 * off)
            if (kind, pose) not in taken:
                told -= PARAMS.laid_wrong_nats if _in_any_pose(kind, taken) else 2 * PARAMS.far_nats
            nats[(kind, pose), feature.id] = told
    return nats


def feature_costs(
    design: Design,
    rot: int,
    uv: Point,
    takes: Takes,
    kind: PieceKind = "meeple",
    pose: Pose = "standing",
) -> dict[str, float]:
    """Return the cost, in tile sides, of each feature for a piece at ``uv``; {} for kinds on empty cells.
    It is the distance, with a penalty if the feature does not take that sort. Arguments as for
    `feature_at`."""
    if kind in OUTSIDE:
        return {}
    own = turned_point(uv, -rot % 360)
    costs = {}
    for feature in design.tile.features:
        taken = features_take(takes, feature.kind)
        cost = _off(design.tile, feature, own, kind, taken)
        if not TRAITS[kind].flat and (kind, pose) not in taken:
            cost += PARAMS.wrong_sort_sides
        costs[feature.id] = cost
    return costs


def _in_any_pose(kind: PieceKind, taken: Collection[Sort]) -> bool:
    """Whether ``taken`` has this kind in any pose."""
    return any(kind == taken_kind for taken_kind, _ in taken)


def _off(tile: Tile, feature: Feature, at: Point, kind: PieceKind, taken: Collection[Sort]) -> float:
    """Distance, in tile sides, of a piece at ``at`` from a feature that takes the sorts ``taken``.

    It combines the distance from the feature's outline with the weighted distance from its spot. Kinds that
    are put anywhere along a feature without a known course have a small cost everywhere on the tile.
    """
    anywhere = TRAITS[kind].along and _in_any_pose(kind, taken)
    from_spot = math.dist(feature.spot_of(kind), at)
    if feature.path is not None or feature.region is not None:
        return _distance(feature, at) + PARAMS.spot_weight * from_spot
    if anywhere:
        return 0.1 * from_spot
    near_spot = max(0.0, from_spot - PARAMS.spot_radius)
    shape, points = outlines_of(tile).get(feature.id, ("", ()))
    if points:
        line = points if shape == "path" else [*points, points[0]]
        beside = max(0.0, _to_line(line, at) - PARAMS.rough_half_width)
        near_spot = 0.0 if shape == "region" and _inside(points, at) else min(near_spot, beside)
    return near_spot + PARAMS.spot_weight * from_spot


def _distance(feature: Feature, at: Point) -> float:
    """Return the distance, in tile sides, of a point from the feature's path or region; 0 inside.
    Raises ValueError if the feature has neither."""
    if feature.region is not None:
        rim = [*feature.region, feature.region[0]]
        return 0.0 if _inside(feature.region, at) else _to_line(rim, at)
    if feature.path is not None:
        return max(0.0, _to_line(feature.path, at) - PARAMS.path_half_width)
    raise ValueError(f"feature {feature.id} has no course")


def _to_line(points: Sequence[Point], at: Point) -> float:
    """Return the distance of the point ``at`` from a polyline, in the points' unit."""
    best = math.inf
    for (ax, ay), (bx, by) in pairwise(points):
        dx, dy = bx - ax, by - ay
        along = ((at[0] - ax) * dx + (at[1] - ay) * dy) / max(dx * dx + dy * dy, 1e-12)
        t = min(1.0, max(0.0, along))
        best = min(best, math.dist((ax + t * dx, ay + t * dy), at))
    return best


def _inside(polygon: Sequence[Point], at: Point) -> bool:
    """Whether a point lies inside a polygon."""
    inside = False
    for (ax, ay), (bx, by) in zip(polygon, [*polygon[1:], polygon[0]], strict=True):
        if (ay > at[1]) != (by > at[1]) and at[0] < ax + (at[1] - ay) / (by - ay) * (bx - ax):
            inside = not inside
    return inside
