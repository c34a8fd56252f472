"""`tilesight print`: print-and-play sheets of a pack as a PDF, every piece at its true size.

First :func:`plan_sheets` says what goes where, in millimetres; then :func:`write_pdf` draws it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer
from fpdf import FPDF
from fpdf.prefs import ViewerPreferences

from engine.pack import Design, Pack, load_pack

HEADER_MM, FOOTER_MM, SIDE_MM = 12.0, 13.0, 5.0
"""What is kept free at the head, the foot and the sides of a page."""
MARK_MM, MARK_AWAY_MM, EDGE_MM = 2.5, 1.0, 2.0
"""A cut mark's length, how far it keeps from the picture, and from the paper's edge."""
TEXT_MM = 8.0
"""Where lines of text begin."""
RULER_MM = 100
GAP_MM = 12.0
"""Between the start tile and the animal tiles."""
TOKEN_MM = 18.0
"""An animal tile's side where the pack says nothing."""


class SheetsError(ValueError):
    """Sheets that cannot be made or written; one line for the user."""


class Paper(StrEnum):
    """The sizes of paper that sheets are made for."""

    A4 = "a4"
    LETTER = "letter"
    A3 = "a3"

    @property
    def size_mm(self) -> tuple[float, float]:
        """Width and height, upright."""
        return _SIZES_MM[self]


_SIZES_MM = {Paper.A4: (210.0, 297.0), Paper.LETTER: (215.9, 279.4), Paper.A3: (297.0, 420.0)}


@dataclass(frozen=True, slots=True)
class Placed:
    """One picture on a page: what it shows, and its box in mm from the page's top left corner."""

    name: str
    art: Path
    x_mm: float
    y_mm: float
    side_mm: float


@dataclass(frozen=True, slots=True)
class Block:
    """Pictures that touch each other: cut along lines right through the block, or round it if `whole`."""

    pictures: tuple[Placed, ...]
    whole: bool = False

    def lines_mm(self) -> tuple[list[float], list[float]]:
        """Where to cut: the x of upright and the y of level lines."""
        across = {x for p in self.pictures for x in (p.x_mm, p.x_mm + p.side_mm)}
        down = {y for p in self.pictures for y in (p.y_mm, p.y_mm + p.side_mm)}
        if self.whole:
            return [min(across), max(across)], [min(down), max(down)]
        return _merged(across), _merged(down)


@dataclass(frozen=True, slots=True)
class Sheet:
    """One page."""

    title: str
    blocks: tuple[Block, ...]


def print_command(
    pack: Annotated[
        str, typer.Argument(help="id or folder of a pack, for example savanna; or mat, or board")
    ],
    out: Annotated[Path, typer.Argument(help="the PDF to write")],
    paper: Annotated[Paper, typer.Option(case_sensitive=False, help="size of the paper")] = Paper.A4,
    sheets: Annotated[str, typer.Option(help="how many sheets a mat has, across and down")] = "2x2",
    as_json: Annotated[
        bool, typer.Option("--json", help="say what was written as one JSON document")
    ] = False,
) -> None:
    """Write print-and-play sheets at true size: tiles and animals of a pack, or a marker mat."""
    if pack in EXTRAS:
        from tilesight.markersheets import print_extra  # late: OpenCV draws the markers

        print_extra(pack, out, paper, sheets, as_json=as_json)
        return
    opened = load_pack(pack)
    planned = plan_sheets(opened, paper)
    write_pdf(opened, planned, paper, out)
    laid = [design for design in opened.designs.values() if design.tile.start_cell is None]
    tiles = sum(design.count for design in laid)
    said = {
        "tilesight": 1,
        "pack": opened.id,
        "file": str(out),
        "paper": paper.value,
        "pages": len(planned),
        "tile_mm": opened.tile_mm,
        "tiles": tiles,
        "start_cells": len(opened.start),
        "tokens": sum(opened.tokens.values()) + len(opened.animals),
    }
    if as_json:
        typer.echo(json.dumps(said))
        return
    pages = f"{len(planned)} pages {paper.value.upper()}"
    typer.echo(f"{out}: {pages}, {tiles} {_called(opened)} of {opened.tile_mm:g} mm")
    typer.echo("Print at 100 % (no 'fit to page') and measure the ruler before you cut.")


