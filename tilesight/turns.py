"""From what the camera saw to what was played: the legal turn that explains the pictures best.

The legal turns from the last known position are the hypotheses, every picture is evidence, and the line
of turns that explains all pictures best wins. A :class:`TurnTracker` keeps a small tree of lines. Each
node is one turn after its parent's position, and passes through up to four tables at rest, each of which
a picture may show:

    parent's table -> tile laid, nothing else -> pieces laid ("mid") -> scored pieces gone home ("rest")

For each node and stage the tracker keeps the evidence (nats) of the best way to get there by now, so
hands are waited out, a piece laid late changes the hypothesis and not the turn count, and a meeple that
scores at once is remembered from the pictures before it went home. The next tile on the table starts
children; when only one child of the root is left in the running, its turn is settled.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from engine.board import Laid, Standing
from engine.fault import Fault
from engine.game import GameState, Step
from engine.geometry import EDGES, Cell, neighbour
from engine.turn import Action, Bonus, Dig, Expand, Meeple, MoveRanger, Turn
from tilesight.anchor import fit_lattice
from tilesight.evidence import PieceScene, View, board_evidence, tile_evidence, view_of
from vision.observation import Observation
from vision.solve import LatticeFrame

CALM_BOUND = 10.0
"""Nats by which one picture at rest may at most tell two tables apart."""
BUSY_BOUND = 2.0
"""The same while hands are in the picture."""
SKIPPED_COST = 7.0
"""A laid piece that scored and went home without ever being seen at rest."""
HASTE_COST = 5.0
"""The next tile lay there before this turn's end was seen at rest."""
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
LATE_COST_PER_S = 0.7
"""Nats for each second at rest that a piece is still to come after its tile: most come with it."""
LATE_COST_MOST = 6.0
ASK_BELOW = 0.9

_Need = tuple[str, Cell]
"""A kind of piece and the cell near which it must be seen."""
_Placement = tuple[Cell, str, int]
"""Where a tile is laid: cell, design, rot."""

_PRIOR_NOTHING = -0.7
_PRIOR_MEEPLE = -0.7
_PRIOR_RANGER = -2.0
_PRIOR_TOKEN = -2.5


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


class _Waiting:
    """The legal turns of one placement that nothing has been seen of yet.

    A meeple is always tried, for it is small and may be missed for a while. A ranger move or an animal
    tile is tried once such a piece is seen near its place. A displaced ranger may be in its player's hand:
    each choice of the other pieces is tried at once with some place for it.
    """

    def __init__(self, turns: Iterator[Turn]) -> None:
        self._source = turns
        self._unread: Turn | None = next(turns, None)
        self._by_need: dict[frozenset[_Need], list[Turn]] = {}
        self._begun: set[tuple[Action | None, tuple[Bonus, ...]]] = set()

    def ready(self, view: View) -> list[Turn]:
        """Hand out the turns whose pieces ``view`` shows; each is handed out once."""
        tokens = any(seen.reading.kind == "token" for seen in view.pieces)
        # The turns with animal tiles come last and are many: they are not even listed before one is seen.
        while self._unread is not None and (tokens or not isinstance(self._unread.action, Dig | Expand)):
            self._by_need.setdefault(self._needs(self._unread), []).append(self._unread)
            self._unread = next(self._source, None)
        ready: list[Turn] = []
        for needs in list(self._by_need):
            if all(view.shows(kind, cell) for kind, cell in needs):
                ready += self._by_need.pop(needs)
        return ready

    def _needs(self, turn: Turn) -> frozenset[_Need]:
        needs = {("token", bonus.cell) for bonus in turn.bonus}
        match turn.action:
            case MoveRanger(to=to):
                needs.add(("ranger", to))
            case Dig(cell=cell) | Expand(cell=cell):
                needs.add(("token", cell))
            case _:
                pass
        if turn.ranger_to is not None and _but_ranger(turn) in self._begun:
            needs.add(("ranger", turn.ranger_to))
        self._begun.add(_but_ranger(turn))
        return frozenset(needs)


