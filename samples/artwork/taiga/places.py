"""Places on a tile for pieces, animals, fish, menhirs, mushrooms and powers, apart from each other.

Seeded search on the masks of a layout: each thing goes where there is room between the borders of its feature
and what stands already; the best of many rounds is kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from samples.artwork.geometry import Point
from samples.artwork.taiga.layouts import GRAIN, Layout, filled, room
from samples.artwork.taiga.search import sound_layouts
from samples.artwork.taiga.structure import Tile, all_tiles

#: Radii of things around their places, in tile sides: a meeple, a hut, a fish, a menhir, mushrooms.
FOOT, HUT, FISH, MENHIR, MUSHROOMS = 0.062, 0.075, 0.064, 0.085, 0.112
#: Radii of badges in tile sides, the largest first; the first that has room is taken.
BADGES = (0.155, 0.145, 0.135, 0.125, 0.115, 0.108)
#: Minimum distance between the spots of two features, in tile sides.
SPOTS_APART = 0.17
ROUNDS = 40
#: Number of layouts of a tile that are tried until everything has room.
CHOICES = 16
#: Room in tile sides beyond which none is looked for: places shall differ from tile to tile.
ENOUGH = 0.02


@dataclass(frozen=True)
class Places:
    """Places of a tile by feature; `radius` is that of the tile's badges, powers included."""

    radius: float
    spots: dict[str, Point] = field(default_factory=dict)
    huts: dict[str, Point] = field(default_factory=dict)
    animals: dict[str, list[Point]] = field(default_factory=dict)
    fish: dict[str, list[Point]] = field(default_factory=dict)
    menhirs: dict[str, Point] = field(default_factory=dict)
    mushrooms: dict[str, list[Point]] = field(default_factory=dict)
    powers: dict[str, Point] = field(default_factory=dict)


#: Kind and place of a thing that is printed large.
Shown: TypeAlias = tuple[str, Point]


@dataclass(frozen=True)
class _Thing:
    what: str
    feature: str
    reach: float
    #: Points [n, 2] where it may stand and how much room is there less what it needs, [n].
    points: NDArray[np.float64]
    spare: NDArray[np.float64]


@lru_cache(maxsize=1)
def settled() -> dict[str, tuple[Layout, Places]]:
    """The layout and the places of every tile by id, always the same; look-alikes differ in shape."""
    found: dict[str, tuple[Layout, Places]] = {}
    for tile in all_tiles():
        alike = [pair for pair in found.values() if pair[0].tile.pattern == tile.pattern]
        found[tile.id] = settle(tile, alike)
    return found


def settle(tile: Tile, others: Sequence[tuple[Layout, Places]] = ()) -> tuple[Layout, Places]:
    """A layout unlike the `others` whose things all find a place, with large badges if any; else the best."""
    layouts = sound_layouts(tile)[:CHOICES]
    if others:
        layouts.sort(key=lambda layout: max(layout.likeness(other) for other, _ in others))
    best: tuple[float, Layout, Places] | None = None
    seen = [thing for _, places in others for thing in _shown(places)]
    for layout in layouts:
        slack, places = _largest(layout, seen)
        value = min(slack, 0.0) * 4 + places.radius
        if best is None or value > best[0]:
            best = (value, layout, places)
        if slack >= 0 and (places.radius >= BADGES[3] or not _has_badges(layout)):
            break
    assert best is not None
    return best[1], best[2]


def _shown(places: Places) -> list[Shown]:
    """Things of a tile that are printed large: kind and place."""
    found: list[Shown] = [("animal", at) for several in places.animals.values() for at in several]
    found += [("mushrooms", at) for several in places.mushrooms.values() for at in several]
    found += [("menhir", at) for at in places.menhirs.values()]
    return found + [("power", at) for at in places.powers.values()]


def _largest(layout: Layout, seen: Sequence[Shown] = ()) -> tuple[float, Places]:
    """Places with the largest badges for which there is room, or the roomiest: (least slack, places)."""
    best: tuple[float, Places] | None = None
    for radius in BADGES:
        slack, places = _searched(layout, radius, seen)
        if best is None or slack > best[0]:
            best = (slack, places)
        if slack >= 0 or not _has_badges(layout):
            break
    assert best is not None
    return best


def _has_badges(layout: Layout) -> bool:
    return any(layout.tile.animals(name) or layout.tile.power(name) for name in layout.tile.features)


