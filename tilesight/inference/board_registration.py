"""Board registration: find how a picture's lattice lies in the game's frame, by the known tiles.

Vision numbers the cells of each picture freely, so a nudged camera or a lost board may shift or turn the
numbering at any frame. Each known tile votes for the shifts and quarter turns under which it is seen at its
cell; the fit with the most votes wins.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from engine.geometry import Cell
from engine.tiles.board import Laid
from tilesight.inference.params import SCENES
from vision.geometry.lattice_frame import LatticeFrame
from vision.observation import Observation


def fit_lattice(
    observation: Observation, board: Mapping[Cell, Laid], before: LatticeFrame | None = None
) -> LatticeFrame | None:
    """Find where a picture's lattice lies in the game's frame; None if too few known tiles agree.

    ``board`` holds the known tiles by cell of the game's frame. A read tile that agrees with the board adds
    up to ``face_floor_nats`` to a fit, one that disagrees subtracts as much. Among fits that are nearly as
    good, ``before`` (the last picture's fit) wins: two equal tiles side by side look the same after a half
    turn.
    """
    columns = {name: row for row, name in enumerate(observation.designs)}
    readings = [r for r in observation.cells.values() if r.log_tile > 0]
    known = [(cell, laid) for cell, laid in board.items() if laid.design.id in columns]
    if not readings or not known:
        return None
    logs = np.stack([r.log_probs for r in readings]).astype(np.float64)
    # Against the best face of the cell: 0 where that is the known one, -2 · face_floor_nats if far off.
    support = SCENES.face_floor_nats + np.maximum(
        logs - logs.max(axis=(1, 2), keepdims=True), -2 * SCENES.face_floor_nats
    )
    support *= np.array([1.0 - 0.8 * r.covered for r in readings])[:, None, None]
    rows = np.array([columns[laid.design.id] for _, laid in known])
    rots = np.array([laid.rot // 90 for _, laid in known])
    cells = np.array([cell for cell, _ in known])
    votes: dict[LatticeFrame, float] = {}
    seen = np.array([r.cell for r in readings])
    for turns in range(4):
        weights = support[:, rows, (rots + turns) % 4]
        placed = LatticeFrame((0, 0), turns)
        turned = np.array([placed.lattice_cell((int(x), int(y))) for x, y in cells])
        origins = (seen[:, None, :] - turned[None, :, :]).reshape(-1, 2)
        least = origins.min(axis=0)
        width = int(np.ptp(origins[:, 0])) + 1
        sums = np.bincount((origins - least) @ (1, width), weights=weights.reshape(-1))
        for place in np.flatnonzero(sums > 0):
            x, y = int(place) % width + int(least[0]), int(place) // width + int(least[1])
            frame = LatticeFrame((x, y), turns)
            votes[frame] = votes.get(frame, 0.0) + float(sums[place])
    if not votes:
        return None
    best = max(votes, key=lambda frame: votes[frame] + SCENES.same_frame_nats * (frame == before))
    return best if votes[best] >= SCENES.votes_nats else None
