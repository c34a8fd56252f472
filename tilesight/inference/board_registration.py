"""Board registration: find how a picture's lattice lies in the game's frame, by the known tiles.

Vision numbers the cells of each picture freely, so a nudged camera or a lost board may shift or turn the
numbering at any frame. Each known tile votes for the shifts and quarter turns under which it is seen at its
cell; the fit with the most votes wins.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

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
    rows = np.array([columns[laid.design.id] for _, laid in known])
    logs = np.stack([r.log_probs for r in readings])
    best_logs = logs.reshape(len(readings), -1).max(axis=1)[:, None, None]
    # Against the best face of the cell: 0 where that is the known one, -2 · face_floor_nats if far off.
    support = SCENES.face_floor_nats + np.maximum(logs[:, rows] - best_logs, -2 * SCENES.face_floor_nats)
    support *= np.array([1.0 - 0.8 * r.covered for r in readings])[:, None, None]
    rots = np.array([laid.rot // 90 for _, laid in known])
    turned = np.array([cell for cell, _ in known])
    seen = np.array([r.cell for r in readings])
    votes: dict[LatticeFrame, float] = {}
    for turns in range(4):
        weights = support[:, np.arange(len(known)), (rots + turns) % 4]
        origins = (seen[:, None] - turned).reshape(-1, 2)
        least = origins.min(axis=0)
        width, height = (np.ptp(origins, axis=0) + 1).tolist()
        sums = np.bincount((origins - least) @ (1, width), weights.reshape(-1), width * height)
        places = [int(sums.argmax())]
        if before is not None and before.quarter_turns == turns:
            x, y = before.origin[0] - int(least[0]), before.origin[1] - int(least[1])
            if 0 <= x < width and 0 <= y < height:
                places.append(x + width * y)
        for place in places:
            at = (place % width + int(least[0]), place // width + int(least[1]))
            votes[LatticeFrame(at, turns)] = float(sums[place])
        turned = turned @ ((0, 1), (-1, 0))  # a quarter turn: (x, y) becomes (-y, x)
    best = max(votes, key=lambda frame: votes[frame] + SCENES.same_frame_nats * (frame == before))
    return best if votes[best] >= SCENES.votes_nats else None


def in_sight(
    observation: Observation, lattice: LatticeFrame, cells: Iterable[Cell], rim_sides: float = 0.0
) -> list[Cell]:
    """Return those of ``cells`` (game's frame) in sight but for a rim of ``rim_sides`` tile sides.

    The picture must show the board.
    """
    pose = observation.pose
    assert pose is not None
    named = list(cells)
    at = np.array([lattice.lattice_cell(cell) for cell in named], np.float64).reshape(-1, 2)
    near, far = rim_sides, 1.0 - rim_sides
    offsets = np.array([(near, near), (far, near), (far, far), (near, far)])
    corners = at[:, None, :] + offsets
    px = np.concatenate([corners, np.ones((*corners.shape[:2], 1))], axis=2) @ pose.H_px_from_lattice.T
    ahead = px[..., 2] > 0
    xy = px[..., :2] / np.where(ahead, px[..., 2], 1.0)[..., None]
    width, height = pose.image_size_wh
    inside = ahead & (xy >= 0).all(axis=2) & (xy[..., 0] <= width) & (xy[..., 1] <= height)
    whole_cells: list[bool] = np.all(inside, axis=1).tolist()
    return [
        cell
        for cell, whole in zip(named, whole_cells, strict=True)
        if whole and lattice.lattice_cell(cell) not in observation.out_of_sight
    ]
