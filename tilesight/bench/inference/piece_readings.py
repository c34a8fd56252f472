"""Simulated detections of pieces, with colour, kind and place, and false detections of print."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from engine.geometry import Cell, Point, cell_of, turned_point
from engine.pack import Pack
from engine.tiles.board import Laid, Standing
from engine.tiles.pieces import OUTSIDE, OWNED, SORTS, PieceKind, Pose, Sort
from tilesight.bench.inference.params import SimulationParams
from tilesight.bench.inference.tables import Quantiles, Rng
from vision.observation import PieceReading
from vision.pieces.feature_assignment import feature_at, kinds_of, takes_of

CONFIDENCES = Quantiles((0.0, 0.015, 0.018, 0.022, 0.03, 0.04, 1.0), (0.0, 0.0, 0.3, 0.7, 0.9, 0.97, 1.0))
"""Confidences of detected pieces. Of about 230 pieces in a real game and on 14 photographed boards, 4 are
missed (docs/readings); of the game's 20, all detections but those of one piece have 0.97 or more."""
FALSE_CONFIDENCES = Quantiles((0.0, 0.15, 0.16, 0.35, 0.5, 1.0), (1.0, 0.97, 0.7, 0.45, 0.15, 0.03))
"""Confidences of print that is detected as a piece, measured on 176 bare tiles of those boards."""
ROOF_CONFIDENCES = Quantiles((0.0, 0.15, 0.4, 0.6, 0.85, 1.0), (0.9, 0.7, 0.45, 0.2, 0.05, 0.0))
"""Confidences of printed buildings with red roofs that are detected as pieces, measured on 15."""
FALSE_TOKENS = Quantiles((0.0, 0.6, 0.8, 1.0), (1.0, 0.97, 0.6, 0.3))
OFF_SIDES = Quantiles((0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0), (0.5, 0.41, 0.21, 0.11, 0.06, 0.02, 0.0))
"""Distances of pieces from their features' nominal spots, in tile sides."""
TOKEN_OFF_SIDES = 0.1
"""Maximum distance of an animal tile, and of the meeple on it, from its spot, in tile sides."""
SORT_SURE = Quantiles((0.0, 0.02, 0.05, 0.2, 0.5, 1.0), (0.4, 0.6, 0.9, 0.99, 0.998, 0.9999))
"""Probabilities of a piece's kind and pose if they are read correctly, measured on those boards."""
DOUBTFUL = 0.9
"""Confidence of a detection below which the detection is noted as a cause of errors."""
FAR_SIDES = 0.3
"""Minimum distance of a piece from its spot, in tile sides, that is noted as a cause of errors."""
LEAST = 0.02
"""Minimum confidence of a detection that is reported."""
HIDES_SIDES = 0.25
"""Distance in tile sides within which a piece hides a false detection of print."""
PLACES_TRIED = 12
"""Maximum number of random places that are tried. A place is accepted if the piece's own feature is the
nearest."""


@dataclass(frozen=True, slots=True)
class SimulatedPiece:
    """Simulated reading of a piece at ``xy`` (game's frame of reference, tile sides), and its ``faults``."""

    reading: PieceReading
    xy: Point
    faults: tuple[str, ...] = ()


