"""Layout of a tile's forests, rivers and lakes, checked against the topology that the pack states.

Grasslands that differ must be parted by wood or water of some width, and one grassland be joined by more than
a crack.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from samples.artwork.geometry import Line, Point
from samples.artwork.taiga.structure import Tile

#: Pixels of a side of a mask.
GRAIN = 200
#: Half the width of a river, in tile sides; fixed where it crosses an edge.
RIVER_HALF = 0.055
#: Growth at which different grasslands stay parted, and shrinkage at which one stays joined, in tile sides.
PARTED, JOINED = 0.02, 0.03
#: Grass that belongs to no feature, a share of the tile: only crumbs in corners between two edges of forest.
CRUMBS = 0.006
#: Clear ground between two rivers and between two lakes, in tile sides.
RIVERS_APART, LAKES_APART = 0.06, 0.06

#: [GRAIN, GRAIN], 255 where something is.
Mask: TypeAlias = NDArray[np.uint8]


@dataclass(frozen=True)
class Layout:
    """Borders of a tile's forests and lakes and courses of its rivers, by feature."""

    tile: Tile
    forests: Mapping[str, Line]
    lakes: Mapping[str, Line]
    rivers: Mapping[str, Line]

    @cached_property
    def woods(self) -> Mask:
        """The mask of all forests: 255 inside."""
        return filled(self.forests.values())

    @cached_property
    def water(self) -> Mask:
        """Lakes and rivers, 255 also where forest lies over them."""
        mask = filled(self.lakes.values())
        for path in self.rivers.values():
            mask |= banked(path)
        return mask

    @cached_property
    def grass(self) -> Mask:
        """The mask of what is neither forest nor water: 255 there."""
        return np.where((self.woods | self.water) > 0, 0, 255).astype(np.uint8)

    @cached_property
    def meadows(self) -> dict[str, Mask]:
        """The mask of each grassland: what of the grass is connected to its first stretch of border."""
        _, labels = cv2.connectedComponents(self.grass, connectivity=4)
        found: dict[str, Mask] = {}
        for name, at in self.tile.anchors:
            if name not in found:
                found[name] = np.where(labels == labels[pixel(at)], 255, 0).astype(np.uint8)
        return found

    def likeness(self, other: "Layout") -> float:
        """The share of the tile that shows the same as another layout's, turned as it is most alike."""
        own, another = (np.maximum(x.woods // 255, x.water // 255 * 2)[::4, ::4] for x in (self, other))
        return max(float((own == np.rot90(another, quarters)).mean()) for quarters in range(4))

    def mask(self, name: str) -> Mask:
        """Mask of a feature, 255 where it is seen."""
        if name in self.forests:
            return filled([self.forests[name]])
        if name in self.lakes:
            return np.where(self.woods > 0, 0, filled([self.lakes[name]])).astype(np.uint8)
        if name in self.rivers:
            hidden = (self.woods | filled(self.lakes.values())) > 0
            return np.where(hidden, 0, banked(self.rivers[name])).astype(np.uint8)
        return self.meadows[name]


def faults(layout: Layout) -> list[str]:
    """Parts of the tile's topology that a layout does not show; empty for a sound one."""
    return [*_grass_faults(layout), *_water_faults(layout)]


def _grass_faults(layout: Layout) -> Iterator[str]:
    tile, meadows = layout.tile, layout.meadows
    _, joined = cv2.connectedComponents(grown(layout.grass, -JOINED), connectivity=4)
    for name, at in tile.anchors:
        if not meadows[name][pixel(at)]:
            yield f"{name} falls apart"
    for name in meadows:
        labels = {int(joined[pixel(_inner(at))]) for other, at in tile.anchors if other == name}
        if len(labels) > 1 or 0 in labels:
            yield f"{name} hangs together by a crack"
    for name, other in combinations(meadows, 2):
        if (grown(meadows[name], PARTED) & meadows[other]).any():
            yield f"{name} and {other} are not parted"
    rest = layout.grass.copy()
    for mask in meadows.values():
        rest[mask > 0] = 0
    if np.count_nonzero(rest) > CRUMBS * GRAIN**2:
        yield "grass that is no feature"


def _water_faults(layout: Layout) -> Iterator[str]:
    tile = layout.tile
    for name, path in layout.rivers.items():
        # The last part may lie in a lake or under the trees in which the river ends.
        seen = path if len(tile.edges_of(name)) == 2 else path[: -max(1, round(0.3 * len(path)))]
        if any(layout.woods[pixel(point)] for point in seen):
            yield f"{name} runs under trees"
    hidden = layout.woods | filled(layout.lakes.values())
    for (name, path), (other, another) in combinations(layout.rivers.items(), 2):
        if tile.lake_of(name) and tile.lake_of(name) == tile.lake_of(other):
            continue
        wide, narrow = banked(path, RIVER_HALF + RIVERS_APART), banked(another, RIVER_HALF)
        if (wide & narrow & ~hidden).any():
            yield f"{name} and {other} meet"
    for (name, line), (other, one) in combinations(layout.lakes.items(), 2):
        if (grown(filled([line]), LAKES_APART) & filled([one])).any():
            yield f"{name} and {other} meet"


def _inner(at: Point) -> Point:
    """An anchor moved inwards, clear of the narrow grass at an edge."""
    return (min(0.955, max(0.045, at[0])), min(0.955, max(0.045, at[1])))


def filled(lines: Iterable[Line]) -> Mask:
    """The inside of closed lines as a mask."""
    mask = np.zeros((GRAIN, GRAIN), np.uint8)
    for line in lines:
        cv2.fillPoly(mask, [_fixed(line)], 255, shift=4)
    return mask


def banked(path: Line, half: float = RIVER_HALF) -> Mask:
    """A course as wide as a river, as a mask."""
    mask = np.zeros((GRAIN, GRAIN), np.uint8)
    cv2.polylines(mask, [_fixed(path)], False, 255, round(2 * half * GRAIN), shift=4)
    return mask


def _fixed(line: Line) -> NDArray[np.int32]:
    """Pixels as fixed-point numbers of 4 bits for OpenCV, whose pixel centres are whole numbers."""
    return np.round((np.asarray(line) * GRAIN - 0.5) * 16).astype(np.int32)


def pixel(at: Point) -> tuple[int, int]:
    """Row and column of a mask's pixel at a point (tile sides)."""
    return (min(int(at[1] * GRAIN), GRAIN - 1), min(int(at[0] * GRAIN), GRAIN - 1))


def room(mask: Mask, *, rim: bool = True) -> NDArray[np.float32]:
    """Distance of each pixel from a mask's border, in tile sides; the tile's rim is a border if `rim`."""
    framed = np.pad(mask, 1, mode="constant" if rim else "edge")
    return np.asarray(cv2.distanceTransform(framed, cv2.DIST_L2, 5)[1:-1, 1:-1] / GRAIN, np.float32)


def grown(mask: Mask, by: float) -> Mask:
    """A mask dilated by a distance (tile sides), or eroded by one below 0."""
    side = 2 * round(abs(by) * GRAIN) + 1
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))
    if by > 0:
        return np.asarray(cv2.dilate(mask, kernel), np.uint8)
    return np.asarray(cv2.erode(mask, kernel, borderValue=255), np.uint8)
