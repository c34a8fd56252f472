"""Heat map network: proposes quads of tiles in the whole frame, independent of their art.

A small network sees the frame at 640 × 384 and predicts maps at a quarter of that: probability of a tile's
centre, corner and face, offset to the nearest centre, and the tile's sides. A square has no first side, so
the sides are encoded symmetrically: with the side vectors *a* and *b* as complex numbers, ``p = a² + b²`` and
``q = a²·b²`` (scaled to lengths); `sides_of` decodes them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.locate.lattice_search import merged
from vision.observation import Image, Sight

NET_WH = (640, 384)
STRIDE = 4
RIM = 4.0
"""Width of a view's rim, in map cells, where predictions are less reliable."""
LEAST_CENTRE = 0.25
"""Minimum height of a centre's peak."""
UNIT_PX = 32.0
"""Unit of regressed lengths, in network pixels."""

HeatNetwork = Callable[[NDArray[np.uint8]], NDArray[np.float32]]
"""Maps uint8 (1, 384, 640, 3) BGR to maps float32 (1, 9, 96, 160): the probabilities of a centre, a corner
and a face; the offset (x, y) of the centre; the shape numbers p and q, real and imaginary parts."""


@dataclass(frozen=True, slots=True, eq=False)
class NetPicture:
    """The network's input picture, and the affine map ``A`` (2 × 3) from frame pixels to its pixels."""

    picture: NDArray[np.uint8]
    A: NDArray[np.float64]

    def to_frame(self, net_px: NDArray[np.float64]) -> NDArray[np.float64]:
        """Map network pixels (n, 2) to frame pixels (n, 2)."""
        return np.asarray((net_px - self.A[:, 2]) @ np.linalg.inv(self.A[:, :2]).T)

    def to_net(self, frame_px: NDArray[np.float64]) -> NDArray[np.float64]:
        """Map frame pixels (n, 2) to network pixels (n, 2)."""
        return np.asarray(frame_px @ self.A[:, :2].T + self.A[:, 2])


