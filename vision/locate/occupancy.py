"""Occupancy: decides which cells of a lattice hold tiles, by sides, cell classifier and heat map.

Only the heaviest connected set of cells is the board; loose tiles, supplies and draw stacks are not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from vision.geometry.lattice import STEPS, Lattice, cell_corners
from vision.geometry.rigid import drawn_to_lattice, expected_quads
from vision.locate.background import CELL_PX, print_likeness
from vision.locate.cell_networks import CellsNetwork, SidesNetwork, tile_chances
from vision.locate.corner_fit import Outlines, outline
from vision.locate.heatmap import Heat
from vision.locate.params import PARAMS
from vision.observation import Sight, mean_sides_px
from vision.probability import sigmoid, with_evidence

FEW_CELLS = 24
"""Number of cells below which the first measurement gets two more rounds."""
BEYOND_STEPS = 2
"""Number of steps beyond the board's neighbours in which tiles are searched by the heat map."""


class CellNetworks(Protocol):
    """The networks that judge single cells."""

    @property
    def sides(self) -> SidesNetwork:
        """Network that measures a tile's sides."""

    @property
    def cells(self) -> CellsNetwork:
        """Network that classifies a cell as one laid tile or not."""


@dataclass(frozen=True, slots=True, eq=False)
class CellGauge:
    """Measures single cells of one picture, with the networks and a heat map of it."""

    sight: Sight
    networks: CellNetworks
    heat: Heat

    def measured(
        self,
        lattice: Lattice,
        cells: Sequence[Cell],
        start: NDArray[np.float64],
        claims: Mapping[Cell, float],
        rounds: int = 2,
        keep_lattice: bool = True,
    ) -> tuple[Outlines, NDArray[np.float64]]:
        """Measure cells from quads ``start`` (n, 4, 2), and decide whether they are tiles.
        Returns their outlines, and the probability (n,) of a tile in each, from the cell classifier, its
        sides, the heat map, and ``claims``, other evidence in nats, of which at most 3 count. Other arguments
        as for `outline`."""
        seen = outline(self.sight, lattice, cells, self.networks.sides, start, rounds, keep_lattice)
        whole = tile_chances(self.sight, seen.quads, self.networks.cells)
        face = self.heat.face_shares(seen.lattice.quads(seen.cells))
        claim = np.array([min(claims.get(cell, 0.0), 3.0) for cell in seen.cells])
        evidence: NDArray[np.float64] = (
            6.0 * (whole - 0.5) + 4.0 * (seen.present - 0.5) + 2.0 * (face - 0.5) + claim - 0.5
        )
        return seen, sigmoid(evidence)


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredBoard:
    """A board measured in one frame, with the cell names of the search.

    ``quads`` (4, 2) pixels of each tile, nw ne se sw; ``occupied`` are the probabilities of a tile for these
    cells and their neighbours; ``weight`` is the sum of 2·p - 1 over the tiles.
    """

    lattice: Lattice
    quads: Mapping[Cell, NDArray[np.float64]]
    occupied: Mapping[Cell, float]
    weight: float


