"""Moves and positions: turns without their players, and the positions that they lead to, legal or not.

Positions form a trie that all stories share. They do not depend on what the pictures show. The rules are the
engine's own: a turn that they forbid is played all the same (`engine.tiles.game.GameState.forced`) and costs
nats by its faults.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from engine.geometry import Cell
from engine.tiles.actions import Action, TurnPart
from engine.tiles.board import Laid, Standing
from engine.tiles.foreign import is_foreign
from engine.tiles.game import GameState
from engine.tiles.pieces import OUTSIDE
from engine.tiles.turn import Turn
from tilesight.inference.params import FAULT_NATS, PRIOR, SEARCH
from vision.pieces.feature_assignment import outside_of


@dataclass(frozen=True, slots=True, eq=False)
class Move:
    """A turn without its player, who follows from the position. Equal moves are one object (`Moves.move`)."""

    cell: Cell
    tile: str
    rot: int
    action: Action | None = None
    parts: tuple[TurnPart, ...] = ()

    def by(self, player: str) -> Turn:
        """Return the move as a turn of a player."""
        return Turn(player, self.tile, self.cell, self.rot, self.action, self.parts)


class Habit(NamedTuple):
    """Pieces that stay to the end: how many this table has put, and how many others would have.

    A table's rate has a Gamma prior whose mean is that of other tables (the gamma-Poisson model).
    """

    put: float = 0.0
    expected: float = 0.0

    @property
    def factor(self) -> float:
        """The table's rate, as a multiple of that of others."""
        return (PRIOR.habit_pieces + self.put) / (PRIOR.habit_pieces + self.expected)


class Position:
    """Position after a move.

    ``prior`` is the log-probability of the move, given the position before. ``put`` are the pieces that it
    puts down, ``gone`` those that it takes off the table. ``faults`` are the codes of its faults. ``pieces``
    are those on the table, in a fixed order, ``outside`` the cells of those beside the tiles. ``habit`` is
    that of the table so far.
    """

    __slots__ = ("after", "faults", "gone", "habit", "outside", "pieces", "prior", "put", "state")

    def __init__(
        self,
        state: GameState,
        pieces: dict[Standing, None],
        prior: float = 0.0,
        put: tuple[Standing, ...] = (),
        gone: tuple[Standing, ...] = (),
        faults: tuple[str, ...] = (),
    ) -> None:
        self.state, self.pieces, self.prior = state, pieces, prior
        self.outside = frozenset([one.cell for one in pieces if one.kind in OUTSIDE])
        self.put, self.gone, self.faults = put, gone, faults
        self.habit = Habit()
        self.after: dict[Move, Position] = {}


