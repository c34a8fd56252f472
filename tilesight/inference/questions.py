"""Open turns: how probable each is, which are asked about, and tables that no legal turn explains."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

from engine.geometry import Cell
from engine.tiles.foreign import is_foreign
from engine.tiles.game import GameState
from engine.tiles.turn import Turn
from tilesight.inference.candidates import TurnKey, how_they_differ, turn_key
from tilesight.inference.hypothesis import Hypothesis, levels_of, position_of, shares_of
from tilesight.inference.hypothesis_tree import HypothesisTree, touches
from tilesight.inference.params import PARAMS
from tilesight.inference.understanding import Doubt, Unclear
from tilesight.inference.view import View
from tilesight.inference.view_params import PARAMS as VIEW
from vision.observation import Observation

OPTIONS_AT_MOST = 4
"""Number of answers offered with a question."""


NEGLIGIBLE = 1e-3
"""Probability below which it is not looked into what a hypothesis says: a bound on work."""


class TurnNode(Protocol):
    """Protocol of one supposed turn after its parent's."""

    @property
    def turn(self) -> Turn | None:
        """The turn; None where the position is all that is known."""

    @property
    def parent(self) -> Any:
        """The node of the turn before."""


NodeT = TypeVar("NodeT", bound=TurnNode)


class TurnShares(Generic[NodeT]):
    """Probabilities of supposed turns, numbered from 1, by all nodes together.

    ``levels`` are the nodes by the number of their turn, the root alone the first; ``ends`` the probability
    that a node is the last turn by now. ``shares_of`` gives the nodes after which a node's children follow,
    with the probability of each, ``position_of`` the position after a node.
    """

    def __init__(
        self,
        levels: Sequence[Sequence[NodeT]],
        ends: Mapping[NodeT, float],
        shares_of: Callable[[NodeT], list[tuple[NodeT, float]]],
        position_of: Callable[[NodeT], object],
    ) -> None:
        self.ends = ends
        self._levels = levels
        self._position_of = position_of
        self._passing = dict(ends)
        self._turns = self._summed(shares_of)

    def _summed(
        self, shares_of: Callable[[NodeT], list[tuple[NodeT, float]]]
    ) -> list[dict[TurnKey, tuple[Turn, float]]]:
        """The turns of each number with their probabilities."""
        passing = self._passing
        turns: list[dict[TurnKey, tuple[Turn, float]]] = []
        for level in reversed(self._levels[1:]):
            here: dict[TurnKey, tuple[Turn, float]] = {}
            for node in level:
                share = passing[node]
                if share <= 0.0 or node.turn is None or node.parent is None:
                    continue
                key = turn_key(node.turn)
                here[key] = (node.turn, share + here[key][1] if key in here else share)
                for before, part in shares_of(node.parent):
                    passing[before] += part * share
            turns.append(here)
        return turns[::-1]

    @property
    def numbers(self) -> int:
        """Number of turns of the longest line of nodes."""
        return len(self._turns)

    def probability(self, number: int, turn: Turn) -> float:
        """Probability that ``turn`` was played as ``number``."""
        known = self._turns[number - 1].get(turn_key(turn)) if number <= len(self._turns) else None
        return 0.0 if known is None else known[1]

    def passing(self, node: NodeT) -> float:
        """Probability that the game went through a node."""
        return self._passing[node]

    def same_position(self, number: int, node: NodeT) -> float:
        """Probability that the position after turn ``number`` is that of ``node``."""
        same = self._position_of
        return math.fsum(
            self._passing[other]
            for other in self._levels[number]
            if other is node or (self._passing[other] >= NEGLIGIBLE and same(other) == same(node))
        )

    def turns(self, number: int) -> list[tuple[Turn, float]]:
        """The turns that may have been played as ``number``, with their probabilities, best first."""
        known = self._turns[number - 1].values() if number <= len(self._turns) else ()
        return sorted(known, key=lambda item: item[1], reverse=True)


class Posterior(TurnShares[Hypothesis]):
    """Probabilities of the turns that a tree supposes, by all its hypotheses: turns after each other are the
    likelier, the more of what is likely agrees on them.

    Numbers count the turns after the root from 1. With ``there`` only those hypotheses count of which
    everything is on the table by now: a piece that may still come is nothing to ask about.
    """

    def __init__(self, tree: HypothesisTree, *, there: bool = False) -> None:
        levels = list(levels_of(tree.root))
        known = [hypothesis for level in levels for hypothesis in level]
        weights = [
            tree.weight(hypothesis)
            if not there or hypothesis.parent is None or _is_there(hypothesis)
            else -math.inf
            for hypothesis in known
        ]
        top = max(weights)
        odds = [math.exp(weight - top) for weight in weights]
        total = math.fsum(odds)
        ends = {hypothesis: odd / total for hypothesis, odd in zip(known, odds, strict=True)}
        super().__init__(levels, ends, shares_of, position_of)


