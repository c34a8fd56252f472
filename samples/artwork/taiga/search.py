"""Search for a tile's layout by seeded tries: shapes of forests, places of lakes, courses of rivers.

A try that does not show the tile's topology is thrown away; of the others those with most room come first.
"""

from collections.abc import Mapping
from math import hypot
from random import Random

import numpy as np
from numpy.typing import NDArray

from samples.artwork.geometry import EDGE_CENTRE, Line, Point, edge_point, smooth
from samples.artwork.taiga import shores
from samples.artwork.taiga.layouts import GRAIN, RIVER_HALF, Layout, faults, filled, pixel, room
from samples.artwork.taiga.structure import Tile, forests_beside

TRIES = 400
#: Number of layouts compared that keep the topology.
GOOD = 24


def sound_layouts(tile: Tile) -> list[Layout]:
    """The first sound layouts that seeded tries give, the roomiest first; never none."""
    found: list[tuple[float, Layout]] = []
    reasons: dict[str, int] = {}
    for attempt in range(TRIES):
        layout = _tried(tile, Random(f"{tile.id} {attempt}"))
        if layout is None:
            continue
        wrong = faults(layout)
        for text in wrong:
            reasons[text] = reasons.get(text, 0) + 1
        if not wrong:
            found.append((_roominess(layout), layout))
            if len(found) == GOOD:
                break
    if not found:
        raise ValueError(f"{tile.id}: no layout shows the tile's topology: {reasons}")
    return [layout for _, layout in sorted(found, key=lambda pair: -pair[0])]


#: Room of a feature for what stands on it, in tile sides: the radius of a circle that fits in.
WANTED = {"grassland": 0.105, "forest": 0.15, "lake": 0.13, "river": 0.04}


def _roominess(layout: Layout) -> float:
    """The least of what each feature has over what it wants, and a little of the whole."""
    tile, spare = layout.tile, []
    for name in tile.features:
        kind = tile.kind(name)
        widest = float(room(layout.mask(name)).max())
        want = WANTED[kind]
        if kind == "grassland":
            want += 0.05 * len(tile.animals(name)) + (0.06 if tile.power(name) else 0)
        elif kind == "forest":
            want += 0.03 * bool(tile.features[name].get("menhir")) + 0.03 * tile.count(name, "mushrooms")
        elif kind == "lake":
            want += 0.012 * tile.count(name, "fish") + (0.04 if tile.power(name) else 0)
        else:
            seen = np.count_nonzero(layout.mask(name)) / GRAIN**2 / (2 * RIVER_HALF)
            spare.append(min(seen - 0.26, 0.1))
            continue
        spare.append(min(widest - want, 0.1))
    return min(spare) + 0.2 * sum(spare) / len(spare)


def _tried(tile: Tile, random: Random) -> Layout | None:
    forests = {name: shores.forest(_shape(tile, name, random), random) for name in tile.of_kind("forest")}
    woods = filled(forests.values())
    away = room(np.where(woods > 0, 0, 255).astype(np.uint8), rim=False)
    lakes = {}
    for name in tile.of_kind("lake"):
        line = _lake(tile, name, away, random)
        if line is None:
            return None
        lakes[name] = line
    rivers = {}
    for name in tile.of_kind("river"):
        path = _course(tile, name, forests, lakes, random)
        if path is None:
            return None
        rivers[name] = path
    return Layout(tile, forests, lakes, rivers)


def touched_forests(tile: Tile, river: str) -> list[str]:
    """The forests that a river between two edges runs along: those between grasslands on one side of it."""
    ends = [(index, side) for index, side in enumerate(tile.sides.values()) if river in side]
    if len(ends) != 2:
        return []
    (a, first), (b, second) = ends
    sides = list(tile.sides.values())
    found = []
    for start, stop, near, far in ((a, b, first[2], second[0]), (b, a + 4, second[2], first[0])):
        if near != far:
            found += [sides[i % 4][0] for i in range(start + 1, stop) if len(sides[i % 4]) == 1][:1]
    return [name for name in found if tile.kind(name) == "forest"]


