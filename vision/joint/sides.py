"""Sides: reads the kind of land on a tile's sides from the sides of known tiles of the same picture.

An edition prints some designs in two or three drawings, and a gallery often has only one of them. Land looks
alike on all tiles of an edition, so the four sides of such a tile tell its design and rotation, or leave few.
Known tiles of the same picture have the same light, so nothing is assumed about colours.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from engine.pack import Pack
from vision.joint.edge_kinds import edge_kinds
from vision.observation import Sight
from vision.tiles.board_reader import Readings, is_certain
from vision.tiles.params import PARAMS

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
Masks: TypeAlias = Mapping[Cell, NDArray[np.bool_]]

CROP_PX = 48
"""Side, in pixels, of the crops from which sides are read."""
BINS = 12
"""Number of colours along a side."""
BANDS = ((1, 4), (3, 6), (5, 8))
"""Bands inside of a side, in pixels of the crop; the inner ones are for tiles with rough corners."""
NEAREST = 3
"""Number of known sides of a kind that a side is compared with: the nearest ones."""
FEWEST = 10
"""Number of known tiles from which sides can be read."""


@dataclass(frozen=True, slots=True, eq=False)
class SidesRead:
    """Readings of the sides of n tiles.

    ``nats`` [n, 4, kinds] is the log-likelihood ratio of each side, given a kind of land, to any kind.
    ``unlike`` [n, 4] is each side's distance from the nearest known ones: about 0.2 for print.
    """

    nats: F64
    unlike: F64


class SideReader:
    """Reads the sides of tiles whose face is doubtful; ``designs`` are the rows of their readings."""

    def __init__(self, designs: tuple[str, ...], pack: Pack) -> None:
        self._kinds, _ = edge_kinds(designs, pack, seams=False)
        self._last: tuple[Readings, Collection[Cell], Readings] = {}, (), {}

    def read(
        self,
        sight: Sight,
        cells: Readings,
        doubtful: Collection[Cell],
        covered: Masks,
    ) -> Readings:
        """Return the readings, those of ``doubtful`` cells with ``sides``.

        ``covered`` are masks of the parts of tiles that pieces cover; a covered side tells nothing.
        Their ``log_tile`` is lowered if three sides or more look like no side of a known tile: paper or table
        between tiles. The same object is returned if fewer than `FEWEST` other tiles are known for sure, and
        for the same arguments as in the last call. Tiles that the picture cuts off are left out.
        """
        before, asked_before, told_before = self._last
        if cells is not before or doubtful != asked_before:
            told_before = self._read(sight, cells, doubtful, covered)
            self._last = cells, doubtful, told_before
        return told_before

    def _read(self, sight: Sight, cells: Readings, doubtful: Collection[Cell], covered: Masks) -> Readings:
        """Do what `read` does, without its cache."""
        sure = [c for c, one in cells.items() if c not in doubtful and is_certain(one)]
        asked = [c for c, one in cells.items() if c in doubtful and _is_inside(one.corners_px, sight)]
        if len(sure) < FEWEST or not asked:
            return cells
        strips = strips_of(sight, np.array([cells[cell].corners_px for cell in (*sure, *asked)]))
        kinds = np.concatenate([self._kinds[int(cells[cell].log_probs.argmax())] for cell in sure])
        known = strips[0, : len(sure)].reshape(-1, BINS, 3)
        told = read_sides(strips[:, len(sure) :], known, kinds, int(self._kinds.max()) + 1)
        for k, cell in enumerate(asked):
            if cell in covered:
                told.nats[k, _covered_sides(covered[cell])] = 0.0
        strange = np.sort(told.unlike, axis=1)[:, 1] > PARAMS.side_bare
        fresh = {
            cell: replace(
                cells[cell],
                sides=told.nats[k].astype(np.float32),
                log_tile=cells[cell].log_tile - PARAMS.side_bare_nats * bool(strange[k]),
            )
            for k, cell in enumerate(asked)
        }
        return {**cells, **fresh}


def _is_inside(quad: NDArray[np.floating], sight: Sight) -> bool:
    """Whether a picture shows all of a quad (4, 2) px."""
    return bool((quad >= 0).all() and (quad <= sight.size_wh).all())


def _covered_sides(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return whether a piece covers a part of the sides n e s w (4,); ``mask`` is that of a tile."""
    return np.array([np.rot90(mask, side)[0].any() for side in range(4)])


