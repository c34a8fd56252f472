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
from engine.hunters_gatherers.water import SYSTEM, fish_in, lake_of, power_on, printed, waters
from engine.message import Message, counted
from engine.tiles.board import LaidTiles
from engine.tiles.common_rules import tiles_text
from engine.tiles.features import Composition, Region
from engine.tiles.game import Worth
from engine.tiles.turn import FeatureRef


def river_worth(region: Region, board: LaidTiles, rules: Rules) -> Worth:
    """Return the points of a river: its tiles, and the fish in it and in the lakes at its ends.
    (Rulebook, 'Scoring a river'.)"""
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
    why = Message("{parts}", parts=(tiles_text(tiles), _fish(fish)))
    return Worth(RIVER_TILE_POINTS * tiles + FISH_POINTS * fish, why)


def forest_worth(region: Region, board: LaidTiles) -> Worth:
    """Return the points of a forest: two per tile, three per group of mushrooms.
    (Rulebook, 'Normal Forest Scoring', 'Menhir tiles with immediate actions'.)"""
    tiles = len(region.cells)
    mushrooms = sum(
        int(printed(board[cell].design.tile)[name].extra.get("mushrooms", 0)) for cell, name in region.places
    )
    parts = [tiles_text(tiles)]
    if mushrooms:
        parts.append(counted(mushrooms, "{number} group of mushrooms", "{number} groups of mushrooms"))
    return Worth(FOREST_TILE_POINTS * tiles + MUSHROOM_POINTS * mushrooms, Message("{parts}", parts=parts))


def composition(region: Region, why: Message, board: LaidTiles) -> Composition:
    """Return what a region consists of; a river system's tile features are its rivers and lakes."""
    if region.kind != SYSTEM:
        return Composition.of(region, why)
    places = tuple(
        (cell, feature.id)
        for cell, name in region.places
        for feature in waters(board[cell].design.tile).features[name]
    )
    return Composition(why, places, region.cells)


def menhirs_in(region: Region, board: LaidTiles) -> int:
    """Number of menhirs in a forest."""
    return sum("menhir" in printed(board[cell].design.tile)[name].extra for cell, name in region.places)


def system_lakes(system: Region, board: LaidTiles) -> int:
    """Number of lakes of a river system."""
    return sum(waters(board[cell].design.tile).lakes[name] for cell, name in system.places)


def logboat_worth(system: Region, board: LaidTiles) -> Worth:
    """Return the points of the logboat: two per lake of its river system, those on its tile included."""
    lakes = system_lakes(system, board)
    return Worth(LOGBOAT_LAKE_POINTS * lakes, Message("the logboat: {parts}", parts=[_lakes(lakes)]))


def system_worth(system: Region, board: LaidTiles) -> Worth:
    """Return the points of a river system: one per fish, and with the raft one per lake.
    (Rulebook, 'Scoring huts on river systems', 'Menhir tiles that affect final scoring'.)"""
    fish, raft = 0, False
    for cell, name in system.places:
        tile = board[cell].design.tile
        fish += waters(tile).fish[name]
        power = power_on(tile)
        raft |= power is not None and power[0] == RAFT and waters(tile).system_of.get(power[1]) == name
    if not raft:
        return Worth(FISH_POINTS * fish, _fish(fish))
    lakes = system_lakes(system, board)
    raft_part = Message("raft: {parts}", parts=[_lakes(lakes)])
    why = Message("{parts}", parts=(_fish(fish), raft_part))
    return Worth(FISH_POINTS * fish + RAFT_LAKE_POINTS * lakes, why)


def _fish(number: int) -> Message:
    """Return a sentence with a number of fish."""
    return Message("{number} fish", number=number)


def _lakes(number: int) -> Message:
    """Return a sentence with a number of lakes."""
    return counted(number, "{number} lake", "{number} lakes")


