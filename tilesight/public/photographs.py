"""Reading of photographs of a board: `tilesight.read`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tilesight.public.results import Drawing, Json, PicturedResult

Cell = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Tile:
    """A tile on the board.

    ``tile`` is the id of its design (None if no face of the pack explains it), ``cell`` its (x, y) in the
    game's frame of reference, ``rot`` its rotation clockwise in degrees, ``confidence`` the probability that
    design and rotation are right. ``corners_px`` are the corners nw, ne, se, sw of its print in pixels of the
    first photograph, ``alternatives`` the next likely readings as ``(tile, rot, confidence)``.
    """

    tile: str | None
    cell: Cell
    rot: int
    confidence: float
    corners_px: tuple[tuple[float, float], ...]
    alternatives: tuple[tuple[str, int, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Piece:
    """A wooden piece or an animal tile.

    ``cell`` is None beside the board, ``feature`` the id of the feature that it occupies, ``point_px`` its
    foot in pixels of the first photograph. ``confidence`` is the probability that there is this piece,
    ``color_confidence`` that of its colour if there is one. ``animal`` is set for animal tiles only.
    """

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
    """Result of `read`: the board, and ``faults``, one sentence for each rule that it breaks."""

    tiles: tuple[Tile, ...]
    pieces: tuple[Piece, ...]
    faults: tuple[str, ...]
    document: Mapping[str, Any] = field(repr=False)
    drawing: Drawing | None = field(default=None, repr=False)

    @property
    def game(self) -> str | None:
        """Id of the game; None if the pack is unknown or has no game."""
        return self._text("game")

    @property
    def pack(self) -> str | None:
        """Id of the pack; None if it is unknown."""
        return self._text("pack")

    @property
    def trouble(self) -> str | None:
        """The reason why no board was found, with a remedy; None if one was found, or if it is unknown."""
        told = self.document.get("trouble")
        return None if told is None else str(told["message"])

    @property
    def points(self) -> dict[str, int]:
        """Points by colour that the end of the game would bring now, without those scored before."""
        return dict(self.document.get("if_ended_now", {}))

    @property
    def ranges(self) -> dict[str, tuple[int, int]]:
        """(Minimum, maximum) of each colour's points; all are in them with a probability of 90 %."""
        told = self.document.get("if_ended_ranges", {})
        return {color: (least, most) for color, (least, most) in told.items()}

    @property
    def probability(self) -> float:
        """Probability that all points are right; 0 if the board was not scored."""
        return float(self.document.get("if_ended_probability", 0.0))

    @property
    def reasons(self) -> tuple[str, ...]:
        """One line of text for each score: colour, points, kind and reason; empty if nothing scores."""
        return tuple(
            f"{one['player']} +{one['points']}: {one['kind']} ({one['why']})"
            for one in self.document.get("if_ended_events", ())
        )

    def to_json(self) -> Json:
        """Return the document that ``tilesight photo --json`` prints (docs/formats.md, 'Output of photo')."""
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
    """Read one photograph of a board, or several of the same board.

    ``pack`` is the id or folder of a pack, ``gallery`` a file of `enrol`; without both, the pack is
    recognised. ``rules`` is the rule edition by which the board is scored. Raises ValueError, with a message
    of one line, if a picture or pack cannot be read, or if the photographs do not show the same board.
    """
    from tilesight.photograph.document import about_reading, photo_document
    from tilesight.photograph.reading import ReadingOptions, faults_of, read_photographs
    from tilesight.photograph.score import score_photograph
    from vision.image.decode import read_frame
    from vision.overlay import draw_overlay

    paths = [Path(image) for image in images]
    if not paths:
        raise ValueError("name at least one photograph")
    reading = read_photographs(paths, ReadingOptions(pack, None if gallery is None else Path(gallery), rules))
    picture = read_frame(paths[0]).image
    if reading.pack is not None and reading.pack.quarters:
        from tilesight.grading.squares_photo import draw_squares, seen_squares, squares_document

        seen = seen_squares(reading.observation, reading.pack)
        document = squares_document(seen, reading.pack, reading.size_wh, reading.timing_ms)
        document |= about_reading(reading)
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
