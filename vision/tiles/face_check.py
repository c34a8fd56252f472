"""Face check: verifies the faces of tiles after the pieces are known.

A piece may cover the only difference between two faces, or look like it. So near-identical faces are compared
again by their uncovered parts, and all likely faces by the colours of blocks. Descriptors discriminate print,
but say little about plain areas: a face with a matching city may win although it has a second city where the
photograph shows plain grass. The colours are compared under the light measured on sure tiles; a Student
distribution limits the effect of blocks that pieces cover.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from models import OnnxModel
from vision.observation import CellReading, Sight
from vision.probability import log_sum_exp, sigmoid
from vision.tiles.board_reader import Readings, same_readings
from vision.tiles.face_classifier import read_by_copies, read_uncovered
from vision.tiles.gallery import Gallery
from vision.tiles.matching import DIFFERS_SPREAD
from vision.tiles.params import PARAMS
from vision.tiles.reprojection import Light, line_of_light
from vision.tiles.twins import told_apart

Masks: TypeAlias = Mapping[Cell, NDArray[np.bool_]]
F32 = NDArray[np.float32]
F64 = NDArray[np.float64]

BLOCKS = 12
"""Number of blocks per side of a tile, equal to that of the descriptors' patches."""
BLOCK_PX = 4
"""Pixels per side of a block in the crop."""
MOST_CHECKED = 5
"""Maximum number of faces per tile whose colours are compared."""
MOST_MEASURED = 24
"""Maximum number of sure tiles that measure the usual difference of blocks."""
LEAST_LEVELS = 3.0
"""Minimum usual difference of blocks in grey levels: noise and JPEG artefacts."""
DARKEST_SUM = 6.0
"""Minimum of a block's grey levels, summed over colours, in brightness ratios."""
TAILS = 2.0
"""Degrees of freedom of the Student distribution of a block's difference."""
BRIGHTER = (0.4, 2.5)
"""Range of a tile's brightness relative to the board."""


class FaceCheck:
    """Checks one table's tiles frame by frame; unchanged readings are not checked again."""

    def __init__(self, gallery: Gallery, descriptor: OnnxModel) -> None:
        self._gallery = gallery
        self._descriptor = descriptor
        self._last: tuple[Readings, Masks, Readings] = {}, {}, {}

    def checked(self, sight: Sight, readings: Readings, covered: Masks) -> Readings:
        """Return the readings with updated ``log_probs``.
        ``covered`` are masks (BLOCKS, BLOCKS) of the parts of tiles that pieces cover."""
        before, masks, checked = self._last
        if not (same_readings(readings, before) and _equal(covered, masks)):
            rivals = {c: m for c, m in covered.items() if c in readings and _has_rival(readings[c])}
            quads = [readings[cell].corners_px for cell in rivals]
            crops = sight.crops(quads, int(self._descriptor.meta["crop_px"]))
            apart = read_uncovered(crops, readings, rivals, self._gallery, self._descriptor)
            checked = checked_by_color(sight, {**readings, **apart}, covered, self._gallery)
            checked = told_apart(sight, checked, covered, self._gallery)
            checked |= read_by_copies(sight, checked, self._gallery, self._descriptor)
            self._last = readings, covered, checked
        return checked


def _has_rival(reading: CellReading) -> bool:
    """Whether a tile has a second face of similar probability, so that a covered detail may decide."""
    second, best = np.sort(reading.log_probs, axis=None)[-2:]
    return reading.log_tile > 0 and float(best - second) < PARAMS.color_checked_nats


def _equal(masks: Masks, others: Masks) -> bool:
    """Whether two mappings have equal masks for the same cells."""
    return masks.keys() == others.keys() and all((m == others[cell]).all() for cell, m in masks.items())


