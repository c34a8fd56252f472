"""Constants of Hunters and Gatherers (2020): pieces, colours, points; house rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.game import Pieces
from engine.tiles.pieces import Takes

COLORS = ("yellow", "red", "green", "blue", "violet")
MEEPLES = 5
"""Meeples in each player's supply ('Contents & Setup'); the sixth stands on the scoreboard."""
HUTS = 3
"""Huts in each player's supply."""
PIECES = tuple(
    Pieces(kind, color, count) for kind, count in (("meeple", MEEPLES), ("hut", HUTS)) for color in COLORS
)
"""All pieces of the box, of all colours."""
TAKES: Takes = {
    "river": frozenset({("meeple", "standing"), ("hut", "standing")}),
    "lake": frozenset({("hut", "standing")}),
    "forest": frozenset({("meeple", "standing")}),
    "grassland": frozenset({("meeple", "lying")}),
}
"""Sorts of piece on each kind of feature: 'Place a meeple as a fisher on a river' (none on a lake), 'Place a
hut on a river or lake', 'Place a meeple as a gatherer on a forest', 'Place a meeple as a hunter': hunters
lie."""

RECORD_REACH = 12
"""Distance from the start tile, in cells, up to which records count placements: x and y within -12 to 12
(docs/rulings.md, 'Records (Hunters and Gatherers)')."""

MENHIR = "menhir"
"""Name of the deck of tiles for extra turns."""

FOREST_TILE_POINTS = 2
MUSHROOM_POINTS = 3
RIVER_TILE_POINTS = 1
FISH_POINTS = 1
LOGBOAT_LAKE_POINTS = 2
RAFT_LAKE_POINTS = 1
ANIMAL_POINTS: Mapping[str, int] = {"mammoth": 3, "aurochs": 2, "deer": 1}
"""Points of each animal of a grassland ('Scoring hunters and grasslands'). Tigers are worth nothing and eat a
deer each."""
DEER, TIGER = "deer", "tiger"

SHAMAN = "shaman"
LOGBOAT = "logboat"
HUNTING_TRAP = "hunting_trap"
PIT_TRAP = "pit_trap"
WILDFIRE = "wildfire"
RAFT = "raft"


@dataclass(frozen=True, slots=True)
class Rules:
    """Rules that the rulebook leaves open (docs/rulings.md, 'Hunters and Gatherers').

    ``lake_at_both_ends``: number of times that the fish of a lake at both ends of one river count.
    ``wildfire_spares_trap``: wildfire does not affect the hunting trap's scoring; tigers there eat deer.
    ``last_tile_menhir``: closing a menhir forest with the last regular tile still gives an extra turn.
    """

    name: str
    lake_at_both_ends: int = 1
    wildfire_spares_trap: bool = True
    last_tile_menhir: bool = True


PRESETS = {rules.name: rules for rules in (Rules("2020"),)}
