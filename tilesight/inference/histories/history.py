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
from engine.tiles.turn import Turn
from tilesight.inference.histories.candidates import LegalTurns, Outcome, Placement, Waiting, done_with_pieces
from tilesight.inference.histories.piece_evidence import AT_THE_START, PieceEvidence, Placed
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

    ``total`` is the log-likelihood of the turns up to this one, ``weight`` that of the history that ends with
    it: both of all orders in which the position may have come about.
    """

    known: GameState | Outcome
    standing: Mapping[Standing, Placed]
    parent: Node | None = None
    turn: Turn | None = None
    at: Placed = AT_THE_START
    prior: float = 0.0
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
        return self.known.pieces.rest if isinstance(self.known, Outcome) else frozenset(self.known.standing)

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
            assert isinstance(self.known, Outcome)
            turn, before = self.turn, self.parent
            self._tiles = before._tiles + tiles.lies(turn.cell)
            face = tiles.face(turn.cell, turn.tile, turn.rot)
            gone = (
                pieces.gone_home(piece, placed, self.board.get(piece.cell), self.at)
                for piece, placed in self.gone_home(before)
            )
            self.total = math.fsum((arriving(before), self.prior, face, *gone))
        self.weight = self.total + self._tiles + pieces.standing(self.standing, self.board)

    def gone_home(self, before: Node) -> list[tuple[Standing, Placed]]:
        """The pieces that the turn after ``before`` sent home or moved away, and when they were placed."""
        assert isinstance(self.known, Outcome)
        placed = before.standing
        return [
            (piece, _until(placed[piece], self.at) if piece in placed else self.at)
            for piece in self.known.pieces.gone
        ]

    def closed(self, pieces: PieceEvidence, look: int) -> float:
        """The weight of a history that goes on with a tile first seen in a look: no piece is to come but
        those in somebody's hand."""
        at = Placed(look, look, None)
        standing = {
            piece: placed if piece.kind in OUTSIDE else _until(placed, at)
            for piece, placed in self.standing.items()
        }
        return self.total + self._tiles + pieces.standing(standing, self.board)


def root_at(state: GameState, standing: Mapping[Standing, Placed] | None = None) -> Node:
    """The root of a DAG: this position is certain."""
    placed = standing or {}
    return Node(state, {piece: placed.get(piece, AT_THE_START) for piece in state.standing})


def node_after(parent: Node, turn: Turn, outcome: Outcome, at: Placed, tiles: TileEvidence) -> Node:
    """A node for ``turn`` after ``parent``, its tile laid between the looks ``at``. A tile laid before others
    that were seen earlier was overlooked, which costs once."""
    late = {
        node.turn.cell
        for node in parent.path()
        if node.turn is not None and node.at.earliest > at.first and node.turn.cell not in parent.late
    }
    placement = (turn.cell, turn.tile, turn.rot)
    prior = draw_prior(parent.state, turn.tile) + parent.legal.turns(placement).prior(turn)
    standing = {
        piece: _until(parent.standing[piece], at) if piece in parent.standing else at
        for piece in outcome.pieces.rest
    }
    return Node(
        outcome,
        standing,
        parent,
        turn,
        at,
        prior - math.fsum(map(tiles.overlooked, late)),
        parent.late | late,
    )


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


def turn_key(turn: Turn) -> tuple[object, ...]:
    """All of a turn but the animal tiles drawn, in a form that compares."""
    return (turn.player, turn.tile, turn.cell, turn.rot, *done_with_pieces(turn))
