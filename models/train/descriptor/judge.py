"""Judge of a tile descriptor: accuracy on own photographs that training never drew, and its calibration.

`python -m models.train.descriptor.judge` runs the recogniser's own code (rectify, network, matching) on tiles
of whole decks: procedural ones of other seeds, and the house deck.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models import OnnxModel, load
from models.train.decks import house_faces, house_files, make_deck
from models.train.descriptor.baseline import nearest
from models.train.descriptor.views import photograph, random_look, reference_set, table_crop, wrong_corners
from vision.observation import Sight
from vision.probability import sigmoid
from vision.tiles.face_classifier import TileReadings, read_quads, to_readings
from vision.tiles.gallery import Gallery, build_gallery
from vision.tiles.matching import ScoreValues, match

SEED = 990_000
Floats = NDArray[np.float32]
FACE_PX = 160


@dataclass(frozen=True)
class Exam:
    """One deck's gallery faces [n, s, s, 3], small photographs with the tile's quad, face and turn [q, 2]."""

    name: str
    faces: NDArray[np.uint8]
    photos: list[NDArray[np.uint8]]
    quads: NDArray[np.float64]
    answer: NDArray[np.int64]


def exams(n_decks: int, n_queries: int, corner_error: float | None = None) -> list[Exam]:
    """Procedural decks of 24 faces and, where drawn, the house deck; `corner_error` overrides the look's."""
    out = []
    for number in range(n_decks + 1):
        rng = np.random.default_rng([SEED, number])
        house = number == n_decks
        if house and not house_files():
            continue
        faces = (
            house_faces(FACE_PX)
            if house
            else make_deck(rng, 24, FACE_PX, "game" if number % 3 else "pictures").faces
        )
        scans = reference_set(rng, faces, 192)
        photos, quads, answer = [], [], []
        look = random_look(rng)
        for query in range(n_queries * (3 if house else 1)):
            if query % 4 == 0:
                look = random_look(rng)
                if corner_error is not None:
                    look = replace(look, corner_error=corner_error)
            face, turn = int(rng.integers(len(faces))), int(rng.integers(4))
            photo, quad, _ = photograph(rng, np.rot90(faces[face], -turn), faces, look)
            photos.append(photo)
            quads.append(wrong_corners(rng, quad, look.corner_error))
            answer.append((face, turn))
        name = "house" if house else f"deck{number}"
        out.append(Exam(name, scans, photos, np.array(quads), np.array(answer)))
    return out


def crops_of(exam: Exam) -> NDArray[np.uint8]:
    """The exam's tiles straightened with the corners given, uint8 [q, 96, 96, 3]."""
    pairs = zip(exam.photos, exam.quads, strict=True)
    return np.concatenate([Sight(photo).crops(quad[None], 96) for photo, quad in pairs])


def read_crops(crops: NDArray[np.uint8], gallery: Gallery, model: OnnxModel) -> TileReadings:
    """Read rectified tiles, uint8 [n, s, s, 3] with s the model's ``crop_px``."""
    descriptors, visible = model(crops)
    values = ScoreValues.of(model.meta)
    return to_readings(match(descriptors, visible, gallery.references, values), gallery, values)


def gallery_of(faces: NDArray[np.uint8], model: OnnxModel) -> Gallery:
    """Faces as a gallery, each its own design."""
    return build_gallery("exam", ((f"f{i}", face) for i, face in enumerate(faces)), model)


def judge(exam: Exam, model: OnnxModel) -> dict[str, float]:
    """Share right (face and turn) of the model and of the baseline, and the model's mean log-loss."""
    gallery = gallery_of(exam.faces, model)
    wanted = exam.answer[:, 0] * 4 + exam.answer[:, 1]
    once = read_crops(crops_of(exam), gallery, model).log_probs.reshape(len(wanted), -1)
    rows = [
        read_quads(Sight(photo), quad[None], gallery, model).log_probs.reshape(-1)
        for photo, quad in zip(exam.photos, exam.quads, strict=True)
    ]
    flat = np.stack(rows)
    base = nearest(crops_of(exam), exam.faces)
    return {
        "one_look": float((once.argmax(1) == wanted).mean()),
        "right": float((flat.argmax(1) == wanted).mean()),
        "loss": float(-flat[np.arange(len(wanted)), wanted].mean()),
        "baseline": float((base == exam.answer).all(1).mean()),
    }


