"""Likelihood of one picture, given a hypothetical position of tiles and pieces.

:func:`tile_evidence` and :class:`PieceScene` compare hypothetical tiles and pieces with a
:class:`tilesight.inference.view.View`. All log-likelihoods are in nats relative to an empty table: a tile or
piece detected at its place adds; a missing one or an unexplained detection subtracts. Only differences
between two hypotheses about the same view are meaningful. Each reading is bounded, so that one false
detection cannot outweigh the rest.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from engine.geometry import Cell, Point, cell_of, turned_point
from engine.pack import Pack
from engine.tiles.board import Laid, Standing
from engine.tiles.pieces import OUTSIDE, OWNED
from tilesight.inference.params import PARAMS
from tilesight.inference.view import FramedPiece, View
from tilesight.inference.view_params import LIKELY
from tilesight.inference.view_params import PARAMS as VIEW
from vision.observation import PieceReading
from vision.pieces.feature_assignment import feature_costs, takes_of

PieceSpot = tuple[Cell, str | None, str | None]
"""Place of a piece: cell, feature, corner."""


def tile_evidence(view: View, cell: Cell, laid: Laid) -> float:
    """Return the evidence in nats that ``laid`` lies at ``cell``, against an empty cell.
    A cell without a reading counts against it if it is in sight, else 0."""
    reading = view.cells.get(cell)
    if reading is None:
        return -PARAMS.absent_tile_nats if view.in_sight(cell) else 0.0
    there = bounded_tile(view, cell)
    weight = view.novelty[cell] * (1.0 - 0.8 * reading.covered)
    return there + weight * view.face(cell, laid.design.id, laid.rot)


def bounded_tile(view: View, cell: Cell) -> float:
    """Return the log-odds in nats that any tile lies at ``cell``, capped on both sides. It must be read."""
    return min(max(view.log_tile[cell], -PARAMS.tile_bound_nats), PARAMS.tile_bound_nats)


def board_evidence(view: View, board: Mapping[Cell, Laid]) -> float:
    """Return the sum of :func:`tile_evidence` over a board."""
    return sum(tile_evidence(view, cell, laid) for cell, laid in board.items())


MatchItem = tuple[float, list[tuple[float, int]]]
"""Cost in nats of missing a piece, and the gains of the detections near it: (nats, index of detection)."""


@dataclass(slots=True)
class _PieceMatching:
    """Pieces matched with the detections of a picture.

    ``items`` holds the `MatchItem` of each piece, ``near`` the pieces that each detection may show, ``owned``
    the number of players' pieces per spot, ``tokens`` the animal tiles, ``total`` the evidence in nats.
    """

    standing: frozenset[Standing]
    owned: dict[PieceSpot, int]
    tokens: tuple[Standing, ...]
    items: dict[Standing, MatchItem]
    near: dict[int, list[Standing]]
    total: float

    def competing_with(self, items: Iterable[MatchItem], but: set[Standing]) -> list[MatchItem]:
        """Return the items of the pieces, except ``but``, that compete with ``items`` for a detection.
        They may do so directly or through other pieces."""
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


def _greedy_match_evidence(items: Iterable[MatchItem]) -> float:
    """Return the evidence in nats of a greedy one-to-one match of pieces and detections.
    Greedy is enough: pieces are far apart compared with the errors of detections."""
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
    """Return a hashable key of the pieces and of the newest tile, which is on ``board`` at ``new``."""
    laid = board[new] if new is not None else None
    return (standing, new, laid.design.id if laid else "", laid.rot if laid else 0)


class PieceScene:
    """Likelihoods of hypothetical pieces in one picture, cached across hypotheses.

    ``known`` is the board that is certain before the picture. ``kinds`` and ``colors`` are those that this
    game's pieces can have; ``pack`` says where animal tiles lie. Unexplained detections on bare table cost
    nothing, because players keep their supply there. The exceptions are kinds of pieces that the game puts
    beside tiles, and pieces at the very edge of a tile, which may be on it.
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
        self._items: dict[tuple[Standing, str, int, bool], MatchItem] = {}
        self._seen_around: dict[Cell, list[tuple[int, FramedPiece]]] = {}
        self._matched: dict[tuple[frozenset[Standing], Cell | None, str, int], _PieceMatching] = {}
        self._totals: dict[tuple[frozenset[Standing], Cell | None, str, int], float] = {}

    def evidence(
        self,
        board: Mapping[Cell, Laid],
        standing: frozenset[Standing],
        new: Cell | None,
        like: tuple[frozenset[Standing], Cell | None] | None = None,
    ) -> float:
        """Return the evidence in nats for exactly the pieces ``standing``; the newest tile is at ``new``.

        ``like`` holds the pieces before that tile was laid, and the newest cell then: if few pieces differ,
        only detections near those are matched again. Boards with the same tile at ``new`` must not differ
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
                total = self._rematched_total(matched, board, standing)
            self._totals[key] = total
        return total

    def unexplained_on(self, cells: Collection[Cell]) -> float:
        """Return the cost in nats of the detections on ``cells`` if none of them is a piece."""
        return math.fsum(
            cost
            for seen, cost in zip(self.view.pieces, self._costs, strict=True)
            if cell_of(seen.xy) in cells
        )

    def _match(self, board: Mapping[Cell, Laid], standing: frozenset[Standing]) -> _PieceMatching:
        """Match the pieces ``standing`` with the picture's detections."""
        owned: dict[PieceSpot, int] = {}
        for piece in standing:
            if piece.kind in OWNED:
                owned[_spot_of(piece)] = owned.get(_spot_of(piece), 0) + 1
        tokens = tuple(piece for piece in standing if piece.kind == "token")
        items = {
            piece: self._item(piece, board, piece.kind == "token" and _spot_of(piece) in owned)
            for piece in standing
        }
        near: dict[int, list[Standing]] = {}
        for piece, (_, gains) in items.items():
            for _, j in gains:
                near.setdefault(j, []).append(piece)
        total = self._all_unexplained + _greedy_match_evidence(items.values())
        return _PieceMatching(standing, owned, tokens, items, near, total)

    def _rematched_total(
        self, known: _PieceMatching, board: Mapping[Cell, Laid], standing: frozenset[Standing]
    ) -> float:
        """Return the evidence in nats for ``standing``, which differs little from the pieces in ``known``.
        Only pieces that compete for a detection with those that differ are matched again."""
        gone, came = known.standing - standing, standing - known.standing
        if not gone and not came:
            return known.total
        arrived = [_spot_of(piece) for piece in came if piece.kind in OWNED]
        left = [_spot_of(piece) for piece in gone if piece.kind in OWNED]

        def item(piece: Standing) -> MatchItem:
            if piece.kind != "token":
                return self._item(piece, board, False)
            place = _spot_of(piece)
            owned = known.owned.get(place, 0) + arrived.count(place) - left.count(place)
            return self._item(piece, board, owned > 0)

        before = set(gone)
        hidden: list[Standing] = []
        if arrived or left:
            moved = {*arrived, *left}
            hidden = [p for p in known.tokens if _spot_of(p) in moved and p not in gone]
            before.update(hidden)
        after = [item(piece) for piece in (*came, *hidden)]
        were = [known.items[piece] for piece in before]
        both = known.competing_with([*after, *were], before)
        return math.fsum(
            (known.total, -_greedy_match_evidence([*both, *were]), _greedy_match_evidence([*both, *after]))
        )

    def _item(self, piece: Standing, board: Mapping[Cell, Laid], under: bool) -> MatchItem:
        """Return the cost in nats of missing the piece, and (gain, index) of each detection that may show it.
        ``under`` is true for an animal tile with a piece on it."""
        laid = board.get(piece.cell)
        key = (piece, laid.design.id if laid else "", laid.rot if laid else 0, under)
        known = self._items.get(key)
        if known is None:
            missed = min(_missed_cost(self.view, piece), self._most_missed(piece, laid, under))
            gains = []
            for j, seen in self._around(piece.cell):
                match = match_evidence(laid, piece, seen, self._kinds, self._colors, self._pack)
                if seen.reading.confidence < LIKELY and not seen.beside:
                    match *= seen.novelty  # scaled like the cost of leaving it unexplained
                gain = match + self._costs[j] + (missed * seen.novelty if seen.beside else missed)
                if gain > 0:
                    gains.append((gain, j))
            known = self._items[key] = (missed, gains)
        return known

    def _around(self, cell: Cell) -> list[tuple[int, FramedPiece]]:
        """Return the detections that may be pieces of a cell, with their indices."""
        if cell not in self._seen_around:
            self._seen_around[cell] = [
                (j, seen) for j, seen in enumerate(self.view.pieces) if within_gate(seen.xy, cell)
            ]
        return self._seen_around[cell]

    def _most_missed(self, piece: Standing, laid: Laid | None, under: bool) -> float:
        """Return the greatest cost in nats of missing an animal tile that a player's piece may hide.

        ``under`` is true if a piece is on it. Infinite for other pieces and for animal tiles away from
        pieces.
        """
        if piece.kind != "token":
            return math.inf
        if any(
            distance_to_place(laid, piece, xy, self._pack) < VIEW.hides_sides
            for xy in self.view.owned_points()
        ):
            return PARAMS.missed_behind_nats
        return PARAMS.missed_under_nats if under else math.inf

    def _unexplained(self, seen: FramedPiece) -> float:
        """Return the cost in nats of a detection that no piece explains; 0 on bare table."""
        within = 1.0 if seen.reading.kind in OUTSIDE else PARAMS.spread_sides if seen.stands else 0.0
        on_tile = cell_of(seen.xy) in self._tiles
        return seen.unexplained_cost if on_tile or self._beside_tile(seen.xy, within) else 0.0

    def _beside_tile(self, xy: Point, within: float) -> bool:
        """Whether a tile lies within a distance (in tile sides) east, south, west or north of a point."""
        ways = ((within, 0.0), (0.0, within), (-within, 0.0), (0.0, -within))
        return any(cell_of((xy[0] + east, xy[1] + south)) in self._tiles for east, south in ways)


