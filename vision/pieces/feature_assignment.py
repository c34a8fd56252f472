"""Feature assignment: the feature of a tile on which a piece stands, by the pack's geometry."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from engine.games import tile_game_named, tile_game_names
from engine.geometry import Point, turned_point
from engine.pack import Design, Feature, Pack
from engine.tiles.board import PieceKind
from engine.tiles.game import Header
from vision.observation import Sort

LIE_ON = frozenset({"baobab", "grassland", "meadow"})
"""Features on which a meeple is laid down (rule texts of Safari and of Hunters and Gatherers)."""
HUT_ON = frozenset({"river", "lake"})
"""Features that take a hut."""
HUT_ONLY_ON = frozenset({"lake"})
"""Features that take no meeple: fishers stand on rivers (rules of Hunters and Gatherers, 2a and 2b)."""
NATS_PER_SIDE = 25.0
"""How fast a piece grows unlikely with its distance from a feature: points are read to a twentieth of a side
and put down with 3 mm of freedom."""
FAR_NATS = 6.0
"""No distance costs more: pieces are pushed about."""
LAID_WRONG, NEVER_THERE = 4.0, 12.0
"""What it costs, in nats, that people stand a piece where the rules lay it down, or the other way round, and
that they build a hut beside the water or send a fisher onto a lake."""
WRONG_SORT = 0.1
"""What a feature that does not take such a piece costs, in tile sides. Little: with every fourth pose
misread and pieces put down with 3 mm of freedom this leaves 0.2 % wrong, 0.25 would leave 1.5 %."""
PATH_HALF_WIDTH = 0.05
SPOT_RADIUS = 0.12
SPOT_WEIGHT = 0.35


def kinds_of(pack: Pack) -> frozenset[PieceKind]:
    """The kinds of piece that a pack's game may put on the table: huts need rivers, tokens a supply."""
    kinds: set[PieceKind] = {"meeple"}
    if rangers_of(pack):
        kinds.add("ranger")
    if any(f.kind in HUT_ON for tile in (*pack.tiles, *pack.start) for f in tile.features):
        kinds.add("hut")
    if pack.tokens:
        kinds.add("token")
    return frozenset(kinds)


def colors_of(pack: Pack) -> tuple[str, ...] | None:
    """The colours that players of the pack's game may have; None where it has no rules."""
    return tile_game_named(pack.game).colors if pack.game in tile_game_names() else None


@lru_cache(maxsize=16)
def rangers_of(pack: Pack) -> int:
    """How many rangers the pack's game has on the table, by its own starting position."""
    if pack.game not in tile_game_names():
        return 0
    game = tile_game_named(pack.game)
    start = game.start(Header(game.name, pack.id, game.colors[:2]), pack)
    return sum(piece.kind == "ranger" for piece in start.standing)


def feature_at(
    design: Design,
    rot: int,
    uv: Point,
    kind: PieceKind = "meeple",
    pose: Literal["standing", "lying"] = "standing",
) -> str | None:
    """The id of the feature that a piece at ``uv`` stands on, None where the tile has none.

    ``uv`` is the contact point in the cell, 0..1 from its north-west on the board; ``rot`` the tile's
    clockwise turn. Rangers stand on no feature.
    """
    costs = feature_costs(design, rot, uv, kind, pose)
    return min(costs, key=lambda name: costs[name]) if costs else None


@lru_cache(maxsize=16)
def places_of(pack: Pack) -> Mapping[Sort, int]:
    """On how many features of the pack's tiles each sort of piece may be put, 1 at least."""
    features = [f for tile in (*pack.tiles, *pack.start) for f in tile.features]
    sorts: tuple[Sort, ...] = (("meeple", "standing"), ("meeple", "lying"), ("hut", "standing"))
    return {sort: max(sum(_takes(f, *sort) for f in features), 1) for sort in sorts}


