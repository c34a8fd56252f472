"""Cover: the parts of tiles that pieces occlude.

Near-identical faces often differ only in a small detail, which a piece may cover. Covered parts must not
count as evidence for either face.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from vision.geometry.homography import apply_homography
from vision.geometry.ortho import lean_at, px_in_quads
from vision.observation import BoardPose, PieceReading, Quad
from vision.pieces.params import PARAMS

LOW = 0.4
"""Height of a lying piece relative to a standing one."""


def covered_parts(
    pose: BoardPose, quads: Mapping[Cell, Quad], pieces: Sequence[PieceReading], grid: int
) -> dict[Cell, NDArray[np.bool_]]:
    """Return masks (grid, grid) of the parts of tiles that pieces cover, by cell; row 0 is in the north.

    A piece covers a capsule from its foot to its projected top. ``quads`` are the tiles' corners in pixels,
    the north is that of the lattice. Uncovered tiles are left out.
    """
    if not pieces or not quads:
        return {}
    cells, corners = list(quads), np.stack(list(quads.values())).astype(np.float64)
    middles = px_in_quads(corners, (np.arange(grid) + 0.5) / grid)
    h = np.asarray(pose.H_px_from_lattice, np.float64)
    feet = np.array([piece.lattice_xy for piece in pieces], np.float64)
    low = np.array([LOW if piece.pose == "lying" else 1.0 for piece in pieces])[:, None]
    tops = apply_homography(h, feet + low * lean_at(h, pose.image_size_wh, feet))
    covered = np.zeros(middles.shape[:3], np.bool_)
    sides = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    for piece, top in zip(pieces, tops, strict=True):
        foot = np.array(piece.point_px)
        along = top - foot
        share = ((middles - foot) @ along) / max(float(along @ along), 1e-9)
        nearest = foot + np.clip(share, 0.0, 1.0)[..., None] * along
        off = np.linalg.norm(middles - nearest, axis=3)
        covered |= off < PARAMS.covers_sides * sides[:, None, None]
    return {cell: mask for cell, mask in zip(cells, covered, strict=True) if mask.any()}
