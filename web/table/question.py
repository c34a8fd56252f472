"""Questions that the camera cannot decide, their options, and why they close."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from engine.geometry import Cell
    from engine.tiles.turn import Turn

ClosedWhy = Literal["answered", "settled", "moot"]
"""Reason why a question closed: people answered it, pictures settled it, or its turn is gone."""


@dataclass(frozen=True)
class Option:
    """One answer to a question. ``turn`` is the turn that it stands for, if any."""

    id: str
    label: str
    turn: Turn | None = None


@dataclass(frozen=True)
class Question:
    """A question that the camera cannot decide. Options are ordered by likelihood.

    ``cells`` are the cells that it is about, and ``turn_no`` the turn (from 1). That turn can also be
    corrected to anything else. ``order`` has the numbers of two or more turns whose order is uncertain, in
    the likeliest order; a correction with ``order`` answers such a question.
    """

    id: str
    text: str
    options: tuple[Option, ...]
    cells: tuple[Cell, ...] = ()
    frame: int | None = None
    player: str | None = None
    turn_no: int | None = None
    order: tuple[int, ...] = ()


@dataclass(frozen=True)
class ClosedQuestion:
    """A question that is no longer open, and why."""

    id: str
    text: str
    turn_no: int | None
    why: ClosedWhy

    def to_json(self) -> dict[str, Any]:
        """Return the closed question as JSON for pages and events."""
        return {"id": self.id, "text": self.text, "turn": self.turn_no, "why": self.why}
