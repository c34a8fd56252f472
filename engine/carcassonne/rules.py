"""Numbers of Carcassonne: pieces, colours, points; what the editions of its scoring rules say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.game import Pieces
from engine.tiles.pieces import Takes

COLORS = ("yellow", "red", "green", "blue", "black")
MEEPLES = 7
"""Meeples in each supply; the eighth is on the scoring track (docs/rulings.md, 'Turn (Carcassonne)')."""
PIECES = tuple(Pieces("meeple", color, MEEPLES) for color in COLORS)
"""All pieces of the box, also those that nobody takes in a smaller round."""

CITY, ROAD, FIELD, MONASTERY, RIVER = "city", "road", "field", "monastery", "river"
TAKES: Takes = {
    CITY: frozenset({("meeple", "standing")}),
    ROAD: frozenset({("meeple", "standing")}),
    MONASTERY: frozenset({("meeple", "standing")}),
    FIELD: frozenset({("meeple", "lying")}),
    RIVER: frozenset(),
}
"""Pieces that each kind of feature takes: farmers lie, nothing stands on the river
(docs/rulings.md, 'Meeple (Carcassonne)')."""

CITY_TILE_POINTS = 2
"""Points of each tile, and of each pennant, of a finished city."""
SMALL_CITY_TILES = 2
"""Number of tiles of a small city."""
OPEN_CITY_TILE_POINTS = 1
"""Points of each tile, and of each pennant, of an unfinished city at the end."""
ROAD_TILE_POINTS = 1
MONASTERY_TILE_POINTS = 1
"""Points of a monastery's own tile and of each of the eight around it."""
AROUND = 8
"""Number of tiles around a finished monastery."""

FieldScoring = Literal["third", "second", "first"]
FIELD_CITY_POINTS: dict[FieldScoring, int] = {"third": 3, "second": 3, "first": 4}
"""Points that a finished city pays to farmers."""


@dataclass(frozen=True, slots=True)
class Rules:
    """Rules that changed between the versions, or that a table may decide differently
    (docs/rulings.md, 'Presets (Carcassonne)', 'The River').

    ``field_scoring``: each field by itself ("third"), the same with each city once a player ("second"), city
    by city with the farmers of all fields around it ("first"). ``small_city``: points of each tile and
    pennant of a finished city of two tiles. ``river_bends``: which bends may not go the same way, those of
    two river tiles laid one after the other ("adjacent") or any two in a row, whatever lies between
    ("successive").
    """

    name: str
    field_scoring: FieldScoring = "third"
    small_city: int = CITY_TILE_POINTS
    river_bends: Literal["adjacent", "successive"] = "adjacent"


PRESETS = {
    rules.name: rules
    for rules in (
        Rules("third"),
        Rules("second", "second", small_city=1),
        Rules("first", "first", small_city=1),
    )
}
