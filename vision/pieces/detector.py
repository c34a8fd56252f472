"""Piece detector: candidates for pieces and animal tiles in the view from above.

A small fully convolutional network gets the orthographic view (`vision.geometry.ortho`) and its difference
from the known print (`vision.tiles.reprojection`). On a grid of four pixels it predicts contact points, kinds
and colours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.tiles.pieces import OUTSIDE, SORTS
from models.loader import OnnxModel
from vision.geometry.ortho import CELL_PX, Ortho, lean_at
from vision.pieces.params import PARAMS

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]

STRIDE = 4
"""Pixels of the view per cell of the network's output."""
COLORS = ("yellow", "red", "green", "blue", "black", "violet")
"""Colours of pieces, in the order of the networks' outputs."""
CLASSES = SORTS
"""The classes of the networks, in the order of their outputs."""
TOKEN = CLASSES.index(("token", "lying"))
"""Index of the class of animal tiles."""
STAND_OUTSIDE = np.array([kind in OUTSIDE for kind, _ in CLASSES])
"""Mask, bool (5,), of the classes that stand on empty cells."""


def network_inputs(
    view: Ortho, said: F32, h_px_from_lattice: F64, image_size_wh: tuple[int, int]
) -> tuple[F32, F32]:
    """Assemble the network's input: picture (1, 10, H, W) and context (1, 5, H/4, W/4).

    The picture's channels are the colours in -1..1 and ``said`` (H, W, 7), the channels of
    `vision.tiles.reprojection.against_print`. The context is the lean of standing objects (x, y, in lattice
    units) and the mean colour of the view, constant, as a reference for the light. ``h_px_from_lattice`` (3,
    3) maps lattice units to pixels of the photograph of ``image_size_wh``.
    """
    h, w = view.image.shape[:2]
    picture = np.empty((1, 10, h, w), np.float32)
    picture[0, :3] = (view.image.astype(np.float32) / np.float32(127.5) - 1).transpose(2, 0, 1)
    picture[0, 3:] = said.transpose(2, 0, 1)
    gh, gw = h // STRIDE, w // STRIDE
    # The lean changes slowly: a coarse grid is enough.
    ys = np.linspace(0, h - 1, 9)
    xs = np.linspace(0, w - 1, 9)
    grid = view.lattice_of(np.stack(np.meshgrid(xs, ys), axis=-1))
    lean = lean_at(h_px_from_lattice, image_size_wh, grid).astype(np.float32)
    field = np.asarray(cv2.resize(lean, (gw, gh), interpolation=cv2.INTER_LINEAR), np.float32)
    mean = np.array(cv2.mean(view.image, mask=view.seen)[:3], np.float32) / np.float32(127.5) - 1
    context = np.empty((1, 5, gh, gw), np.float32)
    context[0, :2] = field.transpose(2, 0, 1)
    context[0, 2:] = mean[:, None, None]
    return picture, context


def peaks(heat: F32, least: float) -> list[tuple[bool, int, int, float]]:
    """Return the local maxima of at least ``least`` in heat maps (2, H, W), strongest first.

    Each is (is token, y, x, value). The first map is for pieces, the second for tokens, which may lie under
    pieces.
    """
    out: list[tuple[bool, int, int, float]] = []
    kernel = np.ones((3, 3), np.uint8)
    for which, top in enumerate(heat):
        best = np.asarray(cv2.dilate(top, kernel), np.float32)
        for y, x in np.argwhere((top >= best) & (top >= least)):
            out.append((which == 1, int(y), int(x), float(top[y, x])))
    return sorted(out, key=lambda p: -p[3])


def around(maps: F32, y: int, x: int) -> F32:
    """The mean (n,) of maps (n, H, W) over the 3 × 3 cells around (y, x)."""
    return np.asarray(maps[:, max(0, y - 1) : y + 2, max(0, x - 1) : x + 2].mean(axis=(1, 2)), np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class PieceCandidate:
    """A detection: ``value`` of its peak, probabilities ``kinds`` float32 (4,) and ``colors`` (6,).
    ``token``: an animal tile, which may lie under a piece."""

    token: bool
    lattice_xy: tuple[float, float]
    value: float
    kinds: F32
    colors: F32


def candidates(
    view: Ortho,
    said: F32,
    h_px_from_lattice: F64,
    image_size_wh: tuple[int, int],
    model: OnnxModel,
    least: float,
) -> list[PieceCandidate]:
    """Run the detector on a view; return the detections of at least ``least``, strongest first.
    Of close ones only the strongest is kept. Arguments as for `network_inputs`."""
    picture, context = network_inputs(view, said, h_px_from_lattice, image_size_wh)
    heat, sorts, offset, color = (out[0] for out in model(picture, context))
    found: list[PieceCandidate] = []
    for token, gy, gx, value in peaks(heat, least):
        dx, dy = float(offset[0, gy, gx]), float(offset[1, gy, gx])
        px = np.array([[(gx + 0.5 + dx) * STRIDE - 0.5, (gy + 0.5 + dy) * STRIDE - 0.5]])
        x, y = (float(v) for v in view.lattice_of(px)[0])
        near = PARAMS.same_token_sides if token else PARAMS.same_piece_sides
        if any(c.token == token and math.dist((x, y), c.lattice_xy) < near for c in found):
            continue
        found.append(PieceCandidate(token, (x, y), value, around(sorts, gy, gx), around(color, gy, gx)))
    return found


def seen_mirrored(
    view: Ortho,
    said: F32,
    h_px_from_lattice: F64,
    image_size_wh: tuple[int, int],
    model: OnnxModel,
    places: F64,
) -> F32:
    """Run the detector on the mirrored view; return its values (n,) at ``places`` (n, 2) in lattice units.
    They are for test-time augmentation of `candidates`. Arguments as for `network_inputs`."""
    picture, context = network_inputs(view, said, h_px_from_lattice, image_size_wh)
    context[:, 0] *= -1  # the lean is mirrored too
    heat = model(np.ascontiguousarray(picture[..., ::-1]), np.ascontiguousarray(context[..., ::-1]))[0]
    top = np.asarray(cv2.dilate(heat[0, 0, :, ::-1].copy(), np.ones((3, 3), np.uint8)), np.float32)
    at = ((places - view.origin_xy) * (CELL_PX / STRIDE)).astype(int)
    height, width = top.shape
    return np.asarray(top[np.clip(at[:, 1], 0, height - 1), np.clip(at[:, 0], 0, width - 1)], np.float32)
