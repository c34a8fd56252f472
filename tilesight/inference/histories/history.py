"""Histories: supposed turns as a DAG. A node is one turn; a path from the root is a history.

Turns in another order may end in the same position (a transposition). One of these nodes is the ``host``: it
alone has children, they also follow its ``guests``, and the probabilities of the group are added.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.geometry import Cell
from engine.tiles.board import Standing
from engine.tiles.game import GameState
from engine.tiles.pieces import OUTSIDE
from engine.tiles.turn import UNKNOWN, Turn
from tilesight.inference.candidates import (
    PlacedTurns,
    TurnNode,
    TurnOutcome,
    kind_of,
    tokens_added,
    turn_key,
)
from tilesight.inference.histories.params import PARAMS
from tilesight.inference.histories.piece_evidence import (
    AT_THE_START,
    PieceEvidence,
    PlacingTime,
    StandingPiece,
)
from tilesight.inference.histories.tile_evidence import TileEvidence


@dataclass(slots=True, eq=False, repr=False)
class Node(TurnNode):
    """One turn of a history.

    ``at`` are the looks between which the tile was laid. ``standing`` maps each piece on the table to
    when it was placed, ``gone`` are the pieces that the turn sends home or moves away. ``late`` are the cells
    of tiles laid before they were first detected. ``tried`` holds, by cell, the version of its appearance
    with which turns there were last started.

    ``total`` is the log-likelihood of the turns up to this one; ``weight`` is that of the history that ends
    here, including its tiles and pieces.
    """

    standing: Mapping[Standing, PlacingTime] = field(kw_only=True)
    at: PlacingTime = AT_THE_START
    gone: frozenset[Standing] = frozenset()
    late: frozenset[Cell] = frozenset()
    total: float = 0.0
    weight: float = 0.0
    refused: tuple[Turn, ...] = ()
    tried: dict[Cell, int] = field(default_factory=dict)
    _tiles: float = 0.0
    _pieces: list[StandingPiece] | None = None

    @property
    def left(self) -> frozenset[Standing]:
        """The pieces on the table after the turn."""
        return (
            self.known.stages.rest if isinstance(self.known, TurnOutcome) else frozenset(self.known.standing)
        )

    def walk(self) -> list[Node]:
        """Return this node and all its descendants, parents first."""
        return [node for level in self.levels() for node in level]

    def weigh(self, tiles: TileEvidence, pieces: PieceEvidence) -> None:
        """Update ``total`` and ``weight`` by the evidence for tiles and pieces. Weigh the parent first."""
        if self.parent is None or self.turn is None:
            self.total = self._tiles = 0.0
        else:
            turn, before = self.turn, self.parent
            self._tiles = before._tiles + tiles.gain(turn.cell)
            face = tiles.face(turn.cell, turn.tile, turn.rot)
            gone = (
                pieces.gone_home(
                    piece, placed_by(piece, before, self.at), self.board.get(piece.cell), self.at
                )
                for piece in self.gone
            )
            self.total = math.fsum((group_total(before), self.prior, face, *gone))
        if self._pieces is None:
            self._pieces = [
                pieces.piece(piece, placed, self.board.get(piece.cell))
                for piece, placed in self.standing.items()
            ]
        self.weight = self.total + self._tiles + pieces.standing(self._pieces)

    def closed_weight(self, pieces: PieceEvidence, look: int) -> float:
        """Return the weight (nats) if the next turn's tile was first seen in look number ``look``.

        This turn's pieces were then put down before that look, except pieces beside the tiles (`OUTSIDE`),
        which a player may still hold.
        """
        at = PlacingTime(look, look, None)
        standing = [
            one
            if one.placed.deadline is not None or one.piece.kind in OUTSIDE
            else pieces.piece(one.piece, _closed_at(one.placed, at), one.laid)
            for one in self._pieces or ()
        ]
        return self.total + self._tiles + pieces.standing(standing)


def root_at(state: GameState) -> Node:
    """Return a root whose position ``state`` is certain, with weight 0."""
    return Node(state, standing=dict.fromkeys(state.standing, AT_THE_START))


def node_after(parent: Node, turn: Turn, outcome: TurnOutcome, at: PlacingTime, tiles: TileEvidence) -> Node:
    """Return a node, not weighed yet, for ``turn`` after ``parent``.

    Its tile is laid between the looks ``at``. Tiles of earlier turns that were seen only after this one were
    overlooked, which costs once per tile.
    """
    late = {
        node.turn.cell
        for node in parent.path()
        if node.turn is not None and node.at.earliest > at.first and node.turn.cell not in parent.late
    }
    stages, placement = outcome.stages, (turn.cell, turn.tile, turn.rot)
    prior = draw_prior(parent.state, turn.tile) + action_prior(
        parent.state, parent.legal.turns(placement), turn
    )
    return Node(
        outcome,
        parent,
        turn,
        prior - math.fsum(map(tiles.overlooked, late)),
        at,
        (parent.left | stages.passing) - stages.rest,
        parent.late | late,
        standing={piece: placed_by(piece, parent, at) for piece in stages.rest},
    )


def placed_by(piece: Standing, before: Node, at: PlacingTime) -> PlacingTime:
    """Return when ``piece`` was placed: before the turn whose tile was laid ``at``, or in that turn.

    ``before`` is the node of the turn before it.
    """
    return _closed_at(before.standing[piece], at) if piece in before.standing else at


def _closed_at(placed: PlacingTime, at: PlacingTime) -> PlacingTime:
    """Return ``placed`` with a deadline: its own, else the first look of the next turn's tile (``at``)."""
    return placed if placed.deadline is not None else placed._replace(deadline=at.first)