def measure_board(
    gauge: CellGauge,
    lattice: Lattice,
    claims: Mapping[Cell, float],
    start: Mapping[Cell, NDArray[np.float64]],
    unknown_art: bool = False,
    by_colors: bool = False,
) -> MeasuredBoard | None:
    """Measure the tiles of a lattice, growing outwards until no tile is added; None if there is no board.

    ``gauge`` measures the cells in its picture. ``claims`` maps the initial cells to evidence in nats for a
    tile in each, ``start`` to their approximate quads (4, 2). With ``by_colors`` doubtful cells are compared
    by colour with sure tiles and sure table. ``unknown_art`` implies ``by_colors`` and regularises the tiles
    towards the lattice, as no faces will be read.
    """
    by_colors = by_colors or unknown_art
    asked: dict[Cell, float] = {}
    told = asked
    quads: dict[Cell, NDArray[np.float64]] = {}
    looked: dict[Cell, NDArray[np.float64]] = {}
    expected = np.zeros((0, 4, 2))
    wave = sorted(claims)
    for number in range(12):
        if not wave:
            break
        guess = np.stack([start[cell] for cell in wave]) if number == 0 else expected
        looked.update(zip(wave, guess, strict=True))
        rounds = 4 if len(wave) < FEW_CELLS and number == 0 else 2
        seen, chances = gauge.measured(lattice, wave, guess, claims, rounds, keep_lattice=number > 0)
        if number == 0:
            lattice = seen.lattice
        asked.update((cell, float(chance)) for cell, chance in zip(wave, chances, strict=True))
        quads.update(zip(wave, seen.quads, strict=True))
        # Refit the lattice to the tiles, which corrects a partly wrong start, and predict the next cells
        # from their neighbours.
        told = _against_table(gauge.sight, asked, quads, lattice) if by_colors else asked
        lattice = _through_tiles(told, quads, lattice, gauge.sight.size_wh)
        asked.update((cell, 0.0) for cell, chance in told.items() if chance == 0.0)
        tiles = [cell for cell, chance in told.items() if chance > PARAMS.likely]
        beside = likely_beside(tiles, lattice, gauge.heat, gauge.sight.size_wh)
        wanted = sorted(beside | (set(claims) - set(tiles)))
        expected = expected_quads(wanted, tiles, quads, lattice)
        again = [_moved(looked.get(cell), quad) for cell, quad in zip(wanted, expected, strict=True)]
        wave = [cell for cell, needed in zip(wanted, again, strict=True) if needed]
        expected = expected[again]
    # A printed box may continue the lattice: claimed tiles get additional weight.
    weights = {cell: 2.0 * chance - 1.0 + 0.5 * claims.get(cell, 0.0) for cell, chance in told.items()}
    board = _heaviest({cell for cell, chance in told.items() if chance > PARAMS.likely}, weights)
    if not _is_a_board(board, told, claims):
        return None
    # With a gallery, the reader of faces considers colours itself.
    occupied = _chances_around_board(board, told if unknown_art else asked, lattice, gauge.heat)
    weight = sum(2.0 * told[cell] - 1.0 for cell in board)
    tiles_px = {cell: quads[cell] for cell in board}
    return MeasuredBoard(
        lattice, drawn_to_lattice(lattice, tiles_px) if unknown_art else tiles_px, occupied, weight
    )


def _chances_around_board(
    board: set[Cell], asked: Mapping[Cell, float], lattice: Lattice, heat: Heat
) -> dict[Cell, float]:
    """Return ``asked``, the probabilities of the measured cells, extended by cells around the board.
    A neighbour that was not measured gets 0.02; cells further out, which a hand may separate from the board,
    get the heat map's probability of a face."""
    edge = {step_from(cell, step) for cell in board for step in STEPS} - board
    told = dict.fromkeys(edge, 0.02) | dict(asked)
    for _ in range(BEYOND_STEPS):
        further = sorted({step_from(cell, step) for cell in edge for step in STEPS} - board - told.keys())
        faces = heat.face_shares(lattice.quads(further))
        told |= {cell: float(share) for cell, share in zip(further, faces, strict=True)}
        edge = {cell for cell in further if told[cell] > PARAMS.possible}
    return told


