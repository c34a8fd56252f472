"""Constants of Carcassonne: pieces, colours, points; rule editions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.game import Pieces
from engine.tiles.pieces import Takes

COLORS = ("yellow", "red", "green", "blue", "black")
MEEPLES = 7
"""Meeples in each supply; the eighth is on the scoring track (docs/rulings.md, 'Turn (Carcassonne)')."""
PIECES = tuple(Pieces("meeple", color, MEEPLES) for color in COLORS)
"""All pieces of the box, of all colours."""

CITY, ROAD, FIELD, MONASTERY, RIVER = "city", "road", "field", "monastery", "river"
TAKES: Takes = {
    CITY: frozenset({("meeple", "standing")}),
    ROAD: frozenset({("meeple", "standing")}),
    MONASTERY: frozenset({("meeple", "standing")}),
    FIELD: frozenset({("meeple", "lying")}),
    RIVER: frozenset(),
}
"""Sorts of piece on each kind of feature: farmers lie, the river takes none (docs/rulings.md,
'Meeple (Carcassonne)')."""

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
    """Rules that differ between editions or house rules.

    (docs/rulings.md, 'Presets (Carcassonne)', 'The River'.) ``field_scoring``: each field separately
    ("third"), the same with each city paid once per player ("second"), each city separately with the farmers
    of all its fields ("first"). ``small_city``: points of each tile and pennant of a finished city of two
    tiles. ``river_bends``: bends that may not have the same direction, those of two adjacent river tiles
    ("adjacent") or any two consecutive bends ("successive").
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
