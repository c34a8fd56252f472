"""Hypotheses: nodes of a tree. Each node is one supposed turn after its parent's, with its log-likelihood.

A turn passes through up to four tables at rest, and a picture may show any of them:

    parent's table -> tile laid, nothing else ("bare") -> pieces laid ("mid") -> scored pieces gone ("rest")

For each stage a hypothesis keeps a `StageScore`: the evidence in nats of the best path to that stage, and the
times at which the turns before it were finished. Pictures with hands in them reach no new stage. A piece that
is laid late changes the supposed turn but not the number of turns. A meeple that scores at once is known from
the pictures taken before it went home.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.geometry import Cell
from engine.tiles.board import Standing
from engine.tiles.pieces import PieceKind
from engine.tiles.turn import Turn
from tilesight.inference.candidates import (
    Stages,
    TilePlacement,
    TurnNode,
    TurnOutcome,
    displaced_to,
    key_without_displaced,
    outcome_of,
    piece_actions,
    prior_of,
)
from tilesight.inference.likelihood import PieceScene, board_evidence, tile_evidence
from tilesight.inference.params import PARAMS
from tilesight.inference.view import View


class FinishTimes(NamedTuple):
    """Times at which a turn and the turns before it were first seen finished and at rest (a linked list).

    ``frame`` is (frame index, t_s), or None if no picture showed the turn finished. ``before`` holds the same
    for the turn before.
    """

    frame: tuple[int, float] | None
    before: FinishTimes | None


class StageScore(NamedTuple):
    """Score of the best path to a stage: its evidence in nats, and the finish times of the turns before."""

    nats: float
    finish_times: FinishTimes | None

    def plus(self, nats: float) -> StageScore:
        """Return this score with ``nats`` added to its evidence."""
        if not nats:
            return self
        return StageScore(self.nats + nats, self.finish_times)


UNREACHED = StageScore(-math.inf, None)


def best_score(first: StageScore, *others: StageScore) -> StageScore:
    """Return the score with the most evidence; the first one on a tie."""
    best = first
    for way in others:
        if way.nats > best.nats:
            best = way
    return best


@dataclass(slots=True, eq=False)
class Hypothesis(TurnNode):
    """One supposed turn, and the score of each of its stages.

    ``stages`` holds the pieces on the table at each stage; ``bare``, ``mid`` and ``rest`` the scores of the
    stages.

    ``enter`` is the score with which this turn starts from its parent's table, and ``leave`` the score with
    which the children start. Both are as of before the picture that is being weighed. ``lingering`` holds
    pieces that may still be on a root's table because they have not gone home yet. ``refused`` are turns that
    people ruled out after this one; ``withheld`` are those of them that the pictures would have started.
    ``unseen`` is true if several tiles, the turn's among them, were laid between two pictures.
    """

    stages: Stages = field(default_factory=Stages)
    unseen: bool = False
    mid_seen: bool = False
    bare: StageScore = UNREACHED
    mid: StageScore = UNREACHED
    rest: StageScore = UNREACHED
    enter: StageScore = UNREACHED
    leave: StageScore = UNREACHED
    late_cost: float = 0.0
    tiles_now: float = 0.0
    weighed: bool = False
    lingering: tuple[frozenset[Standing], ...] = ()
    refused: list[Turn] = field(default_factory=list)
    withheld: list[Turn] = field(default_factory=list)

    @property
    def left(self) -> frozenset[Standing]:
        """The pieces on the table after the turn."""
        return self.stages.rest

    @property
    def best(self) -> float:
        """Evidence in nats of the likeliest stage."""
        return max(self.bare.nats, self.mid.nats, self.rest.nats)

    @property
    def end(self) -> StageScore:
        """Score with which the next turn would start now.

        A turn that was not seen at rest pays ``haste_nats``, unless the turn before it was not seen either.
        """
        if self.parent is None:
            return self.rest
        hasty = best_score(self.bare, self.mid, self._score_unseen_pieces(), self.enter)
        unlooked = self.enter.nats if _previous_unseen(self) else -math.inf
        nats = max(hasty.nats - PARAMS.haste_nats, unlooked)
        return best_score(
            self.rest,
            StageScore(
                nats, FinishTimes(None, hasty.finish_times if nats > unlooked else self.enter.finish_times)
            ),
        )

    @property
    def kinds(self) -> set[PieceKind]:
        """The kinds of all pieces on the table at some stage."""
        stages = self.stages
        return {piece.kind for pieces in (stages.bare, *stages.mid, stages.rest) for piece in pieces}

    def walk(self) -> Iterator[Hypothesis]:
        """Yield this hypothesis and all its descendants, parents before children."""
        stack = [self]
        while stack:
            hypothesis = stack.pop()
            yield hypothesis
            stack.extend(hypothesis.children)

    def become_root(self) -> None:
        """Make this hypothesis the root: its turn and all turns before are certain; it loses its parent."""
        self.parent = None
        self.turn = None
        self.rest = best_score(self.rest, StageScore(self.best, self.rest.finish_times))

    def refuse(self, turns: Sequence[Turn]) -> None:
        """Replace the refused turns by ``turns``, and remove these from the children.

        They stay out until :meth:`lift_refusal` is called for their cell.
        """
        self.refused = list(turns)
        for key, group in self.laid.items():
            for child in group:
                if child.turn is not None and child.turn in self.refused:
                    self._withhold(child.turn)
            self.laid[key] = [child for child in group if child.turn not in self.refused]

    def lift_refusal(self, cell: Cell) -> None:
        """Allow refused turns with a tile at ``cell`` again, because the table has changed there.

        Those that were withheld wait again, so that the next picture can start them.
        """
        self.refused = [turn for turn in self.refused if turn.cell != cell]
        for turn in [turn for turn in self.withheld if turn.cell == cell]:
            self.withheld.remove(turn)
            if (cell, turn.tile, turn.rot) in self.waiting:
                self.waiting[cell, turn.tile, turn.rot].add_again(turn)

    def _withhold(self, turn: Turn) -> None:
        if turn not in self.withheld:
            self.withheld.append(turn)

    def start(self, key: TilePlacement, view: View) -> bool:
        """Add children for those turns with placement ``key`` whose pieces ``view`` shows.

        True if any were added.
        """
        if key not in self.waiting:
            self.waiting[key] = self.legal.waiting(key)
        node: Hypothesis = self  # narrows Self: its children have this class
        group = node.laid.get(key, [])
        unseen = any(child.unseen for child in group) or (not group and _several_tiles_new(self, view))
        ready = self.waiting[key].ready(view.signs, unseen=unseen)
        if not ready:
            return False
        there = {piece_actions(child.turn) for child in group if child.turn is not None}
        number = len(group)
        for candidate in ready:
            if candidate.turn in self.refused:
                self._withhold(candidate.turn)
            elif piece_actions(candidate.turn) not in there:
                group.append(hypothesis_after(self, candidate.turn, group, candidate.outcome, unseen=unseen))
        if len(group) == number:
            return False
        node.laid[key] = group
        return True

    def evidence(self, view: View, scenes: PieceScene) -> tuple[float, float, float]:
        """Return a picture's evidence in nats for the stages: tile laid, pieces laid, scored pieces gone.

        ``scenes`` compares pieces with the picture. Sets ``tiles_now`` to the part of the tiles. Call it for
        the parent first.
        """
        board, stages = self.board, self.stages
        if self.parent is None or self.turn is None:
            self.tiles_now = board_evidence(view, board)
            tables = (stages.rest, *self.lingering)
            rest = self.tiles_now + max(scenes.evidence(board, pieces, None) for pieces in tables)
            return (rest, rest, rest)
        cell = self.turn.cell
        like = (self.parent.stages.rest, self.parent.turn.cell if self.parent.turn is not None else None)
        self.tiles_now = self.parent.tiles_now + tile_evidence(view, cell, board[cell])
        rest = scenes.evidence(board, stages.rest, cell, like)
        bare = scenes.evidence(board, stages.bare, cell, like)
        mid = max((scenes.evidence(board, pieces, cell, like) for pieces in stages.mid), default=rest)
        return (self.tiles_now + bare, self.tiles_now + mid, self.tiles_now + rest)

    def prepare(self) -> None:
        """Update ``enter`` and ``leave`` before a picture is weighed. Parents must be updated first."""
        if self.parent is not None:
            self.enter = start_score(self.parent).plus(self.prior)
        self.leave = self.end

    def advance(self, nats: Sequence[float], view: View, elapsed_s: float) -> None:
        """Update the stage scores with a picture.

        ``nats`` is the picture's evidence for the stages (tile laid, pieces laid, scored pieces gone);
        ``elapsed_s`` the time since the picture before. Only a picture at rest can move a hypothesis to a
        further stage: a hand would hide the pieces.
        """
        self.weighed = True
        for_bare, for_mid, for_rest = nats
        if self.parent is not None and not view.busy:
            unproven = PARAMS.skipped_piece_nats if self.stages.scored_away and not self.mid_seen else 0.0
            arriving = best_score(self.mid.plus(-unproven), self._score_unseen_pieces())
            if arriving.nats > self.rest.nats:
                now = (view.observation.frame_index, view.observation.t_s)
                self.rest = StageScore(arriving.nats, FinishTimes(now, arriving.finish_times))
            if self.stages.mid:
                self.mid = best_score(self.mid, self.bare, self.enter)
            self._wait_for_pieces(elapsed_s)
            self.mid_seen |= for_mid > for_bare
        self.bare = self.bare.plus(for_bare)
        self.mid = self.mid.plus(for_mid)
        self.rest = self.rest.plus(for_rest)

    def _score_unseen_pieces(self) -> StageScore:
        """Return the score of reaching the last stage without a picture of the laid pieces.

        It costs ``skipped_piece_nats`` if a laid piece has gone home, unless the turn before was not seen
        either.
        """
        skipped = -PARAMS.skipped_piece_nats if self.stages.scored_away else 0.0
        entered = self.enter if _previous_unseen(self) else self.enter.plus(skipped)
        return best_score(self.bare.plus(skipped), entered)

    def _wait_for_pieces(self, elapsed_s: float) -> None:
        """Start the stage "tile laid" from ``enter`` if that scores higher; else charge it for ``elapsed_s``.

        The charge is for a piece that is overdue.
        """
        if self.enter.nats > self.bare.nats:
            self.bare, self.late_cost = self.enter, 0.0
            return
        late_cost = min(self.late_cost + PARAMS.late_nats_per_s * elapsed_s, PARAMS.skipped_piece_nats)
        self.bare, self.late_cost = self.bare.plus(self.late_cost - late_cost), late_cost


def group_shares(host: Hypothesis) -> list[tuple[Hypothesis, float]]:
    """Return ``host`` and its guests, each with its share (0..1) of their probability.

    They are nodes that reach the same position in another order of turns; only the host has children.
    """
    if not host.guests:
        return [(host, 1.0)]
    together = (host, *host.guests)
    top = max(hypothesis.leave.nats for hypothesis in together)
    if top == -math.inf:
        return [(host, 1.0)]
    odds = [math.exp(hypothesis.leave.nats - top) for hypothesis in together]
    return [(hypothesis, odd / sum(odds)) for hypothesis, odd in zip(together, odds, strict=True)]


def start_score(host: Hypothesis) -> StageScore:
    """Return the score with which children of ``host`` start: probabilities of host and guests are added.

    Guests are nodes that reach the same position in another order of turns.
    """
    if not host.guests:
        return host.leave
    ways = [hypothesis.leave for hypothesis in (host, *host.guests)]
    best = best_score(*ways)
    if best.nats == -math.inf:
        return best
    return best.plus(math.log(sum(math.exp(way.nats - best.nats) for way in ways)))


def _previous_unseen(hypothesis: Hypothesis) -> bool:
    """Whether no picture showed the turn before finished; this one may then be unseen at no extra cost."""
    before = hypothesis.enter.finish_times
    return before is not None and before.frame is None


def hypothesis_after(
    parent: Hypothesis,
    turn: Turn,
    siblings: Sequence[Hypothesis],
    outcome: TurnOutcome | None = None,
    *,
    unseen: bool = False,
) -> Hypothesis:
    """Return a hypothesis for ``turn`` after ``parent``. Raises IllegalTurn if the turn is not legal.

    ``outcome`` is the turn's outcome if it is known already. ``unseen`` is true if several tiles were laid
    since the last picture. ``siblings`` have the same placement; their scores of the stage "tile laid" (and
    "pieces laid", if only a displaced piece differs) are taken over where they are better.
    """
    if outcome is None:
        outcome = outcome_of(parent.state, parent.stages.rest, turn)
    unseen = unseen or any(sibling.unseen for sibling in siblings)
    prior = parent.legal.turns((turn.cell, turn.tile, turn.rot)).prior(turn) if unseen else prior_of(turn)
    child = Hypothesis(outcome, parent, turn, prior, outcome.stages, unseen=unseen)
    child.enter = parent.end.plus(child.prior)
    for sibling in siblings:
        nats = sibling.bare.nats + (child.prior - sibling.prior)
        if nats > child.bare.nats:
            child.bare = StageScore(nats, sibling.bare.finish_times)
        if sibling.turn is not None and _differ_only_in_displaced(sibling.turn, turn):
            child.mid = best_score(child.mid, sibling.mid)
            child.mid_seen |= sibling.mid_seen
    return child


def _several_tiles_new(hypothesis: Hypothesis, view: View) -> bool:
    """Whether several tiles were laid unseen: ``view`` shows them, or the hypothesis was just started so."""
    if hypothesis.unseen and not hypothesis.weighed:
        return True
    board = hypothesis.board
    return sum(odds > 0 and cell not in board for cell, odds in view.log_tile.items()) > 1


def _differ_only_in_displaced(one: Turn, other: Turn) -> bool:
    """Whether two turns with one placement differ at most in the space of a displaced piece."""
    return displaced_to(other) is not None and key_without_displaced(one) == key_without_displaced(other)
