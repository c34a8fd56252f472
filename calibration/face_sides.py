"""Sides of enrolled faces: which pictures are turned or named wrongly, and what unnamed ones may be.

Land looks alike on all tiles of an edition, so the sides of other faces tell the land on those of each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.params import PARAMS
from engine.pack import Pack
from vision.joint.edge_kinds import edge_kinds, nats_of_faces
from vision.joint.sides import BINS, CROP_PX, FEWEST, read_sides, strips_of_crops
from vision.tiles.gallery import Gallery
from vision.tiles.params import PARAMS as TILES

U8 = NDArray[np.uint8]
F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
Ints = NDArray[np.int64]

ROUNDS = 12
"""Maximum number of readings; after each, the surest third of the wrong faces is corrected."""
NAMED = 3
"""Maximum number of designs that a line names."""
FEWEST_NAMED = 3
"""Minimum number of named faces for guesses."""
GUESSES = 4
"""Maximum number of guesses per face."""
TURNS = {1: "a quarter turn clockwise", 2: "half a turn", 3: "a quarter turn anticlockwise"}
"""Words for clockwise quarter turns."""


@dataclass(frozen=True, slots=True)
class OtherSides:
    """A face whose sides are not those of its design.

    ``number`` is its place among the faces, ``picture`` that among the faces of its design, from 1 (0 if the
    design has one face). If it is turned wrongly, its sides fit after ``turn`` clockwise quarters, 1 to 3.
    If it is of another design, ``turn`` is 0 and ``fits`` are the designs that have its sides.
    """

    number: int
    design: str
    picture: int = 0
    turn: int = 0
    fits: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return a line for the user."""
        who = f"{self.design}, picture {self.picture}" if self.picture else self.design
        if self.turn:
            return f"{who}: its sides fit after {TURNS[self.turn]}"
        shown, more = self.fits[:NAMED], len(self.fits) - NAMED
        every = [*shown, f"{more} more"] if more > 0 else [*shown]
        listed = " or ".join(filter(None, [", ".join(every[:-1]), every[-1]]))
        return f"{who}: its sides are those of {listed}"

    def to_json(self) -> dict[str, object]:
        """Return the face as a JSON object, with its ``line``."""
        about = {"design": self.design, "picture": self.picture, "turn": self.turn, "fits": list(self.fits)}
        return about | {"line": str(self)}


