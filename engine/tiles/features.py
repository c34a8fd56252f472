"""Regions: features connected over the whole board (trails, rivers, cities …), merged tile by tile.

Only unfinished regions are stored, by their open ports, so that a turn updates the few regions next to the
new tile without a flood fill. A region is finished when it has no open port left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, NamedTuple

from engine.geometry import EDGES, OPPOSITE, STEPS, Cell, Edge, turned_edge
from engine.message import Message
from engine.pack import Design, Feature
from engine.tiles.actions import Action
from engine.tiles.board import Laid
from engine.tiles.pieces import PieceKind, Sort
from engine.tiles.turn import FeatureRef

Port = tuple[Cell, Edge, int]
"""Open end of a feature: cell, board edge, and index among the edge's features (clockwise)."""


@dataclass(frozen=True, slots=True)
class Region:
    """A feature connected over several tiles.

    ``places`` are its tile features and ``animals`` the printed animals, both in laying order. ``ports`` are
    its open ends; ``meeples`` are (colour, tile feature).
    """

    kind: str
    places: tuple[FeatureRef, ...]
    ports: frozenset[Port]
    animals: tuple[str, ...] = ()
    birds: int = 0
    meeples: tuple[tuple[str, FeatureRef], ...] = ()

    @property
    def finished(self) -> bool:
        """Whether the region is closed: no tile can extend it."""
        return not self.ports

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells of the region, each once, in laying order."""
        return tuple(dict.fromkeys(cell for cell, _ in self.places))

    @property
    def counts(self) -> Mapping[str, int]:
        """Number of meeples by colour."""
        return Counter(color for color, _ in self.meeples)

    @property
    def majority(self) -> frozenset[str]:
        """The colours with the most meeples, ties included; empty without meeples."""
        if len(self.meeples) < 2:  # most regions: no count is needed
            return frozenset(color for color, _ in self.meeples)
        counts = self.counts
        most = max(counts.values(), default=0)
        return frozenset(color for color, number in counts.items() if number == most)

    def without(self, place: FeatureRef | None) -> Region:
        """Return the region without the meeple on ``place``; itself if there is none."""
        left = tuple(item for item in self.meeples if item[1] != place)
        return self if len(left) == len(self.meeples) else replace(self, meeples=left)


@dataclass(frozen=True, slots=True)
class Composition:
    """Composition of a feature, or of another thing that scores.

    ``why`` says what counts ("3 tiles, 1 pennant"). ``places`` are all its tile features; those of a watering
    hole are (cell, corner) of its animal tiles. ``cells`` are the cells that count, for a monastery those
    around it too. ``paid_by`` are the tile features of the finished features that pay for it.
    """

    why: Message
    places: tuple[FeatureRef, ...] = ()
    cells: tuple[Cell, ...] = ()
    paid_by: tuple[FeatureRef, ...] = ()

    @classmethod
    def of(cls, region: Region, why: Message, paid_by: Iterable[Region] = ()) -> Composition:
        """Return what a region consists of; ``paid_by`` are the regions that pay for it."""
        return cls(why, region.places, region.cells, tuple(place for one in paid_by for place in one.places))

    @property
    def feature(self) -> str | None:
        """The feature's id on the first cell; None if it is no feature."""
        return self.places[0][1] if self.places else None

    def to_json(self) -> dict[str, Any]:
        """Return it as a JSON object (docs/formats.md, 'Output of check')."""
        value: dict[str, Any] = {
            "why": self.why,
            "said": self.why.to_json(),
            "cells": [list(cell) for cell in self.cells],
        }
        if self.feature is not None:
            value["feature"] = self.feature
        for name, places in (("places", self.places), ("paid_by", self.paid_by)):
            if places:
                value[name] = [{"cell": list(cell), "feature": feature} for cell, feature in places]
        return value


@dataclass(frozen=True, slots=True)
class Spot:
    """Value of one feature that has not scored yet.
    ``if_completed``: points of its majority if it were completed without further tiles; ``if_ended``: points
    of each colour if the game ended now. ``at_end``: it scores at the end of the game only, and its value is
    shown on request only, as a surprise. ``piece`` is the kind of pieces that hold it."""

    kind: str
    of: Composition
    meeples: Mapping[str, int]
    if_completed: int
    if_ended: Mapping[str, int]
    open_edges: int
    at_end: bool = False
    piece: PieceKind = "meeple"

    def to_json(self) -> dict[str, Any]:
        """Return the value as a JSON object (docs/formats.md, 'Output of photo')."""
        return {
            "kind": self.kind,
            **self.of.to_json(),
            "meeples": dict(self.meeples),
            "if_completed": self.if_completed,
            "if_ended": dict(self.if_ended),
            "open_edges": self.open_edges,
            "at_end": self.at_end,
            "piece": self.piece,
        }


class FeatureUse(NamedTuple):
    """An action that puts a piece on a feature of the tile just laid, legal or not.
    ``feature`` is where the piece then stands; ``region`` is what the feature is part of, None if it reaches
    no edge."""

    action: Action
    sort: Sort
    feature: str
    region: Region | None


