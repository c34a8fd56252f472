"""From what the camera saw to what was played: the legal turn that explains the pictures best.

The legal turns from the last known position are the hypotheses, every picture is evidence, and the line
of turns that explains all pictures best wins. A :class:`TurnTracker` keeps a small tree of
:class:`tilesight.lines.Line`. The next tile on the table starts children, and a turn that a few others
have followed is settled.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from engine.board import Laid
from engine.game import GameState
from engine.geometry import EDGES, Cell, neighbour
from engine.turn import UNKNOWN, Dig, Expand, Turn
from tilesight.anchor import fit_lattice
from tilesight.evidence import PieceScene, places_of
from tilesight.lines import Line, Past, Way, better
from tilesight.prints import Prints
from tilesight.understanding import Doubt, Unclear, Understanding, UnderstoodTurn
from tilesight.view import PERSONS, Acquaintance, View, view_of
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
OPEN_TURNS = 3
"""The last turns that later pictures may still change."""
SHOW_MARGIN = 2.0
"""Nats by which a turn must lead to be shown before it is settled."""
ASK_BELOW = 0.9
"""A turn that is less likely than this against all others is asked about."""
ASK_AFTER = 3
ASK_AFTER_S = 2.0
"""Pictures at rest, and seconds, over which a doubt must last before people are asked: the next look, or the
hand that is still on its way, often settles it."""
OPTIONS_AT_MOST = 4
OPTION_LEAST = 0.01
"""What is less likely is not offered as an answer."""


class TurnTracker:
    """Follows one game through the pictures of its table."""

    def __init__(self, state: GameState) -> None:
        self._start = state
        self._root = _root_at(state)
        self._settled: list[UnderstoodTurn] = []
        self._lattice: LatticeFrame | None = None
        self._known = Acquaintance(prints=Prints.of(state.pack))
        self._kinds = {piece.kind for piece in state.standing}
        self._since_s = 0.0
        self._last_s = math.inf
        self._unclear: Unclear | None = None
        self._doubt: Doubt | None = None
        self._doubted = _Doubted()
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
        self._known.settled_rangers = _rangers(state)
        self._known.settled_tokens = places_of(state, {"token"})
        self._known.settled_persons = places_of(state, PERSONS)
        # One turn more is left open: people may lay a piece before the last one's have gone home.
        ended_s = [turn.t_s for turn in self._settled[:-1] if turn.t_s is not None]
        self._known.settled_s = ended_s[-1] if ended_s else -math.inf
        view = view_of(observation, lattice, state.board, state.players, self._known)
        if not view.busy:
            self._allow_again(view)
            self._grow(view)
            self._second_thoughts(view)
        self._weigh(view)
        if not view.busy:
            if self._grow(view):
                self._weigh_again(view)
            self._forget_a_little()
        self._prune()
        self._settle()
        if not view.busy:
            self._known.note(view, _rangers(self._leader().state))
            self._unclear = self._what_is_unclear(view)
            self._doubt = self._what_to_ask(view)
        return self._understanding(board_seen=True, busy=view.busy)

    def fix(self, turns: Sequence[Turn], not_these: Collection[Turn] = ()) -> Understanding:
        """Take ``turns`` for the game's turns so far, for certain: somebody answered, corrected or undid,
        or a log was read after a crash.

        What was seen after the last of them still counts where it was followed; where the board lies and
        how its tiles look stays known. ``not_these`` are not supposed to come next, until the place where
        such a turn lays its tile is seen empty. IllegalTurn where ``turns`` is no legal game.
        """
        understood, line = self._followed(turns)
        if line is None:
            state = understood[-1].step.state if understood else self._start
            line = _root_at(state)
            self._known.forget(state.board)
        self._settled = understood
        if understood:
            step = understood[-1].step
            lingering = frozenset(step.laid)
            line.lingering = () if lingering == line.rest_set else (lingering,)
        line.become_root()
        self._root = line
        self._kinds |= {piece.kind for piece in line.rest_set}
        line.refuse([replace(turn, draws={}) for turn in not_these])
        self._doubt, self._doubted = None, _Doubted()
        self._unclear = None
        return self._understanding(board_seen=True, busy=False)

    def finish(self) -> Understanding:
        """No more pictures come: what is known now is how it was."""
        self._finished = True
        return self._understanding(board_seen=True, busy=False)

    def _followed(self, turns: Sequence[Turn]) -> tuple[list[UnderstoodTurn], Line | None]:
        """The turns as understood turns, and the line that ends with the last of them, None if none does."""
        known = [*self._settled, *self._told_of(self._leader())]
        understood: list[UnderstoodTurn] = []
        line: Line | None = self._root if len(turns) >= len(self._settled) else None
        same = True
        state = self._start
        for number, turn in enumerate(turns):
            same = same and number < len(known) and known[number].turn == turn
            step = known[number].step if same else state.apply(turn)
            seen = known[number] if same else None
            frame, t_s = (seen.frame_index, seen.t_s) if seen is not None else (None, None)
            understood.append(UnderstoodTurn(turn, step, frame, t_s, 1.0))
            state = step.state
            if number < len(self._settled):
                line = line if same else None
            elif line is not None:
                line = next((child for child in line.children if child.turn == turn), None)
        return understood, line

    def _told_of(self, leader: Line) -> list[UnderstoodTurn]:
        frames = self._frames(leader)
        return [self._understood(line, frame) for line, frame in zip(leader.path(), frames, strict=False)]

    # -- hypotheses -----------------------------------------------------------------------------

    def _allow_again(self, view: View) -> None:
        """Turns that somebody refused may come after all once their tile has been away."""
        for cell in {turn.cell for turn in self._root.refused}:
            if view.in_sight(cell) and view.log_tile.get(cell, -math.inf) <= 0:
                self._root.allow(cell)

    def _grow(self, view: View) -> bool:
        """Start children for tiles that the likeliest lines do not have; true if there are new lines."""
        # By how they stand as finished turns: as long as a piece may still come all are as good as the one
        # that lays none, and they would crowd it out.
        ranked = sorted(self._root.walk(), key=lambda line: line.end.nats, reverse=True)
        within = ranked[0].end.nats - GROW_WITHIN
        lines = [line for line in ranked[:GROW_AT_MOST] if line.end.nats >= within]
        # A tile may be turned, or changed for another, after a long while.
        lines += [line for line in (self._root, *self._leader().path()) if line not in lines]
        grown = False
        for line in lines:
            for cell, reading in view.cells.items():
                if view.log_tile[cell] <= 0 or cell in line.state.board:
                    continue
                more = reading.covered - view.hidden_by_pieces(cell)
                if more > GROW_COVERED and self._known.looks.get(cell, 0) < GROW_AFTER:
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

    def _second_thoughts(self, view: View) -> None:
        """A tile that shows another face than before was turned: what was seen until then bears out the
        turns that lay it as it lies now, too."""
        for cell in view.turned:
            for line in list(self._root.walk()):
                here = [
                    child for child in line.children if child.turn is not None and child.turn.cell == cell
                ]
                if len(here) < 2:
                    continue
                best = better(*(better(child.bare, child.mid, child.rest) for child in here))
                for child in here:
                    child.bare = better(child.bare, best.plus(child.prior - TURNED_COST))

    def _forget_a_little(self) -> None:
        """However long a table lay so, people may still change it: what was there before the open turns,
        and the other ways to end these, stay within reach."""
        leader = self._leader()
        floor = leader.best - WITHIN_REACH
        for line in (self._root, *leader.path()):
            if -math.inf < line.rest.nats < floor:
                line.rest = line.rest._replace(nats=floor)
            if line.parent is None or line.turn is None:
                continue
            for other in line.parent.laid[line.turn.cell, line.turn.tile, line.turn.rot]:
                if -math.inf < other.bare.nats < floor:
                    other.bare = other.bare._replace(nats=floor)

    # -- evidence -------------------------------------------------------------------------------

    def _weigh(self, view: View) -> None:
        """Carry every line over this picture."""
        lines = list(self._root.walk())
        self._kinds |= {piece.kind for line in lines if not line.weighed for piece in line.pieces}
        scenes = self._scene(view)
        evidence = [line.evidence(view, scenes) for line in lines]
        top = max(max(stages) for stages in evidence)
        floor = top - (BUSY_BOUND if view.busy else CALM_BOUND)
        for line in lines:
            line.prepare()
        for line, stages in zip(lines, evidence, strict=True):
            line.advance([max(value, floor) for value in stages], view, self._since_s)

    def _scene(self, view: View) -> PieceScene:
        state = self._root.state
        return PieceScene(view, state.board, self._kinds, state.players, state.pack)

    def _weigh_again(self, view: View) -> None:
        """Carry lines that were born after :meth:`_weigh` over the same picture."""
        lines = list(self._root.walk())
        self._kinds |= {piece.kind for line in lines if not line.weighed for piece in line.pieces}
        scenes = self._scene(view)
        evidence = [line.evidence(view, scenes) for line in lines]
        floor = max(max(stages) for stages in evidence) - CALM_BOUND
        for line, stages in zip(lines, evidence, strict=True):
            if line.turn is not None and not line.weighed:
                line.prepare()
                line.advance([max(value, floor) for value in stages], view, self._since_s)

    # -- decisions ------------------------------------------------------------------------------

    def _leader(self) -> Line:
        """The likeliest line; of equals the one that is finished."""
        return max(self._root.walk(), key=lambda line: (self._weight(line), line.rest.nats))

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
            child.become_root()
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
        mine = self._reach(line)
        rivals = {child: self._reach(child) for child in parent.children if child is not line}
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

    def _what_to_ask(self, view: View) -> Doubt | None:
        """The first turn that stays open between a few while the table rests."""
        leader = self._leader()
        path = leader.path()
        place = next((i for i, line in enumerate(path) if not self._sure(line)), None)
        # While a piece is still on its way, home or to its place, there is nothing to ask yet.
        if place is None or (path[place] is leader and leader.rest.nats < leader.best):
            self._doubted = _Doubted()
            return None
        number = len(self._settled) + place + 1
        t_s = view.observation.t_s
        if self._doubted.number != number:
            self._doubted = _Doubted(number, t_s)
        self._doubted.looks += 1
        if self._doubted.looks < ASK_AFTER or t_s - self._doubted.since_s < ASK_AFTER_S:
            return None
        line = path[place]
        assert line.parent is not None
        options = self._options(line.parent)
        if not options:
            return None
        cells = tuple(sorted({turn.cell for turn, _ in options}))
        index = view.observation.frame_index
        return Doubt(number, options, cells, index, _how_they_differ([turn for turn, _ in options]))

    def _sure(self, line: Line) -> bool:
        """Whether nothing that is on the table now speaks for another turn."""
        parent = line.parent
        assert parent is not None
        rivals = [self._reach(child) for child in parent.children if child is not line and _is_there(child)]
        lead = self._reach(line) - max([self._weight(parent), *rivals])
        return lead >= math.log(ASK_BELOW / (1 - ASK_BELOW))

    def _reach(self, line: Line) -> float:
        """The evidence for a line with all below it."""
        return max(map(self._weight, line.walk()))

    def _options(self, parent: Line) -> tuple[tuple[Turn, float], ...]:
        """The turns that may follow ``parent``, with probabilities against each other and against none."""
        weights = {child: self._reach(child) for child in parent.children if _is_there(child)}
        top = max([self._weight(parent), *weights.values()])
        odds = {child: math.exp(weight - top) for child, weight in weights.items()}
        total = sum(odds.values()) + math.exp(self._weight(parent) - top)
        ranked = sorted(odds, key=lambda child: odds[child], reverse=True)
        return tuple(
            (child.turn, odds[child] / total)
            for child in ranked[:OPTIONS_AT_MOST]
            if child.turn is not None and odds[child] / total >= OPTION_LEAST
        )

    def _understanding(self, *, board_seen: bool, busy: bool) -> Understanding:
        leader = self._leader()
        shown = self._shown(leader)
        frames = self._frames(leader)
        turns = [self._understood(line, frame) for line, frame in zip(shown, frames, strict=False)]
        state = shown[-1].state if shown else self._root.state
        return Understanding(
            (*self._settled, *turns),
            len(self._settled),
            state,
            board_seen,
            busy,
            self._unclear,
            self._doubt,
            self._lattice if board_seen else None,
        )


@dataclass(slots=True)
class _Doubted:
    """The turn that is in doubt (0: none), since when, and over how many pictures at rest."""

    number: int = 0
    since_s: float = 0.0
    looks: int = 0


def _root_at(state: GameState) -> Line:
    return Line(state, rest=Way(0.0, None), rest_set=frozenset(state.standing))


def _rangers(state: GameState) -> frozenset[Cell]:
    """The spaces on which rangers stand."""
    return frozenset(piece.cell for piece in state.standing if piece.kind == "ranger")


def _is_there(line: Line) -> bool:
    """Whether all that a turn lays is on the table by now; a piece that may still come is nothing to ask
    about."""
    return bool(line.laid) or line.bare.nats < line.best or line.bare_set in (line.rest_set, *line.mid_sets)


def _how_they_differ(turns: Sequence[Turn]) -> str:
    """What is open between some turns, for people."""
    first, *others = turns
    if any(turn.cell != first.cell for turn in others):
        return "the tiles may have been laid in another order"
    if any(turn.tile != first.tile for turn in others):
        return "the tile's face is not clear"
    if any(turn.rot != first.rot for turn in others):
        return "which way round the tile lies is not clear"
    if all(_but_animals(turn) == _but_animals(first) for turn in others):
        return "which animal is on the animal tile is not clear"
    return "which pieces were put down is not clear"


def _but_animals(turn: Turn) -> Turn:
    """A turn without what its animal tiles show."""
    action = turn.action
    if isinstance(action, Dig | Expand):
        action = replace(action, animal=UNKNOWN)
    bonus = tuple(replace(one, animal=UNKNOWN) for one in turn.bonus)
    return replace(turn, action=action, bonus=bonus)


def _touches(board: Mapping[Cell, Laid], cell: Cell) -> bool:
    return any(neighbour(cell, edge) in board for edge in EDGES)
