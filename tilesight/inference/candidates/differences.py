"""Differences between turns: hashable keys of their parts, and the differences in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from engine.geometry import Cell, Corner
from engine.message import Message
from engine.tiles.pieces import OUTSIDE, PieceKind
from engine.tiles.turn import UNKNOWN, Turn

TurnKey = tuple[object, ...]
"""Hashable key of a turn without the animal tiles drawn, which no picture shows."""


class PieceChoice(NamedTuple):
    """An animal tile or a piece beside the tiles, whose animal or cell the player chooses."""

    kind: PieceKind
    cell: Cell
    feature: str | None = None
    corner: Corner | None = None
    animal: str | None = None


def choices_of(turn: Turn) -> list[PieceChoice]:
    """Return the animal tiles that a turn lays and the pieces that it puts beside the tiles."""
    return [
        PieceChoice(put.kind, put.cell, put.feature, put.corner, put.animal)
        for put in turn.puts
        if put.animal is not None or put.kind in OUTSIDE
    ]


def displaced_to(turn: Turn) -> Cell | None:
    """Return the space to which the turn puts a piece that its tile displaced; None if it displaced none."""
    for part in turn.parts:
        if part.displaced and part.put is not None:
            return part.put.cell
    return None


def tokens_added(turn: Turn) -> int:
    """Return the number of animal tiles that a turn puts down besides the one that is its action, if any."""
    return sum(part.put is not None and part.put.animal is not None for part in turn.parts)


def kind_of(turn: Turn) -> str:
    """Return the kind of a turn's action, "" for none."""
    return "" if turn.action is None else turn.action.type


def key_without_displaced(turn: Turn) -> tuple[object, ...]:
    """Return a hashable key of a turn's actions on pieces, without the cell of a displaced piece."""
    return (turn.action, tuple(part for part in turn.parts if part.seen and not part.displaced))


def key_without_choices(turn: Turn) -> tuple[object, ...] | None:
    """Return a hashable key of a turn's actions on pieces, without the choices listed by `choices_of`.

    Turns with one placement and equal keys differ only in animals and in spaces beside the tiles. None if the
    turn has no such choice, or several at one place.
    """
    places = [choice[:-1] for choice in choices_of(turn)]
    if not places or len(set(places)) < len(places):
        return None
    return tuple(use.showing(UNKNOWN).with_target_cell(turn.cell) for use in turn.seen.uses)


def piece_actions(turn: Turn) -> tuple[object, ...]:
    """Return a hashable key of a turn's actions on pieces, without the animal tiles drawn.

    It identifies a turn among those with the same placement.
    """
    return (turn.action, *turn.seen.parts)


def turn_key(turn: Turn) -> TurnKey:
    """Return a hashable key of a turn: player, placement, actions on pieces. It omits the animals drawn."""
    return (turn.player, turn.tile, turn.cell, turn.rot, *piece_actions(turn))


def difference_text(turns: Sequence[Turn]) -> Message:
    """Return a message with the first part in which ``turns`` (at least two) differ.

    The parts are, in this order: order of tiles, face, rotation, pieces; only the animal on an animal tile,
    if all else is equal.
    """
    first, *others = turns
    if any(turn.cell != first.cell for turn in others):
        return Message("the tiles may have been laid in another order")
    if any(turn.tile != first.tile for turn in others):
        return Message("the tile's face is not clear")
    if any(turn.rot != first.rot for turn in others):
        return Message("which way round the tile lies is not clear")
    if all(_without_animals(turn) == _without_animals(first) for turn in others):
        return Message("which animal is on the animal tile is not clear")
    return Message("which pieces were put down is not clear")


def _without_animals(turn: Turn) -> Turn:
    """Return a turn in which every animal tile shows `UNKNOWN` instead of an animal."""
    action = None if turn.action is None else turn.action.showing(UNKNOWN)
    return replace(turn, action=action, parts=tuple(part.showing(UNKNOWN) for part in turn.parts))
