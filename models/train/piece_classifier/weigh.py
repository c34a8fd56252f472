"""Fit of the weights of piece detector and classifier: `python -m models.train.piece_classifier.weigh`.

On tables that neither was trained on, half of them lit from the side or badly exposed, what both say of each
candidate is held against the truth: a logistic regression for "there is something" and "there is an animal
tile", a conditional one for kinds and colours, again logistic ones for "it is of no known kind" and "it
lies". Each table is taken for one of a game that lacks a colour which none of its pieces has. Written into
the manifest entry of the looks.

What the known print leaves over of a look is weighed after that, the other weights held, on decks of which
many show painted things that look like pieces, against scans of every quality, and so is the tone of the
paint, and whether there is something, by all of them together: `--only-print` does only this.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models import load
from models.loader import MANIFEST, OnnxModel
from models.train.piece_classifier.candidates_data import places_of
from models.train.pieces.pieces_data import Tables, see
from models.train.scenes import Scene
from vision.observation import Sight
from vision.pieces.detector import CLASSES, COLORS, candidates
from vision.pieces.params import PARAMS
from vision.pieces.piece_classifier import LookSource, read_looks, take_looks
from vision.pieces.weights import ALL_COLORS, BLACK
from vision.probability import sigmoid

F64 = NDArray[np.float64]
HUT, RANGER = CLASSES.index(("hut", "standing")), CLASSES.index(("ranger", "standing"))
SEED, TABLES = 910001, 300
HARD, STAND_INS, STOUT = 0.5, 0.5, 0.5
"""Shares of tables lit from the side or badly exposed, of those where players have lost meeples, and of those
with thick meeples."""
EVEN = 2.0
"""Nats of a look from which the figures count a piece as one of no known kind."""
OTHER = 5
"""Label of pieces of no known kind."""
TAME = 1e-3
"""Ridge penalty on the factors: a few hundred candidates must not make either of the two infallible."""
LEAST_SHARE = 1e-4
"""Minimum share of a probability, the same as in `vision.pieces.weights`."""


PRINT_SEED = 931001
POOR = (1.0, 2.0, 3.0)
"""Factors of what differs between gallery and print on the tables that weigh the print."""
BARRED_NATS = 60.0
"""Nats against a colour that a table's game does not have."""
FACTORS, ENOUGH = np.arange(0.0, 10.5, 0.5), np.arange(-2.0, 0.05, 0.1)
"""Factors, and nats from which they count, among which those of the print are chosen."""


def gather(tables: int, detector: OnnxModel, looks: OnnxModel, against_print: bool = False) -> dict[str, F64]:
    """Outputs of both at the detector's candidates: detector, token, kind, tile, color (labels) and arrays
    value (n,), kinds (n, 4), colors (n, 7; grey as black), look_kinds (n, 6), look_token (n,), look_colors
    (n, 7), own (n, 7) 1 for each colour of the table's game, unexplained (n,), tones (n, TONES), lean (n,),
    greys (n,) 1 where the table's game has grey pieces. ``against_print``: tables of painted things and poor
    scans, with dark dyes and lamp light."""
    seed = PRINT_SEED if against_print else SEED
    rows: dict[str, list[F64]] = {}
    for k in range(tables):
        source = Tables(seed, hard_share=HARD, stand_ins_share=STAND_INS, stout_share=STOUT)
        if against_print:
            source = Tables(
                seed, house_share=0.1, hard_share=0.3, dyes_share=0.7, painted_share=0.6, stout_share=STOUT
            )
        source.rng = np.random.default_rng([seed, k])
        rng = np.random.default_rng([seed, k, 1])
        try:
            scene, faces = source.scene()
            poor = float(rng.choice(POOR)) if against_print else 1.0
            seeing = see(scene, faces, rng, error=0.004, poor=poor)
        except (ValueError, cv2.error, np.linalg.LinAlgError):
            continue
        h = seeing.h_px_from_lattice
        size_wh = (scene.image.shape[1], scene.image.shape[0])
        own = candidates(seeing.view, seeing.said, h, size_wh, detector, PARAMS.looked_at)
        if not own:
            continue
        at = np.array([c.lattice_xy for c in own])
        seen = read_looks(
            take_looks(LookSource.of(Sight(scene.image), h, seeing.view, seeing.said), at), looks
        )
        labels = np.array(places_of(scene, h, at), np.float64)
        said = {
            "is_token": np.array([c.token for c in own], np.float64),
            "value": np.array([c.value for c in own]),
            "kinds": np.array([c.kinds for c in own]),
            "colors": np.array([np.append(c.colors, c.colors[BLACK]) for c in own]),
            "look_kinds": seen.kinds, "look_token": seen.tokens, "look_colors": seen.colors,
            "unexplained": seen.unexplained, "tones": seen.tones, "lean": seen.leans,
            "greys": np.full(len(own), float(against_print)),
            "kind": labels[:, 0], "tile": labels[:, 1], "color": labels[:, 2],
            "own": np.tile(_own_colors(scene, np.random.default_rng([seed, k, 2])), (len(own), 1)),
        }  # fmt: skip
        for name, value in said.items():
            rows.setdefault(name, []).append(np.asarray(value, np.float64))
    return {name: np.concatenate(values) for name, values in rows.items()}


