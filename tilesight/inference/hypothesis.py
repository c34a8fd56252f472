"""Hypotheses: each node is one supposed turn after its parent's, with its likelihood.

A turn passes through up to four tables at rest, each of which a picture may show:

    parent's table -> tile laid, nothing else ("bare") -> pieces laid ("mid") -> scored pieces gone ("rest")

For each stage a line keeps the best way to get there by now: its evidence in nats, and when the turns
before were finished. Hands are waited out, a piece laid late changes the supposed turn and not their
number, and a meeple that scores at once is remembered from the pictures before it went home.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.geometry import Cell, Corner, Point
from engine.tiles.board import Laid, Standing
from engine.tiles.game import GameState, Step
from engine.tiles.pieces import OUTSIDE
from engine.tiles.turn import Turn
from tilesight.inference.likelihood import PieceScene, board_evidence, feature_place, tile_evidence
from tilesight.inference.view import OUTSIDE_NEED, View

SKIPPED_COST = 7.0
"""A laid piece that scored and went home without ever being seen at rest."""
HASTE_COST = 5.0
"""The next tile lay there before this turn's end was seen at rest."""
LATE_COST_PER_S = 0.7
"""Nats for each second at rest that a piece is still to come after its tile: most come with it."""
LATE_COST_MOST = 6.0
PLAIN_PRIOR = -0.7
"""No piece, or one on the tile just laid."""
OUTSIDE_PRIOR = -2.0
TOKEN_PRIOR = -2.5

Placement = tuple[Cell, str, int]
"""Where a tile is laid: cell, design, rot."""
Need = tuple[str, Point]
"""What must be seen (`View.shows`), and where."""


class Past(NamedTuple):
    """When a turn was first seen finished and at rest, (frame index, t_s), None if never; then the same of
    the turn before it."""

    frame: tuple[int, float] | None
    before: Past | None


class Way(NamedTuple):
    """The best way to a stage: its evidence in nats, and the past of the turns before."""

    nats: float
    past: Past | None

    def plus(self, nats: float) -> Way:
        """The way with more evidence for it (less, where negative)."""
        return Way(self.nats + nats, self.past)


NO_WAY = Way(-math.inf, None)


def better(*ways: Way) -> Way:
    """The way with most evidence, the first of equals."""
    return max(ways, key=lambda way: way.nats)


