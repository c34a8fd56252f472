"""Decks with near-identical faces, and photographs of another print of them than the gallery holds.

The gallery is a cheap scan: small, each face toned and trimmed a little otherwise. What lies on the table was
printed at another time, in other inks, cut elsewhere, and is worn. Some faces are twins: the same print but
for a small emblem. Some tiles are of an expansion: their faces are not in the gallery.

`python -m models.train.descriptor.twins` prints how well the recogniser names such tiles.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from models import OnnxModel, load
from models.train.decks import make_deck
from models.train.decks.sprites import Sprite, paste, random_sprite
from models.train.decks.textures import fractal_noise
from models.train.descriptor.judge import read_crops
from models.train.descriptor.views import photograph, random_look, toned, wrong_corners
from vision.observation import Sight
from vision.tiles.gallery import build_gallery

Image = NDArray[np.uint8]
Floats = NDArray[np.float32]
FACE_PX = 192
TRIM_SIDES = 0.015
"""Standard deviation, in sides, of where a print is cut or a scan trimmed."""


@dataclass(frozen=True)
class TwinExam:
    """A gallery's faces [n, s, s, 3]; crops [q, 96, 96, 3] of tiles; ``answer`` [q, 2] face and turn of each,
    -1 where the gallery lacks the face."""

    faces: NDArray[np.uint8]
    crops: NDArray[np.uint8]
    answer: NDArray[np.int64]


def twin_deck(rng: np.random.Generator, n_faces: int) -> NDArray[np.uint8]:
    """Faces [n, s, s, 3], about two of three with a twin that a small emblem tells apart."""
    style = "game" if rng.random() < 0.8 else None
    bases = make_deck(rng, n_faces, FACE_PX, style).faces
    emblems = [random_sprite(rng, "thing" if rng.random() < 0.5 else "animal") for _ in range(2)]
    size = float(rng.uniform(0.09, 0.18))
    faces: list[Image] = []
    for base in bases:
        faces.append(base)
        if rng.random() < 0.5:
            faces.append(_with_emblem(rng, base, emblems, size))
    return np.stack(faces[:n_faces])


def _with_emblem(rng: np.random.Generator, base: Image, emblems: list[Sprite], size: float) -> Image:
    face = base.copy()
    at = rng.uniform(0.1, 0.9, 2)
    emblem = emblems[int(rng.integers(len(emblems)))]
    paste(face, emblem, (float(at[0]), float(at[1])), size * FACE_PX, float(rng.normal(0, 6)))
    return face


def scanned(rng: np.random.Generator, faces: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A cheap scan of each face, [n, s, s, 3]: the whole scan shares its size, and each face has a tone,
    a trim and a blur a little of its own."""
    small = int(rng.integers(72, 160))
    gains, gamma = rng.normal(0, 0.06, 3) + rng.normal(0, 0.08), float(np.exp(rng.normal(0, 0.12)))
    saturation, quality = float(rng.normal(1, 0.15)), int(rng.integers(55, 97))
    blur, own = float(abs(rng.normal(0, 0.5))), float(rng.uniform(0, 0.06))
    out = []
    for face in faces:
        scan = cv2.resize(_cut(rng, face), (small, small), interpolation=cv2.INTER_AREA).astype(np.float32)
        spread = blur * float(np.exp(rng.normal(0, 0.3)))
        if spread > 0.3:
            scan = np.asarray(cv2.GaussianBlur(scan, (0, 0), spread), np.float32)
        tone = np.diag(np.exp(gains + rng.normal(0, own, 3))).astype(np.float32)
        scan = toned(scan, tone, gamma * float(np.exp(rng.normal(0, own))), saturation, 0.0)
        code = cv2.imencode(".jpg", scan.astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
        back = np.asarray(cv2.imdecode(code, cv2.IMREAD_COLOR))
        out.append(cv2.resize(back, (FACE_PX, FACE_PX), interpolation=cv2.INTER_CUBIC))
    return np.stack(out).astype(np.uint8)


def printed(rng: np.random.Generator, faces: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Another print of the faces, [n, s, s, 3]: other inks, spread of ink, cut elsewhere, worn."""
    inks = np.diag(np.exp(rng.normal(0, 0.12, 3))) @ (np.eye(3) + rng.normal(0, 0.08, (3, 3)))
    gamma, saturation = float(np.exp(rng.normal(0, 0.2))), float(np.clip(rng.normal(1, 0.2), 0.4, 1.6))
    spread, wear = float(rng.uniform(0, 1.6)), float(rng.uniform(0, 0.5)) if rng.random() < 0.5 else 0.0
    out = []
    for face in faces:
        print_ = _cut(rng, face).astype(np.float32)
        if spread > 0.3:
            print_ = np.asarray(cv2.GaussianBlur(print_, (0, 0), spread), np.float32)
        print_ = toned(print_, inks.astype(np.float32), gamma, saturation, 0.0)
        if wear:
            rubbed = np.clip(fractal_noise(rng, FACE_PX, 6, 5) - 1.0, 0, 1)[..., None] * np.float32(4 * wear)
            print_ = print_ + (225 - print_) * np.clip(rubbed, 0, 0.8)
        out.append(np.clip(print_, 0, 255).astype(np.uint8))
    return np.stack(out)


def _cut(rng: np.random.Generator, face: Image) -> Image:
    """The face cut a little beside its edges; where that is outside, its border goes on."""
    side = face.shape[0]
    corners = np.array([[0, 0], [side, 0], [side, side]], np.float32)
    shift = rng.normal(0, TRIM_SIDES, 2) * side
    moved = ((corners - side / 2) * (1 + rng.normal(0, TRIM_SIDES)) + side / 2 + shift).astype(np.float32)
    matrix = cv2.getAffineTransform(corners, moved)
    return np.asarray(cv2.warpAffine(face, matrix, (side, side), borderMode=cv2.BORDER_REPLICATE), np.uint8)


def twin_exam(seed: list[int], n_faces: int = 24, n_foreign: int = 6, n_queries: int = 60) -> TwinExam:
    """One deck's gallery, and tiles photographed under a few looks; one in five is not in the gallery."""
    rng = np.random.default_rng(seed)
    deck = twin_deck(rng, n_faces + n_foreign)
    known = rng.permutation(len(deck))[:n_faces]
    place = {int(face): index for index, face in enumerate(known)}
    gallery, table = scanned(rng, deck[known]), printed(rng, deck)
    crops, answer = [], []
    look = random_look(rng)
    for query in range(n_queries):
        if query % 10 == 0:
            look = replace(random_look(rng, 0.9), corner_error=float(rng.choice([0.004, 0.01, 0.02])))
        face, turn = int(rng.integers(len(deck))), int(rng.integers(4))
        photo, quad, _ = photograph(rng, np.rot90(table[face], -turn), table, look)
        quad = wrong_corners(rng, quad, look.corner_error)
        crops.append(Sight(photo).crops(quad[None], 96)[0])
        answer.append((place.get(face, -1), turn))
    return TwinExam(gallery, np.stack(crops), np.array(answer))


def log_probs_of(exam: TwinExam, model: OnnxModel) -> Floats:
    """Log-probabilities [q, faces, 4] that the recogniser's own code gives the crops."""
    pictures = ((f"f{index}", face) for index, face in enumerate(exam.faces))
    return read_crops(exam.crops, build_gallery("twins", pictures, model), model).log_probs


def main() -> None:
    """Accuracy, mean negative log-likelihood and calibration error of tiles whose face is known."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decks", type=int, default=25)
    parser.add_argument("--seed", type=int, default=7710)
    options = parser.parse_args()
    model = load("descriptor", threads=1)
    sure, right, nats = [], [], []
    for number in range(options.decks):
        exam = twin_exam([options.seed, number])
        known = exam.answer[:, 0] >= 0
        told = log_probs_of(exam, model)[known].reshape(int(known.sum()), -1)
        wanted = exam.answer[known] @ [4, 1]
        sure += list(np.exp(told.max(axis=1)))
        right += list(told.argmax(axis=1) == wanted)
        nats += list(-told[np.arange(len(wanted)), wanted])
    bins = np.minimum((np.array(sure) * 10).astype(int), 9)
    off = [abs(float((np.array(right, np.float64) - sure)[bins == b].sum())) for b in range(10)]
    figures = {
        "tiles": len(right),
        "right": np.mean(right),
        "nats": np.mean(nats),
        "off": sum(off) / len(right),
    }
    print(json.dumps({name: round(float(value), 4) for name, value in figures.items()}))


if __name__ == "__main__":
    main()
