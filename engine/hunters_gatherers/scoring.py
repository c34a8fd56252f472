"""Points of rivers, forests, river systems and grasslands in Hunters and Gatherers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Set

from engine.geometry import Cell, ring
from engine.hunters_gatherers.rules import (
    ANIMAL_POINTS,
    DEER,
    FISH_POINTS,
    FOREST_TILE_POINTS,
    LOGBOAT_LAKE_POINTS,
    MUSHROOM_POINTS,
    PIT_TRAP,
    RAFT,
    RAFT_LAKE_POINTS,
    RIVER_TILE_POINTS,
    TIGER,
    WILDFIRE,
    Rules,
)
from engine.hunters_gatherers.water import fish_in, lake_of, power_on, printed, waters
from engine.tiles.board import LaidTiles
from engine.tiles.common_rules import plural
from engine.tiles.features import Region
from engine.tiles.game import Worth
from engine.tiles.turn import FeatureRef


def river_worth(region: Region, board: LaidTiles, rules: Rules) -> Worth:
    """Points of a river: its tiles, and the fish in it and in the lakes at its ends ('Scoring a river')."""
    tiles = len(region.cells)
    fish = 0
    ends: Counter[FeatureRef] = Counter()
    for cell, name in region.places:
        feature = printed(board[cell].design.tile)[name]
        fish += fish_in(feature)
        lake = lake_of(feature)
        if lake is not None:
            ends[cell, lake] += 1
    for (cell, lake), times in ends.items():
        fish += fish_in(printed(board[cell].design.tile)[lake]) * min(times, rules.lake_at_both_ends)
    return Worth(RIVER_TILE_POINTS * tiles + FISH_POINTS * fish, f"{plural(tiles, 'tile')}, {fish} fish")


def forest_worth(region: Region, board: LaidTiles) -> Worth:
    """Points of a forest: two per tile, three per group of mushrooms ('Normal Forest Scoring', 'Menhir tiles
    with immediate actions')."""
    tiles = len(region.cells)
    mushrooms = sum(
        int(printed(board[cell].design.tile)[name].extra.get("mushrooms", 0)) for cell, name in region.places
    )
    why = plural(tiles, "tile")
    if mushrooms:
        why += f", {plural(mushrooms, 'group')} of mushrooms"
    return Worth(FOREST_TILE_POINTS * tiles + MUSHROOM_POINTS * mushrooms, why)


def menhirs_in(region: Region, board: LaidTiles) -> int:
    """Number of menhirs in a forest."""
    return sum("menhir" in printed(board[cell].design.tile)[name].extra for cell, name in region.places)


def system_lakes(system: Region, board: LaidTiles) -> int:
    """Number of lakes of a river system."""
    return sum(waters(board[cell].design.tile).lakes[name] for cell, name in system.places)


def logboat_worth(system: Region, board: LaidTiles) -> Worth:
    """Points of the logboat: two per lake of its river system, those on its tile included."""
    lakes = system_lakes(system, board)
    return Worth(LOGBOAT_LAKE_POINTS * lakes, f"the logboat: {plural(lakes, 'lake')}")


def system_worth(system: Region, board: LaidTiles) -> Worth:
    """Points of a river system: one per fish ('Scoring huts on river systems'), and with the raft one per
    lake ('Menhir tiles that affect final scoring')."""
    fish, raft = 0, False
    for cell, name in system.places:
        tile = board[cell].design.tile
        fish += waters(tile).fish[name]
        power = power_on(tile)
        raft |= power is not None and power[0] == RAFT and waters(tile).system_of.get(power[1]) == name
    if not raft:
        return Worth(FISH_POINTS * fish, f"{fish} fish")
    lakes = system_lakes(system, board)
    return Worth(FISH_POINTS * fish + RAFT_LAKE_POINTS * lakes, f"{fish} fish, raft: {plural(lakes, 'lake')}")


def reach(trap: Cell, grassland: Region) -> tuple[FeatureRef, ...]:
    """The tile features of a grassland on the eight cells around a trap ('orthogonally and diagonally')."""
    around = ring(trap)
    return tuple(place for place in grassland.places if place[0] in around)


def animals_on(places: Iterable[FeatureRef], board: LaidTiles, covered: Set[FeatureRef]) -> Counter[str]:
    """Number of animals of each kind printed on those tile features, without the covered ones."""
    animals: Counter[str] = Counter()
    for place in places:
        printed_here = board[place[0]].design.animals.get(place[1])
        if printed_here and place not in covered:
            animals.update(printed_here)
    return animals


def trap_worth(trap: Cell, grassland: Region, board: LaidTiles, rules: Rules) -> Worth:
    """Points of a hunting trap: the animals around it in its own grassland, as in the final scoring."""
    animals = animals_on(reach(trap, grassland), board, frozenset())
    if not rules.wildfire_spares_trap and trapped(grassland, board, WILDFIRE):
        del animals[TIGER]
    eaten = min(animals[TIGER], animals[DEER])
    animals[DEER] -= eaten
    return Worth(value_of(animals), f"the hunting trap: {_prey(animals, eaten)}")


def grassland_worth(grassland: Region, board: LaidTiles, covered: Set[FeatureRef]) -> Worth:
    """Points of a grassland at the end ('Scoring hunters and grasslands'), with wildfire and pit trap
    ('Menhir tiles that affect final scoring'). Tigers eat deer outside the pit trap's reach first
    (docs/rulings.md, 'Pit trap')."""
    animals = animals_on(grassland.places, board, covered)
    if not animals:
        return Worth(0, "no animals")
    fire = trapped(grassland, board, WILDFIRE)
    tigers = 0 if fire else animals[TIGER]
    eaten = min(tigers, animals[DEER])
    animals[DEER] -= eaten
    points, why = value_of(animals), _prey(animals, eaten)
    if fire and animals[TIGER]:
        why += ", tigers chased away by wildfire"
    if pits := trapped(grassland, board, PIT_TRAP):
        near = {place for pit in pits for place in reach(pit, grassland)}
        doubled = animals_on(near, board, covered)
        doubled[DEER] = min(doubled[DEER], animals[DEER])
        points += value_of(doubled)
        why += f", doubled by the pit trap: {_prey(doubled, 0)}"
    return Worth(points, why)


def trapped(grassland: Region, board: LaidTiles, power: str) -> list[Cell]:
    """The cells of the tiles on which special action ``power`` is printed in that grassland."""
    return [cell for cell, name in grassland.places if power_on(board[cell].design.tile) == (power, name)]


def value_of(animals: Mapping[str, int]) -> int:
    """Points of these animals, given by number."""
    return sum(ANIMAL_POINTS.get(animal, 0) * number for animal, number in animals.items())


def _prey(animals: Mapping[str, int], eaten: int) -> str:
    """Describe the counted animals, and the deer that tigers ate, in English."""
    parts = [f"{animals[animal]} {animal}" for animal in ANIMAL_POINTS if animals[animal]]
    text = ", ".join(parts) or "no prey"
    return text if not eaten else f"{text} ({eaten} deer eaten by tigers)"