def checked_by_color(
    sight: Sight,
    readings: Mapping[Cell, CellReading],
    covered: Mapping[Cell, NDArray[np.bool_]],
    gallery: Gallery,
) -> dict[Cell, CellReading]:
    """Return the readings with ``log_probs`` updated by the colours of blocks.
    ``covered`` are masks (BLOCKS, BLOCKS) of the parts of tiles that pieces cover. Without a sure tile the
    light is unknown, and nothing changes."""
    tiles = [cell for cell, reading in readings.items() if reading.log_tile > 0]
    if not tiles:
        return dict(readings)
    quads = np.array([readings[cell].corners_px for cell in tiles], np.float32)
    seen = block_colors(sight.crops(quads, BLOCKS * BLOCK_PX))
    log_probs = np.stack([readings[cell].log_probs for cell in tiles]).astype(np.float64)
    known = np.array([readings[cell].print_known for cell in tiles])
    bare = np.zeros((BLOCKS, BLOCKS), np.bool_)
    visible = ~np.stack([covered.get(cell, bare) for cell in tiles])
    weighed = weigh_by_color(seen, visible, log_probs, known, gallery)
    fresh = {
        cell: replace(readings[cell], log_probs=weighed[k].astype(np.float32)) for k, cell in enumerate(tiles)
    }
    return dict(readings) | fresh


