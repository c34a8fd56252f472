"""Look-ups of water and powers printed on tiles: river systems, fish, menhirs.

A river system is a region of its own kind (rulebook, 2b 'Place a hut on a river or lake'): all rivers
connected to each other, lakes included. It grows in a landscape of its own, of which a tile's features
are its systems: the rivers that meet in one lake are one, a river without a lake is one by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from engine.geometry import EDGES
from engine.pack import Design, Feature, Tile
from engine.tiles.board import Laid

GRASSLAND, FOREST, RIVER, LAKE = "grassland", "forest", "river", "lake"
SYSTEM = "river_system"


@dataclass(frozen=True, slots=True)
class Waters:
    """The river systems of one tile.

    ``design`` is the tile with its systems as features (None without water), for a Landscape.
    ``system_of`` gives the system of each river and lake, ``features`` the rivers and lakes of each
    system, and ``fish`` and ``lakes`` how many it has there.
    """

    design: Design | None
    system_of: Mapping[str, str]
    features: Mapping[str, tuple[Feature, ...]]
    fish: Mapping[str, int]
    lakes: Mapping[str, int]


@lru_cache(maxsize=1024)
def waters(tile: Tile) -> Waters:
    """The river systems of a tile."""
    system_of: dict[str, str] = {}
    members: dict[str, list[Feature]] = {}
    for feature in tile.features:
        if feature.kind in (RIVER, LAKE):
            name = lake_of(feature) or feature.id
            system_of[feature.id] = name
            members.setdefault(name, []).append(feature)
    sides = {edge: tuple(system_of[name] for name in tile.sides[edge] if name in system_of) for edge in EDGES}
    systems = tuple(Feature(name, SYSTEM) for name in members)
    water_tile = Tile(f"{tile.id} water", tile.edges, systems, MappingProxyType(sides))
    return Waters(
        design=Design(water_tile.id, water_tile, 0, MappingProxyType({})) if members else None,
        system_of=system_of,
        features={name: tuple(features) for name, features in members.items()},
        fish={name: sum(map(fish_in, features)) for name, features in members.items()},
        lakes={name: sum(item.kind == LAKE for item in features) for name, features in members.items()},
    )


def water_laid(laid: Laid) -> Laid | None:
    """The laid tile as its river systems, None where it has no water."""
    design = waters(laid.design.tile).design
    return None if design is None else Laid(design, laid.rot)


@lru_cache(maxsize=1024)
def printed(tile: Tile) -> Mapping[str, Feature]:
    """A tile's features by id."""
    return {feature.id: feature for feature in tile.features}


@lru_cache(maxsize=1024)
def power_on(tile: Tile) -> tuple[str, str] | None:
    """The special action of a menhir tile and the feature that it is printed on."""
    for feature in tile.features:
        if "power" in feature.extra:
            return str(feature.extra["power"]), feature.id
    return None


def fish_in(feature: Feature) -> int:
    """Fish printed in a river or lake."""
    return int(feature.extra.get("fish", 0))


def lake_of(feature: Feature) -> str | None:
    """The lake in which a river ends on its tile, if it does."""
    lake = feature.extra.get("lake")
    return None if lake is None else str(lake)
