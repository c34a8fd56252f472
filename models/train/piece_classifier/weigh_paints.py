"""Fit of the paints of pieces: `python -m models.train.piece_classifier.weigh_paints`.

On own tables with dark dyes, grey players and coloured lamps, each colour's paint is measured in the light
that the known print tells (`vision.pieces.paints`). How far paints differ from table to table, how far the
light is off for all of them alike, and how far the pieces of one paint scatter are covariances of these.
Written into the manifest entry of the looks.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models import load
from models.loader import MANIFEST, OnnxModel
from models.train.piece_classifier.candidates_data import places_of
from models.train.pieces.pieces_data import Tables, see
from vision.observation import Sight
from vision.pieces.detector import candidates
from vision.pieces.paints import LOOKS, under_light
from vision.pieces.params import PARAMS
from vision.pieces.piece_classifier import LookSource, read_looks, take_looks
from vision.pieces.weights import ALL_COLORS
from vision.tiles.reprojection import board_light

F64 = NDArray[np.float64]

SEED, TABLES = 979001, 900
POOR = (1.0, 2.0, 3.0)
"""Factors of what differs between gallery and print."""
SCATTER = 3.0
"""Factor of the pieces' scatter: on 14 real photographs it is two to three times that of drawn tables."""
NETWORKS, PAINT = 0.5, 0.7
"""Factors of what networks and paints say: least log loss on 300 tables of another seed (models/looks.md)."""
FEW = 3
"""Colours on a table from which they tell the error of its light; pieces from which a paint scatters."""
WIDEST = 2.5
"""Robust standard deviations at which an outlier is capped."""


@dataclass(frozen=True)
class Painted:
    """Pieces of one table: ``paints`` (n, LOOKS) under its light, ``colors`` (n,) indices of `ALL_COLORS`."""

    paints: F64
    colors: NDArray[np.int_]


def gather(tables: int, seed: int, detector: OnnxModel, looks: OnnxModel) -> Iterable[Painted]:
    """The painted pieces of seeded tables, where the detector sees them."""
    for k in range(tables):
        source = Tables(seed, house_share=0.15, hard_share=0.35, dyes_share=0.7, painted_share=0.3)
        source.rng = np.random.default_rng([seed, k])
        rng = np.random.default_rng([seed, k, 1])
        try:
            scene, faces = source.scene()
            seeing = see(scene, faces, rng, error=0.004, poor=float(rng.choice(POOR)))
        except (ValueError, cv2.error, np.linalg.LinAlgError):
            continue
        h = seeing.h_px_from_lattice
        size_wh = (scene.image.shape[1], scene.image.shape[0])
        own = candidates(seeing.view, seeing.said, h, size_wh, detector, PARAMS.looked_at)
        at = np.array([c.lattice_xy for c in own if not c.token]).reshape(-1, 2)
        if not len(at):
            continue
        sight = LookSource.of(Sight(scene.image), h, seeing.view, seeing.said)
        seen = read_looks(take_looks(sight, at), looks)
        light = board_light(seeing.view.image, *seeing.expected)
        paints = under_light(seen.paints, light, sight.mean_bgr)
        labels = np.array(places_of(scene, h, at))
        color = labels[:, 2]
        told = (labels[:, 0] > 0) & (color >= 0) & np.isfinite(paints).all(axis=1)
        if told.any():
            yield Painted(paints[told], color[told])


def fit_paints(tables: Sequence[Painted]) -> dict[str, object]:
    """The distribution as `vision.pieces.paints.Paints` takes it."""
    known = range(len(ALL_COLORS))
    paint = [{c: np.median(t.paints[t.colors == c], axis=0) for c in set(t.colors.tolist())} for t in tables]
    mean = np.array([np.median([own[c] for own in paint if c in own], axis=0) for c in known])
    scatter = [
        t.paints[t.colors == c] - own[c]
        for t, own in zip(tables, paint, strict=True)
        for c in own
        if (t.colors == c).sum() >= FEW
    ]
    lights: list[F64] = []
    apart: dict[int, list[F64]] = {c: [] for c in known}
    for own in paint:
        if len(own) >= FEW:
            lights.append(np.median([own[c] - mean[c] for c in own], axis=0))
            for c in own:
                apart[c].append(own[c] - mean[c] - lights[-1])
    within = SCATTER**2 * _covariance(np.concatenate(scatter))
    return {
        "mean": _rounded(mean),
        "own": _rounded(np.array([_covariance(np.array(apart[c])) for c in known])),
        "within": _rounded(within),
        "table": _rounded(_covariance(np.array(lights))),
        "networks": NETWORKS,
        "paint": PAINT,
    }


def _covariance(off: F64) -> F64:
    """The covariance (LOOKS, LOOKS) of deviations (n, LOOKS), outliers capped."""
    usual = 1.48 * np.median(np.abs(off), axis=0) + 1e-3
    return np.asarray(np.cov(np.clip(off, -WIDEST * usual, WIDEST * usual).T) + 2e-3 * np.eye(LOOKS))


def _rounded(values: F64) -> object:
    return np.round(values, 4).tolist()


def main() -> None:
    """Command line."""
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--tables", type=int, default=TABLES)
    ap.add_argument("--folder", type=Path, default=MANIFEST.parent, help="where the networks lie")
    args = ap.parse_args()
    cv2.setNumThreads(1)
    networks = load("pieces", folder=args.folder), load("looks", folder=args.folder)
    paints = fit_paints(list(gather(args.tables, SEED, *networks)))
    manifest = args.folder / "manifest.json"
    document = json.loads(manifest.read_text(encoding="utf-8"))
    document["models"]["looks"]["meta"]["paints"] = paints
    manifest.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    print(json.dumps({"paints": paints}))


if __name__ == "__main__":
    main()
