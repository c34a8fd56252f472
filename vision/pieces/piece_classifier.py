"""Piece classifier: classifies the kind, colour and contact point of each candidate from a crop.

The detector sees the board from above at 48 px per tile, where standing pieces are stretched. A *look* is a
crop of the photograph around one candidate, upright and at the photograph's resolution, with the channels of
the known print. A small network classifies it, with a class for nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from models.loader import OnnxModel
from vision.geometry.homography import apply_homography
from vision.geometry.ortho import CELL_PX, Ortho, lean_with_focal, likely_focal_px
from vision.observation import Sight, fitted
from vision.pieces.paints import LOOKS, photographed_paints
from vision.pieces.tone import TONES, own_pixels, tones
from vision.pieces.unexplained import unexplained
from vision.pieces.weights import both_ways

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
U8 = NDArray[np.uint8]

SIDE_PX = 72
"""Side of a look, pixels: the network's input."""
PX_PER_TILE = 80.0
"""Pixels of a tile's side in a look."""
FOOT_PX = (35.5, 47.5)
"""The candidate's point in a look, in pixels; a piece extends upwards from it."""
SHARPEST = 1.3
"""Photographs of more than SHARPEST × PX_PER_TILE pixels per tile are shrunk before cropping."""


@dataclass(frozen=True, slots=True, eq=False)
class LookSource:
    """Data shared by all looks of one photograph.
    ``said`` are the channels of `vision.tiles.reprojection.against_print` for the view from above, as float32
    (H, W, 3) and (H, W, 4); ``mean_bgr`` is the view's mean colour, ``focal_px`` the estimated focal
    length."""

    sight: Sight
    h_px_from_lattice: F64
    view: Ortho
    said: tuple[F32, F32]
    mean_bgr: F32
    focal_px: float

    @classmethod
    def of(cls, sight: Sight, h_px_from_lattice: F64, view: Ortho, said: F32) -> LookSource:
        """Prepare a photograph; ``said`` (H, W, 7) are the channels of `against_print` for ``view``."""
        mean = np.array(cv2.mean(view.image, mask=view.seen)[:3], np.float32)
        # OpenCV warps at most four channels at a time.
        planes = list(np.ascontiguousarray(said.transpose(2, 0, 1)))
        colors, rest = (np.asarray(cv2.merge(part), np.float32) for part in (planes[:3], planes[3:]))
        focal_px = likely_focal_px(h_px_from_lattice, sight.size_wh)
        return cls(sight, h_px_from_lattice, view, (colors, rest), mean, focal_px)


@dataclass(frozen=True, slots=True, eq=False)
class Looks:
    """Input of the network for n looks.
    ``pictures`` float32 (n, 10, SIDE_PX, SIDE_PX) are the photograph's colours in -1..1 and the print's seven
    channels; ``context`` float32 (n, 5) are the length of the lean (tile sides), the photograph's resolution
    (octaves of PX_PER_TILE), and the board's mean colour in -1..1. ``px_from_look`` float64 (n, 2, 3) maps
    points of a look to the photograph."""

    pictures: F32
    context: F32
    px_from_look: F64

    def some(self, which: Sequence[int]) -> Looks:
        """Return the looks with the indices ``which``, in that order."""
        return Looks(self.pictures[which], self.context[which], self.px_from_look[which])


@dataclass(frozen=True, slots=True, eq=False)
class LookReadings:
    """Classification of n looks.
    ``kinds`` float32 (n, 6) are the probabilities of nothing and of `vision.pieces.detector.CLASSES` without
    tokens, ``tokens`` (n,) of an animal tile, ``colors`` (n, 7) of `vision.pieces.weights.ALL_COLORS`;
    ``points_px`` float64 (n, 2) are contact points in the photograph, ``leans`` (n,) is how far what stands
    there leans, in tile sides. ``unexplained`` (n,) is from `vision.pieces.unexplained.unexplained`,
    ``tones`` (n, TONES) from `vision.pieces.tone.tones`, ``paints`` (n, LOOKS) from
    `vision.pieces.paints.photographed_paints`."""

    kinds: F32
    tokens: F32
    colors: F32
    points_px: F64
    unexplained: F32
    tones: F32
    paints: F32
    leans: F32

    def some(self, which: Sequence[int]) -> LookReadings:
        """Return the readings with the indices ``which``, in that order."""
        return LookReadings(*(mine[which] for mine in self._arrays()))

    def put(self, which: Sequence[int], others: LookReadings) -> None:
        """Overwrite the readings at the indices ``which`` by ``others``, in that order, in place."""
        for mine, theirs in zip(self._arrays(), others._arrays(), strict=True):
            mine[which] = theirs

    @classmethod
    def blank(cls, n: int) -> LookReadings:
        """Return readings of n looks that are 0 or NaN, to be filled by `put`."""
        return cls(
            np.zeros((n, 6), np.float32),
            np.zeros(n, np.float32),
            np.zeros((n, 7), np.float32),
            np.zeros((n, 2)),
            np.zeros(n, np.float32),
            np.full((n, TONES), np.nan, np.float32),
            np.full((n, LOOKS), np.nan, np.float32),
            np.zeros(n, np.float32),
        )

    def _arrays(self) -> tuple[NDArray[Any], ...]:
        """All arrays, in the order of the fields."""
        return (
            self.kinds, self.tokens, self.colors, self.points_px, self.unexplained, self.tones, self.paints,
            self.leans,
        )  # fmt: skip


