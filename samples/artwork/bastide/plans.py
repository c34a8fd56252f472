"""Plan of a tile: walls of its cities, courses of its roads and rivers, and the fields that are left.

The structure is the pack `carcassonne`'s, from which no place is taken. Fields are the connected parts of
what neither city, road nor water covers; that they are parted and joined as the pack says is checked here.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from samples.artwork.geometry import EDGES, Line, Point, edge_point, smooth
from samples.artwork.taiga.layouts import GRAIN, Mask, banked, filled, pixel

SOURCE = Path(__file__).resolve().parents[3] / "engine" / "packs" / "carcassonne" / "pack.json"
#: Tile sides: half the width of a road, radius of a crossing, half the side of a monastery.
ROAD_HALF, CROSSING_RADIUS, MONASTERY_HALF = 0.042, 0.085, 0.165
#: Where a wall leaves an edge, measured along the edge from its ends, in tile sides.
CORNER = 0.035
#: Walls of a city by its edges (turned to begin in the north): points of each wall.
WALLS: Mapping[str, tuple[Line, ...]] = {
    "n": (
        (
            (CORNER, 0.0),
            (0.13, 0.15),
            (0.3, 0.26),
            (0.5, 0.285),
            (0.7, 0.26),
            (0.87, 0.15),
            (1 - CORNER, 0.0),
        ),
    ),
    "ne": (((CORNER, 0.0), (0.2, 0.16), (0.42, 0.37), (0.63, 0.58), (0.84, 0.8), (1.0, 1 - CORNER)),),
    "ns": (
        ((CORNER, 0.0), (0.17, 0.16), (0.25, 0.34), (0.265, 0.5), (0.25, 0.66), (0.17, 0.84), (CORNER, 1.0)),
        (
            (1 - CORNER, 1.0),
            (0.83, 0.84),
            (0.75, 0.66),
            (0.735, 0.5),
            (0.75, 0.34),
            (0.83, 0.16),
            (1 - CORNER, 0.0),
        ),
    ),
    "nes": (
        (
            (CORNER, 0.0),
            (0.15, 0.14),
            (0.235, 0.32),
            (0.255, 0.5),
            (0.235, 0.68),
            (0.15, 0.86),
            (CORNER, 1.0),
        ),
    ),
    "nesw": (),
}
#: Corners of the tile within a city of `WALLS`, in the order of its outline after each wall.
CORNERS: Mapping[str, tuple[Line, ...]] = {
    "n": ((),),
    "ne": (((1.0, 0.0),),),
    "ns": ((), ()),
    "nes": (((1.0, 1.0), (1.0, 0.0)),),
    "nesw": (),
}
#: Points that a road or river passes, by tile and feature; others run straight or curve evenly.
WAYS: Mapping[tuple[str, str], Line] = {
    ("BC-D", "r0"): ((0.5, 0.6),),
    ("BC-J", "r0"): ((0.6, 0.57),),
    ("BC-K", "r0"): ((0.38, 0.6),),
    ("BC-O", "r0"): ((0.72, 0.7),),
    ("BC-P", "r0"): ((0.69, 0.72),),
    ("BC-U", "r0"): ((0.68, 0.55), (0.3, 0.46)),
    ("BC-V", "r0"): ((0.38, 0.58),),
    ("BR-B", "w0"): ((0.72, 0.58), (0.3, 0.61)),
    ("BR-C", "w0"): ((0.68, 0.47), (0.34, 0.53)),
    ("BR-D", "w0"): ((0.44, 0.32), (0.57, 0.68)),
    ("BR-E", "w0"): ((0.36, 0.66),),
    ("BR-F", "w0"): ((0.62, 0.24), (0.4, 0.5), (0.58, 0.78)),
    ("BR-G", "w0"): ((0.55, 0.25), (0.5, 0.52), (0.22, 0.55)),
    ("BR-H", "w0"): ((0.7, 0.64), (0.32, 0.66)),
    ("BR-I", "r0"): ((0.3, 0.32),),
    ("BR-I", "w0"): ((0.68, 0.66),),
    ("BR-J", "w0"): ((0.7, 0.6),),
    ("BR-K", "w0"): ((0.47, 0.3), (0.53, 0.7)),
    ("BR-K", "r0"): ((0.7, 0.48), (0.3, 0.52)),
    ("BR-A3", "r0"): ((0.645, 0.32),),
    ("BR-A3", "w0"): ((0.48, 0.8), (0.54, 0.6)),
    ("BR-A", "w0"): ((0.52, 0.76), (0.47, 0.58)),
    ("BR-L", "w0"): ((0.53, 0.2), (0.5, 0.4)),
    ("BR-L3", "w0"): ((0.47, 0.18), (0.4, 0.36)),
}
#: Water that a river begins or ends in: middle and half axes, in tile sides.
LAKES: Mapping[str, tuple[Point, Point]] = {
    "BR-A": ((0.46, 0.47), (0.12, 0.1)),
    "BR-A3": ((0.6, 0.41), (0.11, 0.1)),
    "BR-L": ((0.5, 0.58), (0.29, 0.22)),
    "BR-L3": ((0.37, 0.44), (0.2, 0.16)),
}
MONASTERIES: Mapping[str, Point] = {
    "BC-A": (0.5, 0.42), "BC-B": (0.5, 0.5), "BR-H": (0.5, 0.3), "BR-L3": (0.7, 0.72)
}  # fmt: skip
#: Where roads meet, by tile; in the middle otherwise.
CROSSINGS: Mapping[str, Point] = {"BC-L": (0.5, 0.58), "BC-W": (0.5, 0.53)}
#: Places of the pennants, each in the city that the pack gives one to.
PENNANTS: Mapping[str, Point] = {
    "BC-C": (0.5, 0.5), "BC-F": (0.72, 0.5), "BC-M": (0.2, 0.2), "BC-O": (0.2, 0.2), "BC-Q": (0.24, 0.26),
    "BC-S": (0.24, 0.26),
}  # fmt: skip


@dataclass(frozen=True)
class City:
    """A city's ground and those of its borders that are walls."""

    region: Line
    walls: tuple[Line, ...]


