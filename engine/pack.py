"""Packs: one printed set of a game each, its tiles with their features, the printed faces, the art.

A *tile* is a geometry, a *design* one printed face of it (docs/formats.md, 'Pack'). A pack whose
``game`` is None has no rules: its tiles are read and their edges compared, nothing is scored.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

from engine import jsonvalue as jv
from engine.geometry import EDGES, Cell, Corner, Edge, Point

PACKS = Path(__file__).parent / "packs"
FORMAT_VERSION = 1
START_BACK, TOKENS_BACK = "start", "tokens"
"""Names of the backs besides those of the decks of tiles."""


class PackError(ValueError):
    """A pack that cannot be used; the message is one line and names the file."""


class Art(Hashable, Protocol):
    """A picture that belongs to a pack: a file of its folder (a `Path`), or one that a gallery carries."""

    @property
    def name(self) -> str:
        """The file's name, its kind at the end: ``CS13-G.jpg``."""

    @property
    def suffix(self) -> str:
        """The kind of file, ``.png`` or ``.jpg``."""

    def read_bytes(self) -> bytes:
        """The file's content."""


@dataclass(frozen=True, slots=True)
class Feature:
    """One feature of a tile, in the tile's own frame (points 0..1, u east, v south).

    ``edges`` are the own edges it reaches. ``spot`` is where a piece stands, ``hut_spot`` where a hut does if
    that is elsewhere. ``ends_in`` is set for a trail with one edge: 'savanna'
    or the bush it stops in. ``extra`` holds what only some games know (fish, menhir, lake, …).
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
        """Every place where a piece may stand on the feature, in the tile's own frame."""
        return (self.spot,) if self.hut_spot is None else (self.spot, self.hut_spot)

    def spot_of(self, kind: str) -> Point:
        """Place where a piece of that kind stands on the feature, in the tile's own frame."""
        return self.hut_spot if kind == "hut" and self.hut_spot is not None else self.spot


@dataclass(frozen=True, slots=True, eq=False)
class Tile:
    """A geometry: what lies on its four own edges and which features it has.

    ``edges`` gives each own edge's kind. ``sides`` gives, for each own edge, the features that reach
    it, clockwise (empty for open savanna, three for a Hunters and Gatherers river edge).
    ``start_cell`` is the cell of a start tile. ``deck`` tells apart tiles with different backs.
    """

    id: str
    edges: Mapping[Edge, str]
    features: tuple[Feature, ...]
    sides: Mapping[Edge, tuple[str, ...]]
    start_cell: Cell | None = None
    deck: str = "regular"

    def feature(self, feature_id: str) -> Feature | None:
        """The feature of that id, or None."""
        return next((feature for feature in self.features if feature.id == feature_id), None)


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """One printed face. ``animals`` maps a feature's id to the animals printed on it."""

    id: str
    tile: Tile
    count: int
    animals: Mapping[str, tuple[str, ...]]

    def __repr__(self) -> str:
        return f"Design({self.id!r})"


