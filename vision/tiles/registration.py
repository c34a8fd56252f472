"""Registration: aligns each recognised tile with its gallery face, which gives its exact corners.

Outlines give a tile's corners to about a hundredth of its side, less accurately next to other tiles.
Registration of the print is several times as accurate. It uses the inverse compositional algorithm (Baker and
Matthews, 'Lucas-Kanade 20 years on', IJCV 2004) on locally normalised brightness, to be invariant to light
and ink, with robust weights against pieces, hands and glare.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.homography import SQUARE
from vision.observation import Sight, mean_sides_px
from vision.tiles.params import PARAMS

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]

FAINT = 0.02
"""Contrast of normalised brightness that is added before the division in the agreement."""
FINE_PX = 64
"""Pixels per side from which agreement is squared, because a piece's contour biases more than print does. At
coarser scales a tile is still misaligned and little agrees, so all of it must count. On 112 own scenes 99 of
100 corners are within 2.15 % of a side (2.3 % unsquared)."""
SEARCH_SIDES, SEARCH_PX = 0.45, 48
"""Radius of the search for a face around its tile, in tile sides, and its scale in pixels per side; farther
away is the neighbour's cell."""


@dataclass(frozen=True)
class CornerPrior:
    """Prior of a tile's corners.

    ``spread`` multiplies the standard deviations of an outline's position and rotation
    (`TilesParams.outline_place_sd`, ``outline_turn_sd``), ``shape_spread`` those of its size and shape.
    ``least_correlation`` (-1 to 1) is the minimum correlation of print and photograph for a registration to
    be accepted; it may be lower for a narrow prior. ``scales_px`` are the scales of the rounds, in pixels per
    side, coarse first.
    """

    spread: float
    shape_spread: float
    least_correlation: float
    scales_px: tuple[int, ...]

    def strength(self) -> F64:
        """Precision matrix (8, 8) of the corners' moves (nw x, nw y, ne x, …)."""
        u, v = SQUARE[:, 0] - 0.5, SQUARE[:, 1] - 0.5
        one, zero = np.ones(4), np.zeros(4)
        place, turn = self.spread * PARAMS.outline_place_sd, self.spread * PARAMS.outline_turn_sd
        size, bend = self.shape_spread * PARAMS.outline_size_sd, self.shape_spread * PARAMS.outline_bend_sd
        cov = bend**2 * np.eye(8)
        for sd, way in ((place, (one, zero)), (place, (zero, one)), (size, (u, v)), (turn, (-v, u))):
            corners = np.stack(way, axis=1).ravel()
            cov += sd**2 * np.outer(corners, corners)
        return np.asarray(np.linalg.inv(cov))


def outlined_prior(spread: float = 1.0, scales_px: tuple[int, ...] = (32, 32, 64)) -> CornerPrior:
    """Return the prior of a tile whose outline was measured by itself.
    ``spread`` multiplies an outline's standard deviations, ``scales_px`` are the scales of registration."""
    return CornerPrior(spread, spread, PARAMS.least_correlation, scales_px)


def laid_prior() -> CornerPrior:
    """Return the prior of a tile whose plane and size are known from all tiles (`vision.geometry.rigid`)."""
    return CornerPrior(PARAMS.laid_spread, PARAMS.laid_shape_spread, PARAMS.laid_correlation, scales_px=(64,))


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """Registered tiles: ``quads`` float64 (n, 4, 2) image pixels.
    ``likeness`` (n,) -1..1 is the correlation of photograph and face, ``believed`` (n,) the mask of accepted
    registrations. The other quads are those given."""

    quads: F64
    likeness: F64
    believed: NDArray[np.bool_]


class FaceTemplates:
    """Cache of the registration templates of a gallery's faces, computed on first use.

    ``faces`` is uint8 (n, S, S, 3) BGR, each with its own north up.
    """

    def __init__(self, faces: NDArray[np.uint8]) -> None:
        self._faces = faces
        self._known: dict[tuple[int, int], _Template] = {}

    def of(self, face: int, size_px: int) -> _Template:
        """Return the template of one face, by its index, at ``size_px`` pixels per side."""
        known = self._known.get((face, size_px))
        if known is None:
            small = cv2.resize(self._faces[face], (size_px, size_px), interpolation=cv2.INTER_AREA)
            known = self._known[face, size_px] = _Template(normalised(np.asarray(small, np.uint8)))
        return known