@dataclass(frozen=True, slots=True)
class Landscape:
    """The unfinished regions by open port; immutable.
    The result of the last ``lay`` is cached, because listing the actions of a placement and playing it lay
    the same tile."""

    by_port: Mapping[Port, Region]
    _tried: list[_Try] = field(default_factory=list, init=False, repr=False, compare=False)

    @classmethod
    def of(cls, tiles: Mapping[Cell, Laid]) -> Landscape:
        """Return the landscape of a board, its tiles laid in their order."""
        landscape = cls({})
        for cell, laid in tiles.items():
            landscape, _ = landscape.lay(cell, laid)
        return landscape

    @property
    def regions(self) -> tuple[Region, ...]:
        """The unfinished regions, each once."""
        return tuple({id(region): region for region in self.by_port.values()}.values())

    @property
    def occupied(self) -> tuple[Region, ...]:
        """The unfinished regions with meeples, each once."""
        return tuple({id(region): region for region in self.by_port.values() if region.meeples}.values())

    def lay(self, cell: Cell, laid: Laid) -> tuple[Landscape, dict[str, Region]]:
        """Return the landscape with one more tile, and the region of each of the tile's features by id.
        Features that reach no edge have none. If two edges do not match (on a board known only from
        pictures), both regions stay open."""
        for tried in self._tried:
            if tried[0] == cell and tried[1] is laid.design and tried[2] == laid.rot:
                return tried[3], dict(tried[4])
        landscape, own_regions = self._laid(cell, laid)
        self._tried[:] = [(cell, laid.design, laid.rot, landscape, own_regions)]
        return landscape, dict(own_regions)

    def _laid(self, cell: Cell, laid: Laid) -> tuple[Landscape, dict[str, Region]]:
        """Compute `lay` without the cache."""
        by_port = dict(self.by_port)
        own_regions: dict[str, Region] = {}
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
                for name, earlier in own_regions.items():
                    if earlier in joined:
                        own_regions[name] = region
            else:
                region = Region(feature.kind, (place,), frozenset(still_open), animals, feature.birds)
            own_regions[feature.id] = region
            for port in region.ports:
                by_port[port] = region
        return Landscape(by_port), own_regions

    def with_meeple(self, region: Region, color: str, place: FeatureRef) -> tuple[Landscape, Region]:
        """Return the landscape and the region after a meeple of ``color`` is put on ``place`` of the region.
        The region is of this landscape, or just finished."""
        return self.changed(region, replace(region, meeples=(*region.meeples, (color, place))))

    def changed(self, old: Region, new: Region) -> tuple[Landscape, Region]:
        """Return the landscape with ``new`` in place of region ``old``, and ``new``.
        Both regions have the same ports."""
        if not old.ports:
            return self, new
        return Landscape({**self.by_port, **dict.fromkeys(old.ports, new)}), new


_Try = tuple[Cell, Design, int, Landscape, dict[str, Region]]


def replace_region(own_regions: dict[str, Region], old: Region, new: Region) -> None:
    """Replace region ``old`` by ``new`` in a mapping from feature ids to regions, in place."""
    for name, region in own_regions.items():
        if region is old:
            own_regions[name] = new


def occupied_regions(
    board: Mapping[Cell, Laid], pieces: Iterable[tuple[str, FeatureRef]]
) -> tuple[Region, ...]:
    """Return all regions of a seen board, finished ones and those without pieces included.
    ``pieces`` are (colour, tile feature); they become the regions' meeples. A place off all regions is
    ignored."""
    landscape = Landscape({})
    closed: dict[int, Region] = {}
    for cell, laid in board.items():
        landscape, own_regions = landscape.lay(cell, laid)
        closed.update((id(region), region) for region in own_regions.values() if region.finished)
    regions = [*landscape.regions, *closed.values()]
    index = {place: i for i, region in enumerate(regions) for place in region.places}
    for color, place in pieces:
        if place in index:
            i = index[place]
            regions[i] = replace(regions[i], meeples=(*regions[i].meeples, (color, place)))
    return tuple(regions)


def finished_by(cell: Cell, own_regions: Mapping[str, Region]) -> list[tuple[FeatureRef, Region]]:
    """Return the finished regions of the tile on ``cell``, each once, with one of its tile features.
    ``own_regions`` are the regions of the tile's features, by id."""
    found: dict[int, tuple[FeatureRef, Region]] = {}
    for feature_id, region in own_regions.items():
        if region.finished:
            found.setdefault(id(region), ((cell, feature_id), region))
    return list(found.values())


def _merged(
    joined: list[Region],
    place: FeatureRef,
    feature: Feature,
    animals: tuple[str, ...],
    ports: frozenset[Port],
) -> Region:
    """Return ``joined`` regions and the new tile's ``feature`` as one region with the open ends ``ports``.
    ``animals`` are those printed on the feature, ``place`` is the feature's."""
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
    """Return each feature that reaches an edge, its printed animals, and its sides.
    A side is (board edge, slot, step to the neighbour, the neighbour's edge, the neighbour's slot); a slot is
    an index into the edge's features."""
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
