"""Understanding of a watched game, a tracker's output: turns so far, unexplained tables, questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.fault import Fault
from engine.geometry import Cell
from engine.tiles.game import GameState, Step
from engine.tiles.turn import Turn
from vision.geometry.lattice_frame import LatticeFrame


@dataclass(frozen=True, slots=True)
class UnderstoodTurn:
    """A turn as it was understood.

    ``frame_index`` is the first picture that shows it finished and at rest (None if none did),
    ``confidence`` the probability, 0..1, that this turn with this number was played, by all hypotheses
    together, ``alternatives`` what else was likely, best first.
    """

    turn: Turn
    step: Step
    frame_index: int | None
    t_s: float | None
    confidence: float
    alternatives: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True)
class Unclear:
    """A table last seen at rest that no legal turn explains: what is wrong, in words and as faults, and
    where."""

    message: str
    cells: tuple[Cell, ...]
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True, slots=True)
class Doubt:
    """A turn that the pictures leave open between a few: people should be asked.

    ``number`` counts turns from 1. ``options`` are turns with their probabilities, likeliest first; what
    is left to one is some other turn, or none. ``cells`` are where the options differ or lie, and
    ``frame_index`` is the picture that shows it.
    """

    number: int
    options: tuple[tuple[Turn, float], ...]
    cells: tuple[Cell, ...]
    frame_index: int
    why: str


@dataclass(frozen=True, slots=True)
class Opening:
    """Position in which the camera found the game, where that was not its own opening.

    Turns are followed from ``state``. ``frame_index`` is the picture that shows it; ``left_out`` are cells of
    pieces that have no place in it as they were read, ``doubtful`` tiles whose face is not sure.
    """

    state: GameState
    frame_index: int
    left_out: tuple[Cell, ...] = ()
    doubtful: tuple[Cell, ...] = ()


@dataclass(frozen=True, slots=True)
class Understanding:
    """Understanding of the table after one picture.

    ``turns`` are all turns so far, the ``settled`` first of them for good but for what comes to light later;
    ``state`` is the position after the last. ``board_seen`` is false where the known board was not found in
    the picture, ``busy`` true while hands or motion are waited out. ``unclear`` says what no legal turn
    explains, ``doubt`` what to ask people.
    """

    turns: tuple[UnderstoodTurn, ...]
    settled: int
    state: GameState
    board_seen: bool
    busy: bool
    unclear: Unclear | None = None
    doubt: Doubt | None = None
    lattice: LatticeFrame | None = None
    """Lattice of the last picture that showed the board, in the game's frame."""
    opening: Opening | None = None
    """Opening position that was read from the table; None where the game began before the camera."""


def turns_taken(
    start: GameState, turns: Sequence[Turn], known: Sequence[UnderstoodTurn]
) -> tuple[list[UnderstoodTurn], int]:
    """Turns taken as certain, as understood turns, and how many of the first equal those ``known``.
    IllegalTurn where they are no legal game."""
    understood: list[UnderstoodTurn] = []
    same, state = 0, start
    for number, turn in enumerate(turns):
        seen = known[number] if same == number < len(known) and known[number].turn == turn else None
        step = seen.step if seen is not None else state.apply(turn)
        frame, t_s = (seen.frame_index, seen.t_s) if seen is not None else (None, None)
        # A player named the last turn, or said that none followed it. The turns before it may be unchecked
        # and keep their confidence.
        sure = seen.confidence if seen is not None and number < len(turns) - 1 else 1.0
        rest = seen.alternatives if seen is not None else ()
        understood.append(UnderstoodTurn(turn, step, frame, t_s, sure, rest))
        same += seen is not None
        state = step.state
    return understood, same
