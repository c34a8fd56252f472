"""Legal turns after one position, listed as far as asked for; those that wait for a sign of their pieces."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

from engine.geometry import Cell, Corner, Point, cell_of
from engine.tiles.board import Laid, Standing
from engine.tiles.common_rules import may_be_laid
from engine.tiles.foreign import face
from engine.tiles.game import GameState
from engine.tiles.pieces import OUTSIDE
from engine.tiles.turn import Turn
from tilesight.inference.candidates.differences import but_choices, but_displaced, done_with_pieces, kind_of
from tilesight.inference.candidates.outcomes import Outcome, outcome_of
from tilesight.inference.likelihood import feature_place
from tilesight.inference.params import PARAMS
from tilesight.inference.signs import OUTSIDE_NEED, Signs

Placement = tuple[Cell, str, int]
"""Placement of a tile: cell, design, rotation in degrees."""
Need = tuple[str, Point]
"""Kind of reading that a turn requires (`Signs.shows`), and its place."""
Needs = frozenset[Need]


class Candidate:
    """A legal turn among those ``placed`` alike, played when its outcome is first asked for.

    ``needs`` must be seen before it is tried, and, of turns that differ in nothing else, where a displaced
    piece went.
    """

    __slots__ = ("_outcome", "_placed", "needs", "turn")

    def __init__(self, placed: PlacedTurns, turn: Turn, needs: Needs) -> None:
        self.turn = turn
        self.needs = needs
        self._placed = placed
        self._outcome: Outcome | None = None

    @property
    def outcome(self) -> Outcome:
        """The turn played."""
        if self._outcome is None:
            self._outcome = self._placed.outcome(self.turn)
        return self._outcome


class LegalTurns:
    """The legal turns after a position, whose pieces are ``standing``: listed once, as far as asked for.

    ``occupied`` maps the kind of a `Need` to the places of pieces of earlier turns: a detection there may
    show one of those pieces and does not prove the turn.
    """

    def __init__(self, state: GameState, standing: frozenset[Standing]) -> None:
        self.state = state
        self.standing = standing
        pack = state.pack
        tokens = {_on(p.cell, pack.token_spot(p.corner)) for p in standing if p.corner}
        spots = {_spot(state, None, p.cell, p.feature) for p in standing if p.feature}
        self.occupied = {
            "token": frozenset(tokens),
            "dig": frozenset(tokens | spots),
            OUTSIDE_NEED: frozenset(_middle(p.cell) for p in standing if p.kind in OUTSIDE),
        }
        self._fitting: dict[str, frozenset[tuple[Cell, int]]] = {}
        self._placed: dict[Placement, PlacedTurns] = {}

    def placements(self, design: str) -> frozenset[tuple[Cell, int]]:
        """Placements (cell, rot) of that face as the next tile; empty if none of it is left."""
        if design not in self._fitting:
            fitting = self.state.placements(design) if may_be_laid(self.state.bag, design) else ()
            self._fitting[design] = frozenset(fitting)
        return self._fitting[design]

    def waiting(self, placement: Placement) -> Waiting:
        """The turns with that placement, none of them tried yet."""
        return Waiting(self, self.turns(placement))

    def turns(self, placement: Placement) -> PlacedTurns:
        """The turns with that placement."""
        if placement not in self._placed:
            self._placed[placement] = PlacedTurns(self, placement)
        return self._placed[placement]


class PlacedTurns:
    """The legal turns with one placement."""

    def __init__(self, legal: LegalTurns, placement: Placement) -> None:
        self._legal = legal
        self._placement = placement
        self._known: dict[tuple[object, ...], Candidate] = {}
        self._listed: dict[frozenset[tuple[Cell, Corner]], tuple[Candidate, ...]] = {}
        self._played: dict[tuple[object, ...], Outcome] = {}
        self._kinds: Counter[str] | None = None

    def plain(self) -> tuple[Candidate, ...]:
        """The turns that lay no animal tile on a corner."""
        return self._with(frozenset())

    def on_corners(self, corners: frozenset[tuple[Cell, Corner]]) -> tuple[Candidate, ...]:
        """The turns that lay an animal tile on one of these corners."""
        return self._with(corners)

    def _with(self, corners: frozenset[tuple[Cell, Corner]]) -> tuple[Candidate, ...]:
        if corners not in self._listed:
            turns = self._legal.state.turns_for(*_face(self._placement), corners)
            self._listed[corners] = tuple(map(self.candidate, turns))
        return self._listed[corners]

    def outcome(self, turn: Turn) -> Outcome:
        """The turn played; of those that differ in their choices alone only the first is, at once."""
        key = but_choices(turn)
        if key is None:
            return outcome_of(self._legal.state, self._legal.standing, turn)
        if key in self._played:
            return self._played[key].of_variant(turn)
        played = self._played[key] = outcome_of(self._legal.state, self._legal.standing, turn)
        return played

    @property
    def kinds(self) -> Counter[str]:
        """Number of plain turns by the kind of their action, "" for none."""
        if self._kinds is None:
            self._kinds = Counter(kind_of(known.turn) for known in self.plain() if not known.turn.bonus)
        return self._kinds

    def prior(self, turn: Turn) -> float:
        """Log-probability in nats, up to a constant, of this turn given where its tile lies. A player first
        chooses the kind of action, each ``action_odds`` times as likely as none, then its place."""
        kinds, kind = self.kinds, kind_of(turn)
        odds = {name: PARAMS.action_odds if name else 1.0 for name in (*kinds, kind)}
        tokens = len(turn.bonus)
        put = None if turn.action is None else turn.action.put
        if put is not None and put.animal is not None:
            tokens += 1
        ways = max(kinds[kind], 1)
        return math.log(odds[kind] / math.fsum(odds.values()) / ways) + PARAMS.token_prior_nats * tokens

    def candidate(self, turn: Turn) -> Candidate:
        """The one that plays this turn."""
        key = done_with_pieces(turn)
        if key not in self._known:
            self._known[key] = Candidate(self, turn, self._needs_of(turn))
        return self._known[key]

    def _needs_of(self, turn: Turn) -> Needs:
        put = None if turn.action is None else turn.action.put
        if put is None and not turn.bonus:
            return frozenset()
        state = self._legal.state
        spots = (_spot(state, self._placement, bonus.cell, bonus.feature) for bonus in turn.bonus)
        needs: set[Need] = {("token", spot) for spot in spots}
        if put is not None and put.corner is None:
            needs.add((OUTSIDE_NEED, _middle(put.cell)))
        elif put is not None and put.corner is not None:
            kind = "dig" if put.covered else put.kind
            needs.add((kind, _on(put.cell, state.pack.token_spot(put.corner))))
        return frozenset(needs)


class Waiting:
    """The turns of one placement that nothing has been seen of yet.

    A meeple is always tried, for it is small and may be missed for a while. A piece beside the tiles or an
    animal tile is tried once such a piece is seen at its place and is none of those that were there before. A
    displaced piece may be in its player's hand: each choice of the other pieces is tried at once with some
    place for it.
    """

    def __init__(self, legal: LegalTurns, placed: PlacedTurns) -> None:
        self._legal = legal
        self._placed = placed
        self._listed: set[tuple[Cell, Corner]] = set()
        self._by_need: dict[Needs, list[Candidate]] = {}
        self._tried: set[tuple[object, ...]] = set()
        self._unseen: set[Need] = set()
        self._seen: set[Need] = set()
        self._on_corners: set[Point] = set()
        self._looked_at: tuple[Signs, bool] | None = None
        self._wait_for(placed.plain())

    def ready(self, signs: Signs, *, unseen: bool = False, unwatched: bool = False) -> list[Candidate]:
        """Hand out the turns whose pieces ``signs`` show; each is handed out once.

        Where further tiles were laid ``unseen``, one may have taken the place of a piece beside the tiles.
        Where the table was ``unwatched`` for a while, animal tiles that score at once may have come and gone.
        """
        if self._looked_at is not None and self._looked_at[0] is signs and self._looked_at[1] == unwatched:
            return []
        self._looked_at = (signs, unwatched)
        # The turns with animal tiles are many: only those are listed whose corner shows a new one.
        occupied = self._legal.occupied
        corners = signs.quarters(self._legal.state.pack, occupied["token"], occupied["dig"]) - self._listed
        if corners:
            self._listed |= corners
            self._wait_for(self._placed.on_corners(corners))
        # An animal tile may have gone home when a displaced piece is put down at last: what was seen, was.
        met = {need for need in self._unseen if self._is_met(need, signs, unseen, unwatched)}
        self._seen |= met
        self._unseen -= met
        done = [needs for needs in self._by_need if needs <= self._seen]
        return [candidate for needs in done for candidate in self._by_need.pop(needs)]

    def put_back(self, turn: Turn) -> None:
        """A turn that was handed out waits again."""
        self._looked_at = None
        self._wait_for([self._placed.candidate(turn)])

    def _is_met(self, need: Need, signs: Signs, unseen: bool, unwatched: bool) -> bool:
        kind, at = need
        occupied = self._legal.occupied
        if kind == "dig":
            return signs.may_be_dug(at, occupied["token"], occupied["dig"])
        if unseen and kind == OUTSIDE_NEED and signs.lies(cell_of(at)):
            return True
        if unwatched and kind == "token" and at not in self._on_corners:
            return True
        return signs.shows(kind, at, occupied[kind])

    def _wait_for(self, candidates: Iterable[Candidate]) -> None:
        for candidate in candidates:
            needs, turn = candidate.needs, candidate.turn
            put = None if turn.action is None else turn.action.put
            if put is not None and put.corner is not None:
                self._on_corners.update(at for _, at in needs)
            if turn.displaced_to is not None:
                if but_displaced(turn) in self._tried:
                    needs |= {(OUTSIDE_NEED, _middle(turn.displaced_to))}
                self._tried.add(but_displaced(turn))
            self._by_need.setdefault(needs, []).append(candidate)
            self._unseen |= needs - self._seen


def prior_of(turn: Turn) -> float:
    """Log-probability in nats, but for a constant, of a turn that was watched."""
    prior = PARAMS.token_prior_nats * len(turn.bonus)
    put = None if turn.action is None else turn.action.put
    if put is None:
        return prior + PARAMS.plain_prior_nats
    return prior + (PARAMS.outside_prior_nats if put.kind in OUTSIDE else PARAMS.token_prior_nats)


def _face(placement: Placement) -> tuple[str, Cell, int]:
    cell, design, rot = placement
    return design, cell, rot


def _spot(state: GameState, placement: Placement | None, at: Cell, name: str | None) -> Point:
    """Point where meeples on a feature stand, and animal tiles that are added to it lie, once ``placement``
    is laid."""
    laid = state.board.get(at)
    if placement is not None and at == placement[0]:
        laid = Laid(face(state.pack, placement[1]), placement[2])
    return feature_place(laid, at, name)


def _on(cell: Cell, point: Point) -> Point:
    return (cell[0] + point[0], cell[1] + point[1])


def _middle(cell: Cell) -> Point:
    return _on(cell, (0.5, 0.5))
