"""Constants of Carcassonne Safari: pieces, colours, points; rule editions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.game import Pieces
from engine.tiles.pieces import Takes

COLORS = ("yellow", "red", "green", "blue", "black")
ANIMALS = ("monkey", "elephant", "giraffe", "lion", "zebra")
MEEPLES = 6
"""Meeples in each player's supply."""
ANIMAL_TILES = 10
"""Animal tiles of each animal."""
HAND = 2
"""Animal tiles dealt to each player."""
RANGERS = 2
PIECES = (*(Pieces("meeple", color, MEEPLES) for color in COLORS), Pieces("ranger", "white", RANGERS))
"""All pieces of the box ('Components and setup'), of all colours."""
TAKES: Takes = {
    "trail": frozenset({("meeple", "standing")}),
    "bush": frozenset({("meeple", "standing")}),
    "baobab": frozenset({("meeple", "lying")}),
}
"""Sorts of piece on each kind of feature ('Placing a meeple on an animal trail', 'The Bush', 'The Baobab
Tree'): a meeple lies on a baobab."""
RANGER_START = ((-2, 0), (2, 0))
"""Cells where the rangers start: the two short ends of the start tile (facts/safari.json, 'doubts')."""

SPECIES_POINTS = (0, 1, 3, 6, 10, 15)
"""Points of a finished trail or bush, by its number of different animals."""
BIRD_POINTS = 1
DIG_POINTS = 3
EXPAND_POINTS = {2: 4, 3: 5, 4: 6}
"""Points for an expanded watering hole, by the number of its animal tiles afterwards."""
HOLE = 4
"""Number of animal tiles at a full watering hole."""
FULL_HOLE_POINTS = 3
RANGER_POINTS = 3
BAOBAB_TILES = 2
"""Animal tiles drawn when a meeple is laid on a baobab, and again when it is surrounded."""


@dataclass(frozen=True, slots=True)
class Rules:
    """Rules that differ between editions or house rules (docs/rulings.md, 'Carcassonne Safari').

    ``end_scoring``: an unfinished trail or bush scores for everyone on it, or for its majority.
    ``unplaceable``: a tile that fits nowhere goes to the box, or back into the bag.
    ``baobab_tiles_usable_at_once``: tiles drawn by laying on a baobab may be used in this turn's scoring.
    """

    name: str
    end_scoring: Literal["everyone", "majority"]
    unplaceable: Literal["box", "bag"] = "box"
    baobab_tiles_usable_at_once: bool = True


ZMAN = Rules("zman", "everyone")
HIG = Rules("hig", "majority")
PRESETS = {rules.name: rules for rules in (ZMAN, HIG)}
