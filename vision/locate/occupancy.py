"""Occupancy: which cells of a lattice carry tiles, by sides, heat map and rival lattices.

Only the largest set of cells joined by edges is the board; loose tiles, supplies and draw stacks
beside it are not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from vision.geometry.lattice import STEPS, Lattice, cell_corners
from vision.geometry.rectify import ImageOrPyramid, Pyramid
from vision.geometry.rigid import drawn_to_lattice, expected_quads
from vision.locate.background import print_likeness
from vision.locate.cell_classifier import CellsNetwork, tile_chances
from vision.locate.corner_fit import Outlines, outline
from vision.locate.edge_regressor import SidesNetwork
from vision.locate.heatmap import Heat
from vision.locate.params import PARAMS
from vision.observation import Image, mean_sides_px, size_of
from vision.probability import sigmoid, with_evidence

FEW_CELLS = 24
"""Number of cells below which a lattice is worth two more rounds of measuring."""
BEYOND_STEPS = 2
"""Number of steps beyond the cells beside the board within which tiles may show again."""


class CellNetworks(Protocol):
    """The networks that judge single cells."""

    @property
    def sides(self) -> SidesNetwork:
        """Finds a tile's four sides."""

    @property
    def cells(self) -> CellsNetwork:
        """Says whether a cell is one laid tile."""


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredBoard:
    """A board measured in one frame, under whatever names the search gave its lattice.

    ``quads`` (4, 2) pixels for each tile of the board, nw ne se sw; ``occupied`` probabilities for
    these cells and their neighbours; ``weight`` is the sum of what speaks for the tiles.
    """

    lattice: Lattice
    quads: Mapping[Cell, NDArray[np.float64]]
    occupied: Mapping[Cell, float]
    weight: float


def measure_board(
    frame_bgr: Image,
    networks: CellNetworks,
    heat: Heat,
    lattice: Lattice,
    sure: Mapping[Cell, float],
    start: Mapping[Cell, NDArray[np.float64]],
    unknown_art: bool = False,
    by_colors: bool = False,
) -> MeasuredBoard | None:
    """Cells that carry tiles, and each tile's corners; grows outwards until nothing is added.

    ``sure`` says how strongly cells are claimed, ``start`` (4, 2) roughly where their tiles lie. With
    ``by_colors`` doubtful cells are compared with the tiles and the table that are sure. With ``unknown_art``
    nobody will know the faces: so they are, and tiles are drawn towards the lattice.
    """
    size_wh, picture = size_of(frame_bgr), Pyramid(frame_bgr)
    by_colors = by_colors or unknown_art
    asked: dict[Cell, float] = {}
    told = asked
    quads: dict[Cell, NDArray[np.float64]] = {}
    looked: dict[Cell, NDArray[np.float64]] = {}
    expected = np.zeros((0, 4, 2))
    wave = sorted(sure)
    for number in range(12):
        if not wave:
            break
        guess = np.stack([start[cell] for cell in wave]) if number == 0 else expected
        looked.update(zip(wave, guess, strict=True))
        rounds = 4 if len(wave) < FEW_CELLS and number == 0 else 2
        seen = outline(picture, lattice, wave, networks.sides, guess, rounds, keep_lattice=number > 0)
        if number == 0:
            lattice = seen.lattice
        chances = occupied_chances(picture, seen, networks, heat, sure)
        asked.update((cell, float(chance)) for cell, chance in zip(wave, chances, strict=True))
        quads.update(zip(wave, seen.quads, strict=True))
        # What are tiles fixes the lattice anew: a start that was partly wrong rights itself, and
        # the next cells are looked for where their neighbours say.
        told = _against_table(frame_bgr, asked, quads, lattice) if by_colors else asked
        lattice = _through_tiles(told, quads, lattice, size_wh)
        asked.update((cell, 0.0) for cell, chance in told.items() if chance == 0.0)
        tiles = [cell for cell, chance in told.items() if chance > PARAMS.likely]
        wanted = sorted(likely_cells(tiles, lattice, heat, frame_bgr) | (set(sure) - set(tiles)))
        expected = expected_quads(wanted, tiles, quads, lattice)
        again = [_moved(looked.get(cell), quad) for cell, quad in zip(wanted, expected, strict=True)]
        wave = [cell for cell, needed in zip(wanted, again, strict=True) if needed]
        expected = expected[again]
    # A box with a printed lid may continue the lattice: the tiles that were known count double.
    weights = {cell: 2.0 * chance - 1.0 + 0.5 * sure.get(cell, 0.0) for cell, chance in told.items()}
    board = _heaviest({cell for cell, chance in told.items() if chance > PARAMS.likely}, weights)
    if not _is_a_board(board, told, sure):
        return None
    # Whoever reads faces weighs the colours by itself.
    occupied = _chances_around_board(board, told if unknown_art else asked, lattice, heat)
    weight = sum(2.0 * told[cell] - 1.0 for cell in board)
    tiles_px = {cell: quads[cell] for cell in board}
    return MeasuredBoard(
        lattice, drawn_to_lattice(lattice, tiles_px) if unknown_art else tiles_px, occupied, weight
    )


