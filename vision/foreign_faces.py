"""Unknown tiles as foreign faces: adds the face `engine.tiles.foreign.MARK` to observations.

The turn inference compares faces. With a further face for a tile of which nothing is known, a tile of another
set is handled like any other tile.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from engine.geometry import Cell
from engine.tiles.board import Laid
from engine.tiles.foreign import MARK, is_foreign
from vision.geometry.lattice_frame import LatticeFrame
from vision.observation import CellReading, Observation
from vision.pipeline_params import PARAMS
from vision.probability import logit, sigmoid
from vision.unknown_tiles import LIKELIER


@dataclass(slots=True)
class UnknownCells:
    """Debounce of unknown tiles, because hands and other objects disappear again.
    ``since_s`` maps cells of the game's frame to the time, in seconds, since which they have shown one."""

    since_s: dict[Cell, float] = field(default_factory=dict)

    def read(
        self, observation: Observation, lattice: LatticeFrame, board: Mapping[Cell, Laid]
    ) -> Observation:
        """Return the observation with a foreign face in each unknown tile that stays; update `since_s`.

        Those are the unknown tiles seen for `unknown_after_s` seconds, and those that are on ``board``, in
        the game's frame, as foreign tiles. ``lattice`` is the pose of the game's frame in the observation.
        """
        seen = {lattice.cell(cell) for cell, chance in observation.unknown.items() if chance > LIKELIER}
        foreign = {cell for cell in seen if cell in board and is_foreign(board[cell].design.id)}
        self.since_s = {cell: self.since_s.get(cell, observation.t_s) for cell in seen - board.keys()}
        until_s = observation.t_s - PARAMS.unknown_after_s
        stay = foreign | {cell for cell, first_s in self.since_s.items() if first_s <= until_s}
        cells = {lattice.lattice_cell(cell) for cell in stay}
        return with_foreign_faces(observation, cells, lattice.quarter_turns)


def with_foreign_faces(observation: Observation, cells: Collection[Cell], quarter: int) -> Observation:
    """Return an observation with the design `MARK` added, and with probability of it in ``cells``.
    ``cells`` are in the observation's lattice; the less a cell resembles a known face, the more probability
    `MARK` gets. ``quarter`` is the lattice rotation, in quarter turns, that is rotation 0 in the game's
    frame. Without cells the observation is returned unchanged."""
    if not cells:
        return observation
    readings = {
        cell: _with_foreign_face(reading, quarter % 4, foreign=cell in cells)
        for cell, reading in observation.cells.items()
    }
    return replace(observation, designs=(*observation.designs, MARK), cells=readings)


def _with_foreign_face(reading: CellReading, quarter: int, *, foreign: bool) -> CellReading:
    """Return a reading with the foreign face as a further row, of rotation ``quarter`` (quarter turns).
    With ``foreign`` that row gets half of the probability or more, else none."""
    row = np.full((1, 4), -np.inf, np.float32)
    if not foreign:
        return replace(reading, log_probs=np.concatenate([reading.log_probs, row]))
    share = sigmoid(max(-reading.log_tile, 0.0))
    row[0, quarter] = np.log(share)
    others = reading.log_probs + np.float32(np.log(share) - logit(share))
    return replace(
        reading,
        log_probs=np.concatenate([others, row]).astype(np.float32),
        log_tile=PARAMS.unknown_sure_nats,
        covered=0.0,  # the difference from all known faces is no occlusion
        print_known=0.0,
    )
