"""Heat map network: loose quads of tiles in the whole frame, whatever their art.

A small network sees the frame at 640 × 384 and answers at a quarter of that: how likely each spot
is a tile's centre, a tile's corner, part of a laid tile's face, where the nearest centre lies and
which way the tile's sides run. A square has no first side, so the sides come as two numbers that
do not care which is which: with the side vectors *a* and *b* as complex numbers,
``p = a² + b²`` and ``q = a²·b²`` (scaled to lengths); `sides_of` turns them back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from models import load
from vision.locate.lattice_search import merged
from vision.observation import Image

NET_WH = (640, 384)
STRIDE = 4
RIM = 4.0
"""Width, in cells of the maps, of a view's rim, where faces are told less surely."""
UNIT_PX = 32.0
"""Regressed lengths are in units of this many net pixels."""
CHANNELS = ("centre", "corner", "face", "offset_x", "offset_y", "p_re", "p_im", "q_re", "q_im")

HeatNetwork = Callable[[NDArray[np.uint8]], NDArray[np.float32]]
"""uint8 (1, 384, 640, 3) BGR to float32 (1, 9, 96, 160); the first three are probabilities."""


@dataclass(frozen=True, slots=True, eq=False)
class NetPicture:
    """The network's picture and its map from the frame: ``net = A · frame`` (A is 2 × 3)."""

    picture: NDArray[np.uint8]
    A: NDArray[np.float64]

    def to_frame(self, net_px: NDArray[np.float64]) -> NDArray[np.float64]:
        """Net pixels (n, 2) to frame pixels (n, 2)."""
        return np.asarray((net_px - self.A[:, 2]) @ np.linalg.inv(self.A[:, :2]).T)

    def to_net(self, frame_px: NDArray[np.float64]) -> NDArray[np.float64]:
        """Frame pixels (n, 2) to net pixels (n, 2)."""
        return np.asarray(frame_px @ self.A[:, :2].T + self.A[:, 2])