def _shape(tile: Tile, name: str, random: Random) -> shores.Shape:
    edges = tile.edges_of(name)
    pressed = any(name in touched_forests(tile, river) for river in tile.of_kind("river"))
    lake = bool(tile.of_kind("lake"))
    crowded = len(tile.of_kind("forest")) > 1 and bool(tile.of_kind("river"))
    if len(edges) == 1:
        both = len([r for r in tile.of_kind("river") if len(touched_forests(tile, r)) == 2]) > 0
        low, high = (
            (0.36, 0.44)
            if both
            else (0.4, 0.52)
            if pressed
            else (0.22, 0.3)
            if lake or crowded
            else (0.27, 0.36)
        )
    elif len(edges) == 3:
        low, high = 0.34, 0.46
    elif edges in ("ew", "ns"):
        low, high = (0.2, 0.26) if lake else (0.26, 0.38)
    else:
        low, high = (0.46, 0.58) if pressed else (0.36, 0.48) if lake else (0.4, 0.54)
    corners = frozenset(
        corner
        for corner in range(4)
        for pair in forests_beside(tile)
        if name in pair and {tile.sides["nesw"[corner - 1]][-1], tile.sides["nesw"[corner]][0]} == set(pair)
    )
    arms = frozenset(tile.split_corners)
    shift = random.uniform(-0.06, 0.06)
    if edges in ("ew", "ns") and lake:
        # The waist makes room on the lake's side (to the south of a forest from west to east).
        river = next(river for river in tile.of_kind("river") if tile.lake_of(river))
        shift = random.uniform(0.1, 0.16) * (-1 if tile.edges_of(river) in "sw" else 1)
    return shores.Shape(edges, arms, corners, random.uniform(low, high), shift, pressed)


def _lake(tile: Tile, name: str, away: NDArray[np.float32], random: Random) -> Line | None:
    """A lake's border; where there is wood, the lake lies against it, for it parts grasslands there."""
    fish = tile.count(name, "fish")
    rivers = [river for river in tile.of_kind("river") if tile.lake_of(river) == name]
    edges = [tile.edges_of(river) for river in rivers]
    radius = random.uniform(0.165, 0.195) + 0.02 * fish
    if len(tile.of_kind("lake")) > 1:
        radius = random.uniform(0.15, 0.168)
    elif tile.power(name):
        radius += 0.055
    elif len(tile.of_kind("forest")) == 1 and tile.edges_of(tile.of_kind("forest")[0]) in ("ew", "ns"):
        radius -= 0.04
    pull_u = sum(EDGE_CENTRE[edge][0] for edge in edges) / len(edges)
    pull_v = sum(EDGE_CENTRE[edge][1] for edge in edges) / len(edges)
    wooded = bool(tile.of_kind("forest"))
    for _ in range(40):
        if len(tile.of_kind("lake")) > 1:
            centre = (0.5 + (pull_u - 0.5) * 0.64, 0.5 + (pull_v - 0.5) * 0.64)
        elif wooded:
            centre = (random.uniform(0.22, 0.78), random.uniform(0.22, 0.78))
        else:
            centre = (
                0.5 + (0.5 - pull_u) * random.uniform(-0.25, 0.45),
                0.5 + (0.5 - pull_v) * random.uniform(-0.25, 0.45),
            )
        centre = (centre[0] + random.gauss(0, 0.025), centre[1] + random.gauss(0, 0.025))
        to_wood = float(away[pixel(centre)]) if wooded else radius
        if wooded and not radius - 0.06 < to_wood < radius - 0.02:
            continue
        if wooded and not all(_open_way(edge_point(edge, 0.5, 0.08), centre, radius, away) for edge in edges):
            continue
        line = shores.lake(centre, radius, random)
        if all(0.1 < axis < 0.9 for point in line for axis in point):
            return line
    return None


def _open_way(start: Point, centre: Point, radius: float, away: NDArray[np.float32]) -> bool:
    """Whether a river from `start` comes to a lake without passing under trees."""
    span = hypot(centre[0] - start[0], centre[1] - start[1])
    steps = np.linspace(0, max(0.0, 1 - 0.8 * radius / max(span, 1e-6)), 8)
    way = [(start[0] + (centre[0] - start[0]) * t, start[1] + (centre[1] - start[1]) * t) for t in steps]
    return all(float(away[pixel(point)]) > RIVER_HALF for point in way)


def _course(
    tile: Tile,
    name: str,
    forests: Mapping[str, Line],
    lakes: Mapping[str, Line],
    random: Random,
) -> Line | None:
    """A river's middle line: from an edge to another, into a lake, or under the trees."""
    edges = tile.edges_of(name)
    first = [EDGE_CENTRE[edges[0]], edge_point(edges[0], 0.5, 0.08)]
    if len(edges) == 2:
        last = [edge_point(edges[1], 0.5, 0.08), EDGE_CENTRE[edges[1]]]
        touched = touched_forests(tile, name)
        middle = _along(edges, forests, touched, random) if touched else _bends(tile, edges, random)
        return None if middle is None else _eased([*first, *middle, *last])
    lake = tile.lake_of(name)
    if lake is not None:
        line = lakes[lake]
        centre = (sum(u for u, _ in line) / len(line), sum(v for _, v in line) / len(line))
        start = first[1]
        span = hypot(centre[0] - start[0], centre[1] - start[1])
        middle_share = 0.5 * max(0.0, 1 - 0.2 / max(span, 1e-6))
        sway = random.uniform(-0.05, 0.05)
        du, dv = (centre[0] - start[0]) / span, (centre[1] - start[1]) / span
        bend = (
            start[0] + du * span * middle_share - dv * sway,
            start[1] + dv * span * middle_share + du * sway,
        )
        end = (centre[0] - du * 0.06, centre[1] - dv * 0.06)
        return _eased([*first, bend, end])
    target = _wooded_end(tile, name, forests, random)
    if target is None:
        return None
    start = first[1]
    sway = random.uniform(-0.1, 0.1)
    du, dv = target[0] - start[0], target[1] - start[1]
    bend = (start[0] + 0.5 * du - dv * sway, start[1] + 0.5 * dv + du * sway)
    return _eased([*first, bend, target])


