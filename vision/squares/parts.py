"""Parts of a board of squares: location of the board, and arrangement of its known parts.

The board consists of four parts in a square, in any order and rotation. SIFT features of one part determine
the plane; the arrangement of the others is the one whose prints correlate best with the picture. Then every
part is registered with its print (`vision.tiles.registration`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import permutations

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from vision.geometry.homography import SQUARE
from vision.geometry.lattice import Lattice, cell_corners
from vision.locate.sift_matches import root_sift
from vision.observation import BoardPose, CellReading, Image, Quad, Sight
from vision.squares.params import PARAMS
from vision.tiles.gallery import Gallery
from vision.tiles.registration import CornerPrior, FaceTemplates, align, normalised, outlined_prior

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]

ACROSS = 2
"""Number of parts per side of the board."""
CELLS: tuple[Cell, ...] = tuple((x, y) for y in range(ACROSS) for x in range(ACROSS))
"""Cells of the parts."""
LOOKS = ((360_000.0, 2000), (1_000_000.0, 9000))
"""(Pixels of the picture, maximum number of features) of each attempt. A busy table has many features of its
own, so that a second, slower attempt may be needed."""
FACE_FEATURES = 900
"""Maximum number of features of a part's face."""
STARTS = 3
"""Maximum number of parts from which the search for the others is started."""
LOOK_PX, REACH_PX = 48, 4
"""Side of a part when arrangements are compared, and its maximum displacement, in pixels."""

PREDICTED_PX = (48, 48, 96, 96)
"""Registration scales, in pixels per side, for a part predicted from its neighbour's plane."""
FOLLOWED_PX = (96, 96, 128)
"""Registration scales, in pixels per side, for a part measured before or together with the others."""


@dataclass(frozen=True, slots=True, eq=False)
class FoundParts:
    """A located board of parts.
    ``pose`` has the parts' corners by cell; ``cells`` are their readings, as for tiles; ``likeness`` -1..1 is
    the mean correlation of the picture with the prints."""

    pose: BoardPose
    cells: Mapping[Cell, CellReading]
    likeness: float

    def face(self, cell: Cell) -> tuple[int, int]:
        """The likeliest (design index, clockwise quarter turns) in a cell."""
        return divmod(int(self.cells[cell].log_probs.argmax()), 4)


@dataclass(frozen=True, slots=True, eq=False)
class _Features:
    points: F64
    descriptors: F32


