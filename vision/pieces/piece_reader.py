"""Piece reader: combines detector and classifier into the reported pieces.

The detector (`vision.pieces.detector`) proposes candidates, the classifier (`vision.pieces.piece_classifier`)
classifies them. The fusion weights were fitted after training (`models.train.piece_classifier.weigh`).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell, cell_of
from engine.tiles.pieces import OTHER, OUTSIDE, PieceKind, Sort
from models.loader import OnnxModel
from vision.geometry.homography import apply_homography
from vision.geometry.ortho import Ortho, ortho_view, uv_in_quad
from vision.observation import BoardPose, PieceReading, Sight
from vision.pieces.detector import (
    CLASSES,
    COLORS,
    STAND_OUTSIDE,
    TOKEN,
    PieceCandidate,
    candidates,
    seen_mirrored,
)
from vision.pieces.paints import Paints, under_light
from vision.pieces.params import PARAMS
from vision.pieces.piece_classifier import (
    LookReadings,
    Looks,
    LookSource,
    px_per_tile,
    read_looks,
    take_looks,
)
from vision.pieces.relighting import Daylight, lifted
from vision.pieces.stand_ins import other_shares, something_share
from vision.pieces.weights import ALL_COLORS, Weights, both, log_odds, mean_odds, odds_of
from vision.probability import sigmoid
from vision.tiles.reprojection import ExpectedFace, LaidPrint, against_print, board_light

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]

ANY_OTHER: Sort = (OTHER, "lying")
"""The sort of pieces of no known kind."""
MEEPLES: tuple[Sort, Sort] = (("meeple", "standing"), ("meeple", "lying"))
"""A meeple's sorts."""
MOST_LOOKED_AT = 90
"""Maximum number of pieces, and of animal tiles, that are classified: a busy cloth has hundreds of peaks."""
LEAST = 0.5
"""Probability below which a piece is likelier none; it is then only reported if `least` of its kind asks for
it."""