def _things(layout: Layout, radius: float) -> list[_Thing]:
    """Everything that wants a place, the largest first and the spots of pieces last."""
    tile = layout.tile
    things: list[_Thing] = []
    for name in tile.features:
        kind = tile.kind(name)
        inside = room(layout.mask(name))
        if kind == "river":
            points, spare = _stream(layout, name)
            things += [_Thing("fish", name, FISH, points, spare - 0.07)] * tile.count(name, "fish")
            if "hut_spot" in tile.features[name]:
                things.append(_Thing("hut", name, HUT, points, spare - 0.085))
            things.append(_Thing("spot", name, FOOT, points, spare - 0.085))
            continue
        for what, number, reach, need in (
            ("animal", len(tile.animals(name)), radius, radius + 0.015),
            ("power", int(tile.power(name) is not None), radius, radius + 0.012),
            ("menhir", int(bool(tile.features[name].get("menhir"))), MENHIR, MENHIR + 0.01),
            ("mushrooms", tile.count(name, "mushrooms"), MUSHROOMS, MUSHROOMS + 0.01),
            ("fish", tile.count(name, "fish"), FISH, FISH + 0.002),
            ("hut", int(kind == "lake"), HUT, 0.1),
            ("spot", int(kind != "lake"), FOOT, 0.1),
        ):
            if number:
                points, spare = _open(inside, need)
                things += [_Thing(what, name, reach, points, spare)] * number
    order = {"power": 0, "animal": 1, "mushrooms": 2, "menhir": 3, "fish": 4, "hut": 5, "spot": 6}
    return sorted(things, key=lambda thing: order[thing.what])


def _open(inside: NDArray[np.float32], need: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points of a mask on a lattice and what room they have beyond a need; the roomiest where none has."""
    step = 4
    rows, columns = np.meshgrid(
        np.arange(step // 2, GRAIN, step), np.arange(step // 2, GRAIN, step), indexing="ij"
    )
    spare = inside[rows, columns].ravel().astype(np.float64) - need
    points = np.stack([(columns.ravel() + 0.5) / GRAIN, (rows.ravel() + 0.5) / GRAIN], axis=1)
    keep = spare > min(0.0, float(spare.max()) - 0.012)
    return points[keep], spare[keep]


def _stream(layout: Layout, name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points in the middle of a river, and how far they are from the rim, from trees and from lakes."""
    line = np.array(layout.rivers[name])
    other = layout.woods | filled(layout.lakes.values())
    away = room(np.where(other > 0, 0, 255).astype(np.uint8), rim=False)
    rows, columns = (np.minimum((line[:, axis] * GRAIN).astype(int), GRAIN - 1) for axis in (1, 0))
    rim = np.minimum(line, 1 - line).min(axis=1)
    # Trees may hang over a bank, so the distance from wood and lakes counts from the course's own half width.
    spare = np.minimum(rim, away[rows, columns] + 0.02)
    return line, spare


def _searched(layout: Layout, radius: float, seen: Sequence[Shown] = ()) -> tuple[float, Places]:
    """The best of many seeded rounds: (least slack of a distance, places).

    Among rounds with room enough it is the one whose large things are farthest from those `seen` elsewhere.
    """
    random = np.random.default_rng(list(f"places {layout.tile.id}".encode()))
    things = _things(layout, radius)
    best: tuple[float, float, list[Point]] | None = None
    for _ in range(ROUNDS):
        taken: list[tuple[Point, _Thing]] = []
        worst = 1.0
        for thing in things:
            slack = thing.spare.copy()
            for at, other in taken:
                gap = _gap(thing, other)
                slack = np.minimum(slack, np.hypot(*(thing.points - at).T) - gap)
            noisy = np.minimum(slack, ENOUGH) + random.uniform(0, 0.05, len(slack))
            index = int(np.argmax(np.where(slack >= min(0.0, slack.max()), noisy, -9)))
            worst = min(worst, float(slack[index]))
            taken.append(((float(thing.points[index, 0]), float(thing.points[index, 1])), thing))
        near = [
            float(np.hypot(at[0] - other[0], at[1] - other[1]))
            for at, thing in taken
            for what, other in seen
            if what == thing.what
        ]
        value = (min(worst, ENOUGH), min(near, default=1.0))
        if best is None or value > best[:2]:
            best = (*value, [at for at, _ in taken])
        if worst >= ENOUGH and not near:
            break
    assert best is not None
    return best[0], _sorted_out(radius, things, best[2])


def _gap(a: _Thing, b: _Thing) -> float:
    if a.what in ("spot", "hut") and b.what in ("spot", "hut"):
        # A tile never has two pieces: spots of one feature may be near each other.
        return SPOTS_APART if a.feature != b.feature else 0.08
    return a.reach + b.reach + 0.008


def _sorted_out(radius: float, things: list[_Thing], found: list[Point]) -> Places:
    places = Places(radius)
    for thing, at in zip(things, found, strict=True):
        if thing.what in ("animal", "fish", "mushrooms"):
            many = {"animal": places.animals, "fish": places.fish, "mushrooms": places.mushrooms}[thing.what]
            many.setdefault(thing.feature, []).append(at)
        else:
            one = {
                "spot": places.spots,
                "hut": places.huts,
                "menhir": places.menhirs,
                "power": places.powers,
            }[thing.what]
            one[thing.feature] = at
    return places
