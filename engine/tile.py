"""Tiles as packs describe them: a geometry with features, and the faces printed on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from engine import jsonvalue as jv
from engine.geometry import EDGES, Cell, Edge, Point


@dataclass(frozen=True, slots=True)
class Feature:
    """One feature of a tile, in the tile's own frame (points 0..1, u east, v south).

    ``edges`` are the own edges it reaches. ``spot`` is where a piece stands, ``hut_spot`` where a hut stands
    (None: on ``spot``). ``ends_in`` is set for a trail with one edge: 'savanna' or the bush it stops in.
    ``extra`` holds values of single games (fish, menhir, lake, …).
    """

    id: str
    kind: str
    edges: tuple[Edge, ...] = ()
    spot: Point = (0.5, 0.5)
    hut_spot: Point | None = None
    path: tuple[Point, ...] | None = None
    region: tuple[Point, ...] | None = None
    birds: int = 0
    ends_in: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def spots(self) -> tuple[Point, ...]:
        """The points where pieces stand on the feature, in the tile's own frame."""
        return (self.spot,) if self.hut_spot is None else (self.spot, self.hut_spot)

    def spot_of(self, kind: str) -> Point:
        """Return the point where a piece of ``kind`` stands on the feature, in the tile's own frame."""
        return self.hut_spot if kind == "hut" and self.hut_spot is not None else self.spot


@dataclass(frozen=True, slots=True, eq=False)
class Tile:
    """A geometry: the kinds of its four own edges, and its features.

    ``edges`` maps each own edge to its landscape. ``sides`` maps each own edge to the ids of the features
    that reach it, clockwise (empty for open savanna, three for a Hunters and Gatherers river edge).
    ``start_cell`` is the cell of a start tile. ``deck`` names the back. ``extra`` holds values of single
    games (a river's source).
    """

    id: str
    edges: Mapping[Edge, str]
    features: tuple[Feature, ...]
    sides: Mapping[Edge, tuple[str, ...]]
    start_cell: Cell | None = None
    deck: str = "regular"
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def optional(self) -> bool:
        """Whether the tile is missing from some printings of the set."""
        return self.extra.get("optional") is True

    def feature(self, feature_id: str) -> Feature | None:
        """Return the feature of that id; None if the tile has none."""
        return next((feature for feature in self.features if feature.id == feature_id), None)

    def called(self, feature_id: str) -> str:
        """Return kind and id of a feature for messages: 'road r0'.
        The id alone if it equals the kind, or if the tile has no such feature."""
        feature = self.feature(feature_id)
        return feature_id if feature is None or feature.kind == feature_id else f"{feature.kind} {feature_id}"

    def reaches_side(self, feature_id: str) -> bool:
        """Whether a feature reaches a side of the tile; a building or tree inside it does not."""
        return any(feature_id in features for features in self.sides.values())


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """One printed face. ``animals`` maps a feature's id to the animals printed on it."""

    id: str
    tile: Tile
    count: int
    animals: Mapping[str, tuple[str, ...]]

    def __repr__(self) -> str:
        return f"Design({self.id!r})"