class PieceReader:
    """Reads the pieces of one table frame by frame; unchanged looks are not classified again."""

    def __init__(
        self,
        detector: OnnxModel,
        looks: OnnxModel,
        kinds: Collection[PieceKind] | None = None,
        colors: Mapping[str, float] | None = None,
        least: Mapping[PieceKind, float] | None = None,
        outside: Mapping[PieceKind, int] | None = None,
        *,
        discs: bool = False,
    ) -> None:
        """``kinds`` and ``colors`` are those of the game (`vision.pieces.feature_assignment`), None for all.
        ``least`` is the minimum probability of reported pieces by kind (default `LEAST`). ``outside`` is the
        number of pieces of each kind that stands on empty cells
        (`vision.pieces.feature_assignment.outside_of`); if there are more candidates, they are detected
        again on the mirrored picture. ``discs``: people play with discs, stones or the like for meeples, so
        any other piece is a meeple of unknown pose."""
        self._detector = detector
        self._looks = looks
        self._weights = Weights.of(looks.meta)
        self._paints = Paints.of(looks.meta)
        self._kinds = np.array([kinds is None or name in kinds for name, _ in CLASSES], np.float32)
        self._discs = discs
        self._least = dict(least or {})
        self._outside = dict(outside or {})
        odds = dict.fromkeys(ALL_COLORS, 1.0) if colors is None else colors
        self._tints = np.array([odds.get(name, 0.0) for name in ALL_COLORS], np.float32)
        self._print = LaidPrint()
        self._daylight = Daylight()
        self._before: tuple[F64, Looks, LookReadings] | None = None
        self._last: tuple[_Calm, tuple[PieceReading, ...]] | None = None

    def read(
        self, sight: Sight, pose: BoardPose, faces: Mapping[Cell, ExpectedFace] | None = None
    ) -> tuple[PieceReading, ...]:
        """Read all pieces on the board and within one cell of it, most probable first.

        ``faces`` are the expected faces of the cells whose print is known. ``lattice_xy`` of a piece on a
        tile is relative to that tile's refined corners. If nothing changed since the last picture, its pieces
        are returned.
        """
        if not pose.quads:
            return ()
        h = np.asarray(pose.H_px_from_lattice, np.float64)
        view = ortho_view(sight, h, pose.quads, pose.tile_side_px)
        calm = _Calm.of(view, pose, faces or {})
        if self._last is not None and calm.as_in(self._last[0]):
            return self._last[1]
        print_ = self._print.view(view, h, pose.quads, faces or {})
        light = board_light(view.image, *print_)
        curves = self._daylight.curves(light)
        if curves is not None:
            sight, light = Sight(lifted(sight.image, curves)), None
            view = replace(view, image=lifted(view.image, curves))
        said = against_print(view.image, *print_, light)
        found = _strongest(candidates(view, said, h, pose.image_size_wh, self._detector, PARAMS.looked_at))
        source = LookSource.of(sight, h, view, said)
        seen = self._look_at(source, found)
        looked = np.array([one.colors for one in found], np.float32).reshape(-1, len(COLORS))
        tints = self._weights.tints(looked, seen.colors, seen.tones) * self._tints
        tints /= np.maximum(tints.sum(axis=1, keepdims=True), 1e-9)
        others = self._others(found, seen, tints)
        read = [self._reading(c, seen, k, pose, tints[k], float(others[k])) for k, c in enumerate(found)]
        if self._paints is not None:
            if light is None:
                light = board_light(view.image, *print_)
            read = _painted(read, under_light(seen.paints, light, source.mean_bgr), self._paints)
        for piece_kind, number in self._outside.items():
            rivals = [k for k, reading in enumerate(read) if reading and reading.kind == piece_kind]
            if len(rivals) <= number:
                continue
            places = np.array([found[k].lattice_xy for k in rivals], np.float64)
            values = seen_mirrored(view, said, h, pose.image_size_wh, self._detector, places)
            for k, value in zip(rivals, values, strict=True):
                twice = replace(found[k], value=mean_odds(found[k].value, float(value)))
                read[k] = self._reading(twice, seen, k, pose, tints[k], float(others[k]))
        pieces = _each_once([reading for reading in read if reading is not None], pose, self._least)
        self._last = calm, pieces
        return pieces

    def _look_at(self, source: LookSource, found: Sequence[PieceCandidate]) -> LookReadings:
        """Classify the looks of the candidates ``found``; unchanged ones keep the last picture's reading."""
        places = np.array([c.lattice_xy for c in found], np.float64).reshape(-1, 2)
        looks = take_looks(source, places)
        known = _as_before(self._before, places, looks)
        if self._before is None or not known:
            seen = read_looks(looks, self._looks)
        else:
            seen = LookReadings.blank(len(places))
            fresh = [k for k in range(len(places)) if k not in known]
            seen.put(fresh, read_looks(looks.some(fresh), self._looks))
            old = list(known.values())
            seen.put(list(known), self._before[2].some(old))
            looks.pictures[list(known)] = self._before[1].pictures[old]  # small changes must not add up
        self._before = (places, looks, seen)
        return seen

    def _reading(
        self,
        found: PieceCandidate,
        seen: LookReadings,
        k: int,
        pose: BoardPose,
        tints: F32,
        strange: float,
    ) -> PieceReading | None:
        """Return the reading of the candidate ``found``, the k-th of ``seen``.
        ``tints`` (7,) are the probabilities of its colours, ``strange`` that it is of no known kind. None if
        it is too far from any tile, or less probable than the least reported of its kind."""
        h, point = np.asarray(pose.H_px_from_lattice, np.float64), seen.points_px[k]
        if found.token:
            point = np.asarray(apply_homography(h, np.array([found.lattice_xy]))[0], np.float64)
        lattice = apply_homography(np.linalg.inv(h), point[None])[0]
        place = place_in_tiles(pose, lattice, point)
        if place is None:
            return None
        if found.token:
            sure = both(found.value, float(seen.tokens[k]), self._weights.token)
            if sure < self._least.get("token", LEAST) or not self._kinds[TOKEN]:
                return None
            return PieceReading("token", None, "lying", (float(point[0]), float(point[1])), place, sure)
        shares = self._sorts(found, seen, k, strange, inside=_well_inside(pose, place))
        by_kind = {kind: sum(p for sort, p in shares.items() if sort[0] == kind) for kind, _ in shares}
        name = max(by_kind, key=lambda kind: by_kind[kind])
        stance = max((sort for sort in shares if sort[0] == name), key=lambda sort: shares[sort])[1]
        # Shared pieces are white, which is no player's colour.
        own = 0.0 if name in OUTSIDE else self._own_colors(found.colors, seen.colors[k])
        print_ = self._weights.by_print(float(seen.unexplained[k]))
        there = something_share(seen.kinds[k], strange)
        sure = both(found.value, there, self._weights.something, own + print_)
        strange = shares.get(ANY_OTHER, 0.0)
        sure *= strange if name == OTHER else 1.0 - strange
        if sure < self._least.get(name, LEAST):
            return None
        if name != OTHER:
            shares = {sort: p / (1.0 - strange) for sort, p in shares.items() if sort != ANY_OTHER}
        colors: dict[str, float] = {}
        best: str | None = "white"
        if name not in OUTSIDE:
            colors = {c: float(p) for c, p in zip(ALL_COLORS, tints, strict=True) if p > 0}
            best = max(colors, key=lambda c: colors[c])
        return PieceReading(
            kind=name, color=best, pose=stance, point_px=(float(point[0]), float(point[1])), lattice_xy=place,
            confidence=sure, color_probs=colors, sort_probs=shares,
        )  # fmt: skip

    def _others(self, found: Sequence[PieceCandidate], seen: LookReadings, tints: F32) -> F64:
        """Return the probability (n,) of each piece to be of no known kind, by all of them together.
        ``tints`` (n, 7) are the probabilities of their colours."""
        there = [
            0.0 if one.token else both(one.value, 1.0 - float(kinds[0]), self._weights.something)
            for one, kinds in zip(found, seen.kinds, strict=True)
        ]
        return other_shares(self._weights.other_nats(seen.kinds), tints, np.array(there))

    def _sorts(
        self, found: PieceCandidate, seen: LookReadings, k: int, strange: float, *, inside: bool
    ) -> dict[Sort, float]:
        """Return the probabilities of the sorts of a piece, without impossible ones.
        It is ``found``, the k-th of ``seen``, and of no known kind with probability ``strange``; ``inside``
        of a tile stands none that stands on empty cells."""
        odds = odds_of(found.kinds, seen.kinds[k, 1 : 1 + TOKEN], self._weights.kind) * self._kinds[:TOKEN]
        if inside:
            odds[STAND_OUTSIDE[:TOKEN]] = 0.0
        shares = {sort: float(p) for sort, p in zip(CLASSES, odds / odds.sum(), strict=False) if p > 0}
        standing, lying = (shares.get(sort, 0.0) for sort in MEEPLES)
        if standing > 0 and lying > 0:
            lies = self._weights.of_lying(lying / (standing + lying), float(seen.leans[k]))
            told = ((1.0 - lies) * (standing + lying), lies * (standing + lying))
            shares |= dict(zip(MEEPLES, told, strict=True))
        shares = {sort: p * (1.0 - strange) for sort, p in shares.items()}
        into = MEEPLES if self._discs else (ANY_OTHER,)
        for sort in into:
            shares[sort] = shares.get(sort, 0.0) + strange / len(into)
        return shares

    def _own_colors(self, detector: F32, look: F32) -> float:
        """Return evidence, in nats (≤ 0), for a player's piece from the probabilities of the game's colours.
        ``detector`` (6,) and ``look`` (7,) are the colours' probabilities by the two networks."""
        shares = (float((colors * self._tints[: len(colors)]).sum()) for colors in (detector, look))
        return sum(
            factor * math.log(max(share, 1e-4))
            for factor, share in zip(self._weights.foreign, shares, strict=True)
        )


