"""Places of the pieces on a tile: on their own feature, far from its rim and from other pieces."""

from collections.abc import Iterable

import numpy as np

from samples.artwork.bastide.plans import Plan
from samples.artwork.bastide.town import CLEAR
from samples.artwork.geometry import Point, distance, distance_to_line, walk
from samples.artwork.taiga.layouts import GRAIN, Mask, filled, room

#: Room about a piece that is worth no more, and least distance of a spot from the tile's rim, in tile sides.
ENOUGH, RIM = 0.2, 0.085
#: Worth of distance from other pieces against room on the own feature.
APART = 0.5


def spots(plan: Plan) -> dict[str, Point]:
    """The place of a piece on each feature that takes one, by id."""
    found: dict[str, Point] = {}
    if plan.monastery is not None:
        name = next(name for name, feature in plan.features.items() if feature["kind"] == "monastery")
        found[name] = plan.monastery
    for name, city in plan.cities.items():
        found[name] = _roomiest(filled([city.region]), found.values(), plan.pennant)
    for name, line in plan.roads.items():
        gate = [line[-1]] if plan.features[name].get("ends_in") == "city" else []
        found[name] = _on_road(plan, [at for at, _ in walk(line, 0.01)], [*found.values(), *gate])
    for name, mask in plan.fields.items():
        found[name] = _roomiest(mask, found.values(), None)
    return found


def _roomiest(mask: Mask, others: Iterable[Point], pennant: Point | None) -> Point:
    """The best place in a mask; a city's keeps its pennant in sight."""
    space = np.minimum(room(mask), ENOUGH)
    axis = (np.arange(GRAIN) + 0.5) / GRAIN
    v, u = np.meshgrid(axis, axis, indexing="ij")
    away = np.full(space.shape, 0.4)
    for at in others:
        away = np.minimum(away, np.hypot(u - at[0], v - at[1]))
    if pennant is not None:
        away = np.minimum(away, np.hypot(u - pennant[0], v - pennant[1]) + 0.18 - CLEAR)
    rim = np.minimum(np.minimum(u, 1 - u), np.minimum(v, 1 - v))
    worth = space + APART * np.minimum(away, 0.4) + 0.02 * np.minimum(rim, 0.3)
    worth[(mask == 0) | (rim < RIM)] = -1.0
    row, column = np.unravel_index(int(worth.argmax()), worth.shape)
    return (float(axis[column]), float(axis[row]))


def _on_road(plan: Plan, line: list[Point], others: Iterable[Point]) -> Point:
    """The best place on a road: clear of rim, crossing, bridge and the pieces placed before."""
    stops = [*others, *([plan.crossing] if plan.crossing is not None else [])]

    def worth(at: Point) -> float:
        near = min([distance(at, other) for other in stops] + [0.35])
        wet = min([distance_to_line(at, water) for water in plan.rivers.values()] + [0.15])
        rim = min(*at, 1 - at[0], 1 - at[1])
        return near + min(rim, 0.2) + wet

    dry = [at for at in line if min(*at, 1 - at[0], 1 - at[1]) > RIM] or line
    return max(dry, key=worth)
