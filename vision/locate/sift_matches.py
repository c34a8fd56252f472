"""SIFT matches: finds known faces in a frame; each gives a tile's quad in the image.

SIFT features of the frame are matched with those of a gallery's faces. Every match predicts a tile (centre,
size, rotation); consistent matches of one face are fitted by an affine pose. A few sure seeds determine the
lattice (`vision.locate.lattice_search.find_lattices`).
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from models.threads import threads
from vision.geometry.homography import UNIT_SQUARE
from vision.locate.heatmap import Heat
from vision.locate.params import PARAMS
from vision.observation import Image, Sight, mean_sides_px

FACE_PX, FACE_FEATURES = 112, 110
"""Side, in pixels, at which faces are described, about the size of tiles in a frame; and the maximum number
of features, and of matches, per face."""
FRAME_PX, FRAME_FEATURES = 700_000.0, 2500
"""Maximum number of pixels and of features of a frame; more find little more."""
MIN_INLIERS = 6
"""Minimum number of features that agree on a face."""
MATCHED_AT_ONCE = 320
"""Number of frame features matched at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Seed:
    """One known face in the image.

    ``quad`` (4, 2) are the pixels of the face's own nw, ne, se, sw; ``inliers`` is the number of features
    that agree on it.
    """

    face: int
    quad: NDArray[np.float64]
    inliers: int


