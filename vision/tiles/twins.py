"""Twins: faces of a gallery that differ in a small part only, such as a coat of arms.

A descriptor of a whole tile mixes that part with everything around it. Here the part decides alone: the two
pictures are aligned with each other, the tile's picture is relit to their light, and the part is registered
under either picture. A covered part fits neither better, which leaves the tile open. Editions print a design
in several drawings, so parts may differ that say nothing of the design: parts that contradict each other
leave the tile open, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from vision.observation import CellReading, Sight
from vision.probability import sigmoid
from vision.tiles.gallery import Gallery
from vision.tiles.params import PARAMS
from vision.tiles.reprojection import line_of_light

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
Bools = NDArray[np.bool_]

SIDE_PX = 96
"""Side of the compared pictures in pixels."""
SMALLEST = 0.0036
"""Minimum share of the face of a part in which two pictures differ."""
LARGEST = 0.35
"""Maximum share of the face in which twins differ."""
BETWEEN = 0.9
"""Minimum probability that a tile is one of two twins, for them to be told apart."""
LEAST = 1e-3
"""Minimum probability of the less likely twin."""
LEAST_UNLIKE = 0.02
"""Minimum difference of a part from a print, as a share of the difference between the twins."""
REACH_PX = 7
"""Maximum shift of a part in its registration, in pixels of the compared pictures."""
FITS = 3
"""Number of rounds in which two pictures are aligned and relit, each with less weight on what differs."""


@dataclass(frozen=True, slots=True, eq=False)
class Twins:
    """Two pictures [SIDE_PX, SIDE_PX, 3] that differ in ``parts`` [k, SIDE_PX, SIDE_PX]; ``other`` is turned
    and relit to match ``one``. ``near`` [SIDE_PX, SIDE_PX] are weights of pixels by which the light is
    measured: 0 on the parts, highest beside them."""

    one: F32
    other: F32
    parts: Bools
    near: F32


@lru_cache(maxsize=512)
def twins_of(gallery: Gallery, one: int, other: int, turn: int) -> Twins | None:
    """Return the pictures of two designs as twins; None if they differ in too much or in nothing.

    ``one`` and ``other`` are their indices; ``other`` lies turned clockwise by ``turn`` quarters.
    """
    ours, theirs = (_picture(gallery, design) for design in (one, other))
    theirs, apart = _aligned(np.ascontiguousarray(np.rot90(theirs, -turn)), ours)
    usual = float(np.median(apart))
    differs = apart > max(PARAMS.twin_differs * usual, PARAMS.twin_levels)
    rim = SIDE_PX // 32
    inner = np.zeros_like(differs)
    inner[rim:-rim, rim:-rim] = differs[rim:-rim, rim:-rim]
    count, labels, stats, _ = cv2.connectedComponentsWithStats(inner.astype(np.uint8))
    large = [k for k in range(1, count) if stats[k, cv2.CC_STAT_AREA] >= SMALLEST * inner.size]
    if not large or inner.mean() > LARGEST or usual > PARAMS.twin_levels:
        return None
    parts = np.stack([labels == k for k in large])
    return Twins(ours, theirs, parts, _near(parts))


def told_apart(
    sight: Sight, readings: Mapping[Cell, CellReading], gallery: Gallery
) -> dict[Cell, CellReading]:
    """Return the readings; between twins the parts decide in which they differ."""
    return {cell: _told_apart(sight, reading, gallery) for cell, reading in readings.items()}


def _told_apart(sight: Sight, reading: CellReading, gallery: Gallery) -> CellReading:
    """Return a reading of a tile, its probability divided anew between its two likeliest faces if these are
    twins."""
    second, first = np.argsort(reading.log_probs, axis=None)[-2:]
    logs = reading.log_probs.reshape(-1).astype(np.float64)
    p_first, p_second = np.exp(logs[[first, second]])
    if reading.log_tile <= 0 or p_first + p_second < BETWEEN or p_second < LEAST:
        return reading
    (one, turn), (other, other_turn) = divmod(int(first), 4), divmod(int(second), 4)
    twins = twins_of(gallery, one, other, (other_turn - turn) % 4)
    if twins is None:
        return reading
    own = np.roll(reading.corners_px, -turn, axis=0)
    seen = sight.crops(own[None], SIDE_PX)[0].astype(np.float32)
    nats = part_nats(seen, twins, _own_mask(reading, turn))
    nats += PARAMS.twin_told * float(np.log(p_first / p_second))
    share = np.clip(sigmoid(np.array([nats, -nats])), LEAST, 1.0)
    logs[[first, second]] = np.log((p_first + p_second) * share)
    return replace(reading, log_probs=logs.reshape(reading.log_probs.shape).astype(np.float32))


def part_nats(seen: F32, twins: Twins, hidden: Bools) -> float:
    """Return the log-odds that a picture ``seen`` [SIDE_PX, SIDE_PX, 3] is the first of two twins.

    ``hidden`` [SIDE_PX, SIDE_PX] masks what fits no face; the light is measured elsewhere. One part tells
    the design, each with the same probability. The others belong to another drawing and tell nothing.
    """
    relit = _relit(seen, twins, hidden)
    unlike = np.array([_unlike(relit, twins, part) for part in twins.parts]) + LEAST_UNLIKE
    # Student's likelihood: the variance of the picture's differences from a print is unknown.
    nats = PARAMS.twin_nats * np.log(unlike[:, 1] / unlike[:, 0])
    halves = np.clip(nats, -PARAMS.twin_most_nats, PARAMS.twin_most_nats) / 2
    return float(np.logaddexp.reduce(halves) - np.logaddexp.reduce(-halves))


def _picture(gallery: Gallery, design: int) -> F32:
    """Return the first picture of a design, SIDE_PX a side."""
    face = gallery.faces[int(np.flatnonzero(gallery.face_design == design)[0])]
    return np.asarray(cv2.resize(face, (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_AREA), np.float32)


def _own_mask(reading: CellReading, turn: int) -> Bools:
    """Return a reading's mask of hidden patches with the tile's own north up, SIDE_PX a side."""
    if not reading.hidden.size:
        return np.zeros((SIDE_PX, SIDE_PX), np.bool_)
    mask = np.ascontiguousarray(np.rot90(reading.hidden, turn)).astype(np.uint8)
    return cv2.resize(mask, (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_NEAREST) > 0


def _aligned(picture: F32, target: F32) -> tuple[F32, F32]:
    """Return a picture aligned with another and relit to it, and their differences [SIDE_PX, SIDE_PX]."""
    weight, lit, off = np.ones(target.shape[:2], np.float32), picture, np.zeros(target.shape[:2], np.float32)
    for _ in range(FITS):
        moved = _registered(picture, target, weight)
        gain, base = line_of_light(moved.reshape(-1, 3), target.reshape(-1, 3), weight.reshape(-1))
        lit = moved * gain + base
        apart = cv2.GaussianBlur(lit, (0, 0), 0.8) - cv2.GaussianBlur(target, (0, 0), 0.8)
        off = cv2.GaussianBlur(np.sqrt((apart * apart).sum(axis=2)), (0, 0), 1.5)
        weight = np.asarray(1.0 / (1.0 + (off / (3.0 * np.median(off) + 4.0)) ** 4), np.float32)
    return lit, np.asarray(off, np.float32)


def _registered(picture: F32, target: F32, weight: F32) -> F32:
    """Return a picture moved onto another by an affine map; unchanged if none is found nearby.
    Pixels of little ``weight`` do not count."""
    grey, wanted = (cv2.cvtColor(one, cv2.COLOR_BGR2GRAY) for one in (picture, target))
    stop = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 40, 1e-4)
    counts = (weight > 0.3).astype(np.uint8) * 255
    try:
        start = np.eye(2, 3, dtype=np.float32)
        _, found = cv2.findTransformECC(wanted, grey, start, cv2.MOTION_AFFINE, stop, counts, 5)
    except cv2.error:  # it does not converge where the pictures have little in common
        return picture
    move = np.asarray(found, np.float32)
    if np.abs(move[:, 2]).max() > 0.1 * SIDE_PX or np.abs(move[:, :2] - np.eye(2)).max() > 0.15:
        return picture
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    size = (SIDE_PX, SIDE_PX)
    moved = cv2.warpAffine(picture, move, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved, np.float32)


def _near(parts: Bools) -> F32:
    """Return `Twins.near` of ``parts`` [k, SIDE_PX, SIDE_PX]."""
    differs = np.asarray(parts.any(axis=0), np.uint8)
    near = np.asarray(cv2.GaussianBlur(differs.astype(np.float32), (0, 0), SIDE_PX / 9), np.float32)
    same = cv2.dilate(differs, np.ones((7, 7), np.uint8)) == 0
    return np.asarray((near / near.max() + 0.1) * same, np.float32)


def _relit(seen: F32, twins: Twins, hidden: Bools) -> F32:
    """Return a picture of a tile in the light of the twins' pictures.
    It is measured around their parts, where nothing is ``hidden``."""
    weight = np.asarray(twins.near * (~hidden + 0.01), np.float32)
    print_ = np.asarray((twins.one + twins.other) / 2, np.float32)
    gain, base = line_of_light(print_.reshape(-1, 3), seen.reshape(-1, 3), weight.reshape(-1))
    return np.asarray((seen - base) / gain, np.float32)


def _unlike(relit: F32, twins: Twins, part: Bools) -> tuple[float, float]:
    """Return how unlike a part of a relit picture is to each of two twins, registered under each.
    The mean square differences are in units of the twins' own: 0 and 1 if the part equals the first."""
    ys, xs = np.nonzero(part)
    y0, y1 = max(int(ys.min()) - 2, 0), min(int(ys.max()) + 3, SIDE_PX)
    x0, x1 = max(int(xs.min()) - 2, 0), min(int(xs.max()) + 3, SIDE_PX)
    counts = cv2.dilate(part[y0:y1, x0:x1].astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    usual = float(((twins.one - twins.other)[part] ** 2).sum(axis=1).mean())
    unit = usual * int(part.sum())
    reach = REACH_PX
    around = cv2.copyMakeBorder(relit, reach, reach, reach, reach, cv2.BORDER_REPLICATE)
    window = np.lib.stride_tricks.sliding_window_view(
        around[y0 : y1 + 2 * reach, x0 : x1 + 2 * reach], (y1 - y0, x1 - x0), axis=(0, 1)
    )[..., counts]  # (shifts, shifts, 3, pixels)
    step = np.arange(-reach, reach + 1) ** 2
    moved = PARAMS.twin_move * (step[:, None] + step)
    least = []
    for picture in (twins.one, twins.other):
        wanted = picture[y0:y1, x0:x1][counts].T
        off = np.minimum(((window - wanted) ** 2).sum(axis=2), usual)  # a piece may cover some pixels
        least.append(float((off.sum(axis=2) / unit + moved).min()))
    return least[0], least[1]
