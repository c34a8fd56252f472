"""The board in the next frame of a camera that stands still: look again, measure only what is new."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from vision.heatmap import Heat
from vision.lattice import Lattice
from vision.naming import pose_of
from vision.observation import BoardPose, Image
from vision.occupancy import (
    LIKELY,
    CellNetworks,
    expected_quads,
    joined_cells,
    likely_cells,
    occupied_chances,
)
from vision.refine import outline

_STEADY = 0.04
"""A tile measured within this of its old place, in sides, has not moved."""
_HELD = 0.35
"""A tile known from before stays while its chance is above this: a hand may lie on it."""
_SURE = 0.9


def follow(
    frame_bgr: Image, heat: Heat, networks: CellNetworks, prior: BoardPose, lattice: Lattice
) -> tuple[BoardPose, Lattice] | None:
    """The board of ``prior`` in a new frame, under the same names, and its lattice; None where it
    does not fit any more (the camera or the board was moved).

    A tile at rest keeps its measure: what changes from frame to frame is noise, or a hand.
    """
    cells = sorted(prior.quads)
    start = np.array([prior.quads[cell] for cell in cells], dtype=np.float64)
    seen = outline(frame_bgr, lattice, cells, networks.sides, start, rounds=1, keep_lattice=True)
    there = occupied_chances(frame_bgr, seen, networks, heat, dict.fromkeys(cells, 0.5))
    steady = (_distance(seen.quads, start) < _STEADY) & (there > 0.5)
    if steady.sum() < max(0.4 * len(cells), 1):
        return None
    quads = {
        cell: (start[i] if steady[i] else seen.quads[i]) for i, cell in enumerate(cells) if there[i] > _HELD
    }
    occupied = {cell: float(chance) for cell, chance in zip(cells, there, strict=True)}
    for _ in range(4):
        tiles = list(quads)
        fresh = sorted(likely_cells(tiles, lattice, heat, frame_bgr) - set(occupied))
        if not fresh:
            break
        guess = expected_quads(fresh, tiles, quads, lattice)
        more = outline(frame_bgr, lattice, fresh, networks.sides, guess, keep_lattice=True)
        found = occupied_chances(frame_bgr, more, networks, heat, {})
        occupied.update((cell, float(chance)) for cell, chance in zip(fresh, found, strict=True))
        quads.update({cell: more.quads[i] for i, cell in enumerate(fresh) if found[i] > LIKELY})
    kept = joined_cells(set(quads), set(quads) & set(cells))
    board = {cell: quads[cell] for cell in sorted(kept)}
    if set(board) - set(cells):
        board, lattice = _measured_again(frame_bgr, networks, lattice, board, occupied)
    return pose_of(frame_bgr, lattice, board, occupied), lattice


def _measured_again(
    frame_bgr: Image,
    networks: CellNetworks,
    lattice: Lattice,
    board: Mapping[Cell, NDArray[np.float64]],
    occupied: Mapping[Cell, float],
) -> tuple[dict[Cell, NDArray[np.float64]], Lattice]:
    """All tiles together, after new ones joined: a lattice known from more tiles is a better one,
    and the first tiles of a game were measured in one known from few."""
    cells = list(board)
    before = np.stack([board[cell] for cell in cells])
    again = outline(frame_bgr, lattice, cells, networks.sides, before, rounds=3)
    sound = (_distance(again.quads, before) < 2 * _STEADY) & (
        np.array([occupied[cell] for cell in cells]) > _SURE
    )
    quads = np.where(sound[:, None, None], again.quads, before)
    return dict(zip(cells, quads, strict=True)), again.lattice if sound.all() else lattice


def _distance(quads: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """Largest corner distance (n,) of quads (n, 4, 2) from others, in sides."""
    side = np.linalg.norm(others - np.roll(others, 1, axis=1), axis=2).mean(axis=1)
    return np.asarray(np.linalg.norm(quads - others, axis=2).max(axis=1) / side)