def _missed_cost(view: View, piece: Standing) -> float:
    """Return the cost in nats of missing a piece; less the more of its cell is hidden, 0 out of sight."""
    if not view.in_sight(piece.cell):
        return 0.0
    reading = view.cells.get(piece.cell)
    return PARAMS.missed_piece_nats * (1.0 - (reading.covered if reading is not None else 0.0))


def _spot_of(piece: Standing) -> PieceSpot:
    """Return the spot of a piece: cell, feature, corner."""
    return (piece.cell, piece.feature, piece.corner)


def within_gate(xy: Point, cell: Cell) -> bool:
    """Whether a contact point is near enough to a cell to be a piece of that cell."""
    return max(abs(xy[0] - cell[0] - 0.5), abs(xy[1] - cell[1] - 0.5)) <= 0.5 + PARAMS.piece_reach_sides


def match_evidence(
    laid: Laid | None,
    piece: Standing,
    seen: FramedPiece,
    kinds: Collection[str],
    colors: Collection[str],
    pack: Pack,
) -> float:
    """Return how well a detection fits a hypothetical piece on ``laid``, in nats.

    0 is perfect, -inf is farther away than ``piece_reach_sides``. ``kinds`` and ``colors`` are those in play.
    """
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
    if piece.kind in OWNED and reading.kind in OWNED:
        told = 1.0 if seen.beside or reading.confidence < LIKELY else seen.novelty
        traits = sort_cost(reading, piece, kinds, PARAMS.sort_most_nats)
        total -= told * (traits + color_cost(reading, piece.color, colors))
    elif reading.kind != piece.kind:
        beside = piece.kind in OUTSIDE and reading.kind in OWNED
        total -= PARAMS.odd_piece_nats if seen.odd or beside else PARAMS.wrong_kind_nats
    else:
        total -= seen.novelty * animal_cost(reading, piece.animal)
    return total


