"""Hypotheses: nodes of a tree, each one supposed turn after its parent's, with its likelihood.

A turn passes through up to four tables at rest, each of which a picture may show:

    parent's table -> tile laid, nothing else ("bare") -> pieces laid ("mid") -> scored pieces gone ("rest")

For each stage a hypothesis keeps the best way to get there by now: its evidence in nats, and when the turns
before were finished. Hands are waited out, a piece laid late changes the supposed turn and not their
number, and a meeple that scores at once is remembered from the pictures before it went home.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.geometry import Cell
from engine.tiles.board import Laid, Standing
from engine.tiles.game import GameState, Step
from engine.tiles.pieces import OUTSIDE, PieceKind
from engine.tiles.turn import Turn
from tilesight.inference.candidates import (
    LegalTurns,
    Outcome,
    Placement,
    Stages,
    Waiting,
    but_displaced,
    done_with_pieces,
    outcome_of,
    prior_of,
)
from tilesight.inference.likelihood import PieceScene, board_evidence, bounded_tile, tile_evidence
from tilesight.inference.params import PARAMS
from tilesight.inference.view import View


class Past(NamedTuple):
    """Time at which a turn was first seen finished and at rest, (frame index, t_s), None if never; then the
    same of the turn before it."""

    frame: tuple[int, float] | None
    before: Past | None


class Way(NamedTuple):
    """The best way to a stage: its evidence in nats, and the past of the turns before."""

    nats: float
    past: Past | None

    def plus(self, nats: float) -> Way:
        """The way with more evidence for it (less, where negative)."""
        if not nats:
            return self
        return Way(self.nats + nats, self.past)


NO_WAY = Way(-math.inf, None)

Position = tuple[object, ...]
"""All of a position on which the turns after it and their points depend."""


def better(first: Way, *others: Way) -> Way:
    """The way with most evidence, the first of equals."""
    best = first
    for way in others:
        if way.nats > best.nats:
            best = way
    return best


@dataclass(slots=True, eq=False)
class Hypothesis:
    """One turn after ``parent`` (the root has none), and the best way to each stage of it.

    ``known`` is the position, or the turn played, and ``stages`` the pieces at each stage.
    ``enter`` is the way in from the parent's table, ``leave`` the one by which its own children start;
    both as of before the picture that is being weighed. ``lingering`` is what may still stand on a root's
    table until its pieces have gone home. ``refused`` are turns that somebody said did not follow, and
    ``withheld`` those of them that would have been started.

    ``unseen`` is true where several tiles were laid between two pictures, the turn's among them.

    Turns in another order may end in the same position. One of those hypotheses is the ``host``: it alone has
    children, which follow its ``guests`` just as well.
    """

    known: GameState | Outcome
    parent: Hypothesis | None = None
    turn: Turn | None = None
    prior: float = 0.0
    stages: Stages = field(default_factory=Stages)
    unseen: bool = False
    mid_seen: bool = False
    bare: Way = NO_WAY
    mid: Way = NO_WAY
    rest: Way = NO_WAY
    enter: Way = NO_WAY
    leave: Way = NO_WAY
    late_cost: float = 0.0
    tiles_now: float = 0.0
    weighed: bool = False
    lingering: tuple[frozenset[Standing], ...] = ()
    refused: list[Turn] = field(default_factory=list)
    withheld: list[Turn] = field(default_factory=list)
    laid: dict[Placement, list[Hypothesis]] = field(default_factory=dict)
    waiting: dict[Placement, Waiting] = field(default_factory=dict)
    host: Hypothesis | None = None
    guests: list[Hypothesis] = field(default_factory=list)
    _legal: LegalTurns | None = None
    _position: Position | None = None

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
    def best(self) -> float:
        """Evidence in nats of the stage that fits best."""
        return max(self.bare.nats, self.mid.nats, self.rest.nats)

    @property
    def end(self) -> Way:
        """The way by which the next turn would start now."""
        if self.parent is None:
            return self.rest
        hasty = better(self.bare, self.mid, self._unseen(), self.enter)
        unlooked = self.enter.nats if _in_a_hole(self) else -math.inf
        nats = max(hasty.nats - PARAMS.haste_nats, unlooked)
        return better(self.rest, Way(nats, Past(None, hasty.past if nats > unlooked else self.enter.past)))

    @property
    def kinds(self) -> set[PieceKind]:
        """The kinds of the pieces that stand at some stage."""
        stages = self.stages
        return {piece.kind for pieces in (stages.bare, *stages.mid, stages.rest) for piece in pieces}

    @property
    def children(self) -> list[Hypothesis]:
        """Every turn that is supposed to follow this one."""
        return [child for group in self.laid.values() for child in group]

    def walk(self) -> Iterator[Hypothesis]:
        """This hypothesis and all below it, parents first."""
        stack = [self]
        while stack:
            hypothesis = stack.pop()
            yield hypothesis
            stack.extend(hypothesis.children)

    def path(self) -> list[Hypothesis]:
        """Hypotheses from the root's child down to this one."""
        found: list[Hypothesis] = []
        hypothesis: Hypothesis | None = self
        while hypothesis is not None and hypothesis.turn is not None:
            found.append(hypothesis)
            hypothesis = hypothesis.parent
        return found[::-1]

    @property
    def legal(self) -> LegalTurns:
        """The turns that may follow."""
        if self._legal is None:
            self._legal = LegalTurns(self.state, self.stages.rest)
        return self._legal

    def become_root(self) -> None:
        """Make this hypothesis the root: its turn and all before are certain."""
        self.parent = None
        self.turn = None
        self.rest = better(self.rest, Way(self.best, self.rest.past))

    def refuse(self, turns: Sequence[Turn]) -> None:
        """Rule out that these turns follow, whatever the table looks like, until :meth:`allow`."""
        self.refused = list(turns)
        for key, group in self.laid.items():
            for child in group:
                if child.turn is not None and child.turn in self.refused:
                    self._withhold(child.turn)
            self.laid[key] = [child for child in group if child.turn not in self.refused]

    def allow(self, cell: Cell) -> None:
        """The table changed at ``cell``: what lays a tile there may follow again."""
        self.refused = [turn for turn in self.refused if turn.cell != cell]
        for turn in [turn for turn in self.withheld if turn.cell == cell]:
            self.withheld.remove(turn)
            if (cell, turn.tile, turn.rot) in self.waiting:
                self.waiting[cell, turn.tile, turn.rot].put_back(turn)

    def _withhold(self, turn: Turn) -> None:
        if turn not in self.withheld:
            self.withheld.append(turn)

    def start(self, key: Placement, view: View) -> bool:
        """Start those turns with that placement whose pieces ``view`` shows; true if there are any."""
        if key not in self.waiting:
            self.waiting[key] = self.legal.waiting(key)
        group = self.laid.get(key, [])
        unseen = any(child.unseen for child in group) or (not group and _lacks_several(self, view))
        ready = self.waiting[key].ready(view.signs, unseen=unseen)
        if not ready:
            return False
        there = {done_with_pieces(child.turn) for child in group if child.turn is not None}
        number = len(group)
        for candidate in ready:
            if candidate.turn in self.refused:
                self._withhold(candidate.turn)
            elif done_with_pieces(candidate.turn) not in there:
                group.append(hypothesis_after(self, candidate.turn, group, candidate.outcome, unseen=unseen))
        if len(group) == number:
            return False
        self.laid[key] = group
        return True

    def evidence(self, view: View, scenes: PieceScene) -> tuple[float, float, float]:
        """A picture's evidence for the stages bare, mid and rest; the parent is asked first."""
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
        """Work out how the hypothesis is entered and left before a picture is weighed; whole levels, parents
        first."""
        if self.parent is not None:
            self.enter = way_out(self.parent).plus(self.prior)
        self.leave = self.end

    def advance(self, nats: Sequence[float], view: View, elapsed_s: float) -> None:
        """Weigh a picture, ``elapsed_s`` after the one before, whose evidence for the stages is ``nats``.

        A stage is entered only in a picture at rest: no piece was seen lying where a hand hid it.
        """
        self.weighed = True
        for_bare, for_mid, for_rest = nats
        if self.parent is not None and not view.busy:
            unproven = PARAMS.skipped_piece_nats if self.stages.scored_away and not self.mid_seen else 0.0
            arriving = better(self.mid.plus(-unproven), self._unseen())
            if arriving.nats > self.rest.nats:
                now = (view.observation.frame_index, view.observation.t_s)
                self.rest = Way(arriving.nats, Past(now, arriving.past))
            if self.stages.mid:
                self.mid = better(self.mid, self.bare, self.enter)
            self._wait_for_pieces(elapsed_s)
            self.mid_seen |= for_mid > for_bare
        self.bare = self.bare.plus(for_bare)
        self.mid = self.mid.plus(for_mid)
        self.rest = self.rest.plus(for_rest)

    def _unseen(self) -> Way:
        """The way to rest without a picture of the laid pieces, at a cost where they have gone home since."""
        skipped = -PARAMS.skipped_piece_nats if self.stages.scored_away else 0.0
        entered = self.enter if _in_a_hole(self) else self.enter.plus(skipped)
        return better(self.bare.plus(skipped), entered)

    def _wait_for_pieces(self, elapsed_s: float) -> None:
        if self.enter.nats > self.bare.nats:
            self.bare, self.late_cost = self.enter, 0.0
            return
        late_cost = min(self.late_cost + PARAMS.late_nats_per_s * elapsed_s, PARAMS.skipped_piece_nats)
        self.bare, self.late_cost = self.bare.plus(self.late_cost - late_cost), late_cost


