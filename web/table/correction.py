"""Corrections that people make to the record, one thing at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.squares_game import Figure

Line = Mapping[str, object]
"""A turn as a record line (docs/formats.md, 'Game record')."""


@dataclass(frozen=True)
class ReplaceTurn:
    """Replace turn ``turn_no`` (counted from 1) by ``line``; the number after the last turn adds one."""

    turn_no: int
    line: Line


@dataclass(frozen=True)
class RemoveTurn:
    """Remove turn ``turn_no``."""

    turn_no: int


@dataclass(frozen=True)
class InsertTurns:
    """Insert ``lines`` before turn ``turn_no``; the number after the last turn adds them."""

    turn_no: int
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class ReorderTurns:
    """Put the turns from ``turn_no`` on into another order.

    ``order`` is a permutation of their present numbers. The correction also answers the question about their
    order.
    """

    turn_no: int
    order: tuple[int, ...]


@dataclass(frozen=True)
class MoveTurn:
    """Move turn ``turn_no`` to the number ``to``."""

    turn_no: int
    to: int


@dataclass(frozen=True)
class ChangePlayer:
    """Give turn ``turn_no`` to the player of colour ``player``."""

    turn_no: int
    player: str


@dataclass(frozen=True)
class LetGo:
    """Forget the list of turns that edits could not keep."""


@dataclass(frozen=True)
class SetScores:
    """Set ``scores`` by colour; a player without an entry keeps theirs. For boards of tiles."""

    scores: Mapping[str, int]


@dataclass(frozen=True)
class SetUp:
    """Set up a board of squares.

    ``terrain`` is its rows of signs, north first; ``figures`` are the figures on it.
    """

    terrain: tuple[str, ...]
    figures: tuple[Figure, ...]


@dataclass(frozen=True)
class Overrule:
    """Overrule the camera: every figure that it reports as misplaced is correct. For boards of squares."""


@dataclass(frozen=True)
class SetOpening:
    """Set the part of an opening position that no camera sees.

    It corrects a tile game that the camera found under way: the player ``to`` move, ``scores`` and ``hands``
    by colour (``?`` for an unseen animal tile), and whether it is an ``extra`` turn. Fields of None and
    colours that are missing keep their value.
    """

    to: str | None = None
    scores: Mapping[str, int] = field(default_factory=dict)
    hands: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    extra: bool | None = None


TurnEdit = ReplaceTurn | RemoveTurn | InsertTurns | ReorderTurns | MoveTurn | ChangePlayer
"""An edit of the turns, on every kind of board. Later turns may change or be dropped."""
BoardCorrection = SetScores | SetUp | Overrule | SetOpening
"""A correction of something that only one kind of board has."""
Correction = TurnEdit | BoardCorrection | LetGo
"""Any correction."""