@dataclass(slots=True, eq=False)
class _Line:
    """One turn after ``parent`` (the root has none), and the evidence for each stage of it.

    ``enter`` is the evidence with which the line starts from its parent's table, ``leave`` the one with
    which its own children may start; both as of before the picture that is being weighed.
    """

    state: GameState
    parent: _Line | None = None
    turn: Turn | None = None
    step: Step | None = None
    prior: float = 0.0
    bare_set: frozenset[Standing] = frozenset()
    mid_sets: tuple[frozenset[Standing], ...] = ()
    rest_set: frozenset[Standing] = frozenset()
    must_be_seen: bool = False
    mid_seen: bool = False
    bare: float = -math.inf
    mid: float = -math.inf
    rest: float = -math.inf
    enter: float = -math.inf
    leave: float = -math.inf
    tiles_now: float = 0.0
    weighed: bool = False
    rest_frame: tuple[int, float] | None = None
    late_cost: float = 0.0
    laid: dict[_Placement, list[_Line]] = field(default_factory=dict)
    waiting: dict[_Placement, _Waiting] = field(default_factory=dict)

    _placements: dict[str, frozenset[tuple[Cell, int]]] = field(default_factory=dict)

    @property
    def best(self) -> float:
        """The evidence of the stage that fits best."""
        return max(self.bare, self.mid, self.rest)

    def placements(self, design: str) -> frozenset[tuple[Cell, int]]:
        """Where that face may be laid next; nowhere if none of it is left."""
        if design not in self._placements:
            legal = self.state.placements(design) if design in self.state.bag else ()
            self._placements[design] = frozenset(legal)
        return self._placements[design]

    @property
    def children(self) -> list[_Line]:
        """Every turn that is supposed to follow this one."""
        return [child for group in self.laid.values() for child in group]

    def walk(self) -> Iterator[_Line]:
        """This line and all below it, parents first."""
        stack = [self]
        while stack:
            line = stack.pop()
            yield line
            stack.extend(line.children)

    def path(self) -> list[_Line]:
        """From the root's child down to this line."""
        found: list[_Line] = []
        line: _Line | None = self
        while line is not None and line.turn is not None:
            found.append(line)
            line = line.parent
        return found[::-1]


