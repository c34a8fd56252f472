"""Hypothesis tree: growth by legal turns, update by pictures, pruning, and the leading hypothesis.

A new tile on the table adds children to the likeliest hypotheses. If several tiles are new, children get
children too, in every order that the rules allow, as a beam search. Every picture updates all hypotheses;
those far behind the likeliest are pruned.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from engine.geometry import EDGES, Cell, neighbour
from engine.tiles.board import Laid
from engine.tiles.game import GameState
from engine.tiles.pieces import OUTSIDE
from tilesight.inference.candidates import Stages
from tilesight.inference.hypothesis import (
    FinishTimes,
    Hypothesis,
    StageScore,
    best_score,
)
from tilesight.inference.likelihood import PieceScene, bounded_tile, tile_evidence
from tilesight.inference.params import PARAMS
from tilesight.inference.view import ReadingHistory, View
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
    """The tree of supposed turns after a certain position, ``root``.

    ``kinds`` are the kinds of pieces in any hypothesis so far. ``finished`` is true once no more pictures
    will come.
    """

    def __init__(self, state: GameState) -> None:
        self.root = root_at(state)
        self.kinds = {piece.kind for piece in state.standing}
        self.finished = False
        self._scene: PieceScene | None = None

    def put_root(self, hypothesis: Hypothesis) -> None:
        """Make ``hypothesis`` the root: it and all turns before are certain."""
        hypothesis.become_root()
        self.root = hypothesis
        _drop_stale_links(hypothesis)
        self.kinds |= {piece.kind for piece in hypothesis.stages.rest}

    def leader(self) -> Hypothesis:
        """Return the likeliest hypothesis; on a tie, the one with the better score at rest."""
        return max(self.root.walk(), key=lambda hypothesis: (self.weight(hypothesis), hypothesis.rest.nats))

    def weight(self, hypothesis: Hypothesis) -> float:
        """Return the evidence in nats for a hypothesis.

        After the last picture a hypothesis counts only with its pieces laid: its mid or its rest stage.
        """
        return max(hypothesis.rest.nats, hypothesis.mid.nats) if self.finished else hypothesis.best

    def subtree_weight(self, hypothesis: Hypothesis) -> float:
        """Return the greatest weight in nats of a hypothesis and its descendants."""
        return max(map(self.weight, hypothesis.walk()))

    def margin(self, hypothesis: Hypothesis) -> tuple[float, list[Hypothesis]]:
        """Return the lead in nats of a hypothesis's subtree over rivals, and its siblings, likeliest first.

        The rivals are the siblings' subtrees and the parent, which has no turn here. Not for the root.
        """
        parent = hypothesis.parent
        assert parent is not None
        mine = self.subtree_weight(hypothesis)
        rivals = {child: self.subtree_weight(child) for child in parent.children if child is not hypothesis}
        ranked = sorted(rivals, key=lambda child: rivals[child], reverse=True)
        strongest = max([self.weight(parent), *rivals.values()])
        return mine - strongest, ranked

    def frames(self, leader: Hypothesis) -> list[tuple[int, float] | None]:
        """Return, for each turn up to ``leader``, the picture that first shows it finished and at rest.

        Each is (frame index, t_s), or None if no picture did.
        """
        if leader.rest.nats >= self.weight(leader):
            finish_times = leader.rest.finish_times
        else:
            finish_times = FinishTimes(None, best_score(leader.mid, leader.bare).finish_times)
        frames = []
        while finish_times is not None:
            frames.append(finish_times.frame)
            finish_times = finish_times.before
        return frames[len(leader.path()) - 1 :: -1] if leader.turn is not None else []

    # -- growth -------------------------------------------------------------------------------

    def lift_refusals(self, view: View) -> None:
        """Allow the root's refused turns again whose cell is in sight and shows no tile."""
        for cell in {turn.cell for turn in self.root.refused}:
            if view.in_sight(cell) and view.log_tile.get(cell, -math.inf) <= 0:
                self.root.lift_refusal(cell)

    def grow(self, view: View, known: ReadingHistory) -> bool:
        """Add children to the likeliest hypotheses for tiles that they lack. True if any were added."""
        # Ranked as finished turns: while a piece may still come, all turns that lay one score as high as the
        # turn that lays none, and would crowd it out.
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
            hypotheses = self._next_frontier(started, cells, view)
        return grown | self._start_waiting(view)

    def _next_frontier(
        self, started: Sequence[Hypothesis], cells: Sequence[Cell], view: View
    ) -> list[Hypothesis]:
        """Return those hypotheses of ``started`` to grow further, because they lack tiles on ``cells``.

        All orders that the rules allow are followed, as far as they explain the picture. Hypotheses with the
        same position are joined under one host, and only the host is returned.
        """
        if all(cell in hypothesis.board for hypothesis in started for cell in cells):
            return []
        scene = self._scene_of(view, started)
        worth = {hypothesis: optimistic_score(hypothesis, view, scene, cells) for hypothesis in started}
        ranked = sorted(started, key=lambda hypothesis: worth[hypothesis], reverse=True)
        best = worth[ranked[0]]
        leader = self.leader()
        if leader.turn is not None and all(cell in leader.board for cell in cells):
            best = max(best, optimistic_score(leader, view, scene, cells))
        within = best - PARAMS.orders_within_nats
        hosts: dict[object, Hypothesis] = {}
        for hypothesis in ranked:
            if worth[hypothesis] < within:
                break
            if all(cell in hypothesis.board for cell in cells):
                continue
            host = hosts.get(hypothesis.position_key)
            if host is not None:
                hypothesis.host = host
                host.guests.append(hypothesis)
            elif len(hosts) < ORDERS_AT_MOST:
                hosts[hypothesis.position_key] = hypothesis
        return list(hosts.values())

    def _may_be_new(self, cell: Cell, view: View, known: ReadingHistory) -> bool:
        """Whether the reading at a cell may be a tile that was just laid.

        A tile that a hand seems to hide counts only after ``grow_after`` pictures.
        """
        if view.log_tile[cell] <= 0:
            return False
        more = view.cells[cell].covered - view.hidden_by_pieces(cell)
        return more <= VIEW.hand_share or known.looks.get(cell, 0) >= PARAMS.grow_after

    def _start_waiting(self, view: View) -> bool:
        """Add children for placements tried earlier whose pieces are seen now. True if any were added.

        A displaced piece, for example, is put down last.
        """
        hypotheses = list(self.root.walk())
        started = [hypothesis.start(key, view) for hypothesis in hypotheses for key in list(hypothesis.laid)]
        return any(started)

    def credit_turned_tiles(self, view: View) -> None:
        """Give all faces of a tile that now shows another face the best score seen at its cell, less a cost.

        The earlier pictures are evidence for a tile at that cell whichever way it lay.
        """
        for cell in view.turned:
            for hypothesis in list(self.root.walk()):
                here = [
                    child
                    for child in hypothesis.children
                    if child.turn is not None and child.turn.cell == cell
                ]
                if len(here) < 2:
                    continue
                best = best_score(*(best_score(child.bare, child.mid, child.rest) for child in here))
                for child in here:
                    child.bare = best_score(child.bare, best.plus(child.prior - VIEW.turned_nats))

    def cap_lead(self) -> None:
        """Raise scores on the leader's path to at least ``2 * rest_bound_nats`` below the leader's.

        These are the scores at rest, and the "tile laid" scores of turns with the same placement.

        However long a table lay unchanged, people may still change it: a few pictures must suffice to bring
        back the position before the open turns, or another end of these turns.
        """
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
        """Update every hypothesis with a picture, taken ``elapsed_s`` seconds after the one before."""
        evidence = self._evidence(view)
        floor = _floor(evidence, view)
        for hypothesis, _ in evidence:
            hypothesis.prepare()
        for hypothesis, stages in evidence:
            least = floor(hypothesis)
            hypothesis.advance([max(value, least) for value in stages], view, elapsed_s)

    def weigh_again(self, view: View, elapsed_s: float) -> None:
        """Update only the hypotheses that were started after :meth:`weigh`, with the same picture."""
        evidence = self._evidence(view)
        floor = _floor(evidence, view)
        for hypothesis, stages in evidence:
            if hypothesis.turn is not None and not hypothesis.weighed:
                least = floor(hypothesis)
                hypothesis.prepare()
                hypothesis.advance([max(value, least) for value in stages], view, elapsed_s)

    def _evidence(self, view: View) -> list[tuple[Hypothesis, tuple[float, float, float]]]:
        """Return every hypothesis, parents first, with the picture's evidence (nats) for its stages.

        The stages are: tile laid, pieces laid, scored pieces gone.
        """
        hypotheses = [hypothesis for level in self.root.levels() for hypothesis in level]
        scene = self._scene_of(view, hypotheses)
        return [(hypothesis, hypothesis.evidence(view, scene)) for hypothesis in hypotheses]

    def _scene_of(self, view: View, hypotheses: Iterable[Hypothesis]) -> PieceScene:
        """Return the cached `PieceScene` of a picture; rebuild it if these hypotheses add kinds of pieces."""
        kinds = {kind for hypothesis in hypotheses if not hypothesis.weighed for kind in hypothesis.kinds}
        scene = self._scene
        if scene is None or scene.view is not view or not kinds <= self.kinds:
            self.kinds |= kinds
            state = self.root.state
            scene = PieceScene(view, state.board, self.kinds, state.players, state.pack)
            self._scene = scene
        return scene

    def prune(self) -> None:
        """Drop hypotheses far behind the likeliest; about `HYPOTHESES_AT_MOST` stay."""
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
                    # Try this placement afresh if its tile is seen again.
                    del hypothesis.laid[key]
                    hypothesis.waiting.pop(key, None)
        _drop_stale_links(self.root)


