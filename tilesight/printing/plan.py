"""Plan of print-and-play sheets: the position of each face and back, in millimetres.

`plan_faces` lays the faces out, `with_backs` inserts the pages of backs, and `draw` makes the PDF.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from pathlib import Path

from engine.pack import START_BACK, TOKENS_BACK, Design, Pack

HEADER_MM, FOOTER_MM, SIDE_MM = 12.0, 13.0, 5.0
"""Margins at the head, the foot and the sides of a page, in millimetres."""
GAP_MM = 12.0
"""Gap between the start tile and the animal tiles, in millimetres."""
TOKEN_MM = 18.0
"""Side of an animal tile in millimetres if the pack gives none."""


class SheetsError(ValueError):
    """Sheets cannot be made or written; the message is one line for the user."""


class Paper(StrEnum):
    """Supported sizes of paper."""

    A4 = "a4"
    LETTER = "letter"
    A3 = "a3"

    @property
    def size_mm(self) -> tuple[float, float]:
        """Width and height in mm, in portrait format."""
        return _SIZES_MM[self]


_SIZES_MM = {Paper.A4: (210.0, 297.0), Paper.LETTER: (215.9, 279.4), Paper.A3: (297.0, 420.0)}


@dataclass(frozen=True, slots=True)
class Placed:
    """One square picture on a page: its name, and its box in mm from the page's top left corner.

    ``back`` names the picture on its other side (a deck, START_BACK or TOKENS_BACK), None for blank. ``art``
    is None for a back of which the pack has no picture.
    """

    name: str
    art: Path | None
    x_mm: float
    y_mm: float
    side_mm: float
    back: str | None = None

    @property
    def size_mm(self) -> tuple[float, float]:
        """Width and height in mm."""
        return self.side_mm, self.side_mm


@dataclass(frozen=True, slots=True)
class Card:
    """One piece to fold from paper: its kind and colour, and the box of its strip in mm."""

    kind: str
    color: str
    x_mm: float
    y_mm: float
    size_mm: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Block:
    """Adjacent pictures, or strips to fold, that share cut lines; a ``whole`` block is only cut around."""

    pictures: tuple[Placed, ...] = ()
    whole: bool = False
    cards: tuple[Card, ...] = ()

    def lines_mm(self) -> tuple[list[float], list[float]]:
        """Return the x of the vertical and the y of the horizontal cut lines in mm, sorted."""
        there: tuple[Placed | Card, ...] = (*self.pictures, *self.cards)
        across = {x for p in there for x in (p.x_mm, p.x_mm + p.size_mm[0])}
        down = {y for p in there for y in (p.y_mm, p.y_mm + p.size_mm[1])}
        if self.whole:
            return [min(across), max(across)], [min(down), max(down)]
        return _merged(across), _merged(down)


@dataclass(frozen=True, slots=True)
class Sheet:
    """One page; ``note`` is a line of instructions, ``is_back`` marks the other side of the page before."""

    title: str
    blocks: tuple[Block, ...] = ()
    note: str = ""
    is_back: bool = False


def tiles_called(pack: Pack) -> str:
    """Return the plural for a pack's tiles in the sheets' titles."""
    return "board quarters" if pack.quarters else "land tiles"


def plan_faces(pack: Pack, paper: Paper) -> tuple[Sheet, ...]:
    """Lay out the faces of a pack: tiles, then start tile and animal tiles. Return the pages in order.

    Raises SheetsError if there is nothing to print, a picture is missing, or a tile does not fit the paper.
    """
    width, height = paper.size_mm
    side = pack.tile_mm
    columns = int((width - 2 * SIDE_MM) // side)
    rows = int((height - HEADER_MM - FOOTER_MM) // side)
    if columns < 1 or rows < 1:
        raise SheetsError(f"a tile of {side:g} mm does not fit on {paper.value.upper()} paper")
    faces = [d for d in pack.designs.values() if d.tile.start_cell is None for _ in range(d.count)]
    decks = list(dict.fromkeys(design.tile.deck for design in faces))
    faces_left = iter(sorted(faces, key=lambda design: decks.index(design.tile.deck)))
    sheets: list[Sheet] = []
    while page := list(islice(faces_left, columns * rows)):
        placed = [(d.id, _art(pack, d.id), _tile_back(pack, d)) for d in page]
        sheets.append(Sheet(tiles_called(pack), (_grid(placed, columns, side, (width, height)),)))
    if planned := (*sheets, *_last_sheets(pack, paper)):
        return planned
    raise SheetsError(f"the pack {pack.id!r} has nothing to print")


def _tile_back(pack: Pack, design: Design) -> str | None:
    """Name of a design's back, None for a blank one.

    Quarters of a board have none, as they always lie face up; the start tile has one if its pack has a
    picture of it.
    """
    if pack.quarters:
        return None
    if design.tile.start_cell is None:
        return design.tile.deck
    return START_BACK if START_BACK in pack.backs else None


def _last_sheets(pack: Pack, paper: Paper) -> tuple[Sheet, ...]:
    """Lay out the start tile as one strip, and below it the animal tiles, one animal per row.

    They share a page if they fit on one; empty if the pack has neither.
    """
    width, height = paper.size_mm
    blocks: list[Block] = []
    titles: list[str] = []
    top = HEADER_MM + 6.0
    if pack.start:
        strip = _start_strip(pack, width, top)
        blocks.append(strip)
        titles.append("start tile (do not cut it apart)" if len(pack.start) > 1 else "start tile")
        top = max(picture.y_mm + picture.side_mm for picture in strip.pictures) + GAP_MM
    rows = [[f"token-{animal}"] * count for animal, count in pack.tokens.items()]
    if rows:
        blocks.append(_token_block(pack, rows, (width, height), top, TOKENS_BACK))
        titles.append("animal tiles (cut the round corner too)")
    if pack.animals:
        names = [f"token-{animal}" for animal in pack.animals]
        half = -(-len(names) // 2)
        blocks.append(_token_block(pack, [names[:half], names[half:]], (width, height), top, None))
        titles.append("animals (cut the two corners at the front too)")
    if not blocks:
        return ()
    if any(p.y_mm + p.side_mm > height - FOOTER_MM for block in blocks for p in block.pictures):
        return tuple(Sheet(title, (block,)) for title, block in zip(titles, blocks, strict=True))
    return (Sheet(" · ".join(titles), tuple(blocks)),)


def _start_strip(pack: Pack, width_mm: float, top_mm: float) -> Block:
    cells: list[tuple[tuple[int, int], Design]] = list(pack.start_designs)
    west, north = min(cell[0] for cell, _ in cells), min(cell[1] for cell, _ in cells)
    across = max(cell[0] for cell, _ in cells) - west + 1
    left = (width_mm - across * pack.tile_mm) / 2
    return Block(
        tuple(
            Placed(
                design.id,
                _art(pack, design.id),
                left + (x - west) * pack.tile_mm,
                top_mm + (y - north) * pack.tile_mm,
                pack.tile_mm,
                _tile_back(pack, design),
            )
            for (x, y), design in cells
        ),
        whole=True,
    )


def _token_block(
    pack: Pack, rows: Sequence[list[str]], page_mm: tuple[float, float], top_mm: float, back: str | None
) -> Block:
    """Lay out animal tiles in a grid as wide as the longest of ``rows``, or as the page allows."""
    side = pack.token_mm or TOKEN_MM
    columns = min(int((page_mm[0] - 2 * SIDE_MM) // side), max(map(len, rows)))
    tokens = [(name, _art(pack, name), back) for row in rows for name in row]
    return _grid(tokens, columns, side, page_mm, top_mm)


def _grid(
    pictures: Sequence[tuple[str, Path, str | None]],
    columns: int,
    side_mm: float,
    page_mm: tuple[float, float],
    top_mm: float | None = None,
) -> Block:
    """Lay out pictures row by row without gaps, centred on the page, or below ``top_mm`` if given."""
    columns = min(columns, len(pictures))
    rows = -(-len(pictures) // columns)
    left = (page_mm[0] - columns * side_mm) / 2
    free = page_mm[1] - HEADER_MM - FOOTER_MM - rows * side_mm
    top = HEADER_MM + free / 2 if top_mm is None else top_mm
    return Block(
        tuple(
            Placed(name, art, left + i % columns * side_mm, top + i // columns * side_mm, side_mm, back)
            for i, (name, art, back) in enumerate(pictures)
        )
    )


def _art(pack: Pack, name: str) -> Path:
    path = pack.art_path(name)
    if path is None:
        raise SheetsError(f"pack {pack.id} has no picture of {name}, so it cannot be printed")
    return path


def _merged(positions: set[float]) -> list[float]:
    """Sort positions in mm and merge those less than 0.01 mm apart."""
    merged: list[float] = []
    for position in sorted(positions):
        if not merged or position - merged[-1] > 0.01:
            merged.append(position)
    return merged


def with_backs(pack: Pack, sheets: Sequence[Sheet], paper: Paper) -> tuple[Sheet, ...]:
    """Insert after each page its other side, mirrored for printing that flips on the long edge.

    Pages without backs get a blank one, except the last. If no page has backs, the sheets are returned
    unchanged. Raises PackError if a picture that the pack names is missing.
    """
    width = paper.size_mm[0]
    pages = [
        page
        for number, sheet in enumerate(sheets)
        for page in (sheet, _back_of(pack, sheet, 2 * number + 1, width))
    ]
    if not any(page.is_back and page.blocks for page in pages):
        return tuple(sheets)
    return tuple(pages if pages[-1].blocks else pages[:-1])


def _back_of(pack: Pack, sheet: Sheet, number: int, width_mm: float) -> Sheet:
    """Other side of page ``number``, mirrored; it has no blocks if nothing on the page has a back."""
    turned = [
        Block(
            tuple(
                Placed(
                    f"back-{p.back}", pack.back_path(p.back), width_mm - p.x_mm - p.side_mm, p.y_mm, p.side_mm
                )
                for p in block.pictures
                if p.back is not None
            ),
            whole=block.whole,
        )
        for block in sheet.blocks
    ]
    blocks = tuple(block for block in turned if block.pictures)
    title = f"backs of page {number} (flip on the long edge, or glue)"
    return Sheet(title if blocks else f"blank: the other side of page {number}", blocks, is_back=True)
