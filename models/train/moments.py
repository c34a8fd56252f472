"""Moments of a game: the tables that a camera sees one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from engine.geometry import Cell
from engine.safari.actions import Dig
from engine.tiles.board import Laid, Standing
from engine.tiles.game import Step
from engine.tiles.turn import Turn
from models.train.table_stage import PLAIN, Shot

THINK_S = 6.0
"""Seconds of a turn before its tile lies."""
REACT_S = 2.0


@dataclass(frozen=True)
class Moment:
    """A table as it stays for a while, and how many pictures show it. ``done`` is how many turns are
    finished and at rest."""

    board: Mapping[Cell, Laid]
    standing: Sequence[Standing]
    done: int
    shot: Shot = PLAIN
    frames: int = 1
    after_s: float = REACT_S


def tables_of(turn: Turn, step: Step) -> Iterator[tuple[Sequence[Standing], bool]]:
    """Pieces on the table during a turn, each time it is at rest, and whether the turn is finished."""
    after = step.state
    if isinstance(turn.action, Dig):
        # The animal tile comes first: nobody sees it under the meeple.
        hole = (turn.action.cell, turn.action.corner)
        yield (
            [piece for piece in step.laid if piece.kind == "token" or (piece.cell, piece.corner) != hole],
            False,
        )
    if set(step.laid) != set(after.standing):
        yield step.laid, False
    yield after.standing, True
