"""Invitations on paper: a PDF with QR codes, several on a page, to cut out and lay on the tables."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import segno
from fpdf import FPDF

from tilesight.club.credentials import Role
from tilesight.club.invitation import Invitation
from web.report.lettering import FONTS

PAGE_MM = (210.0, 297.0)
"""Width and height of a page (A4), in mm."""
MARGIN_MM = 10.0
"""Margin on all sides, in mm: printers leave it white."""
COLUMNS, ROWS = 2, 4
"""Cards on a page, across and down."""
CODE_MM = 52.0
"""Side of a QR code, in mm."""
STEPS = {
    Role.TABLE: "Laptop at this table: start Tilesight, “Join a club”, and photograph this code.",
    Role.WORKER: "For a computer that runs “tilesight worker”.",
}
"""Sentence on a card about its use, by role."""


def invitation_pdf(invitations: Sequence[Invitation]) -> bytes:
    """Return a PDF with a card for each invitation: name, QR code and use, with lines to cut along."""
    pdf = FPDF(format=PAGE_MM)
    pdf.add_font("text", "", FONTS / "SourceSerif4-Regular.ttf")
    pdf.add_font("text", "B", FONTS / "SourceSerif4-Bold.ttf")
    pdf.set_margin(0)
    pdf.set_auto_page_break(False)
    wide_mm = (PAGE_MM[0] - 2 * MARGIN_MM) / COLUMNS
    high_mm = (PAGE_MM[1] - 2 * MARGIN_MM) / ROWS
    for number, one in enumerate(invitations):
        down, across = divmod(number % (COLUMNS * ROWS), COLUMNS)
        if not down and not across:
            pdf.add_page()
        left_mm, top_mm = MARGIN_MM + across * wide_mm, MARGIN_MM + down * high_mm
        pdf.set_draw_color(170)
        pdf.set_dash_pattern(1.5, 1.5)
        pdf.rect(left_mm, top_mm, wide_mm, high_mm)
        _card(pdf, one, left_mm, top_mm + (high_mm - CODE_MM) / 2)
    return bytes(pdf.output())


def _card(pdf: FPDF, one: Invitation, left_mm: float, top_mm: float) -> None:
    """Draw a card's QR code, and beside it the name and the use."""
    _code(pdf, one.url, left_mm + 4, top_mm)
    text_mm = left_mm + CODE_MM + 7
    wide_mm = (PAGE_MM[0] - 2 * MARGIN_MM) / COLUMNS - CODE_MM - 9
    pdf.set_xy(text_mm, top_mm + 2)
    size_pt = 20
    pdf.set_font("text", "B", size_pt)
    while pdf.get_string_width(one.name) > wide_mm and size_pt > 6:
        size_pt -= 1
        pdf.set_font_size(size_pt)
    pdf.cell(wide_mm, 9, one.name)
    pdf.set_font("text", "", 9)
    pdf.set_xy(text_mm, top_mm + 13)
    pdf.multi_cell(wide_mm, 4, STEPS.get(one.role, f"For {one.role} {one.name}."), align="L")


def _code(pdf: FPDF, text: str, left_mm: float, top_mm: float) -> None:
    """Draw a text as a QR code; the modules of a row that are dark side by side are one rectangle."""
    rows = [list(map(bool, row)) for row in segno.make(text, error="m", micro=False).matrix_iter(border=0)]
    side_mm = CODE_MM / len(rows)
    pdf.set_fill_color(0)
    for down, row in enumerate(rows):
        across = 0
        for dark, run in groupby(row):
            length = len(list(run))
            if dark:
                x_mm, y_mm = left_mm + across * side_mm, top_mm + down * side_mm
                pdf.rect(x_mm, y_mm, length * side_mm, side_mm, style="F")
            across += length