def take_looks(
    source: LookSource,
    lattice_xy: F64,
    turn_deg: F64 | None = None,
    stretch: F64 | None = None,
) -> Looks:
    """Crop the looks at ``lattice_xy`` (n, 2), in lattice units.
    ``turn_deg`` (n,) rotates the crops clockwise and ``stretch`` (n,) scales them, for augmentation in
    training."""
    n = len(lattice_xy)
    if not n:
        return Looks(
            np.zeros((0, 10, SIDE_PX, SIDE_PX), np.float32), np.zeros((0, 5), np.float32), np.zeros((0, 2, 3))
        )
    h = source.h_px_from_lattice
    feet = apply_homography(h, lattice_xy)
    lean = lean_with_focal(h, source.sight.size_wh, lattice_xy, source.focal_px)
    rise = apply_homography(h, lattice_xy + lean) - feet
    scale = np.array([px_per_tile(h, at) for at in lattice_xy])
    context = np.empty((n, 5), np.float32)
    context[:, 0] = np.linalg.norm(lean, axis=1)
    context[:, 1] = np.log2(scale / PX_PER_TILE)
    context[:, 2:] = source.mean_bgr / np.float32(127.5) - 1
    turn = np.zeros(n) if turn_deg is None else turn_deg
    scale = scale if stretch is None else scale * stretch
    usual = float(np.median(scale))
    picture, fine = source.sight.once(fitted, PX_PER_TILE / usual if usual > SHARPEST * PX_PER_TILE else 1.0)
    pictures = np.empty((n, 10, SIDE_PX, SIDE_PX), np.float32)
    back = np.empty((n, 2, 3))
    to_view = _view_from_px(h, source.view)
    for k in range(n):
        back[k] = _cut(feet[k], rise[k], scale[k] / PX_PER_TILE, float(turn[k]))
        seen = cv2.warpAffine(
            picture, fine[:2] @ np.vstack([back[k], (0, 0, 1)]), (SIDE_PX, SIDE_PX),
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE,
        )  # fmt: skip
        pictures[k, :3] = (seen.astype(np.float32) / np.float32(127.5) - 1).transpose(2, 0, 1)
        pictures[k, 3:] = _said(source.said, to_view @ np.vstack([back[k], (0, 0, 1)]))
    return Looks(pictures, context, back)


def read_looks(looks: Looks, model: OnnxModel) -> LookReadings:
    """Classify looks with the network, and measure their unexplained variance, tones and paints.
    Whether there is nothing is told by the looks and their mirror images together: what the network takes
    for a piece by mistake, it seldom takes for one both ways."""
    if not len(looks.pictures):
        return LookReadings.blank(0)
    kinds, tokens, colors, offsets = model(looks.pictures, looks.context)
    again = model(np.ascontiguousarray(looks.pictures[..., ::-1]), looks.context)[0]
    kinds = both_ways(kinds, again)
    at = np.asarray(FOOT_PX) + offsets.astype(np.float64) * PX_PER_TILE
    points = np.einsum("nij,nj->ni", looks.px_from_look[:, :, :2], at) + looks.px_from_look[:, :, 2]
    own = own_pixels(looks.pictures, at)
    return LookReadings(
        kinds, tokens[:, 0], colors, points, unexplained(looks.pictures), tones(looks.pictures, own),
        photographed_paints(looks.pictures, own), looks.context[:, 0],
    )  # fmt: skip


def px_per_tile(h: F64, at: F64) -> float:
    """Return the photograph's scale, in pixels per tile side, at lattice point ``at`` (2,).
    It is that of the least foreshortened direction; ``h`` (3, 3) maps lattice units to pixels."""
    w = float(h[2, :2] @ at + h[2, 2])
    p = (h[:2, :2] @ at + h[:2, 2]) / w
    jacobian = (h[:2, :2] - np.outer(p, h[2, :2])) / w
    return float(np.linalg.svd(jacobian, compute_uv=False)[0])


def _cut(foot_px: F64, rise_px: F64, step_px: float, turn_deg: float) -> F64:
    """Return the affine map (2, 3) from a look to the photograph.
    The look is upright along ``rise_px`` (2,), rotated by ``turn_deg``; FOOT_PX is at ``foot_px`` (2,), and a
    pixel of it is ``step_px`` pixels of the photograph."""
    up = math.atan2(rise_px[0], -rise_px[1]) if np.hypot(*rise_px) > 1e-6 else 0.0
    a = up + math.radians(turn_deg)
    m = step_px * np.array([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]])
    return np.column_stack([m, foot_px - m @ np.asarray(FOOT_PX)])


def _view_from_px(h: F64, view: Ortho) -> F64:
    """Return the homography (3, 3) from photograph pixels to pixels of the view.
    ``h`` (3, 3) maps lattice units to photograph pixels."""
    to_view = np.array(
        [
            [CELL_PX, 0, -view.origin_xy[0] * CELL_PX - 0.5],
            [0, CELL_PX, -view.origin_xy[1] * CELL_PX - 0.5],
            [0, 0, 1.0],
        ]
    )
    return np.asarray(to_view @ np.linalg.inv(h), np.float64)


def _said(said: tuple[F32, F32], view_from_look: F64) -> F32:
    """Return the print's channels (7, SIDE_PX, SIDE_PX) of one look.
    ``said`` are those of the view, ``view_from_look`` (3, 3) maps pixels of the look to the view."""
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    cuts = [cv2.warpPerspective(part, view_from_look, (SIDE_PX, SIDE_PX), flags=flags) for part in said]
    return np.asarray(np.concatenate(cuts, axis=2), np.float32).transpose(2, 0, 1)
