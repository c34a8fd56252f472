"""Legal turns after one position, listed lazily, and turns that wait until their pieces are detected."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

from engine.geometry import Cell, Corner, Point, cell_of
from engine.tiles.actions import Put
from engine.tiles.board import Laid, Standing
from engine.tiles.common_rules import may_be_laid
from engine.tiles.foreign import face
from engine.tiles.game import GameState
from engine.tiles.pieces import OUTSIDE
from engine.tiles.turn import Turn
from tilesight.inference.candidates.differences import (
    displaced_to,
    key_without_choices,
    key_without_displaced,
    kind_of,
    piece_actions,
    tokens_added,
)
from tilesight.inference.candidates.outcomes import TurnOutcome, outcome_of
from tilesight.inference.likelihood import feature_point
from tilesight.inference.params import PARAMS
from tilesight.inference.signs import OUTSIDE_NEED, Signs

TilePlacement = tuple[Cell, str, int]
"""Placement of a tile: cell, design, rotation in degrees."""
PieceNeed = tuple[str, Point]
"""Kind of reading that a turn requires (`Signs.shows`), and its place."""
PieceNeeds = frozenset[PieceNeed]


class CandidateTurn:
    """A legal turn with one placement, played when its outcome is first asked for.

    ``needs`` are the detections without which the turn is not tried.
    """

    __slots__ = ("_outcome", "_placed", "needs", "turn")

    def __init__(self, placed: PlacedTurns, turn: Turn, needs: PieceNeeds) -> None:
        self.turn = turn
        self.needs = needs
        self._placed = placed
        self._outcome: TurnOutcome | None = None

    @property
    def outcome(self) -> TurnOutcome:
        """The turn's outcome; the turn is played on the first access."""
        if self._outcome is None:
            self._outcome = self._placed.outcome(self.turn)
        return self._outcome


class LegalTurns:
    """The legal turns after a position with the pieces ``standing``, each listed on first request.

    ``occupied`` maps the kind of a `PieceNeed` to the places of pieces of earlier turns: a detection there
    may show one of those and does not support a new turn.
    """

    def __init__(self, state: GameState, standing: frozenset[Standing]) -> None:
        self.state = state
        self.standing = standing
        pack = state.pack
        tokens = {_point_on(p.cell, pack.token_spot(p.corner)) for p in standing if p.corner}
        spots = {_feature_spot(state, None, p.cell, p.feature) for p in standing if p.feature}
        self.occupied = {
            "token": frozenset(tokens),
            "dig": frozenset(tokens | spots),
            OUTSIDE_NEED: frozenset(_middle(p.cell) for p in standing if p.kind in OUTSIDE),
        }
        self._fitting: dict[str, frozenset[tuple[Cell, int]]] = {}
        self._placed: dict[TilePlacement, PlacedTurns] = {}

    def placements(self, design: str) -> frozenset[tuple[Cell, int]]:
        """Return the placements (cell, rot) of a face as the next tile; empty if no such tile is left."""
        if design not in self._fitting:
            fitting = self.state.placements(design) if may_be_laid(self.state.bag, design) else ()
            self._fitting[design] = frozenset(fitting)
        return self._fitting[design]

    def waiting(self, placement: TilePlacement) -> WaitingTurns:
        """Return a new `WaitingTurns` with all turns of that placement; none has been returned by `ready`."""
        return WaitingTurns(self, self.turns(placement))

    def turns(self, placement: TilePlacement) -> PlacedTurns:
        """Return the turns with that placement; every call returns the same object."""
        if placement not in self._placed:
            self._placed[placement] = PlacedTurns(self, placement)
        return self._placed[placement]


