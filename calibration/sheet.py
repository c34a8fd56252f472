"""Faces of loose tiles photographed on a table: grouping of equal faces, and suggested names.

Equal faces are grouped across rotations and photographs. Doubtful pairs stay separate: naming a face twice
costs a tap, but merging two designs spoils every game.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.face_sides import OtherSides, other_sides
from calibration.params import PARAMS
from calibration.same_face import difference
from calibration.set_names import set_names
from engine.pack import Pack
from models import OnnxModel
from vision.locate.locator import Locator
from vision.loose.tiles import find_loose_tiles
from vision.observation import Sight
from vision.probability import sigmoid
from vision.tiles.face_classifier import to_readings
from vision.tiles.gallery import FACE_PX, Gallery, build_gallery
from vision.tiles.matching import ScoreValues, match

U8 = NDArray[np.uint8]

GUESSES = 4


@dataclass(frozen=True, slots=True)
class Guess:
    """Suggested name of a face: the design, and its clockwise rotation in quarter turns."""

    design: str
    turn: int
    confidence: float


@dataclass(frozen=True, slots=True, eq=False)
class SheetFace:
    """One face: ``views`` uint8 (n, 256, 256, 3) are all its pictures, rotated like the first.
    ``guesses`` are suggested names, likeliest first, empty without a known gallery."""

    views: U8
    guesses: tuple[Guess, ...] = ()

    @property
    def strange(self) -> bool:
        """Whether the known gallery probably lacks this face."""
        return bool(self.guesses) and sum(guess.confidence for guess in self.guesses) < 0.5

    @property
    def sure(self) -> Guess | None:
        """The likeliest guess if its confidence is at least `named_face`, else None."""
        return self.guesses[0] if self.guesses and self.guesses[0].confidence >= PARAMS.named_face else None


def tiles_of(sight: Sight, locator: Locator) -> U8:
    """Find and rectify the loose tiles of one photograph: uint8 (n, 256, 256, 3), in reading order."""
    return sight.crops(find_loose_tiles(sight, locator).quads, FACE_PX)


def group_faces(
    tiles: U8,
    descriptor: OnnxModel,
    known: Gallery | None = None,
    counts: Mapping[str, int] | None = None,
) -> tuple[SheetFace, ...]:
    """Group rectified tiles (n, 256, 256, 3) by face, in the order of first occurrence.

    ``known`` is a gallery of the same pack, from its art or an earlier enrolment, for guesses; without it
    there are none. With ``counts``, the number of tiles of each design in a set, these are made jointly.
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
    return tuple(faces) if known is None else _guessed(faces, descriptor, known, counts)


