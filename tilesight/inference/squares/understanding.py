"""Understanding of a game on squares after one picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.fault import Fault
from engine.game import Event, Opening
from engine.geometry import Edge
from engine.message import NO_MESSAGE, Message
from engine.squares_game import Errand, Figure, SquarePlayed, SquarePosition
from tilesight.inference.scenes.scene import Scene
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
        """Return the turn's record line, with ``frame`` and ``confidence`` added."""
        return {**self.turn.to_json(), "frame": self.frame_index, "confidence": round(self.confidence, 4)}


_SIDES: Mapping[Edge, Message] = {
    "n": Message("north"),
    "e": Message("east"),
    "s": Message("south"),
    "w": Message("west"),
}


@dataclass(frozen=True, slots=True)
class Misplaced:
    """A figure that is not where the rules require: where it belongs, where it is seen, and a message."""

    expected: Figure
    seen: Figure | None
    message: Message

    def to_json(self) -> dict[str, Any]:
        """Return the mismatch as JSON: both places, the message in English, and as data (``said``)."""
        seen = None if self.seen is None else self.seen.to_json()
        return {
            "expected": self.expected.to_json(),
            "seen": seen,
            "message": self.message,
            "said": self.message.to_json(),
        }


@dataclass(frozen=True, slots=True)
class Guide:
    """One errand, and whether the table shows it done."""

    errand: Errand
    done: bool

    def to_json(self) -> dict[str, Any]:
        """Return the errand as JSON, with ``done``."""
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
    missing: Message = NO_MESSAGE
    board_seen: bool = False
    busy: bool = True
    scene: Scene | None = None
    """The difference from the board as before, apart from turns; None without one."""

    @property
    def settled(self) -> int:
        """Number of first turns that later pictures leave as they are: all of them."""
        return len(self.turns)

    @property
    def doubted(self) -> dict[int, Doubted[Any]]:
        """The confidence in each turn, by its number from 1, without alternatives."""
        return {number: Doubted(turn.confidence) for number, turn in enumerate(self.turns, 1)}

    @property
    def events(self) -> tuple[Event, ...]:
        """Everything scored so far."""
        return tuple(event for turn in self.turns for event in turn.step.events)

    @property
    def messages(self) -> tuple[Message, ...]:
        """Messages to show to people now."""
        return (*(one.message for one in self.misplaced), *(fault.message for fault in self.faults))

    def up_to(self, count: int, state: SquarePosition | None) -> SquaresUnderstood:
        """Return the understanding without the turns after the first ``count``, and without what is open.

        ``state`` is the position after the first ``count``.
        """
        return replace(self, turns=self.turns[:count], state=state, guide=(), misplaced=(), faults=())


def misplaced(figure: Figure, seen: Figure, *, forgotten: bool) -> Misplaced:
    """Return a mismatch, with a message that names the figure, where it is ``seen``, and where it belongs.

    ``forgotten`` is true if it was not moved at all though play went on. Both must have a facing.
    """
    square, facing = seen.square, seen.facing
    assert figure.facing is not None and facing is not None
    looks, should = _SIDES[facing], _SIDES[figure.facing]
    if square == figure.square:
        message = Message(
            "the {animal} on {square} looks {side}; it should look {side_due}",
            animal=figure.name, square=square, side=looks, side_due=should,
        )  # fmt: skip
    elif forgotten:
        message = Message(
            "the {animal} is still on {square}; it goes to {square_due}, looking {side_due}",
            animal=figure.name, square=square, square_due=figure.square, side_due=should,
        )  # fmt: skip
    else:
        message = Message(
            "the {animal} is on {square}; it belongs on {square_due}, looking {side_due}",
            animal=figure.name, square=square, square_due=figure.square, side_due=should,
        )  # fmt: skip
    return Misplaced(figure, seen, message)