class PartsFinder:
    """Finder of one gallery's board; it caches the faces' features.
    Raises ValueError if the gallery has fewer designs than the board has parts."""

    def __init__(self, gallery: Gallery) -> None:
        if len(gallery.designs) < len(CELLS):
            raise ValueError(f"a board of {len(CELLS)} parts needs as many faces, not {len(gallery.designs)}")
        first = [int(np.flatnonzero(gallery.face_design == d)[0]) for d in range(len(gallery.designs))]
        self.faces = gallery.faces[first]
        self._templates = FaceTemplates(self.faces)
        self._features = [_features(face, FACE_FEATURES) for face in self.faces]
        small = [cv2.resize(face, (LOOK_PX, LOOK_PX), interpolation=cv2.INTER_AREA) for face in self.faces]
        turned = [np.rot90(face, -turn) for face in small for turn in range(4)]
        self._looks = [normalised(np.ascontiguousarray(face, np.uint8)) for face in turned]

    def find(self, sight: Sight) -> FoundParts | None:
        """Find the board in a picture without prior knowledge; None if there is none.
        North is chosen so that the south-west corner is the one nearest the image's lower left
        (docs/formats.md, 'Photographs with truth')."""
        for pixels, features in LOOKS:
            for face, quad in self._starts(sight, pixels, features):
                arranged = self._arranged(sight, face, quad)
                found = self._measured(sight, *arranged) if arranged is not None else None
                if found is not None:
                    return _named_by_image(found)
        return None

    def follow(self, sight: Sight, before: FoundParts) -> FoundParts | None:
        """Track the board from an earlier picture; None if it is no longer there."""
        faces = {cell: before.face(cell) for cell in CELLS}
        own = {cell: np.asarray(quad, np.float64) for cell, quad in before.pose.quads.items()}
        return self._registered(sight, own, faces, outlined_prior(scales_px=FOLLOWED_PX))

    # -- one part, by its features --------------------------------------------------------------

    def _starts(self, sight: Sight, pixels: float, features: int) -> Iterator[tuple[int, F64]]:
        """Yield parts found by their features as (face index, own corners (4, 2) px), most inliers first.
        ``pixels`` is the size to which the picture is shrunk, ``features`` the maximum number of its
        features."""
        scale = min(1.0, float(np.sqrt(pixels / math.prod(sight.size_wh))))
        small = sight.image
        if scale < 1.0:
            small = np.asarray(
                cv2.resize(sight.image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8
            )
        seen = _features(small, features)
        found = []
        for face, known in enumerate(self._features):
            fitted = _fitted(known, seen)
            if fitted is not None:
                found.append((fitted[0], face, (fitted[1] + 0.5) / scale - 0.5))
        for _, face, quad in sorted(found, key=lambda item: -item[0])[:STARTS]:
            yield face, quad

    # -- all parts, by their prints -------------------------------------------------------------

    def _arranged(
        self, sight: Sight, face: int, own: F64
    ) -> tuple[dict[Cell, F64], dict[Cell, tuple[int, int]]] | None:
        """Return quads and (face, quarter turns) of all parts by cell, given one part.

        ``face`` is the part's index, ``own`` its own corners (4, 2) px. The arrangement is the one that
        correlates best with the picture. None if the plane passes behind the camera.
        """
        around = [(x, y) for y in (-1, 0, 1) for x in (-1, 0, 1)]
        to_px = cv2.getPerspectiveTransform(SQUARE, own.astype(np.float32)).astype(np.float64)
        corners = cell_corners(around)
        depth = corners @ to_px[2, :2] + to_px[2, 2]
        if (depth <= 0.05).any():
            return None
        quads = cv2.perspectiveTransform(corners.reshape(1, -1, 2), to_px).reshape(-1, 4, 2)
        wide = 1.0 + 2.0 * REACH_PX / LOOK_PX
        grown = quads.mean(axis=1, keepdims=True) + wide * (quads - quads.mean(axis=1, keepdims=True))
        crops = sight.crops(grown, LOOK_PX + 2 * REACH_PX)
        alike = {
            cell: np.array([_best_alike(normalised(crop), look) for look in self._looks]).reshape(-1, 4)
            for cell, crop in zip(around, crops, strict=True)
        }
        others = [f for f in range(len(self.faces)) if f != face]
        best: tuple[float, tuple[Cell, ...], tuple[int, ...]] | None = None
        for x0 in (-1, 0):
            for y0 in (-1, 0):
                rest = [(x0 + x, y0 + y) for x, y in CELLS if (x0 + x, y0 + y) != (0, 0)]
                for chosen in permutations(others, len(rest)):
                    total = sum(float(alike[c][f].max()) for c, f in zip(rest, chosen, strict=True))
                    if best is None or total > best[0]:
                        best = (total, tuple(rest), chosen)
        if best is None:
            return None
        _, others_at, chosen = best
        faces = {(0, 0): (face, 0)}
        faces |= {c: (f, int(alike[c][f].argmax())) for c, f in zip(others_at, chosen, strict=True)}
        x0, y0 = min(c[0] for c in faces), min(c[1] for c in faces)
        place = dict(zip(around, np.asarray(quads, np.float64), strict=True))
        return (
            {(x - x0, y - y0): place[x, y] for x, y in faces},
            {(x - x0, y - y0): what for (x, y), what in faces.items()},
        )

    def _measured(
        self, sight: Sight, quads: dict[Cell, F64], faces: dict[Cell, tuple[int, int]]
    ) -> FoundParts | None:
        """Register all parts: twice from predicted quads with a lattice fit in between, then finely.
        None if the prints correlate too little with the picture."""
        size_wh = sight.size_wh
        for _ in range(2):
            found = self._registered(
                sight, quads, faces, outlined_prior(PARAMS.predicted_spread, PREDICTED_PX)
            )
            if found is None:
                return None
            measured = [np.asarray(found.pose.quads[cell], np.float64) for cell in CELLS]
            lattice = Lattice.fit(cell_corners(CELLS), np.concatenate(measured), size_wh)
            quads = dict(zip(CELLS, lattice.quads(CELLS), strict=True))
        return self._registered(sight, quads, faces, outlined_prior(scales_px=FOLLOWED_PX))

    def _registered(
        self,
        sight: Sight,
        quads: Mapping[Cell, F64],
        faces: Mapping[Cell, tuple[int, int]],
        prior: CornerPrior,
    ) -> FoundParts | None:
        """Register every part with its print, starting at ``quads`` (nw, ne, se, sw of the cell).
        ``faces`` are the parts' (face, quarter turns), ``prior`` is that of registration. None if the mean
        correlation, without the worst part, is below its least."""
        own = np.stack([np.roll(quads[cell], -faces[cell][1], axis=0) for cell in CELLS])
        aligned = align(sight, own, [faces[cell][0] for cell in CELLS], self._templates, prior)
        likeness = float(np.sort(aligned.likeness)[1:].mean())  # without the worst, which may be occluded
        if likeness < prior.least_correlation:
            return None
        size_wh = sight.size_wh
        placed: dict[Cell, Quad] = {}
        cells: dict[Cell, CellReading] = {}
        for i, cell in enumerate(CELLS):
            face, turn = faces[cell]
            quad = np.roll(aligned.quads[i], turn, axis=0).astype(np.float32)
            odds = np.full(
                (len(self.faces), 4), -PARAMS.nats_per_fit * max(float(aligned.likeness[i]), 0.0), np.float32
            )
            odds[face, turn] = 0.0
            odds -= np.log(np.exp(odds).sum())
            placed[cell] = quad
            cells[cell] = CellReading(
                cell, quad, odds, PARAMS.nats_per_fit * (float(aligned.likeness[i]) - 0.1)
            )
        corners = np.concatenate([placed[cell] for cell in CELLS]).astype(np.float64)
        flat = Lattice.fit(cell_corners(CELLS), corners, size_wh, with_lens=False)
        pose = BoardPose(
            flat.H / flat.H[2, 2], placed, size_wh, min(1.0, likeness / 0.6), dict.fromkeys(CELLS, 1.0)
        )
        return FoundParts(pose, cells, likeness)


def renamed(found: FoundParts, turns: int) -> FoundParts:
    """Return a board with its cell names rotated by ``turns`` quarter turns clockwise."""
    turns %= 4
    if turns == 0:
        return found
    quads: dict[Cell, Quad] = {}
    cells: dict[Cell, CellReading] = {}
    for cell, reading in found.cells.items():
        x, y = cell
        for _ in range(turns):
            x, y = ACROSS - 1 - y, x
        quad = np.roll(reading.corners_px, turns, axis=0)
        quads[x, y] = quad
        odds = np.roll(reading.log_probs, turns, axis=1)
        cells[x, y] = replace(reading, cell=(x, y), corners_px=quad, log_probs=odds)
    corners = np.concatenate([quads[cell] for cell in CELLS]).astype(np.float64)
    flat = Lattice.fit(cell_corners(CELLS), corners, found.pose.image_size_wh, with_lens=False)
    pose = replace(found.pose, H_px_from_lattice=flat.H / flat.H[2, 2], quads=quads)
    return FoundParts(pose, cells, found.likeness)


def named_as(found: FoundParts, before: FoundParts) -> FoundParts:
    """Return a board with its cell names rotated so that its parts match those of ``before``.
    It is unchanged if no rotation does."""
    for turns in range(4):
        one = renamed(found, turns)
        if all(one.face(cell) == before.face(cell) for cell in CELLS):
            return one
    return found


def outer_corners(pose: BoardPose) -> F64:
    """Return the board's outer corners nw, ne, se, sw (4, 2) in pixels."""
    last = ACROSS - 1
    at: tuple[Cell, ...] = ((0, 0), (last, 0), (last, last), (0, last))
    return np.stack([np.asarray(pose.quads[cell][i], np.float64) for i, cell in enumerate(at)])


def _named_by_image(found: FoundParts) -> FoundParts:
    """Return a board with its cell names rotated so that its south-west is nearest the image's lower left."""
    lower_left = np.array([0.0, found.pose.image_size_wh[1]])
    nearest = int(np.linalg.norm(outer_corners(found.pose) - lower_left, axis=1).argmin())
    return renamed(found, 3 - nearest)


def _features(picture: Image, most: int) -> _Features:
    """Extract at most ``most`` RootSIFT features of a picture."""
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    sift = cv2.SIFT.create(nfeatures=most, contrastThreshold=0.015)
    keypoints, descriptors = sift.detectAndCompute(grey, None)
    if descriptors is None:
        return _Features(np.zeros((0, 2)), np.zeros((0, 128), np.float32))
    points = np.array([k.pt for k in keypoints], np.float64).reshape(-1, 2)
    return _Features(points, root_sift(np.asarray(descriptors, np.float32)))


def _fitted(known: _Features, seen: _Features) -> tuple[int, F64] | None:
    """Locate a face by its features ``known`` among those of the picture, ``seen``.
    Returns the number of inliers, and its own corners (4, 2) px. None if too few features match or the
    corners form no plausible quadrilateral."""
    if min(len(known.points), len(seen.points)) < PARAMS.least_inliers:
        return None
    alike = seen.descriptors @ known.descriptors.T
    best = alike.argmax(axis=1)
    rows = np.arange(len(alike))
    first = alike[rows, best]
    alike[rows, best] = -1.0
    second = alike.max(axis=1)
    kept = np.flatnonzero((1.0 - first) < PARAMS.feature_ratio**2 * (1.0 - second))
    if len(kept) < PARAMS.least_inliers:
        return None
    unit = (known.points[best[kept]] + 0.5) / FACE_SIDE_PX
    to_px, inside = cv2.findHomography(
        unit.reshape(-1, 1, 2), seen.points[kept].reshape(-1, 1, 2), cv2.USAC_MAGSAC, 3.0, None, 5000, 0.999
    )
    if to_px is None or int(inside.sum()) < PARAMS.least_inliers:
        return None
    quad = cv2.perspectiveTransform(
        SQUARE.astype(np.float64).reshape(1, -1, 2), np.asarray(to_px, np.float64)
    )
    own = np.asarray(quad, np.float64).reshape(4, 2)
    return (int(inside.sum()), own) if _plausible(own) else None


FACE_SIDE_PX = 256.0
"""Side of a gallery's faces."""


def _plausible(own: F64) -> bool:
    """Whether corners (4, 2) px form a convex, unmirrored quadrilateral that is not tiny or too uneven."""
    edges = np.roll(own, -1, axis=0) - own
    after = np.roll(edges, -1, axis=0)
    cross = edges[:, 0] * after[:, 1] - edges[:, 1] * after[:, 0]
    lengths = np.linalg.norm(edges, axis=1)
    return bool((cross > 0).all() and lengths.min() > 30.0 and lengths.max() < 5.0 * lengths.min())


def _best_alike(seen: F32, look: F32) -> float:
    """Return the maximum correlation (-1..1), over shifts, of a print ``look`` in a larger picture."""
    return float(np.asarray(cv2.matchTemplate(seen, look, cv2.TM_CCOEFF_NORMED)).max())