def align(
    sight: Sight,
    quads: NDArray[np.floating],
    faces: list[int],
    templates: FaceTemplates,
    prior: CornerPrior | None = None,
) -> Alignment:
    """Register tiles with their faces.

    ``quads`` (n, 4, 2) are each tile's *own* nw, ne, se, sw in image pixels, ``faces`` the index of each
    tile's face among the templates; ``prior`` defaults to `outlined_prior`. A tile with too little texture or
    a bad fit keeps its corners.
    """
    prior = prior or outlined_prior()
    start = np.asarray(quads, np.float64).reshape(-1, 4, 2)
    likeness = np.zeros(len(start))
    if len(start) == 0:
        return Alignment(start, likeness, np.zeros(0, np.bool_))
    now = start.copy()
    moved = np.zeros((len(start), 8))
    strength = prior.strength()
    for size in prior.scales_px:
        crops = sight.crops(now, size)
        for index, crop in enumerate(crops):
            template = templates.of(faces[index], size)
            step, likeness[index] = template.step(normalised(crop), moved[index], strength)
            now[index] = _through(now[index], SQUARE - step.reshape(4, 2))
            moved[index] += step
    side = mean_sides_px(start)
    far = np.linalg.norm(now - start, axis=2).max(axis=1) / np.maximum(side, 1.0)
    believed = (likeness >= prior.least_correlation) & (far <= PARAMS.farthest_sides)
    return Alignment(np.where(believed[:, None, None], now, start), likeness, believed)


def align_or_search(
    sight: Sight,
    quads: NDArray[np.floating],
    faces: list[int],
    templates: FaceTemplates,
    prior: CornerPrior | None,
    sure: NDArray[np.bool_],
) -> Alignment:
    """Register tiles as `align` does, and search those that did not converge.
    Only tiles in the mask ``sure`` (n,) of certain faces are searched, around their outline, and registered
    from there."""
    first = align(sight, quads, faces, templates, prior)
    astray = np.flatnonzero(~first.believed & sure)
    some = [faces[i] for i in astray]
    moved, found = found_nearby(sight, first.quads[astray], some, templates)
    again = align(sight, moved, some, templates)
    first.quads[astray] = again.quads
    first.believed[astray] = again.believed & found
    return first


def found_nearby(
    sight: Sight, quads: NDArray[np.floating], faces: list[int], templates: FaceTemplates
) -> tuple[F64, NDArray[np.bool_]]:
    """Search tiles with known faces around their supposed quads (n, 4, 2), by normalised cross-correlation.

    Registration only converges from a nearly correct start; this finds the start. Returns the moved quads,
    and a mask (n,) of those found.
    """
    moved = np.asarray(quads, np.float64).reshape(-1, 4, 2).copy()
    found = np.zeros(len(moved), np.bool_)
    if not len(moved):
        return moved, found
    wide = (SQUARE - 0.5) * (1.0 + 2.0 * SEARCH_SIDES) + 0.5
    around = np.stack([_through(quad, wide) for quad in moved])
    crops = sight.crops(around, round(SEARCH_PX * (1.0 + 2.0 * SEARCH_SIDES)))
    rim = round(2 * PARAMS.rim_sides * SEARCH_PX)
    for index, crop in enumerate(crops):
        face = templates.of(faces[index], SEARCH_PX).values[rim:-rim, rim:-rim]
        alike = cv2.matchTemplate(normalised(crop), np.ascontiguousarray(face), cv2.TM_CCOEFF_NORMED)
        _, best, _, (x, y) = cv2.minMaxLoc(alike)
        shift = (np.array([x, y]) - rim) / SEARCH_PX - SEARCH_SIDES
        found[index] = best >= PARAMS.found_correlation
        if found[index]:
            moved[index] = _through(moved[index], SQUARE + shift)
    return moved, found


def normalised(picture: NDArray[np.uint8]) -> F32:
    """Return the brightness (s, s) of a BGR picture (s, s, 3), normalised by local mean and contrast."""
    grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.float32)
    grey = np.asarray(cv2.GaussianBlur(grey, (0, 0), 0.8), np.float32)
    off = grey - _around(grey)
    # Running sums of the box filter may be slightly negative.
    spread = np.sqrt(np.maximum(_around(off * off), 0.0))
    return np.asarray(off / (spread + np.float32(6.0)), np.float32)


def _around(values: F32) -> F32:
    """The local mean (s, s) by two box filters, which approximate a Gaussian at a quarter of the cost."""
    side = 2 * round(PARAMS.neighbourhood_sides / 2 * len(values)) + 1
    return np.asarray(cv2.blur(cv2.blur(values, (side, side)), (side, side)), np.float32)