def _eased(points: list[Point]) -> Line:
    """A course through or near its points without sharp bends; straight where it crosses an edge."""
    line = np.array(smooth(points, steps=10))
    length = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(line, axis=0).T))])
    even = np.linspace(0, length[-1], max(8, round(length[-1] / 0.02)))
    line = np.stack([np.interp(even, length, line[:, axis]) for axis in (0, 1)], axis=1)
    for _ in range(14):
        line[2:-2] = 0.25 * line[1:-3] + 0.5 * line[2:-2] + 0.25 * line[3:-1]
    return tuple((float(u), float(v)) for u, v in line)


def _bends(tile: Tile, edges: str, random: Random) -> list[Point]:
    """Waypoints between two edges of a river that touches no forest."""
    a, b = EDGE_CENTRE[edges[0]], EDGE_CENTRE[edges[1]]
    if abs(a[0] - b[0]) == 1 or abs(a[1] - b[1]) == 1:  # opposite
        lean = random.choice((-1, 1)) * random.uniform(0.03, 0.13)
        u, v = (0.5, 0.33), (0.5, 0.67)
        points = [(u[0] + lean, u[1]), (v[0] - lean * random.uniform(0.2, 1.0), v[1])]
        return points if edges in ("ns",) else [(y, x) for x, y in points][:: 1 if edges == "we" else -1]
    corner = (a[0] + b[0] - 0.5, a[1] + b[1] - 0.5)  # the corner the river goes round
    wet = len(tile.of_kind("river")) > 1
    pocket = tile.sides[edges[0]][2] if (edges in ("ne", "es", "sw")) else tile.sides[edges[1]][2]
    needy = bool(tile.animals(pocket))
    low, high = (0.36, 0.42) if wet else (0.5, 0.6) if needy else (0.38, 0.56)
    much = random.uniform(low, high)
    return [(corner[0] + (1 - 2 * corner[0]) * much, corner[1] + (1 - 2 * corner[1]) * much)]


def _along(edges: str, forests: Mapping[str, Line], touched: list[str], random: Random) -> list[Point] | None:
    """Waypoints of a river that runs along the shore of one or two forests, a bank under their crowns."""
    places = []
    for name in touched:
        mask = filled([forests[name]])
        away = room(np.where(mask > 0, 0, 255).astype(np.uint8), rim=False)
        rows, columns = np.nonzero((away > 0.012) & (away < 0.034))
        points = [((c + 0.5) / GRAIN, (r + 0.5) / GRAIN) for r, c in zip(rows, columns, strict=True)]
        points = [p for p in points if max(abs(p[0] - 0.5), abs(p[1] - 0.5)) < 0.2]
        if not points:
            return None
        places.append(random.choice(points))
    start = EDGE_CENTRE[edges[0]]
    return sorted(places, key=lambda p: hypot(p[0] - start[0], p[1] - start[1]))


def _wooded_end(tile: Tile, name: str, forests: Mapping[str, Line], random: Random) -> Point | None:
    """Place where a river runs out under the trees: of the forest across the tile, else of any."""
    edge = tile.edges_of(name)
    across = "nesw"[("nesw".index(edge) + 2) % 4]
    wanted = [f for f in forests if across in tile.edges_of(f)] or list(forests)
    inside = room(filled([forests[wanted[0]]]), rim=False)
    start = edge_point(edge, 0.5, 0.08)
    rows, columns = np.nonzero((inside > 0.05) & (inside < 0.075))
    points = [((c + 0.5) / GRAIN, (r + 0.5) / GRAIN) for r, c in zip(rows, columns, strict=True)]
    scored = sorted(points, key=lambda p: hypot(p[0] - start[0], p[1] - start[1]))
    near = scored[: max(1, len(scored) // 4)]
    return random.choice(near) if near else None
