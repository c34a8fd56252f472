"""Points of cities, roads, monasteries and fields in Carcassonne."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from engine.carcassonne.rules import (
    AROUND,
    CITY,
    CITY_TILE_POINTS,
    FIELD_CITY_POINTS,
    MONASTERY,
    MONASTERY_TILE_POINTS,
    OPEN_CITY_TILE_POINTS,
    ROAD_TILE_POINTS,
    SMALL_CITY_TILES,
    Rules,
)
from engine.geometry import Cell, ring
from engine.message import Message, counted
from engine.pack import Feature, Tile
from engine.tiles.board import LaidTiles
from engine.tiles.common_rules import tiles_text
from engine.tiles.features import Composition, Region
from engine.tiles.game import Worth
from engine.tiles.turn import FeatureRef


@lru_cache(maxsize=1024)
def monastery_of(tile: Tile) -> str | None:
    """Return the id of a tile's monastery; None if it has none."""
    return next((feature.id for feature in tile.features if feature.kind == MONASTERY), None)


def around(cell: Cell, board: LaidTiles) -> tuple[Cell, ...]:
    """Return the cells with tiles among the eight neighbours of ``cell``."""
    return tuple(beside for beside in ring(cell) if beside in board)


def monastery_region(place: FeatureRef, color: str, board: LaidTiles) -> Region:
    """Return a monastery with its monk, of player ``color``, as a region.
    It covers its own tile and the tiles around it, so it is never open."""
    cells = (place[0], *around(place[0], board))
    return Region(
        MONASTERY, tuple((cell, place[1]) for cell in cells), frozenset(), meeples=((color, place),)
    )


def composition(region: Region, why: Message) -> Composition:
    """Return what a city, road or monastery consists of; a monastery has one tile feature and many cells."""
    places = region.places[:1] if region.kind == MONASTERY else region.places
    return Composition(why, places, region.cells)


def worth(region: Region, board: LaidTiles, rules: Rules) -> Worth:
    """Return the current points of a city, road or monastery (docs/rulings.md, 'City, road, monastery')."""
    return _worth(region, board, rules, finished=region.finished)


def worth_if_finished(region: Region, board: LaidTiles, rules: Rules) -> Worth:
    """Return the points of a region if it were finished.
    A city or road keeps its present tiles, a monastery is surrounded."""
    if region.kind == MONASTERY:
        return Worth(MONASTERY_TILE_POINTS * (1 + AROUND), _around_it(AROUND))
    return _worth(region, board, rules, finished=True)


def _worth(region: Region, board: LaidTiles, rules: Rules, *, finished: bool) -> Worth:
    """Return the points of a city, road or monastery, and their reason, as if ``finished`` or not."""
    tiles = len(region.cells)
    if region.kind == MONASTERY:
        return Worth(MONASTERY_TILE_POINTS * tiles, _around_it(tiles - 1))
    if region.kind != CITY:
        return Worth(ROAD_TILE_POINTS * tiles, tiles_text(tiles))
    pennants = sum(int(feature.extra.get("pennants", 0)) for _, feature in _features(region, board))
    each = OPEN_CITY_TILE_POINTS
    if finished:
        each = rules.small_city if tiles == SMALL_CITY_TILES else CITY_TILE_POINTS
    parts = [tiles_text(tiles)]
    if pennants:
        parts.append(counted(pennants, "{number} pennant", "{number} pennants"))
    return Worth(each * (tiles + pennants), Message("{parts}", parts=parts))


def _around_it(number: int) -> Message:
    """Return a sentence with the number of tiles around a monastery."""
    return counted(number, "{number} tile around it", "{number} tiles around it")


def _features(region: Region, board: LaidTiles) -> Iterable[tuple[Cell, Feature]]:
    """Yield the (cell, feature) pairs of a region."""
    for cell, name in region.places:
        feature = board[cell].design.tile.feature(name)
        if feature is not None:
            yield cell, feature


