"""Hypothesis tree: the turns that may follow, how well pictures support them, and the leading one.

The next tile on the table starts children of the likeliest lines, every picture is carried over all of them,
and what falls far behind is forgotten.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from engine.geometry import EDGES, Cell, neighbour
from engine.tiles.board import Laid
from engine.tiles.game import GameState
from tilesight.inference.hypothesis import Line, Past, Way, better
from tilesight.inference.likelihood import PieceScene
from tilesight.inference.view import Acquaintance, View

CALM_BOUND = 10.0
"""Nats by which one picture at rest may at most tell two tables apart."""
BUSY_BOUND = 2.0
"""The same while hands are in the picture."""
FACES_WITHIN = 7.0
"""Faces this many nats below a cell's best reading are still tried."""
FACES_AT_MOST = 8
GROW_COVERED = 0.5
GROW_AFTER = 2
"""A cell of which this share is hidden, and not by the pieces on it, is not yet taken for a newly laid tile,
unless it was seen so in as many pictures at rest before: then it is no hand."""
GROW_WITHIN = 12.0
"""Lines this far below the best still get children."""
GROW_AT_MOST = 6
PRUNE_WITHIN = 30.0
WITHIN_REACH = 20.0
"""So far behind the best line what people may still go back to falls at most."""
TURNED_COST = 3.0
"""A tile laid is turned, or another is laid in its place, about once in so many nats."""
LINES_AT_MOST = 500


