"""From what the camera saw to what was played: the legal turn that explains the pictures best.

The legal turns from the last known position are the hypotheses, every picture is evidence, and the line
of turns that explains all pictures best wins. A :class:`TurnTracker` keeps a small tree of
:class:`tilesight.lines.Line`. The next tile on the table starts children, and a turn that a few others
have followed is settled.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import takewhile

from engine.board import Laid
from engine.fault import Fault
from engine.game import GameState, Step
from engine.geometry import EDGES, Cell, neighbour
from engine.turn import Turn
from tilesight.anchor import fit_lattice
from tilesight.evidence import Acquaintance, PieceScene, View, view_of
from tilesight.lines import Line, Past, Way, better
from vision.observation import Observation
from vision.solve import LatticeFrame

CALM_BOUND = 10.0
"""Nats by which one picture at rest may at most tell two tables apart."""
BUSY_BOUND = 2.0
"""The same while hands are in the picture."""
FACES_WITHIN = 7.0
"""Faces this many nats below a cell's best reading are still tried."""
FACES_AT_MOST = 8
GROW_COVERED = 0.5
"""A cell of which this share is hidden is not yet taken for a newly laid tile."""
GROW_WITHIN = 12.0
"""Lines this far below the best still get children."""
GROW_AT_MOST = 6
PRUNE_WITHIN = 30.0
LINES_AT_MOST = 500
OPEN_TURNS = 3
"""The last turns that later pictures may still change."""
SHOW_MARGIN = 2.0
"""Nats by which a turn must lead to be shown before it is settled."""
ASK_BELOW = 0.9


@dataclass(frozen=True, slots=True)
class UnderstoodTurn:
    """A turn as it was understood.

    ``frame_index`` is the first picture that shows it finished and at rest (None if none did),
    ``confidence`` 0..1 its weight against all others, ``alternatives`` what else was likely, best first.
    """

    turn: Turn
    step: Step
    frame_index: int | None
    t_s: float | None
    confidence: float
    alternatives: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True)
class Unclear:
    """A table last seen at rest that no legal turn explains: what is wrong, in words and as faults, and
    where."""

    message: str
    cells: tuple[Cell, ...]
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True, slots=True)
class Understanding:
    """What the tracker makes of the table after one picture.

    ``turns`` are all turns so far, the ``settled`` first of them for good; ``state`` is the position after
    the last. ``board_seen`` is false where the known board was not found in the picture, ``busy`` true
    while hands or motion are waited out.
    """

    turns: tuple[UnderstoodTurn, ...]
    settled: int
    state: GameState
    board_seen: bool
    busy: bool
    unclear: Unclear | None = None


