"""Cell names: keeps the names of an earlier pose for the same board, else derives them from the image.

Without a start tile, north is the lattice direction nearest the image's up, and (0, 0) is the tile of least
y, then least x (docs/formats.md, 'Frame of reference').
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from vision.geometry.lattice import Lattice, cell_corners
from vision.locate.occupancy import MeasuredBoard
from vision.observation import BoardPose


def pose_of(
    size_wh: tuple[int, int],
    lattice: Lattice,
    quads: Mapping[Cell, NDArray[np.float64]],
    occupied: Mapping[Cell, float],
) -> BoardPose:
    """Return the pose of tiles measured at ``quads`` (4, 2 px) in an image of ``size_wh``.
    ``occupied`` are the probabilities of a tile, for these cells and their neighbours. ``lattice`` is used
    for a single tile; for more, one without lens term is fitted to them."""
    # BoardPose has no lens term: the homography is fitted to the measured tiles themselves.
    cells = sorted(quads, key=lambda cell: (cell[1], cell[0]))
    corners = np.concatenate([quads[cell] for cell in cells])
    flat = Lattice.fit(cell_corners(cells), corners, size_wh, with_lens=False) if len(cells) > 1 else lattice
    confidence = float(np.mean([occupied[cell] for cell in cells]))
    return BoardPose(
        H_px_from_lattice=flat.H / flat.H[2, 2],
        quads={cell: np.asarray(quads[cell], dtype=np.float32) for cell in cells},
        image_size_wh=size_wh,
        confidence=confidence,
        occupied={cell: round(occupied[cell], 4) for cell in sorted(occupied)},
    )


_TURNS = tuple(
    np.array(turn, dtype=np.int64)
    for turn in ([[1, 0], [0, 1]], [[0, -1], [1, 0]], [[-1, 0], [0, -1]], [[0, 1], [-1, 0]])
)


def named(
    found: MeasuredBoard, size_wh: tuple[int, int], prior: BoardPose | None
) -> tuple[BoardPose, Lattice]:
    """Return the pose and the lattice of a measured board, with its cells renamed.

    If its tiles coincide with those of ``prior``, a cell keeps the name that it has there. Else north is the
    lattice direction nearest the image's up, and (0, 0) is the tile of least y, then least x.
    """
    turn, shift = _names_of_prior(found, prior) or _names_of_image(found)
    half = np.array([0.5, 0.5])

    def renamed(cell: Cell) -> Cell:
        """The new name of a cell."""
        middle = turn @ (np.array(cell) + half) + shift
        return (int(np.floor(middle[0])), int(np.floor(middle[1])))

    # A cell's north-west corner under the new names is another of its four corners.
    quarter = next(i for i, known in enumerate(_TURNS) if (known == turn).all())
    quads = {renamed(cell): np.roll(quad, quarter, axis=0) for cell, quad in found.quads.items()}
    occupied = {renamed(cell): value for cell, value in found.occupied.items()}
    lattice = found.lattice.moved(turn, shift)
    return pose_of(size_wh, lattice, quads, occupied), lattice


def _names_of_image(found: MeasuredBoard) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return rotation (2, 2) and shift (2,) to names by the image: new = rotation · old + shift.
    North is the lattice direction nearest the image's up, and (0, 0) the tile of least y, then least x."""
    middles = np.array(list(found.quads), dtype=np.float64) + 0.5
    centre = middles.mean(axis=0)
    best = 0
    lowest = np.inf
    for index, turn in enumerate(_TURNS):
        north = turn.T @ np.array([0.0, -1.0])
        here, there = found.lattice.project(np.array([centre, centre + 0.5 * north]))
        direction = (there - here) / max(float(np.linalg.norm(there - here)), 1e-9)
        if direction[1] < lowest - 1e-9:
            best, lowest = index, float(direction[1])
    turn = _TURNS[best]
    turned = np.floor(middles @ turn.T).astype(np.int64)
    first = min(turned.tolist(), key=lambda xy: (xy[1], xy[0]))
    return turn, -np.array(first, dtype=np.int64)


def _names_of_prior(
    found: MeasuredBoard, prior: BoardPose | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Return rotation (2, 2) and shift (2,) from the names of ``found`` to those of ``prior``.
    None if there is no prior or its tiles do not coincide with the board's."""
    if prior is None or not prior.quads:
        return None
    known = np.array(list(prior.quads), dtype=np.float64) + 0.5
    seen = found.lattice.unproject(np.array([quad.mean(axis=0) for quad in prior.quads.values()], np.float64))
    best: tuple[float, NDArray[np.int64], NDArray[np.int64]] | None = None
    for turn in _TURNS:
        offsets = known - seen @ turn.T
        shift = np.round(np.median(offsets, axis=0)).astype(np.int64)
        error = float(np.median(np.abs(offsets - shift)))
        if best is None or error < best[0]:
            best = (error, turn, shift)
    if best is None or best[0] > 0.2:
        return None
    return best[1], best[2]