def _grow_from(hypothesis: Hypothesis, cells: Sequence[Cell], view: View) -> list[Hypothesis]:
    """Add children to a hypothesis on those of ``cells`` that border its board, and return the new ones.

    A guest gets none: its host has them.
    """
    board = hypothesis.board
    before = set(hypothesis.children)
    for cell in cells:
        if cell not in board and touches(board, cell) and hypothesis.host is None:
            _grow_at(hypothesis, cell, view)
    return [child for child in hypothesis.children if child not in before]


def _grow_at(hypothesis: Hypothesis, cell: Cell, view: View) -> None:
    """Add children that lay one of the likeliest faces on ``cell``, where the picture supports them.

    Placements tried there earlier are tried again.
    """
    faces = ((cell, design, rot) for _, design, rot in view.faces(cell, VIEW.face_floor_nats))
    fitting = [key for key in faces if (cell, key[2]) in hypothesis.legal.placements(key[1])]
    tried = [key for key in hypothesis.waiting if key[0] == cell]
    for key in dict.fromkeys([*fitting[:FACES_AT_MOST], *tried]):
        hypothesis.start(key, view)


def _floor(
    evidence: Sequence[tuple[Hypothesis, tuple[float, float, float]]], view: View
) -> Callable[[Hypothesis], float]:
    """Return a function that gives the least evidence in nats a picture may assign to a hypothesis.

    It lies one bound below the evidence for the hypothesis that the picture favours, times the number of
    tiles by which the two differ.
    """
    top, best = max(((max(stages), hypothesis) for hypothesis, stages in evidence), key=lambda item: item[0])
    bound = PARAMS.busy_bound_nats if view.busy else PARAMS.rest_bound_nats
    tiles = len(best.board)
    return lambda hypothesis: top - bound * max(tiles - len(hypothesis.board), 1)


