"""Features that grow: trails, bushes, rivers, forests, grasslands over the whole board.

Only unfinished regions are kept, reached through their open ports, so a turn touches the few regions
beside the new tile and never floods the board. A region is finished when it has no open port left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from engine.board import Laid
from engine.geometry import EDGES, OPPOSITE, Cell, Edge, neighbour, turned_edge
from engine.pack import Feature, Tile
from engine.turn import Place

Port = tuple[Cell, Edge, int]
"""Where a feature leaves a tile: cell, board edge, and which of the edge's features (clockwise)."""


@dataclass(frozen=True, slots=True)
class Region:
    """One feature as it spreads over the board, with all that is on it.

    ``ports`` are its open ends. ``animals`` are those printed, in the order the tiles came;
    ``meeples`` are (colour, where it stands).
    """

    kind: str
    places: tuple[Place, ...]
    ports: frozenset[Port]
    animals: tuple[str, ...] = ()
    birds: int = 0
    meeples: tuple[tuple[str, Place], ...] = ()

    @property
    def finished(self) -> bool:
        """Whether nothing can be added to it any more."""
        return not self.ports

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells it covers, each once, in the order the tiles came."""
        return tuple(dict.fromkeys(cell for cell, _ in self.places))

    @property
    def counts(self) -> Mapping[str, int]:
        """Meeples by colour."""
        return Counter(color for color, _ in self.meeples)

    @property
    def majority(self) -> frozenset[str]:
        """The colours with the most meeples, ties included; empty if there is none."""
        counts = self.counts
        most = max(counts.values(), default=0)
        return frozenset(color for color, number in counts.items() if number == most)


@dataclass(frozen=True, slots=True)
class Landscape:
    """Every unfinished region, by its open ports. Never changed: each step gives a new one."""

    by_port: Mapping[Port, Region]

    @property
    def regions(self) -> tuple[Region, ...]:
        """The unfinished regions, each once."""
        return tuple({id(region): region for region in self.by_port.values()}.values())

    def lay(self, cell: Cell, laid: Laid) -> tuple[Landscape, dict[str, Region]]:
        """The landscape with one tile more, and for each of the tile's features the region that it is
        now part of. Where two edges do not match (on a board only seen) both regions stay open."""
        by_port = dict(self.by_port)
        mine: dict[str, Region] = {}
        animals = laid.design.animals
        for feature, sides in _turned_sides(laid.design.tile, laid.rot):
            ports = {(cell, edge, slot) for edge, slot, _ in sides}
            joined: list[Region] = []
            for edge, slot, last in sides:
                beyond = (neighbour(cell, edge), OPPOSITE[edge], last - slot)
                region = by_port.get(beyond)
                if region is not None and region.kind == feature.kind:
                    ports.discard((cell, edge, slot))
                    ports.discard(beyond)
                    del by_port[beyond]
                    if not any(region is other for other in joined):
                        joined.append(region)
                        ports.update(region.ports)
                    ports.discard(beyond)
            region = Region(
                feature.kind,
                ((cell, feature.id),),
                frozenset(ports),
                animals.get(feature.id, ()),
                feature.birds,
            )
            if joined:
                region = _merged(region, joined)
                for name, earlier in mine.items():
                    if any(earlier is other for other in joined):
                        mine[name] = region
            mine[feature.id] = region
            for port in region.ports:
                by_port[port] = region
        return Landscape(by_port), mine

    def with_meeple(self, region: Region, color: str, place: Place) -> tuple[Landscape, Region]:
        """One meeple more on a region of this landscape (or on one that was just finished)."""
        occupied = replace(region, meeples=(*region.meeples, (color, place)))
        if not region.ports:
            return self, occupied
        return Landscape({**self.by_port, **dict.fromkeys(region.ports, occupied)}), occupied


def finished_by(cell: Cell, mine: Mapping[str, Region]) -> list[tuple[Place, Region]]:
    """The regions that the tile laid on ``cell`` finishes, each once, named by one of its places."""
    found: dict[int, tuple[Place, Region]] = {}
    for feature_id, region in mine.items():
        if region.finished:
            found.setdefault(id(region), ((cell, feature_id), region))
    return list(found.values())


def _merged(own: Region, joined: list[Region]) -> Region:
    places, animals, birds, meeples = own.places, own.animals, own.birds, own.meeples
    for region in reversed(joined):
        places = region.places + places
        animals = region.animals + animals
        birds += region.birds
        meeples = region.meeples + meeples
    return Region(own.kind, places, own.ports, animals, birds, meeples)


@lru_cache(maxsize=4096)
def _turned_sides(tile: Tile, rot: int) -> tuple[tuple[Feature, tuple[tuple[Edge, int, int], ...]], ...]:
    """For each feature that reaches an edge: (board edge, slot, the edge's last slot) where it does."""
    sides: dict[str, list[tuple[Edge, int, int]]] = {feature.id: [] for feature in tile.features}
    for edge in EDGES:
        names = tile.sides[edge]
        for slot, name in enumerate(names):
            sides[name].append((turned_edge(edge, rot), slot, len(names) - 1))
    return tuple((feature, tuple(sides[feature.id])) for feature in tile.features if sides[feature.id])
