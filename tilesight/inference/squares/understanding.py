"""Understanding of a game on squares after one picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.fault import Fault
from engine.game import Event, Opening
from engine.geometry import EDGE_NAMES
from engine.squares_game import Errand, Figure, SquarePlayed, SquarePosition
from tilesight.table_log.doubts import Doubted


@dataclass(frozen=True, slots=True)
class SquareTurn:
    """One turn as understood.

    ``frame_index`` is the first picture that shows it finished, errands of figures included (None if no
    picture did).
    """

    turn: Any
    step: SquarePlayed
    frame_index: int | None
    t_s: float | None
    confidence: float

    def to_json(self) -> dict[str, Any]:
        """Return the turn's record line, with frame and confidence."""
        return {**self.turn.to_json(), "frame": self.frame_index, "confidence": round(self.confidence, 4)}


@dataclass(frozen=True, slots=True)
class Misplaced:
    """A figure that is not where the rules require, and the words for it."""

    expected: Figure
    seen: Figure | None
    message: str

    def to_json(self) -> dict[str, Any]:
        """Return the mismatch as JSON."""
        seen = None if self.seen is None else self.seen.to_json()
        return {"expected": self.expected.to_json(), "seen": seen, "message": self.message}


@dataclass(frozen=True, slots=True)
class Guide:
    """One errand, and whether the table shows it done."""

    errand: Errand
    done: bool

    def to_json(self) -> dict[str, Any]:
        """Return the step of the guide as JSON."""
        return {**self.errand.to_json(), "done": self.done}


@dataclass(frozen=True, slots=True)
class SquaresUnderstood:
    """Understanding of the table after one picture.

    ``opening`` and ``state`` are None until the set-up is read; ``missing`` says what it lacks. ``guide``
    holds the errands to carry out now, ``misplaced`` the figures in wrong places, ``faults`` the reasons why
    a pawn's move is illegal.
    """

    opening: Opening | None
    state: SquarePosition | None
    turns: tuple[SquareTurn, ...] = ()
    guide: tuple[Guide, ...] = ()
    misplaced: tuple[Misplaced, ...] = ()
    faults: tuple[Fault, ...] = ()
    missing: str = ""
    board_seen: bool = False
    busy: bool = True

    @property
    def settled(self) -> int:
        """Number of first turns that later pictures leave as they are: all of them."""
        return len(self.turns)

    @property
    def doubted(self) -> dict[int, Doubted[Any]]:
        """The confidence in each turn, by number, without alternatives."""
        return {number: Doubted(turn.confidence) for number, turn in enumerate(self.turns, 1)}

    @property
    def events(self) -> tuple[Event, ...]:
        """Everything scored so far."""
        return tuple(event for turn in self.turns for event in turn.step.events)

    @property
    def messages(self) -> tuple[str, ...]:
        """Messages to show to people now."""
        return (*(one.message for one in self.misplaced), *(fault.message for fault in self.faults))


def misplaced(figure: Figure, seen: Figure, *, forgotten: bool) -> Misplaced:
    """Return the mismatch of a figure in words: what it is, where it is, and where it belongs.

    ``forgotten`` is true if it was not moved at all though play went on.
    """
    square, facing = seen.square, seen.facing
    assert figure.facing is not None and facing is not None
    looks, should = EDGE_NAMES[facing], EDGE_NAMES[figure.facing]
    if square == figure.square:
        message = f"the {figure.name} on {square} looks {looks}; it should look {should}"
    elif forgotten:
        message = f"the {figure.name} is still on {square}; it goes to {figure.square}, looking {should}"
    else:
        message = f"the {figure.name} is on {square}; it belongs on {figure.square}, looking {should}"
    return Misplaced(figure, seen, message)
