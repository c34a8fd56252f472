"""Foreign tiles: tiles that are not in the pack (an expansion's), as the players describe them.

A foreign tile's name is its description, so that turns, records and notation are self-contained:
``?city-road-field-road-ew`` has a city in the north, a field in the south, and one road from east to west.
An unknown edge is ``?``; ``?`` alone is a tile of which nothing is known. Every tile fits next to an unknown
edge, and a feature that runs into it stays unfinished.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

from engine import jsonvalue as jv
from engine.game import GameError
from engine.geometry import EDGES, Edge, Point
from engine.message import Message
from engine.pack import Design, Feature, Pack, Tile

ANY = "?"
"""Landscape of an unknown edge, which fits next to every edge."""
MARK = "?"
"""First character of a foreign tile's name."""
MIDDLE: Point = (0.5, 0.5)
INWARD = 0.45
"""Spot of a piece on a feature of one edge, as a fraction of the way from the edge to the middle."""


class ForeignError(GameError):
    """A description that fits no tile of the game; the message is one line."""


@dataclass(frozen=True, slots=True)
class Foreign:
    """Description of a tile at rotation 0. ``edges`` are the landscapes of n, e, s, w (ANY if unknown).
    ``joins`` are groups of edges, each connected by one feature; ``meets`` are groups of edges whose features
    end at a common point and divide the land around it, as roads do at a crossing; ``inside`` are the kinds
    of features that reach no edge."""

    edges: tuple[str, str, str, str] = (ANY, ANY, ANY, ANY)
    joins: tuple[tuple[Edge, ...], ...] = ()
    meets: tuple[tuple[Edge, ...], ...] = ()
    inside: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The description, encoded as a tile name."""
        if self == Foreign():
            return MARK
        words = [*self.edges, *("".join(group) for group in self.joins)]
        words += ["".join(group).upper() for group in self.meets]
        words += [MARK + kind for kind in self.inside]
        return MARK + "-".join(words)

    @classmethod
    def of(cls, name: str) -> Foreign:
        """Parse a tile name. Raises ForeignError if it is no description."""
        if name == MARK:
            return cls()
        words = name.removeprefix(MARK).split("-")
        if len(words) < len(EDGES):
            raise ForeignError(
                Message("{name} should name four edges, such as ?city-road-field-road", name=jv.shown(name))
            )
        n, e, s, w, *more = words
        joins, meets, inside = [], [], []
        for word in more:
            if word.startswith(MARK):
                inside.append(word.removeprefix(MARK))
            elif word.isupper():
                meets.append(_edges(word.lower()))
            else:
                joins.append(_edges(word))
        return cls((n, e, s, w), tuple(joins), tuple(meets), tuple(inside))

    def to_json(self) -> dict[str, Any]:
        """Return the description as a JSON object (docs/formats.md, 'Foreign tiles')."""
        edges = {edge: kind for edge, kind in zip(EDGES, self.edges, strict=True) if kind != ANY}
        value: dict[str, Any] = {"edges": edges}
        for key, groups in (("joins", self.joins), ("meets", self.meets)):
            if groups:
                value[key] = [list(group) for group in groups]
        if self.inside:
            value["inside"] = list(self.inside)
        return value

    @classmethod
    def from_json(cls, value: object, at: str) -> Foreign:
        """Read the description from a record; ``at`` is its path in errors. Raises FieldError."""
        source = jv.object_at(value, at, ("edges", "joins", "meets", "inside"))
        edges = jv.object_at(source.get("edges", {}), f"{at}.edges", EDGES)
        kinds = [_word(edges.get(edge, ANY), f"{at}.edges.{edge}") for edge in EDGES]
        return cls(
            (kinds[0], kinds[1], kinds[2], kinds[3]),
            _groups(source.get("joins", []), f"{at}.joins"),
            _groups(source.get("meets", []), f"{at}.meets"),
            tuple(
                _word(kind, f"{at}.inside") for kind in jv.texts_at(source.get("inside", []), f"{at}.inside")
            ),
        )


def is_foreign(name: str) -> bool:
    """Whether a tile name describes a foreign tile."""
    return name.startswith(MARK)


def face(pack: Pack, name: str) -> Design:
    """Return the face of that name, of the pack or foreign.
    Raises KeyError if the pack has none, ForeignError if the description fits no tile of the pack's game."""
    return foreign_design(pack, name) if is_foreign(name) else pack.designs[name]


def is_face(pack: Pack, name: str) -> bool:
    """Whether a name is a face of the pack or a foreign tile's."""
    return is_foreign(name) or name in pack.designs


