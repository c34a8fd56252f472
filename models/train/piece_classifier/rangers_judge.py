"""Judge of the rangers' probabilities: `python -m models.train.piece_classifier.rangers_judge`.

The shipped networks read tables that none was trained on, and the places that look like a ranger are weighed
against each other (`vision.pieces.place_choice`). Printed are the shares found and false, for several
`unseen_odds` how unlikely the truth is (nats a place), and of what is told in bands of probability how much
is true.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np

from engine.geometry import EDGES, Cell, cell_of, neighbour
from models import load
from models.loader import OnnxModel
from models.train.pieces.pieces_data import Tables, lattice_fit
from models.train.scenes import Scene
from vision.observation import BoardPose, Sight
from vision.pieces.params import PARAMS
from vision.pieces.piece_reader import LEAST, PieceReader
from vision.pieces.place_choice import share_among
from vision.pipeline import least_hinted
from vision.tiles.reprojection import ExpectedFace

SEED, TABLES, HARD = 980001, 300, 0.5
IN_VIEW = 0.99
TRIED = (0.01, 0.03, 0.1, 0.3, 1.0)
BANDS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97, 0.99, 1.0)


@dataclass(frozen=True, slots=True)
class Read:
    """Candidate rangers of one table: the probability of each space by itself, and the true spaces."""

    alone: dict[Cell, float]
    true: frozenset[Cell]


def readings(tables: int, checked_share: float) -> Iterator[Read]:
    """The drawn tables that have rangers, as they are read."""
    networks = load("pieces"), load("looks")
    for k in range(tables):
        source = Tables(SEED, hard_share=HARD, checked_share=checked_share)
        source.rng = np.random.default_rng([SEED, k])
        try:
            scene, faces = source.scene()
            read = _read(scene, faces, networks)
        except (ValueError, cv2.error, np.linalg.LinAlgError):
            continue
        if read.true:
            yield read


def _read(scene: Scene, faces: np.ndarray, networks: tuple[OnnxModel, OnnxModel]) -> Read:
    true = [piece.cell for piece in scene.pieces if piece.kind == "ranger" and piece.cell is not None]
    reader = PieceReader(*networks, least=least_hinted(), outside={"ranger": len(true)})
    tiles = [tile for tile in scene.tiles if tile.in_frame > IN_VIEW]
    quads = {tile.cell: np.roll(tile.corners_px, tile.rot // 90, axis=0).astype(np.float32) for tile in tiles}
    print_ = {tile.cell: ExpectedFace(faces[tile.face], tile.rot // 90) for tile in tiles}
    height, width = scene.image.shape[:2]
    pose = BoardPose(lattice_fit(scene), quads, (width, height), 1.0)
    alone: dict[Cell, float] = {}
    for piece in reader.read(Sight(scene.image), pose, print_):
        cell = cell_of(piece.lattice_xy)
        beside = cell not in quads and any(neighbour(cell, edge) in quads for edge in EDGES)
        if piece.kind == "ranger" and beside:
            alone[cell] = max(alone.get(cell, 0.0), piece.confidence)
    return Read(alone, frozenset(true))


def figures(reads: Sequence[Read]) -> dict[str, object]:
    """Probability that is told, and its agreement with the truth."""
    told = true = 0
    sure: list[float] = []
    right: list[bool] = []
    for read in reads:
        likely = share_among(read.alone, len(read.true))
        best = sorted(likely, key=lambda cell: -likely[cell])[: len(read.true)]
        best = [cell for cell in best if likely[cell] >= LEAST or read.alone[cell] >= LEAST]
        told, true = told + len(best), true + sum(cell in read.true for cell in best)
        sure += likely.values()
        right += [cell in read.true for cell in likely]
    bands = {}
    for low, high in pairwise(BANDS):
        inside = [r for p, r in zip(sure, right, strict=True) if low <= p < high or p == high == 1.0]
        if inside:
            bands[f"{low} to {high}"] = f"{np.mean(inside):.3f} of {len(inside)}"
    return {
        "rangers": sum(len(read.true) for read in reads),
        "found": round(true / max(1, sum(len(read.true) for read in reads)), 4),
        "false": round(1 - true / max(1, told), 4),
        "nats": {odds: _nats(reads, odds) for odds in TRIED},
        "true among the places told as": bands,
    }


def _nats(reads: Sequence[Read], out_of_sight: float) -> float:
    """Negative log-likelihood of the truth, a place."""
    costs = []
    for read in reads:
        for cell, p in share_among(read.alone, len(read.true), out_of_sight).items():
            costs.append(-math.log(max(p if cell in read.true else 1 - p, 1e-6)))
    return round(float(np.mean(costs)), 4)


def main() -> None:
    """Command line."""
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--tables", type=int, default=TABLES)
    ap.add_argument("--checked-share", type=float, default=0.0, help="share of tables with a checked cloth")
    args = ap.parse_args()
    cv2.setNumThreads(1)
    reads = list(readings(args.tables, args.checked_share))
    print(json.dumps({"out of sight": PARAMS.unseen_odds, **figures(reads)}, indent=1))


if __name__ == "__main__":
    main()
