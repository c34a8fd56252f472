"""Corrections that people make to the record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.squares_game import Figure


@dataclass(frozen=True)
class SetUp:
    """Corrected set-up of a board of squares: its rows of signs, north first, and the figures on it."""

    terrain: tuple[str, ...]
    figures: tuple[Figure, ...]


@dataclass(frozen=True)
class OpeningEdit:
    """Correction of those parts of an opening position that no camera sees: the player to move, the
    scores, the animal tiles in hand (``?`` for an unseen one), and whether the turn is an extra turn. None
    or empty leaves a part unchanged."""

    to: str | None = None
    scores: Mapping[str, int] = field(default_factory=dict)
    hands: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    extra: bool | None = None


@dataclass(frozen=True)
class Correction:
    """A correction of the record.

    Edits of turn ``turn_no`` (from 1; the number after the last turn adds a turn): ``line`` replaces it by a
    record line (docs/formats.md, 'Game record'), ``remove`` deletes it, ``inserted`` are record lines to
    insert before it, ``move_to`` is its new number, ``player`` the player whose turn it was. ``order`` lists
    the numbers of this turn and later ones in the order in which they were played; it answers the question
    about their order.

    Other corrections: ``scores`` sets scores by colour; ``set_up`` replaces the set-up that was read from the
    table; ``agreed`` accepts figures that were reported as misplaced; ``opened`` corrects the opening
    position; ``let_go`` dismisses the list of turns that an edit could not keep.
    """

    turn_no: int | None = None
    line: Mapping[str, object] | None = None
    scores: Mapping[str, int] | None = None
    remove: bool = False
    set_up: SetUp | None = None
    agreed: bool = False
    opened: OpeningEdit | None = None
    inserted: tuple[Mapping[str, object], ...] = ()
    order: tuple[int, ...] = ()
    move_to: int | None = None
    player: str | None = None
    let_go: bool = False
