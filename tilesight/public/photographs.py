"""Photographs of a board, read: `tilesight.read`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tilesight.public.results import Drawing, Json, PicturedResult

Cell = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Tile:
    """A tile on the board. ``tile`` is the id of its design (None: no face of the edition explains it),
    ``rot`` its turn clockwise in degrees, ``confidence`` the probability that both are right; ``corners_px``
    are nw, ne, se, sw of its print in pixels of the first photograph, ``alternatives`` the next likely
    readings as ``(tile, rot, confidence)``."""

    tile: str | None
    cell: Cell
    rot: int
    confidence: float
    corners_px: tuple[tuple[float, float], ...]
    alternatives: tuple[tuple[str, int, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of wood or an animal tile. ``cell`` is None beside the board, ``feature`` the id of the part of
    the tile's print it stands on; ``confidence`` is the probability that there is a piece of that kind,
    ``color_confidence`` that of its colour given that there is one."""

    kind: str
    color: str | None
    pose: str | None
    cell: Cell | None
    feature: str | None
    point_px: tuple[float, float]
    confidence: float
    color_confidence: float | None = None
    animal: str | None = None


@dataclass(frozen=True, eq=False)
class Board(PicturedResult):
    """A board as photographs show it. ``faults`` are the rules that it breaks, in words."""

    tiles: tuple[Tile, ...]
    pieces: tuple[Piece, ...]
    faults: tuple[str, ...]
    document: Mapping[str, Any] = field(repr=False)
    drawing: Drawing | None = field(default=None, repr=False)

    @property
    def game(self) -> str | None:
        """Id of the game; None where the edition is not known."""
        return self._text("game")

    @property
    def pack(self) -> str | None:
        """Id of the edition; None where it is not known."""
        return self._text("pack")

    @property
    def points(self) -> dict[str, int]:
        """The points by colour if the game ended now, without those scored during the game."""
        return dict(self.document.get("if_ended_now", {}))

    @property
    def ranges(self) -> dict[str, tuple[int, int]]:
        """The least and the most points by colour that are likely."""
        told = self.document.get("if_ended_ranges", {})
        return {color: (least, most) for color, (least, most) in told.items()}

    @property
    def probability(self) -> float:
        """The probability that all points are right."""
        return float(self.document.get("if_ended_probability", 0.0))

    @property
    def reasons(self) -> tuple[str, ...]:
        """The reason for every point, a line each."""
        return tuple(
            f"{one['player']} +{one['points']}: {one['kind']} ({one['why']})"
            for one in self.document.get("if_ended_events", ())
        )

    def to_json(self) -> Json:
        """The board as ``tilesight photo --json`` prints it (docs/formats.md, 'Output of photo')."""
        return dict(self.document)

    def _text(self, name: str) -> str | None:
        value = self.document.get(name)
        return None if value is None else str(value)

    def _rows(self) -> Iterator[Mapping[str, Any]]:
        for tile in self.tiles:
            x, y = tile.cell
            there = [piece for piece in self.pieces if piece.cell == tile.cell]
            pieces = ", ".join(f"{piece.color or ''} {piece.kind}".strip() for piece in there)
            about = {"tile": tile.tile, "rot": tile.rot, "confidence": tile.confidence}
            yield {"x": x, "y": y, **about, "pieces": pieces}


def read(
    *images: str | Path,
    pack: str | None = None,
    gallery: str | Path | None = None,
    rules: str | None = None,
) -> Board:
    """Read a photograph of a board, or several of the same board.

    ``pack`` is the id or folder of the edition; it is recognised where neither it nor a ``gallery`` (a file
    of `enrol`) is given. ``rules`` names a rule edition of the game, by which the points are counted. Raises
    ValueError, with a line for people, where a picture or a pack cannot be read, or where the photographs do
    not show the same board.
    """
    from tilesight.photograph.document import photo_document
    from tilesight.photograph.reading import Asked, faults_of, read_photographs
    from tilesight.photograph.score import score_photograph
    from vision.image.decode import read_frame
    from vision.overlay import draw_overlay

    paths = [Path(image) for image in images]
    if not paths:
        raise ValueError("name at least one photograph")
    reading = read_photographs(paths, Asked(pack, None if gallery is None else Path(gallery), rules))
    picture = read_frame(paths[0]).image
    if reading.pack is not None and reading.pack.quarters:
        from tilesight.grading.squares_photo import draw_squares, seen_squares, squares_document

        seen = seen_squares(reading.observation, reading.pack)
        document = squares_document(seen, reading.pack, reading.size_wh, reading.timing_ms)
        return _board(document, lambda: picture if seen is None else draw_squares(picture, seen))
    board = reading.board
    faults = faults_of(board, reading.pack)
    document = photo_document(reading, board, faults, score_photograph(board, reading.pack, rules))
    faulty = frozenset(fault.cell for fault in faults if fault.cell is not None)
    return _board(document, lambda: draw_overlay(picture, board, faulty))


def _board(document: Mapping[str, Any], drawing: Drawing) -> Board:
    tiles = tuple(_tile(one) for one in document["tiles"])
    pieces = tuple(_piece(one) for one in document["pieces"])
    faults = tuple(str(fault["message"]) for fault in document["faults"])
    return Board(tiles, pieces, faults, document, drawing)


def _tile(one: Mapping[str, Any]) -> Tile:
    corners = tuple((float(x), float(y)) for x, y in one["corners_px"])
    others = tuple((o["tile"], o["rot"], o["confidence"]) for o in one.get("alternatives", ()))
    x, y = one["cell"]
    return Tile(one["tile"], (x, y), one["rot"], one["confidence"], corners, others)


def _piece(one: Mapping[str, Any]) -> Piece:
    cell = one.get("cell")
    x, y = one["point_px"]
    return Piece(
        kind=one["kind"],
        color=one.get("color"),
        pose=one.get("pose"),
        cell=None if cell is None else (cell[0], cell[1]),
        feature=one.get("feature"),
        point_px=(float(x), float(y)),
        confidence=one["confidence"],
        color_confidence=one.get("color_confidence"),
        animal=one.get("animal"),
    )
