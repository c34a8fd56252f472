"""Reference answers for photographs of boards of squares (docs/formats.md, 'Photographs with truth')."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from engine import jsonvalue as jv
from engine.geometry import EDGES, Edge


@dataclass(frozen=True, slots=True, eq=False)
class TrueSquares:
    """Truth of a photograph of a board of squares.

    ``corners_px`` (4, 2) are the board's north-west, north-east, south-east and south-west; ``terrain`` its
    rows, north first; ``animals`` (species, square, facing), ``pawns`` (colour, square).
    """

    corners_px: NDArray[np.float64]
    terrain: tuple[str, ...]
    animals: frozenset[tuple[str, str, Edge]]
    pawns: frozenset[tuple[str, str]]


def read_squares(entry: Mapping[str, Any], at: str, least_visible: float) -> TrueSquares:
    """Read the board of an entry of truth.json. Raises jsonvalue.FieldError, which names the field.

    ``at`` is the entry's place in the file. Pawns of which less than ``least_visible`` (0..1) is visible are
    left out.
    """
    board = jv.object_at(jv.get(entry, "board", at), f"{at}.board")
    corners = []
    for i, point in enumerate(jv.list_at(jv.get(board, "corners_px", at), f"{at}.board.corners_px", 4)):
        where = f"{at}.board.corners_px[{i}]"
        corners.append([jv.number_at(item, where) for item in jv.list_at(point, where, 2)])
    pawns = set()
    for i, item in enumerate(jv.list_at(entry.get("pieces", []), f"{at}.pieces")):
        piece, where = jv.object_at(item, f"{at}.pieces[{i}]"), f"{at}.pieces[{i}]"
        if piece.get("cell") is None or jv.number_at(piece.get("visible", 1.0), where) < least_visible:
            continue
        pawns.add((jv.text_at(jv.get(piece, "color", where), where), jv.text_at(piece["cell"], where)))
    return TrueSquares(
        np.array(corners, np.float64),
        jv.texts_at(jv.get(board, "terrain", at), f"{at}.board.terrain"),
        frozenset(
            _animal(item, f"{at}.animals[{i}]")
            for i, item in enumerate(jv.list_at(jv.get(entry, "animals", at), f"{at}.animals"))
        ),
        frozenset(pawns),
    )


def _animal(value: object, at: str) -> tuple[str, str, Edge]:
    item = jv.object_at(value, at)
    facing = jv.get(item, "facing", at)
    if facing not in EDGES:
        raise jv.FieldError(f"{at}.facing", f"must be n, e, s or w, is {jv.shown(facing)}")
    species = jv.text_at(jv.get(item, "species", at), f"{at}.species")
    return species, jv.text_at(jv.get(item, "cell", at), f"{at}.cell"), cast(Edge, facing)