def read_tile(value: object, at: str, *, start: bool) -> tuple[Tile, list[Design]]:
    """Return a tile and its faces from a ``pack.json``. Raises FieldError, with the field at fault.
    ``at`` is the path of ``value`` in errors; a ``start`` tile must have a cell."""
    source = jv.object_at(value, at)
    tile_id = jv.text_at(jv.get(source, "id", at), f"{at}.id")
    at = f"{at} ({tile_id})"
    features = tuple(
        _read_feature(item, f"{at}.features[{i}]")
        for i, item in enumerate(jv.list_at(source.get("features", []), f"{at}.features"))
    )
    names = {feature.id for feature in features}
    if len(names) != len(features):
        raise jv.FieldError(f"{at}.features", "two features have one id")
    edges: dict[Edge, str] = {}
    sides: dict[Edge, tuple[str, ...]] = {}
    printed = jv.object_at(jv.get(source, "edges", at), f"{at}.edges", EDGES)
    for edge in EDGES:
        item = jv.get(printed, edge, f"{at}.edges")
        where = f"{at}.edges.{edge}"
        if isinstance(item, dict):  # Hunters and Gatherers: the edge itself lists its features
            edges[edge] = jv.text_at(jv.get(item, "kind", where), where)
            sides[edge] = jv.texts_at(item.get("clockwise", [item.get("feature")]), where)
        else:
            edges[edge] = jv.text_at(item, where)
            sides[edge] = tuple(feature.id for feature in features if edge in feature.edges)
        for name in sides[edge]:
            if name not in names:
                raise jv.FieldError(where, f"names a feature {name} that the tile does not have")
    cell = jv.cell_at(jv.get(source, "cell", at), f"{at}.cell") if start else None
    deck = jv.text_at(source.get("deck", "regular"), f"{at}.deck")
    extra = MappingProxyType({key: source[key] for key in TILE_EXTRA if key in source})
    tile = Tile(tile_id, MappingProxyType(edges), features, MappingProxyType(sides), cell, deck, extra)
    faces = jv.list_at(source.get("designs", [{"id": tile_id, "count": 1}]), f"{at}.designs")
    return tile, [_read_design(item, f"{at}.designs[{i}]", tile, names) for i, item in enumerate(faces)]


TILE_EXTRA = ("river", "edition", "optional")
"""Keys of `Tile.extra`: values of single games."""
_PLAIN = {"id", "kind", "edges", "spot", "hut_spot", "path", "region", "birds", "ends_in"}


def _read_feature(value: object, at: str) -> Feature:
    """Return a feature from its JSON object; ``at`` is its path in errors. Raises FieldError."""
    source = jv.object_at(value, at)
    edges = jv.texts_at(source.get("edges", []), f"{at}.edges")
    for edge in edges:
        if edge not in EDGES:
            raise jv.FieldError(f"{at}.edges", f"must be among n, e, s, w, is {jv.shown(edge)}")
    ends_in = source.get("ends_in")
    hut_spot = source.get("hut_spot")
    spot = source.get("spot", [0.5, 0.5] if hut_spot is None else hut_spot)
    return Feature(
        id=jv.text_at(jv.get(source, "id", at), f"{at}.id"),
        kind=jv.text_at(jv.get(source, "kind", at), f"{at}.kind"),
        edges=tuple(edge for edge in EDGES if edge in edges),
        spot=jv.point_at(spot, f"{at}.spot"),
        hut_spot=None if hut_spot is None else jv.point_at(hut_spot, f"{at}.hut_spot"),
        path=_read_points(source.get("path"), f"{at}.path"),
        region=_read_points(source.get("region"), f"{at}.region"),
        birds=jv.integer_at(source.get("birds", 0), f"{at}.birds", least=0),
        ends_in=None if ends_in is None else jv.text_at(ends_in, f"{at}.ends_in"),
        extra=MappingProxyType({key: item for key, item in source.items() if key not in _PLAIN}),
    )


def _read_design(value: object, at: str, tile: Tile, names: set[str]) -> Design:
    """Return a printed face of ``tile`` from its JSON object; ``names`` are the ids of the tile's features.
    Raises FieldError, with a path that begins with ``at``."""
    source = jv.object_at(value, at)
    printed = jv.object_at(source.get("animals", {}), f"{at}.animals", names)
    animals = {name: jv.texts_at(item, f"{at}.animals.{name}") for name, item in printed.items()}
    for feature in tile.features:  # without designs of their own, a tile's features carry its animals
        if feature.id not in animals and "animals" in feature.extra:
            animals[feature.id] = jv.texts_at(feature.extra["animals"], f"{at}.animals")
    return Design(
        id=jv.text_at(jv.get(source, "id", at), f"{at}.id"),
        tile=tile,
        count=jv.integer_at(source.get("count", 1), f"{at}.count", least=0),
        animals=MappingProxyType(animals),
    )


def _read_points(value: object, at: str) -> tuple[Point, ...] | None:
    """Return a list of points; None for None. Raises FieldError, with a path that begins with ``at``."""
    if value is None:
        return None
    return tuple(jv.point_at(item, f"{at}[{i}]") for i, item in enumerate(jv.list_at(value, at)))