@dataclass(slots=True, eq=False)
class Line:
    """One turn after ``parent`` (the root has none), and the best way to each stage of it.

    ``enter`` is the way in from the parent's table, ``leave`` the one by which its own children start;
    both as of before the picture that is being weighed. ``lingering`` is what may still stand on a root's
    table until its pieces have gone home. ``refused`` are turns that somebody said did not follow, and
    ``withheld`` those of them that would have been started.
    """

    state: GameState
    parent: Line | None = None
    turn: Turn | None = None
    step: Step | None = None
    prior: float = 0.0
    bare_set: frozenset[Standing] = frozenset()
    mid_sets: tuple[frozenset[Standing], ...] = ()
    rest_set: frozenset[Standing] = frozenset()
    must_be_seen: bool = False
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
    laid: dict[Placement, list[Line]] = field(default_factory=dict)
    waiting: dict[Placement, Waiting] = field(default_factory=dict)
    _placements: dict[str, frozenset[tuple[Cell, int]]] = field(default_factory=dict)

    @property
    def best(self) -> float:
        """The evidence of the stage that fits best."""
        return max(self.bare.nats, self.mid.nats, self.rest.nats)

    @property
    def end(self) -> Way:
        """The way by which the next turn would start now."""
        if self.parent is None:
            return self.rest
        hasty = better(self.bare, self.mid, self._unseen())
        return better(self.rest, Way(hasty.nats - HASTE_COST, Past(None, hasty.past)))

    @property
    def pieces(self) -> frozenset[Standing]:
        """Every piece that stands at some stage."""
        return self.bare_set.union(*self.mid_sets, self.rest_set)

    @property
    def children(self) -> list[Line]:
        """Every turn that is supposed to follow this one."""
        return [child for group in self.laid.values() for child in group]

    def walk(self) -> Iterator[Line]:
        """This line and all below it, parents first."""
        stack = [self]
        while stack:
            line = stack.pop()
            yield line
            stack.extend(line.children)

    def path(self) -> list[Line]:
        """From the root's child down to this line."""
        found: list[Line] = []
        line: Line | None = self
        while line is not None and line.turn is not None:
            found.append(line)
            line = line.parent
        return found[::-1]

    def placements(self, design: str) -> frozenset[tuple[Cell, int]]:
        """Where that face may be laid next; nowhere if none of it is left."""
        if design not in self._placements:
            legal = self.state.placements(design) if design in self.state.bag else ()
            self._placements[design] = frozenset(legal)
        return self._placements[design]

    def become_root(self) -> None:
        """Forget what came before: this line is how it was."""
        self.parent = None
        self.turn = None
        self.rest = better(self.rest, Way(self.best, self.rest.past))

    def refuse(self, turns: Sequence[Turn]) -> None:
        """These turns do not follow, whatever the table looks like, until :meth:`allow`."""
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
            self.waiting[key] = Waiting(self.state, key)
        started = False
        for turn in self.waiting[key].ready(view):
            if turn in self.refused:
                self._withhold(turn)
            elif all(child.turn != turn for child in self.laid.get(key, ())):
                self.laid.setdefault(key, []).append(line_after(self, turn, self.laid.get(key, ())))
                started = True
        return started

    def evidence(self, view: View, scenes: PieceScene) -> tuple[float, float, float]:
        """A picture's evidence for the stages bare, mid and rest; the parent is asked first."""
        board = self.state.board
        if self.parent is None or self.turn is None:
            self.tiles_now = board_evidence(view, board)
            tables = (self.rest_set, *self.lingering)
            rest = self.tiles_now + max(scenes.evidence(board, pieces, None) for pieces in tables)
            return (rest, rest, rest)
        cell = self.turn.cell
        self.tiles_now = self.parent.tiles_now + tile_evidence(view, cell, board[cell])
        rest = scenes.evidence(board, self.rest_set, cell)
        bare = scenes.evidence(board, self.bare_set, cell)
        mid = max((scenes.evidence(board, pieces, cell) for pieces in self.mid_sets), default=rest)
        return (self.tiles_now + bare, self.tiles_now + mid, self.tiles_now + rest)

    def prepare(self) -> None:
        """Before a picture is weighed, work out how the line is entered and left; parents come first."""
        if self.parent is not None:
            self.enter = self.parent.leave.plus(self.prior)
        self.leave = self.end

    def advance(self, nats: Sequence[float], view: View, elapsed_s: float) -> None:
        """Weigh a picture, ``elapsed_s`` after the one before, whose evidence for the stages is ``nats``.

        A stage is entered only in a picture at rest: no piece was seen lying where a hand hid it.
        """
        self.weighed = True
        for_bare, for_mid, for_rest = nats
        if self.parent is not None and not view.busy:
            unproven = SKIPPED_COST if self.must_be_seen and not self.mid_seen else 0.0
            arriving = better(self.mid.plus(-unproven), self._unseen())
            if arriving.nats > self.rest.nats:
                now = (view.observation.frame_index, view.observation.t_s)
                self.rest = Way(arriving.nats, Past(now, arriving.past))
            if self.mid_sets:
                self.mid = better(self.mid, self.bare, self.enter)
            self._wait_for_pieces(elapsed_s)
            self.mid_seen |= for_mid > for_bare
        self.bare = self.bare.plus(for_bare)
        self.mid = self.mid.plus(for_mid)
        self.rest = self.rest.plus(for_rest)

    def _unseen(self) -> Way:
        """At rest without a picture of the laid pieces, which costs where they have gone home since."""
        return better(self.bare, self.enter).plus(-SKIPPED_COST if self.must_be_seen else 0.0)

    def _wait_for_pieces(self, elapsed_s: float) -> None:
        if self.enter.nats > self.bare.nats:
            self.bare, self.late_cost = self.enter, 0.0
            return
        late_cost = min(self.late_cost + LATE_COST_PER_S * elapsed_s, LATE_COST_MOST)
        self.bare, self.late_cost = self.bare.plus(self.late_cost - late_cost), late_cost


