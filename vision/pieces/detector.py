"""Piece detector: places of wooden pieces and animal tiles, found from above.

A small fully convolutional network looks at the board from above (`vision.geometry.ortho`), and at what the
known print does not explain of it (`vision.tiles.reprojection`), and tells, four pixels apart, where a piece
touches the table, of which kind, and in which colour.
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
"""Pixels of the picture from above for each cell of the network's answer."""
COLORS = ("yellow", "red", "green", "blue", "black", "violet")
"""Colours of pieces, in the order of the networks' outputs."""
CLASSES = SORTS
"""The sorts of piece that the networks tell apart, in the order of their outputs."""
TOKEN = CLASSES.index(("token", "lying"))
"""Index of the class that is an animal tile."""
STAND_OUTSIDE = np.array([kind in OUTSIDE for kind, _ in CLASSES])
"""Mask, bool (5,), of the classes that stand beside the tiles."""


def network_inputs(
    view: Ortho, said: F32, h_px_from_lattice: F64, image_size_wh: tuple[int, int]
) -> tuple[F32, F32]:
    """Input of the network: picture (1, 10, H, W) and context (1, 5, H/4, W/4).

    The picture's channels are its colours in -1..1 and what the print says of them (``said`` (H, W, 7), see
    `vision.tiles.reprojection.against_print`). Context is the lean of standing things (x, y, lattice units)
    and the mean colour of what is seen, the same everywhere: the light's colour is judged against it.
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
    """Local maxima of the heat maps (2, H, W): (a token?, y, x, value), strongest first.

    The first map finds what stands or lies on the board, the second tokens, which may lie under it.
    """
    out: list[tuple[bool, int, int, float]] = []
    kernel = np.ones((3, 3), np.uint8)
    for which, top in enumerate(heat):
        best = np.asarray(cv2.dilate(top, kernel), np.float32)
        for y, x in np.argwhere((top >= best) & (top >= least)):
            out.append((which == 1, int(y), int(x), float(top[y, x])))
    return sorted(out, key=lambda p: -p[3])


def around(maps: F32, y: int, x: int) -> F32:
    """The mean of maps (n, H, W) over the 3 × 3 places around one: what they say of a piece there."""
    return np.asarray(maps[:, max(0, y - 1) : y + 2, max(0, x - 1) : x + 2].mean(axis=(1, 2)), np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class PieceCandidate:
    """A place where the detector sees a piece: ``value`` of its peak, ``kinds`` float32 (4,) and ``colors``
    (6,) as it sees them there. ``token``: an animal tile, which may lie under something else."""

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
    """All that the detector sees in a picture from above, surest first, each once."""
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
    """Answers of the detector at places (n, 2) in lattice units when the picture from above is mirrored: the
    values (n,) that `candidates` has for the picture as it is."""
    picture, context = network_inputs(view, said, h_px_from_lattice, image_size_wh)
    context[:, 0] *= -1  # things lean the other way
    heat = model(np.ascontiguousarray(picture[..., ::-1]), np.ascontiguousarray(context[..., ::-1]))[0]
    top = np.asarray(cv2.dilate(heat[0, 0, :, ::-1].copy(), np.ones((3, 3), np.uint8)), np.float32)
    at = ((places - view.origin_xy) * (CELL_PX / STRIDE)).astype(int)
    height, width = top.shape
    return np.asarray(top[np.clip(at[:, 1], 0, height - 1), np.clip(at[:, 0], 0, width - 1)], np.float32)