def sort_and_feature(
    design: Design,
    rot: int,
    uv: Point,
    sorts: Mapping[Sort, float],
    places: Mapping[Sort, int] | None = None,
) -> tuple[Sort, str | None]:
    """What a piece at ``uv`` is and the id of its feature, both together: farmers lie, huts stand
    on water, so the place has a word on a piece that was not clearly seen.

    ``sorts`` are the odds of what the piece is, ``places`` (`places_of`) among how many features each sort
    is spread: of a meeple and a hut on water the hut is the likelier, for a meeple might stand elsewhere.
    See `feature_at` for the rest.
    """
    own = turned_point(uv, -rot % 360)
    best: tuple[Sort, str | None] = (max(sorts, key=lambda sort: sorts[sort]), None)
    score = -math.inf
    for (kind, pose), share in sorts.items():
        spread = math.log(places.get((kind, pose), 1)) if places is not None else 0.0
        for feature in design.tile.features if kind != "ranger" else ():
            off = NATS_PER_SIDE * _off(feature, own, kind)
            told = math.log(max(share, 1e-6)) - spread - min(off, FAR_NATS + 0.1 * off)
            if not _takes(feature, kind, pose):
                told -= NEVER_THERE if kind == "hut" or feature.kind in HUT_ONLY_ON else LAID_WRONG
            if told > score:
                best, score = ((kind, pose), feature.id), told
    return best


def feature_costs(
    design: Design,
    rot: int,
    uv: Point,
    kind: PieceKind = "meeple",
    pose: Literal["standing", "lying"] = "standing",
) -> dict[str, float]:
    """How far each feature is from being what the piece stands on, in tile sides; least is likeliest."""
    if kind == "ranger":
        return {}
    own = turned_point(uv, -rot % 360)
    costs = {}
    for feature in design.tile.features:
        cost = _off(feature, own, kind)
        if kind != "token" and not _takes(feature, kind, pose):
            cost += WRONG_SORT
        costs[feature.id] = cost
    return costs


def _takes(feature: Feature, kind: PieceKind, pose: str) -> bool:
    if kind == "hut":
        return feature.kind in HUT_ON
    return feature.kind not in HUT_ONLY_ON and (pose == "lying") == (feature.kind in LIE_ON)


def _off(feature: Feature, at: Point, kind: PieceKind) -> float:
    """How far a piece is from where it stands on a feature, in tile sides.

    People build huts anywhere along the water; where a pack does not tell its course, all of the tile may be
    meant.
    """
    if kind == "hut" and feature.kind in HUT_ON and feature.path is None and feature.region is None:
        return 0.1 * math.dist(feature.spot_of(kind), at)
    return _distance(feature, at, kind) + SPOT_WEIGHT * math.dist(feature.spot_of(kind), at)


def _distance(feature: Feature, at: Point, kind: PieceKind) -> float:
    """From the edge of the feature's drawing, 0 on it."""
    if feature.region is not None:
        rim = [*feature.region, feature.region[0]]
        return 0.0 if _inside(feature.region, at) else _to_line(rim, at)
    if feature.path is not None:
        return max(0.0, _to_line(feature.path, at) - PATH_HALF_WIDTH)
    return max(0.0, math.dist(feature.spot_of(kind), at) - SPOT_RADIUS)


def _to_line(points: Sequence[Point], at: Point) -> float:
    best = math.inf
    for (ax, ay), (bx, by) in pairwise(points):
        dx, dy = bx - ax, by - ay
        along = ((at[0] - ax) * dx + (at[1] - ay) * dy) / max(dx * dx + dy * dy, 1e-12)
        t = min(1.0, max(0.0, along))
        best = min(best, math.dist((ax + t * dx, ay + t * dy), at))
    return best


def _inside(polygon: Sequence[Point], at: Point) -> bool:
    inside = False
    for (ax, ay), (bx, by) in zip(polygon, [*polygon[1:], polygon[0]], strict=True):
        if (ay > at[1]) != (by > at[1]) and at[0] < ax + (at[1] - ay) / (by - ay) * (bx - ax):
            inside = not inside
    return inside