def other_sides(faces: Sequence[U8], names: Sequence[str], pack: Pack) -> tuple[OtherSides, ...]:
    """Return the faces whose sides are not those of their design, in order.

    ``faces`` are arrays of views [v, s, s, 3], BGR with own north up as it is stated, ``names`` their designs
    in ``pack``. Each face is read from those of other designs. Of many wrong faces the surest third is
    corrected, and all are read again, until none is left. With fewer than `FEWEST` designs none is returned.
    """
    if len(set(names)) < FEWEST:
        return ()
    designs = tuple(pack.designs)
    table, _ = edge_kinds(designs, pack, seams=False)
    stated = 4 * np.array([designs.index(name) for name in names], np.int64)
    strips = _strips([view for face in faces for view in face])
    owner = np.repeat(np.arange(len(faces)), [len(face) for face in faces])
    every, now = np.arange(len(faces)), stated.copy()
    for _ in range(ROUNDS):
        nats = _nats(strips, owner, now, stated // 4, table)
        likely = _likely(nats, stated // 4)
        gain = nats[every, likely] - nats[every, now]
        wrong = np.flatnonzero(gain > PARAMS.sides_corrected_nats)
        if not len(wrong):
            break
        surest = wrong[np.argsort(-gain[wrong])[: -(-len(wrong) // 3)]]
        now[surest] = likely[surest]
    told = np.flatnonzero(nats[every, likely] - nats[every, stated] > PARAMS.sides_nats)
    return tuple(_told(int(number), int(likely[number]), names, table, designs) for number in told)


def guessed_by_sides(
    faces: Sequence[U8], views: Sequence[int], named: Mapping[int, tuple[str, int]], pack: Pack
) -> dict[int, tuple[tuple[str, int], ...]]:
    """Return guesses for each face not in ``named``, likeliest first; {} with fewer than `FEWEST_NAMED`.

    A guess is (design, quarter turns clockwise); ``named`` maps numbers of faces to such pairs. ``faces`` are
    square BGR pictures, ``views`` the number of pictures of each. A design is guessed while tiles of it are
    left in the pack; it is less likely if the face has more pictures than that.
    """
    asked = [number for number in range(len(faces)) if number not in named]
    if len(named) < FEWEST_NAMED or not asked:
        return {}
    designs = tuple(pack.designs)
    table, _ = edge_kinds(designs, pack, seams=False)
    strips = _strips([faces[number] for number in (*named, *asked)])
    rows = [4 * designs.index(design) + turn for design, turn in named.values()]
    known, kinds = strips[0, : len(named)].reshape(-1, BINS, 3), table[rows].reshape(-1)
    read = read_sides(strips[:, len(named) :], known, kinds, int(table.max()) + 1)
    left = np.array([pack.designs[design].count for design in designs])
    for number, (design, _) in named.items():
        left[designs.index(design)] -= views[number]
    shown = np.array([views[number] for number in asked])
    nats = nats_of_faces(read.nats, table).reshape(len(asked), -1, 4)
    likely = nats.max(axis=2) - TILES.surplus_nats * np.maximum(shown[:, None] - left, 0)
    order = np.argsort(-np.where(left > 0, likely, -np.inf), axis=1, kind="stable")
    return {
        number: tuple(
            (designs[at], int(nats[k, at].argmax())) for at in order[k, :GUESSES].tolist() if left[at] > 0
        )
        for k, number in enumerate(asked)
    }


def _strips(views: Sequence[U8]) -> F32:
    """Return the colours along the sides of square pictures (BGR), as `strips_of_crops`."""
    small = [cv2.resize(view, (CROP_PX, CROP_PX), interpolation=cv2.INTER_AREA) for view in views]
    return strips_of_crops(np.asarray(small, np.uint8))


def _nats(strips: F32, owner: Ints, now: Ints, design: Ints, table: Ints) -> F64:
    """Return the log-likelihood ratios [n, 4 · designs] of the faces' sides, given each one of the ``table``.

    ``owner`` is the face of each view in ``strips``; views of a face are averaged. ``now`` [n] are rows of
    the table that the faces' own sides are taken for; faces of one ``design`` [n] are not compared.
    """
    known, kinds = strips[0].reshape(-1, BINS, 3), table[now[owner]].reshape(-1)
    own = np.repeat(design[owner][:, None] == design[owner], 4, axis=1)
    read = read_sides(strips, known, kinds, int(table.max()) + 1, own)
    total = np.zeros((len(now), len(table)))
    np.add.at(total, owner, nats_of_faces(read.nats, table))
    return total / np.bincount(owner)[:, None]


def _likely(nats: F64, design: Ints) -> Ints:
    """Return the likeliest row [n] of the table for each face, of its ``design`` [n] if a turn of it fits."""
    turns = np.take_along_axis(nats, 4 * design[:, None] + np.arange(4), axis=1)
    fits = turns.max(axis=1) >= nats.max(axis=1) - PARAMS.sides_nats
    rows = np.where(fits, 4 * design + turns.argmax(axis=1), nats.argmax(axis=1))
    return np.asarray(rows, np.int64)


def _told(number: int, row: int, names: Sequence[str], table: Ints, designs: Sequence[str]) -> OtherSides:
    """Return what is told of a face that has the sides in a row of the table."""
    name = names[number]
    same = [at for at, other in enumerate(names) if other == name]
    picture = same.index(number) + 1 if len(same) > 1 else 0
    if designs[row // 4] == name:
        return OtherSides(number, name, picture, turn=-row % 4)
    alike = (table == table[row]).all(axis=1).reshape(-1, 4).any(axis=1)
    return OtherSides(number, name, picture, fits=tuple(designs[int(at)] for at in np.flatnonzero(alike)))


def sides_of_gallery(gallery: Gallery, pack: Pack) -> tuple[OtherSides, ...]:
    """Return the pictures of a gallery of ``pack`` whose sides are not those of their design."""
    names = [gallery.designs[design] for design in gallery.face_design]
    return other_sides(list(gallery.faces[:, None]), names, pack)
