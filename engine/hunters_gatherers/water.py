"""River systems, fish and special actions printed on tiles.

A river system is a region (rulebook, 2b 'Place a hut on a river or lake'): all connected rivers and lakes.
Systems are merged in a `Landscape` of their own. On one tile, the rivers that end in one lake form one
system with it; a river without a lake is a system by itself.
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
    ``system_of`` maps each river and lake to its system, ``features`` each system to its rivers and lakes;
    ``fish`` and ``lakes`` are their numbers per system.
    """

    design: Design | None
    system_of: Mapping[str, str]
    features: Mapping[str, tuple[Feature, ...]]
    fish: Mapping[str, int]
    lakes: Mapping[str, int]


@lru_cache(maxsize=1024)
def waters(tile: Tile) -> Waters:
    """Return the river systems of a tile, cached."""
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
    """Return the laid tile with its river systems as features; None if it has no water."""
    design = waters(laid.design.tile).design
    return None if design is None else Laid(design, laid.rot)


@lru_cache(maxsize=1024)
def printed(tile: Tile) -> Mapping[str, Feature]:
    """Return a tile's features by id, cached."""
    return {feature.id: feature for feature in tile.features}


@lru_cache(maxsize=1024)
def power_on(tile: Tile) -> tuple[str, str] | None:
    """Return the special action of a tile and the id of the feature that it is printed on.
    None if the tile has none."""
    for feature in tile.features:
        if "power" in feature.extra:
            return str(feature.extra["power"]), feature.id
    return None


def fish_in(feature: Feature) -> int:
    """Return the number of fish printed in a river or lake."""
    return int(feature.extra.get("fish", 0))


def lake_of(feature: Feature) -> str | None:
    """Return the id of the lake in which a river ends on its tile; None if it ends in none."""
    lake = feature.extra.get("lake")
    return None if lake is None else str(lake)