def reach(trap: Cell, grassland: Region) -> tuple[FeatureRef, ...]:
    """Return the tile features of a grassland on the eight cells around a trap.
    The trap's own cell is left out ('orthogonally and diagonally')."""
    around = ring(trap)
    return tuple(place for place in grassland.places if place[0] in around)


def animals_on(places: Iterable[FeatureRef], board: LaidTiles, covered: Set[FeatureRef]) -> Counter[str]:
    """Return the number of animals of each kind printed on the tile features ``places``.
    Those on ``covered`` tile features do not count."""
    animals: Counter[str] = Counter()
    for place in places:
        printed_here = board[place[0]].design.animals.get(place[1])
        if printed_here and place not in covered:
            animals.update(printed_here)
    return animals


def trap_worth(trap: Cell, grassland: Region, board: LaidTiles, rules: Rules) -> Worth:
    """Return the points of the hunting trap on cell ``trap``.
    They are those of the animals around it in its own grassland; tigers eat a deer each."""
    animals = animals_on(reach(trap, grassland), board, frozenset())
    if not rules.wildfire_spares_trap and trapped(grassland, board, WILDFIRE):
        del animals[TIGER]
    eaten = min(animals[TIGER], animals[DEER])
    animals[DEER] -= eaten
    return Worth(value_of(animals), Message("the hunting trap: {parts}", parts=[_prey(animals, eaten)]))


def grassland_worth(grassland: Region, board: LaidTiles, covered: Set[FeatureRef]) -> Worth:
    """Return the points of a grassland at the end, with wildfire and pit trap.

    (Rulebook, 'Scoring hunters and grasslands', 'Menhir tiles that affect final scoring'.) Animals on
    ``covered`` tile features do not count. Tigers eat deer outside the pit trap's reach first
    (docs/rulings.md, 'Pit trap').
    """
    animals = animals_on(grassland.places, board, covered)
    if not animals:
        return Worth(0, Message("no animals"))
    fire = trapped(grassland, board, WILDFIRE)
    tigers = 0 if fire else animals[TIGER]
    eaten = min(tigers, animals[DEER])
    animals[DEER] -= eaten
    points, parts = value_of(animals), [_prey(animals, eaten)]
    if fire and animals[TIGER]:
        parts.append(Message("tigers chased away by wildfire"))
    if pits := trapped(grassland, board, PIT_TRAP):
        near = {place for pit in pits for place in reach(pit, grassland)}
        doubled = animals_on(near, board, covered)
        doubled[DEER] = min(doubled[DEER], animals[DEER])
        points += value_of(doubled)
        parts.append(Message("doubled by the pit trap: {parts}", parts=[_prey(doubled, 0)]))
    return Worth(points, Message("{parts}", parts=parts))


def trapped(grassland: Region, board: LaidTiles, power: str) -> list[Cell]:
    """Return the cells of the tiles on which special action ``power`` is printed in that grassland."""
    return [cell for cell, name in grassland.places if power_on(board[cell].design.tile) == (power, name)]


def value_of(animals: Mapping[str, int]) -> int:
    """Return the points of animals, given as number by kind; other animals than prey are worth 0."""
    return sum(ANIMAL_POINTS.get(animal, 0) * number for animal, number in animals.items())


def _prey(animals: Mapping[str, int], eaten: int) -> Message:
    """Return a sentence with the counted animals, and the number of deer that tigers ate."""
    parts = [_counted_prey(animal, animals[animal]) for animal in ANIMAL_POINTS if animals[animal]]
    prey = Message("{parts}", parts=parts) if parts else Message("no prey")
    return Message("{prey} ({number} deer eaten by tigers)", prey=prey, number=eaten) if eaten else prey


def _counted_prey(animal: str, number: int) -> Message:
    """Return a sentence with a number of animals of one kind that score."""
    if animal == "mammoth":
        return Message("{number} mammoth", number=number)
    if animal == "aurochs":
        return Message("{number} aurochs", number=number)
    return Message("{number} deer", number=number)
