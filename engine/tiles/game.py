"""Protocol of tile games: their positions, the steps of a turn, the points and their reasons.

What games of any kind answer is in engine.game, the table of the games in engine.games.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from engine.fault import Fault
from engine.game import GameError, IllegalTurn, Opening, Position
from engine.geometry import Cell, Corner
from engine.pack import Pack
from engine.tiles.actions import Action
from engine.tiles.board import Laid, Standing
from engine.tiles.turn import UNKNOWN, Bonus, Place, Turn

__all__ = [
    "Action", "Bonus", "Fault", "Final", "GameError", "GameState", "Header", "IllegalTurn",
    "Laid", "ScoreEvent", "Spot", "Standing", "Step", "Turn", "Worth", "drawn",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Header(Opening):
    """The first line of a tile game's record. ``hands`` and ``rangers`` are None where the record does
    not give them, ``river`` (the edition of its tiles) where none is played."""

    hands: Mapping[str, tuple[str, ...]] | None = None
    rangers: tuple[Cell, ...] | None = None
    river: str | None = None

    @classmethod
    def of(cls, start: GameState, game: str, rules: str) -> Header:
        """The header of a game that began with ``start``, without what was on the table."""
        river = getattr(start, "edition", None)  # of all positions only some have one
        return cls(game, start.pack.id, start.players, rules, river=river)

    @property
    def opening_fields(self) -> tuple[str, ...]:
        """Hands, rangers and river, where given."""
        given = {"hands": self.hands, "rangers": self.rangers, "river": self.river}
        return tuple(name for name, value in given.items() if value is not None)


@dataclass(frozen=True, slots=True)
class Worth:
    """Points and what they are for, in words."""

    points: int
    why: str


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
        """The event as a JSON object (docs/formats.md, 'Output of check')."""
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
    were it completed as it stands, ``if_ended`` what each colour gets if the game ended now. ``on_demand`` is
    whether its worth is shown only to people who ask for it, as a surprise of the final scoring. ``paid_by``
    is one place on each of the finished features that pay for it."""

    kind: str
    places: tuple[tuple[Cell, str], ...]
    meeples: Mapping[str, int]
    if_completed: int
    if_ended: Mapping[str, int]
    open_edges: int
    on_demand: bool = False
    paid_by: tuple[tuple[Cell, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Final:
    """The end: total scores, and the events of the final scoring alone."""

    scores: Mapping[str, int]
    events: tuple[ScoreEvent, ...]

    @classmethod
    def after(cls, scores: Mapping[str, int], events: Iterable[ScoreEvent]) -> Final:
        """The end of a game in which the players have these points before the final scoring."""
        total, events = dict(scores), tuple(events)
        for event in events:
            total[event.player] += event.points
        return cls(total, events)

    @property
    def winners(self) -> tuple[str, ...]:
        """Whoever has the most points; ties share the victory."""
        best = max(self.scores.values())
        return tuple(player for player, points in self.scores.items() if points == best)


Pick = Callable[[str, Mapping[str, int]], str]
"""Choice of a drawn animal tile: (player, number of each that may lie face down) -> animal or "?"."""


class BoardScoring(ABC):
    """Base of the tile games: scores a board of which only a photograph is known."""

    __slots__ = ()

    @abstractmethod
    def final_seen(
        self, pack: Pack, board: Mapping[Cell, Laid], standing: Sequence[Standing], rules: str | None = None
    ) -> Final:
        """The final scoring alone of the pieces seen on a bare board, for the colours seen; its events are of
        turn 0."""

    def points_if_ended(
        self, pack: Pack, board: Mapping[Cell, Laid], standing: Sequence[Standing], rules: str | None = None
    ) -> dict[str, int]:
        """The points by colour that `final_seen` comes to."""
        return dict(self.final_seen(pack, board, standing, rules).scores)


@dataclass(frozen=True, slots=True)
class Step:
    """Result of a turn. ``laid`` are the pieces on the table right after the lay, before features
    score and pieces go home (bonus tiles lie on their features; a displaced ranger is in its player's
    hand and comes back last); ``state.standing`` is the table at rest afterwards."""

    state: GameState
    events: tuple[ScoreEvent, ...] = ()
    laid: tuple[Standing, ...] = ()


class GameState(Position, Protocol):
    """A position of a tile game. Never changed; undo is keeping the old value."""

    @property
    def pack(self) -> Pack:
        """The printed set that is played."""

    @property
    def scores(self) -> Mapping[str, int]:
        """Points of each player so far."""

    @property
    def board(self) -> Mapping[Cell, Laid]:
        """The laid tiles by cell, in the order in which they were laid."""

    @property
    def standing(self) -> tuple[Standing, ...]:
        """Every piece on the table, at rest."""

    @property
    def bag(self) -> Mapping[str, int]:
        """Designs from which this turn's tile is drawn, with their numbers (none is listed with 0)."""

    @property
    def hands(self) -> Mapping[str, tuple[str, ...]]:
        """Animal tiles in hand by player, '?' where unseen; empty in a game that has no hands."""

    @property
    def supply(self) -> Mapping[str, int]:
        """Meeples each player has left."""

    def pieces_left(self, kind: str) -> Mapping[str, int]:
        """Number of pieces of a kind in each player's supply, by colour; empty where players own none."""

    def placements(self, design_id: str) -> tuple[tuple[Cell, int], ...]:
        """Every (cell, rot) on which that face may be laid; GameError for an unknown face."""

    def actions(
        self, design_id: str, cell: Cell, rot: int, sent_home: Place | None = None
    ) -> tuple[Action, ...]:
        """The pieces that may be put on the tile so laid (ranger moves and animal tiles not listed),
        after a shaman sent home the meeple on ``sent_home``."""

    def turns_for(
        self,
        design_id: str,
        cell: Cell,
        rot: int,
        corners: Collection[tuple[Cell, Corner]] | None = None,
    ) -> Iterator[Turn]:
        """Every legal turn with that placement, the plainest first; lazy, unseen draws. With
        ``corners`` only those that lay an animal tile on one of them; where it is empty, only those that
        lay none on any corner."""

    def faults(self, turn: Turn) -> tuple[Fault, ...]:
        """Every reason why the turn is illegal; empty if it is legal."""

    def apply(self, turn: Turn) -> Step:
        """The turn played; IllegalTurn (with all faults) if it may not be."""

    def dealt(self, turn: Turn, pick: Pick) -> Turn:
        """The turn with its draws decided by ``pick``."""

    def token_added(self, cell: Cell, corner: Corner, animal: str) -> Action | None:
        """The action that lays an animal tile beside others around a corner, legal or not; None in a game
        without such tiles."""

    def unplaceable_faults(self, design_id: str) -> tuple[Fault, ...]:
        """Reasons why the drawn face may not be put aside as fitting nowhere."""

    def unplaceable(self, design_id: str) -> GameState:
        """The drawn face put aside; the same player draws again. IllegalTurn if it fits."""

    def final(self) -> Final:
        """The scores as if the game ended now."""

    def spots(self) -> tuple[Spot, ...]:
        """Every unfinished feature and its worth."""


def drawn(before: GameState, turn: Turn, after: GameState) -> dict[str, tuple[str, ...]]:
    """The animal tiles that each player drew in ``turn``, in order, UNKNOWN where nobody saw them; players
    who drew none are left out. ``before`` and ``after`` are the positions around the turn."""
    put = None if turn.action is None else turn.action.put
    laid_animal = put is not None and put.animal is not None
    found: dict[str, tuple[str, ...]] = {}
    for player, hand in after.hands.items():
        used = sum(bonus.player == player for bonus in turn.bonus)
        used += turn.player == player and laid_animal
        number = len(hand) - len(before.hands[player]) + used
        told = turn.draws.get(player, ())
        if number > 0:
            found[player] = told or (UNKNOWN,) * number
    return found