class TurnTracker:
    """Follows one game through the pictures of its table."""

    def __init__(self, state: GameState) -> None:
        self._root = Line(state, rest=Way(0.0, None), rest_set=frozenset(state.standing))
        self._settled: list[UnderstoodTurn] = []
        self._lattice: LatticeFrame | None = None
        self._known = Acquaintance()
        self._kinds = {piece.kind for piece in state.standing}
        self._since_s = 0.0
        self._last_s = math.inf
        self._unclear: Unclear | None = None
        self._finished = False

    def see(self, observation: Observation) -> Understanding:
        """Take one picture into account."""
        lattice = None
        if observation.pose is not None:
            lattice = fit_lattice(observation, self._leader().state.board, self._lattice)
        if lattice is None:
            return self._understanding(board_seen=False, busy=True)
        self._lattice = lattice
        self._since_s = max(observation.t_s - self._last_s, 0.0)
        self._last_s = observation.t_s
        state = self._root.state
        view = view_of(observation, lattice, state.board, state.players, self._known)
        if not view.busy:
            self._grow(view)
        self._weigh(view)
        if not view.busy and self._grow(view):
            self._weigh_again(view)
        self._prune()
        self._settle()
        if not view.busy:
            self._known.note(view)
            self._unclear = self._what_is_unclear(view)
        return self._understanding(board_seen=True, busy=view.busy)

    def finish(self) -> Understanding:
        """No more pictures come: what is known now is how it was."""
        self._finished = True
        return self._understanding(board_seen=True, busy=False)

    # -- hypotheses -----------------------------------------------------------------------------

    def _grow(self, view: View) -> bool:
        """Start children for tiles that the likeliest lines do not have; true if there are new lines."""
        lines = sorted(self._root.walk(), key=lambda line: line.best, reverse=True)
        grown = False
        for line in lines[:GROW_AT_MOST]:
            if line.best < lines[0].best - GROW_WITHIN:
                break
            for cell, reading in view.cells.items():
                if view.log_tile[cell] <= 0 or reading.covered > GROW_COVERED or cell in line.state.board:
                    continue
                if _touches(line.state.board, cell):
                    grown |= self._grow_at(line, cell, view)
        return grown | self._grow_late(view)

    def _grow_at(self, line: Line, cell: Cell, view: View) -> bool:
        """List the turns that lay a tile on ``cell``, and start those that have something to show for."""
        faces = ((cell, design, rot) for _, design, rot in view.faces(cell, FACES_WITHIN))
        fitting = [key for key in faces if (cell, key[2]) in line.placements(key[1])]
        tried = {key for key in line.waiting if key[0] == cell}
        started = [line.start(key, view) for key in {*fitting[:FACES_AT_MOST], *tried}]
        return any(started)

    def _grow_late(self, view: View) -> bool:
        """Start what was listed earlier and has now something to show for: a ranger put down at last."""
        lines = list(self._root.walk())
        started = [line.start(key, view) for line in lines for key in list(line.laid)]
        return any(started)

    # -- evidence -------------------------------------------------------------------------------

    def _weigh(self, view: View) -> None:
        """Carry every line over this picture."""
        lines = list(self._root.walk())
        self._kinds |= {piece.kind for line in lines if not line.weighed for piece in line.pieces}
        scenes = PieceScene(view, self._root.state.board, self._kinds, self._root.state.players)
        evidence = [line.evidence(view, scenes) for line in lines]
        top = max(max(stages) for stages in evidence)
        floor = top - (BUSY_BOUND if view.busy else CALM_BOUND)
        for line in lines:
            line.prepare()
        for line, stages in zip(lines, evidence, strict=True):
            line.advance([max(value, floor) for value in stages], view, self._since_s)

    def _weigh_again(self, view: View) -> None:
        """Carry lines that were born after :meth:`_weigh` over the same picture."""
        lines = list(self._root.walk())
        self._kinds |= {piece.kind for line in lines if not line.weighed for piece in line.pieces}
        scenes = PieceScene(view, self._root.state.board, self._kinds, self._root.state.players)
        evidence = [line.evidence(view, scenes) for line in lines]
        floor = max(max(stages) for stages in evidence) - CALM_BOUND
        for line, stages in zip(lines, evidence, strict=True):
            if line.turn is not None and not line.weighed:
                line.prepare()
                line.advance([max(value, floor) for value in stages], view, self._since_s)

    # -- decisions ------------------------------------------------------------------------------

    def _leader(self) -> Line:
        return max(self._root.walk(), key=self._weight)

    def _weight(self, line: Line) -> float:
        """The evidence for a line. At the end a piece that was still to come was never laid, and one that
        was still to go home was laid and counts."""
        return max(line.rest.nats, line.mid.nats) if self._finished else line.best

    def _prune(self) -> None:
        lines = list(self._root.walk())
        ranked = sorted((line.best for line in lines), reverse=True)
        floor = ranked[0] - PRUNE_WITHIN
        if len(ranked) > LINES_AT_MOST:
            floor = max(floor, ranked[LINES_AT_MOST])
        for line in reversed(lines):  # children before parents
            for key, group in list(line.laid.items()):
                line.laid[key] = [child for child in group if child.laid or child.best >= floor]
                if not line.laid[key]:
                    # What was tried here lost; should its tile come back, it is tried afresh.
                    del line.laid[key], line.waiting[key]

    def _settle(self) -> None:
        """Move the root forward: a turn that others have followed for a while stays as it is."""
        leader = self._leader()
        path = leader.path()
        frames = self._frames(leader)
        for child, frame in zip(path[: max(len(path) - OPEN_TURNS, 0)], frames, strict=False):
            self._settled.append(self._understood(child, frame))
            child.parent = None
            child.turn = None
            self._root = child

    def _shown(self, leader: Line) -> list[Line]:
        """The turns of the best line that are sure enough to be told: at the end all of them."""
        path = leader.path()
        if self._finished:
            return path
        sure = list(takewhile(lambda line: self._margin(line)[0] >= SHOW_MARGIN, path))
        return sure[:-1] if leader in sure and leader.rest.nats < leader.best else sure

    def _frames(self, leader: Line) -> list[tuple[int, float] | None]:
        """When each turn on the way to ``leader`` was first seen finished and at rest."""
        if leader.rest.nats >= self._weight(leader):
            past = leader.rest.past
        else:
            past = Past(None, better(leader.mid, leader.bare).past)
        frames = []
        while past is not None:
            frames.append(past.frame)
            past = past.before
        return frames[len(leader.path()) - 1 :: -1] if leader.turn is not None else []

    def _margin(self, line: Line) -> tuple[float, list[Line]]:
        """Nats by which the line with all below it leads its rivals, and its siblings, best first."""
        parent = line.parent
        assert parent is not None
        mine = max(map(self._weight, line.walk()))
        rivals = {
            child: max(map(self._weight, child.walk())) for child in parent.children if child is not line
        }
        ranked = sorted(rivals, key=lambda child: rivals[child], reverse=True)
        strongest = max([self._weight(parent), *rivals.values()])
        return mine - strongest, ranked

    def _understood(self, line: Line, frame: tuple[int, float] | None) -> UnderstoodTurn:
        assert line.turn is not None and line.step is not None
        margin, ranked = self._margin(line)
        frame_index, t_s = frame if frame is not None else (None, None)
        return UnderstoodTurn(
            turn=line.turn,
            step=line.step,
            frame_index=frame_index,
            t_s=t_s,
            confidence=1.0 / (1.0 + math.exp(-min(max(margin, -30.0), 30.0))),
            alternatives=tuple(child.turn for child in ranked[:3] if child.turn is not None),
        )

    def _what_is_unclear(self, view: View) -> Unclear | None:
        """A tile at rest beside the board that no line explains."""
        leader = self._leader()
        board = leader.state.board
        for cell, reading in view.cells.items():
            if view.log_tile[cell] <= 1.0 or reading.covered > 0.3:
                continue
            if cell in board or not _touches(board, cell):
                continue
            _, design, rot = view.faces(cell, 0.0)[0]
            state = leader.state
            faults = state.faults(Turn(state.player, design, cell, rot))
            why = "; ".join(fault.message for fault in faults) or "no turn explains what is seen"
            return Unclear(f"{design} at [{cell[0]}, {cell[1]}]: {why}", (cell,), faults)
        return None

    def _understanding(self, *, board_seen: bool, busy: bool) -> Understanding:
        leader = self._leader()
        shown = self._shown(leader)
        frames = self._frames(leader)
        turns = [self._understood(line, frame) for line, frame in zip(shown, frames, strict=False)]
        state = shown[-1].state if shown else self._root.state
        return Understanding(
            (*self._settled, *turns), len(self._settled), state, board_seen, busy, self._unclear
        )


def _touches(board: Mapping[Cell, Laid], cell: Cell) -> bool:
    return any(neighbour(cell, edge) in board for edge in EDGES)