@dataclass(frozen=True)
class _Template:
    """One face at one scale: its normalised brightness, and its derivatives by the corners."""

    values: F32

    def inner(self, picture: F32) -> F32:
        """The pixels (m,) of a picture (s, s) without its rim."""
        rim = max(1, round(PARAMS.rim_sides * len(picture)))
        return picture[rim:-rim, rim:-rim].reshape(-1)

    @cached_property
    def face(self) -> F32:
        """The face's values (m,) without the rim."""
        return self.inner(self.values)

    @cached_property
    def strength(self) -> F32:
        """The local mean square (s, s) of the face's values."""
        return _near(self.values * self.values)

    @cached_property
    def slopes(self) -> F32:
        """Jacobian (m, 8) of the inner pixels by the corners' moves (nw x, nw y, ne x, … in sides)."""
        size = len(self.values)
        gx = self.inner(np.asarray(cv2.Sobel(self.values, cv2.CV_32F, 1, 0, scale=0.125 * size), np.float32))
        gy = self.inner(np.asarray(cv2.Sobel(self.values, cv2.CV_32F, 0, 1, scale=0.125 * size), np.float32))
        place = ((np.arange(size) + 0.5) / size).astype(np.float32)
        v, u = (self.inner(part) for part in np.meshgrid(place, place, indexing="ij"))
        # Basis of the displacements of a small homography; _WAYS_OF_CORNERS converts it to corner moves.
        zero, one = np.zeros_like(u), np.ones_like(u)
        across = np.stack([one, u, v, zero, zero, zero, u * u, u * v], axis=1)
        down = np.stack([zero, zero, zero, one, u, v, u * v, v * v], axis=1)
        ways = gx[:, None] * across + gy[:, None] * down
        return np.asarray(ways @ _WAYS_OF_CORNERS, np.float32)

    def step(self, seen: F32, moved: F64, belief: F64) -> tuple[F64, float]:
        """Take one Gauss-Newton step; return the further move of the corners (8,), in sides, and a likeness.

        The likeness is the correlation (-1..1) of ``seen`` (s, s), the tile's normalised crop, before the
        move. ``moved`` (8,) is the move so far, relative to the prior's mean; ``belief`` (8, 8) is the
        prior's precision.
        """
        face, shown = self.face, self.inner(seen)
        residual = shown - face
        middle = len(residual) // 2
        spread = max(float(np.partition(np.abs(residual), middle)[middle]) * 1.48, PARAMS.usual_difference)
        weights = self.inner(self._agreement(seen))
        if len(self.values) >= FINE_PX:
            weights = weights * weights
        far = residual * np.float32(1.0 / (PARAMS.outlier_spreads * spread))
        weights = weights / np.square(np.square(far) + np.float32(1.0))
        weighted = self.slopes * weights[:, None]
        scale = 1.0 / (PARAMS.correlated_pixels * spread * spread)
        normal = scale * (weighted.T @ self.slopes) + belief
        right = scale * (weighted.T @ residual) - belief @ moved
        step = np.linalg.solve(np.asarray(normal, np.float64), np.asarray(right, np.float64))
        a, b = face - face.mean(), shown - shown.mean()
        likeness = float((a @ b) / np.sqrt((a @ a) * (b @ b) + 1e-9))
        return np.clip(step, -0.06, 0.06), likeness

    def _agreement(self, seen: F32) -> F32:
        """Return the local correlation (s, s), 0..1, of the face with the normalised crop ``seen`` (s, s).
        It is low at a piece, but high nearly everywhere on a slightly misaligned tile."""
        both, other = _near(self.values * seen), _near(seen * seen)
        alike = both / (np.sqrt(np.maximum(self.strength * other, 0.0)) + np.float32(FAINT))
        return np.asarray(np.clip(alike, 0.0, 1.0), np.float32)


def _near(values: F32) -> F32:
    """Return each value's mean over a square around it; ``values`` and the means are (s, s)."""
    size = max(3, round(PARAMS.neighbourhood_sides * len(values)))
    return np.asarray(cv2.blur(values, (size, size)), np.float32)


def _corner_ways() -> F64:
    """Return the eight basis displacements of a small homography at the four corners.
    Its rows are the 8 coordinates, its columns the basis vectors."""
    rows = []
    for u, v in SQUARE.astype(np.float64):
        rows.append([1, u, v, 0, 0, 0, u * u, u * v])
        rows.append([0, 0, 0, 1, u, v, u * v, v * v])
    return np.array(rows, np.float64)


_WAYS_OF_CORNERS = np.asarray(np.linalg.inv(_corner_ways()), np.float32)


def _through(quad: F64, unit: NDArray[np.floating]) -> F64:
    """Map points (4, 2) of the unit square by the homography from it to ``quad``."""
    h = cv2.getPerspectiveTransform(SQUARE, quad.astype(np.float32))
    return np.asarray(
        cv2.perspectiveTransform(unit.astype(np.float64).reshape(1, -1, 2), h), np.float64
    ).reshape(4, 2)
