"""Traits: how far a reading differs from a piece in colour, kind, pose, animal and place."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection

from engine.geometry import Cell, Point, turned_point
from engine.pack import Pack
from engine.tiles.board import Laid, Standing
from tilesight.inference.params import PIECES
from vision.observation import PieceReading
from vision.pieces.feature_assignment import feature_costs, takes_of


def animal_cost(reading: PieceReading, animal: str | None) -> float:
    """Return the cost in nats of taking an animal tile for ``animal`` instead of the likeliest animal.
    0 if either animal is unknown."""
    if animal is None or reading.animal is None:
        return 0.0
    if not reading.animal_probs:
        return 0.0 if reading.animal == animal else PIECES.trait_most_nats
    share = reading.animal_probs.get(animal, 0.0)
    best = max(reading.animal_probs.values())
    most = PIECES.trait_most_nats
    return min(math.log(best / share), most) if share > 0 else most


def sort_cost(reading: PieceReading, piece: Standing, kinds: Collection[str], most_nats: float) -> float:
    """Return the cost in nats of taking a reading for the kind and pose of ``piece``.
    At most ``most_nats``; ``odd_kind_nats`` if the reading's kind is not one of ``kinds``, those in play."""
    if reading.kind not in kinds:
        return PIECES.odd_kind_nats
    shares = {sort: share for sort, share in reading.sort_probs.items() if sort[0] in kinds}
    share = shares.get((piece.kind, piece.pose), 0.0)
    if share <= 0:
        is_same = (reading.kind, reading.pose) == (piece.kind, piece.pose)
        return 0.0 if is_same else most_nats
    by_kind: dict[str, float] = defaultdict(float)
    for (kind, _), part in shares.items():
        by_kind[kind] += part
    surer = (PIECES.kind_power - 1.0) * math.log(max(by_kind.values()) / by_kind[piece.kind])
    return min(math.log(max(shares.values()) / share) + surer, most_nats)


def color_cost(reading: PieceReading, color: str | None, colors: Collection[str]) -> float:
    """Return the cost in nats of taking a piece for ``color`` instead of the likeliest of ``colors``."""
    shares = {name: share for name, share in reading.color_probs.items() if name in colors}
    if color is None or not shares:
        return 0.0 if color in (None, reading.color) else PIECES.trait_most_nats
    share = shares.get(color, 0.0)
    most = PIECES.trait_most_nats
    return min(math.log(max(shares.values()) / share), most) if share > 0 else most


def feature_point(laid: Laid | None, cell: Cell, name: str | None, kind: str = "meeple") -> Point:
    """Return the point (game's frame) where pieces of a kind, or animal tiles, are put on feature ``name``.
    The middle of the cell if ``laid`` has no such feature."""
    feature = laid.design.tile.feature(name) if laid is not None and name is not None else None
    u, v = (0.5, 0.5) if laid is None or feature is None else turned_point(feature.spot_of(kind), laid.rot)
    return (cell[0] + u, cell[1] + v)


def distance_to_place(laid: Laid | None, piece: Standing, xy: Point, pack: Pack) -> float:
    """Return the distance in tile sides from ``xy`` (game's frame) to the place of ``piece`` on ``laid``.

    That is a corner's spot, the piece's feature, or for a piece beside the tiles its cell without the rim.
    Raises KeyError if the tile has no such feature.
    """
    x, y = xy[0] - piece.cell[0], xy[1] - piece.cell[1]
    if laid is None or piece.feature is None:
        if piece.corner is not None:
            return math.dist((x, y), pack.token_spot(piece.corner))
        # A piece beside the tiles may be anywhere on its empty space; only the space's rim counts as off.
        return math.hypot(max(abs(x - 0.5) - 0.3, 0.0), max(abs(y - 0.5) - 0.3, 0.0))
    costs = feature_costs(laid.design, laid.rot, (x, y), takes_of(pack), piece.kind, piece.pose)
    return costs[piece.feature]
