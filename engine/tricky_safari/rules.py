"""Constants of Tricky Safari: species, colours, terrain, number of moves.

Source of all: tricky-safari-online, 'Object of the game' to 'End of the game'.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.game import Pieces

COLORS = ("yellow", "red")
"""Colours of the two cameras; yellow moves first in every round."""
START: Mapping[str, str] = {"yellow": "a1", "red": "j10"}
"""Default start squares of the cameras."""
SPECIES = (
    "elephant", "lion", "tiger", "giraffe", "zebra", "buffalo", "ape", "squirrel", "crocodile", "turtle",
)  # fmt: skip
PAWN, WALKER = "camera", "animal"
"""`Figure.kind` of cameras and animals."""
PIECES = tuple(Pieces(PAWN, color, 1) for color in COLORS)
"""Standing pieces: one camera per colour. The animals are flat; the pack has their pictures."""
GROUND, FOREST, LAKE = ".", "F", "L"
TERRAIN_NAMES: Mapping[str, str] = {GROUND: "ground", FOREST: "forest", LAKE: "lake"}
AT_HOME: Mapping[str, str] = {"ape": FOREST, "squirrel": FOREST, "crocodile": LAKE, "turtle": LAKE}
"""Terrain besides ground that these species may enter (rulebook, "Exceptions")."""


@dataclass(frozen=True, slots=True)
class Rules:
    """A rule edition. ``moves`` is the number of moves per player, passes included ('End of the game')."""

    moves: int = 40


PRESETS: Mapping[str, Rules] = {"online": Rules()}
