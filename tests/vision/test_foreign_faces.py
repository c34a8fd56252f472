"""Unknown tiles read as foreign faces: those that stay, and those that are known to be foreign."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.pack import load_pack
from engine.tiles.board import Laid
from engine.tiles.foreign import MARK, foreign_design
from vision.foreign_faces import UnknownCells
from vision.geometry.lattice_frame import LatticeFrame
from vision.observation import CellReading, Observation
from vision.pipeline_params import PARAMS

LATTICE = LatticeFrame((3, -2), 1)
CELL = (2, 1)
PACK = load_pack("bastide")


def seen(t_s: float, log_tile: float = -4.0) -> Observation:
    """A picture of a cell that shows no face of two."""
    at = LATTICE.lattice_cell(CELL)
    reading = CellReading(
        at, np.zeros((4, 2), np.float32), np.full((2, 4), -np.log(8.0), np.float32), log_tile
    )
    other = replace(reading, cell=(at[0] + 1, at[1]), log_tile=5.0)
    return Observation(0, t_s, None, ("A", "B"), {at: reading, other.cell: other}, (), unknown={at: 0.8})


def shown(observation: Observation) -> tuple[str, int]:
    """The likeliest face of the cell, turned as in the game."""
    logs = observation.cells[LATTICE.lattice_cell(CELL)].log_probs
    row, turn = np.unravel_index(int(logs.argmax()), logs.shape)
    return observation.designs[int(row)], LATTICE.rot(90 * int(turn))


def test_an_unknown_tile_that_stays_is_read_as_a_foreign_tile() -> None:
    cells = UnknownCells()
    first = seen(10.0)
    assert cells.read(first, LATTICE, {}) is first
    read = cells.read(seen(10.0 + PARAMS.unknown_after_s), LATTICE, {})
    assert shown(read) == (MARK, 0)
    reading = read.cells[LATTICE.lattice_cell(CELL)]
    assert reading.log_tile > 0 and np.exp(reading.log_probs).sum() == np.float32(1.0)
    assert all(len(one.log_probs) == 3 for one in read.cells.values())


def test_an_unknown_tile_that_goes_away_begins_its_wait_anew() -> None:
    cells = UnknownCells()
    cells.read(seen(10.0), LATTICE, {})
    cells.read(replace(seen(11.0), unknown={}), LATTICE, {})
    again = seen(12.5)
    assert cells.read(again, LATTICE, {}) is again


def test_a_tile_known_as_foreign_is_read_at_once_and_one_of_the_pack_never() -> None:
    foreign = Laid(foreign_design(PACK, "?city-field-road-field"), 0)
    assert shown(UnknownCells().read(seen(0.0), LATTICE, {CELL: foreign})) == (MARK, 0)
    cells, own = UnknownCells(), Laid(next(iter(PACK.designs.values())), 0)
    cells.read(seen(0.0), LATTICE, {CELL: own})
    later = seen(60.0)
    assert cells.read(later, LATTICE, {CELL: own}) is later
