"""Open turns: their probabilities, the questions about them, and tiles that no legal turn explains."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from engine.game import IllegalTurn
from engine.geometry import Cell
from engine.message import Message, message_of
from engine.tiles.foreign import is_foreign
from engine.tiles.game import GameState
from engine.tiles.turn import Turn
from tilesight.inference.candidates import TurnKey, TurnNode, difference_text, turn_key
from tilesight.inference.hypothesis import Hypothesis, group_shares
from tilesight.inference.hypothesis_tree import HypothesisTree, touches
from tilesight.inference.params import PARAMS
from tilesight.inference.understanding import Doubt, Unclear
from tilesight.inference.view import View
from tilesight.inference.view_params import PARAMS as VIEW
from vision.observation import Observation

OPTIONS_AT_MOST = 4
"""Number of answers offered with a question."""


NEGLIGIBLE = 1e-3
"""Probability below which a hypothesis is not examined: a bound on work."""


NodeT = TypeVar("NodeT", bound=TurnNode)


class TurnShares(Generic[NodeT]):
    """Probabilities of supposed turns, numbered from 1, summed over all nodes.

    ``levels`` holds the nodes by the number of their turn; the first level is the root. ``ends`` maps each
    node to the probability that it is the last turn so far. ``group_shares`` returns, for a host, the nodes
    that its children follow (itself and its guests), with the share of each.
    """

    def __init__(
        self,
        levels: Sequence[Sequence[NodeT]],
        ends: Mapping[NodeT, float],
        group_shares: Callable[[NodeT], list[tuple[NodeT, float]]],
    ) -> None:
        self.ends = ends
        self._levels = levels
        self._passing = dict(ends)
        self._turns = self._sum_by_turn(group_shares)

    def _sum_by_turn(
        self, group_shares: Callable[[NodeT], list[tuple[NodeT, float]]]
    ) -> list[dict[TurnKey, tuple[Turn, float]]]:
        """Return, for each turn number, the turns by key with the sum of their probabilities.

        Also fills ``self._passing``, the probability that the game went through each node.
        """
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
                for before, part in group_shares(node.parent):
                    passing[before] += part * share
            turns.append(here)
        return turns[::-1]

    @property
    def numbers(self) -> int:
        """Number of turns on the longest path."""
        return len(self._turns)

    def probability(self, number: int, turn: Turn) -> float:
        """Return the probability that ``turn`` was played as turn ``number``, 0 if no node has it."""
        known = self._turns[number - 1].get(turn_key(turn)) if number <= len(self._turns) else None
        return 0.0 if known is None else known[1]

    def passing(self, node: NodeT) -> float:
        """Return the probability that the game went through a node."""
        return self._passing[node]

    def same_position(self, number: int, node: NodeT) -> float:
        """Return the probability that the position after turn ``number`` is that of ``node``."""
        return math.fsum(
            self._passing[other]
            for other in self._levels[number]
            if other is node
            or (self._passing[other] >= NEGLIGIBLE and other.position_key == node.position_key)
        )

    def turns(self, number: int) -> list[tuple[Turn, float]]:
        """Return (turn, probability) of all that may have been played as turn ``number``, likeliest first.

        Empty if no node has that number.
        """
        known = self._turns[number - 1].values() if number <= len(self._turns) else ()
        return sorted(known, key=lambda item: item[1], reverse=True)


class TreePosterior(TurnShares[Hypothesis]):
    """Posterior probabilities of the turns in a hypothesis tree, summed over all hypotheses.

    Turns are numbered from 1 after the root. With ``there``, only hypotheses whose pieces are all on the
    table count: a piece that may still come is no reason to ask.
    """

    def __init__(self, tree: HypothesisTree, *, there: bool = False) -> None:
        levels = list(tree.root.levels())
        known = [hypothesis for level in levels for hypothesis in level]
        weights = [
            tree.weight(hypothesis)
            if not there or hypothesis.parent is None or _has_all_pieces(hypothesis)
            else -math.inf
            for hypothesis in known
        ]
        top = max(weights)
        odds = [math.exp(weight - top) for weight in weights]
        total = math.fsum(odds)
        ends = {hypothesis: odd / total for hypothesis, odd in zip(known, odds, strict=True)}
        super().__init__(levels, ends, group_shares)


class QuestionDebouncer:
    """Debounces questions: a doubt must last for some pictures and seconds before it is asked."""

    def __init__(self) -> None:
        self._number = 0  # of the turn in doubt
        self._since_s = 0.0
        self._looks = 0

    def question(
        self, posterior: TurnShares[Any], place: int | None, settled: int, observation: Observation
    ) -> Doubt | None:
        """Return the question about the turn at index ``place`` after ``settled`` turns, once it is due.

        None if ``place`` is None (no turn is in doubt), until the doubt has lasted ``ask_after`` pictures and
        ``ask_after_s`` seconds, or if no option is likely enough.
        """
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
        why = difference_text([turn for turn, _ in options])
        return Doubt(number, options, cells, observation.frame_index, why)


class PrunedShares:
    """Probabilities of alternatives that were pruned when turns were settled.

    Later pictures cannot confirm or refute them any more, so they keep counting against the turns that are
    reported.
    """

    def __init__(self) -> None:
        self._shares: dict[int, dict[TurnKey, float]] = {}

    def corrected(self, number: int, turn: Turn, share: float) -> float:
        """Return the probability of ``turn`` as turn ``number``, counting the pruned alternatives.

        ``share`` is its probability among what was not pruned.
        """
        known = self._shares.get(number)
        if not known:
            return share
        return known.get(turn_key(turn), 0.0) + max(1.0 - math.fsum(known.values()), 0.0) * share

    def settle(self, settled: int, before: TreePosterior, after: TreePosterior, lost: float) -> None:
        """Record the probability ``lost`` when the turn after the first ``settled`` ones was settled.

        ``before`` and ``after`` are the posteriors before and after it was settled. Below `NEGLIGIBLE`
        nothing is recorded.
        """
        if lost < NEGLIGIBLE:
            return
        for number in range(2, before.numbers + 1):
            known = self._shares.setdefault(settled + number, {})
            left = max(1.0 - math.fsum(known.values()), 0.0)
            for turn, share in before.turns(number):
                gone = share - (1.0 - lost) * after.probability(number - 1, turn)
                if gone > 0.0:
                    known[turn_key(turn)] = known.get(turn_key(turn), 0.0) + left * gone


def unexplained_tiles(tree: HypothesisTree, view: View, looks: Mapping[Cell, int]) -> Unclear | None:
    """Return the tiles that no hypothesis explains, read in ``unclear_after`` pictures at rest; else None.

    ``looks`` counts, by cell, the pictures at rest that have read it.
    """
    state = tree.leader().state
    lacking = [
        cell
        for cell, reading in view.cells.items()
        if view.log_tile[cell] > 0
        and reading.covered <= VIEW.hand_share
        and cell not in state.board
        and looks.get(cell, 0) >= PARAMS.unclear_after
    ]
    return unclear_from(state, lacking, lambda cell: view.faces(cell, 0.0)[0][1:])


def unclear_from(
    state: GameState, lacking: Sequence[Cell], face_at: Callable[[Cell], tuple[str, int]]
) -> Unclear | None:
    """Return a report of the tiles on ``lacking``, which belong to no turn; None if none borders the board.

    The faults are those of laying the first one that borders the board. ``face_at`` returns the likeliest
    (design, rotation) at a cell.
    """
    beside = [cell for cell in lacking if touches(state.board, cell)]
    if not beside:
        return None
    design, rot = face_at(beside[0])
    faults = state.faults(Turn(state.player, design, beside[0], rot))
    if len(lacking) > 1:
        message = Message("{number} tiles are not in the game", number=len(lacking))
        return Unclear(message, tuple(sorted(lacking)), faults)
    why = message_of(IllegalTurn(faults)) if faults else Message("no turn explains what is seen")
    name = Message("a tile of another set") if is_foreign(design) else design
    message = Message("{tile} at {cell}: {reason}", tile=name, cell=beside[0], reason=why)
    return Unclear(message, (beside[0],), faults)


def open_turn_index(posterior: TreePosterior, leader: Hypothesis) -> int | None:
    """Return the index on the path to ``leader`` of the first turn to ask about.

    None if there is none, or if a piece of the last turn may still be laid or go home.
    """
    place = _first_doubtful_index(posterior, leader)
    if place is None or (leader.path()[place] is leader and leader.rest.nats < leader.best):
        return None
    return place


def _first_doubtful_index(posterior: TreePosterior, leader: Hypothesis) -> int | None:
    """Return the index on the path to ``leader`` of the first doubtful turn.

    None if there is none, or if all likely alternatives only change the order of turns that end in the same
    position.
    """
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
        if share >= NEGLIGIBLE and hypothesis.position_key == leader.position_key
    )
    return None if same >= PARAMS.ask_below else unsure[0]


def _has_all_pieces(hypothesis: Hypothesis) -> bool:
    """Whether all pieces of a turn are on the table: a turn follows, a later stage leads, or it lays none."""
    return (
        bool(hypothesis.laid)
        or hypothesis.bare.nats < hypothesis.best
        or hypothesis.stages.bare in (hypothesis.stages.rest, *hypothesis.stages.mid)
    )