def weigh(said: dict[str, F64]) -> dict[str, list[float]]:
    """The weights as `vision.pieces.piece_reader.Weights` takes them."""
    above = (said["is_token"] == 0) & (said["kind"] >= 0)
    below = (said["is_token"] == 1) & (said["tile"] >= 0)
    there = above & (said["kind"] > 0)
    tinted = there & (said["color"] >= 0)
    known = there & (said["kind"] < OTHER)
    kind, color = said["kind"][known].astype(int) - 1, said["color"][tinted].astype(int)
    token = np.column_stack([_log_odds(said["value"]), _log_odds(said["look_token"]), np.ones(len(below))])
    factors = _choice(_logs(said["kinds"][known], said["look_kinds"][known, 1:OTHER]), kind)
    lain = _posed(said, factors)
    sort = said["kind"]
    meeple = there & (sort <= 2)
    other = _logistic(_strange(said)[there], sort[there] == OTHER)
    usual = float((sort[there] == OTHER).mean())  # of the tables drawn, far more than at home
    other[1] = round(other[1] - math.log(usual / (1 - usual)), 3)
    return {
        **weigh_something(said),
        "token": _logistic(token[below], said["tile"][below] == 1),
        "kind": factors,
        "other": other,
        "pose": _logistic(lain[meeple], sort[meeple] == 2),
        "color": _choice(_logs(said["colors"][tinted], said["look_colors"][tinted]), color),
    }


def weigh_print(said: dict[str, F64], weights: dict[str, list[float]]) -> list[float]:
    """The factor of what the print leaves over and the nats from which it counts, least log loss with the
    other weights as they are."""
    above = (said["is_token"] == 0) & (said["kind"] >= 0)
    odds, left, there = _something(said, weights)[above], said["unexplained"][above], said["kind"][above] > 0

    def loss(factor: float, enough: float) -> float:
        p = np.clip(sigmoid(odds + factor * np.minimum(left - enough, 0.0)), LEAST_SHARE, 1 - LEAST_SHARE)
        return float(-np.log(np.where(there, p, 1 - p)).mean())

    best = min((loss(float(f), float(e)), float(f), float(e)) for f in FACTORS for e in ENOUGH)
    return [round(v, 3) for v in best[1:]]


def weigh_something(said: dict[str, F64], more: F64 | float = 0.0) -> dict[str, list[float]]:
    """The weights `something` and `foreign` of whether there is something; ``more`` (n,) are nats for it by
    what the print leaves over."""
    above = (said["is_token"] == 0) & (said["kind"] >= 0)
    parts = [_log_odds(said["value"]), _log_odds(_there(said)), np.ones(len(above)), *_own(said)]
    nats = np.broadcast_to(more, above.shape)[above]
    fit = _logistic(np.column_stack(parts)[above], said["kind"][above] > 0, nats)
    return {"something": fit[:3], "foreign": fit[3:]}


def weigh_paint(said: dict[str, F64], weights: dict[str, list[float]]) -> tuple[float, list[list[float]]]:
    """The factor of the colours' log-odds where the tone is known, and for black and grey the factors of the
    tone and a constant: a conditional logistic regression among all seven, each counted alike, and among six
    on the tables of games without grey. Which dye is likelier than another stays as it was."""
    tinted = (said["is_token"] == 0) & (said["kind"] > 0) & (said["color"] >= 0)
    tinted &= np.isfinite(said["tones"]).all(axis=1)
    true = said["color"][tinted].astype(int)
    greys = said["greys"][tinted] > 0
    odds = _logs(said["colors"], said["look_colors"])[tinted] @ np.asarray(weights["color"])
    tones = said["tones"][tinted]
    mean, spread = tones.mean(axis=0), tones.std(axis=0)  # the ridge is the same for all
    seen = np.column_stack([(tones - mean) / spread, np.ones(len(tones))])
    painted = np.eye(len(ALL_COLORS))[:, [BLACK, -1]]
    each = np.einsum("cd,nm->ncdm", painted, seen).reshape(len(seen), len(ALL_COLORS), -1)
    there = np.bincount(true[greys], minlength=len(ALL_COLORS))
    others = there[:-1][there[:-1] > 0].mean() if greys.any() else 1.0
    weight = np.where(true == len(COLORS), others / max(there[-1], 1), 1.0)
    barred = np.zeros((len(true), len(ALL_COLORS)))
    barred[~greys, -1] = BARRED_NATS
    factor, *fit = _choice(np.concatenate([odds[:, :, None], each], axis=2), true, weight, barred)
    paint = np.array(fit).reshape(2, -1)
    slopes = paint[:, :-1] / spread
    paint = np.column_stack([slopes, paint[:, -1] - slopes @ mean])
    return factor, [[round(float(v), 4) for v in row] for row in paint]