def root_sift(descriptors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Convert SIFT descriptors (n, 128) to RootSIFT, whose dot product is the Hellinger kernel.
    (Arandjelović and Zisserman, 'Three things everyone should know to improve object retrieval', CVPR
    2012.)"""
    unit = descriptors / np.maximum(np.abs(descriptors).sum(axis=1, keepdims=True), 1e-6)
    return np.asarray(np.sqrt(unit), dtype=np.float32)


def _geometry(keypoints: list[cv2.KeyPoint]) -> NDArray[np.float64]:
    """Return keypoints as rows (n, 4) of x, y, size, angle in radians."""
    return np.array(
        [(k.pt[0], k.pt[1], k.size, np.deg2rad(k.angle)) for k in keypoints], dtype=np.float64
    ).reshape(-1, 4)


class FaceIndex:
    """Index of the features of a gallery's faces; it takes some seconds per hundred faces to build.

    ``faces`` has shape (n, S, S, 3), BGR uint8. Coordinates inside a face run 0..1.
    """

    def __init__(self, faces: NDArray[np.uint8]) -> None:
        sift = cv2.SIFT.create(nfeatures=FACE_FEATURES, contrastThreshold=0.02)
        descriptors: list[NDArray[np.float32]] = []
        geometry: list[NDArray[np.float64]] = []
        owners: list[NDArray[np.int64]] = []
        for index, face in enumerate(faces):
            small = cv2.resize(face, (FACE_PX, FACE_PX), interpolation=cv2.INTER_AREA)
            grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
            keypoints, found = sift.detectAndCompute(grey, None)
            if found is None:
                continue
            rows = _geometry(list(keypoints))
            rows[:, :3] /= FACE_PX
            descriptors.append(root_sift(found))
            geometry.append(rows)
            owners.append(np.full(len(rows), index))
        self.count = len(faces)
        self.descriptors = np.concatenate(descriptors) if descriptors else np.zeros((0, 128), np.float32)
        self.geometry = np.concatenate(geometry) if geometry else np.zeros((0, 4))
        self.owners = np.concatenate(owners) if owners else np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """SIFT features of a picture, or of a part of it.

    ``geometry`` (n, 4) is that of `_geometry`, in pixels of the part shrunk by ``scale``, which begins at
    ``origin`` (x, y) px; ``descriptors`` (n, 128) are RootSIFT.
    """

    geometry: NDArray[np.float64]
    descriptors: NDArray[np.float32]
    scale: float
    origin: tuple[int, int]

    def to_frame(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Map points (n, 2) of ``geometry`` to pixels (n, 2) of the picture."""
        return np.asarray((points + 0.5) / self.scale - 0.5 + np.array(self.origin), np.float64)


Box = tuple[int, int, int, int]
"""Part of a picture in pixels: x0, y0, x1, y1."""


def is_plain(sight: Sight) -> bool:
    """Whether a picture has nothing that could be matched: hardly any corner (FAST), as a bare wall has."""
    corners = cv2.FastFeatureDetector.create(PARAMS.corner_levels).detect(_shrunk_grey(sight.image)[0])
    return len(corners) < PARAMS.fewest_corners


def features_of(sight: Sight, part: Box | None = None) -> Features:
    """Return the features of a picture or of a ``part`` of it, shrunk to at most `FRAME_PX` pixels."""
    x0, y0, x1, y1 = part or (0, 0, *sight.size_wh)
    grey, scale = _shrunk_grey(sight.image[y0:y1, x0:x1])
    sift = cv2.SIFT.create(nfeatures=FRAME_FEATURES, contrastThreshold=0.02)
    keypoints, found = sift.detectAndCompute(grey, None)
    described = np.zeros((0, 128), np.float32) if found is None else np.asarray(found, np.float32)
    return Features(_geometry(list(keypoints)), root_sift(described), scale, (x0, y0))


def _shrunk_grey(image: Image) -> tuple[NDArray[np.uint8], float]:
    """Return a picture in grey, shrunk to at most `FRAME_PX` pixels, and the scale, at most 1."""
    scale = min(1.0, float(np.sqrt(FRAME_PX / (image.shape[0] * image.shape[1]))))
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    if scale < 1.0:
        grey = cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return np.asarray(grey, np.uint8), scale


def seed_quads(
    sight: Sight, index: Callable[[], FaceIndex], heat: Heat
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return quads (n, 4, 2) of known faces in pixels, and their weights (n,).
    The weights are above 1 because false matches of faces are rare. The area in which the heat map sees faces
    is searched first, because features of a whole frame are slow. ``index`` gives the faces; it is asked only
    if the picture has features enough for one."""
    part = heat.face_area()
    seeds = find_seeds(sight, index, part) if part is not None else []
    if len(seeds) < 2:
        seeds = find_seeds(sight, index)
    if not seeds:
        return np.zeros((0, 4, 2)), np.zeros(0)
    strength = np.array([1.0 + min(seed.inliers / PARAMS.sure_inliers, 2.0) for seed in seeds])
    return np.array([seed.quad for seed in seeds]), strength


def find_seeds(sight: Sight, index: Callable[[], FaceIndex], part: Box | None = None) -> list[Seed]:
    """Find the gallery's faces in a picture or in a ``part`` of it, most inliers first.

    Poses are affine, accurate to a few hundredths of a tile; a face may be found several times.
    """
    seen = sight.once(features_of, part)
    if len(seen.geometry) < MIN_INLIERS or not len(index().owners):
        return []
    seeds = _group(seen.geometry, index(), *_match(seen.descriptors, index().descriptors))
    return [replace(seed, quad=seen.to_frame(seed.quad)) for seed in seeds]


def _match(
    frame: NDArray[np.float32], faces: NDArray[np.float32]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
    """Match descriptors (n, 128) of the frame with those of faces.

    Returns arrays of frame row, face row and cosine similarity, at least `similar` and near the feature's
    best. A frame feature may match several faces, because art repeats its motifs; the poses resolve the
    ambiguity.
    """

    def pairs(begin: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
        """Match a chunk of frame features."""
        cosine = frame[begin : begin + MATCHED_AT_ONCE] @ faces.T
        best = cosine.max(axis=1)
        matched = np.flatnonzero(best >= PARAMS.similar)  # most features of a table match nothing
        cosine = cosine[matched]
        row, col = np.nonzero(cosine >= np.maximum(best[matched, None] - 0.03, PARAMS.similar))
        return matched[row] + begin, col, cosine[row, col]

    with ThreadPoolExecutor(threads()) as pool:
        found = list(pool.map(pairs, range(0, len(frame), MATCHED_AT_ONCE)))
    rows, cols, alike = zip(*found, strict=True)
    return np.concatenate(rows), np.concatenate(cols), np.concatenate(alike)


def _group(
    frame: NDArray[np.float64],
    index: FaceIndex,
    rows: NDArray[np.int64],
    cols: NDArray[np.int64],
    alike: NDArray[np.float32],
) -> list[Seed]:
    """Group matches by face and by the tile's centre, size and rotation, and fit an affine map to each.
    ``frame`` are the frame's features (n, 4) as of `_geometry`; ``rows``, ``cols`` and ``alike`` are those of
    `_match`. Returns non-overlapping seeds, most inliers first."""
    owners = index.owners[cols]
    order = np.lexsort((-alike, owners))
    rows, cols, owners = rows[order], cols[order], owners[order]
    bounds = np.searchsorted(owners, np.arange(index.count + 1))
    seeds: list[Seed] = []
    for face in range(index.count):
        span = slice(bounds[face], min(bounds[face + 1], bounds[face] + FACE_FEATURES))
        if span.stop - span.start >= MIN_INLIERS:
            seeds.extend(_poses_of_face(face, frame[rows[span]], index.geometry[cols[span]]))
    return _without_rivals(seeds)


def _poses_of_face(face: int, seen: NDArray[np.float64], known: NDArray[np.float64]) -> list[Seed]:
    """Return all poses of one face, by its matched features in the frame and in the face.
    ``seen`` and ``known`` (m, 4) are rows of x, y, size, angle."""
    side = seen[:, 2] / known[:, 2]
    turn = seen[:, 3] - known[:, 3]
    cos, sin = np.cos(turn), np.sin(turn)
    to_centre = 0.5 - known[:, :2]
    centre = seen[:, :2] + side[:, None] * np.stack(
        [cos * to_centre[:, 0] - sin * to_centre[:, 1], sin * to_centre[:, 0] + cos * to_centre[:, 1]], axis=1
    )
    # The squared distance of two centres, in mean sides.
    apart = (centre[:, None, 0] - centre[:, 0]) ** 2 + (centre[:, None, 1] - centre[:, 1]) ** 2
    gap = apart / (side[:, None] * side)
    octave = np.log(side)
    size = np.abs(octave[:, None] - octave)
    agree = (gap < 0.30**2) & (size < 0.45) & (np.outer(cos, cos) + np.outer(sin, sin) > np.cos(0.45))
    free = np.ones(len(seen), dtype=bool)
    seeds: list[Seed] = []
    while True:
        votes = (agree & free[None]).sum(axis=1) * free
        best = int(votes.argmax())
        if votes[best] < MIN_INLIERS - 1:
            return seeds
        group = agree[best] & free
        fitted = _affine(known[:, :2], seen[:, :2], group & free, free & (gap[best] < 0.8**2))
        free &= ~group
        if fitted is None:
            continue
        matrix, inliers = fitted
        quad = UNIT_SQUARE @ matrix[:2] + matrix[2]
        # One feature of the frame may match twice in the face: it counts once.
        count = len(np.unique(seen[inliers, :2].round(1), axis=0))
        free &= ~inliers
        if count >= MIN_INLIERS and _looks_like_a_tile(quad):
            seeds.append(Seed(face, quad, count))


def _affine(
    known: NDArray[np.float64],
    seen: NDArray[np.float64],
    group: NDArray[np.bool_],
    nearby: NDArray[np.bool_],
) -> tuple[NDArray[np.float64], NDArray[np.bool_]] | None:
    """Fit an affine map (3, 2) from face to image to the mask ``group``, then to the inliers in ``nearby``.
    ``known`` and ``seen`` (m, 2) are the points. Returns the map with the mask (m,) of its inliers, None if
    degenerate."""
    chosen = group
    matrix: NDArray[np.float64] = np.zeros((3, 2))
    every = np.column_stack([known, np.ones(len(known))])
    for tolerance in (0.16, 0.09, 0.06, 0.05):
        if chosen.sum() < 4 or known[chosen].std(axis=0).min() < 0.04:
            return None
        design, goal = every[chosen], seen[chosen]
        weights = np.ones(len(design))
        for _ in range(2):
            normal = design.T @ (design * weights[:, None])
            right = design.T @ (goal * weights[:, None])
            matrix = np.asarray(np.linalg.solve(normal + 1e-9 * np.eye(3), right), np.float64)
            side = float(np.sqrt(abs(np.linalg.det(matrix[:2])))) + 1e-6
            off = design @ matrix - goal
            weights = 1.0 / (1.0 + (off * off).sum(axis=1) / (0.05 * side) ** 2)
        off = every @ matrix - seen
        chosen = nearby & ((off * off).sum(axis=1) < (tolerance * side) ** 2)
    return (matrix, chosen) if chosen.sum() >= 4 else None


def _looks_like_a_tile(quad: NDArray[np.float64]) -> bool:
    """Whether a quad (4, 2) px may be a tile's image: unmirrored, not tiny, and not too foreshortened.
    It may be a square seen from at least about 25° above the table."""
    along, down = quad[1] - quad[0], quad[3] - quad[0]
    cross = float(along[0] * down[1] - along[1] * down[0])
    lengths = np.linalg.svd(np.stack([along, down]), compute_uv=False)
    return cross > 0 and lengths[1] > 0.36 * lengths[0] and lengths[1] > 14.0


def _without_rivals(seeds: list[Seed]) -> list[Seed]:
    """Return the seeds without those that overlap a seed of more inliers (non-maximum suppression)."""
    kept: list[Seed] = []
    for seed in sorted(seeds, key=lambda s: -s.inliers):
        centre = seed.quad.mean(axis=0)
        side = float(mean_sides_px(seed.quad))
        if all(np.linalg.norm(centre - other.quad.mean(axis=0)) > 0.5 * side for other in kept):
            kept.append(seed)
    return kept