def strips_of(sight: Sight, quads: NDArray[np.floating]) -> F32:
    """Return the colours along the sides of tiles at ``quads`` [n, 4, 2], as `strips_of_crops`."""
    return strips_of_crops(sight.crops(quads, CROP_PX))


def strips_of_crops(crops: NDArray[np.uint8]) -> F32:
    """Return the colours [bands, n, 4, BINS, 3] along the sides n e s w of tiles, in CIELAB.
    ``crops`` [n, CROP_PX, CROP_PX, 3] are BGR, uint8; each side is read clockwise."""
    scaled = crops.astype(np.float32) / 255
    lab = cv2.cvtColor(scaled.reshape(-1, CROP_PX, 3), cv2.COLOR_BGR2LAB).reshape(crops.shape)
    turned = [np.rot90(lab, side, axes=(1, 2)) for side in range(4)]
    along = [
        [one[:, low:high].mean(axis=1).reshape(len(lab), BINS, -1, 3).mean(axis=2) for one in turned]
        for low, high in BANDS
    ]
    return np.asarray(along, np.float32).swapaxes(1, 2)


def read_sides(
    asked: F32,
    known: F32,
    kinds: NDArray[np.int64],
    n_kinds: int,
    own: NDArray[np.bool_] | None = None,
) -> SidesRead:
    """Read sides ``asked`` [bands, n, 4, BINS, 3] from ``known`` sides [m, BINS, 3] of ``kinds`` [m].
    Those in the mask ``own`` [n, m] are a tile's own, with which it is not compared.

    A side unlike all known ones may be cut outside of the tile: it is read in the inner bands, too. Colours
    are normalised by the known sides' mean and spread; a kind's likelihood is a kernel density at its nearest
    known sides, mirrored and shifted by a bin.
    """
    mean, spread = known.mean(axis=(0, 1)), known.std(axis=(0, 1)) + 1e-6
    weight = np.array([PARAMS.side_lightness, 1.0, 1.0]) / spread
    both = np.concatenate([known, known[:, ::-1]])
    moved = np.concatenate([both[:, np.clip(np.arange(BINS) + step, 0, BINS - 1)] for step in (-1, 0, 1)])
    of_kind = np.tile(kinds, len(moved) // len(known))
    apart = _apart((asked.reshape(-1, BINS, 3) - mean) * weight, (moved - mean) * weight)
    if own is not None:
        sides_own = np.tile(np.repeat(own, 4, axis=0), (len(asked), len(moved) // len(known)))
        apart[sides_own] = np.inf
    nearest = [_nearest(apart[:, of_kind == kind]) for kind in range(n_kinds)]
    by_band = np.stack(nearest, axis=-1).reshape(len(asked), -1, n_kinds)
    unlike = by_band.min(axis=-1)
    band = np.where(unlike[0] <= PARAMS.side_strange, 0, unlike.argmin(axis=0))
    sides = np.arange(len(band))
    share = np.bincount(kinds, minlength=n_kinds) / len(kinds)
    logs = np.logaddexp(-by_band[band, sides] / PARAMS.side_spread, -PARAMS.side_far / PARAMS.side_spread)
    posterior = np.exp(logs - logs.max(axis=1, keepdims=True)) * share
    posterior /= posterior.sum(axis=1, keepdims=True)
    nats = np.full(posterior.shape, np.log(PARAMS.side_floor))
    there = share > 0
    nats[:, there] = np.log((1 - PARAMS.side_floor) * posterior[:, there] / share[there] + PARAMS.side_floor)
    return SidesRead(nats.reshape(-1, 4, n_kinds), unlike[band, sides].reshape(-1, 4))


def _apart(sides: F64, references: F64) -> F64:
    """Return the mean square differences [n, m] of sides [n, BINS, 3] from references [m, BINS, 3]."""
    one, other = sides.reshape(len(sides), -1), references.reshape(len(references), -1)
    apart = (one * one).sum(axis=1)[:, None] + (other * other).sum(axis=1) - 2.0 * one @ other.T
    return np.asarray(np.maximum(apart, 0.0) / BINS, np.float64)


def _nearest(apart: F64) -> F64:
    """Return the mean [n] of the NEAREST smallest of each row [n, m]; large if there are none."""
    if not apart.shape[1]:
        return np.full(len(apart), np.inf)
    count = min(NEAREST, apart.shape[1])
    return np.asarray(np.partition(apart, count - 1, axis=1)[:, :count].mean(axis=1), np.float64)
