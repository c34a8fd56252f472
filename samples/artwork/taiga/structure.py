"""Structure of the 2020 edition's tiles, read from its pack: edges, features, things to be counted."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from samples.artwork.geometry import EDGES, Point, edge_point

SOURCE = Path(__file__).resolve().parents[3] / "engine" / "packs" / "hunters-gatherers-2020" / "pack.json"


@dataclass(frozen=True)
class Tile:
    """One tile as printed: `entry` is its object in the published pack, from which nothing drawn is used."""

    entry: Mapping[str, Any]

    @property
    def id(self) -> str:
        """The tile's id in the pack."""
        return str(self.entry["id"])

    @property
    def deck(self) -> str:
        """The deck that the tile is drawn from."""
        return str(self.entry["deck"])

    @cached_property
    def features(self) -> dict[str, dict[str, Any]]:
        """Features by id."""
        return {feature["id"]: feature for feature in self.entry["features"]}

    @cached_property
    def sides(self) -> dict[str, tuple[str, ...]]:
        """The features of each edge, clockwise round the tile: one, or grassland, river, grassland."""
        printed = self.entry["edges"]
        return {e: tuple(printed[e].get("clockwise") or [printed[e]["feature"]]) for e in EDGES}

    def of_kind(self, kind: str) -> tuple[str, ...]:
        """Ids of the features of a kind, in the order of the pack."""
        return tuple(name for name, feature in self.features.items() if feature["kind"] == kind)

    def edges_of(self, name: str) -> str:
        """The edges that a feature meets, a string over ``nesw``."""
        return "".join(edge for edge in EDGES if name in self.sides[edge])

    def kind(self, name: str) -> str:
        """A feature's kind: forest, grassland, river or lake."""
        return str(self.features[name]["kind"])

    def count(self, name: str, what: str) -> int:
        """Number of ``fish`` or groups of ``mushrooms`` of a feature."""
        return int(self.features[name].get(what, 0))

    def animals(self, name: str) -> tuple[str, ...]:
        """The animals printed on a feature."""
        return tuple(self.features[name].get("animals", ()))

    def power(self, name: str) -> str | None:
        """The power printed on a feature, None for most."""
        return self.features[name].get("power")

    def lake_of(self, river: str) -> str | None:
        """The lake that a river ends in; None where it runs on or ends in a forest."""
        return self.features[river].get("lake")

    @cached_property
    def pattern(self) -> tuple[str, ...]:
        """Kinds of what is at the border, clockwise from where the list is least: tiles of one look alike."""
        sides = ["-".join(self.kind(name)[0] for name in self.sides[edge]) for edge in EDGES]
        return min(tuple(sides[start:] + sides[:start]) for start in range(4))

    @cached_property
    def anchors(self) -> tuple[tuple[str, Point], ...]:
        """A point of each stretch of grass at the border, clockwise from the north-west, with its feature."""
        found = []
        for edge in EDGES:
            side = self.sides[edge]
            if len(side) == 3:
                found += [(side[0], edge_point(edge, 0.25, 0.02)), (side[2], edge_point(edge, 0.75, 0.02))]
            elif self.kind(side[0]) == "grassland":
                found.append((side[0], edge_point(edge, 0.5, 0.02)))
        return tuple(found)

    @cached_property
    def split_corners(self) -> tuple[int, ...]:
        """Corners (0 north-west, clockwise) where two grasslands meet, which a forest parts there."""
        corners = []
        for index, edge in enumerate(EDGES):
            before, after = self.sides[EDGES[index - 1]][-1], self.sides[edge][0]
            if before != after and self.kind(before) == self.kind(after) == "grassland":
                corners.append(index)
        return tuple(corners)


@lru_cache(maxsize=1)
def all_tiles() -> tuple[Tile, ...]:
    """Every tile of the edition by its id, the start tile among them."""
    source = json.loads(SOURCE.read_text(encoding="utf-8"))
    tiles = [Tile(entry) for entry in (*source["tiles"], *source["start"])]
    return tuple(sorted(tiles, key=lambda tile: tile.id))


def forests_beside(tile: Tile) -> Iterator[tuple[str, str]]:
    """Pairs of different forests that meet in a corner of the tile, clockwise."""
    for index, edge in enumerate(EDGES):
        before, after = tile.sides[EDGES[index - 1]][-1], tile.sides[edge][0]
        if before != after and tile.kind(before) == tile.kind(after) == "forest":
            yield before, after
