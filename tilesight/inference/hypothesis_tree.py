"""Hypothesis tree: its growth by legal turns, their likelihoods, its pruning, the leading hypothesis.

The next tile on the table starts children of the likeliest hypotheses; where several tiles are new, children
of children, in all orders that the rules allow, as a beam. Every picture updates all hypotheses, and those
that fall far behind are pruned.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from engine.geometry import EDGES, Cell, neighbour
from engine.tiles.board import Laid
from engine.tiles.game import GameState
from tilesight.inference.candidates import Stages
from tilesight.inference.hypothesis import (
    Hypothesis,
    Past,
    Way,
    better,
    levels_of,
    position_of,
    promise,
)
from tilesight.inference.likelihood import PieceScene
from tilesight.inference.params import PARAMS
from tilesight.inference.view import Acquaintance, View
from tilesight.inference.view_params import PARAMS as VIEW

FACES_AT_MOST = 8
"""Number of faces tried per cell and hypothesis: a bound on work."""
GROW_AT_MOST = 6
"""Number of hypotheses that get children, beside those on the way to the likeliest: a bound on work."""
ORDERS_AT_MOST = 24
"""Number of positions followed after each of several tiles laid unseen: a bound on work."""
HYPOTHESES_AT_MOST = 500
"""Number of hypotheses kept after a picture: a bound on work."""


class HypothesisTree:
    """The supposed turns after a certain position, ``root``.

    ``kinds`` are those of the pieces supposed anywhere so far. Once ``finished`` no more pictures come, and
    what is known is how it was.
    """

    def __init__(self, state: GameState) -> None:
        self.root = root_at(state)
        self.kinds = {piece.kind for piece in state.standing}
        self.finished = False
        self._scene: PieceScene | None = None

    def put_root(self, hypothesis: Hypothesis) -> None:
        """Make ``hypothesis`` the root: all before it is certain."""
        hypothesis.become_root()
        self.root = hypothesis
        _part_from_the_lost(hypothesis)
        self.kinds |= {piece.kind for piece in hypothesis.stages.rest}

    def leader(self) -> Hypothesis:
        """The likeliest hypothesis; of equals the one that is finished."""
        return max(self.root.walk(), key=lambda hypothesis: (self.weight(hypothesis), hypothesis.rest.nats))

    def weight(self, hypothesis: Hypothesis) -> float:
        """Nats of evidence for a hypothesis.

        At the end a piece that was still to come was never laid, and one that was still to go home was laid
        and counts.
        """
        return max(hypothesis.rest.nats, hypothesis.mid.nats) if self.finished else hypothesis.best

    def reach(self, hypothesis: Hypothesis) -> float:
        """Maximum evidence in nats of a hypothesis and its descendants."""
        return max(map(self.weight, hypothesis.walk()))

    def margin(self, hypothesis: Hypothesis) -> tuple[float, list[Hypothesis]]:
        """Nats by which the hypothesis with all below it leads its rivals, and its siblings, best first."""
        parent = hypothesis.parent
        assert parent is not None
        mine = self.reach(hypothesis)
        rivals = {child: self.reach(child) for child in parent.children if child is not hypothesis}
        ranked = sorted(rivals, key=lambda child: rivals[child], reverse=True)
        strongest = max([self.weight(parent), *rivals.values()])
        return mine - strongest, ranked

    def frames(self, leader: Hypothesis) -> list[tuple[int, float] | None]:
        """Time at which each turn on the way to ``leader`` was first seen finished and at rest: (frame index,
        t_s)."""
        if leader.rest.nats >= self.weight(leader):
            past = leader.rest.past
        else:
            past = Past(None, better(leader.mid, leader.bare).past)
        frames = []
        while past is not None:
            frames.append(past.frame)
            past = past.before
        return frames[len(leader.path()) - 1 :: -1] if leader.turn is not None else []

    # -- what may follow ----------------------------------------------------------------------

    def allow_again(self, view: View) -> None:
        """Turns that somebody refused may come after all once their tile has been away."""
        for cell in {turn.cell for turn in self.root.refused}:
            if view.in_sight(cell) and view.log_tile.get(cell, -math.inf) <= 0:
                self.root.allow(cell)

    def grow(self, view: View, known: Acquaintance) -> bool:
        """Start children for tiles that the likeliest hypotheses lack; true if any started."""
        # By how they stand as finished turns: as long as a piece may still come all are as good as the one
        # that lays none, and they would crowd it out.
        ranked = sorted(self.root.walk(), key=lambda hypothesis: hypothesis.end.nats, reverse=True)
        within = ranked[0].end.nats - PARAMS.grow_within_nats
        hypotheses = [hypothesis for hypothesis in ranked[:GROW_AT_MOST] if hypothesis.end.nats >= within]
        # A tile may be turned, or changed for another, after a long while.
        hypotheses += [
            hypothesis for hypothesis in (self.root, *self.leader().path()) if hypothesis not in hypotheses
        ]
        cells = [cell for cell in view.cells if self._may_be_new(cell, view, known)]
        grown = False
        while hypotheses:
            started = [child for hypothesis in hypotheses for child in _grow_from(hypothesis, cells, view)]
            grown |= bool(started)
            hypotheses = self._worth_growing(started, cells, view)
        return grown | self._grow_late(view)

    def _worth_growing(
        self, started: Sequence[Hypothesis], cells: Sequence[Cell], view: View
    ) -> list[Hypothesis]:
        """Those just started that lack further tiles: several were laid while nobody looked. All orders that
        the rules allow are followed as far as they explain the picture; those that end alike are one."""
        if all(cell in hypothesis.board for hypothesis in started for cell in cells):
            return []
        scene = self._scene_of(view, started)
        worth = {hypothesis: promise(hypothesis, view, scene, cells) for hypothesis in started}
        ranked = sorted(started, key=lambda hypothesis: worth[hypothesis], reverse=True)
        best = worth[ranked[0]]
        leader = self.leader()
        if leader.turn is not None and all(cell in leader.board for cell in cells):
            best = max(best, promise(leader, view, scene, cells))
        within = best - PARAMS.orders_within_nats
        hosts: dict[object, Hypothesis] = {}
        for hypothesis in ranked:
            if worth[hypothesis] < within:
                break
            if all(cell in hypothesis.board for cell in cells):
                continue
            host = hosts.get(position_of(hypothesis))
            if host is not None:
                hypothesis.host = host
                host.guests.append(hypothesis)
            elif len(hosts) < ORDERS_AT_MOST:
                hosts[position_of(hypothesis)] = hypothesis
        return list(hosts.values())

    def _may_be_new(self, cell: Cell, view: View, known: Acquaintance) -> bool:
        """Whether what is read at a cell may be a tile just laid."""
        if view.log_tile[cell] <= 0:
            return False
        more = view.cells[cell].covered - view.hidden_by_pieces(cell)
        return more <= VIEW.hand_share or known.looks.get(cell, 0) >= PARAMS.grow_after

    def _grow_late(self, view: View) -> bool:
        """Start what was listed earlier and is now seen: a displaced piece is put down last."""
        hypotheses = list(self.root.walk())
        started = [hypothesis.start(key, view) for hypothesis in hypotheses for key in list(hypothesis.laid)]
        return any(started)

    def second_thoughts(self, view: View) -> None:
        """A tile that shows another face than before was turned: what was seen until then bears out the
        turns that lay it as it lies now, too."""
        for cell in view.turned:
            for hypothesis in list(self.root.walk()):
                here = [
                    child
                    for child in hypothesis.children
                    if child.turn is not None and child.turn.cell == cell
                ]
                if len(here) < 2:
                    continue
                best = better(*(better(child.bare, child.mid, child.rest) for child in here))
                for child in here:
                    child.bare = better(child.bare, best.plus(child.prior - VIEW.turned_nats))

    def forget_a_little(self) -> None:
        """However long a table lay so, people may still change it: what was there before the open turns,
        and the other ways to end these, stay within reach."""
        leader = self.leader()
        floor = leader.best - 2 * PARAMS.rest_bound_nats
        for hypothesis in (self.root, *leader.path()):
            if -math.inf < hypothesis.rest.nats < floor:
                hypothesis.rest = hypothesis.rest._replace(nats=floor)
            if hypothesis.parent is None or hypothesis.turn is None:
                continue
            for other in hypothesis.parent.laid[
                hypothesis.turn.cell, hypothesis.turn.tile, hypothesis.turn.rot
            ]:
                if -math.inf < other.bare.nats < floor:
                    other.bare = other.bare._replace(nats=floor)

    # -- evidence -------------------------------------------------------------------------------

    def weigh(self, view: View, elapsed_s: float) -> None:
        """Update every hypothesis with a picture taken ``elapsed_s`` after the one before."""
        evidence = self._evidence(view)
        floor = _floor(evidence, view)
        for hypothesis, _ in evidence:
            hypothesis.prepare()
        for hypothesis, stages in evidence:
            least = floor(hypothesis)
            hypothesis.advance([max(value, least) for value in stages], view, elapsed_s)

    def weigh_again(self, view: View, elapsed_s: float) -> None:
        """Update hypotheses started after :meth:`weigh` with the same picture."""
        evidence = self._evidence(view)
        floor = _floor(evidence, view)
        for hypothesis, stages in evidence:
            if hypothesis.turn is not None and not hypothesis.weighed:
                least = floor(hypothesis)
                hypothesis.prepare()
                hypothesis.advance([max(value, least) for value in stages], view, elapsed_s)

    def _evidence(self, view: View) -> list[tuple[Hypothesis, tuple[float, float, float]]]:
        """Every hypothesis, parents first, with a picture's evidence for its stages."""
        hypotheses = [hypothesis for level in levels_of(self.root) for hypothesis in level]
        scene = self._scene_of(view, hypotheses)
        return [(hypothesis, hypothesis.evidence(view, scene)) for hypothesis in hypotheses]

    def _scene_of(self, view: View, hypotheses: Iterable[Hypothesis]) -> PieceScene:
        """The pieces of a picture, for these hypotheses."""
        kinds = {kind for hypothesis in hypotheses if not hypothesis.weighed for kind in hypothesis.kinds}
        scene = self._scene
        if scene is None or scene.view is not view or not kinds <= self.kinds:
            self.kinds |= kinds
            state = self.root.state
            scene = PieceScene(view, state.board, self.kinds, state.players, state.pack)
            self._scene = scene
        return scene

    def prune(self) -> None:
        """Drop hypotheses far behind the likeliest."""
        hypotheses = list(self.root.walk())
        ranked = sorted((hypothesis.best for hypothesis in hypotheses), reverse=True)
        floor = ranked[0] - 3 * PARAMS.rest_bound_nats
        if len(ranked) > HYPOTHESES_AT_MOST:
            floor = max(floor, ranked[HYPOTHESES_AT_MOST])
        for hypothesis in reversed(hypotheses):  # children before parents
            for key, group in list(hypothesis.laid.items()):
                hypothesis.laid[key] = [
                    child
                    for child in group
                    if child.laid or child.best >= floor or (child.host is not None and child.host.laid)
                ]
                if not hypothesis.laid[key]:
                    # What was tried here lost; should its tile come back, it is tried afresh.
                    del hypothesis.laid[key]
                    hypothesis.waiting.pop(key, None)