@dataclass(frozen=True, eq=False)
class Pack:
    """A printed set. ``designs`` holds every face, those of the start tiles included; ``tokens`` how many
    animal tiles there are of each animal, ``token_mm`` their side.

    A board that is put together from square parts instead of growing tile by tile has its parts in
    ``quarters``: the signs of each one's squares, north row first. Each is a face among ``designs`` too, of
    side ``tile_mm``. ``animals`` are the species that walk on it.

    ``backs`` names the pictures on the backs of the decks, of START_BACK and of TOKENS_BACK, as far as
    the pack has them.

    ``folder`` is None where the pack does not come from a folder. ``source`` is what its ``pack.json`` says.
    ``pictures`` are kept beside the folder's, by design id or ``token-<animal>``.
    """

    id: str
    game: str | None
    title: str
    tile_mm: float
    folder: Path | None
    tiles: tuple[Tile, ...]
    start: tuple[Tile, ...]
    designs: Mapping[str, Design]
    tokens: Mapping[str, int]
    token_mm: float | None = None
    quarters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    animals: tuple[str, ...] = ()
    backs: Mapping[str, str] = field(default_factory=dict)
    source: Mapping[str, Any] = field(default_factory=dict)
    pictures: Mapping[str, Art] = field(default_factory=dict)

    def token_spot(self, corner: Corner) -> Point:
        """Middle, on its tile, of an animal tile that covers a board corner: it lies flush with the two
        edges there."""
        inset = 0.5 * (self.token_mm or 0.4 * self.tile_mm) / self.tile_mm
        return (1.0 - inset if "e" in corner else inset, 1.0 - inset if "s" in corner else inset)

    @cached_property
    def start_designs(self) -> tuple[tuple[Cell, Design], ...]:
        """Tiles that lie on the table before the first turn, always with rot 0."""
        first = {id(design.tile): design for design in self.designs.values()}
        return tuple((tile.start_cell or (0, 0), first[id(tile)]) for tile in self.start)

    @cached_property
    def bag(self) -> Mapping[str, int]:
        """Number of tiles of each design that are drawn in a game (the start tile is not)."""
        start = {id(tile) for tile in self.start}
        return MappingProxyType(
            {design.id: design.count for design in self.designs.values() if id(design.tile) not in start}
        )

    def art_path(self, design_id: str) -> Path | None:
        """The file of a face's picture (the tile's own north up), or None where there is none."""
        return None if self.folder is None else _picture(design_id, self.folder / "art", self.folder)

    def token_art_path(self, animal: str) -> Path | None:
        """The file of an animal tile's picture, or None."""
        return self.art_path(f"token-{animal}")

    def art(self, stem: str) -> Art | None:
        """The picture of a design id or ``token-<animal>``: the folder's, else one kept beside it."""
        return self.art_path(stem) or self.pictures.get(stem)

    @property
    def other_stems(self) -> tuple[str, ...]:
        """File stems of pictures there may be besides faces: ``token-<animal>``."""
        return tuple(f"token-{animal}" for animal in dict.fromkeys((*self.tokens, *self.animals)))

    @property
    def ships_faces(self) -> bool:
        """Whether the pack's folder has a picture of every face, so that nothing needs to be enrolled."""
        return all(self.art_path(name) for name in self.designs)

    def back_path(self, of: str) -> Path | None:
        """The picture on the backs of a deck, of the start tile or of the animal tiles; None where ``backs``
        names none or the pack has no folder. PackError where the picture that it names is not there."""
        name = self.backs.get(of)
        if name is None or self.folder is None:
            return None
        path = _picture(name, self.folder / "backs")
        if path is None:
            file = self.folder / "pack.json"
            raise PackError(f"{file}: backs.{of}: there is no picture backs/{name}.png or backs/{name}.jpg")
        return path


def _picture(name: str, *folders: Path) -> Path | None:
    """The first picture of that name in the folders."""
    paths = (folder / f"{name}{suffix}" for folder in folders for suffix in (".png", ".jpg"))
    return next((path for path in paths if path.is_file()), None)


def pack_ids() -> tuple[str, ...]:
    """The packs that ship with Tilesight."""
    return tuple(sorted(path.parent.name for path in PACKS.glob("*/pack.json")))


def load_pack(pack: str | Path) -> Pack:
    """The pack of that id, or in that folder. PackError says what is wrong, with file and field."""
    text = str(pack)
    is_id = isinstance(pack, str) and text and not any(mark in text for mark in "/\\.\0")
    folder = PACKS / text if is_id else Path(text)
    try:  # asking for a folder fails too where its name is too long or may not be looked at
        if is_id and not folder.is_dir() and Path(text).is_dir():
            folder = Path(text)
        source = (folder / "pack.json").read_text("utf-8")
    except (OSError, ValueError):
        known = ", ".join(pack_ids()) or "none"
        raise PackError(
            f"no pack {jv.shown(text)}: neither the id of a pack (known: {known}) nor a pack's folder"
        ) from None
    try:
        return read_pack(jv.parse(source), folder)
    except jv.FieldError as error:
        raise PackError(f"{folder / 'pack.json'}: {error}") from None


def read_pack(value: object, folder: Path | None) -> Pack:
    """A pack from the values of its ``pack.json``. jsonvalue.FieldError names what is wrong."""
    source = jv.object_at(value, "")
    if source.get("tilesight", FORMAT_VERSION) != FORMAT_VERSION:
        raise jv.FieldError("tilesight", f"must be {FORMAT_VERSION}, is {jv.shown(source['tilesight'])}")
    game = source.get("game")
    tiles: list[Tile] = []
    start: list[Tile] = []
    designs: dict[str, Design] = {}
    for key, into in (("tiles", tiles), ("start", start)):
        for i, item in enumerate(jv.list_at(source.get(key, []), key)):
            tile, faces = _read_tile(item, f"{key}[{i}]", start=key == "start")
            into.append(tile)
            for face in faces:
                if face.id in designs:
                    raise jv.FieldError(f"{key}[{i}].designs", f"{face.id} is there twice")
                designs[face.id] = face
    quarters: dict[str, tuple[str, ...]] = {}
    for i, item in enumerate(jv.list_at(source.get("quarters", []), "quarters")):
        face, squares = _read_quarter(item, f"quarters[{i}]")
        if face.id in designs:
            raise jv.FieldError(f"quarters[{i}]", f"{face.id} is there twice")
        tiles.append(face.tile)
        designs[face.id], quarters[face.id] = face, squares
    animals = jv.texts_at(source.get("animals", []), "animals")
    if len(set(animals)) != len(animals):
        raise jv.FieldError("animals", "one is there twice")
    tile_mm = jv.number_at(source.get("tile_mm", 45), "tile_mm")
    if tile_mm <= 0:
        raise jv.FieldError("tile_mm", "must be more than 0")
    tokens, token_mm = _read_tokens(source.get("tokens", {}))
    return Pack(
        id=_read_file_name(jv.get(source, "id"), "id"),
        game=None if game is None else jv.text_at(game, "game"),
        title=jv.text_at(source.get("title", source.get("id")), "title"),
        tile_mm=tile_mm,
        folder=folder,
        tiles=tuple(tiles),
        start=tuple(start),
        designs=MappingProxyType(designs),
        tokens=MappingProxyType(tokens),
        token_mm=token_mm,
        quarters=MappingProxyType(quarters),
        animals=animals,
        backs=MappingProxyType(_read_backs(source.get("backs", {}), {tile.deck for tile in tiles})),
        source=MappingProxyType(dict(source)),
    )