def weigh_by_color(
    seen: F32, visible: NDArray[np.bool_], log_probs: F64, known: F64, gallery: Gallery
) -> F64:
    """Return ``log_probs`` (n, designs, 4) updated by the blocks' colours.
    ``seen`` (n, BLOCKS, BLOCKS, 3) are the colours, ``visible`` (n, BLOCKS, BLOCKS) masks of the blocks that
    count, ``known`` (n,) the probabilities that each tile's print is known. Unchanged if no print is known
    for sure."""
    faces = _face_blocks(gallery)
    best = log_probs.reshape(len(seen), -1).argmax(axis=1)
    first = np.unique(gallery.face_design, return_index=True)[1]
    sure = np.flatnonzero(known >= PARAMS.believed_face)
    if not len(sure):
        return log_probs
    own = faces[first[best[sure] // 4], best[sure] % 4]
    light = line_of_light(own.reshape(-1, 3), seen[sure].reshape(-1, 3), np.ones(own.size // 3, np.float32))
    some = sure[:MOST_MEASURED]
    usual = _off(seen[some], _lit(seen[some], own[: len(some)], light))
    scale2 = PARAMS.color_spread**2 * max(float(np.median(usual)), LEAST_LEVELS**2)
    out = log_probs.copy()
    tiles, designs, turns = _likeliest(log_probs)
    if not len(tiles):
        return out
    lit, off = _best_pictures(seen[tiles], designs, turns, faces, gallery, light)
    leads = np.searchsorted(tiles, tiles)  # index of each tile's likeliest face, which comes first
    nats = _between(lit, off, leads, visible[tiles], scale2)
    for tile in np.unique(tiles):
        mine = tiles == tile
        before = out[tile, designs[mine], turns[mine]]
        told = before + nats[mine]
        out[tile, designs[mine], turns[mine]] = told - log_sum_exp(told) + log_sum_exp(before)
    return out


def _likeliest(log_probs: F64) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Return tile, design and rotation indices (m,) of the faces to compare, by tile, likeliest first.
    Tiles with only one likely face are left out."""
    flat = log_probs.reshape(len(log_probs), -1)
    order = np.argsort(-flat, axis=1)[:, :MOST_CHECKED]
    near = (
        np.take_along_axis(flat, order, axis=1) > flat.max(axis=1, keepdims=True) - PARAMS.color_checked_nats
    )
    near &= near.sum(axis=1, keepdims=True) > 1
    tiles, _ = np.nonzero(near)
    designs, turns = np.divmod(order[near], 4)
    return tiles, designs, turns


def _best_pictures(
    blocks: F32,
    designs: NDArray[np.intp],
    turns: NDArray[np.intp],
    faces: F32,
    gallery: Gallery,
    light: Light,
) -> tuple[F32, F32]:
    """Return for each row the most similar picture of its design, relit (n, BLOCKS, BLOCKS, 3).
    With it the mean square differences (n, BLOCKS, BLOCKS) from ``blocks``, in grey levels squared.
    ``designs`` and ``turns`` (n,) name the face of each row, ``faces`` are the block colours of all pictures
    at each rotation (`_face_blocks`)."""
    shown = [np.flatnonzero(gallery.face_design == design) for design in designs]
    row = np.repeat(np.arange(len(shown)), [len(pictures) for pictures in shown])
    lit = _lit(blocks[row], faces[np.concatenate(shown), turns[row]], light)
    off = _off(blocks[row], lit)
    unlike = np.sqrt(off).sum(axis=(1, 2))
    order = np.lexsort((unlike, row))
    best = order[np.searchsorted(row[order], np.arange(len(shown)))]
    return lit[best], off[best]


def _lit(blocks: F32, faces: F32, light: Light) -> F32:
    """Return faces (n, BLOCKS, BLOCKS, 3) relit by ``light``, each as bright as its tile's ``blocks``."""
    lit = faces * light[0] + light[1]
    ratio = np.median(blocks.sum(axis=3) / np.maximum(lit.sum(axis=3), DARKEST_SUM), axis=(1, 2))
    return np.asarray(lit * np.clip(ratio, *BRIGHTER)[:, None, None, None], np.float32)


def _off(blocks: F32, others: F32) -> F32:
    """Return the mean square difference (n, BLOCKS, BLOCKS) between blocks and others.
    It is the minimum over shifts by up to one block."""
    around = np.pad(others, ((0, 0), (1, 1), (1, 1), (0, 0)), mode="edge")
    least = np.full(blocks.shape[:3], np.inf, np.float32)
    for dy in range(3):
        for dx in range(3):
            apart = blocks - around[:, dy : dy + BLOCKS, dx : dx + BLOCKS]
            np.minimum(least, np.einsum("nyxc,nyxc->nyx", apart, apart), out=least)
    return np.asarray(least / 3.0, np.float32)


def _between(lit: F32, off: F32, leads: NDArray[np.intp], visible: NDArray[np.bool_], scale2: float) -> F64:
    """Return log-odds (n,) of faces against those at the rows ``leads`` (n,), by blocks in which they differ.
    ``lit`` and ``off`` are those of `_best_pictures`; only ``visible`` blocks count. ``scale2`` is the usual
    mean square difference of a block from its own face."""
    cost = np.log1p(off / scale2 / TAILS)
    apart = np.sqrt(np.maximum(_off(lit[leads], lit), _off(lit, lit[leads])) / scale2)
    bound = PARAMS.color_differs + 2.0 * np.median(apart, axis=(1, 2))
    telling = visible * sigmoid((apart / bound[:, None, None] - 1.0) / DIFFERS_SPREAD)
    odds = PARAMS.color_nats * (telling * (cost[leads] - cost)).sum(axis=(1, 2))
    return np.asarray(odds / (1.0 + telling.sum(axis=(1, 2)) / PARAMS.color_correlated), np.float64)


@lru_cache(maxsize=4)
def _face_blocks(gallery: Gallery) -> F32:
    """Return block colours (faces, 4, BLOCKS, BLOCKS, 3) of a gallery's faces, cached.
    The second axis is the clockwise rotation by 0 to 3 quarters."""
    upright = block_colors(gallery.faces)
    return np.stack([np.rot90(upright, -turn, axes=(1, 2)) for turn in range(4)], axis=1)


def block_colors(pictures: NDArray[np.uint8]) -> F32:
    """Return the mean colours (n, BLOCKS, BLOCKS, 3) of the blocks of pictures (n, s, s, 3)."""
    size = (BLOCKS, BLOCKS)
    small = [cv2.resize(picture, size, interpolation=cv2.INTER_AREA) for picture in pictures]
    return np.stack(small).astype(np.float32)
