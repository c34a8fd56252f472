"""Corrections: what people say instead of what was recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.squares_game import Figure


@dataclass(frozen=True)
class SetUp:
    """A table as people say that it was set up: the board's rows of signs, north first, and what stands
    where."""

    terrain: tuple[str, ...]
    figures: tuple[Figure, ...]


@dataclass(frozen=True)
class Opened:
    """Part of an opening position that people say and no camera sees: whose turn it is, points so far, and
    animal tiles in hand, ``?`` where unseen. What is left out stays as it is."""

    to: str | None = None
    scores: Mapping[str, int] = field(default_factory=dict)
    hands: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    extra: bool | None = None


@dataclass(frozen=True)
class Correction:
    """A player's correction: replace turn ``turn_no`` (counted from 1) by ``line``, a record line
    (docs/formats.md, 'Game record'), or ``remove`` it; and/or set scores.
    The number after the last turn adds one.

    ``inserted`` are record lines that come before turn ``turn_no``. ``order`` are the turns from there on in
    the order in which they were played, by their numbers now; it answers the question about them. ``move_to``
    is the number that the turn gets, ``player`` whose turn it was. ``let_go`` says that nobody misses what an
    edit could not keep.

    Where the set-up is read from the table: ``set_up`` is what it should be, and ``agreed`` says that what is
    told to stand wrongly stands right. Where the camera found a game under way, ``opened`` is what people say
    of the position before turn 1."""

    turn_no: int | None = None
    line: Mapping[str, object] | None = None
    scores: Mapping[str, int] | None = None
    remove: bool = False
    set_up: SetUp | None = None
    agreed: bool = False
    opened: Opened | None = None
    inserted: tuple[Mapping[str, object], ...] = ()
    order: tuple[int, ...] = ()
    move_to: int | None = None
    player: str | None = None
    let_go: bool = False