@lru_cache(maxsize=1024)
def foreign_design(pack: Pack, name: str) -> Design:
    """Return the face that a description specifies, with the pack's kinds of features; cached.
    Raises ForeignError if the description fits no tile of the pack's game."""
    foreign = Foreign.of(name)
    ground = ground_of(pack)
    for edge, kind in zip(EDGES, foreign.edges, strict=True):
        if kind != ANY and kind not in ground.along:
            message = Message(
                "edge {edge} of a tile cannot be {kind} (known: {kind_known})",
                edge=edge, kind=kind or "–", kind_known=sorted(ground.along),
            )  # fmt: skip
            raise ForeignError(message)
    for kind in foreign.inside:
        if kind not in ground.inside:
            message = Message(
                "there is no feature {kind} without edges (known: {kind_known})",
                kind=kind, kind_known=sorted(ground.inside) or "–",
            )  # fmt: skip
            raise ForeignError(message)
    return _FaceBuilder(foreign, ground).design(name)


class Ground(NamedTuple):
    """Kinds of feature of a pack.
    ``along`` maps each landscape to the kinds along such an edge, clockwise; ``land`` are the kinds on both
    sides of others (fields beside a road); ``inside`` are the kinds that may reach no edge; ``prefixes`` maps
    kinds to the prefix of their ids."""

    along: Mapping[str, tuple[str, ...]]
    land: frozenset[str]
    inside: frozenset[str]
    prefixes: Mapping[str, str]


@lru_cache(maxsize=16)
def ground_of(pack: Pack) -> Ground:
    """Return the kinds of feature of a pack's tiles; cached."""
    along: dict[str, tuple[str, ...]] = {}
    inside: set[str] = set()
    prefixes: dict[str, str] = {}
    for tile in (*pack.tiles, *pack.start):
        kinds = {feature.id: feature.kind for feature in tile.features}
        for edge in EDGES:
            along.setdefault(tile.edges[edge], tuple(kinds[name] for name in tile.sides[edge]))
        reached = {name for edge in EDGES for name in tile.sides[edge]}
        inside |= {kind for name, kind in kinds.items() if name not in reached}
        for name, kind in kinds.items():
            prefixes.setdefault(kind, name.rstrip("0123456789"))
    land = {kinds[0] for kinds in along.values() if len(kinds) > 1}
    return Ground(along, frozenset(land), frozenset(inside), prefixes)


class _Item(NamedTuple):
    """An end of a feature on an edge.
    ``place`` is its index clockwise from the north-west corner, ``at`` its point (u, v)."""

    place: int
    edge: Edge
    kind: str
    at: Point


class _FaceBuilder:
    """Builder of a face from a description.

    Features that connect edges divide the tile's boundary, as a road divides the fields beside it. Each join
    and each meet is therefore a *wall*: the tuple of the places of its ends.
    """

    def __init__(self, foreign: Foreign, ground: Ground) -> None:
        self._foreign = foreign
        self._ground = ground
        self._items = _around(foreign.edges, ground)
        self._main = {item.edge: item for item in self._items if item.kind not in ground.land}
        self._taken: dict[str, int] = {}
        if len({edge for group in foreign.joins for edge in group}) < sum(map(len, foreign.joins)):
            raise ForeignError(Message("an edge is joined twice"))
        self._walls = [self._places(group, alike=True) for group in foreign.joins]
        self._walls += [self._places(group, alike=False) for group in foreign.meets]

    def design(self, name: str) -> Design:
        """Return the face, called ``name``."""
        features: list[Feature] = []
        names: dict[int, str] = {}
        for group in self._groups():
            feature = self._feature(group[0].kind, group)
            features.append(feature)
            names.update((item.place, feature.id) for item in group)
        features += [self._feature(kind, ()) for kind in self._foreign.inside]
        for group in self._lands():
            beside = dict.fromkeys(
                names[item.place] for item in self._main.values() if self._touch(group[0], item)
            )
            feature = self._feature(group[0].kind, group, {"adjoins": list(beside)})
            features.append(feature)
            names.update((item.place, feature.id) for item in group)
        sides = {edge: tuple(names[i.place] for i in self._items if i.edge == edge) for edge in EDGES}
        edges = MappingProxyType(dict(zip(EDGES, self._foreign.edges, strict=True)))
        tile = Tile(name, edges, tuple(features), MappingProxyType(sides))
        return Design(name, tile, 0, MappingProxyType({}))

    def _groups(self) -> list[list[_Item]]:
        """Return the ends of each feature that is not land, such as a road or city."""
        joined = [[self._main[edge] for edge in group] for group in self._foreign.joins]
        known = {item.place for group in joined for item in group}
        return joined + [[item] for item in self._main.values() if item.place not in known]

    def _lands(self) -> list[list[_Item]]:
        """Return the ends of each land (a field, which lies on both sides of roads).
        Ends on the same side of every joining feature belong to one land."""
        found: dict[tuple[int, ...], list[_Item]] = {}
        for item in self._items:
            if item.kind in self._ground.land:
                found.setdefault(tuple(_side(item.place, wall) for wall in self._walls), []).append(item)
        return list(found.values())

    def _touch(self, land: _Item, other: _Item) -> bool:
        """Whether a land adjoins another feature: no joining feature lies between an end of each."""
        for number, wall in enumerate(self._walls):
            side = _side(land.place, wall)
            if other.place not in wall:
                near = _side(other.place, wall) == side
            else:
                i = wall.index(other.place)
                near = number < len(self._foreign.joins) or side in (i, (i + 1) % len(wall))
            if not near:
                return False
        return True

    def _places(self, group: Sequence[Edge], *, alike: bool) -> tuple[int, ...]:
        """Return the sorted places of the features on ``group``, edges with a feature other than land.

        Raises ForeignError unless they are at least two different edges with a feature each, or with
        ``alike`` if the features are of several kinds.
        """
        if len(set(group)) != len(group) or len(group) < 2 or not self._main.keys() >= set(group):
            raise ForeignError(Message("{edges} are no edges with features to join", edges="".join(group)))
        if alike and len({self._main[edge].kind for edge in group}) > 1:
            raise ForeignError(Message("the features on {edges} are not of one kind", edges="".join(group)))
        return tuple(sorted(self._main[edge].place for edge in group))

    def _feature(
        self, kind: str, items: Sequence[_Item], extra: Mapping[str, Any] = MappingProxyType({})
    ) -> Feature:
        """Return a feature of ``kind`` with the ends ``items``, a new id, and the values ``extra``."""
        number = self._taken.get(kind, 0)
        self._taken[kind] = number + 1
        prefix = self._ground.prefixes[kind]
        name = prefix if not items and not number and kind == prefix else f"{prefix}{number}"
        edges = tuple(dict.fromkeys(item.edge for item in items))
        return Feature(name, kind, edges, _spot(items, land=kind in self._ground.land), extra=extra)


