"""Candidates: places of animal tiles that the piece reader may have missed.

These are places with occluded print, at a tile's corners and around the spots of its features.
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
"""Clockwise rotation, in degrees, of an animal tile flush with corner (east, south): its own south-east
corner, with the water, points there."""


def tokens_maybe_at(
    reading: CellReading,
    quad: Quad,
    spots: Sequence[Point],
    pieces: Sequence[PieceReading],
    side: float,
    *,
    everywhere: bool,
) -> list[PieceReading]:
    """Return candidate tokens on one tile where print is occluded and no token was read.

    They are flush with its corners or around ``spots`` (points in the tile), with ``everywhere`` also at
    visible corners. ``quad`` are the tile's corners in pixels, ``pieces`` those read, ``side`` is a token's
    side in tile sides. The candidates' confidence is the prior.
    """
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
    """Whether a point is farther than ``least`` from all others, in their unit."""
    return all(math.dist(xy, other) > least for other in others)


def _most_hidden(hidden: NDArray[np.bool_], spot: Point, side: float, stood: Sequence[Point]) -> Point | None:
    """Return the place near a spot with the most occluded print around it; None if pieces explain it.
    Hand-laid tiles deviate from the spot. ``stood`` are the points of pieces; places near them are left out.
    ``side`` is a token's side in tile sides."""
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
    """Return the share of hidden patches in the square around ``uv``; 0 if ``hidden`` is empty.
    ``hidden`` (g, g) covers the tile, ``uv`` is 0..1 in it, ``side`` the square's side in tile sides."""
    grid = len(hidden)
    (x0, x1), (y0, y1) = (
        (math.ceil(max(at - side / 2, 0) * grid - 0.5), math.floor(min(at + side / 2, 1) * grid + 0.5))
        for at in uv
    )
    part = hidden[y0:y1, x0:x1]
    return float(part.mean()) if part.size else 0.0
