"""Layout of a tile: trails, bushes, a baobab, animals and birds, each with its place.

The numbers of a layout are set by hand in :mod:`samples.artwork.savanna.tiles`; here they become
lines and regions.
"""

from dataclasses import dataclass
from functools import cached_property
from random import Random

from samples.artwork.geometry import (
    BUSH_FROM,
    BUSH_TO,
    EDGE_CENTRE,
    EDGES,
    Line,
    Point,
    edge_point,
    smooth,
)


@dataclass(frozen=True)
class Trail:
    """A trail from an edge to another, or from one edge to where it `ends` (``savanna`` or a bush's id)."""

    edges: str
    way: tuple[Point, ...]
    spot: Point
    animal: Point
    ends: str | None = None

    @cached_property
    def path(self) -> Line:
        """The middle of the trail; leaves each edge at its centre and at a right angle."""
        first = [EDGE_CENTRE[self.edges[0]], edge_point(self.edges[0], 0.5, 0.07)]
        last = (
            [edge_point(self.edges[1], 0.5, 0.07), EDGE_CENTRE[self.edges[1]]] if len(self.edges) == 2 else []
        )
        return smooth([*first, *self.way, *last], steps=4)


@dataclass(frozen=True)
class Bush:
    """A bush on one to three edges.

    `shores` is its inner border after each edge where it does not go on round the corner to the next.
    """

    edges: str
    shores: dict[str, tuple[Point, ...]]
    spot: Point
    animal: Point | None = None
    birds: tuple[Point, ...] = ()

    @cached_property
    def region(self) -> Line:
        """The bush's border, clockwise; on its own edges it lies between BUSH_FROM and BUSH_TO."""
        border: list[Point] = []
        ordered = [edge for edge in EDGES if edge in self.edges]
        for index, edge in enumerate(ordered):
            following = ordered[(index + 1) % len(ordered)]
            start, end = edge_point(edge, BUSH_TO), edge_point(following, BUSH_FROM)
            border.append(edge_point(edge, BUSH_FROM))
            if edge in self.shores:
                border += smooth([start, *self.shores[edge], end], steps=4)[:-1]
            else:
                border += smooth([start, edge_point(edge, 0.95, 0.05), end], steps=4)[:-1]
        return tuple(border)


@dataclass(frozen=True)
class Baobab:
    """A baobab: where the middle of its picture is, and how tall it is, in tile sides."""

    centre: Point
    height: float

    @property
    def spot(self) -> Point:
        """Spot of a meeple: on the trunk."""
        return (self.centre[0], round(self.centre[1] + 0.1 * self.height, 4))


@dataclass(frozen=True)
class Layout:
    """One land tile: its features by id, how large its animals are, and its designs as ``letters*count``."""

    id: str
    designs: str
    trails: tuple[Trail, ...] = ()
    bushes: tuple[Bush, ...] = ()
    baobab: Baobab | None = None
    animal_radius: float = 0.16
    cell: tuple[int, int] | None = None

    @property
    def edges(self) -> dict[str, str]:
        """The kind of each edge."""
        kinds = dict.fromkeys(EDGES, "savanna")
        kinds |= {edge: "trail" for trail in self.trails for edge in trail.edges}
        kinds |= {edge: "bush" for bush in self.bushes for edge in bush.edges}
        return kinds

    @property
    def animal_places(self) -> dict[str, Point]:
        """Places of the features' animals, in the order in which designs name them."""
        places = {f"t{i}": trail.animal for i, trail in enumerate(self.trails)}
        return places | {f"b{i}": bush.animal for i, bush in enumerate(self.bushes) if bush.animal}

    @property
    def birds(self) -> tuple[Point, ...]:
        """Places of the birds."""
        return tuple(bird for bush in self.bushes for bird in bush.birds)


STEEP, GENTLE = 0.06, 0.2


def shore(
    edge: str, depth: float, seed: str, near: float = STEEP, far: float = STEEP
) -> dict[str, tuple[Point, ...]]:
    """The inner border of a bush on one edge: `depth` deep, slopes `near` the edge's end, `far` at its start.

    GENTLE leaves room for another bush round that corner. Seeded: no two are alike.
    """
    random = Random(f"shore {seed} {edge}")

    def jitter(size: float) -> float:
        return random.uniform(-size, size)

    end = _slope(near, depth, jitter(0.015))
    middle = (
        (0.64 - near * 0.3 + jitter(0.03), depth + jitter(0.02)),
        (0.5 + jitter(0.03), depth + jitter(0.03)),
        (0.36 + far * 0.3 + jitter(0.03), depth + jitter(0.02)),
    )
    start = _slope(far, depth, jitter(0.015))
    local = [(BUSH_TO - along, deep) for along, deep in end]
    local += middle
    local += [(BUSH_FROM + along, deep) for along, deep in reversed(start)]
    return {edge: tuple(edge_point(edge, along, deep) for along, deep in local)}


def _slope(slope: float, depth: float, jitter: float) -> tuple[Point, ...]:
    """Outline of a bush away from its end, as (along, deep)."""
    if slope == STEEP:
        return ((slope * 0.45, depth * 0.42), (slope + 0.05, depth * 0.8 + jitter))
    # Half a right angle, so that two such slopes leave a path between them.
    return ((0.09, 0.085), (0.17, 0.165 + jitter / 2), (0.25, 0.235))