class LineTree:
    """The supposed turns after a certain position, ``root``.

    ``kinds`` are those of the pieces supposed anywhere so far. Once ``finished`` no more pictures come, and
    what is known is how it was.
    """

    def __init__(self, state: GameState) -> None:
        self.root = root_at(state)
        self.kinds = {piece.kind for piece in state.standing}
        self.finished = False
        self._scene: PieceScene | None = None

    def put_root(self, line: Line) -> None:
        """All before ``line`` is certain."""
        line.become_root()
        self.root = line
        self.kinds |= {piece.kind for piece in line.rest_set}

    def leader(self) -> Line:
        """The likeliest line; of equals the one that is finished."""
        return max(self.root.walk(), key=lambda line: (self.weight(line), line.rest.nats))

    def weight(self, line: Line) -> float:
        """The evidence for a line. At the end a piece that was still to come was never laid, and one that
        was still to go home was laid and counts."""
        return max(line.rest.nats, line.mid.nats) if self.finished else line.best

    def reach(self, line: Line) -> float:
        """The evidence for a line with all below it."""
        return max(map(self.weight, line.walk()))

    def margin(self, line: Line) -> tuple[float, list[Line]]:
        """Nats by which the line with all below it leads its rivals, and its siblings, best first."""
        parent = line.parent
        assert parent is not None
        mine = self.reach(line)
        rivals = {child: self.reach(child) for child in parent.children if child is not line}
        ranked = sorted(rivals, key=lambda child: rivals[child], reverse=True)
        strongest = max([self.weight(parent), *rivals.values()])
        return mine - strongest, ranked

    def frames(self, leader: Line) -> list[tuple[int, float] | None]:
        """When each turn on the way to ``leader`` was first seen finished and at rest."""
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
        """Start children for tiles that the likeliest lines do not have; true if there are new lines."""
        # By how they stand as finished turns: as long as a piece may still come all are as good as the one
        # that lays none, and they would crowd it out.
        ranked = sorted(self.root.walk(), key=lambda line: line.end.nats, reverse=True)
        within = ranked[0].end.nats - GROW_WITHIN
        lines = [line for line in ranked[:GROW_AT_MOST] if line.end.nats >= within]
        # A tile may be turned, or changed for another, after a long while.
        lines += [line for line in (self.root, *self.leader().path()) if line not in lines]
        cells = [cell for cell in view.cells if self._may_be_new(cell, view, known)]
        grown = False
        for line in lines:
            board = line.state.board
            for cell in cells:
                if cell not in board and touches(board, cell):
                    grown |= self._grow_at(line, cell, view)
        return grown | self._grow_late(view)

    def _may_be_new(self, cell: Cell, view: View, known: Acquaintance) -> bool:
        """Whether what is read at a cell may be a tile just laid."""
        if view.log_tile[cell] <= 0:
            return False
        more = view.cells[cell].covered - view.hidden_by_pieces(cell)
        return more <= GROW_COVERED or known.looks.get(cell, 0) >= GROW_AFTER

    def _grow_at(self, line: Line, cell: Cell, view: View) -> bool:
        """List the turns that lay a tile on ``cell``, and start those that have something to show for."""
        faces = ((cell, design, rot) for _, design, rot in view.faces(cell, FACES_WITHIN))
        fitting = [key for key in faces if (cell, key[2]) in line.legal.placements(key[1])]
        tried = [key for key in line.waiting if key[0] == cell]
        started = [line.start(key, view) for key in dict.fromkeys([*fitting[:FACES_AT_MOST], *tried])]
        return any(started)

    def _grow_late(self, view: View) -> bool:
        """Start what was listed earlier and is now seen: a displaced piece is put down last."""
        lines = list(self.root.walk())
        started = [line.start(key, view) for line in lines for key in list(line.laid)]
        return any(started)

    def second_thoughts(self, view: View) -> None:
        """A tile that shows another face than before was turned: what was seen until then bears out the
        turns that lay it as it lies now, too."""
        for cell in view.turned:
            for line in list(self.root.walk()):
                here = [
                    child for child in line.children if child.turn is not None and child.turn.cell == cell
                ]
                if len(here) < 2:
                    continue
                best = better(*(better(child.bare, child.mid, child.rest) for child in here))
                for child in here:
                    child.bare = better(child.bare, best.plus(child.prior - TURNED_COST))

    def forget_a_little(self) -> None:
        """However long a table lay so, people may still change it: what was there before the open turns,
        and the other ways to end these, stay within reach."""
        leader = self.leader()
        floor = leader.best - WITHIN_REACH
        for line in (self.root, *leader.path()):
            if -math.inf < line.rest.nats < floor:
                line.rest = line.rest._replace(nats=floor)
            if line.parent is None or line.turn is None:
                continue
            for other in line.parent.laid[line.turn.cell, line.turn.tile, line.turn.rot]:
                if -math.inf < other.bare.nats < floor:
                    other.bare = other.bare._replace(nats=floor)

    # -- evidence -------------------------------------------------------------------------------

    def weigh(self, view: View, elapsed_s: float) -> None:
        """Carry every line over this picture."""
        evidence = self._evidence(view)
        top = max(max(stages) for _, stages in evidence)
        floor = top - (BUSY_BOUND if view.busy else CALM_BOUND)
        for line, _ in evidence:
            line.prepare()
        for line, stages in evidence:
            line.advance([max(value, floor) for value in stages], view, elapsed_s)

    def weigh_again(self, view: View, elapsed_s: float) -> None:
        """Carry lines that were born after :meth:`weigh` over the same picture."""
        evidence = self._evidence(view)
        floor = max(max(stages) for _, stages in evidence) - CALM_BOUND
        for line, stages in evidence:
            if line.turn is not None and not line.weighed:
                line.prepare()
                line.advance([max(value, floor) for value in stages], view, elapsed_s)

    def _evidence(self, view: View) -> list[tuple[Line, tuple[float, float, float]]]:
        """Every line, parents first, with a picture's evidence for its stages."""
        lines = list(self.root.walk())
        kinds = {kind for line in lines if not line.weighed for kind in line.kinds}
        scene = self._scene
        if scene is None or scene.view is not view or not kinds <= self.kinds:
            self.kinds |= kinds
            state = self.root.state
            scene = PieceScene(view, state.board, self.kinds, state.players, state.pack)
            self._scene = scene
        return [(line, line.evidence(view, scene)) for line in lines]

    def prune(self) -> None:
        """Forget what falls far behind."""
        lines = list(self.root.walk())
        ranked = sorted((line.best for line in lines), reverse=True)
        floor = ranked[0] - PRUNE_WITHIN
        if len(ranked) > LINES_AT_MOST:
            floor = max(floor, ranked[LINES_AT_MOST])
        for line in reversed(lines):  # children before parents
            for key, group in list(line.laid.items()):
                line.laid[key] = [child for child in group if child.laid or child.best >= floor]
                if not line.laid[key]:
                    # What was tried here lost; should its tile come back, it is tried afresh.
                    del line.laid[key]
                    line.waiting.pop(key, None)


def root_at(state: GameState) -> Line:
    """What is certain: this position."""
    return Line(state, rest=Way(0.0, None), rest_set=frozenset(state.standing))


def touches(board: Mapping[Cell, Laid], cell: Cell) -> bool:
    """Whether a tile at ``cell`` would lie beside the board."""
    return any(neighbour(cell, edge) in board for edge in EDGES)