def _grow_from(hypothesis: Hypothesis, cells: Sequence[Cell], view: View) -> list[Hypothesis]:
    """Start what may follow a hypothesis on the cells that its board lacks."""
    board = hypothesis.board
    before = set(hypothesis.children)
    for cell in cells:
        if cell not in board and touches(board, cell) and hypothesis.host is None:
            _grow_at(hypothesis, cell, view)
    return [child for child in hypothesis.children if child not in before]


def _grow_at(hypothesis: Hypothesis, cell: Cell, view: View) -> None:
    """List the turns that lay a tile on ``cell``, and start those that have something to show for."""
    faces = ((cell, design, rot) for _, design, rot in view.faces(cell, VIEW.face_floor_nats))
    fitting = [key for key in faces if (cell, key[2]) in hypothesis.legal.placements(key[1])]
    tried = [key for key in hypothesis.waiting if key[0] == cell]
    for key in dict.fromkeys([*fitting[:FACES_AT_MOST], *tried]):
        hypothesis.start(key, view)


def _floor(
    evidence: Sequence[tuple[Hypothesis, tuple[float, float, float]]], view: View
) -> Callable[[Hypothesis], float]:
    """Least evidence of a picture for a hypothesis: a bound below the one that it speaks for most, for
    each tile by which they differ."""
    top, best = max(((max(stages), hypothesis) for hypothesis, stages in evidence), key=lambda item: item[0])
    bound = PARAMS.busy_bound_nats if view.busy else PARAMS.rest_bound_nats
    tiles = len(best.board)
    return lambda hypothesis: top - bound * max(tiles - len(hypothesis.board), 1)


def _part_from_the_lost(root: Hypothesis) -> None:
    """Hosts and guests that are no longer in the tree are forgotten."""
    known = set(root.walk())
    for hypothesis in known:
        hypothesis.guests = [guest for guest in hypothesis.guests if guest in known]
        if hypothesis.host is not None and hypothesis.host not in known:
            hypothesis.host = None


def root_at(state: GameState) -> Hypothesis:
    """The root of a tree: this position is certain."""
    return Hypothesis(state, rest=Way(0.0, None), stages=Stages(rest=frozenset(state.standing)))


def touches(board: Mapping[Cell, Laid], cell: Cell) -> bool:
    """Whether a tile at ``cell`` would lie beside the board."""
    return any(neighbour(cell, edge) in board for edge in EDGES)
