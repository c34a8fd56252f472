"""Pose tracker: tracks the board of a camera at rest, measuring only what changed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from vision.change.small_picture import Changes
from vision.geometry.lattice import Lattice, cell_corners
from vision.geometry.rigid import expected_quads
from vision.locate.cell_names import pose_of
from vision.locate.corner_fit import outline
from vision.locate.occupancy import CellGauge, joined_cells, likely_beside
from vision.locate.params import PARAMS
from vision.observation import BoardPose, mean_sides_px

TOGETHER = 12
"""Number of tiles that are measured together when one is added."""


def follow(
    gauge: CellGauge, prior: BoardPose, lattice: Lattice, changes: Changes
) -> tuple[BoardPose, Lattice] | None:
    """Track the board of ``prior`` in a new frame; return its pose, with the same cell names, and lattice.

    ``gauge`` measures cells in the new frame, ``changes`` are those since the frame of ``prior``. Only
    changed tiles are measured. Small differences of a tile at rest are noise or a hand, so it keeps its
    corners. None if the board no longer fits (camera or board was moved).
    """
    cells = sorted(prior.quads)
    start = np.array([prior.quads[cell] for cell in cells], dtype=np.float64)
    touched = changes.touched(start)
    there = np.array([prior.occupied.get(cell, 1.0) for cell in cells])
    quads = dict(zip(cells, start, strict=True))
    asked = [cell for cell, again in zip(cells, touched, strict=True) if again]
    if asked:
        claims = dict.fromkeys(asked, 0.5)
        seen, there[touched] = gauge.measured(lattice, asked, start[touched], claims, rounds=1)
        steady = (_distance(seen.quads, start[touched]) < PARAMS.steady_sides) & (there[touched] > 0.5)
        if steady.sum() + (~touched).sum() < max(0.4 * len(cells), 1):
            return None
        for cell, quad, chance, same in zip(asked, seen.quads, there[touched], steady, strict=True):
            if chance <= PARAMS.possible:
                del quads[cell]
            elif not same:
                quads[cell] = quad
    occupied = dict(prior.occupied) | dict(zip(cells, there.tolist(), strict=True))
    known = {cell for cell in prior.occupied if cell not in quads}
    fresh = sorted(known - set(cells))
    unchanged = set(cells) | {
        cell for cell, again in zip(fresh, changes.touched(lattice.quads(fresh)), strict=True) if not again
    }
    added = _added(gauge, lattice, quads, occupied, unchanged)
    kept = joined_cells(set(quads), set(quads) & set(cells))
    board = {cell: quads[cell] for cell in sorted(kept)}
    if added & kept:
        board, lattice = _measured_again(gauge, lattice, board, occupied, added & kept)
    return pose_of(gauge.sight.size_wh, lattice, board, occupied), lattice


def _added(
    gauge: CellGauge,
    lattice: Lattice,
    quads: dict[Cell, NDArray[np.float64]],
    occupied: dict[Cell, float],
    settled: set[Cell],
) -> set[Cell]:
    """Find new tiles next to the board, transitively; add them to ``quads`` and ``occupied``; return them.
    ``gauge`` measures cells of the frame; ``settled`` are the known cells, which are not measured."""
    added: set[Cell] = set()
    settled = set(settled)
    for _ in range(4):
        tiles = list(quads)
        fresh = sorted(likely_beside(tiles, lattice, gauge.heat, gauge.sight.size_wh) - settled)
        if not fresh:
            break
        guess = expected_quads(fresh, tiles, quads, lattice)
        more, found = gauge.measured(lattice, fresh, guess, {})
        occupied.update((cell, float(chance)) for cell, chance in zip(fresh, found, strict=True))
        quads.update({cell: more.quads[i] for i, cell in enumerate(fresh) if found[i] > PARAMS.likely})
        added.update(set(fresh) & set(quads))
        settled.update(fresh)
    return added


def _measured_again(
    gauge: CellGauge,
    lattice: Lattice,
    board: Mapping[Cell, NDArray[np.float64]],
    occupied: Mapping[Cell, float],
    added: set[Cell],
) -> tuple[dict[Cell, NDArray[np.float64]], Lattice]:
    """Measure the new tiles ``added`` again, together with the nearest others; return quads and lattice.

    The lattice is that of all tiles, because the first tiles of a game were measured in one that few tiles
    determined. A tile that would move far, or is doubtful (``occupied``), keeps its quad.
    """
    cells = list(board)
    before = np.stack([board[cell] for cell in cells])
    if len(cells) > TOGETHER:
        lattice = Lattice.fit(cell_corners(cells), before.reshape(-1, 2), gauge.sight.size_wh)
        middle = np.array(sorted(added), dtype=np.float64).mean(axis=0)
        near = np.abs(np.array(cells) - middle).sum(axis=1).argsort()[:TOGETHER]
    else:
        near = np.arange(len(cells))
    chosen = [cells[index] for index in near]
    again = outline(
        gauge.sight,
        lattice,
        chosen,
        gauge.networks.sides,
        before[near],
        rounds=2 if len(cells) > TOGETHER else 3,
        keep_lattice=len(cells) > TOGETHER,
    )
    sound = (_distance(again.quads, before[near]) < 2 * PARAMS.steady_sides) & (
        np.array([occupied[cell] for cell in chosen]) > PARAMS.sure
    )
    after = before.copy()
    after[near[sound]] = again.quads[sound]
    return dict(zip(cells, after, strict=True)), again.lattice if sound.all() else lattice


def _distance(quads: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """Maximum corner distance (n,) between quads (n, 4, 2), in sides of ``others``."""
    side = mean_sides_px(others)
    return np.asarray(np.linalg.norm(quads - others, axis=2).max(axis=1) / side)
