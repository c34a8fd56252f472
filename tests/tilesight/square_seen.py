"""Synthetic observations of figures on a board of squares."""

from __future__ import annotations

import numpy as np

from engine.game import Opening
from engine.geometry import EDGES
from engine.pack import load_pack
from engine.squares_game import Figure, board_rows, square_place
from engine.tricky_safari.board import Animal
from engine.tricky_safari.records import TrickyHeader
from engine.tricky_safari.rules import SPECIES
from vision.observation import BoardPose, CellReading, Observation, PieceReading

PACK = load_pack("tricky-safari")
LAID = {(0, 0): ("TQ1", 0), (1, 0): ("TQ2", 0), (0, 1): ("TQ3", 0), (1, 1): ("TQ4", 0)}
OPENING = Opening("tricky-safari", PACK.id, ("yellow", "red"), "online")
SQUARES = ("c10", "e8", "b7", "h6", "h3", "d5", "g2", "j7", "c1", "g5")


def header() -> TrickyHeader:
    """A set-up on the four quarters as they are drawn."""
    rows = board_rows(PACK, LAID)
    animals = (
        Animal(name, at, EDGES[i % 4]) for i, (name, at) in enumerate(zip(SPECIES, SQUARES, strict=True))
    )
    base = (OPENING.game, OPENING.pack, OPENING.players, OPENING.rules)
    return TrickyHeader(*base, terrain=rows, animals=tuple(animals), start={"yellow": "a1", "red": "j10"})


def observed(figures: tuple[Figure, ...], index: int, motion: float) -> Observation:
    """A picture of those figures; ``motion`` is how much of it changed."""
    quad = np.array([(0, 0), (100, 0), (100, 100), (0, 100)], np.float32)
    cells = {}
    for cell, (name, rot) in LAID.items():
        odds = np.full((len(LAID), 4), -50.0, np.float32)
        odds[list(PACK.quarters).index(name), rot // 90] = 0.0
        cells[cell] = CellReading(cell, quad, odds, 5.0)
    pose = BoardPose(np.eye(3), dict.fromkeys(LAID, quad), (640, 480), 1.0)
    return Observation(
        index, 0.4 * index, pose, tuple(PACK.quarters), cells, tuple(map(_piece, figures)), motion
    )


def _piece(figure: Figure) -> PieceReading:
    column, row = square_place(figure.square, 10)
    at = ((column + 0.5) / 5, (row + 0.5) / 5)
    if figure.facing is None:
        return PieceReading("meeple", figure.name, "standing", (0, 0), at, 0.9)
    return PieceReading("token", None, "lying", (0, 0), at, 0.99, animal=figure.name, facing=figure.facing)