class Doubting:
    """Delays a question until the doubt has lasted for some pictures and seconds."""

    def __init__(self) -> None:
        self._number = 0  # of the turn in doubt
        self._since_s = 0.0
        self._looks = 0

    def question(
        self, posterior: TurnShares[Any], place: int | None, settled: int, observation: Observation
    ) -> Doubt | None:
        """The question about the turn at ``place`` after ``settled`` ones, which stays open between a few
        while the table rests; None where there is no such turn, or not yet."""
        if place is None:
            self._number = 0
            return None
        number = settled + place + 1
        t_s = observation.t_s
        if self._number != number:
            self._number, self._since_s, self._looks = number, t_s, 0
        self._looks += 1
        if self._looks < PARAMS.ask_after or t_s - self._since_s < PARAMS.ask_after_s:
            return None
        likely = posterior.turns(place + 1)[:OPTIONS_AT_MOST]
        options = tuple((turn, share) for turn, share in likely if share >= PARAMS.option_least)
        if not options:
            return None
        cells = tuple(sorted({turn.cell for turn, _ in options}))
        why = how_they_differ([turn for turn, _ in options])
        return Doubt(number, options, cells, observation.frame_index, why)


class GivenUp:
    """Probabilities of what was given up when turns were settled: later looks no longer speak for it or
    against it, and what is told stays as unsure as it was."""

    def __init__(self) -> None:
        self._shares: dict[int, dict[TurnKey, float]] = {}

    def told(self, number: int, turn: Turn, share: float) -> float:
        """Probability of ``turn`` as number ``number`` where it has the ``share`` of what is left."""
        known = self._shares.get(number)
        if not known:
            return share
        return known.get(turn_key(turn), 0.0) + max(1.0 - math.fsum(known.values()), 0.0) * share

    def settle(self, settled: int, before: Posterior, after: Posterior, lost: float) -> None:
        """Take note that with the first turn after ``settled`` ones the probability ``lost`` was given up:
        ``before`` and ``after`` it."""
        if lost < NEGLIGIBLE:
            return
        for number in range(2, before.numbers + 1):
            known = self._shares.setdefault(settled + number, {})
            left = max(1.0 - math.fsum(known.values()), 0.0)
            for turn, share in before.turns(number):
                gone = share - (1.0 - lost) * after.probability(number - 1, turn)
                if gone > 0.0:
                    known[turn_key(turn)] = known.get(turn_key(turn), 0.0) + left * gone


def what_is_unclear(tree: HypothesisTree, view: View, looks: Mapping[Cell, int]) -> Unclear | None:
    """Tiles at rest that no hypothesis explains; ``looks`` is how often each cell was read at rest by now."""
    state = tree.leader().state
    lacking = [
        cell
        for cell, reading in view.cells.items()
        if view.log_tile[cell] > 0
        and reading.covered <= VIEW.hand_share
        and cell not in state.board
        and looks.get(cell, 0) >= PARAMS.unclear_after
    ]
    return unclear_of(state, lacking, lambda cell: view.faces(cell, 0.0)[0][1:])


def unclear_of(
    state: GameState, lacking: Sequence[Cell], face_at: Callable[[Cell], tuple[str, int]]
) -> Unclear | None:
    """The fault of tiles that belong to no turn, named after the first of them beside the board; None where
    none lies beside it. ``face_at`` returns the likeliest design and rotation at a cell."""
    beside = [cell for cell in lacking if touches(state.board, cell)]
    if not beside:
        return None
    design, rot = face_at(beside[0])
    faults = state.faults(Turn(state.player, design, beside[0], rot))
    if len(lacking) > 1:
        return Unclear(f"{len(lacking)} tiles are not in the game", tuple(sorted(lacking)), faults)
    x, y = beside[0]
    why = "; ".join(fault.message for fault in faults) or "no turn explains what is seen"
    name = "a tile of another set" if is_foreign(design) else design
    return Unclear(f"{name} at [{x}, {y}]: {why}", (beside[0],), faults)


def open_place(posterior: Posterior, leader: Hypothesis) -> int | None:
    """Place on the way to ``leader`` of the first turn to ask about. While a piece is still on its way, home
    or to its place, there is nothing to ask yet."""
    place = _first_open(posterior, leader)
    if place is None or (leader.path()[place] is leader and leader.rest.nats < leader.best):
        return None
    return place


def _first_open(posterior: Posterior, leader: Hypothesis) -> int | None:
    """Place on the way to ``leader`` of the first turn that may have been another one; None where that would
    change nothing but the order in which turns with the same end were played."""
    path = leader.path()
    unsure = [
        place
        for place, hypothesis in enumerate(path)
        if hypothesis.turn is not None
        and posterior.probability(place + 1, hypothesis.turn) < PARAMS.ask_below
    ]
    if not unsure:
        return None
    same = math.fsum(
        share
        for hypothesis, share in posterior.ends.items()
        if share >= NEGLIGIBLE and position_of(hypothesis) == position_of(leader)
    )
    return None if same >= PARAMS.ask_below else unsure[0]


def _is_there(hypothesis: Hypothesis) -> bool:
    """Whether all that a turn lays is on the table by now; a piece that may still come is nothing to ask
    about."""
    return (
        bool(hypothesis.laid)
        or hypothesis.bare.nats < hypothesis.best
        or hypothesis.stages.bare in (hypothesis.stages.rest, *hypothesis.stages.mid)
    )
