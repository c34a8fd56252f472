"""Registration: aligns each recognised tile with its gallery face, which gives its exact corners.

Outlines give a tile's corners to about a hundredth of its side, less accurately next to other tiles.
Registration of the print is several times as accurate. It uses the inverse compositional algorithm (Baker and
Matthews, 'Lucas-Kanade 20 years on', IJCV 2004) on locally normalised brightness, to be invariant to light
and ink, with robust weights against pieces, hands and glare.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.homography import SQUARE, apply_homography, square_to_quads
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
BATCH = 32
"""Maximum number of tiles that are registered together, so that their arrays stay in a core's cache."""
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
        self._known: dict[tuple[int, int], _Templates] = {}

    def of(self, faces: list[int], size_px: int) -> _Templates:
        """Return the templates of some faces, by their indices, at ``size_px`` pixels per side."""
        for face in set(faces):
            if (face, size_px) not in self._known:
                small = cv2.resize(self._faces[face], (size_px, size_px), interpolation=cv2.INTER_AREA)
                self._known[face, size_px] = _Templates.of(normalised(np.asarray(small, np.uint8)[None]))
        parts = zip(*(self._known[face, size_px] for face in faces), strict=True)
        return _Templates(*(np.concatenate(part, axis=-1) for part in parts))


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
        for at in range(0, len(start), BATCH):
            part = slice(at, at + BATCH)
            seen = normalised(sight.crops(now[part], size))
            step, likeness[part] = templates.of(faces[part], size).step(seen, moved[part], strength)
            now[part] = apply_homography(square_to_quads(now[part]), SQUARE - step.reshape(-1, 4, 2))
            moved[part] += step
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
    around = apply_homography(square_to_quads(moved), np.broadcast_to(wide, moved.shape))
    seen = normalised(sight.crops(around, round(SEARCH_PX * (1.0 + 2.0 * SEARCH_SIDES))))
    rim = round(2 * PARAMS.rim_sides * SEARCH_PX)
    prints = templates.of(faces, SEARCH_PX).values[rim:-rim, rim:-rim]
    for index in range(len(moved)):
        alike = cv2.matchTemplate(seen[..., index], prints[..., index], cv2.TM_CCOEFF_NORMED)
        _, best, _, (x, y) = cv2.minMaxLoc(alike)
        shift = (np.array([x, y]) - rim) / SEARCH_PX - SEARCH_SIDES
        found[index] = best >= PARAMS.found_correlation
        if found[index]:
            moved[index] = apply_homography(square_to_quads(moved[index : index + 1])[0], SQUARE + shift)
    return moved, found


def normalised(pictures: NDArray[np.uint8]) -> F32:
    """Return the brightness (s, s, n) of BGR pictures (n, s, s, 3), normalised by local mean and contrast.
    The pictures are the channels of one, which OpenCV filters at once."""
    count, size = pictures.shape[:2]
    flat = cv2.cvtColor(pictures.reshape(count * size, -1, 3), cv2.COLOR_BGR2GRAY)
    grey = flat.reshape(count, size, -1).transpose(1, 2, 0).astype(np.float32, order="C")
    grey = np.asarray(cv2.GaussianBlur(grey, (0, 0), 0.8), np.float32).reshape(grey.shape)
    # Two box filters approximate a Gaussian at a quarter of the cost. Running sums may be slightly negative.
    side = 2 * round(PARAMS.neighbourhood_sides / 2 * size) + 1
    off = grey - _boxed(_boxed(grey, side), side)
    spread = np.sqrt(np.maximum(_boxed(_boxed(off * off, side), side), 0.0))
    return np.asarray(off / (spread + np.float32(6.0)), np.float32)


def _near(values: F32) -> F32:
    """The means (s, s, n) of values over a square around each."""
    return _boxed(values, max(3, round(PARAMS.neighbourhood_sides * len(values))))


def _boxed(values: F32, side_px: int) -> F32:
    """The means (s, s, n) of values over squares of ``side_px`` pixels."""
    return np.asarray(cv2.blur(values, (side_px, side_px)), np.float32).reshape(values.shape)


def _inner(stack: NDArray[Any]) -> NDArray[Any]:
    """The pixels (m, n) of pictures (s, s, n) without their rim."""
    rim = max(1, round(PARAMS.rim_sides * len(stack)))
    return stack[rim:-rim, rim:-rim].reshape(-1, stack.shape[-1])