def _painted(read: Sequence[PieceReading | None], paints: F64, known: Paints) -> list[PieceReading | None]:
    """Return the readings, their colours updated jointly (`vision.pieces.paints`).
    ``paints`` (n, LOOKS) has a row for each reading, ``known`` is the distribution of paints. Readings
    without colours, or whose row is NaN, are unchanged."""
    tinted = [k for k, one in enumerate(read) if one and one.color_probs and np.isfinite(paints[k]).all()]
    if not tinted:
        return list(read)
    odds = np.full((len(tinted), len(ALL_COLORS)), -np.inf)
    weight = np.zeros(len(tinted))
    for row, k in enumerate(tinted):
        one = read[k]
        assert one is not None
        weight[row] = one.confidence if one.confidence >= LEAST else 0.0
        for color, share in one.color_probs.items():
            odds[row, ALL_COLORS.index(color)] = math.log(share)
    shares = known.shares(paints[tinted], odds, weight)
    painted = list(read)
    for row, k in enumerate(tinted):
        one = read[k]
        assert one is not None
        colors = {c: float(p) for c, p in zip(ALL_COLORS, shares[row], strict=True) if p > 0}
        painted[k] = replace(one, color=max(colors, key=lambda c: colors[c]), color_probs=colors)
    return painted


