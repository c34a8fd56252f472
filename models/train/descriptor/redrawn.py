"""Decks in which one face exists in two drawings, one of which looks like a part of another face.

An edition may draw the wall of a city in two ways, while the gallery holds one of them. A tile with the other
drawing then fits best where some other face shows that very wall, though that face shows a second city where
the tile is plain. `python -m models.train.descriptor.redrawn` prints how such tiles are named by descriptors
alone, and with the colours of blocks (`vision.tiles.face_check`); its numbers were chosen with seed 1.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from models import OnnxModel, load
from models.train.descriptor.judge import read_crops
from models.train.descriptor.twins import FACE_PX, printed, scanned, twin_deck
from models.train.descriptor.views import photograph, random_look, wrong_corners
from vision.observation import Sight
from vision.tiles.face_check import BLOCKS, block_colors, weigh_by_color
from vision.tiles.gallery import build_gallery

Image = NDArray[np.uint8]
PLAIN, REDRAWN, RIVAL = 0, 1, 2
KINDS = ("other faces", "faces drawn anew", "the faces they look like")
CRISP, GROUPS, PER_LOOK, TILES = 22, 4, 15, 60
"""Faces of one drawing and groups of redrawn ones in a deck; tiles photographed under a look, and in all."""


@dataclass(frozen=True)
class RedrawnExam:
    """A gallery's faces (n, s, s, 3); crops (q, 96, 96, 3) of tiles; ``answer`` (q, 2) face and turn;
    ``kind`` (q,) `PLAIN`, `REDRAWN` or `RIVAL`; ``look`` (q,) which light and camera."""

    faces: Image
    crops: Image
    answer: NDArray[np.int64]
    kind: NDArray[np.int64]
    look: NDArray[np.int64]


def redrawn_exam(seed: list[int]) -> RedrawnExam:
    """One deck's gallery, and tiles photographed under a few looks."""
    rng = np.random.default_rng(seed)
    deck = list(twin_deck(rng, CRISP))
    table, kinds = list(deck), [PLAIN] * len(deck)
    for _ in range(GROUPS):
        gallery_faces, printed_faces = _group(rng, deck)
        deck += gallery_faces
        table += printed_faces
        kinds += [REDRAWN, RIVAL]
    print_ = printed(rng, np.stack(table))
    crops, answer, asked, looks = [], [], [], []
    look = random_look(rng)
    for number in range(TILES):
        if number % PER_LOOK == 0:
            look = replace(random_look(rng, 0.9), corner_error=float(rng.choice([0.004, 0.008, 0.015])))
        first = 0 if rng.random() < 0.5 else CRISP
        face, turn = int(rng.integers(first, len(deck))), int(rng.integers(4))
        photo, quad, _ = photograph(rng, np.rot90(print_[face], -turn), print_, look)
        crops.append(Sight(photo).crops(wrong_corners(rng, quad, look.corner_error)[None], 96)[0])
        answer.append((face, turn))
        asked.append(kinds[face])
        looks.append(number // PER_LOOK)
    faces = scanned(rng, np.stack(deck))
    labels = np.array(answer), np.array(asked), np.array(looks)
    return RedrawnExam(faces, np.stack(crops), *labels)


def _group(rng: np.random.Generator, deck: list[Image]) -> tuple[list[Image], list[Image]]:
    """The gallery's faces and the printed ones of a face that was drawn anew and of its rival."""
    ground, city = (deck[int(k)] for k in rng.choice(CRISP, 2, replace=False))
    tint = city.reshape(-1, 3).mean(axis=0) * np.exp(rng.normal(0, 0.25, 3))
    detail = city.astype(float) - cv2.GaussianBlur(city, (0, 0), 5)
    wall = np.clip(tint + detail, 0, 255).astype(np.uint8)
    anew = np.ascontiguousarray(np.roll(wall[:, ::-1], 37, axis=1))
    if rng.random() < 0.6:
        ground = np.asarray(cv2.GaussianBlur(ground, (0, 0), 6), np.uint8)
    shape = float(rng.uniform(0.22, 0.42)), float(rng.uniform(0.42, 0.62))
    rival = _with_city(_with_city(ground, wall, shape), anew, shape, south=True)
    return [_with_city(ground, anew, shape), rival], [_with_city(ground, wall, shape), rival]


def _with_city(face: Image, city: Image, shape: tuple[float, float], south: bool = False) -> Image:
    """A face with a half ellipse (depth and half width, in sides) of another at its north or south side."""
    depth, wide = shape
    y, x = np.mgrid[:FACE_PX, :FACE_PX] / FACE_PX
    inside = ((x - 0.5) / wide) ** 2 + (y / depth) ** 2 < 1
    if south:
        inside, city = inside[::-1], city[::-1, ::-1]
    share = cv2.GaussianBlur(inside.astype(np.float32), (0, 0), 1.2)[..., None]
    out = (face * (1 - share) + city * share).astype(np.uint8)
    rim = cv2.dilate(inside.astype(np.uint8), np.ones((3, 3))) > inside
    out[rim] = (out[rim] * 0.4).astype(np.uint8)
    return np.asarray(out, np.uint8)


def told_of(exam: RedrawnExam, model: OnnxModel) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Log-probabilities (q, faces, 4) by descriptors alone, and with the colours of blocks."""
    gallery = build_gallery("redrawn", ((f"f{k}", face) for k, face in enumerate(exam.faces)), model)
    read = read_crops(exam.crops, gallery, model)
    alone = read.log_probs.astype(np.float64)
    colored = alone.copy()
    seen, visible = block_colors(exam.crops), np.ones((len(alone), BLOCKS, BLOCKS), np.bool_)
    for look in np.unique(exam.look):
        here = exam.look == look
        colored[here] = weigh_by_color(
            seen[here], visible[here], alone[here], read.print_known[here], gallery
        )
    return alone, colored


def main() -> None:
    """Print accuracy and mean negative log-likelihood by kind of face."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decks", type=int, default=20)
    parser.add_argument("--seed", type=int, default=2)
    options = parser.parse_args()
    model = load("descriptor", threads=1)
    exams = [redrawn_exam([options.seed, number]) for number in range(options.decks)]
    wanted = np.concatenate([exam.answer @ [4, 1] for exam in exams])
    kind = np.concatenate([exam.kind for exam in exams])
    pairs = [told_of(exam, model) for exam in exams]
    for name, part in (("descriptors", 0), ("with colours", 1)):
        flat = np.concatenate([pair[part].reshape(len(pair[part]), -1) for pair in pairs])
        right, nats = flat.argmax(axis=1) == wanted, -flat[np.arange(len(wanted)), wanted]
        for number, title in enumerate(KINDS):
            mine = kind == number
            figures = f"{mine.sum()} tiles, {right[mine].mean():.3f} right, {nats[mine].mean():.3f} nats"
            print(f"{name}: {title}: {figures}")


if __name__ == "__main__":
    main()