class PlacedTurns:
    """The legal turns with one placement."""

    def __init__(self, legal: LegalTurns, placement: TilePlacement) -> None:
        self._legal = legal
        self._placement = placement
        self._known: dict[tuple[object, ...], CandidateTurn] = {}
        self._listed: dict[frozenset[tuple[Cell, Corner]], tuple[CandidateTurn, ...]] = {}
        self._played: dict[tuple[object, ...], TurnOutcome] = {}
        self._kinds: Counter[str] | None = None

    def without_corners(self) -> tuple[CandidateTurn, ...]:
        """Return the turns that lay no animal tile on a corner."""
        return self._with(frozenset())

    def on_corners(self, corners: frozenset[tuple[Cell, Corner]]) -> tuple[CandidateTurn, ...]:
        """Return the turns that lay an animal tile on one of these corners."""
        return self._with(corners)

    def _with(self, corners: frozenset[tuple[Cell, Corner]]) -> tuple[CandidateTurn, ...]:
        """Return the turns that lay an animal tile on one of ``corners``; if empty, those that lay none."""
        if corners not in self._listed:
            turns = self._legal.state.turns_for(*_face_arguments(self._placement), corners)
            self._listed[corners] = tuple(map(self.candidate, turns))
        return self._listed[corners]

    def outcome(self, turn: Turn) -> TurnOutcome:
        """Return a turn's outcome. Raises IllegalTurn if the turn is not legal.

        Of turns that differ only in their choices (`key_without_choices`), only the first is played; the
        outcomes of the others are derived from it.
        """
        key = key_without_choices(turn)
        if key is None:
            return outcome_of(self._legal.state, self._legal.standing, turn)
        if key in self._played:
            return self._played[key].for_variant(turn)
        played = self._played[key] = outcome_of(self._legal.state, self._legal.standing, turn)
        return played

    @property
    def kinds(self) -> Counter[str]:
        """Number of turns that lay no animal tile, by the kind of their action ("" for none)."""
        if self._kinds is None:
            self._kinds = Counter(
                kind_of(known.turn) for known in self.without_corners() if not tokens_added(known.turn)
            )
        return self._kinds

    def prior(self, turn: Turn) -> float:
        """Return the log-prior in nats, up to a constant, of a turn that no picture saw, given its placement.

        A player first chooses the kind of action, each ``action_odds`` times as likely as none, then its
        place. (`histories.history.action_prior` has its own model and numbers, fitted to tables seen now and
        then.)
        """
        kinds, kind = self.kinds, kind_of(turn)
        odds = {name: PARAMS.action_odds if name else 1.0 for name in (*kinds, kind)}
        tokens = sum(put.animal is not None for put in turn.puts)
        ways = max(kinds[kind], 1)
        return math.log(odds[kind] / math.fsum(odds.values()) / ways) + PARAMS.token_prior_nats * tokens

    def candidate(self, turn: Turn) -> CandidateTurn:
        """Return the candidate for a turn; turns with equal `piece_actions` share one object."""
        key = piece_actions(turn)
        if key not in self._known:
            self._known[key] = CandidateTurn(self, turn, self._needs_for(turn))
        return self._known[key]

    def _needs_for(self, turn: Turn) -> PieceNeeds:
        """Return the detections without which a turn is not tried: one per piece put down.

        A displaced piece needs none.
        """
        return frozenset(
            self._need_of(use.put) for use in turn.uses if use.put is not None and not use.displaced
        )

    def _need_of(self, put: Put) -> PieceNeed:
        """Return the detection that one piece requires: kind of reading, and point in the game's frame.

        The kind is "dig" for an animal tile under a player's piece, `OUTSIDE_NEED` for a piece beside the
        tiles.
        """
        state = self._legal.state
        if put.feature is not None:
            return (put.kind, _feature_spot(state, self._placement, put.cell, put.feature))
        if put.corner is None:
            return (OUTSIDE_NEED, _middle(put.cell))
        return ("dig" if put.covered else put.kind, _point_on(put.cell, state.pack.token_spot(put.corner)))