def _own_colors(scene: Scene, rng: np.random.Generator) -> F64:
    """The colours (7,) of a game that may be on that table: all but one that no piece of it has."""
    own = np.ones(len(ALL_COLORS))
    unused = sorted(set(ALL_COLORS) - {piece.color for piece in scene.pieces})
    if unused:
        own[ALL_COLORS.index(str(rng.choice(unused)))] = 0.0
    return own


def _there(said: dict[str, F64]) -> F64:
    """Probability that something is there, by the look."""
    return 1 - said["look_kinds"][:, 0]


def _own(said: dict[str, F64]) -> tuple[F64, F64]:
    """The logarithm of how much of the colours that each of the two sees are the game's own; 0 for what is
    taken for a ranger."""
    ranger = _mixed(said["kinds"], said["look_kinds"][:, 1:OTHER], (1.0, 1.0)) == RANGER
    parts = ((said["colors"], len(COLORS)), (said["look_colors"], len(ALL_COLORS)))
    detector, look = ((shares * said["own"])[:, :n].sum(axis=1) for shares, n in parts)
    return np.where(ranger, 0.0, _log(detector)), np.where(ranger, 0.0, _log(look))


def _strange(said: dict[str, F64]) -> F64:
    """Features (n, 2) of whether a piece is of no known kind: the look's log-odds, and a constant."""
    kinds = said["look_kinds"]
    share = kinds[:, OTHER] / np.maximum(kinds[:, 1:].sum(axis=1), LEAST_SHARE)
    return np.column_stack([_log_odds(share), np.ones(len(kinds))])


def _posed(said: dict[str, F64], factors: Sequence[float]) -> F64:
    """Features (n, 4) of whether a meeple lies: its log-odds by both with the factors of kinds, these times
    the lean, the lean, and a constant."""
    logs = _logs(said["kinds"], said["look_kinds"][:, 1:OTHER]) @ np.asarray(factors)
    odds, lean = logs[:, 1] - logs[:, 0], said["lean"]
    return np.column_stack([odds, odds * lean, lean, np.ones(len(odds))])


def _log(p: F64) -> F64:
    return np.asarray(np.log(np.maximum(p, LEAST_SHARE)), np.float64)


def _log_odds(p: F64) -> F64:
    p = np.clip(p, LEAST_SHARE, 1 - LEAST_SHARE)
    return np.asarray(np.log(p / (1 - p)), np.float64)


def _logistic(x: F64, true: NDArray[np.bool_], more: F64 | float = 0.0) -> list[float]:
    """The factors (m,) of a logistic regression on x (n, m), by Newton's method; ``more`` (n,) are log-odds
    that are known."""
    w = np.zeros(x.shape[1])
    for _ in range(30):
        p = sigmoid(x @ w + more)
        slope = x.T @ (p - true) + TAME * len(x) * w
        bend = x.T @ (x * (p * (1 - p))[:, None]) + TAME * len(x) * np.eye(len(w))
        w = w - np.linalg.solve(bend, slope)
    return [round(float(v), 3) for v in w]


def _logs(detector: F64, look: F64) -> F64:
    """Features of a choice among c: both logarithms (n, c, 2)."""
    return np.stack([_log(detector), _log(look)], axis=2)


def _choice(
    x: F64, true: NDArray[np.int_], weight: F64 | None = None, against: F64 | None = None
) -> list[float]:
    """The factors (m,) of a conditional logistic regression on x (n, c, m), by Newton's method.

    ``weight`` (n,) is how much each row counts, ``against`` (n, c) nats that speak against a choice anyway.
    """
    w, rows = np.zeros(x.shape[2]), np.arange(len(x))
    count = np.ones(len(x)) if weight is None else weight
    nats = np.zeros(x.shape[:2]) if against is None else -against
    for _ in range(30):
        given = x @ w + nats
        odds = np.exp(given - given.max(axis=1, keepdims=True))
        p = odds / odds.sum(axis=1, keepdims=True)
        mean = np.einsum("nc,ncm->nm", p, x)
        slope = count @ (mean - x[rows, true]) + TAME * len(x) * w
        bend = np.einsum("n,nc,ncm,nck->mk", count, p, x, x, optimize=True) - (mean * count[:, None]).T @ mean
        w = w - np.linalg.solve(bend + TAME * len(x) * np.eye(len(w)), slope)
    return [round(float(v), 3) for v in w]