@dataclass(frozen=True, slots=True)
class Harvest:
    """Points of one player on one field; ``cities`` are the finished cities that pay."""

    field: Region
    player: str
    points: int
    cities: tuple[Region, ...]

    @property
    def of(self) -> Composition:
        """Composition of the points: the field and its cities."""
        return field_of(self.field, self.cities)


def field_of(field: Region, cities: Sequence[Region]) -> Composition:
    """Return what a field consists of; ``cities`` are the finished ones that pay for it."""
    why = counted(len(cities), "{number} finished city", "{number} finished cities")
    return Composition.of(field, why, cities)


def harvests(
    fields: Sequence[Region], cities: Sequence[Region], board: LaidTiles, players: Iterable[str], rules: Rules
) -> tuple[Harvest, ...]:
    """Return the points of the farmers (docs/rulings.md, 'Presets (Carcassonne)') by field and player.
    ``fields`` are those with farmers, ``cities`` the finished ones. Entries of 0 points are left out."""
    adjoin = adjoining(fields, cities, board)
    paid = {
        "third": _field_by_field,
        "second": _each_city_once,
        "first": _city_by_city,
    }[rules.field_scoring](fields, adjoin)
    each = FIELD_CITY_POINTS[rules.field_scoring]
    return tuple(
        Harvest(field, player, each * len(numbers), tuple(cities[number] for number in numbers))
        for i, field in enumerate(fields)
        for player in players
        if (numbers := paid[i, player])
    )


def adjoining(fields: Sequence[Region], cities: Sequence[Region], board: LaidTiles) -> list[list[int]]:
    """Return for each field the indices of the ``cities`` that border on it, each once."""
    city_at = {place: number for number, city in enumerate(cities) for place in city.places}
    return [_adjoining(field, city_at, board) for field in fields]


def _adjoining(field: Region, city_at: Mapping[FeatureRef, int], board: LaidTiles) -> list[int]:
    """Return the indices of the finished cities that adjoin a field.
    ``city_at`` maps their tile features to them."""
    found = dict[int, None]()
    for cell, feature in _features(field, board):
        for name in feature.extra.get("cities", feature.extra.get("adjoins", ())):
            if (cell, name) in city_at:
                found[city_at[cell, name]] = None
    return list(found)


Paid = defaultdict[tuple[int, str], list[int]]
"""Indices of the cities that pay, by (index of the field, player)."""


def _field_by_field(fields: Sequence[Region], adjoin: Sequence[list[int]]) -> Paid:
    """Count every city that adjoins a field (``adjoin``, by field) for the field's majority."""
    paid = Paid(list)
    for i, field in enumerate(fields):
        for player in field.majority:
            paid[i, player] = adjoin[i]
    return paid


def _each_city_once(fields: Sequence[Region], adjoin: Sequence[list[int]]) -> Paid:
    """Count each city at most once per player, for the majorities of the fields that it adjoins.
    ``adjoin`` are the cities of each field."""
    paid = Paid(list)
    had = set[tuple[str, int]]()
    for i, field in enumerate(fields):
        for player in field.majority:
            paid[i, player] = [city for city in adjoin[i] if (player, city) not in had]
            had |= {(player, city) for city in adjoin[i]}
    return paid


def _city_by_city(fields: Sequence[Region], adjoin: Sequence[list[int]]) -> Paid:
    """Count each city for the majority of the farmers on all fields that it adjoins.
    It counts at the first field on which the player has a farmer. ``adjoin`` are the cities of each field."""
    paid = Paid(list)
    for city in dict.fromkeys(city for cities in adjoin for city in cities):
        there = [i for i, cities in enumerate(adjoin) if city in cities]
        farmers = Counter(color for i in there for color, _ in fields[i].meeples)
        for player, number in farmers.items():
            if number == max(farmers.values()):
                paid[next(i for i in there if player in fields[i].counts), player].append(city)
    return paid
