"""Hunters and Gatherers scored anew from the bare table: slow, plain, and nothing like the engine.

Every feature is found by flooding the whole board from the edges of its tiles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from engine.geometry import EDGES, OPPOSITE, Cell, neighbour, turned_edge
from engine.pack import Feature
from engine.tiles.board import Laid, Standing
from engine.tiles.turn import FeatureRef

Board = Mapping[Cell, Laid]


@dataclass
class Area:
    """One feature over the whole board, and whether it touches empty space."""

    places: set[FeatureRef] = field(default_factory=set)
    open: bool = False


def feature_at(board: Board, place: FeatureRef) -> Feature:
    feature = board[place[0]].design.tile.feature(place[1])
    assert feature is not None
    return feature


def sides(laid: Laid) -> dict[str, tuple[str, ...]]:
    """The features on each board edge, clockwise."""
    return {turned_edge(edge, laid.rot): names for edge, names in laid.design.tile.sides.items()}


def areas(board: Board, kinds: Iterable[str], *, through_lakes: bool = False) -> list[Area]:
    """All features of those kinds."""
    todo = {
        (cell, item.id)
        for cell, laid in board.items()
        for item in laid.design.tile.features
        if item.kind in kinds
    }
    found = []
    while todo:
        area, queue = Area(), [todo.pop()]
        while queue:
            place = queue.pop()
            area.places.add(place)
            todo.discard(place)
            queue += [other for other in beside(board, place, area, through_lakes) if other in todo]
        found.append(area)
    return found


def beside(board: Board, place: FeatureRef, area: Area, through_lakes: bool) -> list[FeatureRef]:
    cell, name = place
    reached = []
    for edge in EDGES:
        for slot, other in enumerate(sides(board[cell])[edge]):
            if other != name:
                continue
            beyond = neighbour(cell, edge)
            if beyond in board:
                facing = sides(board[beyond])[OPPOSITE[edge]]
                reached.append((beyond, facing[len(facing) - 1 - slot]))
            else:
                area.open = True
    if through_lakes:
        lake = feature_at(board, place).extra.get("lake")
        features = board[cell].design.tile.features
        reached += [(cell, item.id) for item in features if item.id == lake or item.extra.get("lake") == name]
    return reached


def winners(pieces: Iterable[Standing], places: set[FeatureRef]) -> set[str]:
    """The colours with most of those pieces there."""
    there = Counter(str(piece.color) for piece in pieces if (piece.cell, piece.feature) in places)
    return {color for color, number in there.items() if number == max(there.values())}


def finished_points(board: Board, cell: Cell, laid: Iterable[Standing]) -> Counter[tuple[str, str]]:
    """Points by (player, kind) for the forests and rivers that the tile on ``cell`` finishes."""
    points: Counter[tuple[str, str]] = Counter()
    meeples = [piece for piece in laid if piece.kind == "meeple"]
    for kind in ("forest", "river"):
        for area in areas(board, [kind]):
            if area.open or all(place[0] != cell for place in area.places):
                continue
            tiles = len({place[0] for place in area.places})
            features = [feature_at(board, place).extra for place in area.places]
            if kind == "forest":
                worth = 2 * tiles + 3 * sum(item.get("mushrooms", 0) for item in features)
            else:
                lakes = {
                    (place[0], lake)
                    for place in area.places
                    if (lake := feature_at(board, place).extra.get("lake"))
                }
                fish = sum(feature_at(board, lake).extra.get("fish", 0) for lake in lakes)
                worth = tiles + fish + sum(item.get("fish", 0) for item in features)
            for player in winners(meeples, area.places):
                points[player, kind] += worth
    return points


def final_points(board: Board, pieces: Iterable[Standing], covered: Iterable[FeatureRef]) -> Counter[str]:
    """Points by player for huts and hunters."""
    points: Counter[str] = Counter()
    pieces, covered = list(pieces), set(covered)
    huts = [piece for piece in pieces if piece.kind == "hut"]
    for system in areas(board, ["river", "lake"], through_lakes=True):
        features = [feature_at(board, place) for place in system.places]
        worth = sum(item.extra.get("fish", 0) for item in features)
        if any(item.extra.get("power") == "raft" for item in features):
            worth += sum(item.kind == "lake" for item in features)
        for player in winners(huts, system.places):
            points[player] += worth
    meeples = [piece for piece in pieces if piece.kind == "meeple"]
    for meadow in areas(board, ["grassland"]):
        worth = meadow_worth(board, meadow.places, covered)
        for player in winners(meeples, meadow.places):
            points[player] += worth
    return points


def meadow_worth(board: Board, places: set[FeatureRef], covered: set[FeatureRef]) -> int:
    """The value of a grassland, deer eaten one by one, those out of the pit trap's reach first."""
    powers = {feature_at(board, place).extra.get("power"): place[0] for place in places}
    pit = powers.get("pit_trap")
    beasts: list[tuple[str, bool]] = []
    for place in places - covered:
        near = pit is not None and max(abs(place[0][0] - pit[0]), abs(place[0][1] - pit[1])) == 1
        beasts += [(animal, near) for animal in board[place[0]].design.animals.get(place[1], ())]
    if "wildfire" not in powers:
        for _ in range(sum(animal == "tiger" for animal, _ in beasts)):
            prey = [beast for beast in (("deer", False), ("deer", True)) if beast in beasts]
            if prey:
                beasts.remove(prey[0])
    value = {"mammoth": 3, "aurochs": 2, "deer": 1, "tiger": 0}
    return sum(value[animal] * (1 + near) for animal, near in beasts)