def _drop_stale_links(root: Hypothesis) -> None:
    """Remove links to hosts and guests that are no longer in the tree."""
    known = set(root.walk())
    for hypothesis in known:
        hypothesis.guests = [guest for guest in hypothesis.guests if guest in known]
        if hypothesis.host is not None and hypothesis.host not in known:
            hypothesis.host = None


def root_at(state: GameState) -> Hypothesis:
    """Return a root whose position ``state`` is certain, with score 0."""
    return Hypothesis(state, rest=StageScore(0.0, None), stages=Stages(rest=frozenset(state.standing)))


def touches(board: Mapping[Cell, Laid], cell: Cell) -> bool:
    """Whether ``cell`` shares an edge with a tile of the board."""
    return any(neighbour(cell, edge) in board for edge in EDGES)


def optimistic_score(hypothesis: Hypothesis, view: View, scene: PieceScene, cells: Sequence[Cell]) -> float:
    """Return an upper estimate, in nats, of a hypothesis's score once all tiles on ``cells`` are laid.

    Not for the root.
    """
    parent, turn, board = hypothesis.parent, hypothesis.turn, hypothesis.board
    assert parent is not None and turn is not None
    like = (parent.stages.rest, parent.turn.cell if parent.turn is not None else None)
    laid = [one.turn.cell for one in hypothesis.path() if one.turn is not None]
    tiles = math.fsum(tile_evidence(view, cell, board[cell]) for cell in laid)
    missing = [cell for cell in cells if cell not in board]  # laying a tile there displaces any piece
    tables = {
        frozenset(piece for piece in table if piece.kind not in OUTSIDE or piece.cell not in missing)
        for table in (hypothesis.stages.bare, *hypothesis.stages.mid, hypothesis.stages.rest)
    }
    pieces = max(scene.evidence(board, table, turn.cell, like) for table in tables)
    further = math.fsum(bounded_tile(view, cell) for cell in missing) + scene.unexplained_on(missing)
    return max(hypothesis.enter.nats, hypothesis.best) + tiles + pieces + further
