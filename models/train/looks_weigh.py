"""How far the piece detector and the looks are to be believed: `python -m models.train.looks_weigh`.

On tables that neither was trained on, what both say of each candidate is held against the truth: a logistic
regression for "there is something" and "there is an animal tile", the best exponents for kinds and colours.
Written into the manifest entry of the looks.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models import load
from models.loader import MANIFEST, OnnxModel
from models.train.looks_data import places_of
from models.train.pieces_data import Tables, see
from vision.looks import Sight, read_looks, take_looks
from vision.piecereader import LOOKED_AT
from vision.pieces import candidates

F64 = NDArray[np.float64]
SEED, TABLES = 910001, 250
TAME = 1e-2
"""Ridge on the factors: a few hundred candidates must not make either of the two infallible."""


def gather(tables: int, detector: OnnxModel, looks: OnnxModel) -> dict[str, F64]:
    """What both say at the detector's candidates: detector, token, kind, tile, color (labels) and arrays
    value (n,), kinds (n, 4), colors (n, 6), look_kinds (n, 5), look_token (n,), look_colors (n, 6)."""
    rows: dict[str, list[F64]] = {}
    for k in range(tables):
        source = Tables(SEED)
        source.rng = np.random.default_rng([SEED, k])
        try:
            scene, faces = source.scene()
            seeing = see(scene, faces, np.random.default_rng([SEED, k, 1]), error=0.004)
        except (ValueError, cv2.error, np.linalg.LinAlgError):
            continue
        h = seeing.h_px_from_lattice
        size_wh = (scene.image.shape[1], scene.image.shape[0])
        own = candidates(seeing.view, seeing.said, h, size_wh, detector, LOOKED_AT)
        if not own:
            continue
        at = np.array([c.lattice_xy for c in own])
        seen = read_looks(take_looks(Sight.of(scene.image, h, seeing.view, seeing.said), at), looks)
        labels = np.array(places_of(scene, h, at), np.float64)
        said = {
            "is_token": np.array([c.token for c in own], np.float64),
            "value": np.array([c.value for c in own]),
            "kinds": np.array([c.kinds for c in own]), "colors": np.array([c.colors for c in own]),
            "look_kinds": seen.kinds, "look_token": seen.tokens, "look_colors": seen.colors,
            "kind": labels[:, 0], "tile": labels[:, 1], "color": labels[:, 2],
        }  # fmt: skip
        for name, value in said.items():
            rows.setdefault(name, []).append(np.asarray(value, np.float64))
    return {name: np.concatenate(values) for name, values in rows.items()}


def weigh(said: dict[str, F64]) -> dict[str, list[float]]:
    """The weights as `vision.piecereader.Weights` takes them."""
    above = (said["is_token"] == 0) & (said["kind"] >= 0)
    below = (said["is_token"] == 1) & (said["tile"] >= 0)
    there = above & (said["kind"] > 0)
    tinted = there & (said["color"] >= 0)
    kind, color = said["kind"][there].astype(int) - 1, said["color"][tinted].astype(int)
    return {
        "something": _logistic(
            said["value"][above], 1 - said["look_kinds"][above, 0], said["kind"][above] > 0
        ),
        "token": _logistic(said["value"][below], said["look_token"][below], said["tile"][below] == 1),
        "kind": _exponents(said["kinds"][there], said["look_kinds"][there, 1:], kind),
        "color": _exponents(said["colors"][tinted], said["look_colors"][tinted], color),
    }


def _log_odds(p: F64) -> F64:
    p = np.clip(p, 1e-4, 1 - 1e-4)
    return np.asarray(np.log(p / (1 - p)), np.float64)


def _logistic(detector: F64, look: F64, true: NDArray[np.bool_]) -> list[float]:
    """Factors and constant of a logistic regression, by Newton's method."""
    x = np.column_stack([_log_odds(detector), _log_odds(look), np.ones(len(detector))])
    w = np.zeros(3)
    for _ in range(30):
        p = 1 / (1 + np.exp(-x @ w))
        slope = x.T @ (p - true) + TAME * len(x) * np.array([w[0], w[1], 0.0]) * 0.1
        bend = x.T @ (x * (p * (1 - p))[:, None]) + TAME * len(x) * np.diag([0.1, 0.1, 1e-6])
        w = w - np.linalg.solve(bend, slope)
    return [round(float(v), 3) for v in w]