@dataclass(frozen=True)
class Plan:
    """Layout of a tile; `entry` is its object in the pack `carcassonne`."""

    entry: Mapping[str, Any]
    cities: Mapping[str, City]
    roads: Mapping[str, Line]
    rivers: Mapping[str, Line]
    lakes: Mapping[str, Line]
    monastery: Point | None
    crossing: Point | None
    pennant: Point | None

    @property
    def id(self) -> str:
        """The tile's id in both packs."""
        return str(self.entry["id"])

    @cached_property
    def features(self) -> dict[str, dict[str, Any]]:
        """Features by id, as the pack states them."""
        return {feature["id"]: feature for feature in self.entry["features"]}

    @cached_property
    def built(self) -> Mask:
        """The mask of all cities, [GRAIN, GRAIN], 255 inside."""
        return filled(city.region for city in self.cities.values())

    @cached_property
    def ways(self) -> Mask:
        """The mask of roads, crossing and water, 255 inside."""
        mask = filled(self.lakes.values())
        for line in self.roads.values():
            mask |= banked(line, ROAD_HALF)
        for line in self.rivers.values():
            mask |= banked(line)
        if self.crossing is not None:
            mask |= _disc(self.crossing, CROSSING_RADIUS)
        return mask

    @cached_property
    def house(self) -> Mask:
        """The mask of the monastery, 255 inside."""
        return _disc(self.monastery or (0.0, 0.0), MONASTERY_HALF if self.monastery else 0.0)

    @cached_property
    def grass(self) -> Mask:
        """The mask of the open land, 255 there."""
        return np.where((self.built | self.ways | self.house) > 0, 0, 255).astype(np.uint8)

    @cached_property
    def fields(self) -> dict[str, Mask]:
        """The mask of each field; ValueError where they are not parted and joined as the pack says."""
        count, labels = cv2.connectedComponents(self.grass, connectivity=4)
        owner: dict[int, str] = {}
        for name, at in anchors(self.entry):
            label = int(labels[pixel(at)])
            if label == 0 or owner.setdefault(label, name) != name:
                raise ValueError(f"{self.id}: field {name} is not where its edge is")
        named = [name for name, feature in self.features.items() if feature["kind"] == "field"]
        if sorted(owner.values()) != sorted(named):
            raise ValueError(f"{self.id}: fields {sorted(owner.values())} of {count - 1} parts")
        return {name: np.where(labels == label, 255, 0).astype(np.uint8) for label, name in owner.items()}