@dataclass(frozen=True, slots=True, eq=False)
class _Calm:
    """Cache key of the last reading.
    It holds the view from above, shrunk and blurred against noise, and the corners and faces of the tiles."""

    small: F32
    laid: tuple[object, ...]

    @classmethod
    def of(cls, view: Ortho, pose: BoardPose, faces: Mapping[Cell, ExpectedFace]) -> _Calm:
        """Compute the key of one picture."""
        size = (max(view.image.shape[1] // 4, 1), max(view.image.shape[0] // 4, 1))
        small = cv2.GaussianBlur(cv2.resize(view.image, size, interpolation=cv2.INTER_AREA), (0, 0), 1.0)
        tiles = tuple((cell, quad.tobytes()) for cell, quad in pose.quads.items())
        prints = tuple((cell, face.picture.ctypes.data, face.turn) for cell, face in faces.items())
        return cls(np.asarray(small, np.float32), (view.origin_xy, tiles, prints))

    def as_in(self, before: _Calm) -> bool:
        """Whether board, faces and picture are unchanged since the key ``before``, except for noise."""
        if self.laid != before.laid or self.small.shape != before.small.shape:
            return False
        return bool(np.abs(self.small - before.small).max() < PARAMS.calm_levels)


def _strongest(found: Sequence[PieceCandidate]) -> list[PieceCandidate]:
    """Return the MOST_LOOKED_AT likeliest pieces and as many animal tiles, in the order of ``found``.
    All are returned if there are fewer."""
    ranked = sorted(found, key=lambda candidate: -candidate.value)
    kept = {
        id(c) for token in (False, True) for c in [c for c in ranked if c.token is token][:MOST_LOOKED_AT]
    }
    return [candidate for candidate in found if id(candidate) in kept]


def _each_once(
    readings: Sequence[PieceReading], pose: BoardPose, least: Mapping[PieceKind, float]
) -> tuple[PieceReading, ...]:
    """Return the readings without duplicates, most probable first.
    Each reading's confidence is reduced given the surer ones nearby (`_given`), and it is left out if it
    falls below ``least`` of its kind."""
    kept: list[PieceReading] = []
    for reading in sorted(readings, key=lambda r: -r.confidence):
        alike = [other for other in kept if (other.kind == "token") == (reading.kind == "token")]
        if any(math.dist(other.lattice_xy, reading.lattice_xy) < PARAMS.same_piece_sides for other in alike):
            continue
        if reading.kind != "token":
            given = _given(reading, alike, pose)
            if given < least.get(reading.kind, LEAST):
                continue
            reading = replace(reading, confidence=given)
        kept.append(reading)
    return tuple(sorted(kept, key=lambda r: -r.confidence))


def _given(reading: PieceReading, surer: Sequence[PieceReading], pose: BoardPose) -> float:
    """Return the probability of a piece given the ``surer`` ones around it, because bodies need room.
    Distances are in the picture, in tile sides, because standing pieces occlude what is behind them. A second
    peak of the same colour is likely the body of the first piece, one of another colour its shadow or the
    print beside it."""
    side_px = px_per_tile(np.asarray(pose.H_px_from_lattice, np.float64), np.asarray(reading.lattice_xy))
    against = 0.0
    for other in surer:
        far = math.dist(other.point_px, reading.point_px) / side_px
        same = sum(p * reading.color_probs.get(c, 0.0) for c, p in other.color_probs.items())
        body = PARAMS.body_nats_per_side * max(PARAMS.body_sides - far, 0.0)
        room = PARAMS.room_nats_per_side * max(PARAMS.room_sides - far, 0.0)
        against = max(against, same * body + (1 - same) * room)
    return sigmoid(log_odds(reading.confidence) - against)


def _as_before(before: tuple[F64, Looks, LookReadings] | None, places: F64, looks: Looks) -> dict[int, int]:
    """Map the index of each unchanged look to the index of its look in the previous picture.
    ``before`` holds that picture's places, looks and readings; {} without it."""
    if before is None or not len(before[0]) or not len(places):
        return {}
    known = {}
    for k, at in enumerate(places):
        off = np.hypot(*(before[0] - at).T)
        old = int(off.argmin())
        if off[old] < PARAMS.same_look_sides:
            change = np.abs(looks.pictures[k, :3] - before[1].pictures[old, :3]).mean() * 127.5
            if change < PARAMS.same_look_levels:
                known[k] = old
    return known


def _well_inside(pose: BoardPose, lattice_xy: tuple[float, float]) -> bool:
    """Whether a point lies on a tile of the pose, at least 0.15 sides from its edges."""
    x, y = lattice_xy
    cell = cell_of(lattice_xy)
    rim = min(x - cell[0], cell[0] + 1 - x, y - cell[1], cell[1] + 1 - y)
    return cell in pose.quads and rim > 0.15


def place_in_tiles(pose: BoardPose, lattice: F64, point_px: F64) -> tuple[float, float] | None:
    """Return the lattice point of a piece; None if no tile is within one cell of it.
    On a tile it is computed from the tile's corners by ``point_px``; beside the board it is ``lattice``, the
    point by the homography."""
    cell = (math.floor(lattice[0]), math.floor(lattice[1]))
    best: tuple[float, tuple[float, float]] | None = None
    near = False
    for dx in (0, -1, 1):
        for dy in (0, -1, 1):
            c = (cell[0] + dx, cell[1] + dy)
            quad = pose.quads.get(c)
            if quad is None:
                continue
            near = True
            u, v = uv_in_quad(quad, point_px)
            outside = max(-u, u - 1, -v, v - 1)
            if best is None or outside < best[0]:
                best = (outside, (c[0] + u, c[1] + v))
    if not near:
        return None
    if best is not None and best[0] <= PARAMS.on_tile_sides:
        x, y = best[1]
        if best[0] > 0:  # in the gap between tiles: keep it in the tile it touches
            c = (round(x - 0.5), round(y - 0.5))
            x, y = (min(max(t, k + 1e-3), k + 1 - 1e-3) for t, k in ((x, c[0]), (y, c[1])))
        return (x, y)
    return (float(lattice[0]), float(lattice[1]))
