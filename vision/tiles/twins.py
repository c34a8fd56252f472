"""Twins: faces of a gallery that differ in a small part only, such as a coat of arms.

A descriptor of a whole tile mixes that part with everything around it. Here the part decides alone: the two
pictures are aligned with each other, the tile's picture is relit by the light of the whole board, and either
picture is registered to the part. A covered part fits neither better, which leaves the tile open. Editions
print a design in several drawings, so parts may differ that say nothing of the design: parts that contradict
each other leave the tile open, too. A face that nearly equals itself turned is its own twin.
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
from vision.tiles.reprojection import Light, line_of_light

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
LEAST_UNLIKE = 0.2
"""Usual difference of a part from its own print, as a share of the difference between the twins."""
REACH_PX = 6
"""Maximum shift of a part in its registration, in pixels of the compared pictures."""
RIM_PX = 5
"""Size of the dilation of a part, in pixels of the compared pictures: its outline counts."""
MOST_LIT = 24
"""Maximum number of tiles by which the board's light is measured."""
LIT_PX = 24
"""Side, in pixels, of their pictures."""
DARKEST_SUM = 30.0
"""Minimum of a pixel's grey levels, summed over colours, in brightness ratios."""
BRIGHTER = (0.5, 2.0)
"""Range of a tile's brightness relative to the board."""
INSIDE = np.pad(np.ones((SIDE_PX - 6, SIDE_PX - 6), np.bool_), 3)
"""Mask of the compared pictures without their rim, where a neighbour or the table may show."""
FITS = 3
"""Number of rounds in which two pictures are aligned and relit, each with less weight on what differs."""


@dataclass(frozen=True, slots=True, eq=False)
class Twins:
    """Two pictures [SIDE_PX, SIDE_PX, 3] that differ in ``parts`` [k, SIDE_PX, SIDE_PX]; ``other`` is turned
    and relit to match ``one``."""

    one: F32
    other: F32
    parts: Bools


@lru_cache(maxsize=512)
def twins_of(gallery: Gallery, one: int, other: int, turn: int) -> Twins | None:
    """Return the pictures of two designs as twins; None if they differ in too much or in nothing.

    ``one`` and ``other`` are their indices; ``other`` lies turned clockwise by ``turn`` quarters.
    """
    ours, theirs = (_picture(gallery, design) for design in (one, other))
    theirs, turned = np.ascontiguousarray(np.rot90(theirs, -turn)), one == other
    theirs = theirs if turned else _aligned(theirs, ours)
    apart = _apart(theirs, ours)
    usual = float(np.median(apart))
    times = PARAMS.twin_turned if turned else PARAMS.twin_differs
    differs = apart > max(times * usual, PARAMS.twin_levels)
    inner = differs & INSIDE
    count, labels, stats, _ = cv2.connectedComponentsWithStats(inner.astype(np.uint8))
    large = [k for k in range(1, count) if stats[k, cv2.CC_STAT_AREA] >= SMALLEST * inner.size]
    unlike = inner.mean() > LARGEST or usual > PARAMS.twin_levels
    if not large or (unlike and not turned):
        return None
    return Twins(ours, theirs, np.stack([labels == k for k in large]))


def told_apart(
    sight: Sight, readings: Mapping[Cell, CellReading], covered: Mapping[Cell, Bools], gallery: Gallery
) -> dict[Cell, CellReading]:
    """Return the readings; between twins the parts decide in which they differ.

    ``covered`` are masks of the parts of tiles that pieces cover. Without a known print the light is unknown,
    and nothing changes.
    """
    doubts = {cell: doubt for cell, one in readings.items() if (doubt := _doubt(one, gallery)) is not None}
    light = _light(sight, readings, gallery) if doubts else None
    told = dict(readings)
    if light is None:
        return told
    for cell, (first, second, twins) in doubts.items():
        reading, turn = readings[cell], first % 4
        seen = sight.crops(np.roll(reading.corners_px, -turn, axis=0)[None], SIDE_PX)[0].astype(np.float32)
        nats = part_nats(seen, twins, _own_mask(covered.get(cell), turn), light)
        logs = reading.log_probs.reshape(-1).astype(np.float64)
        nats += PARAMS.twin_told * float(logs[first] - logs[second])
        share = np.clip(sigmoid(np.array([nats, -nats])), LEAST, 1.0)
        logs[[first, second]] = np.log(np.exp(logs[[first, second]]).sum() * share)
        told[cell] = replace(reading, log_probs=logs.reshape(reading.log_probs.shape).astype(np.float32))
    return told


