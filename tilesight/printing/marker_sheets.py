"""`tilesight print mat` and `print board`: marker sheets for a camera, as a PDF at true size.

The mat (`vision.locate.marker_mat`) consists of sheets glued edge to edge; the board (`calibration.charuco`)
is one page that is held in front of the camera.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import typer
from fpdf import FPDF
from PIL import Image as PilImage

from calibration.charuco import BOARD_SQUARES, SQUARE_MM, board_picture
from tilesight.printing.draw import EDGE_MM, new_pdf, save_pdf, write_frame
from tilesight.printing.plan import Paper, SheetsError
from vision.locate.marker_mat import (
    MARKER_MM,
    MOST_SHEETS,
    SHEET_MM,
    marker_picture,
    markers_of,
    play_area_mm,
)

MARK_MM, MARK_AWAY_MM = 4.0, 1.0


def print_extra(what: str, out: Path, paper: Paper, sheets: str, *, as_json: bool) -> None:
    """Write the PDF of ``what`` ('mat' or 'board') and print a line, or JSON, about it.

    ``sheets`` is the size of a mat, such as '2x2'. Raises SheetsError if it is invalid, OutputError if
    writing fails.
    """
    if what == "mat":
        columns, rows = _sheets(sheets)
        pages = write_mat(out, paper, columns, rows)
        size_mm = (columns * SHEET_MM[0], rows * SHEET_MM[1])
        made = f"a mat of {columns} × {rows} sheets, {size_mm[0]:g} × {size_mm[1]:g} mm"
        advice = "Print at 100 %, cut at the marks, and glue the sheets edge to edge by their names."
    else:
        pages = write_board(out, paper)
        size_mm = (BOARD_SQUARES[0] * SQUARE_MM, BOARD_SQUARES[1] * SQUARE_MM)
        made = f"a calibration board of {BOARD_SQUARES[0]} × {BOARD_SQUARES[1]} squares of {SQUARE_MM:g} mm"
        advice = "Print at 100 % and glue it to something stiff and flat; then run: tilesight calibrate"
    if as_json:
        said = {"tilesight": 1, "pack": what, "file": str(out), "paper": paper.value, "pages": pages}
        typer.echo(json.dumps(said | {"size_mm": list(size_mm)}))
        return
    typer.echo(f"{out}: {pages} {'page' if pages == 1 else 'pages'} {paper.value.upper()}, {made}")
    typer.echo(advice)


def _sheets(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,3})\s*[x×]\s*(\d{1,3})", text.strip().lower())
    if found is None:
        raise SheetsError(f"--sheets takes columns x rows, for example 2x2, not {text!r}")
    columns, rows = int(found[1]), int(found[2])
    if not (1 <= columns <= MOST_SHEETS and 1 <= rows <= MOST_SHEETS):
        raise SheetsError(f"a mat has 1 to {MOST_SHEETS} columns and rows of sheets, not {columns} x {rows}")
    return columns, rows


def write_mat(out: Path, paper: Paper, columns: int, rows: int) -> int:
    """Write a mat of ``columns`` x ``rows`` sheets, two per page on A3; return the number of pages.

    Raises OutputError if the file cannot be written.
    """
    upright = paper.size_mm
    both = paper is Paper.A3
    page_mm = upright if both else (upright[1], upright[0])
    wide, tall = SHEET_MM
    left = (page_mm[0] - wide) / 2
    pdf = new_pdf("Tilesight marker mat", page_mm)
    pages = 0
    for column in range(columns):
        for row in range(0, rows, 2 if both else 1):
            here = min(2, rows - row) if both else 1
            top = (page_mm[1] - here * tall) / 2
            pdf.add_page()
            pages += 1
            _draw_part(pdf, (left, top), (column, row), here, columns, rows)
            _draw_corner_marks(pdf, (left, top, left + wide, top + here * tall), page_mm)
            names = " and ".join(_name(column, row + k) for k in range(here))
            head = f"Tilesight marker mat, {columns} x {rows} sheets  ·  sheet {names}, seen from the south"
            foot = "Letters run from west to east, numbers from north to south. Lay the game inside the line."
            write_frame(pdf, page_mm, head, foot, left + 3.0)
    save_pdf(pdf, out)
    return pages


def _name(column: int, row: int) -> str:
    return f"{'ABCD'[column]}{row + 1}"


def _draw_part(
    pdf: FPDF, at_mm: tuple[float, float], sheet: tuple[int, int], high: int, columns: int, rows: int
) -> None:
    """Draw ``high`` sheets of the mat, from ``sheet`` (column, row) down, with the top left at ``at_mm``."""
    wide, tall = SHEET_MM
    shift_x, shift_y = at_mm[0] - sheet[0] * wide, at_mm[1] - sheet[1] * tall
    for marker in markers_of(columns, rows):
        x, y = marker.corners_mm.mean(axis=0)
        if int(x // wide) == sheet[0] and sheet[1] <= y // tall < sheet[1] + high:
            picture = PilImage.fromarray(marker_picture(marker.number))
            corner_x, corner_y = marker.corners_mm[0]
            pdf.image(picture, corner_x + shift_x, corner_y + shift_y, MARKER_MM, MARKER_MM)
    x0, y0, x1, y1 = play_area_mm(columns, rows)
    pdf.set_draw_color(170)
    pdf.set_line_width(0.3)
    with pdf.rect_clip(at_mm[0], at_mm[1], wide, high * tall):
        pdf.rect(x0 + shift_x, y0 + shift_y, x1 - x0, y1 - y0)


def _draw_corner_marks(
    pdf: FPDF, box_mm: tuple[float, float, float, float], page_mm: tuple[float, float]
) -> None:
    """Draw cut marks: short lines that point at the corners of ``box_mm`` (left, top, right, bottom)."""
    x0, y0, x1, y1 = box_mm
    pdf.set_draw_color(60)
    pdf.set_line_width(0.15)
    near, far = MARK_AWAY_MM, MARK_AWAY_MM + MARK_MM
    for x in (x0, x1):
        pdf.line(x, max(y0 - far, EDGE_MM), x, y0 - near)
        pdf.line(x, y1 + near, x, min(y1 + far, page_mm[1] - EDGE_MM))
    for y in (y0, y1):
        pdf.line(max(x0 - far, EDGE_MM), y, x0 - near, y)
        pdf.line(x1 + near, y, min(x1 + far, page_mm[0] - EDGE_MM), y)


def write_board(out: Path, paper: Paper) -> int:
    """Write the board for `tilesight calibrate` on one page; return the number of pages, 1.

    Raises OutputError if the file cannot be written.
    """
    upright = paper.size_mm
    page_mm = (upright[1], upright[0])
    wide, tall = BOARD_SQUARES[0] * SQUARE_MM, BOARD_SQUARES[1] * SQUARE_MM
    pdf = new_pdf("Tilesight calibration board", page_mm)
    pdf.add_page()
    picture = PilImage.fromarray(board_picture())
    pdf.image(picture, (page_mm[0] - wide) / 2, (page_mm[1] - tall) / 2, wide, tall)
    head = f"Tilesight calibration board  ·  squares of {SQUARE_MM:g} mm"
    write_frame(pdf, page_mm, head, "Glue it to something stiff and flat, then run: tilesight calibrate")
    save_pdf(pdf, out)
    return 1