def draw_prior(state: GameState, design: str) -> float:
    """Return the log-odds (nats) of drawing a face against the mean face in the bag; 0 if it is not in it."""
    bag = state.bag
    number = bag.get(design)
    if not number:
        return 0.0  # a foreign tile is not drawn from the bag
    return math.log(number * len(bag) / sum(bag.values()))


def action_prior(before: GameState, placed: PlacedTurns, turn: Turn) -> float:
    """Return the log-prior in nats, up to a constant, of a turn's actions on pieces, given its placement.

    The player chooses the kind of action, then the place, then the animals. The odds of a kind grow with the
    square root of its number of places, capped at 2, and with the share of its pieces left. Each place may
    leave several spaces for a displaced piece.
    """
    kinds, kind = placed.kinds, kind_of(turn)
    left = {name: before.pieces_left(name).get(before.player, 0) for name in (*kinds, kind)}
    most, spaces = max(*left.values(), 1), max(kinds[""], 1)
    odds = {"": 1.0}
    for name in filter(None, left):
        choices = min(math.sqrt(max(kinds[name] / spaces, 1.0)), 2.0)
        odds[name] = PARAMS.action_odds * choices * (left[name] or most) / most
    prior = math.log(odds[kind] / math.fsum(odds.values()) / max(kinds[kind], spaces))
    put = None if turn.action is None else turn.action.put
    added = tokens_added(turn)
    tokens = added + (put is not None and put.animal is not None)
    hand = set(before.hands.get(before.player, ()))
    animals = max(len(before.pack.tokens if UNKNOWN in hand else hand), 1)
    return prior + PARAMS.token_prior_nats * added - tokens * math.log(animals)


def group_shares(host: Node) -> list[tuple[Node, float]]:
    """Return ``host`` and its guests, each with its share (0..1) of their probability.

    They are nodes that reach the same position in another order of turns; only the host has children.
    """
    if not host.guests:
        return [(host, 1.0)]
    together = (host, *host.guests)
    top = max(node.weight for node in together)
    odds = [math.exp(node.weight - top) for node in together]
    return [(node, odd / sum(odds)) for node, odd in zip(together, odds, strict=True)]


def group_total(host: Node) -> float:
    """Return the log-likelihood (nats) of the turns up to a host's position, summed over host and guests.

    Guests reach the same position in another order of turns, in which the same pieces may have been placed at
    other times; so whole weights are compared.
    """
    if not host.guests:
        return host.total
    weights = [node.weight for node in (host, *host.guests)]
    top = max(weights)
    return host.total - host.weight + top + math.log(math.fsum(math.exp(one - top) for one in weights))


def same_turn(one: Turn, other: Turn) -> bool:
    """Whether two turns are equal except for the animal tiles drawn, which no picture shows."""
    return turn_key(one) == turn_key(other)
