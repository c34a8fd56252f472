"""Faces of loose tiles photographed on a table: which faces there are, and suggestions for their names.

Equal faces count as one, whichever way round they lie and in however many photographs. Where in doubt two
faces stay two: naming one twice costs a tap, two designs under one name cost every game.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.params import PARAMS
from models import OnnxModel
from vision.geometry.rectify import rectify
from vision.locate.locator import Locator
from vision.loose.tiles import find_loose_tiles
from vision.observation import Image
from vision.probability import sigmoid
from vision.tiles.face_classifier import read_crops
from vision.tiles.gallery import FACE_PX, Gallery, build_gallery
from vision.tiles.matching import ScoreValues, match

U8 = NDArray[np.uint8]

GUESSES = 4


@dataclass(frozen=True, slots=True)
class Guess:
    """Suggested name of a face: the design, and its rotation in quarter turns clockwise."""

    design: str
    turn: int
    confidence: float


@dataclass(frozen=True, slots=True, eq=False)
class SheetFace:
    """One face: ``views`` uint8 (n, 256, 256, 3), every picture of it turned like the first; ``guesses`` the
    likeliest first, empty where nothing is known of the pack's faces."""

    views: U8
    guesses: tuple[Guess, ...] = ()

    @property
    def sure(self) -> Guess | None:
        """The likeliest guess where it is beyond reasonable doubt."""
        return self.guesses[0] if self.guesses and self.guesses[0].confidence >= PARAMS.named_face else None


def tiles_of(image: Image, locator: Locator) -> U8:
    """The loose tiles of one photograph, straightened: uint8 (n, 256, 256, 3), in reading order."""
    return rectify(image, find_loose_tiles(image, locator).quads, FACE_PX)


def group_faces(tiles: U8, descriptor: OnnxModel, known: Gallery | None = None) -> tuple[SheetFace, ...]:
    """The different faces among straightened tiles (n, 256, 256, 3), in the order in which they first come.

    ``known`` shows faces of the same pack, from its art or an earlier enrolment: then each is guessed.
    """
    if not len(tiles):
        return ()
    turns, same = _alike(tiles, descriptor)
    groups: list[list[int]] = []
    for index in range(len(tiles)):
        home = next((group for group in groups if all(same[index, member] for member in group)), None)
        if home is None:
            groups.append([index])
        else:
            home.append(index)
    faces = []
    for group in groups:
        first = group[0]
        views = [np.rot90(tiles[index], int(turns[index, first])) for index in group]
        faces.append(SheetFace(np.stack(views)))
    return tuple(faces) if known is None else _guessed(faces, descriptor, known)


def _alike(tiles: U8, descriptor: OnnxModel) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """For each two tiles: by how many quarter turns the first lies clockwise from the second, and whether
    they show the same face."""
    count = len(tiles)
    gallery = build_gallery("sheet", ((str(i), tile) for i, tile in enumerate(tiles)), descriptor)
    size = int(descriptor.meta["crop_px"])
    square = np.array([[0, 0], [FACE_PX, 0], [FACE_PX, FACE_PX], [0, FACE_PX]], np.float64) - 0.5
    crops = np.concatenate([rectify(np.asarray(tile, np.uint8), square[None], size) for tile in tiles])
    descriptors, visible = descriptor(crops)
    values = ScoreValues.of(descriptor.meta)
    turns, share = np.zeros((count, count), np.int64), np.zeros((count, count))
    unlike = np.ones((count, count))
    for other in range(count):
        # One reference at a time: what does not fit is asked of each pair, not of the best alone.
        fit = match(descriptors, visible, gallery.references[4 * other : 4 * other + 4], values)
        turns[:, other] = fit.total.argmax(axis=1)
        share[:, other] = fit.total.max(axis=1)
        unlike[:, other] = fit.hidden.mean(axis=1)
    share /= np.maximum(np.diag(share)[:, None], 1e-6)
    one_way = (share > PARAMS.same_face_fit) & (unlike - np.diag(unlike)[:, None] < PARAMS.different_patches)
    return turns, one_way & one_way.T & ((turns + turns.T) % 4 == 0)


def _guessed(faces: Sequence[SheetFace], descriptor: OnnxModel, known: Gallery) -> tuple[SheetFace, ...]:
    size = int(descriptor.meta["crop_px"])
    square = np.array([[0, 0], [FACE_PX, 0], [FACE_PX, FACE_PX], [0, FACE_PX]], np.float64) - 0.5
    firsts = [rectify(np.ascontiguousarray(face.views[0]), square[None], size)[0] for face in faces]
    seen = read_crops(np.stack(firsts), known, descriptor)
    guessed = []
    for face, log_probs, log_tile in zip(faces, seen.log_probs, seen.log_tile, strict=True):
        # A face that the gallery does not know at all is still likeliest to be one of its designs.
        trust = sigmoid(float(log_tile))
        order = np.argsort(-log_probs.max(axis=1))[:GUESSES]
        guesses = [
            Guess(known.designs[d], int(log_probs[d].argmax()), trust * float(np.exp(log_probs[d].max())))
            for d in order
        ]
        guessed.append(SheetFace(face.views, tuple(guesses)))
    return tuple(guessed)


def named_views(faces: Iterable[tuple[SheetFace, str, int]]) -> list[tuple[str, U8]]:
    """(design, picture with its own north up) for each view of faces given with their design and turn."""
    return [
        (design, np.asarray(np.rot90(view, turn), np.uint8))
        for face, design, turn in faces
        for view in face.views
    ]
