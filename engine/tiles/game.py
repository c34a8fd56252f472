"""Protocol of tile games: headers, positions, results of turns, scoring events.

The protocol of all games is in engine.game, the registry of games in engine.games.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from engine.fault import Fault
from engine.game import GameError, IllegalTurn, Opening, Position
from engine.geometry import Cell, Corner
from engine.pack import Pack
from engine.tiles.actions import Action, TurnPart
from engine.tiles.board import Laid, Standing
from engine.tiles.turn import Turn

__all__ = [
    "Action", "Fault", "Final", "GameError", "GameState", "Header", "IllegalTurn",
    "Laid", "ScoreEvent", "Spot", "Standing", "Step", "Turn", "Worth",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Header(Opening):
    """The first line of a tile game's record. ``hands`` (animal tiles by player) and ``rangers`` are None if
    the record does not give them; ``river`` is the edition of the river tiles, None without a river."""

    hands: Mapping[str, tuple[str, ...]] | None = None
    rangers: tuple[Cell, ...] | None = None
    river: str | None = None

    @classmethod
    def of(cls, start: GameState, game: str, rules: str) -> Header:
        """The header of a game that began with ``start``, without hands and rangers."""
        river = getattr(start, "edition", None)  # of all positions only some have one
        return cls(game, start.pack.id, start.players, rules, river=river)

    @property
    def opening_fields(self) -> tuple[str, ...]:
        """Names of the header fields among hands, rangers and river that are given."""
        given = {"hands": self.hands, "rangers": self.rangers, "river": self.river}
        return tuple(name for name, value in given.items() if value is not None)


@dataclass(frozen=True, slots=True)
class Worth:
    """Points, and their reason in English."""

    points: int
    why: str


@dataclass(frozen=True, slots=True)
class ScoreEvent:
    """Points (possibly 0) for one player, with the reason. ``turn`` counts from 1; ``at_end`` marks the final
    scoring. ``cells`` are those of the feature or piece scored, ``feature`` is its id on the first cell."""

    turn: int
    player: str
    points: int
    kind: str
    why: str
    cells: tuple[Cell, ...] = ()
    feature: str | None = None
    at_end: bool = False

    def to_json(self) -> dict[str, Any]:
        """Serialise the event (docs/formats.md, 'Output of check')."""
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
    """Value of one unfinished feature. ``if_completed``: points of its majority if it were completed without
    further tiles; ``if_ended``: points of each colour if the game ended now. ``on_demand``: the value is
    shown only on request, as a surprise of the final scoring. ``paid_by``: one tile feature of each finished
    feature that pays for it."""

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
    """Result of a game: total scores, and the events of the final scoring."""

    scores: Mapping[str, int]
    events: tuple[ScoreEvent, ...]

    @classmethod
    def after(cls, scores: Mapping[str, int], events: Iterable[ScoreEvent]) -> Final:
        """Add the events of the final scoring to the scores before it."""
        total, events = dict(scores), tuple(events)
        for event in events:
            total[event.player] += event.points
        return cls(total, events)

    @property
    def winners(self) -> tuple[str, ...]:
        """The players with the most points; ties share the victory."""
        best = max(self.scores.values())
        return tuple(player for player, points in self.scores.items() if points == best)


Pick = Callable[[str, Mapping[str, int]], str]
"""Chooses a drawn animal tile: (player, maximum number of each animal face down) -> animal or "?"."""


class BoardScoring(Protocol):
    """Base of the tile games: final scoring of a board known only from a photograph."""

    __slots__ = ()

    @abstractmethod
    def final_seen(
        self, pack: Pack, board: Mapping[Cell, Laid], standing: Sequence[Standing], rules: str | None = None
    ) -> Final:
        """Final scoring of a seen board, from 0 points, for the colours of ``standing``; its events have
        turn 0."""

    def points_if_ended(
        self, pack: Pack, board: Mapping[Cell, Laid], standing: Sequence[Standing], rules: str | None = None
    ) -> dict[str, int]:
        """The points of `final_seen`, by colour."""
        return dict(self.final_seen(pack, board, standing, rules).scores)


@dataclass(frozen=True, slots=True)
class Step:
    """Result of a turn. ``laid`` are the pieces on the table after tile and action, before features score and
    pieces go home (bonus tiles lie on their features; a displaced ranger is off the board);
    ``state.standing`` are those after the turn."""

    state: GameState
    events: tuple[ScoreEvent, ...] = ()
    laid: tuple[Standing, ...] = ()


class GameState(Position, Protocol):
    """An immutable position of a tile game."""

    @property
    def pack(self) -> Pack:
        """The printed set that is played."""

    @property
    def scores(self) -> Mapping[str, int]:
        """Points of each player so far."""

    @property
    def board(self) -> Mapping[Cell, Laid]:
        """The laid tiles by cell, in laying order."""

    @property
    def standing(self) -> tuple[Standing, ...]:
        """Every piece on the table."""

    @property
    def bag(self) -> Mapping[str, int]:
        """Number of tiles of each design from which this turn's tile is drawn; designs with 0 are left
        out."""

    @property
    def hands(self) -> Mapping[str, tuple[str, ...]]:
        """Animal tiles in hand by player, '?' if unknown; empty in a game without hands."""

    @property
    def supply(self) -> Mapping[str, int]:
        """Number of meeples in each player's supply."""

    def pieces_left(self, kind: str) -> Mapping[str, int]:
        """Number of pieces of a kind in each player's supply; empty if players own none of that kind."""

    def placements(self, design_id: str) -> tuple[tuple[Cell, int], ...]:
        """Every (cell, rot) at which that face may be laid; GameError for an unknown face."""

    def actions(
        self, design_id: str, cell: Cell, rot: int, parts: Sequence[TurnPart] = ()
    ) -> tuple[Action, ...]:
        """The legal actions that put a piece on the tile laid at ``cell`` with rotation ``rot``, in a turn
        with these other parts. Ranger moves and animal tiles are not listed."""

    def turns_for(
        self,
        design_id: str,
        cell: Cell,
        rot: int,
        corners: Collection[tuple[Cell, Corner]] | None = None,
    ) -> Iterator[Turn]:
        """Iterate over the legal turns with that placement, those without a piece first; draws are unknown.
        With ``corners`` only turns that lay an animal tile on one of them; if it is empty, only turns that
        lay none on a corner."""

    def faults(self, turn: Turn) -> tuple[Fault, ...]:
        """Every reason why the turn is illegal; empty if it is legal."""

    def apply(self, turn: Turn) -> Step:
        """Play the turn; IllegalTurn with all faults if it is illegal."""

    def dealt(self, turn: Turn, pick: Pick) -> Turn:
        """The turn with its draws of animal tiles chosen by ``pick``."""

    def drawn(self, turn: Turn, after: GameState) -> Mapping[str, tuple[str, ...]]:
        """The animal tiles that each player drew in ``turn``, in order, UNKNOWN for those not recorded;
        players who drew none are left out. ``after`` is the position after the turn."""

    def token_added(self, cell: Cell, corner: Corner, animal: str) -> Action | None:
        """The action that expands the watering hole at ``corner`` of ``cell``, legal or not; None in a game
        without animal tiles."""

    def unplaceable_faults(self, design_id: str) -> tuple[Fault, ...]:
        """Reasons why the drawn face may not be put aside; empty if it fits nowhere."""

    def unplaceable(self, design_id: str) -> GameState:
        """Put the drawn face aside; the same player draws again. IllegalTurn if it fits."""

    def final(self) -> Final:
        """The final scoring if the game ended now."""

    def spots(self) -> tuple[Spot, ...]:
        """The value of every unfinished feature."""
