"""Histories: supposed turns as a DAG; a node is one turn, and a path from the root is a history.

Turns in another order may end in the same position. One of those nodes is the ``host``: it alone has
children, which follow its ``guests`` just as well, and their probabilities are added.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from engine.geometry import Cell
from engine.tiles.board import Laid, Standing
from engine.tiles.game import GameState, Step
from engine.tiles.pieces import OUTSIDE
from engine.tiles.turn import UNKNOWN, Turn
from tilesight.inference.candidates import (
    LegalTurns,
    Outcome,
    PlacedTurns,
    Placement,
    Waiting,
    kind_of,
    turn_key,
)
from tilesight.inference.histories.params import PARAMS
from tilesight.inference.histories.piece_evidence import (
    AT_THE_START,
    PieceEvidence,
    Placed,
    StandingPiece,
)
from tilesight.inference.histories.tile_evidence import TileEvidence

Position = tuple[object, ...]
"""All of a position on which the turns after it and their points depend."""


@dataclass(slots=True, eq=False, repr=False)
class Node:
    """One turn after ``parent`` (the root has none).

    ``known`` is the turn played; of the root only the position is known. ``at`` are the looks between which
    the tile was laid, ``prior`` the turn's log-probability beforehand. ``standing`` maps the pieces on the
    table to when they were placed, ``late`` are the cells of tiles laid before they were first seen,
    ``tried`` the version of each cell's appearance with which turns on it were started.

    ``gone`` are the pieces that the turn sends home or moves away.
    ``total`` is the log-likelihood of the turns up to this one, ``weight`` that of the history that ends with
    it: both of all orders in which the position may have come about.
    """

    known: GameState | Outcome
    standing: Mapping[Standing, Placed]
    parent: Node | None = None
    turn: Turn | None = None
    at: Placed = AT_THE_START
    prior: float = 0.0
    gone: frozenset[Standing] = frozenset()
    late: frozenset[Cell] = frozenset()
    total: float = 0.0
    weight: float = 0.0
    refused: tuple[Turn, ...] = ()
    tried: dict[Cell, int] = field(default_factory=dict)
    laid: dict[Placement, list[Node]] = field(default_factory=dict)
    waiting: dict[Placement, Waiting] = field(default_factory=dict)
    host: Node | None = None
    guests: list[Node] = field(default_factory=list)
    _legal: LegalTurns | None = None
    _position: Position | None = None
    _tiles: float = 0.0
    _pieces: list[StandingPiece] | None = None

    @property
    def state(self) -> GameState:
        """The position after the turn."""
        return self.known.step.state if isinstance(self.known, Outcome) else self.known

    @property
    def step(self) -> Step | None:
        """Result of the turn; None where the position is all that is known."""
        return self.known.step if isinstance(self.known, Outcome) else None

    @property
    def board(self) -> Mapping[Cell, Laid]:
        """The tiles laid, the turn's among them."""
        return self.known.board

    @property
    def rest(self) -> frozenset[Standing]:
        """The pieces that stand after the turn."""
        return self.known.stages.rest if isinstance(self.known, Outcome) else frozenset(self.known.standing)

    @property
    def children(self) -> list[Node]:
        """Every turn that is supposed to follow this one."""
        return [child for group in self.laid.values() for child in group]

    @property
    def legal(self) -> LegalTurns:
        """The turns that may follow."""
        if self._legal is None:
            self._legal = LegalTurns(self.state, self.rest)
        return self._legal

    @property
    def position(self) -> Position:
        """The position after the turn, in a form that compares whatever the order of the turns."""
        if self._position is None:
            state = self.state
            self._position = (
                frozenset((cell, laid.design.id, laid.rot) for cell, laid in state.board.items()),
                self.rest,
                tuple(state.scores[player] for player in state.players),
                tuple((player, tuple(sorted(hand))) for player, hand in state.hands.items()),
                state.player,
                frozenset(state.bag.items()),
            )
        return self._position

    def path(self) -> list[Node]:
        """Nodes from the root's child down to this one."""
        found: list[Node] = []
        node: Node | None = self
        while node is not None and node.turn is not None:
            found.append(node)
            node = node.parent
        return found[::-1]

    def levels(self) -> Iterator[list[Node]]:
        """This node, its children, their children, and so on."""
        level = [self]
        while level:
            yield level
            level = [child for node in level for child in node.children]

    def walk(self) -> list[Node]:
        """This node and all below it, parents first."""
        return [node for level in self.levels() for node in level]

    def weigh(self, tiles: TileEvidence, pieces: PieceEvidence) -> None:
        """Set ``total`` and ``weight`` by what is known now; the parent is weighed before."""
        if self.parent is None or self.turn is None:
            self.total = self._tiles = 0.0
        else:
            turn, before = self.turn, self.parent
            self._tiles = before._tiles + tiles.lies(turn.cell)
            face = tiles.face(turn.cell, turn.tile, turn.rot)
            gone = (
                pieces.gone_home(
                    piece, placed_by(piece, before, self.at), self.board.get(piece.cell), self.at
                )
                for piece in self.gone
            )
            self.total = math.fsum((arriving(before), self.prior, face, *gone))
        if self._pieces is None:
            self._pieces = [
                pieces.piece(piece, placed, self.board.get(piece.cell))
                for piece, placed in self.standing.items()
            ]
        self.weight = self.total + self._tiles + pieces.standing(self._pieces)

    def closed(self, pieces: PieceEvidence, look: int) -> float:
        """The weight of a history whose next tile was first seen in that look. Its pieces were put down
        before it, except those of kinds in ``OUTSIDE``, which a player may still hold."""
        at = Placed(look, look, None)
        standing = [
            one
            if one.placed.deadline is not None or one.piece.kind in OUTSIDE
            else pieces.piece(one.piece, _until(one.placed, at), one.laid)
            for one in self._pieces or ()
        ]
        return self.total + self._tiles + pieces.standing(standing)