def sides(entry: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """The features of each edge, clockwise round the tile: one, or three where a road or river crosses it."""
    printed = entry["edges"]
    return {e: tuple(printed[e].get("clockwise") or [printed[e]["feature"]]) for e in EDGES}


def anchors(entry: Mapping[str, Any]) -> list[tuple[str, Point]]:
    """A point of each stretch of open land at the border, with its field."""
    found = []
    for edge, names in sides(entry).items():
        if len(names) == 3:
            found += [(names[0], edge_point(edge, 0.25, 0.03)), (names[2], edge_point(edge, 0.75, 0.03))]
        elif entry["edges"][edge]["kind"] == "field":
            found.append((names[0], edge_point(edge, 0.5, 0.03)))
    return found


def _disc(at: Point, radius: float) -> Mask:
    mask = np.zeros((GRAIN, GRAIN), np.uint8)
    cv2.circle(mask, (round(at[0] * GRAIN), round(at[1] * GRAIN)), round(radius * GRAIN), 255, -1)
    return mask


@lru_cache(maxsize=1)
def source() -> dict[str, Any]:
    """The content of the pack `carcassonne`."""
    content: dict[str, Any] = json.loads(SOURCE.read_text(encoding="utf-8"))
    return content


@lru_cache(maxsize=1)
def all_plans() -> tuple[Plan, ...]:
    """The plan of every tile, in the order of the pack."""
    return tuple(_plan(entry) for entry in source()["tiles"])


def _plan(entry: Mapping[str, Any]) -> Plan:
    kinds = {feature["id"]: feature["kind"] for feature in entry["features"]}
    edges = {name: "".join(e for e in EDGES if name in sides(entry)[e]) for name in kinds}
    cities = {name: _city(edges[name]) for name, kind in kinds.items() if kind == "city"}
    monastery = MONASTERIES.get(entry["id"])
    meets = any(feature.get("ends_in") == "crossing" for feature in entry["features"])
    crossing = CROSSINGS.get(entry["id"], (0.5, 0.5)) if meets else None
    lake = LAKES.get(entry["id"])
    ends = {"crossing": crossing, "monastery": monastery, "city": (0.5, 0.26)}
    if entry["id"] in ("BC-S", "BC-T"):
        ends["city"] = (0.5, 0.76)
    courses = {}
    for feature in entry["features"]:
        name, end = feature["id"], ends.get(feature.get("ends_in", ""))
        if feature["kind"] in ("road", "river"):
            courses[name] = _course(edges[name], WAYS.get((entry["id"], name)), end or (lake and lake[0]))
    return Plan(
        entry,
        cities,
        {name: line for name, line in courses.items() if kinds[name] == "road"},
        {name: line for name, line in courses.items() if kinds[name] == "river"},
        {"w0": _shore(*lake)} if lake else {},
        monastery,
        crossing,
        PENNANTS.get(entry["id"]),
    )


def _city(edges: str) -> City:
    """A city on those edges."""
    for turns in range(4):
        turned = "".join(sorted((EDGES[(EDGES.index(e) - turns) % 4] for e in edges), key=EDGES.index))
        if turned in WALLS:
            walls = tuple(_turned(smooth(wall, 8), turns) for wall in WALLS[turned])
            corners = [_turned(line, turns) for line in CORNERS[turned]]
            outline = [p for wall, line in zip(walls, corners, strict=True) for p in (*wall, *line)]
            return City(tuple(outline) or ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)), walls)
    raise ValueError(f"no city on the edges {edges}")


def _turned(line: Line, turns: int) -> Line:
    """Points turned clockwise by quarters about the tile's middle."""
    for _ in range(turns):
        line = tuple((1.0 - v, u) for u, v in line)
    return line


def _course(edges: str, way: Line | None, end: Point | None) -> Line:
    """A road or river from edge to edge, or from its edge to where it ends; square to the edges."""
    first = [edge_point(edges[0], 0.5), edge_point(edges[0], 0.5, 0.06)]
    if len(edges) == 1:
        if end is None:
            raise ValueError("a course with one edge needs an end")
        return smooth([*first, *(way or ()), end])
    last = [edge_point(edges[1], 0.5, 0.06), edge_point(edges[1], 0.5)]
    if way is None:
        near = [edge_point(edge, 0.5, 0.35) for edge in edges]
        way = ((sum(u for u, _ in near) / 2, sum(v for _, v in near) / 2),)
    return smooth([*first, *way, *last])


def _shore(middle: Point, axes: Point) -> Line:
    """The shore of a lake: an ellipse that is a little uneven."""
    angles = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    reach = 1 + 0.06 * np.sin(3 * angles + 1) + 0.04 * np.sin(5 * angles)
    return tuple(
        (float(middle[0] + axes[0] * r * np.cos(a)), float(middle[1] + axes[1] * r * np.sin(a)))
        for a, r in zip(angles, reach, strict=True)
    )