EXTRAS = ("mat", "board")
"""What is printed beside packs: the marker mat, the board that `tilesight calibrate` is shown."""


def _called(pack: Pack) -> str:
    return "board quarters" if pack.quarters else "land tiles"


def plan_sheets(pack: Pack, paper: Paper) -> tuple[Sheet, ...]:
    """What goes on which page. SheetsError where there is nothing to print, a picture is missing, or a piece
    does not fit the paper."""
    width, height = paper.size_mm
    side = pack.tile_mm
    columns = int((width - 2 * SIDE_MM) // side)
    rows = int((height - HEADER_MM - FOOTER_MM) // side)
    if columns < 1 or rows < 1:
        raise SheetsError(f"a tile of {side:g} mm does not fit on {paper.value.upper()} paper")
    faces = [d for d in pack.designs.values() if d.tile.start_cell is None for _ in range(d.count)]
    faces_left = iter(faces)
    sheets: list[Sheet] = []
    while page := list(islice(faces_left, columns * rows)):
        block = _grid([(d.id, _art(pack, d.id)) for d in page], columns, side, (width, height))
        sheets.append(Sheet(_called(pack), (block,)))
    if planned := (*sheets, *_last_sheets(pack, paper)):
        return planned
    raise SheetsError(f"the pack {pack.id!r} has nothing to print")


def _last_sheets(pack: Pack, paper: Paper) -> tuple[Sheet, ...]:
    """The start tile as one strip, and under it the animal tiles, one animal to a row."""
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
        blocks.append(_token_block(pack, rows, (width, height), top))
        titles.append("animal tiles (cut the round corner too)")
    if pack.animals:
        names = [f"token-{animal}" for animal in pack.animals]
        half = -(-len(names) // 2)
        blocks.append(_token_block(pack, [names[:half], names[half:]], (width, height), top))
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
            )
            for (x, y), design in cells
        ),
        whole=True,
    )