def view_of(image: Image, area_px: tuple[float, float, float, float] | None = None) -> NetPicture:
    """Fit the frame, or its part ``area_px`` (x0, y0, x1, y1), into the network's input.
    Portrait pictures are rotated by a quarter turn."""
    height, width = image.shape[:2]
    x0, y0, x1, y1 = area_px if area_px is not None else (0.0, 0.0, float(width), float(height))
    wide, tall = x1 - x0, y1 - y0
    if tall > wide:
        scale = min(NET_WH[0] / tall, NET_WH[1] / wide)
        A = np.array([[0.0, scale, 0.0], [-scale, 0.0, 0.0]])
    else:
        scale = min(NET_WH[0] / wide, NET_WH[1] / tall)
        A = np.array([[scale, 0.0, 0.0], [0.0, scale, 0.0]])
    middle = np.array([(x0 + x1) / 2.0, (y0 + y1) / 2.0])
    A[:, 2] = np.array(NET_WH) / 2.0 - A[:, :2] @ middle
    source = image
    halvings = max(int(np.floor(np.log2(1.0 / scale) + 0.35)), 0)
    shrunk = A.copy()
    if halvings:
        # Average first, to avoid aliasing of large frames.
        factor = 2**halvings
        source = cv2.resize(image, (width // factor, height // factor), interpolation=cv2.INTER_AREA).astype(
            np.uint8
        )
        ratio = np.array([width / (width // factor), height / (height // factor)])
        shrunk[:, :2] = A[:, :2] * ratio
        shrunk[:, 2] = A[:, 2] + A[:, :2] @ ((ratio - 1.0) / 2.0)
    picture = cv2.warpAffine(source, shrunk, NET_WH, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    return NetPicture(picture.astype(np.uint8), A)


def sides_of(
    p: NDArray[np.complex128], q: NDArray[np.complex128]
) -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
    """Decode shape numbers ``p`` and ``q`` (n,) to side vectors (a, b), (n,) each, as complex numbers.
    b is clockwise from a in the image (y down). All lengths are in the unit of p and q."""
    size = np.maximum(np.abs(q), 1e-9)
    total, product = p * size, q * size**3
    root = np.sqrt(total**2 - 4.0 * product)
    a = np.sqrt((total + root) / 2.0)
    b = np.sqrt((total - root) / 2.0)
    turned = (a.conjugate() * b).imag
    return a, np.where(turned < 0, -b, b)


@dataclass(frozen=True, eq=False)
class Heat:
    """Output of the network for one view; ``maps`` is float32 (9, 96, 160).

    ``wider`` is the output for a larger view, used for faces beyond this one.
    """

    view: NetPicture
    maps: NDArray[np.float32]
    wider: Heat | None = None

    @cached_property
    def proposed(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Extract tile quads (n, 4, 2) in frame pixels, clockwise, and their scores (n,).

        A tile's corners are opposite corner peaks around its centre peak; if they are occluded or out of
        view, the regressed sides at the centre are used instead.
        """
        middles, scores, at = self._peaks(0, LEAST_CENTRE)
        corners, corner_scores, _ = self._peaks(1, 0.6 * LEAST_CENTRE)
        named, sound = _named_quads(middles, at)
        quads: list[NDArray[np.float64]] = []
        weights: list[float] = []
        for index, middle in enumerate(middles):
            around = _quad_around(middle, corners, corner_scores)
            if around is not None:
                quads.append(around)
                weights.append(float(scores[index]))
            elif sound[index]:
                quads.append(named[index])
                weights.append(0.5 * float(scores[index]))
        taken = np.array([quad.mean(axis=0) for quad in quads]).reshape(-1, 2)
        for quad, weight in zip(*_quads_of_corners(corners, corner_scores), strict=True):
            reach = 0.3 * float(np.linalg.norm(quad[1] - quad[0]))
            if not len(taken) or np.linalg.norm(taken - quad.mean(axis=0), axis=1).min() > reach:
                quads.append(quad)
                weights.append(0.7 * weight)
        if not quads:
            return np.zeros((0, 4, 2)), np.zeros(0)
        stack = self.view.to_frame(np.stack(quads).reshape(-1, 2)).reshape(-1, 4, 2)
        face = np.clip(self.face_at(stack.mean(axis=1)), 0.05, 1.0)
        return stack, np.array(weights) * face

    def _peaks(
        self, channel: int, least: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return the peaks of map ``channel`` above ``least``, strongest first, at most 400.
        They are network pixels (n, 2), heights (n,), and the values of all maps at them (9, n)."""
        heat = np.ascontiguousarray(self.maps[channel])
        peak = (heat >= cv2.dilate(heat, np.ones((3, 3), np.uint8))) & (heat > least)
        rows, cols = np.nonzero(peak)
        order = np.argsort(-heat[rows, cols])[:400]
        rows, cols = rows[order], cols[order]
        # Subpixel position: weighted mean of the 3 × 3 cells around the peak.
        wide = np.pad(heat, 1)
        total = np.full(len(rows), 1e-9)
        shift = np.zeros((len(rows), 2))
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                value = wide[rows + 1 + dy, cols + 1 + dx].astype(np.float64)
                total += value
                shift += value[:, None] * np.array([dx, dy])
        # Factor 1.5, because three cells cover only part of a peak and understate the shift.
        where = np.stack([cols, rows], axis=1) + np.clip(1.5 * shift / total[:, None], -0.6, 0.6)
        return (
            where * STRIDE + (STRIDE - 1) / 2.0,
            heat[rows, cols].astype(np.float64),
            self.maps[:, rows, cols].astype(np.float64),
        )

    def face_area(self, least: float = 0.3) -> tuple[int, int, int, int] | None:
        """Return the box (x0, y0, x1, y1), in frame pixels, of all faces in the view, with a margin.
        A face is a pixel with a probability above ``least``. None without faces, or if the box is over 70 %
        of the view."""
        rows, cols = np.nonzero(self.maps[2] > least)
        if not len(rows):
            return None
        spots = np.stack([cols, rows], axis=1) * float(STRIDE) + (STRIDE - 1) / 2.0
        frame_px = self.view.to_frame(spots.astype(np.float64))
        margin = 12.0 / np.sqrt(abs(np.linalg.det(self.view.A[:, :2])))
        net_wh: NDArray[np.float64] = np.array(NET_WH, dtype=np.float64)
        bounds = self.view.to_frame(np.stack([np.zeros(2), net_wh]))
        low = np.maximum(frame_px.min(axis=0) - margin, np.maximum(bounds.min(axis=0), 0.0))
        high = np.minimum(frame_px.max(axis=0) + margin, bounds.max(axis=0))
        whole = float(np.prod(bounds.max(axis=0) - bounds.min(axis=0)))
        if float(np.prod(high - low)) > 0.7 * whole:
            return None
        return int(low[0]), int(low[1]), int(high[0]) + 1, int(high[1]) + 1

    def face_shares(self, quads_px: NDArray[np.float64]) -> NDArray[np.float64]:
        """Mean face probability (n,) over the inner part of quads (n, 4, 2)."""
        if not len(quads_px):
            return np.zeros(0)
        points = _INNER @ quads_px
        return np.asarray(self.face_at(points.reshape(-1, 2)).reshape(len(quads_px), -1).mean(axis=1))

    def face_at(self, frame_px: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability (n,) of a laid tile's face at frame points (n, 2); 0 outside all views."""
        where = (self.view.to_net(frame_px) - (STRIDE - 1) / 2.0) / STRIDE
        at = np.clip(where, -1e4, 1e4).astype(np.float32)
        # One column of points, because cv2.remap is limited to 32767 columns.
        sampled = cv2.remap(
            np.ascontiguousarray(self.maps[2]),
            np.ascontiguousarray(at[:, :1]),
            np.ascontiguousarray(at[:, 1:]),
            cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_CONSTANT,
        )
        here = np.asarray(sampled, dtype=np.float64).reshape(-1)
        if self.wider is None:
            return here
        return np.where(self.holds(frame_px), here, np.maximum(here, self.wider.face_at(frame_px)))

    @property
    def resolved(self) -> bool:
        """Whether the view has the frame's full resolution, so that a closer view shows nothing new."""
        return float(abs(np.linalg.det(self.view.A[:, :2]))) >= 1.0

    def holds(self, frame_px: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Mask (n,) of the frame points (n, 2) inside the view and off its rim."""
        where = (self.view.to_net(frame_px) - (STRIDE - 1) / 2.0) / STRIDE
        high = np.array(self.maps.shape[:0:-1]) - 1.0 - RIM
        return np.asarray(((where >= RIM) & (where <= high)).all(axis=1))


def _inner_points() -> NDArray[np.float64]:
    """Bilinear corner weights (25, 4) of a grid of inner points of a quad."""
    u, v = (part.ravel() for part in np.meshgrid(np.linspace(0.18, 0.82, 5), np.linspace(0.18, 0.82, 5)))
    return np.stack([(1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v], axis=1)


_INNER = _inner_points()


def _named_quads(
    middles: NDArray[np.float64], at: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return quads (n, 4, 2) decoded from the shape numbers, and a mask (n,) of the plausible ones.
    ``middles`` (n, 2) are the centres, ``at`` (9, n) the values of all maps at them."""
    a, b = sides_of(at[5] + 1j * at[6], at[7] + 1j * at[8])
    half_a = np.stack([a.real, a.imag], axis=1) * UNIT_PX / 2.0
    half_b = np.stack([b.real, b.imag], axis=1) * UNIT_PX / 2.0
    quads = np.stack(
        [
            middles - half_a - half_b,
            middles + half_a - half_b,
            middles + half_a + half_b,
            middles - half_a + half_b,
        ],
        axis=1,
    )
    long, short = np.linalg.norm(half_a, axis=1), np.linalg.norm(half_b, axis=1)
    area = np.abs(half_a[:, 0] * half_b[:, 1] - half_a[:, 1] * half_b[:, 0])
    sound = (np.minimum(long, short) > 2.5) & (area > 0.35 * np.maximum(long, short) ** 2)
    return quads, sound & np.isfinite(quads).all(axis=(1, 2))


def _quad_around(
    middle: NDArray[np.float64], corners: NDArray[np.float64], scores: NDArray[np.float64]
) -> NDArray[np.float64] | None:
    """Return the best parallelogram (4, 2), clockwise, of corner peaks around the centre ``middle``.
    ``corners`` (n, 2) are all corner peaks, ``scores`` (n,) their heights. None if no four of them fit."""
    if len(corners) < 4:
        return None
    distance = np.linalg.norm(corners - middle, axis=1)
    near = np.argsort(distance)[:14]
    arms, heights = corners[near] - middle, scores[near]
    first, second = np.triu_indices(len(near), 1)
    diagonal = (arms[first] - arms[second]) / 2.0
    length = np.linalg.norm(diagonal, axis=1)
    off = np.linalg.norm(arms[first] + arms[second], axis=1) / 2.0
    good = (off < 0.16 * length) & (length > 4.0)
    if good.sum() < 2:
        return None
    first, second, diagonal, length, off = (values[good] for values in (first, second, diagonal, length, off))
    one, two = np.triu_indices(len(length), 1)
    cross = np.abs(diagonal[one, 0] * diagonal[two, 1] - diagonal[one, 1] * diagonal[two, 0])
    ratio = np.maximum(length[one], length[two]) / np.minimum(length[one], length[two])
    sine = cross / (length[one] * length[two])
    height = heights[first] + heights[second]
    # Prefer small, well centred parallelograms of strong peaks: larger ones use corners of other tiles.
    cost = (length[one] + length[two]) * (1.0 + 2.0 * (off[one] / length[one] + off[two] / length[two]))
    cost = cost / (0.5 + height[one] + height[two])
    cost = np.where((ratio < 2.3) & (sine > 0.45), cost, np.inf)
    best = int(cost.argmin())
    if not np.isfinite(cost[best]):
        return None
    points = arms[[first[one[best]], second[one[best]], first[two[best]], second[two[best]]]]
    turned = np.argsort(np.arctan2(points[:, 1], points[:, 0]))
    return np.asarray(middle + points[turned])


def _quads_of_corners(
    corners: NDArray[np.float64], scores: NDArray[np.float64], most: int = 250
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return at most ``most`` parallelograms (n, 4, 2), clockwise, of four corner peaks, best first.
    With their scores (n,); for tiles without a centre peak. ``corners`` (m, 2) are the peaks, ``scores`` (m,)
    their heights."""
    if len(corners) < 4:
        return np.zeros((0, 4, 2)), np.zeros(0)
    apart = np.linalg.norm(corners[:, None] - corners[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    near = np.argsort(apart, axis=1)[:, :8]
    one, two = np.triu_indices(near.shape[1], 1)
    at = np.repeat(np.arange(len(corners)), len(one))
    first, second = near[:, one].ravel(), near[:, two].ravel()
    a, b = corners[first] - corners[at], corners[second] - corners[at]
    cross = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    long = np.maximum(np.linalg.norm(a, axis=1), np.linalg.norm(b, axis=1))
    short = np.minimum(np.linalg.norm(a, axis=1), np.linalg.norm(b, axis=1))
    good = (np.abs(cross) > 0.6 * long * short) & (long < 1.9 * short) & (short > 6.0)
    at, first, second, a, b, cross, long = (v[good] for v in (at, first, second, a, b, cross, long))
    if not len(at):
        return np.zeros((0, 4, 2)), np.zeros(0)
    wanted = corners[at] + a + b
    # |wanted - corner|² minus |wanted|², as one matrix product for speed.
    fourth = ((corners * corners).sum(axis=1) - 2.0 * wanted @ corners.T).argmin(axis=1)
    off = np.linalg.norm(wanted - corners[fourth], axis=1) / long
    quads = np.stack([corners[at], corners[first], corners[fourth], corners[second]], axis=1)
    quads[cross < 0] = quads[cross < 0][:, [0, 3, 2, 1]]
    weakest = np.min(scores[np.stack([at, first, second, fourth])], axis=0)
    score = weakest * (1.0 - 3.0 * off)
    # Remove duplicates: every parallelogram is found from each of its corners.
    keys = np.sort(np.stack([at, first, second, fourth], axis=1), axis=1)
    _, once = np.unique(keys, axis=0, return_index=True)
    once = once[(off[once] < 0.15) & (fourth[once] != at[once])]
    order = once[np.argsort(-score[once])][:most]
    return quads[order], score[order]


def look(
    sight: Sight,
    network: HeatNetwork,
    area_px: tuple[float, float, float, float] | None = None,
    wider: Heat | None = None,
) -> Heat:
    """Run the network on the frame, or on its part ``area_px`` (x0, y0, x1, y1).
    ``wider`` is the output for a larger view, which the result keeps for faces beyond its own."""
    view = view_of(sight.image, area_px)
    return Heat(view, network(view.picture[None])[0], wider)


def near_looks(
    sight: Sight, network: HeatNetwork, heat: Heat
) -> tuple[Heat, NDArray[np.float64], NDArray[np.float64]]:
    """Run the network on overlapping parts of half the frame's size, for tiles that are small in ``heat``.
    ``heat`` is the output for the whole frame. Returns a combined `Heat`, the quads (n, 4, 2) of all parts,
    and their weights (n,)."""
    width, height = sight.size_wh
    wide, tall = width / 2.0, height / 2.0
    quads, weights = np.zeros((0, 4, 2)), np.zeros(0)
    together = heat
    for y0, x0 in product(np.linspace(0.0, tall, 3).tolist(), np.linspace(0.0, wide, 3).tolist()):
        together = sight.once(look, network, (x0, y0, x0 + wide, y0 + tall), together)
        seen, strength = together.proposed
        inside = together.holds(seen.mean(axis=1))
        quads, weights = merged(quads, weights, seen[inside], strength[inside])
    return together, quads, weights