def fitted_temperature(exams_: list[Exam], model: OnnxModel) -> float:
    """The temperature of least log-loss over all exams."""
    values = replace(ScoreValues.of(model.meta), temperature=1.0)
    totals, answers = [], []
    for exam in exams_:
        gallery = gallery_of(exam.faces, model)
        descriptors, visible = model(crops_of(exam))
        totals.append(match(descriptors, visible, gallery.references, values).total.astype(np.float64))
        answers.append(exam.answer[:, 0] * 4 + exam.answer[:, 1])
    grid = np.exp(np.linspace(np.log(0.1), np.log(6), 60))

    def loss(temperature: float) -> float:
        each = []
        for total, answer in zip(totals, answers, strict=True):
            scaled = total / temperature
            scaled -= scaled.max(1, keepdims=True)
            log_probs = scaled - np.log(np.exp(scaled).sum(1, keepdims=True))
            each.append(-np.maximum(log_probs[np.arange(len(answer)), answer], -12))
        return float(np.concatenate(each).mean())

    return float(min(grid, key=loss))


def tile_likeness(model: OnnxModel, n_decks: int = 4, n_each: int = 40) -> tuple[Floats, Floats]:
    """`Match.best_mean` of tiles [n], and of what is none of the gallery's tiles [m]: table, other decks'
    tiles, places half a tile off."""
    values = ScoreValues.of(model.meta)
    tiles, others = [], []
    for number in range(n_decks):
        rng = np.random.default_rng([SEED, 1000, number])
        house = number % 2 == 1 and bool(house_files())
        faces = house_faces(FACE_PX) if house else make_deck(rng, 24, FACE_PX, "game").faces
        alien = make_deck(rng, 8, FACE_PX).faces
        gallery = gallery_of(reference_set(rng, faces, 192), model)
        for query in range(n_each):
            look = random_look(rng)
            photo, quad, _ = photograph(rng, np.rot90(faces[query % len(faces)], query), faces, look)
            quad = wrong_corners(rng, quad, look.corner_error)
            beside = quad + (quad[1] - quad[0]) * 0.5
            strange, place, _ = photograph(rng, alien[query % len(alien)], alien, look)
            crops = [
                *Sight(photo).crops(np.stack([quad, beside]), 96),
                *Sight(strange).crops(place[None], 96),
                table_crop(rng, look, 96),
            ]
            descriptors, visible = model(np.stack(crops))
            means = match(descriptors, visible, gallery.references, values).best_mean
            tiles.append(means[:1])
            others.append(means[1:])
    return np.concatenate(tiles), np.concatenate(others)


def fitted_tile_odds(tiles: Floats, others: Floats) -> tuple[float, float]:
    """Slope and middle of the log-odds of being a tile: logistic regression, both kinds alike often."""
    x = np.concatenate([tiles, others]).astype(np.float64)
    y = np.concatenate([np.ones(len(tiles)), np.zeros(len(others))])
    weight = np.where(y == 1, 0.5 / len(tiles), 0.5 / len(others))
    design = np.stack([x, np.ones_like(x)], 1)
    beta = np.zeros(2)
    for _ in range(50):
        p = sigmoid(design @ beta)
        slope = design.T @ (weight * (y - p)) - np.array([1e-3, 0]) * beta
        curve = (design * (weight * p * (1 - p))[:, None]).T @ design + np.diag([1e-3, 1e-9])
        beta = beta + np.linalg.solve(curve, slope)
    return float(beta[0]), float(-beta[1] / beta[0])


def calibration(model: OnnxModel) -> dict[str, float]:
    """Manifest values beside those of the training: temperature, tile odds."""
    mixed = exams(8, 60)
    slope, middle = fitted_tile_odds(*tile_likeness(model))
    return {
        "temperature": fitted_temperature(mixed, model),
        "tile_slope": slope,
        "tile_middle": middle,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=None, help="models folder (default: the shipped one)")
    parser.add_argument("--decks", type=int, default=8)
    parser.add_argument("--queries", type=int, default=100)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    model = (
        load("descriptor", folder=options.folder, threads=1)
        if options.folder
        else load("descriptor", threads=1)
    )
    for corner_error in (None, 0.0, 0.02, 0.04):
        results = {
            exam.name: judge(exam, model) for exam in exams(options.decks, options.queries, corner_error)
        }
        for group in ("deck", "house"):
            rows = [r for name, r in results.items() if name.startswith(group)]
            if rows:
                means = {key: round(float(np.mean([row[key] for row in rows])), 4) for key in rows[0]}
                print(json.dumps({"group": group, "corner_error": corner_error, **means}), flush=True)


if __name__ == "__main__":
    main()