def _doubt(reading: CellReading, gallery: Gallery) -> tuple[int, int, Twins] | None:
    """Return a tile's two likeliest faces, as indices into its ``log_probs``, and their pictures.
    None if they are no twins, or if one of them or a third face is nearly certain."""
    second, first = (int(face) for face in np.argsort(reading.log_probs, axis=None)[-2:])
    p_first, p_second = np.exp(reading.log_probs.reshape(-1)[[first, second]])
    if reading.log_tile <= 0 or p_first + p_second < BETWEEN or p_second < LEAST:
        return None
    twins = twins_of(gallery, first // 4, second // 4, (second - first) % 4)
    return None if twins is None else (first, second, twins)


def _light(sight: Sight, readings: Mapping[Cell, CellReading], gallery: Gallery) -> Light | None:
    """Measure the light in which known faces appear as the board's tiles; None without a known print."""
    known = [r for r in readings.values() if r.log_tile > 0 and r.print_known >= PARAMS.believed_face]
    if not known:
        return None
    seen = sight.crops(np.stack([r.corners_px for r in known[:MOST_LIT]]), LIT_PX)
    prints = []
    for reading in known[:MOST_LIT]:
        design, turn = divmod(int(reading.log_probs.argmax()), 4)
        print_ = cv2.resize(_picture(gallery, design), (LIT_PX, LIT_PX), interpolation=cv2.INTER_AREA)
        prints.append(np.asarray(np.rot90(print_, -turn), np.float32))
    pixels = seen.reshape(-1, 3).astype(np.float32)
    return line_of_light(np.concatenate(prints).reshape(-1, 3), pixels, np.ones(len(pixels), np.float32))


def part_nats(seen: F32, twins: Twins, covered: Bools, light: Light) -> float:
    """Return the log-odds that a picture ``seen`` [SIDE_PX, SIDE_PX, 3] is the first of two twins.

    ``covered`` [SIDE_PX, SIDE_PX] masks what pieces cover, ``light`` is that of the board. One part tells the
    design, each with the same probability. The others belong to another drawing and tell nothing.
    """
    relit = _relit(seen, twins, light)
    unlike = np.array([_unlike(relit, twins, part, covered) for part in twins.parts]) + LEAST_UNLIKE
    # Student's likelihood: the variance of the picture's differences from a print is unknown.
    nats = PARAMS.twin_nats * np.log(unlike[:, 1] / unlike[:, 0])
    halves = np.clip(nats, -PARAMS.twin_most_nats, PARAMS.twin_most_nats) / 2
    return float(np.logaddexp.reduce(halves) - np.logaddexp.reduce(-halves))


def _picture(gallery: Gallery, design: int) -> F32:
    """Return the first picture of a design, SIDE_PX a side."""
    face = gallery.faces[int(np.flatnonzero(gallery.face_design == design)[0])]
    return np.asarray(cv2.resize(face, (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_AREA), np.float32)


def _own_mask(mask: Bools | None, turn: int) -> Bools:
    """Return a mask of a tile's patches with its own north up, SIDE_PX a side; none are in it if it is
    None."""
    if mask is None:
        return np.zeros((SIDE_PX, SIDE_PX), np.bool_)
    own = np.ascontiguousarray(np.rot90(mask, turn)).astype(np.uint8)
    return cv2.resize(own, (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_NEAREST) > 0


def _aligned(picture: F32, target: F32) -> F32:
    """Return a picture aligned with another and relit to it."""
    weight, lit = np.ones(target.shape[:2], np.float32), picture
    for _ in range(FITS):
        moved = _registered(picture, target, weight)
        gain, base = line_of_light(moved.reshape(-1, 3), target.reshape(-1, 3), weight.reshape(-1))
        lit = moved * gain + base
        off = _apart(lit, target)
        weight = np.asarray(1.0 / (1.0 + (off / (3.0 * np.median(off) + 4.0)) ** 4), np.float32)
    return lit


def _apart(picture: F32, other: F32) -> F32:
    """Return the differences [SIDE_PX, SIDE_PX] of two pictures, blurred a little."""
    apart = cv2.GaussianBlur(picture, (0, 0), 0.8) - cv2.GaussianBlur(other, (0, 0), 0.8)
    return np.asarray(cv2.GaussianBlur(np.sqrt((apart * apart).sum(axis=2)), (0, 0), 1.5), np.float32)


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


def _relit(seen: F32, twins: Twins, light: Light) -> F32:
    """Return a picture of a tile in the light of the twins' pictures, by that of the board and by its own
    brightness."""
    gain, base = light
    relit, print_ = (seen - base) / gain, (twins.one + twins.other) / 2
    ratio = float(np.median(print_.sum(axis=2) / np.maximum(relit.sum(axis=2), DARKEST_SUM)))
    return np.asarray(relit * np.clip(ratio, *BRIGHTER), np.float32)


def _unlike(relit: F32, twins: Twins, part: Bools, covered: Bools) -> tuple[float, float]:
    """Return how unlike a relit picture is to each of two twins in and around a part of them.

    Each twin's print is shifted to where it fits best; ``covered`` pixels do not count. The mean square
    differences are in units of the twins' own: 0 and 1 if the part equals the first.
    """
    around = INSIDE & (cv2.dilate(part.astype(np.uint8), np.ones((RIM_PX, RIM_PX), np.uint8)) > 0)
    ys, xs = np.nonzero(around)
    rows, columns = slice(ys.min(), ys.max() + 1), slice(xs.min(), xs.max() + 1)
    counts = (around & ~covered)[rows, columns]
    seen = relit[rows, columns][counts].T
    usual = float(((twins.one - twins.other)[part] ** 2).sum(axis=1).mean())
    reach = REACH_PX
    step = np.arange(-reach, reach + 1) ** 2
    moved = PARAMS.twin_move * (step[:, None] + step)
    least = []
    for picture in (twins.one, twins.other):
        wide = cv2.copyMakeBorder(picture, reach, reach, reach, reach, cv2.BORDER_REPLICATE)
        window = np.lib.stride_tricks.sliding_window_view(
            wide[rows.start : rows.stop + 2 * reach, columns.start : columns.stop + 2 * reach],
            counts.shape,
            axis=(0, 1),
        )[..., counts]  # (shifts, shifts, 3, pixels)
        off = np.minimum(((window - seen) ** 2).sum(axis=2), usual)  # a piece may cover some pixels
        least.append(float((off.sum(axis=2) / (usual * int(part.sum())) + moved).min()))
    return least[0], least[1]
