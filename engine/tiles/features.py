"""Features over the whole board (trails, bushes, rivers, forests, grasslands), grown tile by tile.

Only unfinished regions are kept, reached through their open ports, so a turn touches the few regions
beside the new tile and never floods the board. A region is finished when it has no open port left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from engine.geometry import EDGES, OPPOSITE, STEPS, Cell, Edge, turned_edge
from engine.pack import Design, Feature
from engine.tiles.board import Laid
from engine.tiles.turn import Place

Port = tuple[Cell, Edge, int]
"""Port where a feature leaves a tile: cell, board edge, and which of the edge's features (clockwise)."""


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

    def without(self, place: Place | None) -> Region:
        """The region after the meeple on ``place``, if there is one, went home."""
        left = tuple(item for item in self.meeples if item[1] != place)
        return self if len(left) == len(self.meeples) else replace(self, meeples=left)


@dataclass(frozen=True, slots=True)
class Landscape:
    """Every unfinished region, by its open ports. Never changed: each step gives a new one. The last
    tile tried is remembered, as listing and playing a turn lay the same one."""

    by_port: Mapping[Port, Region]
    _tried: list[_Try] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def regions(self) -> tuple[Region, ...]:
        """The unfinished regions, each once."""
        return tuple({id(region): region for region in self.by_port.values()}.values())

    def lay(self, cell: Cell, laid: Laid) -> tuple[Landscape, dict[str, Region]]:
        """The landscape with one tile more, and for each of the tile's features the region that it is
        now part of. Where two edges do not match (on a board only seen) both regions stay open."""
        for tried in self._tried:
            if tried[0] == cell and tried[1] is laid.design and tried[2] == laid.rot:
                return tried[3], dict(tried[4])
        landscape, mine = self._laid(cell, laid)
        self._tried[:] = [(cell, laid.design, laid.rot, landscape, mine)]
        return landscape, dict(mine)

    def _laid(self, cell: Cell, laid: Laid) -> tuple[Landscape, dict[str, Region]]:
        by_port = dict(self.by_port)
        mine: dict[str, Region] = {}
        x, y = cell
        for feature, animals, sides in _turned_sides(laid.design, laid.rot):
            still_open: list[Port] = []
            joined: list[Region] = []
            for edge, slot, (dx, dy), opposite, facing in sides:
                beyond = ((x + dx, y + dy), opposite, facing)
                region = by_port.get(beyond)
                if region is None or region.kind != feature.kind:
                    still_open.append((cell, edge, slot))
                else:
                    del by_port[beyond]
                    if region not in joined:
                        joined.append(region)
            place = (cell, feature.id)
            if joined:
                ports = [port for other in joined for port in other.ports if port in by_port]
                region = _merged(joined, place, feature, animals, frozenset(ports + still_open))
                for name, earlier in mine.items():
                    if earlier in joined:
                        mine[name] = region
            else:
                region = Region(feature.kind, (place,), frozenset(still_open), animals, feature.birds)
            mine[feature.id] = region
            for port in region.ports:
                by_port[port] = region
        return Landscape(by_port), mine

    def with_meeple(self, region: Region, color: str, place: Place) -> tuple[Landscape, Region]:
        """One meeple more on a region of this landscape (or on one that was just finished)."""
        return self.changed(region, replace(region, meeples=(*region.meeples, (color, place))))

    def changed(self, old: Region, new: Region) -> tuple[Landscape, Region]:
        """``new`` in the place of ``old``, which has the same ports (none if it was just finished)."""
        if not old.ports:
            return self, new
        return Landscape({**self.by_port, **dict.fromkeys(old.ports, new)}), new


_Try = tuple[Cell, Design, int, Landscape, dict[str, Region]]


def renamed(mine: dict[str, Region], old: Region, new: Region) -> None:
    """Put ``new`` for ``old`` among the regions of a tile's features."""
    for name, region in mine.items():
        if region is old:
            mine[name] = new


def occupied_regions(board: Mapping[Cell, Laid], pieces: Iterable[tuple[str, Place]]) -> tuple[Region, ...]:
    """Every region of a seen board with the pieces (colour, place) on it, finished ones included."""
    landscape = Landscape({})
    closed: dict[int, Region] = {}
    for cell, laid in board.items():
        landscape, mine = landscape.lay(cell, laid)
        closed.update((id(region), region) for region in mine.values() if region.finished)
    regions = [*landscape.regions, *closed.values()]
    index = {place: i for i, region in enumerate(regions) for place in region.places}
    for color, place in pieces:
        if place in index:
            i = index[place]
            regions[i] = replace(regions[i], meeples=(*regions[i].meeples, (color, place)))
    return tuple(regions)


def finished_by(cell: Cell, mine: Mapping[str, Region]) -> list[tuple[Place, Region]]:
    """The regions that the tile laid on ``cell`` finishes, each once, named by one of its places."""
    found: dict[int, tuple[Place, Region]] = {}
    for feature_id, region in mine.items():
        if region.finished:
            found.setdefault(id(region), ((cell, feature_id), region))
    return list(found.values())


def _merged(
    joined: list[Region], place: Place, feature: Feature, animals: tuple[str, ...], ports: frozenset[Port]
) -> Region:
    """The regions as one, with one feature more, in the order in which the tiles came."""
    first, *others = joined
    places, all_animals, birds, meeples = first.places, first.animals, first.birds, first.meeples
    for region in others:
        places += region.places
        all_animals += region.animals
        birds += region.birds
        meeples += region.meeples
    return Region(
        feature.kind, (*places, place), ports, all_animals + animals, birds + feature.birds, meeples
    )


_Side = tuple[Edge, int, Cell, Edge, int]


@lru_cache(maxsize=4096)
def _turned_sides(design: Design, rot: int) -> tuple[tuple[Feature, tuple[str, ...], tuple[_Side, ...]], ...]:
    """Each feature that reaches an edge, the animals printed on it, and its sides with the neighbour's that
    face them: (board edge, slot, the step to the neighbour, the neighbour's edge and slot)."""
    tile = design.tile
    sides: dict[str, list[_Side]] = {feature.id: [] for feature in tile.features}
    for own in EDGES:
        names = tile.sides[own]
        edge = turned_edge(own, rot)
        for slot, name in enumerate(names):
            sides[name].append((edge, slot, STEPS[edge], OPPOSITE[edge], len(names) - 1 - slot))
    return tuple(
        (feature, design.animals.get(feature.id, ()), tuple(sides[feature.id]))
        for feature in tile.features
        if sides[feature.id]
    )