def _something(said: dict[str, F64], weights: dict[str, list[float]]) -> F64:
    """Log-odds that there is something, by detector, look and colour."""
    a, b, c = weights["something"]
    foreign = sum(f * own for f, own in zip(weights["foreign"], _own(said), strict=True))
    return np.asarray(a * _log_odds(said["value"]) + b * _log_odds(_there(said)) + c + foreign, np.float64)


def _mixed(detector: F64, look: F64, factors: Sequence[float]) -> NDArray[np.int_]:
    """The likeliest by both."""
    return np.asarray((_logs(detector, look) @ np.asarray(factors)).argmax(axis=1))


def figures(said: dict[str, F64], weights: dict[str, list[float]]) -> dict[str, float]:
    """Shares right at the detector's candidates: detector alone, looks alone, both."""
    above = (said["is_token"] == 0) & (said["kind"] >= 0)
    there = above & (said["kind"] > 0)
    tinted = there & (said["color"] >= 0)
    known = there & (said["kind"] < OTHER)
    kind, color = said["kind"][known] - 1, said["color"][tinted]
    strange = _strange(said) @ np.asarray(weights["other"]) > EVEN
    meeple = there & (said["kind"] <= 2)
    lies = sigmoid(_posed(said, weights["kind"])[meeple] @ np.asarray(weights["pose"]))
    lain = said["kind"][meeple] == 2
    look, both = _there(said), _something(said, weights)
    below = (said["is_token"] == 1) & (said["tile"] >= 0)
    d, e, f = weights["token"]
    tile = d * _log_odds(said["value"]) + e * _log_odds(said["look_token"]) + f
    kinds = _mixed(said["kinds"][known], said["look_kinds"][known, 1:OTHER], weights["kind"])
    colors = _mixed(said["colors"][tinted], said["look_colors"][tinted], weights["color"])

    def share(x: NDArray[np.bool_]) -> float:
        return round(float(x.mean()), 4)

    return {
        "something detector": share((said["value"] > 0.4)[above] == (said["kind"] > 0)[above]),
        "something look": share((look > 0.5)[above] == (said["kind"] > 0)[above]),
        "something both": share((both > 0)[above] == (said["kind"] > 0)[above]),
        "found of candidates both": share((both > 0)[there]),
        "false of told both": share((said["kind"] == 0)[above & (both > 0)]),
        "token detector": share((said["value"] > 0.55)[below] == (said["tile"] == 1)[below]),
        "token both": share((tile > 0)[below] == (said["tile"] == 1)[below]),
        "kind detector": share(said["kinds"][known].argmax(1) == kind),
        "kind look": share(said["look_kinds"][known, 1:OTHER].argmax(1) == kind),
        "kind both": share(kinds == kind),
        "hut both": share((kinds == HUT)[kind == HUT]),
        "hut or not both": share((kinds == HUT) == (kind == HUT)),
        "other told": share(strange[there & (said["kind"] == OTHER)]),
        "known kinds told other": share(strange[known]),
        "pose both": share((lies > 0.5) == lain),
        "pose nats": round(float(-np.log(np.where(lain, lies, 1 - lies)).mean()), 4),
        "color detector": share(said["colors"][tinted].argmax(1) == color),
        "color look": share(said["look_colors"][tinted].argmax(1) == color),
        "color both": share(colors == color),
        "candidates": float(above.sum()),
    }


def main() -> None:
    """Command line."""
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--tables", type=int, default=TABLES)
    ap.add_argument("--folder", type=Path, default=MANIFEST.parent, help="where the networks lie")
    ap.add_argument("--only-print", action="store_true", help="keep the other weights")
    args = ap.parse_args()
    cv2.setNumThreads(1)
    detector, looks = load("pieces", folder=args.folder), load("looks", folder=args.folder)
    manifest = args.folder / "manifest.json"
    document = json.loads(manifest.read_text(encoding="utf-8"))
    weights = document["models"]["looks"]["meta"]["weights"]
    plain = gather(args.tables, detector, looks)
    if not args.only_print:
        weights = weigh(plain)
        print(json.dumps(figures(plain, weights), indent=1))
    said = gather(args.tables, detector, looks, against_print=True)
    weights["unexplained"] = weigh_print(said, weights)
    both = {name: np.concatenate([plain[name], said[name]]) for name in said}
    factor, enough = weights["unexplained"]
    weights |= weigh_something(both, factor * np.minimum(both["unexplained"] - enough, 0.0))
    weights["tinted"], weights["paint"] = weigh_paint(both, weights)
    weights.pop("grey", None)
    print(json.dumps({"weights": weights}, indent=1))
    document["models"]["looks"]["meta"]["weights"] = weights
    manifest.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
