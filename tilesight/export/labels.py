"""Labels of a picture as every format of `tilesight export` writes them: tiles as quads, pieces as boxes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.tiles.pieces import TRAITS

Points = tuple[tuple[float, float], ...]
"""Corners in pixels of the picture."""
Sort = Literal["tile", "piece"]

PIECE_BOXES: Mapping[str, tuple[float, float, float, float]] = {
    "meeple": (0.21, 0.30, 0.21, 0.14),
    "token": (0.25, 0.21, 0.25, 0.20),
    "animal": (0.27, 0.22, 0.27, 0.22),
}
"""Extent of a piece's box to the left, top, right and bottom of the point at which it touches the board, in
tile sides: medians of the boards with truth in `samples/`. For figures of a game on squares it is in
`SQUARE_SIDES` squares."""
OUTSIDE_BOX, ALONG_BOX = (0.31, 0.36, 0.31, 0.19), (0.16, 0.21, 0.16, 0.12)
"""The same for pieces beside the tiles, and for those that are put along a feature (`PieceTraits`)."""
PAWN_BOX = (0.14, 0.18, 0.14, 0.10)
"""The same for any other piece, such as a pawn on squares."""
SQUARE_SIDES = 2.0
"""Sides of a square of which a figure's box has the proportions of a piece's on a tile."""


@dataclass(frozen=True, slots=True)
class Label:
    """One label of a picture.

    ``name`` is the face of a tile or the kind of a piece, as ``red meeple``. ``corners_px`` are the four
    corners in the picture, a tile's own nw, ne, se, sw. ``confidence`` is the probability of the name as the
    program read it, None for what people said. ``about`` are further values: cell, rotation, role, pose.
    ``colors`` are the probabilities of a piece's colours as they were read, for `tilesight learn`; no format
    writes them.
    """

    sort: Sort
    name: str
    corners_px: Points
    confidence: float | None
    about: Mapping[str, Any] = field(default_factory=dict)
    colors: Mapping[str, float] = field(default_factory=dict)

    @property
    def provenance(self) -> str:
        """ "read" by the program, or "corrected" by people."""
        return "read" if self.confidence is not None else "corrected"

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, width and height of the box around the corners, in pixels."""
        xs, ys = [x for x, _ in self.corners_px], [y for _, y in self.corners_px]
        return min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)

    @property
    def area(self) -> float:
        """Area inside of the corners, in square pixels."""
        ends = (*self.corners_px[1:], self.corners_px[0])
        pairs = zip(self.corners_px, ends, strict=True)
        return abs(sum(x * v - u * y for (x, y), (u, v) in pairs)) / 2

    def attributes(self) -> dict[str, Any]:
        """Return provenance, confidence (only if read) and ``about``, as JSON values."""
        sure = {} if self.confidence is None else {"confidence": round(self.confidence, 4)}
        return {"provenance": self.provenance, **sure, **self.about}


@dataclass(frozen=True, slots=True)
class LabelledPicture:
    """A picture (JPEG) of ``size_wh`` pixels with its labels; ``turn`` is the number of turns that it shows,
    None for a photograph. ``name`` is its file name."""

    name: str
    jpeg: bytes
    size_wh: tuple[int, int]
    labels: tuple[Label, ...]
    turn: int | None = None


def corners_inside(corners_px: ArrayLike, size_wh: tuple[int, int]) -> Points | None:
    """Return four corners (4, 2) px, limited to a picture of ``size_wh``; None if their middle is outside."""
    corners = np.asarray(corners_px, np.float64)
    middle = corners.mean(axis=0)
    if not (np.isfinite(corners).all() and (middle > 0).all() and (middle < size_wh).all()):
        return None
    inside: NDArray[np.float64] = np.clip(corners, 0, size_wh)
    return tuple((round(float(x), 2), round(float(y), 2)) for x, y in inside)


def piece_corners(
    kind: str, point_px: tuple[float, float], side_px: float, size_wh: tuple[int, int]
) -> Points | None:
    """Return the corners of a piece's box, limited to the picture; None if it lies outside of it.

    ``point_px`` is the point at which the piece touches the board, ``side_px`` a tile's side there.
    """
    left, top, right, bottom = (side_px * share for share in _box_of(kind))
    x, y = point_px
    box = [(x - left, y - top), (x + right, y - top), (x + right, y + bottom), (x - left, y + bottom)]
    return corners_inside(box, size_wh)


def _box_of(kind: str) -> tuple[float, float, float, float]:
    """Return the extent of a piece's box, in tile sides: left, top, right, bottom."""
    traits = {str(name): its for name, its in TRAITS.items()}.get(kind)
    if traits is not None and traits.outside:
        return OUTSIDE_BOX
    if traits is not None and traits.along:
        return ALONG_BOX
    return PIECE_BOXES.get(kind, PAWN_BOX)


def names_in(pictures: Iterable[LabelledPicture]) -> list[tuple[Sort, str]]:
    """Return the names of all labels as (sort, name): tiles first, each sort by name."""
    found = {(label.sort, label.name) for picture in pictures for label in picture.labels}
    return sorted(found, key=lambda one: (one[0] != "tile", one[1]))
