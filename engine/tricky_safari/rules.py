"""Numbers and names of Tricky Safari: species, colours, terrain, turns of a game.

Source of all: tricky-safari-online, 'Object of the game' to 'End of the game'.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.game import Pieces

COLORS = ("yellow", "red")
"""Colours of the two cameras; yellow moves first in every round."""
START: Mapping[str, str] = {"yellow": "a1", "red": "j10"}
"""Starting squares of the cameras unless the table says otherwise."""
SPECIES = (
    "elephant", "lion", "tiger", "giraffe", "zebra", "buffalo", "ape", "squirrel", "crocodile", "turtle",
)  # fmt: skip
PAWN, WALKER = "camera", "animal"
"""Kinds of figure that stand on the squares."""
PIECES = tuple(Pieces(PAWN, color, 1) for color in COLORS)
"""Standing pieces: one camera of each colour. The animals are flat; the pack has their pictures."""
GROUND, FOREST, LAKE = ".", "F", "L"
TERRAIN_NAMES: Mapping[str, str] = {GROUND: "ground", FOREST: "forest", LAKE: "lake"}
AT_HOME: Mapping[str, str] = {"ape": FOREST, "squirrel": FOREST, "crocodile": LAKE, "turtle": LAKE}
"""Terrain that is as open as ground to these species ('Exceptions')."""


@dataclass(frozen=True, slots=True)
class Rules:
    """An edition. ``moves`` is how many each player has, passes counted ('End of the game')."""

    moves: int = 40


PRESETS: Mapping[str, Rules] = {"online": Rules()}