class Waiting:
    """The legal turns of one placement that nothing has been seen of yet.

    A meeple is always tried, for it is small and may be missed for a while. A piece beside the tiles or an
    animal tile is tried once such a piece is seen at its place and is none of those that were there before. A
    displaced piece may be in its player's hand: each choice of the other pieces is tried at once with some
    place for it.
    """

    def __init__(self, state: GameState, key: Placement) -> None:
        self._state = state
        self._key = key
        pack = state.pack
        tokens = {_on(p.cell, pack.token_spot(p.corner)) for p in state.standing if p.corner}
        spots = {self._spot(p.cell, p.feature) for p in state.standing if p.feature}
        self._taken = {
            "token": frozenset(tokens),
            "dig": frozenset(tokens | spots),
            OUTSIDE_NEED: frozenset(_middle(p.cell) for p in state.standing if p.kind in OUTSIDE),
        }
        self._listed: set[tuple[Cell, Corner]] = set()
        self._by_need: dict[frozenset[Need], list[Turn]] = {}
        self._begun: set[tuple[object, ...]] = set()
        self._seen: set[Need] = set()
        self._wait_for(self._turns(()))

    def ready(self, view: View) -> list[Turn]:
        """Hand out the turns whose pieces ``view`` shows; each is handed out once."""
        # The turns with animal tiles are many: only those are listed whose corner shows a new one.
        taken = self._taken["token"], self._taken["dig"]
        corners = view.quarters(self._state.pack, *taken) - self._listed
        if corners:
            self._listed |= corners
            self._wait_for(turn for turn in self._turns(corners) if _lays_token(turn))
        # An animal tile may have gone home when a displaced piece is put down at last: what was seen, was.
        waited_for = {need for needs in self._by_need for need in needs} - self._seen
        self._seen |= {need for need in waited_for if self._is_met(need, view)}
        return [
            turn for needs in list(self._by_need) if needs <= self._seen for turn in self._by_need.pop(needs)
        ]

    def _is_met(self, need: Need, view: View) -> bool:
        kind, at = need
        if kind == "dig":
            return view.may_be_dug(at, self._taken["token"], self._taken["dig"])
        return view.shows(kind, at, self._taken[kind])

    def put_back(self, turn: Turn) -> None:
        """A turn that was handed out waits again."""
        self._wait_for([turn])

    def _turns(self, corners: Collection[tuple[Cell, Corner]]) -> Iterator[Turn]:
        cell, design, rot = self._key
        return self._state.turns_for(design, cell, rot, corners)

    def _wait_for(self, turns: Iterable[Turn]) -> None:
        for turn in turns:
            self._by_need.setdefault(self._needs(turn), []).append(turn)

    def _needs(self, turn: Turn) -> frozenset[Need]:
        needs: set[Need] = {("token", self._spot(bonus.cell, bonus.feature)) for bonus in turn.bonus}
        put = None if turn.action is None else turn.action.put
        if put is not None and put.corner is None:
            needs.add((OUTSIDE_NEED, _middle(put.cell)))
        elif put is not None and put.corner is not None:
            kind = "dig" if put.covered else put.kind
            needs.add((kind, _on(put.cell, self._state.pack.token_spot(put.corner))))
        if turn.displaced_to is not None and but_displaced(turn) in self._begun:
            needs.add((OUTSIDE_NEED, _middle(turn.displaced_to)))
        self._begun.add(but_displaced(turn))
        return frozenset(needs)

    def _spot(self, at: Cell, name: str) -> Point:
        """Where meeples on a feature stand, and animal tiles that are added to it lie."""
        cell, design, rot = self._key
        laid = self._state.board.get(at)
        if at == cell:
            laid = Laid(self._state.pack.designs[design], rot)
        return feature_place(laid, at, name)


def _on(cell: Cell, point: Point) -> Point:
    return (cell[0] + point[0], cell[1] + point[1])


def _middle(cell: Cell) -> Point:
    return _on(cell, (0.5, 0.5))


def but_displaced(turn: Turn) -> tuple[object, ...]:
    """What a turn does with pieces, without where a displaced piece went."""
    return (turn.action, turn.bonus, turn.sent_home)


def line_after(parent: Line, turn: Turn, siblings: Sequence[Line]) -> Line:
    """A line for ``turn`` after ``parent``.

    One that starts late takes over what its ``siblings`` have seen, which lay the same tile.
    """
    step = parent.state.apply(turn)
    rest = frozenset(step.state.standing)
    laid = frozenset(step.laid)
    bare = frozenset(p for p in parent.state.standing if p.kind not in OUTSIDE or p.cell != turn.cell)
    returned = frozenset(p for p in rest - laid if p.kind in OUTSIDE)
    child = Line(
        step.state,
        parent,
        turn,
        step,
        prior=_prior(turn),
        bare_set=bare,
        mid_sets=tuple({_dug(turn, laid), laid, laid | returned} - {rest}),
        rest_set=rest,
        must_be_seen=bool(laid - bare - rest),
    )
    for sibling in siblings:
        child.bare = better(child.bare, sibling.bare.plus(child.prior - sibling.prior))
        if sibling.turn is not None and but_displaced(sibling.turn) == but_displaced(turn):
            child.mid = better(child.mid, sibling.mid)
            child.mid_seen |= sibling.mid_seen
    return child


def _dug(turn: Turn, laid: frozenset[Standing]) -> frozenset[Standing]:
    """What lies before a piece is put on the animal tile just laid; the laid pieces in other turns."""
    put = None if turn.action is None else turn.action.put
    if put is None or not put.covered:
        return laid
    return frozenset(p for p in laid if p.kind == put.kind or (p.cell, p.corner) != (put.cell, put.corner))


def _prior(turn: Turn) -> float:
    prior = TOKEN_PRIOR * len(turn.bonus)
    put = None if turn.action is None else turn.action.put
    if put is None:
        return prior + PLAIN_PRIOR
    return prior + (OUTSIDE_PRIOR if put.kind in OUTSIDE else TOKEN_PRIOR)


def _lays_token(turn: Turn) -> bool:
    """Whether its action lays an animal tile on a corner."""
    put = None if turn.action is None else turn.action.put
    return put is not None and put.corner is not None