class TurnTracker:
    """Follows one game through the pictures of its table."""

    def __init__(self, state: GameState) -> None:
        self._root = _Line(state, rest=0.0, rest_set=frozenset(state.standing))
        self._settled: list[UnderstoodTurn] = []
        self._lattice: LatticeFrame | None = None
        self._looks: dict[Cell, int] = {}
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
        view = view_of(observation, lattice, self._looks)
        if not view.busy:
            self._grow(view)
        self._weigh(view)
        if not view.busy and self._grow(view):
            self._weigh_again(view)
        self._prune()
        self._settle()
        if not view.busy:
            self._looks = {cell: self._looks.get(cell, 0) + 1 for cell in view.cells}
            self._unclear = self._what_is_unclear(view)
        return self._understanding(board_seen=True, busy=view.busy)

    def finish(self) -> Understanding:
        """No more pictures come: what is known now is how it was."""
        self._finished = True
        return self._understanding(board_seen=True, busy=False, shown=self._leader().path())

    # -- hypotheses -----------------------------------------------------------------------------

    def _grow(self, view: View) -> bool:
        """Start children for tiles that the likeliest lines do not have; true if there are new lines."""
        lines = sorted(self._root.walk(), key=lambda line: line.best, reverse=True)
        grown = False
        for line in lines[:GROW_AT_MOST]:
            if line.best < lines[0].best - GROW_WITHIN:
                break
            for cell, reading in view.cells.items():
                if reading.log_tile <= 0 or reading.covered > GROW_COVERED or cell in line.state.board:
                    continue
                if _touches(line.state.board, cell):
                    grown |= self._grow_at(line, cell, view)
        return grown | self._grow_late(view)

    def _grow_at(self, line: _Line, cell: Cell, view: View) -> bool:
        """List the turns that lay a tile on ``cell``, and start those that have something to show for."""
        faces = ((cell, design, rot) for _, design, rot in view.faces(cell, FACES_WITHIN))
        fitting = [key for key in faces if (cell, key[2]) in line.placements(key[1])]
        for key in fitting[:FACES_AT_MOST]:
            if key not in line.waiting:
                line.waiting[key] = _Waiting(line.state.turns_for(key[1], cell, key[2]))
        started = [self._start(line, key, view) for key in line.waiting if key[0] == cell]
        return any(started)

    def _grow_late(self, view: View) -> bool:
        """Start what was listed earlier and has now something to show for: a ranger put down at last."""
        started = [self._start(line, key, view) for line in list(self._root.walk()) for key in line.laid]
        return any(started)

    def _start(self, line: _Line, key: _Placement, view: View) -> bool:
        """Make lines of those waiting turns whose pieces are seen; true if there are any."""
        ready = line.waiting[key].ready(view) if key in line.waiting else []
        for turn in ready:
            line.laid.setdefault(key, []).append(_child(line, turn, line.laid.get(key, ())))
        return bool(ready)

    # -- evidence -------------------------------------------------------------------------------

    def _weigh(self, view: View) -> None:
        """Carry every line over this picture."""
        scenes = PieceScene(view, self._root.state.board)
        lines = list(self._root.walk())
        evidence = [self._evidence(line, view, scenes) for line in lines]
        top = max(max(stages) for stages in evidence)
        floor = top - (BUSY_BOUND if view.busy else CALM_BOUND)
        for line in lines:
            _prepare(line)
        for line, stages in zip(lines, evidence, strict=True):
            _advance(line, [max(value, floor) for value in stages], view, self._since_s)

    def _weigh_again(self, view: View) -> None:
        """Carry lines that were born after :meth:`_weigh` over the same picture."""
        scenes = PieceScene(view, self._root.state.board)
        lines = list(self._root.walk())
        evidence = [self._evidence(line, view, scenes) for line in lines]
        floor = max(max(stages) for stages in evidence) - CALM_BOUND
        for line, stages in zip(lines, evidence, strict=True):
            if line.turn is not None and not line.weighed:
                _prepare(line)
                _advance(line, [max(value, floor) for value in stages], view, self._since_s)

    def _evidence(self, line: _Line, view: View, scenes: PieceScene) -> tuple[float, float, float]:
        """This picture's evidence for the line's stages bare, mid and rest."""
        board = line.state.board
        if line.parent is None or line.turn is None:
            line.tiles_now = board_evidence(view, board)
            rest = line.tiles_now + scenes.evidence(board, line.rest_set, None)
            return (rest, rest, rest)
        cell = line.turn.cell
        line.tiles_now = line.parent.tiles_now + tile_evidence(view, cell, board[cell])
        rest = scenes.evidence(board, line.rest_set, cell)
        bare = scenes.evidence(board, line.bare_set, cell)
        mid = max((scenes.evidence(board, pieces, cell) for pieces in line.mid_sets), default=rest)
        return (line.tiles_now + bare, line.tiles_now + mid, line.tiles_now + rest)

    # -- decisions ------------------------------------------------------------------------------

    def _leader(self) -> _Line:
        return max(self._root.walk(), key=self._weight)

    def _weight(self, line: _Line) -> float:
        """The evidence for a line. At the end a piece that was still to come was never laid, and one that
        was still to go home was laid and counts."""
        return max(line.rest, line.mid) if self._finished else line.best

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
        path = self._leader().path()
        for child in path[: max(len(path) - OPEN_TURNS, 0)]:
            self._settled.append(self._understood(child))
            child.parent = None
            child.turn = None
            self._root = child

    def _shown(self) -> list[_Line]:
        """The turns of the best line that are sure enough to be told."""
        leader = self._leader()
        path = leader.path()
        if path and (leader.rest < leader.best or self._margin(leader)[0] < SHOW_MARGIN):
            path.pop()
        return path

    def _margin(self, line: _Line) -> tuple[float, list[_Line]]:
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

    def _understood(self, line: _Line) -> UnderstoodTurn:
        assert line.turn is not None and line.step is not None
        margin, ranked = self._margin(line)
        frame, t_s = line.rest_frame if line.rest_frame is not None else (None, None)
        return UnderstoodTurn(
            turn=line.turn,
            step=line.step,
            frame_index=frame,
            t_s=t_s,
            confidence=1.0 / (1.0 + math.exp(-min(max(margin, -30.0), 30.0))),
            alternatives=tuple(child.turn for child in ranked[:3] if child.turn is not None),
        )

    def _what_is_unclear(self, view: View) -> Unclear | None:
        """A tile at rest beside the board that no line explains."""
        leader = self._leader()
        board = leader.state.board
        for cell, reading in view.cells.items():
            if reading.log_tile <= 1.0 or reading.covered > 0.3:
                continue
            if cell in board or not _touches(board, cell):
                continue
            _, design, rot = view.faces(cell, 0.0)[0]
            state = leader.state
            faults = state.faults(Turn(state.player, design, cell, rot))
            why = "; ".join(fault.message for fault in faults) or "no turn explains what is seen"
            return Unclear(f"{design} at [{cell[0]}, {cell[1]}]: {why}", (cell,), faults)
        return None

    def _understanding(
        self,
        *,
        board_seen: bool,
        busy: bool,
        shown: list[_Line] | None = None,
    ) -> Understanding:
        shown = self._shown() if shown is None else shown
        turns = (*self._settled, *(self._understood(line) for line in shown))
        state = shown[-1].state if shown else self._root.state
        return Understanding(turns, len(self._settled), state, board_seen, busy, self._unclear)