def _chances_around_board(
    board: set[Cell], asked: Mapping[Cell, float], lattice: Lattice, heat: Heat
) -> dict[Cell, float]:
    """The chances of the cells asked, of all beside the board, and of those further out, to which no outline
    leads: a hand may lie between, so the heat map has a word."""
    edge = {step_from(cell, step) for cell in board for step in STEPS} - board
    told = dict.fromkeys(edge, 0.02) | dict(asked)
    for _ in range(BEYOND_STEPS):
        further = sorted({step_from(cell, step) for cell in edge for step in STEPS} - board - told.keys())
        faces = heat.face_shares(lattice.quads(further))
        told |= {cell: float(share) for cell, share in zip(further, faces, strict=True)}
        edge = {cell for cell in further if told[cell] > PARAMS.possible}
    return told


def _against_table(
    frame_bgr: Image,
    asked: Mapping[Cell, float],
    quads: Mapping[Cell, NDArray[np.float64]],
    lattice: Lattice,
) -> dict[Cell, float]:
    """The chances of doubtful cells, with what the table and the tiles look like taken into account."""
    doubtful = {cell for cell, chance in asked.items() if PARAMS.bare < chance < PARAMS.sure}
    if not doubtful:
        return dict(asked)
    tiles = {cell for cell, chance in asked.items() if chance >= PARAMS.sure}
    rim = {step_from(cell, step) for cell in tiles | doubtful for step in STEPS}
    rim |= {step_from(cell, step) for cell in rim for step in STEPS}
    cells = sorted(rim | set(asked))
    plain = dict(zip(cells, lattice.quads(cells), strict=True)) | dict(quads)
    where = np.stack([plain[cell] for cell in cells])
    size = np.array([frame_bgr.shape[1], frame_bgr.shape[0]])
    inside = ((where >= 0) & (where < size)).all(axis=(1, 2))
    bare = np.array([asked.get(cell, 0.0) <= PARAMS.bare for cell in cells]) & inside
    like = print_likeness(frame_bgr, where, np.array([cell in tiles for cell in cells]), bare)
    return {
        cell: with_evidence(asked[cell], PARAMS.table_nats * float(like[index]))
        if cell in doubtful
        else asked[cell]
        for index, cell in enumerate(cells)
        if cell in asked
    }


def _through_tiles(
    asked: dict[Cell, float],
    quads: Mapping[Cell, NDArray[np.float64]],
    lattice: Lattice,
    size_wh: tuple[int, int],
) -> Lattice:
    """The lattice through the measured tiles; a tile that fits neither it nor its neighbours loses
    its chance."""
    for _ in range(3):
        tiles = [cell for cell, chance in asked.items() if chance > PARAMS.likely]
        if not tiles:
            return lattice
        seen = np.stack([quads[cell] for cell in tiles])
        weights = np.repeat([asked[cell] for cell in tiles], 4)
        lattice = Lattice.fit(cell_corners(tiles), seen.reshape(-1, 2), size_wh, weights)
        off = np.minimum(
            _apart(lattice.quads(tiles), seen), _apart(expected_quads(tiles, tiles, quads, lattice), seen)
        )
        strays = [cell for cell, error in zip(tiles, off, strict=True) if error > PARAMS.stray_sides]
        if not strays:
            break
        asked.update(dict.fromkeys(strays, 0.0))
    return lattice