def _around(edges: Iterable[str], ground: Ground) -> list[_Item]:
    """Return the ends of features on all edges, clockwise from the north-west corner.
    ``edges`` are the landscapes of n, e, s, w."""
    found: list[_Item] = []
    for quarter, (edge, landscape) in enumerate(zip(EDGES, edges, strict=True)):
        kinds = ground.along.get(landscape, ())
        for slot, kind in enumerate(kinds):
            along = (2 * slot + 1) / (2 * len(kinds))
            at = ((along, 0.0), (1.0, along), (1.0 - along, 1.0), (0.0, 1.0 - along))[quarter]
            found.append(_Item(len(found), edge, kind, at))
    return found


def _side(place: int, wall: Sequence[int]) -> int:
    """Return the index of the boundary section, between two ends of a wall, that contains ``place``.
    ``wall`` are the places of its ends."""
    return sum(end < place for end in wall) % len(wall)


def _spot(items: Sequence[_Item], *, land: bool) -> Point:
    """Return the spot of a piece on a feature: the mean of its ends; near the edge for one end or a land.
    Without ends it is the middle of the tile."""
    if not items:
        return MIDDLE
    at = [items[0].at] if land else [item.at for item in items]
    u, v = (sum(axis) / len(at) for axis in zip(*at, strict=True))
    inward = INWARD if len(at) == 1 else 0.0
    return (u + inward * (0.5 - u), v + inward * (0.5 - v))


def _edges(word: str) -> tuple[Edge, ...]:
    """Return edges parsed from a word such as ``ew``, sorted. Raises ForeignError for anything else."""
    if not word or any(sign not in EDGES for sign in word):
        raise ForeignError(Message("{name} should name edges, such as ew", name=jv.shown(word)))
    return tuple(edge for edge in EDGES if edge in word)


def _groups(value: object, at: str) -> tuple[tuple[Edge, ...], ...]:
    """Return groups of at least two edges from their JSON. Raises FieldError, its path begins with ``at``."""
    found = []
    for i, item in enumerate(jv.list_at(value, at)):
        names = jv.texts_at(item, f"{at}[{i}]")
        if len(set(names)) < 2 or any(name not in EDGES for name in names):
            raise jv.FieldError(f"{at}[{i}]", "must be two or more of n, e, s, w")
        found.append(tuple(edge for edge in EDGES if edge in names))
    return tuple(found)


def _word(value: object, at: str) -> str:
    """Return a kind of landscape or feature, or ANY. Raises FieldError at the path ``at``."""
    text = jv.text_at(value, at)
    if text != ANY and not text.replace("_", "").isalpha():
        raise jv.FieldError(at, f"must be a word, is {jv.shown(text)}")
    return text