class WaitingTurns:
    """The turns of one placement that no detection supports yet.

    A meeple needs no detection: it is small and may be missed for a while. A piece beside the tiles or an
    animal tile needs a detection at its place that is no earlier piece. A displaced piece may still be in its
    player's hand: each choice of the other pieces is tried at once with one space for it, and the other
    spaces wait.
    """

    def __init__(self, legal: LegalTurns, placed: PlacedTurns) -> None:
        self._legal = legal
        self._placed = placed
        self._listed: set[tuple[Cell, Corner]] = set()
        self._by_need: dict[PieceNeeds, list[CandidateTurn]] = {}
        self._tried: set[tuple[object, ...]] = set()
        self._unseen: set[PieceNeed] = set()
        self._seen: set[PieceNeed] = set()
        self._on_corners: set[Point] = set()
        self._looked_at: tuple[Signs, bool] | None = None
        self._add(placed.without_corners())

    def ready(self, signs: Signs, *, unseen: bool = False, unwatched: bool = False) -> list[CandidateTurn]:
        """Return the turns whose pieces ``signs`` now show; each turn is returned once.

        ``unseen`` is true if further tiles were laid without a picture: one may have displaced a piece beside
        the tiles. ``unwatched`` is true if nothing was seen for a while: animal tiles that score at once may
        have come and gone. Empty if ``signs`` is the same object as in the last call.
        """
        if self._looked_at is not None and self._looked_at[0] is signs and self._looked_at[1] == unwatched:
            return []
        self._looked_at = (signs, unwatched)
        # There are many turns with animal tiles: list only those on corners with a new detection.
        occupied = self._legal.occupied
        corners = (
            signs.token_corners(self._legal.state.pack, occupied["token"], occupied["dig"]) - self._listed
        )
        if corners:
            self._listed |= corners
            self._add(self._placed.on_corners(corners))
        # Needs stay met: an animal tile may be gone before a displaced piece is put down.
        met = {need for need in self._unseen if self._is_met(need, signs, unseen, unwatched)}
        self._seen |= met
        self._unseen -= met
        done = [needs for needs in self._by_need if needs <= self._seen]
        return [candidate for needs in done for candidate in self._by_need.pop(needs)]

    def add_again(self, turn: Turn) -> None:
        """Make a turn wait again, so that :meth:`ready` can return it once more."""
        self._looked_at = None
        self._add([self._placed.candidate(turn)])

    def _is_met(self, need: PieceNeed, signs: Signs, unseen: bool, unwatched: bool) -> bool:
        """Whether ``signs`` satisfy a need, or a gap in the pictures excuses it (see :meth:`ready`)."""
        kind, at = need
        occupied = self._legal.occupied
        if kind == "dig":
            return signs.may_hold_token(at, occupied["token"], occupied["dig"])
        if unseen and kind == OUTSIDE_NEED and signs.lies(cell_of(at)):
            return True
        if unwatched and kind == "token" and at not in self._on_corners:
            return True
        return signs.shows(kind, at, occupied[kind])

    def _add(self, candidates: Iterable[CandidateTurn]) -> None:
        """Add candidates, grouped by their needs.

        Of turns that differ only in the space of a displaced piece, all but the first also need a detection
        there.
        """
        for candidate in candidates:
            needs, turn = candidate.needs, candidate.turn
            put = None if turn.action is None else turn.action.put
            if put is not None and put.corner is not None:
                self._on_corners.update(at for _, at in needs)
            space = displaced_to(turn)
            if space is not None:
                if key_without_displaced(turn) in self._tried:
                    needs |= {(OUTSIDE_NEED, _middle(space))}
                self._tried.add(key_without_displaced(turn))
            self._by_need.setdefault(needs, []).append(candidate)
            self._unseen |= needs - self._seen


def prior_of(turn: Turn) -> float:
    """Return the log-prior in nats, up to a constant, of a turn whose placing was seen by the pictures.

    For turns that no picture saw: `PlacedTurns.prior`.
    """
    prior = PARAMS.token_prior_nats * tokens_added(turn)
    put = None if turn.action is None else turn.action.put
    if put is None:
        return prior + PARAMS.plain_prior_nats
    return prior + (PARAMS.outside_prior_nats if put.kind in OUTSIDE else PARAMS.token_prior_nats)


def _face_arguments(placement: TilePlacement) -> tuple[str, Cell, int]:
    """Return a placement as (design, cell, rot), the order in which the rules take it."""
    cell, design, rot = placement
    return design, cell, rot


def _feature_spot(state: GameState, placement: TilePlacement | None, at: Cell, name: str | None) -> Point:
    """Return the point, in the game's frame, where pieces are put on feature ``name`` of the tile at ``at``.

    The tile of ``placement`` counts as laid already. Without tile or feature: the middle of the cell.
    """
    laid = state.board.get(at)
    if placement is not None and at == placement[0]:
        laid = Laid(face(state.pack, placement[1]), placement[2])
    return feature_point(laid, at, name)


def _point_on(cell: Cell, point: Point) -> Point:
    """Move a point from a cell's own coordinates (0..1) to the game's frame."""
    return (cell[0] + point[0], cell[1] + point[1])


def _middle(cell: Cell) -> Point:
    """Return the middle of a cell in the game's frame."""
    return _point_on(cell, (0.5, 0.5))