def root_at(state: GameState) -> Node:
    """The root of a DAG: this position is certain."""
    return Node(state, dict.fromkeys(state.standing, AT_THE_START))


def node_after(parent: Node, turn: Turn, outcome: Outcome, at: Placed, tiles: TileEvidence) -> Node:
    """A node for ``turn`` after ``parent``, its tile laid between the looks ``at``. A tile laid before others
    that were seen earlier was overlooked, which costs once."""
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
        {piece: placed_by(piece, parent, at) for piece in stages.rest},
        parent,
        turn,
        at,
        prior - math.fsum(map(tiles.overlooked, late)),
        (parent.rest | stages.passing) - stages.rest,
        parent.late | late,
    )


def placed_by(piece: Standing, before: Node, at: Placed) -> Placed:
    """The looks of a piece's placing: before the turn whose tile was laid ``at``, or in it."""
    return _until(before.standing[piece], at) if piece in before.standing else at


def _until(placed: Placed, at: Placed) -> Placed:
    """The looks of a piece's placing, once the next turn's tile was laid ``at``."""
    return placed if placed.deadline is not None else placed._replace(deadline=at.first)


def draw_prior(state: GameState, design: str) -> float:
    """Log-odds of drawing a face against the mean face in the bag."""
    bag = state.bag
    number = bag.get(design)
    if not number:
        return 0.0  # a foreign tile comes from elsewhere
    return math.log(number * len(bag) / sum(bag.values()))


def action_prior(before: GameState, placed: PlacedTurns, turn: Turn) -> float:
    """Log-probability in nats, but for a constant, of what a player does with the pieces once the tile is
    laid: first which kind of action, then where, then which animals.

    Of several ways people choose one no more often than their square root says; of several kinds of pieces
    they choose by the number that they have left. Each way may leave several spaces for a displaced piece.
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
    tokens = len(turn.bonus) + (put is not None and put.animal is not None)
    hand = set(before.hands.get(before.player, ()))
    animals = max(len(before.pack.tokens if UNKNOWN in hand else hand), 1)
    return prior + PARAMS.token_prior_nats * len(turn.bonus) - tokens * math.log(animals)


def shares_of(host: Node) -> list[tuple[Node, float]]:
    """The nodes after which a node's children follow, with the probability of each."""
    if not host.guests:
        return [(host, 1.0)]
    together = (host, *host.guests)
    top = max(node.weight for node in together)
    odds = [math.exp(node.weight - top) for node in together]
    return [(node, odd / sum(odds)) for node, odd in zip(together, odds, strict=True)]


def arriving(host: Node) -> float:
    """Log-likelihood of the turns up to a node's position, in whatever order they were played. The pieces
    that stand there may have been placed at other times in another order: whole weights are compared."""
    if not host.guests:
        return host.total
    weights = [node.weight for node in (host, *host.guests)]
    top = max(weights)
    return host.total - host.weight + top + math.log(math.fsum(math.exp(one - top) for one in weights))


def same_turn(one: Turn, other: Turn) -> bool:
    """Whether two turns are alike but for the animal tiles drawn, which nobody sees."""
    return turn_key(one) == turn_key(other)