class SimulatedPieces:
    """Draws random detections of pieces. A piece that does not move keeps its detection."""

    def __init__(
        self, pack: Pack, players: Sequence[str], rng: Rng, hardness: float, params: SimulationParams
    ) -> None:
        self._pack = pack
        self._players = tuple(players)
        self._rng = rng
        self._hardness = hardness
        self._params = params
        self._sorts = tuple(sort for sort in SORTS if sort[0] in kinds_of(pack) and sort[0] != "token")
        self._pieces: dict[tuple[Standing, bool], SimulatedPiece | None] = {}
        self._prints: dict[tuple[Cell, str, int], tuple[SimulatedPiece, ...]] = {}
        self._beside: dict[Cell, SimulatedPiece | None] = {}

    def piece(self, piece: Standing, board: Mapping[Cell, Laid], *, under: bool) -> SimulatedPiece | None:
        """Return the detection of a piece in one picture, or None if it is missed.

        ``under`` is true if another piece stands on it.
        """
        known = self.always(piece, board, under=under)
        if known is None or self._rng.random() < self._params.missed_piece * self._hardness:
            return None
        return self._jittered(known)

    def always(self, piece: Standing, board: Mapping[Cell, Laid], *, under: bool) -> SimulatedPiece | None:
        """Return the piece's detection without the jitter of single pictures.

        None if the piece is missed in all pictures.
        """
        if (piece, under) not in self._pieces:
            other = self._pieces.get((piece, not under))
            xy = other.xy if other is not None else self._place(piece, board)
            seen = self._token(piece, xy, under=under) if piece.kind == "token" else self._owned(piece, xy)
            far = None if seen is None else self._off(piece, xy, board)
            if seen is not None and far is not None:
                seen = replace(seen, faults=(*seen.faults, far))
            self._pieces[piece, under] = seen
        return self._pieces[piece, under]

    def prints(self, cell: Cell, laid: Laid, persons: Sequence[Point]) -> list[SimulatedPiece]:
        """Return false detections of a tile's print, except near the pieces that stand at ``persons``."""
        key = (cell, laid.design.id, laid.rot)
        if key not in self._prints:
            self._prints[key] = tuple(self._looks_like(cell, laid))
        return [
            self._jittered(seen)
            for seen in self._prints[key]
            if all(math.dist(seen.xy, xy) > HIDES_SIDES for xy in persons)
        ]

    def beside(self, cell: Cell) -> SimulatedPiece | None:
        """Return a false detection in an empty cell beside the board, or None."""
        if cell not in self._beside:
            odd = self._rng.random() < self._params.false_beside * self._hardness
            self._beside[cell] = self._false(self._anywhere(cell), FALSE_CONFIDENCES) if odd else None
        seen = self._beside[cell]
        return None if seen is None else self._jittered(seen)

    # -- true pieces

    def _owned(self, piece: Standing, xy: Point) -> SimulatedPiece | None:
        rng, faults = self._rng, list[str]()
        confidence = CONFIDENCES.value(float(rng.random()), self._hardness)
        if confidence < LEAST:
            return None
        if confidence < DOUBTFUL:
            faults.append(f"detected with {confidence:.2f}")
        sort: Sort = (piece.kind, piece.pose)
        others = [one for one in self._sorts if one != sort and one[0] not in OUTSIDE]
        sorts = {sort: 1.0}
        if others:
            read = sort
            if rng.random() < self._params.wrong_sort * self._hardness:
                read = others[rng.integers(len(others))]
                faults.append(f"read as {read[0]} {read[1]}")
            right = SORT_SURE.value(float(rng.random()), self._hardness)
            sure = float(rng.uniform(0.6, 0.95)) if read != sort else right
            if sure < DOUBTFUL and read == sort:
                faults.append(f"kind read with {sure:.2f}")
            rest = {one: (1.0 - sure) / (len(self._sorts) - 1) for one in self._sorts if one != read}
            sort, sorts = read, {read: sure, **rest}
        color, colors = piece.color, dict[str, float]()
        if piece.kind in OWNED:
            color, colors = self._color(piece)
            if color != piece.color:
                faults.append(f"read as {color}")
        reading = PieceReading(sort[0], color, sort[1], xy, xy, confidence, colors, sort_probs=sorts)
        return SimulatedPiece(reading, xy, tuple(faults))

    def _color(self, piece: Standing) -> tuple[str | None, dict[str, float]]:
        rng, color = self._rng, piece.color
        others = [one for one in self._players if one != color]
        if not others or color is None:
            return color, {color: 1.0} if color is not None else {}
        sure = float(rng.uniform(0.96, 0.998))
        if rng.random() < self._params.wrong_color * self._hardness:
            color, sure = others[rng.integers(len(others))], float(rng.uniform(0.55, 0.97))
        rest = (1.0 - sure) / len(others)
        return color, {name: sure if name == color else rest for name in self._players}

    def _token(self, piece: Standing, xy: Point, *, under: bool) -> SimulatedPiece | None:
        rng = self._rng
        if (
            rng.random()
            < (self._params.missed_under if under else self._params.missed_token) * self._hardness
        ):
            return None
        animals = list(self._pack.tokens)
        animal, probs, faults = piece.animal, dict[str, float](), list[str]()
        if animal in animals and len(animals) > 1:
            wrong = self._params.wrong_animal * self._hardness * (4.0 if under else 1.0)
            if rng.random() < wrong:
                others = [one for one in animals if one != piece.animal]
                animal = others[rng.integers(len(others))]
                faults.append(f"read as {animal}")
            sure = float(rng.uniform(0.5, 0.9)) if faults else float(rng.uniform(0.8, 0.99))
            rest = (1.0 - sure) / (len(animals) - 1)
            probs = {one: sure if one == animal else rest for one in animals}
        confidence = float(rng.uniform(0.6, 0.97)) if under else float(rng.uniform(0.97, 0.999))
        reading = PieceReading("token", None, "lying", xy, xy, confidence, {}, animal, probs)
        return SimulatedPiece(reading, xy, tuple(faults))

    def _off(self, piece: Standing, xy: Point, board: Mapping[Cell, Laid]) -> str | None:
        """Describe the fault that a piece stands far from its feature's spot; None if it does not."""
        laid = board.get(piece.cell)
        feature = None if laid is None or piece.feature is None else laid.design.tile.feature(piece.feature)
        if laid is None or feature is None:
            return None
        u, v = turned_point(feature.spot_of(piece.kind), laid.rot)
        off = math.dist(xy, (piece.cell[0] + u, piece.cell[1] + v))
        return f"stands {off:.2f} sides off its spot" if off > FAR_SIDES else None

    def _place(self, piece: Standing, board: Mapping[Cell, Laid]) -> Point:
        rng, (x, y) = self._rng, piece.cell
        laid = board.get(piece.cell)
        feature = None if laid is None or piece.feature is None else laid.design.tile.feature(piece.feature)
        if laid is None:
            return (x + float(rng.uniform(0.3, 0.7)), y + float(rng.uniform(0.3, 0.7)))
        u, v = 0.5, 0.5
        if piece.corner is not None:
            u, v = self._pack.token_spot(piece.corner)
        elif feature is not None:
            u, v = turned_point(feature.spot_of(piece.kind), laid.rot)
        off = OFF_SIDES.value(float(rng.random()), self._hardness)
        if piece.kind == "token" or piece.corner is not None:
            off = min(off, TOKEN_OFF_SIDES)
        strays = rng.random() < self._params.astray * self._hardness
        for _ in range(PLACES_TRIED):
            way = float(rng.uniform(0.0, 2.0 * math.pi))
            at = (u + off * math.cos(way), v + off * math.sin(way))
            inside = min(at) > 0.02 and max(at) < 0.98
            if feature is None or (inside and (strays or self._on(laid, piece, at))):
                return (x + at[0], y + at[1])
            off *= 0.85
        return (x + u, y + v)

    def _on(self, laid: Laid, piece: Standing, at: Point) -> bool:
        return feature_at(laid.design, laid.rot, at, takes_of(self._pack), piece.kind, piece.pose) == (
            piece.feature
        )

    # -- false detections

    def _looks_like(self, cell: Cell, laid: Laid) -> list[SimulatedPiece]:
        rng, found = self._rng, list[SimulatedPiece]()
        x, y = cell
        for feature in laid.design.tile.features:
            if not laid.design.tile.reaches_side(feature.id):  # a building is printed there
                u, v = turned_point(feature.spot, laid.rot)
                found.append(self._false((x + u, y + v), ROOF_CONFIDENCES))
        if rng.random() < self._params.false_piece * self._hardness:
            found.append(self._false(self._anywhere(cell), FALSE_CONFIDENCES))
        if self._pack.tokens and rng.random() < self._params.false_token * self._hardness:
            xy, animals = self._anywhere(cell), list(self._pack.tokens)
            sure = FALSE_TOKENS.value(float(rng.random()), self._hardness)
            probs = {one: 1.0 / len(animals) for one in animals}
            animal = animals[rng.integers(len(animals))]
            reading = PieceReading("token", None, "lying", xy, xy, sure, {}, animal, probs)
            found.append(SimulatedPiece(reading, xy, (f"no animal tile, read with {sure:.2f}",)))
        return [seen for seen in found if seen.reading.confidence >= LEAST]

    def _false(self, xy: Point, table: Quantiles) -> SimulatedPiece:
        rng = self._rng
        sure = table.value(float(rng.random()), self._hardness)
        color = self._players[rng.integers(len(self._players))]
        rest = 0.1 / max(len(self._players) - 1, 1)
        colors = {one: 0.9 if one == color else rest for one in self._players}
        kind: PieceKind = "meeple"
        pose: Pose = "standing" if rng.random() < 0.5 else "lying"
        sorts: dict[Sort, float] = {(kind, pose): 0.8}
        sorts |= {sort: 0.2 / (len(self._sorts) - 1) for sort in self._sorts if sort != (kind, pose)}
        reading = PieceReading(kind, color, pose, xy, xy, sure, colors, sort_probs=sorts)
        return SimulatedPiece(reading, xy, (f"no piece, read with {sure:.2f}",))

    def _anywhere(self, cell: Cell) -> Point:
        u, v = self._rng.uniform(0.1, 0.9, 2)
        return (cell[0] + float(u), cell[1] + float(v))

    def _jittered(self, seen: SimulatedPiece) -> SimulatedPiece:
        east, south = self._rng.normal(0.0, self._params.piece_jitter_sides, 2)
        xy = (seen.xy[0] + float(east), seen.xy[1] + float(south))
        if cell_of(xy) != cell_of(seen.xy):
            return seen
        return replace(seen, xy=xy)