class Moves:
    """All moves and positions of a game that starts at ``start``."""

    def __init__(self, start: GameState) -> None:
        pieces = dict.fromkeys(start.standing)
        self.root = Position(start, pieces, put=tuple(pieces))
        self.played = 0
        self._outside = sum(outside_of(start.pack).values())
        self._animals = max(len(start.pack.tokens or ()), 1)
        self._moves: dict[tuple[object, ...], Move] = {}
        self._laid: dict[tuple[str, int], Laid] = {}

    def move(
        self,
        cell: Cell,
        tile: str,
        rot: int,
        action: Action | None = None,
        parts: tuple[TurnPart, ...] = (),
    ) -> Move:
        """Return the move with these values; the same object each time."""
        key = (cell, tile, rot, action, parts)
        known = self._moves.get(key)
        if known is None:
            known = self._moves[key] = Move(cell, tile, rot, action, parts)
        return known

    def of(self, turn: Turn) -> Move:
        """Return a turn as a move."""
        return self.move(turn.cell, turn.tile, turn.rot, turn.action, turn.parts)

    def laid(self, tile: str, rot: int) -> Laid:
        """Return a face of the pack, laid."""
        key = (tile, rot)
        if key not in self._laid:
            self._laid[key] = Laid(self.root.state.design(tile), rot)
        return self._laid[key]

    def after(self, position: Position, move: Move) -> Position:
        """Return the position after a move."""
        known = position.after.get(move)
        if known is None:
            known = position.after[move] = self._played(position, move)
        return known

    def prune(self, kept: Iterable[Sequence[Move]]) -> None:
        """Forget all positions but those that sequences of moves lead through."""
        trie: dict[int, dict[Move, Position]] = {}
        number = 0
        for moves in kept:
            position = self.root
            for move in moves:
                following = position.after.get(move)
                if following is None:
                    break
                number += move not in trie.setdefault(id(position), {})
                trie[id(position)][move] = following
                position = following
        self._cut(self.root, trie)
        self.played = number

    def _cut(self, root: Position, trie: dict[int, dict[Move, Position]]) -> None:
        """Keep of the positions after each one only those in ``trie``."""
        rest = [root]
        while rest:
            position = rest.pop()
            position.after = trie.get(id(position), {})
            rest += position.after.values()

    def is_full(self) -> bool:
        """Whether so many positions are kept that they should be pruned."""
        return self.played > SEARCH.steps

    def _played(self, position: Position, move: Move) -> Position:
        """Play a move."""
        self.played += 1
        state = position.state
        step, faults = state.forced(move.by(state.player))
        used, habit = self._use_prior(position, move)
        prior = self._drawn(state, move.tile) + used
        codes = tuple(fault.code for fault in faults)
        prior -= sum(FAULT_NATS.get(code, PRIOR.forbidden_nats) for code in codes)
        before, pieces = position.pieces, dict.fromkeys(step.state.standing)
        there = dict.fromkeys(step.laid) | pieces
        put = tuple([one for one in there if one not in before])
        gone = tuple([one for one in before | there if one not in pieces])
        after = Position(step.state, pieces, prior, put, gone, codes)
        after.habit = habit
        return after

    @staticmethod
    def _drawn(state: GameState, tile: str) -> float:
        """Return the log-probability of drawing a tile."""
        bag = state.bag
        if tile in bag:
            return math.log(bag[tile] * len(bag) / sum(bag.values()))
        if is_foreign(tile):
            return -PRIOR.foreign_nats
        return -(PRIOR.wrong_stack_nats if tile in state.left else PRIOR.surplus_nats)

    # -- prior of what a turn does with pieces

    def _use_prior(self, position: Position, move: Move) -> tuple[float, Habit]:
        """Return the log-probability of a move's action and parts, given its tile, and the habit after it."""
        state = position.state
        laid = self.laid(move.tile, move.rot)
        habit = position.habit
        odds, lying = self._feature_odds(state, move.cell, laid, habit.factor)
        total, displaced = 1.0 + sum(odds.values()), False
        spaces = max(len(state.grid.spaces), 1)
        corners = 2.0 * len(state.board) * self._animals
        if self._outside:
            displaced = move.cell in position.outside
            total += 0.0 if displaced else PRIOR.outside_odds
            total += PRIOR.corner_odds if state.hands.get(state.player) else 0.0
        chosen = 1.0
        if (action := move.action) is not None:
            if action.put is None:
                chosen = odds.get(action, PRIOR.unlikely_odds)
            elif action.put.kind in OUTSIDE:
                chosen = PRIOR.outside_odds / (spaces * max(self._outside, 1))
            else:
                chosen = PRIOR.corner_odds / corners
        told = math.log(chosen / total)
        for part in move.parts:
            if part.put is None:
                told += math.log(PRIOR.taken_odds)
            elif part.put.kind in OUTSIDE:
                told -= math.log(spaces)
            else:
                told += math.log(PRIOR.added_odds / self._animals)
        staying = sum(odds[one] for one in lying) / (total * habit.factor)
        return told, Habit(habit.put + (move.action in lying), habit.expected + staying)

    @staticmethod
    def _feature_odds(
        state: GameState, cell: Cell, laid: Laid, habit: float
    ) -> tuple[dict[Action, float], set[Action]]:
        """Return the odds of a piece on each free feature of a tile, by action, against none.

        The set returned are the actions whose pieces stay to the end; ``habit`` is the factor of their odds.
        """
        odds: dict[Action, float] = {}
        lying: set[Action] = set()
        for use in state.feature_uses(cell, laid):
            kind, pose = use.sort
            left = state.pieces_left(kind).get(state.player, 0)
            if left <= 0 or (use.region is not None and use.region.meeples):
                continue
            few = min(left / PRIOR.saved_pieces, 1.0)
            if kind != "meeple":
                odds[use.action] = PRIOR.other_odds
            elif use.region is None:
                odds[use.action] = PRIOR.alone_odds * few
            elif pose == "lying":
                odds[use.action] = PRIOR.lying_odds * few * habit
                lying.add(use.action)
            else:
                odds[use.action] = PRIOR.standing_odds * (PRIOR.at_once if use.region.finished else few)
        return odds, lying