class _Templates(NamedTuple):
    """n faces at one scale: their normalised brightness (s, s, n), and of the pixels (m, n) without the rim
    its local mean square and its derivatives along x and y, per side."""

    values: F32
    strength: F32
    across: F32
    down: F32

    @classmethod
    def of(cls, values: F32) -> _Templates:
        """Derive the templates of one face from its normalised brightness (s, s, 1)."""
        across, down = (
            cv2.Sobel(values, cv2.CV_32F, dx, 1 - dx, scale=0.125 * len(values)).reshape(values.shape)
            for dx in (1, 0)
        )
        return cls(values, *map(_inner, (_near(values * values), across, down)))

    def step(self, seen: F32, moved: F64, belief: F64) -> tuple[F64, F64]:
        """Take a Gauss-Newton step of each tile; return the further moves (n, 8) of their corners (nw x,
        nw y, ne x, … in sides), and likenesses (n,).

        A likeness is the correlation (-1..1) of a tile's normalised crop in ``seen`` (s, s, n), before the
        move, with its face. ``moved`` (n, 8) are the moves so far, relative to the prior's mean; ``belief``
        (8, 8) is the prior's precision.
        """
        size, face, shown = len(seen), _inner(self.values), _inner(seen)
        residual = shown - face
        off = np.abs(residual.T, order="C")
        middle = off.shape[1] // 2
        spread = np.maximum(np.partition(off, middle, axis=1)[:, middle] * 1.48, PARAMS.usual_difference)
        weights = self._agreement(seen)
        if size >= FINE_PX:
            weights *= weights
        far = residual * (1.0 / (PARAMS.outlier_spreads * spread)).astype(np.float32)
        weights /= np.square(np.square(far) + np.float32(1.0))
        by_x, by_y = weights * self.across, weights * self.down
        squares = np.concatenate([by_x * self.across, by_x * self.down, by_y * self.down])
        pulls = np.concatenate([by_x * residual, by_y * residual])
        both, single = _ways(size)
        scale = 1.0 / (PARAMS.correlated_pixels * np.square(spread, dtype=np.float64))
        normal = scale[:, None, None] * (both @ squares).T.reshape(-1, 8, 8) + belief
        right = scale[:, None] * (single @ pulls).T - moved @ belief
        step = np.linalg.solve(normal, right[..., None])[..., 0]
        a, b = face - face.mean(axis=0), shown - shown.mean(axis=0)
        likeness = (a * b).sum(axis=0) / np.sqrt((a * a).sum(axis=0) * (b * b).sum(axis=0) + 1e-9)
        return np.clip(step, -0.06, 0.06), likeness.astype(np.float64)

    def _agreement(self, seen: F32) -> F32:
        """Return the local correlations (m, n), 0..1, of the faces with the normalised crops (s, s, n).
        They are low at a piece, but high nearly everywhere on a slightly misaligned tile."""
        both, other = _inner(_near(self.values * seen)), _inner(_near(seen * seen))
        alike = both / (np.sqrt(np.maximum(self.strength * other, 0.0)) + np.float32(FAINT))
        return np.asarray(np.clip(alike, 0.0, 1.0), np.float32)


@lru_cache(maxsize=8)
def _ways(size_px: int) -> tuple[F32, F32]:
    """Return how the inner pixels (m,) of a picture move with its corners.

    The second matrix (8, 2·m) is the derivative of their x, then of their y, by the corners' coordinates. The
    first (64, 3·m) are its products for each pair of coordinates: of x by x, x by y both ways, y by y.
    """
    place = (np.arange(size_px) + 0.5) / size_px
    v, u = (_inner(part[..., None])[:, 0] for part in np.meshgrid(place, place, indexing="ij"))
    x, y = (_WAYS_OF_CORNERS.T @ _basis(u, v)).astype(np.float32)
    xx, xy, yy = (one[:, None] * two[None] for one, two in ((x, x), (x, y), (y, y)))
    both = np.concatenate([xx, xy + xy.transpose(1, 0, 2), yy], axis=2).reshape(64, -1)
    return both, np.concatenate([x, y], axis=1)


def _basis(u: F64, v: F64) -> F64:
    """The basis displacements (2, 8, m), along x and y, of a small homography at points (m,)."""
    zero, one = np.zeros_like(u), np.ones_like(u)
    x, y = [one, u, v, zero, zero, zero, u * u, u * v], [zero, zero, zero, one, u, v, u * v, v * v]
    return np.array([x, y], np.float64)


_WAYS_OF_CORNERS = np.linalg.inv(_basis(*SQUARE.T.astype(np.float64)).transpose(2, 0, 1).reshape(8, 8))
"""The basis displacements (8, 8) of the corners' coordinates."""