def _token_block(pack: Pack, rows: Sequence[list[str]], page_mm: tuple[float, float], top_mm: float) -> Block:
    """Animals, as many beside each other as the longest row has and the page holds."""
    side = pack.token_mm or TOKEN_MM
    columns = min(int((page_mm[0] - 2 * SIDE_MM) // side), max(map(len, rows)))
    tokens = [(name, _art(pack, name)) for row in rows for name in row]
    return _grid(tokens, columns, side, page_mm, top_mm)


def _grid(
    pictures: Sequence[tuple[str, Path]],
    columns: int,
    side_mm: float,
    page_mm: tuple[float, float],
    top_mm: float | None = None,
) -> Block:
    """Pictures row by row without gaps, centred on the page (from `top_mm` on where given)."""
    columns = min(columns, len(pictures))
    rows = -(-len(pictures) // columns)
    left = (page_mm[0] - columns * side_mm) / 2
    free = page_mm[1] - HEADER_MM - FOOTER_MM - rows * side_mm
    top = HEADER_MM + free / 2 if top_mm is None else top_mm
    return Block(
        tuple(
            Placed(name, art, left + index % columns * side_mm, top + index // columns * side_mm, side_mm)
            for index, (name, art) in enumerate(pictures)
        )
    )


def _art(pack: Pack, name: str) -> Path:
    path = pack.art_path(name)
    if path is None:
        raise SheetsError(f"pack {pack.id} has no picture of {name}, so it cannot be printed")
    return path


def _merged(positions: set[float]) -> list[float]:
    """Sorted positions, those that differ by rounding taken once."""
    merged: list[float] = []
    for position in sorted(positions):
        if not merged or position - merged[-1] > 0.01:
            merged.append(position)
    return merged


def write_pdf(pack: Pack, sheets: Sequence[Sheet], paper: Paper, out: Path) -> None:
    """Draw the sheets into a PDF. SheetsError where the file cannot be written."""
    width, height = paper.size_mm
    pdf = new_pdf(pack.title, (width, height))
    licence = _licence(pack)
    for number, sheet in enumerate(sheets, 1):
        pdf.add_page()
        for block in sheet.blocks:
            _draw_cut_marks(pdf, block, width)
            for picture in block.pictures:
                pdf.image(picture.art, picture.x_mm, picture.y_mm, picture.side_mm, picture.side_mm)
        head = f"{pack.title}  ·  {sheet.title}  ·  page {number} of {len(sheets)}"
        write_frame(pdf, (width, height), head, licence)
    save_pdf(pdf, out)


def new_pdf(title: str, page_mm: tuple[float, float]) -> FPDF:
    """An empty PDF that asks printers not to scale it."""
    pdf = FPDF(unit="mm", format=page_mm)
    pdf.set_auto_page_break(False)
    pdf.set_margin(0)
    pdf.set_title(_latin(title))
    pdf.set_creator("Tilesight")
    pdf.viewer_preferences = ViewerPreferences(print_scaling="None")
    return pdf


def save_pdf(pdf: FPDF, out: Path) -> None:
    """Write the file. SheetsError where it cannot be written."""
    try:
        pdf.output(str(out))
    except OSError as error:
        raise SheetsError(f"cannot write {out}: {error.strerror or error}") from None


def write_frame(
    pdf: FPDF, page_mm: tuple[float, float], head: str, foot: str, left_mm: float = TEXT_MM
) -> None:
    """What stands around the pieces of a page: its title, the ruler, a last line."""
    _write(pdf, left_mm, 7.2, head, 8.5, bold=True)
    _draw_ruler(pdf, left_mm, page_mm[1] - 8.5)
    advice = "100 mm: measure it before you cut; print at 100 %, not 'fit to page'"
    _write(pdf, left_mm + RULER_MM + 3, page_mm[1] - 8.2, advice, 6.5)
    _write(pdf, left_mm, page_mm[1] - 4.8, foot, 6)


def _draw_cut_marks(pdf: FPDF, block: Block, width_mm: float) -> None:
    across, down = block.lines_mm()
    pdf.set_draw_color(60)
    pdf.set_line_width(0.15)
    near, far = MARK_AWAY_MM, MARK_AWAY_MM + MARK_MM
    for x in across:
        pdf.line(x, down[0] - far, x, down[0] - near)
        pdf.line(x, down[-1] + near, x, down[-1] + far)
    for y in down:
        pdf.line(max(across[0] - far, EDGE_MM), y, across[0] - near, y)
        pdf.line(across[-1] + near, y, min(across[-1] + far, width_mm - EDGE_MM), y)


def _draw_ruler(pdf: FPDF, x_mm: float, y_mm: float) -> None:
    pdf.set_draw_color(0)
    pdf.set_line_width(0.2)
    pdf.line(x_mm, y_mm, x_mm + RULER_MM, y_mm)
    for step in range(0, RULER_MM + 1, 10):
        tick = 1.4 if step % 50 == 0 else 0.8
        pdf.line(x_mm + step, y_mm - tick, x_mm + step, y_mm)


def _write(pdf: FPDF, x_mm: float, y_mm: float, text: str, points: float, *, bold: bool = False) -> None:
    pdf.set_font("Helvetica", style="B" if bold else "", size=points)
    pdf.set_text_color(40)
    pdf.text(x_mm, y_mm, _latin(text))


def _latin(text: str) -> str:
    """The PDF's built-in fonts hold Latin-1 only."""
    return text.encode("latin-1", "replace").decode("latin-1")


def _licence(pack: Pack) -> str:
    source = json.loads((pack.folder / "pack.json").read_text(encoding="utf-8"))
    return f"Art: {source.get('art_license', 'see the pack')}"