def animal_cost(reading: PieceReading, animal: str | None) -> float:
    """Return the cost in nats of taking an animal tile for ``animal`` instead of the likeliest animal.
    0 if either animal is unknown."""
    if animal is None or reading.animal is None:
        return 0.0
    if not reading.animal_probs:
        return 0.0 if reading.animal == animal else PARAMS.trait_most_nats
    share = reading.animal_probs.get(animal, 0.0)
    best = max(reading.animal_probs.values())
    return min(math.log(best / share), PARAMS.trait_most_nats) if share > 0 else PARAMS.trait_most_nats


def sort_cost(reading: PieceReading, piece: Standing, kinds: Collection[str], most_nats: float) -> float:
    """Return the cost in nats of taking a reading for the kind and pose of ``piece``.
    At most ``most_nats``; ``odd_piece_nats`` if the reading's kind is not one of ``kinds``, those in play."""
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
    """Return the cost in nats of taking a piece for ``color`` instead of the likeliest of ``colors``."""
    shares = {name: share for name, share in reading.color_probs.items() if name in colors}
    if color is None or not shares:
        return 0.0 if color in (None, reading.color) else PARAMS.trait_most_nats
    share = shares.get(color, 0.0)
    return (
        min(math.log(max(shares.values()) / share), PARAMS.trait_most_nats)
        if share > 0
        else PARAMS.trait_most_nats
    )


def feature_point(laid: Laid | None, cell: Cell, name: str | None, kind: str = "meeple") -> Point:
    """Return the point (game's frame) where pieces of a kind, or animal tiles, are put on feature ``name``.
    The middle of the cell if ``laid`` has no such feature."""
    feature = laid.design.tile.feature(name) if laid is not None and name is not None else None
    u, v = (0.5, 0.5) if laid is None or feature is None else turned_point(feature.spot_of(kind), laid.rot)
    return (cell[0] + u, cell[1] + v)


def distance_to_place(laid: Laid | None, piece: Standing, xy: Point, pack: Pack) -> float:
    """Return the distance in tile sides from ``xy`` (game's frame) to the place of ``piece`` on ``laid``.

    That is a corner's spot, the piece's feature, or for a piece beside the tiles its cell without the rim.
    Raises KeyError if the tile has no such feature.
    """
    x, y = xy[0] - piece.cell[0], xy[1] - piece.cell[1]
    if laid is None or piece.feature is None:
        if piece.corner is not None:
            return math.dist((x, y), pack.token_spot(piece.corner))
        # A piece beside the tiles may be anywhere on its empty space; only the space's rim counts as off.
        return math.hypot(max(abs(x - 0.5) - 0.3, 0.0), max(abs(y - 0.5) - 0.3, 0.0))
    costs = feature_costs(laid.design, laid.rot, (x, y), takes_of(pack), piece.kind, piece.pose)
    return costs[piece.feature]
