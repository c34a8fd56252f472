"""Places: where pieces stand on a tile, and how far a contact point is from there."""

from __future__ import annotations

import math
from collections.abc import Collection

from engine.geometry import Cell, Point, turned_point
from engine.pack import Pack
from engine.tiles.board import Laid, Standing
from engine.tiles.game import GameState
from tilesight.inference.histories.look_params import PARAMS as VIEW
from tilesight.inference.histories.params import PARAMS
from vision.pieces.feature_assignment import feature_costs, takes_of


def places_of(state: GameState, kinds: Collection[str]) -> tuple[tuple[Point, float], ...]:
    """`place_of` of the pieces of these kinds that stand on the tiles of a position."""
    return tuple(place_of(piece, state) for piece in state.standing if piece.kind in kinds)


def place_of(piece: Standing, state: GameState) -> tuple[Point, float]:
    """Place of a piece in the game's frame, and maximum distance in tile sides at which it is read."""
    if piece.corner is not None:
        u, v = state.pack.token_spot(piece.corner)
        return (
            piece.cell[0] + u,
            piece.cell[1] + v,
        ), VIEW.token_reach_sides if piece.kind == "token" else PARAMS.reach_sides
    return feature_place(
        state.board.get(piece.cell), piece.cell, piece.feature, piece.kind
    ), PARAMS.reach_sides


def feature_place(laid: Laid | None, cell: Cell, name: str | None, kind: str = "meeple") -> Point:
    """Place of pieces of a kind, or of added animal tiles, on a feature of ``laid``.

    The middle of the cell where there is no such feature.
    """
    feature = laid.design.tile.feature(name) if laid is not None and name is not None else None
    u, v = (0.5, 0.5) if laid is None or feature is None else turned_point(feature.spot_of(kind), laid.rot)
    return (cell[0] + u, cell[1] + v)


def distance_to_place(laid: Laid | None, piece: Standing, xy: Point, pack: Pack) -> float:
    """Distance in tile sides from a contact point to where ``piece`` may stand on ``laid``."""
    x, y = xy[0] - piece.cell[0], xy[1] - piece.cell[1]
    if laid is None or piece.feature is None:
        if piece.corner is not None:
            return math.dist((x, y), pack.token_spot(piece.corner))
        # A piece beside the tiles stands anywhere on its empty space; only its outer rim counts as off.
        return math.hypot(max(abs(x - 0.5) - 0.3, 0.0), max(abs(y - 0.5) - 0.3, 0.0))
    costs = feature_costs(laid.design, laid.rot, (x, y), takes_of(pack), piece.kind, piece.pose)
    return costs[piece.feature]