def _alike(tiles: U8, descriptor: OnnxModel) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Compare each pair of tiles: relative rotation (n, n), and a mask (n, n) of the same face.
    The rotation is that of the first relative to the second, in clockwise quarter turns."""
    count = len(tiles)
    gallery = build_gallery("sheet", ((str(i), tile) for i, tile in enumerate(tiles)), descriptor)
    descriptors, visible = descriptor(_crops(tiles, descriptor))
    values = ScoreValues.of(descriptor.meta)
    turns, share = np.zeros((count, count), np.int64), np.zeros((count, count))
    for other in range(count):
        fit = match(descriptors, visible, gallery.references[4 * other : 4 * other + 4], values)
        turns[:, other] = fit.total.argmax(axis=1)
        share[:, other] = fit.total.max(axis=1)
    share /= np.maximum(np.diag(share)[:, None], 1e-6)
    likely = (share > PARAMS.same_face_fit) & ((turns + turns.T) % 4 == 0)
    likely &= likely.T
    same = np.eye(count, dtype=np.bool_)
    for one in range(count):
        others = np.flatnonzero(likely[:one, one])
        turned = [np.rot90(tiles[other], int(turns[other, one])) for other in others]
        if len(others):
            off = difference(tiles[one], np.stack(turned))
            same[one, others] = same[others, one] = off < PARAMS.different_colour
    return turns, same


def _guessed(
    faces: Sequence[SheetFace], descriptor: OnnxModel, known: Gallery, counts: Mapping[str, int] | None
) -> tuple[SheetFace, ...]:
    """Return the faces with guesses of their names by the gallery ``known``.
    ``counts`` are the numbers of tiles of each design in a set; None is unlimited."""
    every = np.concatenate([face.views for face in faces])
    owner = np.repeat(np.arange(len(faces)), [len(face.views) for face in faces])
    descriptors, visible = descriptor(_crops(every, descriptor))
    values = ScoreValues.of(descriptor.meta)
    matched = match(descriptors, visible, known.references, values)
    seen = to_readings(matched, known, values)
    fits = _fits_of_designs(matched.log_odds, known)
    # Mean rather than sum, as the errors of one face's pictures are correlated.
    pooled = np.stack([fits[owner == number].mean(axis=0) for number in range(len(faces))])
    each = pooled.max(axis=2)
    room = np.array([len(every) if counts is None else counts.get(name, 1) for name in known.designs])
    told = set_names(each, np.bincount(owner), room)
    guessed = []
    for number, face in enumerate(faces):
        first = int(told.design[number])
        # The confidence is reduced by the probability that the gallery lacks the face.
        trust = sigmoid(float(seen.log_tile[owner == number].max()))
        sure = trust * sigmoid(float(told.margin[number]))
        share = np.exp(each[number] - each[number].max())
        share[first] = 0.0
        share *= (trust - sure) / max(float(share.sum()), 1e-9)
        share[first] = sure
        order = [first, *(int(d) for d in np.argsort(-share) if d != first)][:GUESSES]
        guesses = [Guess(known.designs[d], int(pooled[number, d].argmax()), float(share[d])) for d in order]
        guessed.append(SheetFace(face.views, tuple(guesses)))
    return tuple(guessed)


def _fits_of_designs(by_reference: NDArray[np.float32], known: Gallery) -> NDArray[np.float64]:
    """Return log-likelihoods (n, designs, 4), the maximum over each design's pictures.
    ``by_reference`` (n, 4 · faces) are those of each face in each rotation."""
    by_face = by_reference.reshape(len(by_reference), -1, 4)
    fits = np.full((len(by_face), len(known.designs), 4), -np.inf)
    for face, design in enumerate(known.face_design):
        np.maximum(fits[:, design], by_face[:, face], out=fits[:, design])
    return fits


def _crops(tiles: U8, descriptor: OnnxModel) -> U8:
    """Return rectified tiles, resized to the descriptor's input size: uint8 (n, s, s, 3)."""
    square = np.array([[[0, 0], [FACE_PX, 0], [FACE_PX, FACE_PX], [0, FACE_PX]]], np.float64) - 0.5
    size = int(descriptor.meta["crop_px"])
    return np.concatenate([Sight(tile).crops(square, size) for tile in tiles])


def sides_of_named(named: Sequence[tuple[SheetFace, str, int]], pack: Pack) -> tuple[OtherSides, ...]:
    """Return the named faces (face, design, quarter turns) whose sides are not those of their design."""
    upright = [np.rot90(face.views, turn, axes=(1, 2)) for face, _, turn in named]
    return other_sides(upright, [design for _, design, _ in named], pack)


def named_views(faces: Iterable[tuple[SheetFace, str, int]]) -> list[tuple[str, U8]]:
    """Convert named faces (face, design, quarter turns) to pairs for a gallery.

    A pair is (design, picture with own north up). A gallery keeps the last pictures of a design. So that no
    variant is lost, the first view of each face comes last, that of the face with most views at the very end.
    """
    named = list(faces)
    designs = {design: place for place, (_, design, _) in reversed(list(enumerate(named)))}
    views = [
        (designs[design], -number, len(face.views), np.asarray(np.rot90(view, turn), np.uint8), design)
        for face, design, turn in named
        for number, view in enumerate(face.views)
    ]
    return [(design, view) for _, _, _, view, design in sorted(views, key=lambda one: one[:3])]