def _prepare(line: _Line) -> None:
    """Work out, before a picture is weighed, how its line is entered and left; parents come first."""
    if line.parent is None:
        line.leave = line.rest
        return
    line.enter = line.parent.leave + line.prior
    line.leave = max(line.rest, max(line.bare, line.mid, _unseen(line)) - HASTE_COST)


def _unseen(line: _Line) -> float:
    """At rest without a picture of the laid pieces, which costs where they have gone home since."""
    return max(line.bare, line.enter) - (SKIPPED_COST if line.must_be_seen else 0.0)


def _advance(line: _Line, stages: list[float], view: View, since_s: float) -> None:
    """Carry one line over a picture whose evidence for its stages is ``stages``, ``since_s`` after the last.

    A stage is entered only in a picture at rest: no piece was seen lying where a hand hid it.
    """
    line.weighed = True
    e_bare, e_mid, e_rest = stages
    if line.parent is not None and not view.busy:
        unproven = SKIPPED_COST if line.must_be_seen and not line.mid_seen else 0.0
        arriving = max(line.mid - unproven, _unseen(line))
        if arriving > line.rest:
            line.rest = arriving
            line.rest_frame = (view.observation.frame_index, view.observation.t_s)
        if line.mid_sets:
            line.mid = max(line.mid, line.bare, line.enter)
        if line.enter > line.bare:
            line.bare, line.late_cost = line.enter, 0.0
        else:
            late_cost = min(line.late_cost + LATE_COST_PER_S * since_s, LATE_COST_MOST)
            line.bare, line.late_cost = line.bare - late_cost + line.late_cost, late_cost
        line.mid_seen |= e_mid > e_bare
    line.bare += e_bare
    line.mid += e_mid
    line.rest += e_rest


def _child(parent: _Line, turn: Turn, siblings: Sequence[_Line]) -> _Line:
    """A line for ``turn`` after ``parent``.

    One that starts late takes over what its ``siblings`` have seen, which lay the same tile.
    """
    step = parent.state.apply(turn)
    rest = frozenset(step.state.standing)
    laid = frozenset(step.laid)
    bare = frozenset(p for p in parent.state.standing if p.kind != "ranger" or p.cell != turn.cell)
    returned = frozenset(p for p in rest - laid if p.kind == "ranger")
    child = _Line(
        step.state,
        parent,
        turn,
        step,
        prior=_prior(turn),
        bare_set=bare,
        mid_sets=tuple({laid, laid | returned} - {rest}),
        rest_set=rest,
        must_be_seen=bool(laid - bare - rest),
    )
    for sibling in parent.children:
        child.bare = max(child.bare, sibling.bare - sibling.prior + child.prior)
        if sibling.turn is not None and _but_ranger(sibling.turn) == _but_ranger(turn):
            child.mid = max(child.mid, sibling.mid)
            child.mid_seen |= sibling.mid_seen
    return child


def _prior(turn: Turn) -> float:
    match turn.action:
        case None:
            return _PRIOR_NOTHING
        case Meeple():
            return _PRIOR_MEEPLE + _PRIOR_TOKEN * len(turn.bonus)
        case MoveRanger():
            return _PRIOR_RANGER + _PRIOR_TOKEN * len(turn.bonus)
        case _:
            return _PRIOR_TOKEN * (1 + len(turn.bonus))


def _but_ranger(turn: Turn) -> tuple[Action | None, tuple[Bonus, ...]]:
    """What the turn puts down, without where the displaced ranger went."""
    return (turn.action, turn.bonus)


def _touches(board: Mapping[Cell, Laid], cell: Cell) -> bool:
    return any(neighbour(cell, edge) in board for edge in EDGES)