def levels_of(root: Hypothesis) -> Iterator[list[Hypothesis]]:
    """A hypothesis, its children, their children, and so on."""
    level = [root]
    while level:
        yield level
        level = [child for hypothesis in level for child in hypothesis.children]


def position_of(hypothesis: Hypothesis) -> Position:
    """The position after the turn, in a form that compares whatever the order of the turns."""
    if hypothesis._position is None:
        state = hypothesis.state
        tiles = frozenset((cell, laid.design.id, laid.rot) for cell, laid in state.board.items())
        hands = tuple((player, tuple(sorted(hand))) for player, hand in state.hands.items())
        scores = tuple(state.scores[player] for player in state.players)
        hypothesis._position = (
            tiles,
            hypothesis.stages.rest,
            scores,
            hands,
            state.player,
            frozenset(state.bag.items()),
        )
    return hypothesis._position


def shares_of(host: Hypothesis) -> list[tuple[Hypothesis, float]]:
    """The hypotheses after which a hypothesis's children follow, with the probability of each."""
    if not host.guests:
        return [(host, 1.0)]
    together = (host, *host.guests)
    top = max(hypothesis.leave.nats for hypothesis in together)
    if top == -math.inf:
        return [(host, 1.0)]
    odds = [math.exp(hypothesis.leave.nats - top) for hypothesis in together]
    return [(hypothesis, odd / sum(odds)) for hypothesis, odd in zip(together, odds, strict=True)]