def _exponents(detector: F64, look: F64, true: NDArray[np.int_]) -> list[float]:
    """The exponents under which the truth is likeliest."""
    best, weights = -np.inf, [0.0, 1.0]
    for a in np.linspace(0, 1.2, 13):
        for b in np.linspace(0, 1.2, 13):
            log_odds = a * np.log(np.maximum(detector, 1e-4)) + b * np.log(np.maximum(look, 1e-4))
            log_odds -= np.log(np.exp(log_odds).sum(axis=1, keepdims=True))
            told = float(log_odds[np.arange(len(true)), true].mean())
            if told > best:
                best, weights = told, [round(float(a), 2), round(float(b), 2)]
    return weights


def figures(said: dict[str, F64], weights: dict[str, list[float]]) -> dict[str, float]:
    """Shares right at the detector's candidates: detector alone, looks alone, both."""
    above = (said["is_token"] == 0) & (said["kind"] >= 0)
    there = above & (said["kind"] > 0)
    tinted = there & (said["color"] >= 0)
    kind, color = said["kind"][there] - 1, said["color"][tinted]
    a, b, c = weights["something"]
    look = 1 - said["look_kinds"][:, 0]
    both = a * _log_odds(said["value"]) + b * _log_odds(look) + c
    below = (said["is_token"] == 1) & (said["tile"] >= 0)
    d, e, f = weights["token"]
    tile = d * _log_odds(said["value"]) + e * _log_odds(said["look_token"]) + f

    def share(x: NDArray[np.bool_]) -> float:
        return round(float(x.mean()), 4)

    def mixed(detector: F64, other: F64, name: str) -> NDArray[np.int_]:
        p, q = weights[name]
        return np.asarray((np.maximum(detector, 1e-4) ** p * np.maximum(other, 1e-4) ** q).argmax(1))

    return {
        "something detector": share((said["value"] > 0.4)[above] == (said["kind"] > 0)[above]),
        "something look": share((look > 0.5)[above] == (said["kind"] > 0)[above]),
        "something both": share((both > 0)[above] == (said["kind"] > 0)[above]),
        "found of candidates both": share((both > 0)[there]),
        "false of told both": share((said["kind"] == 0)[above & (both > 0)]),
        "token detector": share((said["value"] > 0.55)[below] == (said["tile"] == 1)[below]),
        "token both": share((tile > 0)[below] == (said["tile"] == 1)[below]),
        "kind detector": share(said["kinds"][there].argmax(1) == kind),
        "kind look": share(said["look_kinds"][there, 1:].argmax(1) == kind),
        "kind both": share(mixed(said["kinds"][there], said["look_kinds"][there, 1:], "kind") == kind),
        "color detector": share(said["colors"][tinted].argmax(1) == color),
        "color look": share(said["look_colors"][tinted].argmax(1) == color),
        "color both": share(mixed(said["colors"][tinted], said["look_colors"][tinted], "color") == color),
        "candidates": float(above.sum()),
    }


def main() -> None:
    """Command line."""
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--tables", type=int, default=TABLES)
    ap.add_argument("--folder", type=Path, default=MANIFEST.parent, help="where the networks lie")
    args = ap.parse_args()
    cv2.setNumThreads(1)
    said = gather(args.tables, load("pieces", folder=args.folder), load("looks", folder=args.folder))
    weights = weigh(said)
    print(json.dumps({"weights": weights, **figures(said, weights)}, indent=1))
    manifest = args.folder / "manifest.json"
    document = json.loads(manifest.read_text(encoding="utf-8"))
    document["models"]["looks"]["meta"]["weights"] = weights
    manifest.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