def _against_table(
    sight: Sight,
    asked: Mapping[Cell, float],
    quads: Mapping[Cell, NDArray[np.float64]],
    lattice: Lattice,
) -> dict[Cell, float]:
    """Return the probabilities ``asked``, those of doubtful cells updated by their colours.
    The colours are compared with those of sure tiles and of bare table."""
    doubtful = {cell for cell, chance in asked.items() if PARAMS.bare < chance < PARAMS.sure}
    if not doubtful:
        return dict(asked)
    tiles = {cell for cell, chance in asked.items() if chance >= PARAMS.sure}
    rim = {step_from(cell, step) for cell in tiles | doubtful for step in STEPS}
    rim |= {step_from(cell, step) for cell in rim for step in STEPS}
    cells = sorted(rim | set(asked))
    plain = dict(zip(cells, lattice.quads(cells), strict=True)) | dict(quads)
    where = np.stack([plain[cell] for cell in cells])
    inside = ((where >= 0) & (where < np.array(sight.size_wh))).all(axis=(1, 2))
    bare = np.array([asked.get(cell, 0.0) <= PARAMS.bare for cell in cells]) & inside
    like = print_likeness(sight.crops(where, CELL_PX), np.array([cell in tiles for cell in cells]), bare)
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
    """Fit the lattice to the measured tiles and return it; unchanged if none is likely.
    Probabilities in ``asked`` are set to 0 for outliers that fit neither the lattice nor their neighbours."""
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
    """Mean corner distance (n,) between quads (n, 4, 2), in sides of ``others``."""
    side = mean_sides_px(others)
    return np.asarray(np.linalg.norm(quads - others, axis=2).mean(axis=1) / side)


def _moved(before: NDArray[np.float64] | None, quad: NDArray[np.float64]) -> bool:
    """Whether a cell was not measured yet, or its predicted quad has moved since."""
    return before is None or bool(_apart(before[None], quad[None])[0] > 0.12)


def likely_beside(cells: Iterable[Cell], lattice: Lattice, heat: Heat, size_wh: tuple[int, int]) -> set[Cell]:
    """Return the neighbours of ``cells`` that are likely a tile's face in the heat map and mostly in view."""
    cells = set(cells)
    beside = sorted({step_from(cell, step) for cell in cells for step in STEPS} - cells)
    if not beside:
        return set()
    quads = lattice.quads(beside)
    faces = heat.face_shares(quads)
    middles = quads.mean(axis=1)
    in_view = ((middles > 0) & (middles < np.array(size_wh))).all(axis=1)
    return {cell for cell, face, ok in zip(beside, faces, in_view, strict=True) if ok and face > PARAMS.bare}


def _is_a_board(board: set[Cell], occupied: Mapping[Cell, float], claims: Mapping[Cell, float]) -> bool:
    """Whether the evidence suffices for a board: one doubtful tile may be clutter.
    ``occupied`` are the probabilities of a tile, ``claims`` other evidence in nats."""
    if not board:
        return False
    total = sum(2.0 * occupied[cell] - 1.0 for cell in board)
    known = max(claims.get(cell, 0.0) for cell in board)
    return total > 1.5 or (total > 0.8 and known > 1.0)


def _heaviest(cells: set[Cell], weights: Mapping[Cell, float]) -> set[Cell]:
    """Return the connected set of cells with the largest sum of weights; empty if no sum is positive."""
    best: set[Cell] = set()
    left = set(cells)
    while left:
        joined = joined_cells(left, {next(iter(left))})
        left -= joined
        if sum(weights[cell] for cell in joined) > sum(weights[cell] for cell in best):
            best = joined
    return best


def joined_cells(cells: set[Cell], start: set[Cell]) -> set[Cell]:
    """Return ``start`` and all ``cells`` that are connected to it edge to edge."""
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
    """The ``cells`` whose Manhattan distance to the board is at most ``steps``."""
    if not cells or not board:
        return set()
    apart = np.abs(np.array(list(cells))[:, None] - np.array(list(board))[None]).sum(axis=2).min(axis=1)
    return {cell for cell, far in zip(cells, apart, strict=True) if far <= steps}


def step_from(cell: Cell, step: Cell) -> Cell:
    """Return the cell at the offset ``step`` (dx, dy) from ``cell``."""
    return (cell[0] + step[0], cell[1] + step[1])
