"""Node of a tree of supposed turns: a turn, the position after it, and the nodes of the next turn."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Self

from engine.geometry import Cell
from engine.tiles.board import Laid, Standing
from engine.tiles.game import GameState, Step
from engine.tiles.turn import Turn
from tilesight.inference.candidates.legal_turns import LegalTurns, TilePlacement, WaitingTurns
from tilesight.inference.candidates.outcomes import TurnOutcome

PositionKey = tuple[object, ...]
"""Everything in a position that affects later turns and their points."""


@dataclass(slots=True, eq=False, repr=False)
class TurnNode:
    """One turn after ``parent`` (None for the root).

    ``known`` is the turn's outcome, or for a root its position. ``prior`` is the turn's log-probability in
    nats before any picture. ``laid`` are the nodes of the next turn by the placement of its tile, ``waiting``
    the turns that may still be started.

    Turns in another order may end in the same position (a transposition). One of these nodes is the ``host``:
    it alone has children, and they also follow its ``guests``.
    """

    known: GameState | TurnOutcome
    parent: Self | None = None
    turn: Turn | None = None
    prior: float = 0.0
    laid: dict[TilePlacement, list[Self]] = field(default_factory=dict, kw_only=True)
    waiting: dict[TilePlacement, WaitingTurns] = field(default_factory=dict, kw_only=True)
    host: Self | None = field(default=None, kw_only=True)
    guests: list[Self] = field(default_factory=list, kw_only=True)
    _legal: LegalTurns | None = field(default=None, kw_only=True)
    _position_key: PositionKey | None = field(default=None, kw_only=True)

    @property
    @abstractmethod
    def left(self) -> frozenset[Standing]:
        """The pieces on the table after the turn."""

    @property
    def state(self) -> GameState:
        """The position after the turn."""
        return self.known.step.state if isinstance(self.known, TurnOutcome) else self.known

    @property
    def step(self) -> Step | None:
        """Points of the turn and the position after it; None for a root given by its position alone."""
        return self.known.step if isinstance(self.known, TurnOutcome) else None

    @property
    def board(self) -> Mapping[Cell, Laid]:
        """The tiles laid, the turn's among them."""
        return self.known.board

    @property
    def children(self) -> list[Self]:
        """The nodes of the next turn."""
        return [child for group in self.laid.values() for child in group]

    @property
    def legal(self) -> LegalTurns:
        """The legal turns after this position; computed on the first access, then cached."""
        if self._legal is None:
            self._legal = LegalTurns(self.state, self.left)
        return self._legal

    @property
    def position_key(self) -> PositionKey:
        """Hashable key of the position after the turn; it does not depend on the order of the turns."""
        if self._position_key is None:
            state = self.state
            self._position_key = (
                frozenset((cell, laid.design.id, laid.rot) for cell, laid in state.board.items()),
                self.left,
                tuple(state.scores[player] for player in state.players),
                tuple((player, tuple(sorted(hand))) for player, hand in state.hands.items()),
                state.player,
                frozenset(state.bag.items()),
            )
        return self._position_key

    def path(self) -> list[Self]:
        """Return the nodes from the root's child down to this one; empty for the root."""
        found: list[Self] = []
        node: Self | None = self
        while node is not None and node.turn is not None:
            found.append(node)
            node = node.parent
        return found[::-1]

    def levels(self) -> Iterator[list[Self]]:
        """Yield the subtree level by level: [this node], its children, their children, and so on."""
        level = [self]
        while level:
            yield level
            level = [child for node in level for child in node.children]
