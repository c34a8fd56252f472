"""Candidates: places at which an animal tile may lie that the piece reader missed.

Where print is hidden, at a tile's corners and about its features.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.geometry import Point
from vision.geometry.ortho import px_in_quad
from vision.observation import CellReading, PieceReading, Quad
from vision.tokens.params import PARAMS

CORNERS_DEG = {(1, 1): 0, (0, 1): 90, (0, 0): 180, (1, 0): 270}
"""Clockwise turn of one flush with the corner (east, south) of a tile: its own south-east is its water."""


def tokens_maybe_at(
    reading: CellReading,
    quad: Quad,
    spots: Sequence[Point],
    pieces: Sequence[PieceReading],
    side: float,
    *,
    everywhere: bool,
) -> list[PieceReading]:
    """Tokens on one tile that may lie flush with its corners, or about ``spots``, where print is hidden and
    that nobody read; with ``everywhere`` also at corners that are in sight."""
    if reading.log_tile <= 0 or not reading.hidden.size:
        return []
    x, y = reading.cell
    read = [piece.lattice_xy for piece in pieces if piece.kind == "token"]
    stood = [piece.lattice_xy for piece in pieces if piece.kind != "token"]
    flush = [(abs(u - side / 2), abs(v - side / 2)) for u, v in CORNERS_DEG]
    stood_uv = [(at[0] - x, at[1] - y) for at in stood]
    about = [uv for spot in spots if (uv := _most_hidden(reading.hidden, spot, side, stood_uv)) is not None]
    found = []
    for u, v in (*flush, *about):
        hidden = hidden_share(reading.hidden, (u, v), side) >= PARAMS.hidden_share
        if (hidden or (everywhere and (u, v) in flush)) and apart_from(
            (x + u, y + v), read, PARAMS.apart_sides * side
        ):
            prior = PARAMS.hidden_prior if hidden else PARAMS.in_sight_prior
            found.append(
                PieceReading("token", None, "lying", px_in_quad(quad, (u, v)), (x + u, y + v), prior)
            )
    return found


def apart_from(xy: Point, others: Sequence[Point], least: float) -> bool:
    """Whether a place is further than ``least`` from all others."""
    return all(math.dist(xy, other) > least for other in others)


def _most_hidden(hidden: NDArray[np.bool_], spot: Point, side: float, stood: Sequence[Point]) -> Point | None:
    """The place about a spot around which most of the print is hidden: animal tiles are added by hand. None
    where pieces ``stood`` everywhere: what stands on a place hides it."""
    steps = [step * PARAMS.about_spot_sides / 2 for step in range(-2, 3)]
    places = [(spot[0] + u, spot[1] + v) for u in steps for v in steps]
    places = [(min(max(u, 0.0), 0.99), min(max(v, 0.0), 0.99)) for u, v in places]
    places = [place for place in places if apart_from(place, stood, PARAMS.on_spot_sides)]
    return max(
        places,
        default=None,
        key=lambda place: (hidden_share(hidden, place, 0.8 * side), -math.dist(place, spot)),
    )


def hidden_share(
    hidden: NDArray[np.bool_] | NDArray[np.float32], uv: tuple[float, float], side: float
) -> float:
    """The share of a square's patches that are hidden, whose middle is at ``uv`` of the tile and whose
    ``side`` is in tile sides; 0 where nothing looked at parts of the tile."""
    grid = len(hidden)
    (x0, x1), (y0, y1) = (
        (math.ceil(max(at - side / 2, 0) * grid - 0.5), math.floor(min(at + side / 2, 1) * grid + 0.5))
        for at in uv
    )
    part = hidden[y0:y1, x0:x1]
    return float(part.mean()) if part.size else 0.0
