"""Likelihood of one picture, given a hypothetical position of tiles and pieces.

:func:`tile_evidence` and :class:`PieceScene` compare hypothetical tiles and pieces with a
:class:`tilesight.inference.view.View`. Log-likelihoods are in nats, relative to an empty table: a tile or
piece that is detected at its place adds, a missing one or an unexplained detection subtracts. Only
differences between two hypotheses about the same view have a meaning. Each reading is bounded, so that
one false detection cannot outweigh the rest.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from engine.geometry import Cell, Point, cell_of, turned_point
from engine.pack import Pack
from engine.tiles.board import Laid, Standing
from engine.tiles.game import GameState
from engine.tiles.pieces import OUTSIDE
from tilesight.inference.params import PARAMS
from tilesight.inference.view import PERSONS, SeenPiece, View
from tilesight.inference.view_params import LIKELY
from tilesight.inference.view_params import PARAMS as VIEW
from vision.observation import PieceReading
from vision.pieces.feature_assignment import feature_costs, takes_of

Place = tuple[Cell, str | None, str | None]
"""Place of a piece: cell, feature, corner."""


def tile_evidence(view: View, cell: Cell, laid: Laid) -> float:
    """Evidence in nats that ``laid`` lies at ``cell`` rather than nothing."""
    reading = view.cells.get(cell)
    if reading is None:
        return -PARAMS.absent_tile_nats if view.in_sight(cell) else 0.0
    there = bounded_tile(view, cell)
    weight = view.news[cell] * (1.0 - 0.8 * reading.covered)
    return there + weight * view.face(cell, laid.design.id, laid.rot)


def bounded_tile(view: View, cell: Cell) -> float:
    """Evidence in nats that some tile lies at ``cell``, where one was looked for."""
    return min(max(view.log_tile[cell], -PARAMS.tile_bound_nats), PARAMS.tile_bound_nats)


def board_evidence(view: View, board: Mapping[Cell, Laid]) -> float:
    """Sum of :func:`tile_evidence` over a board."""
    return sum(tile_evidence(view, cell, laid) for cell, laid in board.items())


Item = tuple[float, list[tuple[float, int]]]
"""Cost in nats of missing a piece, and the gain of each detection near it, as (nats, index of detection)."""


@dataclass(slots=True)
class _Matched:
    """Pieces matched with a picture.

    ``items`` holds the `Item` of each piece, ``near`` the pieces that each detection may show, ``persons``
    the number of players' pieces per place, ``tokens`` the animal tiles, ``total`` the evidence in nats.
    """

    standing: frozenset[Standing]
    persons: dict[Place, int]
    tokens: tuple[Standing, ...]
    items: dict[Standing, Item]
    near: dict[int, list[Standing]]
    total: float

    def competing_with(self, items: Iterable[Item], but: set[Standing]) -> list[Item]:
        """Items of the pieces that compete with ``items`` for a detection, directly or through others.

        The pieces ``but`` are left out.
        """
        open_ones = [j for _, gains in items for _, j in gains]
        if not open_ones:
            return []
        found: set[Standing] = set()
        done: set[int] = set()
        while open_ones:
            j = open_ones.pop()
            if j in done:
                continue
            done.add(j)
            for piece in self.near.get(j, ()):
                if piece not in found:
                    found.add(piece)
                    open_ones += [other for _, other in self.items[piece][1]]
        return [self.items[piece] for piece in found if piece not in but]


def _best_match(items: Iterable[Item]) -> float:
    """Evidence in nats of a greedy one-to-one match; pieces are far apart compared with detection errors."""
    terms: list[float] = []
    pairs: list[tuple[float, int, int]] = []
    for i, (missed, gains) in enumerate(items):
        terms.append(-missed)
        for gain, j in gains:
            pairs.append((gain, i, j))
    if len(pairs) > 1:
        pairs.sort(reverse=True)
    taken: set[int] = set()
    used: set[int] = set()
    for gain, i, j in pairs:
        if i not in taken and j not in used:
            taken.add(i)
            used.add(j)
            terms.append(gain)
    # The exact sum: equally likely pieces weigh exactly the same, in whatever order sets hold them.
    return math.fsum(terms)


def _key(
    board: Mapping[Cell, Laid], standing: frozenset[Standing], new: Cell | None
) -> tuple[frozenset[Standing], Cell | None, str, int]:
    laid = board[new] if new is not None else None
    return (standing, new, laid.design.id if laid else "", laid.rot if laid else 0)


class PieceScene:
    """Likelihoods of hypothetical pieces in one picture; what many hypotheses share is computed once.

    ``known`` is the board that is certain before the picture; ``kinds`` and ``colors`` are those that the
    pieces of this game can have, ``pack`` says where animal tiles lie. Detections beside the board (on bare
    table) cost nothing when unexplained: players keep their supply there. Only some kinds stand beside tiles;
    but what comes to stand at the very rim of one may be on it.
    """

    def __init__(
        self,
        view: View,
        known: Mapping[Cell, Laid],
        kinds: Collection[str],
        colors: Collection[str],
        pack: Pack,
    ) -> None:
        self.view = view
        self._pack = pack
        self._kinds = kinds
        self._colors = colors
        self._tiles = {cell for cell, odds in view.log_tile.items() if odds > 0} | set(known)
        self._costs = [self._unexplained(seen) for seen in view.pieces]
        self._all_unexplained = -sum(self._costs)
        self._items: dict[tuple[Standing, str, int, bool], Item] = {}
        self._seen_around: dict[Cell, list[tuple[int, SeenPiece]]] = {}
        self._matched: dict[tuple[frozenset[Standing], Cell | None, str, int], _Matched] = {}
        self._totals: dict[tuple[frozenset[Standing], Cell | None, str, int], float] = {}

    def evidence(
        self,
        board: Mapping[Cell, Laid],
        standing: frozenset[Standing],
        new: Cell | None,
        like: tuple[frozenset[Standing], Cell | None] | None = None,
    ) -> float:
        """Evidence in nats for exactly these pieces, on a board whose newest tile is at ``new``.

        ``like`` are the pieces before that tile was laid and the newest cell then: where few pieces differ,
        only what is seen near those is matched again. Boards with the same tile at ``new`` must not differ
        under the pieces.
        """
        key = _key(board, standing, new)
        total = self._totals.get(key)
        if total is None:
            if like is None:
                total = self._match(board, standing).total
            else:
                before = _key(board, *like)
                matched = self._matched.get(before)
                if matched is None:
                    matched = self._matched[before] = self._match(board, like[0])
                total = self._matched_again(matched, board, standing)
            self._totals[key] = total
        return total

    def unexplained_on(self, cells: Collection[Cell]) -> float:
        """Cost in nats of all that is seen on these cells, were none of it a piece."""
        return math.fsum(
            cost
            for seen, cost in zip(self.view.pieces, self._costs, strict=True)
            if cell_of(seen.xy) in cells
        )

    def _match(self, board: Mapping[Cell, Laid], standing: frozenset[Standing]) -> _Matched:
        persons: dict[Place, int] = {}
        for piece in standing:
            if piece.kind in PERSONS:
                persons[_place(piece)] = persons.get(_place(piece), 0) + 1
        tokens = tuple(piece for piece in standing if piece.kind == "token")
        items = {
            piece: self._item(piece, board, piece.kind == "token" and _place(piece) in persons)
            for piece in standing
        }
        near: dict[int, list[Standing]] = {}
        for piece, (_, gains) in items.items():
            for _, j in gains:
                near.setdefault(j, []).append(piece)
        total = self._all_unexplained + _best_match(items.values())
        return _Matched(standing, persons, tokens, items, near, total)

    def _matched_again(
        self, known: _Matched, board: Mapping[Cell, Laid], standing: frozenset[Standing]
    ) -> float:
        """The total for other pieces than the ``known`` ones: only those are matched again that may be taken
        for the same as what came or went."""
        gone, came = known.standing - standing, standing - known.standing
        if not gone and not came:
            return known.total
        arrived = [_place(piece) for piece in came if piece.kind in PERSONS]
        left = [_place(piece) for piece in gone if piece.kind in PERSONS]

        def item(piece: Standing) -> Item:
            if piece.kind != "token":
                return self._item(piece, board, False)
            place = _place(piece)
            persons = known.persons.get(place, 0) + arrived.count(place) - left.count(place)
            return self._item(piece, board, persons > 0)

        before = set(gone)
        hidden: list[Standing] = []
        if arrived or left:
            moved = {*arrived, *left}
            hidden = [p for p in known.tokens if _place(p) in moved and p not in gone]
            before.update(hidden)
        after = [item(piece) for piece in (*came, *hidden)]
        were = [known.items[piece] for piece in before]
        both = known.competing_with([*after, *were], before)
        return math.fsum((known.total, -_best_match([*both, *were]), _best_match([*both, *after])))

    def _item(self, piece: Standing, board: Mapping[Cell, Laid], under: bool) -> Item:
        """Cost, in nats, of not seeing the piece (``under``: on which somebody stands), and the gain of each
        detection near it against that."""
        laid = board.get(piece.cell)
        key = (piece, laid.design.id if laid else "", laid.rot if laid else 0, under)
        known = self._items.get(key)
        if known is None:
            missed = min(_missed_cost(self.view, piece), self._most_missed(piece, laid, under))
            gains = []
            for j, seen in self._around(piece.cell):
                match = match_evidence(laid, piece, seen, self._kinds, self._colors, self._pack)
                if seen.reading.confidence < LIKELY and not seen.beside:
                    match *= seen.news  # as what it costs to leave it unexplained
                gain = match + self._costs[j] + (missed * seen.news if seen.beside else missed)
                if gain > 0:
                    gains.append((gain, j))
            known = self._items[key] = (missed, gains)
        return known

    def _around(self, cell: Cell) -> list[tuple[int, SeenPiece]]:
        """The detections that may be pieces of a cell, with their indices."""
        if cell not in self._seen_around:
            self._seen_around[cell] = [
                (j, seen) for j, seen in enumerate(self.view.pieces) if within_gate(seen.xy, cell)
            ]
        return self._seen_around[cell]

    def _most_missed(self, piece: Standing, laid: Laid | None, under: bool) -> float:
        """Maximum cost in nats of missing a piece that others may hide."""
        if piece.kind != "token":
            return math.inf
        if any(
            distance_to_place(laid, piece, xy, self._pack) < VIEW.hides_sides for xy in self.view.persons()
        ):
            return PARAMS.missed_behind_nats
        return PARAMS.missed_under_nats if under else math.inf

    def _unexplained(self, seen: SeenPiece) -> float:
        within = 1.0 if seen.reading.kind in OUTSIDE else PARAMS.spread_sides if seen.stands else 0.0
        on_tile = cell_of(seen.xy) in self._tiles
        return seen.unexplained_cost if on_tile or self._beside_tile(seen.xy, within) else 0.0

    def _beside_tile(self, xy: Point, within: float) -> bool:
        """Whether a tile lies east, south, west or north of a place no further away than that."""
        ways = ((within, 0.0), (0.0, within), (-within, 0.0), (0.0, -within))
        return any(cell_of((xy[0] + east, xy[1] + south)) in self._tiles for east, south in ways)


def _missed_cost(view: View, piece: Standing) -> float:
    if not view.in_sight(piece.cell):
        return 0.0
    reading = view.cells.get(piece.cell)
    return PARAMS.missed_piece_nats * (1.0 - (reading.covered if reading is not None else 0.0))


def _place(piece: Standing) -> Place:
    return (piece.cell, piece.feature, piece.corner)


def within_gate(xy: Point, cell: Cell) -> bool:
    """Whether a contact point is near enough to a cell that a piece of that cell may be seen there."""
    return max(abs(xy[0] - cell[0] - 0.5), abs(xy[1] - cell[1] - 0.5)) <= 0.5 + PARAMS.piece_reach_sides


def match_evidence(
    laid: Laid | None,
    piece: Standing,
    seen: SeenPiece,
    kinds: Collection[str],
    colors: Collection[str],
    pack: Pack,
) -> float:
    """Fit of a detection to a supposed piece on ``laid``, in nats: 0 is perfect, -inf too far away."""
    distance = distance_to_place(laid, piece, seen.xy, pack)
    if distance > PARAMS.piece_reach_sides:
        return -math.inf
    spread = (
        VIEW.token_spread_sides
        if piece.kind == "token" and piece.feature is not None
        else PARAMS.spread_sides
    )
    total = -1.5 * math.log1p((distance / spread) ** 2)
    reading = seen.reading
    if piece.kind in PERSONS and reading.kind in PERSONS:
        told = 1.0 if seen.beside or reading.confidence < LIKELY else seen.news
        traits = sort_cost(reading, piece, kinds, PARAMS.sort_most_nats)
        total -= told * (traits + color_cost(reading, piece.color, colors))
    elif reading.kind != piece.kind:
        beside = piece.kind in OUTSIDE and reading.kind in PERSONS
        total -= PARAMS.odd_piece_nats if seen.odd or beside else PARAMS.wrong_kind_nats
    else:
        total -= seen.news * animal_cost(reading, piece.animal)
    return total


def animal_cost(reading: PieceReading, animal: str | None) -> float:
    """Cost in nats of reading the animal tile as ``animal`` rather than the likeliest animal."""
    if animal is None or reading.animal is None:
        return 0.0
    if not reading.animal_probs:
        return 0.0 if reading.animal == animal else PARAMS.trait_most_nats
    share = reading.animal_probs.get(animal, 0.0)
    best = max(reading.animal_probs.values())
    return min(math.log(best / share), PARAMS.trait_most_nats) if share > 0 else PARAMS.trait_most_nats


def sort_cost(reading: PieceReading, piece: Standing, kinds: Collection[str], most_nats: float) -> float:
    """Cost in nats, ``most_nats`` at most, of reading a piece as of the kind and pose of ``piece``."""
    if reading.kind not in kinds:
        return PARAMS.odd_piece_nats
    share = reading.sort_probs.get((piece.kind, piece.pose), 0.0)
    if share > 0:
        best = max(share for (kind, _), share in reading.sort_probs.items() if kind in kinds)
        return min(math.log(best / share), most_nats)
    if reading.kind != piece.kind:
        return most_nats
    return most_nats if reading.pose != piece.pose else 0.0


def color_cost(reading: PieceReading, color: str | None, colors: Collection[str]) -> float:
    """Cost in nats of reading the piece as one of ``color`` rather than the likeliest colour in play."""
    shares = {name: share for name, share in reading.color_probs.items() if name in colors}
    if color is None or not shares:
        return 0.0 if color in (None, reading.color) else PARAMS.trait_most_nats
    share = shares.get(color, 0.0)
    return (
        min(math.log(max(shares.values()) / share), PARAMS.trait_most_nats)
        if share > 0
        else PARAMS.trait_most_nats
    )


def places_of(state: GameState, kinds: Collection[str]) -> tuple[tuple[Point, float], ...]:
    """`place_of` of the pieces of these kinds that stand on the tiles of a position."""
    return tuple(place_of(piece, state) for piece in state.standing if piece.kind in kinds)


def place_of(piece: Standing, state: GameState) -> tuple[Point, float]:
    """Place of a piece in the game's frame, and maximum distance in tile sides at which it is read."""
    if piece.corner is not None:
        u, v = state.pack.token_spot(piece.corner)
        return (
            piece.cell[0] + u,
            piece.cell[1] + v,
        ), VIEW.token_reach_sides if piece.kind == "token" else PARAMS.piece_reach_sides
    return feature_place(
        state.board.get(piece.cell), piece.cell, piece.feature, piece.kind
    ), PARAMS.piece_reach_sides