def _apart(quads: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean distance (n,) of the corners of quads (n, 4, 2), in sides of the others."""
    side = mean_sides_px(others)
    return np.asarray(np.linalg.norm(quads - others, axis=2).mean(axis=1) / side)


def _moved(before: NDArray[np.float64] | None, quad: NDArray[np.float64]) -> bool:
    """Whether a cell is now expected elsewhere than where it was looked at, if it was."""
    return before is None or bool(_apart(before[None], quad[None])[0] > 0.12)


def likely_cells(cells: Iterable[Cell], lattice: Lattice, heat: Heat, frame_bgr: Image) -> set[Cell]:
    """The cells' neighbours that look like a tile's face and lie mostly in view."""
    cells = set(cells)
    beside = sorted({step_from(cell, step) for cell in cells for step in STEPS} - cells)
    if not beside:
        return set()
    quads = lattice.quads(beside)
    faces = heat.face_shares(quads)
    middles = quads.mean(axis=1)
    size = np.array([frame_bgr.shape[1], frame_bgr.shape[0]])
    in_view = ((middles > 0) & (middles < size)).all(axis=1)
    return {cell for cell, face, ok in zip(beside, faces, in_view, strict=True) if ok and face > PARAMS.bare}


def occupied_chances(
    frame_bgr: ImageOrPyramid, seen: Outlines, networks: CellNetworks, heat: Heat, sure: Mapping[Cell, float]
) -> NDArray[np.float64]:
    """Chance of a tile in each cell: the cell as a whole, its sides, its face in the heat map, and
    who else claims it."""
    whole = tile_chances(frame_bgr, seen.quads, networks.cells)
    face = heat.face_shares(seen.lattice.quads(seen.cells))
    claim = np.array([min(sure.get(cell, 0.0), 3.0) for cell in seen.cells])
    evidence: NDArray[np.float64] = (
        6.0 * (whole - 0.5) + 4.0 * (seen.present - 0.5) + 2.0 * (face - 0.5) + claim - 0.5
    )
    return sigmoid(evidence)


def _is_a_board(board: set[Cell], occupied: Mapping[Cell, float], sure: Mapping[Cell, float]) -> bool:
    """One doubtful tile is no board: clutter on a table has corners and faces too."""
    if not board:
        return False
    total = sum(2.0 * occupied[cell] - 1.0 for cell in board)
    known = max(sure.get(cell, 0.0) for cell in board)
    return total > 1.5 or (total > 0.8 and known > 1.0)


def _heaviest(cells: set[Cell], weights: Mapping[Cell, float]) -> set[Cell]:
    """The set of cells joined by edges for which most speaks."""
    best: set[Cell] = set()
    left = set(cells)
    while left:
        joined = joined_cells(left, {next(iter(left))})
        left -= joined
        if sum(weights[cell] for cell in joined) > sum(weights[cell] for cell in best):
            best = joined
    return best


def joined_cells(cells: set[Cell], start: set[Cell]) -> set[Cell]:
    """All of ``cells`` that can be reached from ``start`` edge by edge, and start itself."""
    reached, queue = set(start), list(start)
    while queue:
        cell = queue.pop()
        for step in STEPS:
            nxt = step_from(cell, step)
            if nxt in cells and nxt not in reached:
                reached.add(nxt)
                queue.append(nxt)
    return reached


def cells_near(cells: Collection[Cell], board: Collection[Cell], steps: int) -> set[Cell]:
    """The cells from which the nearest of the board is at most so many steps away."""
    if not cells or not board:
        return set()
    apart = np.abs(np.array(list(cells))[:, None] - np.array(list(board))[None]).sum(axis=2).min(axis=1)
    return {cell for cell, far in zip(cells, apart, strict=True) if far <= steps}


def step_from(cell: Cell, step: Cell) -> Cell:
    """The cell that lies a step (dx, dy) away."""
    return (cell[0] + step[0], cell[1] + step[1])