def view_of(frame_bgr: Image, area_px: tuple[float, float, float, float] | None = None) -> NetPicture:
    """The frame, or its part ``area_px`` (x0, y0, x1, y1), fitted into the network's picture.

    Upright pictures are laid on their side (a quarter turn costs a lattice nothing).
    """
    height, width = frame_bgr.shape[:2]
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
    source = frame_bgr
    halvings = max(int(np.floor(np.log2(1.0 / scale) + 0.35)), 0)
    shrunk = A.copy()
    if halvings:
        # Averaging first keeps a 4K frame from being sampled with gaps.
        factor = 2**halvings
        source = cv2.resize(
            frame_bgr, (width // factor, height // factor), interpolation=cv2.INTER_AREA
        ).astype(np.uint8)
        ratio = np.array([width / (width // factor), height / (height // factor)])
        shrunk[:, :2] = A[:, :2] * ratio
        shrunk[:, 2] = A[:, 2] + A[:, :2] @ ((ratio - 1.0) / 2.0)
    picture = cv2.warpAffine(source, shrunk, NET_WH, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    return NetPicture(picture.astype(np.uint8), A)


def shape_of(
    a: NDArray[np.complex128], b: NDArray[np.complex128]
) -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
    """The two shape numbers (p, q), lengths in the sides' unit, of tiles with sides a and b."""
    size = np.maximum(np.sqrt(np.abs(a) * np.abs(b)), 1e-9)
    return (a**2 + b**2) / size, (a**2 * b**2) / size**3


def sides_of(
    p: NDArray[np.complex128], q: NDArray[np.complex128]
) -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
    """Sides (a, b) from the shape numbers: b is clockwise from a in the image (y down)."""
    size = np.maximum(np.abs(q), 1e-9)
    total, product = p * size, q * size**3
    root = np.sqrt(total**2 - 4.0 * product)
    a = np.sqrt((total + root) / 2.0)
    b = np.sqrt((total - root) / 2.0)
    turned = (a.conjugate() * b).imag
    return a, np.where(turned < 0, -b, b)


@dataclass(frozen=True, slots=True, eq=False)
class Heat:
    """Answer of the network for one view. Maps have shape (96, 160).

    ``wider`` is the answer for a view of more of the frame: it knows the faces beyond this view.
    """

    view: NetPicture
    maps: NDArray[np.float32]
    wider: Heat | None = None

    def quads(self, least: float = 0.25) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Tile quads (n, 4, 2) in frame pixels, clockwise, and their scores (n,), best first.

        A tile's corners are corner peaks that lie opposite each other around its centre; where they
        are covered or out of view the sides that the network names at the centre stand in.
        """
        middles, scores, at = self._peaks(0, least)
        corners, corner_scores, _ = self._peaks(1, 0.6 * least)
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
        """Peaks of one map, strongest first: net pixels (n, 2), heights (n,), all maps there (9, n)."""
        heat = np.ascontiguousarray(self.maps[channel])
        peak = (heat >= cv2.dilate(heat, np.ones((3, 3), np.uint8))) & (heat > least)
        rows, cols = np.nonzero(peak)
        order = np.argsort(-heat[rows, cols])[:400]
        rows, cols = rows[order], cols[order]
        # Half cells count: the middle of the 3 × 3 around the peak, by weight.
        wide = np.pad(heat, 1)
        total = np.full(len(rows), 1e-9)
        shift = np.zeros((len(rows), 2))
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                value = wide[rows + 1 + dy, cols + 1 + dx].astype(np.float64)
                total += value
                shift += value[:, None] * np.array([dx, dy])
        # Three cells of a bump see only part of it, so they understate the shift.
        where = np.stack([cols, rows], axis=1) + np.clip(1.5 * shift / total[:, None], -0.6, 0.6)
        return (
            where * STRIDE + (STRIDE - 1) / 2.0,
            heat[rows, cols].astype(np.float64),
            self.maps[:, rows, cols].astype(np.float64),
        )

    def face_area(self, least: float = 0.3) -> tuple[int, int, int, int] | None:
        """The part of the frame (x0, y0, x1, y1) that holds all printed faces, with a margin; None
        where there are none or the part is most of the frame."""
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
        """Share of the inner part of quads (n, 4, 2) that lies on laid tiles' faces: (n,) 0..1."""
        if not len(quads_px):
            return np.zeros(0)
        points = _INNER @ quads_px
        return np.asarray(self.face_at(points.reshape(-1, 2)).reshape(len(quads_px), -1).mean(axis=1))

    def face_at(self, frame_px: NDArray[np.float64]) -> NDArray[np.float64]:
        """Probability that frame points (n, 2) lie on a laid tile's face; 0 outside all views."""
        where = (self.view.to_net(frame_px) - (STRIDE - 1) / 2.0) / STRIDE
        at = np.clip(where, -1e4, 1e4).astype(np.float32)
        # remap takes pictures of up to 32767 columns: the points come as one column.
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
        """Whether the view shows every pixel of the frame: a closer look would show nothing new."""
        return float(abs(np.linalg.det(self.view.A[:, :2]))) >= 1.0

    def holds(self, frame_px: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Mask (n,) of frame points (n, 2) within the view and off its rim, where it shows parts of tiles."""
        where = (self.view.to_net(frame_px) - (STRIDE - 1) / 2.0) / STRIDE
        high = np.array(self.maps.shape[:0:-1]) - 1.0 - RIM
        return np.asarray(((where >= RIM) & (where <= high)).all(axis=1))


def _inner_points() -> NDArray[np.float64]:
    """A grid of points in a quad as weights of its corners (25, 4)."""
    u, v = (part.ravel() for part in np.meshgrid(np.linspace(0.18, 0.82, 5), np.linspace(0.18, 0.82, 5)))
    return np.stack([(1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v], axis=1)


_INNER = _inner_points()


def _named_quads(
    middles: NDArray[np.float64], at: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Quads (n, 4, 2) from the shape numbers at each centre, and which of them look like tiles."""
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
    """The smallest parallelogram of corner peaks around a centre (4, 2), clockwise, or None."""
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
    # Small, well centred and of strong peaks: a bigger parallelogram takes in other tiles' corners.
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
    """Parallelograms of four corner peaks each (n, 4, 2), clockwise, and their scores (n,), best
    first: tiles whose centre gave no peak."""
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
    # |wanted - corner|² less |wanted|², by one product: there are thousands of pairs.
    fourth = ((corners * corners).sum(axis=1) - 2.0 * wanted @ corners.T).argmin(axis=1)
    off = np.linalg.norm(wanted - corners[fourth], axis=1) / long
    quads = np.stack([corners[at], corners[first], corners[fourth], corners[second]], axis=1)
    quads[cross < 0] = quads[cross < 0][:, [0, 3, 2, 1]]
    weakest = np.min(scores[np.stack([at, first, second, fourth])], axis=0)
    score = weakest * (1.0 - 3.0 * off)
    # Every parallelogram is found from each of its corners: once is enough.
    keys = np.sort(np.stack([at, first, second, fourth], axis=1), axis=1)
    _, once = np.unique(keys, axis=0, return_index=True)
    once = once[(off[once] < 0.15) & (fourth[once] != at[once])]
    order = once[np.argsort(-score[once])][:most]
    return quads[order], score[order]


def look(
    frame_bgr: Image,
    network: HeatNetwork,
    area_px: tuple[float, float, float, float] | None = None,
    wider: Heat | None = None,
) -> Heat:
    """Runs the network on the frame or a part of it."""
    view = view_of(frame_bgr, area_px)
    return Heat(view, network(view.picture[None])[0], wider)


def near_looks(
    frame_bgr: Image, network: HeatNetwork, heat: Heat
) -> tuple[Heat, NDArray[np.float64], NDArray[np.float64]]:
    """Looks at parts of the frame half as wide and tall that overlap by half, for tiles that are small in
    ``heat``, the look at all of it. Returns one answer that knows the faces of all looks, their loose quads
    (n, 4, 2), and what these weigh (n,)."""
    height, width = frame_bgr.shape[:2]
    wide, tall = width / 2.0, height / 2.0
    quads, weights = np.zeros((0, 4, 2)), np.zeros(0)
    together = heat
    for y0, x0 in product(np.linspace(0.0, tall, 3).tolist(), np.linspace(0.0, wide, 3).tolist()):
        together = look(frame_bgr, network, (x0, y0, x0 + wide, y0 + tall), together)
        seen, strength = together.quads()
        inside = together.holds(seen.mean(axis=1))
        quads, weights = merged(quads, weights, seen[inside], strength[inside])
    return together, quads, weights


def loaded() -> HeatNetwork:
    """The shipped network. Raises models.ModelError where it is missing or damaged."""
    model = load("locator")
    return lambda pictures: np.asarray(model(pictures)[0], dtype=np.float32)
