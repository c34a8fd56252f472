"""A game as a PDF to share: what `web.report_page` shows, on pages of A4."""

from __future__ import annotations

import io
import re

from fpdf import FPDF
from fpdf.enums import TableBordersLayout
from fpdf.fonts import FontFace

from web.report_page import CHART_WH, Report, kind_words, score_chart, when

PAGE_MM, MARGIN_MM = (210.0, 297.0), 16.0
WIDTH_MM = PAGE_MM[0] - 2 * MARGIN_MM
BOARD_HIGH_MM = 200.0
INK, SOFT = (43, 29, 16), (104, 83, 57)
TITLE = re.compile(r"<title>.*?</title>", re.DOTALL)
BOX = re.compile(r'viewBox="(?:\S+) (?:\S+) (\S+) (\S+)"')


def report_pdf(report: Report) -> bytes:
    """The report as a PDF."""
    pdf = FPDF(format=PAGE_MM)
    pdf.set_margin(MARGIN_MM)
    pdf.set_auto_page_break(True, MARGIN_MM)
    pdf.set_title(_plain(report.title))
    pdf.set_creator("Tilesight")
    pdf.add_page()
    pdf.set_text_color(*INK)
    pdf.set_font("Times", "B", 24)
    pdf.multi_cell(0, 11, _plain(report.title), new_x="LMARGIN", new_y="NEXT")
    pdf.set_font("Times", "", 12)
    pdf.multi_cell(0, 6, _plain(f"{report.said} {report.after}"), new_x="LMARGIN", new_y="NEXT")
    pdf.ln(3)
    _totals(pdf, report)
    if report.board_svg:
        _drawing(pdf, "The board", report.board_svg, BOARD_HIGH_MM)
    if any(report.running.values()):
        _drawing(pdf, "The points over the turns", score_chart(report), CHART_WH[1])
    _reasons(pdf, report)
    pdf.set_text_color(*SOFT)
    pdf.set_font("Times", "I", 10)
    pdf.cell(0, 8, "Kept by Tilesight.")
    return bytes(pdf.output())


def _totals(pdf: FPDF, report: Report) -> None:
    names = [_plain(report.names.get(color, color)) for color in report.ranked]
    rows = [[_plain(kind), *map(str, sums)] for kind, sums in report.sums]
    ends = ["Total", *(str(report.scores[color]) for color in report.ranked)]
    align = ("LEFT", *["RIGHT"] * len(names))
    with pdf.table(
        borders_layout=TableBordersLayout.HORIZONTAL_LINES,
        text_align=align,
        line_height=6,
        headings_style=_bold(),
    ) as table:
        for cells in (["", *names], *rows):
            table.row(cells)
        table.row(ends, style=_bold())


def _reasons(pdf: FPDF, report: Report) -> None:
    events = [event for event in report.events if event.points]
    if not events:
        return
    _heading(pdf, "Where every point came from", 20)
    widths = (16, 28, 12, 34, 88)
    align = ("LEFT", "LEFT", "RIGHT", "LEFT", "LEFT")
    with pdf.table(
        borders_layout=TableBordersLayout.HORIZONTAL_LINES,
        text_align=align,
        col_widths=widths,
        line_height=5.5,
        headings_style=_bold(),
    ) as table:
        table.row(["When", "Who", "", "What", "Why"])
        for event in events:
            name = report.names.get(event.player, event.player)
            what = kind_words(event.kind)
            table.row([when(event), _plain(name), f"{event.points:+d}", _plain(what), _plain(event.why)])


def _drawing(pdf: FPDF, heading: str, svg: str, high_mm: float) -> None:
    """A drawing as wide as the page, or as high as it may be."""
    box = BOX.search(svg)
    assert box is not None
    ratio = float(box[2]) / float(box[1])
    width = min(WIDTH_MM, high_mm / ratio)
    _heading(pdf, heading, width * ratio)
    named = TITLE.sub("", svg).replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    pdf.image(io.BytesIO(_plain(named).encode()), x=MARGIN_MM + (WIDTH_MM - width) / 2, w=width)
    pdf.set_font("Times", "", 12)


def _heading(pdf: FPDF, text: str, below_mm: float) -> None:
    """A heading that stays on one page with what is below it."""
    pdf.ln(4)
    if pdf.will_page_break(12 + below_mm):
        pdf.add_page()
    pdf.set_font("Times", "B", 15)
    pdf.cell(0, 9, text, new_x="LMARGIN", new_y="NEXT")
    pdf.set_font("Times", "", 11)


def _bold() -> FontFace:
    return FontFace(emphasis="BOLD")


def _plain(text: str) -> str:
    """Text in the letters that every PDF reader has a font for."""
    return text.encode("latin-1", "replace").decode("latin-1")
