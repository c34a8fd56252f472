"""Packs: printed sets of games, with their tiles, features, faces and pictures.

A *tile* is a geometry, a *design* one printed face of it (docs/formats.md, 'Pack'). A pack whose
``game`` is None has no rules: its tiles are read and their edges compared, nothing is scored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

from engine import jsonvalue as jv
from engine.geometry import EDGES, Cell, Corner, Point
from engine.tile import Design, Feature, Tile, read_tile

__all__ = [
    "FORMAT_VERSION", "PACKS", "START_BACK", "TOKENS_BACK", "Art", "Design", "Feature", "Pack", "PackError",
    "Tile", "load_pack", "pack_ids", "read_pack",
]  # fmt: skip

PACKS = Path(__file__).parent / "packs"
FORMAT_VERSION = 1
START_BACK, TOKENS_BACK = "start", "tokens"
"""Names of the backs besides those of the decks of tiles."""
KINDS = (".png", ".jpg", ".webp")
"""File suffixes of a pack's pictures, in order of preference."""


class PackError(ValueError):
    """A pack that cannot be used; the message is one line and names the file."""


class Art(Hashable, Protocol):
    """A picture of a pack: a file of its folder (a `Path`), or one stored in a gallery."""

    @property
    def name(self) -> str:
        """The file name with its suffix: ``CS13-G.webp``."""

    @property
    def suffix(self) -> str:
        """The suffix, one of KINDS."""

    def read_bytes(self) -> bytes:
        """The file's content."""


@dataclass(frozen=True, eq=False)
class Pack:
    """A printed set.
    ``designs`` maps the id of every face, start tiles included, to the face. ``tokens`` is the number of
    animal tiles of each animal, ``token_mm`` their side in mm.

    ``quarters`` are the square parts of a board that is assembled instead of growing tile by tile: the signs
    of each part's squares, north row first. Each part is also a face in ``designs``, of side ``tile_mm``.
    ``animals`` are the species on such a board.

    ``start`` are the tiles that are only used as start tiles; ``start_faces`` are the start tiles whose face
    also occurs among the drawn tiles, as (cell, design id).

    ``backs`` maps decks, START_BACK and TOKENS_BACK to names of pictures of their backs.

    ``folder`` is None for a pack that was not read from a folder. ``source`` is the parsed ``pack.json``.
    ``pictures`` are pictures from elsewhere, by design id or ``token-<animal>``.
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
    start_faces: tuple[tuple[Cell, str], ...] = ()
    source: Mapping[str, Any] = field(default_factory=dict)
    pictures: Mapping[str, Art] = field(default_factory=dict)

    def token_spot(self, corner: Corner) -> Point:
        """Return the centre (u, v) of an animal tile on a board corner, flush with the two edges.
        It is 0..1 from the north-west of the tile's cell on the board."""
        inset = 0.5 * (self.token_mm or 0.4 * self.tile_mm) / self.tile_mm
        return (1.0 - inset if "e" in corner else inset, 1.0 - inset if "s" in corner else inset)

    @cached_property
    def start_designs(self) -> tuple[tuple[Cell, Design], ...]:
        """Return the tiles on the table before the first turn, as (cell, face); their rotation is 0."""
        first = {id(design.tile): design for design in self.designs.values()}
        alone = tuple((tile.start_cell or (0, 0), first[id(tile)]) for tile in self.start)
        return alone + tuple((cell, self.designs[name]) for cell, name in self.start_faces)

    @cached_property
    def bag(self) -> Mapping[str, int]:
        """Number of tiles to draw of each design, start tiles excluded."""
        start = {id(tile) for tile in self.start}
        laid = Counter(name for _, name in self.start_faces)
        return MappingProxyType(
            {
                design.id: design.count - laid[design.id]
                for design in self.designs.values()
                if id(design.tile) not in start
            }
        )

    def art_path(self, stem: str) -> Path | None:
        """Return the picture file of a face (own north up) or of ``token-<animal>``.
        None if the folder has none, or the pack no folder."""
        return None if self.folder is None else _picture(stem, self.folder / "art", self.folder)

    def art(self, stem: str) -> Art | None:
        """Return the picture of a design id or ``token-<animal>``: that in ``pictures``, else the folder's.
        None if there is neither."""
        return self.pictures.get(stem) or self.art_path(stem)

    @property
    def other_stems(self) -> tuple[str, ...]:
        """File stems of the pictures that are not faces: ``token-<animal>``."""
        return tuple(f"token-{animal}" for animal in dict.fromkeys((*self.tokens, *self.animals)))

    @property
    def ships_faces(self) -> bool:
        """Whether the folder has a picture of every face, so that no enrolment is needed."""
        return all(self.art_path(name) for name in self.designs)

    def back_path(self, of: str) -> Path | None:
        """Return the picture file of the back ``of`` a deck, START_BACK or TOKENS_BACK.
        None if ``backs`` names none or the pack has no folder. Raises PackError if the named picture is
        missing."""
        name = self.backs.get(of)
        if name is None or self.folder is None:
            return None
        path = _picture(name, self.folder / "backs")
        if path is None:
            file = self.folder / "pack.json"
            raise PackError(f"{file}: backs.{of}: there is no picture backs/{name}.png, .jpg or .webp")
        return path


def _picture(name: str, *folders: Path) -> Path | None:
    """Return the first existing picture of that name in the folders; None if there is none."""
    paths = (folder / f"{name}{suffix}" for folder in folders for suffix in KINDS)
    return next((path for path in paths if path.is_file()), None)


def pack_ids() -> tuple[str, ...]:
    """The ids of the packs that ship with Tilesight."""
    return tuple(sorted(path.parent.name for path in PACKS.glob("*/pack.json")))