def feature_place(laid: Laid | None, cell: Cell, name: str | None, kind: str = "meeple") -> Point:
    """Place of pieces of a kind, or of added animal tiles, on a feature of ``laid``.

    The middle of the cell where there is no such feature.
    """
    feature = laid.design.tile.feature(name) if laid is not None and name is not None else None
    u, v = (0.5, 0.5) if laid is None or feature is None else turned_point(feature.spot_of(kind), laid.rot)
    return (cell[0] + u, cell[1] + v)


def distance_to_place(laid: Laid | None, piece: Standing, xy: Point, pack: Pack) -> float:
    """Distance in tile sides from a contact point to where ``piece`` may stand on ``laid``."""
    x, y = xy[0] - piece.cell[0], xy[1] - piece.cell[1]
    if laid is None or piece.feature is None:
        if piece.corner is not None:
            return math.dist((x, y), pack.token_spot(piece.corner))
        # A piece beside the tiles stands anywhere on its empty space; only its outer rim counts as off.
        return math.hypot(max(abs(x - 0.5) - 0.3, 0.0), max(abs(y - 0.5) - 0.3, 0.0))
    costs = feature_costs(laid.design, laid.rot, (x, y), takes_of(pack), piece.kind, piece.pose)
    return costs[piece.feature]