def way_out(host: Hypothesis) -> Way:
    """The way by which children start: of all hypotheses after which they follow."""
    if not host.guests:
        return host.leave
    ways = [hypothesis.leave for hypothesis in (host, *host.guests)]
    best = better(*ways)
    if best.nats == -math.inf:
        return best
    return best.plus(math.log(sum(math.exp(way.nats - best.nats) for way in ways)))


def _in_a_hole(hypothesis: Hypothesis) -> bool:
    """Whether the turn before was not seen finished either: nobody looked for a while, and it costs
    nothing more that this one was not seen."""
    before = hypothesis.enter.past
    return before is not None and before.frame is None


def promise(hypothesis: Hypothesis, view: View, scene: PieceScene, cells: Sequence[Cell]) -> float:
    """Nats that a hypothesis may come to with this picture once all tiles on ``cells`` are laid."""
    parent, turn, board = hypothesis.parent, hypothesis.turn, hypothesis.board
    assert parent is not None and turn is not None
    like = (parent.stages.rest, parent.turn.cell if parent.turn is not None else None)
    laid = [one.turn.cell for one in hypothesis.path() if one.turn is not None]
    tiles = math.fsum(tile_evidence(view, cell, board[cell]) for cell in laid)
    missing = [cell for cell in cells if cell not in board]  # whatever stood there was taken away
    tables = {
        frozenset(piece for piece in table if piece.kind not in OUTSIDE or piece.cell not in missing)
        for table in (hypothesis.stages.bare, *hypothesis.stages.mid, hypothesis.stages.rest)
    }
    pieces = max(scene.evidence(board, table, turn.cell, like) for table in tables)
    further = math.fsum(bounded_tile(view, cell) for cell in missing) + scene.unexplained_on(missing)
    return max(hypothesis.enter.nats, hypothesis.best) + tiles + pieces + further


def hypothesis_after(
    parent: Hypothesis,
    turn: Turn,
    siblings: Sequence[Hypothesis],
    outcome: Outcome | None = None,
    *,
    unseen: bool = False,
) -> Hypothesis:
    """A hypothesis for ``turn`` after ``parent``; ``outcome`` is the turn played, if it was played before.
    ``unseen`` is true where several tiles were laid since the last picture.

    One that starts late takes over what its ``siblings`` have seen, which lay the same tile.
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
            child.bare = Way(nats, sibling.bare.past)
        if sibling.turn is not None and _but_displaced_alike(sibling.turn, turn):
            child.mid = better(child.mid, sibling.mid)
            child.mid_seen |= sibling.mid_seen
    return child


def _lacks_several(hypothesis: Hypothesis, view: View) -> bool:
    """Whether several tiles were laid since the last picture: the turn's own was, or more are to come."""
    if hypothesis.unseen and not hypothesis.weighed:
        return True
    board = hypothesis.board
    return sum(odds > 0 and cell not in board for cell, odds in view.log_tile.items()) > 1


def _but_displaced_alike(one: Turn, other: Turn) -> bool:
    """Whether two turns with one placement differ only in where a displaced piece went."""
    return other.displaced_to is not None and but_displaced(one) == but_displaced(other)
