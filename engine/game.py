"""The protocol that every game answers, and the table of the games there are.

Nothing outside a game's own room and the table below asks for a game's name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol, cast

from engine.board import Laid, Standing
from engine.fault import Fault
from engine.geometry import Cell
from engine.pack import Pack
from engine.turn import Action, Bonus, Turn

__all__ = [
    "Action", "Bonus", "Fault", "Final", "Game", "GameError", "GameState", "Header", "IllegalTurn",
    "Laid", "ScoreEvent", "Spot", "Standing", "Step", "Turn", "game_named", "game_names",
]  # fmt: skip


class GameError(ValueError):
    """A game that cannot be played or asked for; the message is one clear line."""


class IllegalTurn(GameError):
    """A turn (or header) that the rules refuse; ``faults`` says every reason."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__("; ".join(fault.message for fault in faults))
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a record: who plays what. ``rules`` names a preset, None the game's default.
    ``hands`` and ``rangers`` are None where the record does not give them."""

    game: str
    pack: str
    players: tuple[str, ...]
    rules: str | None = None
    hands: Mapping[str, tuple[str, ...]] | None = None
    rangers: tuple[Cell, ...] | None = None


@dataclass(frozen=True, slots=True)
class ScoreEvent:
    """Points (perhaps none) for one player, and why. ``turn`` counts from 1; ``at_end`` marks the
    final scoring. ``cells`` are those of the feature or piece scored, ``feature`` its id on the first."""

    turn: int
    player: str
    points: int
    kind: str
    why: str
    cells: tuple[Cell, ...] = ()
    feature: str | None = None
    at_end: bool = False

    def to_json(self) -> dict[str, Any]:
        """The event as FORMATS writes it."""
        value: dict[str, Any] = {
            "turn": self.turn,
            "player": self.player,
            "points": self.points,
            "kind": self.kind,
            "why": self.why,
            "cells": [list(cell) for cell in self.cells],
        }
        if self.feature is not None:
            value["feature"] = self.feature
        if self.at_end:
            value["at_end"] = True
        return value


@dataclass(frozen=True, slots=True)
class Spot:
    """One unfinished feature and what it is worth. ``if_completed`` is what its majority would get
    were it completed as it stands, ``if_ended`` what each colour gets if the game ended now."""

    kind: str
    places: tuple[tuple[Cell, str], ...]
    meeples: Mapping[str, int]
    if_completed: int
    if_ended: Mapping[str, int]
    open_edges: int


@dataclass(frozen=True, slots=True)
class Final:
    """The end: total scores, and the events of the final scoring alone."""

    scores: Mapping[str, int]
    events: tuple[ScoreEvent, ...]

    @property
    def winners(self) -> tuple[str, ...]:
        """Whoever has the most points; ties share the victory."""
        best = max(self.scores.values())
        return tuple(player for player, points in self.scores.items() if points == best)


@dataclass(frozen=True, slots=True)
class Step:
    """What a turn did. ``laid`` are the pieces on the table right after the lay, before features
    score and pieces go home (bonus tiles lie on their features; a displaced ranger is in its player's
    hand and comes back last); ``state.standing`` is the table at rest afterwards."""

    state: GameState
    events: tuple[ScoreEvent, ...] = ()
    laid: tuple[Standing, ...] = ()


class GameState(Protocol):
    """A position of a tile game. Never changed; undo is keeping the old value."""

    @property
    def pack(self) -> Pack: ...
    @property
    def players(self) -> tuple[str, ...]: ...
    @property
    def player(self) -> str:
        """Whose turn it is."""

    @property
    def turn_no(self) -> int:
        """Turns played so far."""

    @property
    def scores(self) -> Mapping[str, int]: ...
    @property
    def board(self) -> Mapping[Cell, Laid]: ...
    @property
    def standing(self) -> tuple[Standing, ...]:
        """Every piece on the table, at rest."""

    @property
    def bag(self) -> Mapping[str, int]:
        """Designs from which this turn's tile is drawn, with their numbers (none is listed with 0)."""

    @property
    def hands(self) -> Mapping[str, tuple[str, ...]]:
        """Animal tiles in hand, '?' where unseen."""

    @property
    def supply(self) -> Mapping[str, int]:
        """Meeples each player has left."""

    @property
    def over(self) -> bool: ...

    def placements(self, design_id: str) -> tuple[tuple[Cell, int], ...]:
        """Every (cell, rot) on which that face may be laid; GameError for an unknown face."""

    def actions(self, design_id: str, cell: Cell, rot: int) -> tuple[Action, ...]:
        """The pieces that may be put on the tile so laid (ranger moves and animal tiles not listed)."""

    def turns_for(self, design_id: str, cell: Cell, rot: int) -> Iterator[Turn]:
        """Every legal turn with that placement, the plainest first; lazy, unseen draws."""

    def faults(self, turn: Turn) -> tuple[Fault, ...]:
        """Every reason why the turn is illegal; empty if it is legal."""

    def apply(self, turn: Turn) -> Step:
        """The turn played; IllegalTurn (with all faults) if it may not be."""

    def dealt(self, turn: Turn, pick: Callable[[str, Mapping[str, int]], str]) -> Turn:
        """The turn with its draws decided by ``pick(player, how many of each animal may be left)``."""

    def unplaceable_faults(self, design_id: str) -> tuple[Fault, ...]:
        """Why the drawn face may not be put aside as fitting nowhere."""

    def unplaceable(self, design_id: str) -> GameState:
        """The drawn face put aside; the same player draws again. IllegalTurn if it fits."""

    def final(self) -> Final:
        """The scores as if the game ended now."""

    def spots(self) -> tuple[Spot, ...]:
        """Every unfinished feature and its worth."""


class Game(Protocol):
    """The rules of one game."""

    @property
    def name(self) -> str: ...
    @property
    def default_pack(self) -> str: ...
    @property
    def presets(self) -> tuple[str, ...]:
        """The names of its rule editions, the default first."""

    @property
    def colors(self) -> tuple[str, ...]:
        """The colours of its pieces."""

    def header_faults(self, header: Header, pack: Pack) -> tuple[Fault, ...]:
        """Every reason why a game cannot start so."""

    def start(self, header: Header, pack: Pack) -> GameState:
        """The position before the first turn; IllegalTurn if the header is at fault."""

    def points_if_ended(
        self, pack: Pack, board: Mapping[Cell, Laid], standing: Sequence[Standing], rules: str | None = None
    ) -> Mapping[str, int]:
        """Final-scoring points of the pieces seen on a bare board, for the colours seen."""


@dataclass(frozen=True, slots=True)
class _Room:
    module: str
    attribute: str


_ROOMS: Mapping[str, _Room] = {
    "safari": _Room("engine.safari.game", "SAFARI"),
    "hunters-gatherers": _Room("engine.hunters_gatherers.game", "HUNTERS_GATHERERS"),
}


def game_names() -> tuple[str, ...]:
    """The games there are."""
    return tuple(_ROOMS)


def game_named(name: str) -> Game:
    """The game of that name; GameError where there is none."""
    room = _ROOMS.get(name)
    if room is None:
        raise GameError(f"no rules for a game {name!r} (known: {', '.join(_ROOMS)})")
    return cast(Game, getattr(import_module(room.module), room.attribute))
