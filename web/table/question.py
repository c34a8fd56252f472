"""Questions that the camera cannot decide: their options, and how they close."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from engine.geometry import Cell
    from engine.tiles.turn import Turn

ClosedWhy = Literal["answered", "settled", "moot"]
"""Reason why a question is not open any more."""


@dataclass(frozen=True)
class Option:
    """One answer to tap; ``turn`` is the turn it stands for, if it stands for one."""

    id: str
    label: str
    turn: Turn | None = None


@dataclass(frozen=True)
class Question:
    """Something the camera cannot decide; likeliest option first.  ``cells`` is where on the board it is
    about, ``turn_no`` the turn it is about (counted from 1), which may be corrected to anything else.
    ``order`` are the numbers of the turns whose order is open, two or more, in the likeliest order; a
    correction's ``order`` answers for all of them."""

    id: str
    text: str
    options: tuple[Option, ...]
    cells: tuple[Cell, ...] = ()
    frame: int | None = None
    player: str | None = None
    turn_no: int | None = None
    order: tuple[int, ...] = ()


@dataclass(frozen=True)
class Closed:
    """A question that is not open any more, and why: people answered it, the pictures settled it, or the turn
    that it was about is gone."""

    id: str
    text: str
    turn_no: int | None
    why: ClosedWhy

    def to_json(self) -> dict[str, Any]:
        """The closed question as pages and events tell it."""
        return {"id": self.id, "text": self.text, "turn": self.turn_no, "why": self.why}
