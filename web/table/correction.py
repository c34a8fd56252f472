"""Corrections: what people say instead of what was recorded, one thing at a time."""

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
    """Turn ``turn_no`` (counted from 1) was ``line``; the number after the last turn adds one."""

    turn_no: int
    line: Line


@dataclass(frozen=True)
class RemoveTurn:
    """Turn ``turn_no`` was not played."""

    turn_no: int


@dataclass(frozen=True)
class InsertTurns:
    """The turns ``lines`` were played before turn ``turn_no``; the number after the last turn adds them."""

    turn_no: int
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class ReorderTurns:
    """The turns from ``turn_no`` on were played in ``order``, given by their present numbers. It answers the
    question about their order."""

    turn_no: int
    order: tuple[int, ...]


@dataclass(frozen=True)
class MoveTurn:
    """Turn ``turn_no`` gets the number ``to``."""

    turn_no: int
    to: int


@dataclass(frozen=True)
class ChangePlayer:
    """Turn ``turn_no`` was that of the player of colour ``player``."""

    turn_no: int
    player: str


@dataclass(frozen=True)
class LetGo:
    """What the edits so far could not keep is not missed: forget it."""


@dataclass(frozen=True)
class SetScores:
    """The players' ``scores`` by colour; a player who is not named keeps theirs. For boards of tiles."""

    scores: Mapping[str, int]


@dataclass(frozen=True)
class SetUp:
    """The set-up of a board of squares: its rows of signs, north first, and the figures on it."""

    terrain: tuple[str, ...]
    figures: tuple[Figure, ...]


@dataclass(frozen=True)
class Overrule:
    """Every figure that the camera reports as misplaced is where it belongs. For boards of squares."""


@dataclass(frozen=True)
class SetOpening:
    """The part of the opening position that no camera sees, where the camera found a tile game under way:
    the player to move, points so far, and animal tiles in hand, ``?`` where unseen. What is left out stays as
    it is."""

    to: str | None = None
    scores: Mapping[str, int] = field(default_factory=dict)
    hands: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    extra: bool | None = None


TurnEdit = ReplaceTurn | RemoveTurn | InsertTurns | ReorderTurns | MoveTurn | ChangePlayer
"""An edit of the turns, on every kind of board. Later turns may not be kept as they were."""
BoardCorrection = SetScores | SetUp | Overrule | SetOpening
"""A correction of something that only one kind of board has."""
Correction = TurnEdit | BoardCorrection | LetGo
"""Any correction."""