def load_pack(pack: str | Path) -> Pack:
    """Load the pack of that id, or from that folder.
    Raises PackError, with the file and the field at fault, if it is missing or invalid."""
    text = str(pack)
    is_id = isinstance(pack, str) and text and not any(mark in text for mark in "/\\.\0")
    folder = PACKS / text if is_id else Path(text)
    try:  # is_dir() raises for names that are too long and folders without permission
        if is_id and not folder.is_dir() and Path(text).is_dir():
            folder = Path(text)
        source = (folder / "pack.json").read_text("utf-8")
    except (OSError, ValueError):
        known = ", ".join(pack_ids()) or "none"
        raise PackError(
            f"no pack {jv.shown(text)}: neither the id of a pack (known: {known}) nor a pack's folder"
        ) from None
    try:
        return _pack_of(source, folder)
    except jv.FieldError as error:
        raise PackError(f"{folder / 'pack.json'}: {error}") from None


@lru_cache(maxsize=16)
def _pack_of(source: str, folder: Path) -> Pack:
    """Parse a ``pack.json``. Raises FieldError if it is invalid.
    The same text gives the same object, so that caches by tile and pack stay valid."""
    own = jv.object_at(jv.parse(source), "")
    return read_pack(own if "like" not in own else _like(own), folder)


PRINTED = ("art_license", "backs")
"""Fields of a ``pack.json`` about the pictures in its folder, which another printing does not have."""


def _like(own: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the source of a pack that is another printing of the shipped pack ``like``: that one's fields
    without those of its pictures, and its ``own``. Raises FieldError if there is no such pack."""
    name = jv.text_at(own["like"], "like")
    if name not in pack_ids():
        raise jv.FieldError("like", f"is no shipped pack: {jv.shown(name)}")
    shared = load_pack(name).source
    kept = {key: value for key, value in shared.items() if key not in PRINTED}
    return {**kept, **{key: value for key, value in own.items() if key != "like"}}


def read_pack(value: object, folder: Path | None) -> Pack:
    """Return the pack of a parsed ``pack.json``; ``folder`` is where its pictures are, None for none.
    Raises FieldError, with the field at fault."""
    source = jv.object_at(value, "")
    if source.get("tilesight", FORMAT_VERSION) != FORMAT_VERSION:
        raise jv.FieldError("tilesight", f"must be {FORMAT_VERSION}, is {jv.shown(source['tilesight'])}")
    game = source.get("game")
    tiles: list[Tile] = []
    start: list[Tile] = []
    designs: dict[str, Design] = {}
    start_faces: list[tuple[Cell, str]] = []
    for key, into in (("tiles", tiles), ("start", start)):
        for i, item in enumerate(jv.list_at(source.get(key, []), key)):
            if key == "start" and isinstance(item, dict) and "design" in item:
                start_faces.append(_read_start_face(item, f"start[{i}]", designs))
                continue
            tile, faces = read_tile(item, f"{key}[{i}]", start=key == "start")
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
        start_faces=tuple(start_faces),
        source=MappingProxyType(dict(source)),
    )


def _read_start_face(value: object, at: str, designs: Mapping[str, Design]) -> tuple[Cell, str]:
    """Return a start tile whose face also occurs among the drawn tiles, as (cell, design id).
    ``designs`` are the faces read so far. Raises FieldError, with a path that begins with ``at``."""
    source = jv.object_at(value, at, ("design", "cell"))
    name = jv.text_at(jv.get(source, "design", at), f"{at}.design")
    if name not in designs or not designs[name].count:
        raise jv.FieldError(f"{at}.design", f"there is no tile {name}")
    return jv.cell_at(jv.get(source, "cell", at), f"{at}.cell"), name


def _read_backs(value: object, decks: set[str]) -> dict[str, str]:
    """Return the names of the backs' pictures, by deck, START_BACK or TOKENS_BACK. Raises FieldError."""
    backs = jv.object_at(value, "backs", (*sorted(decks), START_BACK, TOKENS_BACK))
    return {of: _read_file_name(name, f"backs.{of}") for of, name in backs.items()}


QUARTER_EDGE = "squares"
"""Landscape of every edge of a quarter: any two may be adjacent, in any rotation."""


def _read_quarter(value: object, at: str) -> tuple[Design, tuple[str, ...]]:
    """Return the face and the rows of signs of a part of a board of squares.
    Raises FieldError, with a path that begins with ``at``."""
    source = jv.object_at(value, at)
    name = jv.text_at(jv.get(source, "id", at), f"{at}.id")
    squares = jv.texts_at(jv.get(source, "squares", at), f"{at}.squares")
    if not squares or any(len(row) != len(squares) for row in squares):
        raise jv.FieldError(f"{at}.squares", "must be as many rows as each has signs")
    edges = MappingProxyType(dict.fromkeys(EDGES, QUARTER_EDGE))
    tile = Tile(name, edges, (), MappingProxyType(dict.fromkeys(EDGES, ())))
    return Design(name, tile, 1, MappingProxyType({})), squares


def _read_file_name(value: object, at: str) -> str:
    """Return a bare file name: no separators, no leading dot. Raises FieldError at the path ``at``."""
    text = jv.text_at(value, at)
    if text.startswith(".") or any(mark in text for mark in "/\\:"):
        raise jv.FieldError(at, f"cannot be the name of a file, is {jv.shown(text)}")
    return text


def _read_tokens(value: object) -> tuple[dict[str, int], float | None]:
    """Return the number of tokens of each animal, and a token's side in mm (None if not given).
    Raises FieldError."""
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