def _read_backs(value: object, decks: set[str]) -> dict[str, str]:
    """The names of pictures, by deck, START_BACK or TOKENS_BACK."""
    backs = jv.object_at(value, "backs", (*sorted(decks), START_BACK, TOKENS_BACK))
    return {of: _read_file_name(name, f"backs.{of}") for of, name in backs.items()}


QUARTER_EDGE = "squares"
"""Kind of every edge of a quarter: any two may lie side by side, however they are turned."""


def _read_quarter(value: object, at: str) -> tuple[Design, tuple[str, ...]]:
    source = jv.object_at(value, at)
    name = jv.text_at(jv.get(source, "id", at), f"{at}.id")
    squares = jv.texts_at(jv.get(source, "squares", at), f"{at}.squares")
    if not squares or any(len(row) != len(squares) for row in squares):
        raise jv.FieldError(f"{at}.squares", "must be as many rows as each has signs")
    edges = MappingProxyType(dict.fromkeys(EDGES, QUARTER_EDGE))
    tile = Tile(name, edges, (), MappingProxyType(dict.fromkeys(EDGES, ())))
    return Design(name, tile, 1, MappingProxyType({})), squares


def _read_file_name(value: object, at: str) -> str:
    """Name of a file, as a pack's id is one: no separators, no leading dot."""
    text = jv.text_at(value, at)
    if text.startswith(".") or any(mark in text for mark in "/\\:"):
        raise jv.FieldError(at, f"cannot be the name of a file, is {jv.shown(text)}")
    return text


def _read_tokens(value: object) -> tuple[dict[str, int], float | None]:
    """Number of tokens of each animal, and a token's side in mm."""
    source = jv.object_at(value, "tokens")
    counts = jv.object_at(source.get("animals", {}), "tokens.animals")
    side = source.get("mm")
    return (
        {
            animal: jv.integer_at(count, f"tokens.animals.{animal}", least=0)
            for animal, count in counts.items()
        },
        None if side is None else jv.number_at(side, "tokens.mm"),
    )


def _read_tile(value: object, at: str, *, start: bool) -> tuple[Tile, list[Design]]:
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
    tile = Tile(tile_id, MappingProxyType(edges), features, MappingProxyType(sides), cell, deck)
    faces = jv.list_at(source.get("designs", [{"id": tile_id, "count": 1}]), f"{at}.designs")
    return tile, [_read_design(item, f"{at}.designs[{i}]", tile, names) for i, item in enumerate(faces)]


_PLAIN = {"id", "kind", "edges", "spot", "hut_spot", "path", "region", "birds", "ends_in"}


def _read_feature(value: object, at: str) -> Feature:
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
        spot=_read_point(spot, f"{at}.spot"),
        hut_spot=None if hut_spot is None else _read_point(hut_spot, f"{at}.hut_spot"),
        path=_read_points(source.get("path"), f"{at}.path"),
        region=_read_points(source.get("region"), f"{at}.region"),
        birds=jv.integer_at(source.get("birds", 0), f"{at}.birds", least=0),
        ends_in=None if ends_in is None else jv.text_at(ends_in, f"{at}.ends_in"),
        extra=MappingProxyType({key: item for key, item in source.items() if key not in _PLAIN}),
    )


def _read_design(value: object, at: str, tile: Tile, names: set[str]) -> Design:
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


def _read_point(value: object, at: str) -> Point:
    u, v = (jv.number_at(item, at) for item in jv.list_at(value, at, 2))
    return (u, v)


def _read_points(value: object, at: str) -> tuple[Point, ...] | None:
    if value is None:
        return None
    return tuple(_read_point(item, f"{at}[{i}]") for i, item in enumerate(jv.list_at(value, at)))
