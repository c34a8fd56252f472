"""PDF report: the content of `web.report.page` on one A4 page, followed by the log of points.

Names can be in any script. Texts are set in Source Serif (Latin, Greek, Cyrillic). Missing characters come
from Droid Sans Fallback (Chinese, Japanese, Korean). Characters that both lack are left out.
"""

from __future__ import annotations

import io
from dataclasses import replace
from xml.etree import ElementTree

from fpdf import FPDF
from fpdf.enums import TableBordersLayout
from fpdf.fonts import FontFace, TTFFont
from PIL import Image

from web.report.drawing import color_of
from web.report.lettering import BOLD, FALLBACK, FONTS, TEXT, letters_of, printable
from web.report.page import CHART_WH, Report, score_chart

PAGE_MM = (210.0, 297.0)
"""Width and height of a page (A4), in mm."""
MARGIN_MM = 16.0
"""Margin on all sides, in mm."""
WIDTH_MM = PAGE_MM[0] - 2 * MARGIN_MM
"""Width between the margins, in mm."""
BOARD_WIDE_MM, BOARD_HIGH_MM = 108.0, 96.0
"""Maximum width and height of the board, in mm."""
CHART_LEAST_MM, CHART_MOST_MM = 48.0, 96.0
"""Minimum and maximum height of the chart, in mm."""
ROW_MM = 5.6
"""Height of a table row, in mm."""
GAP_MM = 5.0
"""Space between the parts of a page, in mm."""
RANK_MM = 7.0
"""Height of a player's line beside the board, in mm."""
KIND_MM = 50.0
"""Width of the column with the kinds of score, in mm."""
TITLE_PT = (24, 21, 18, 15)
"""Font sizes of the title, in points. The first at which the title fits on one line is used."""
INK, SOFT = (43, 29, 16), (104, 83, 57)
"""Colours (RGB, 0 to 255) of text, and of less important text."""
LINE = (222, 203, 164)
"""Colour (RGB, 0 to 255) of table lines."""
PT_PER_MM = 72 / 25.4
"""Points per millimetre."""


def report_pdf(report: Report) -> bytes:
    """Return the report as a PDF.

    Its first page has the photograph, the board, the table of points and the chart. The log of points
    follows.
    """
    called = {color: printable(name) for color, name in report.names.items()}
    names = {color: name or report.words.color(color) for color, name in called.items()}
    report = replace(report, names=names)
    pdf = FPDF(format=PAGE_MM)
    _set_fonts(pdf, report)
    pdf.set_margin(MARGIN_MM)
    pdf.set_auto_page_break(True, MARGIN_MM)
    pdf.set_title(report.title)
    pdf.set_lang(report.words.code)
    pdf.set_creator("Tilesight")
    pdf.add_page()
    pdf.set_draw_color(*LINE)
    _head(pdf, report)
    charted = any(report.running.values())
    rows_mm = ROW_MM * (len(report.sums) + 2) + GAP_MM
    chart_mm = (CHART_LEAST_MM + GAP_MM) if charted else 0.0
    _pictures(pdf, report, min(BOARD_HIGH_MM, _room_mm(pdf) - rows_mm - chart_mm - GAP_MM))
    _totals(pdf, report)
    if charted:
        _chart(pdf, report)
    if report.scored:
        pdf.add_page()
        _reasons(pdf, report)
    pdf.set_text_color(*SOFT)
    pdf.set_font("text", "", 10)
    if _room_mm(pdf) >= 8:
        pdf.cell(0, 8, _printable(pdf, report.words.say("kept")))
    return bytes(pdf.output())


def _room_mm(pdf: FPDF) -> float:
    """Return the height that is left on the page, in mm."""
    return PAGE_MM[1] - MARGIN_MM - pdf.get_y()


def _head(pdf: FPDF, report: Report) -> None:
    """Draw the title, the winner, the doubts and the date."""
    pdf.set_text_color(*INK)
    title = _printable(pdf, report.title)
    for size_pt in TITLE_PT:
        pdf.set_font("text", "B", size_pt)
        if pdf.get_string_width(title) < WIDTH_MM:
            break
    pdf.multi_cell(0, 10, title, align="L", new_x="LMARGIN", new_y="NEXT")
    pdf.set_font("text", "", 12)
    said = _printable(pdf, f"{report.outcome} {report.details}")
    pdf.multi_cell(0, 6, said, align="L", new_x="LMARGIN", new_y="NEXT")
    if report.doubts:
        doubts = _printable(pdf, f"? {report.doubts}")
        pdf.multi_cell(0, 6, doubts, align="L", new_x="LMARGIN", new_y="NEXT")
    pdf.set_font("text", "", 10)
    pdf.set_text_color(*SOFT)
    pdf.cell(0, 6, _printable(pdf, report.when), new_x="LMARGIN", new_y="NEXT")
    pdf.set_text_color(*INK)
    pdf.ln(2)


def _pictures(pdf: FPDF, report: Report, high_mm: float) -> None:
    """Draw the board on the left, and the photograph and the players beside it, at most ``high_mm`` high."""
    top_mm, board_mm, below_mm = pdf.get_y(), 0.0, 0.0
    if report.board_svg:
        drawn = ElementTree.fromstring(report.board_svg)
        _, _, across, down = map(float, drawn.attrib["viewBox"].split())
        board_mm = min(BOARD_WIDE_MM, high_mm * across / down)
        _drawing(pdf, drawn, MARGIN_MM, top_mm, board_mm)
        below_mm = board_mm * down / across
    left_mm = MARGIN_MM + board_mm + (GAP_MM if board_mm else 0.0)
    side_mm = min(PAGE_MM[0] - MARGIN_MM - left_mm, BOARD_WIDE_MM)
    pdf.set_y(top_mm)
    if report.photo:
        # Leave space for the players below the photograph.
        tall_mm = high_mm - RANK_MM * len(report.ranked) - GAP_MM
        with Image.open(io.BytesIO(report.photo)) as photo:
            shape = photo.height / photo.width
        wide_mm = min(side_mm, tall_mm / shape)
        pdf.image(io.BytesIO(report.photo), left_mm, top_mm, wide_mm, wide_mm * shape)
        pdf.set_y(top_mm + wide_mm * shape + GAP_MM)
    for color in report.ranked:
        _rank(pdf, report, color, left_mm, side_mm)
    pdf.set_xy(MARGIN_MM, max(pdf.get_y(), top_mm + below_mm) + GAP_MM)


def _rank(pdf: FPDF, report: Report, color: str, left_mm: float, wide_mm: float) -> None:
    """Draw a player's line: colour, name and points."""
    top_mm = pdf.get_y()
    with pdf.local_context():
        pdf.set_fill_color(color_of(color))
        pdf.set_draw_color(*SOFT)
        pdf.ellipse(left_mm, top_mm + 1.5, 4, 4, style="DF")
    first = report.scores[color] == report.scores[report.ranked[0]]
    pdf.set_font("text", "B" if first else "", 12)
    name = _fitted(pdf, report.names.get(color, color), wide_mm - 22)
    pdf.set_xy(left_mm + 6, top_mm)
    pdf.cell(wide_mm - 20, RANK_MM, name)
    pdf.cell(14, RANK_MM, str(report.scores[color]), align="R", new_x="LMARGIN", new_y="NEXT")


def _totals(pdf: FPDF, report: Report) -> None:
    """Draw the table of points by kind."""
    pdf.set_font("text", "B", 10)
    column_mm = (WIDTH_MM - KIND_MM) / len(report.ranked)
    names = [_fitted(pdf, report.names.get(color, color), column_mm - 3) for color in report.ranked]
    pdf.set_font("text", "", 10)
    rows = [[_fitted(pdf, kind, KIND_MM - 3), *map(str, sums)] for kind, sums in report.sums]
    ends = [report.words.say("total"), *(str(report.scores[color]) for color in report.ranked)]
    align = ("LEFT", *["RIGHT"] * len(names))
    with pdf.table(
        borders_layout=TableBordersLayout.HORIZONTAL_LINES,
        text_align=align,
        col_widths=(KIND_MM, *[column_mm] * len(names)),
        line_height=ROW_MM,
        headings_style=_bold(),
    ) as table:
        for cells in (["", *names], *rows):
            table.row(cells)
        table.row(ends, style=_bold())
    pdf.ln(GAP_MM)


def _chart(pdf: FPDF, report: Report) -> None:
    """Draw the chart of scores in the rest of the page."""
    mm = WIDTH_MM / CHART_WH[0]
    high_mm = min(_room_mm(pdf), CHART_MOST_MM)
    drawn = ElementTree.fromstring(score_chart(report, high_mm / mm))
    _drawing(pdf, drawn, MARGIN_MM, pdf.get_y(), WIDTH_MM)


def _reasons(pdf: FPDF, report: Report) -> None:
    """Draw the log: the turn, player, points, kind and reason of each event."""
    words = report.words
    pdf.set_font("text", "B", 15)
    pdf.cell(0, 9, _printable(pdf, words.say("reasons")), new_x="LMARGIN", new_y="NEXT")
    pdf.set_font("text", "", 10)
    widths = (17, 27, 11, 49, 74)
    align = ("LEFT", "LEFT", "RIGHT", "LEFT", "LEFT")
    with pdf.table(
        borders_layout=TableBordersLayout.HORIZONTAL_LINES,
        text_align=align,
        col_widths=widths,
        line_height=5,
        headings_style=_bold(),
    ) as table:
        table.row([words.say("when"), words.say("who"), "", words.say("what"), words.say("why")])
        for event in report.scored:
            name = _fitted(pdf, report.names.get(event.player, event.player), widths[1] - 3)
            what, why = words.kind(event.kind), words.phrase(event.why)
            why = f"{why}\n{mark}" if (mark := report.mark(event)) else why
            row = (report.when_scored(event), name, f"{event.points:+d}", what, why)
            table.row([_printable(pdf, text) for text in row])


def _drawing(pdf: FPDF, drawn: ElementTree.Element, x_mm: float, y_mm: float, wide_mm: float) -> None:
    """Draw an SVG ``wide_mm`` wide, with its top left corner at ``x_mm, y_mm``."""
    left, top, across, _ = map(float, drawn.attrib["viewBox"].split())
    mm = wide_mm / across
    words = _cut_out(drawn, "text")
    _cut_out(drawn, "title")
    drawn.set("xmlns", "http://www.w3.org/2000/svg")
    pdf.image(io.BytesIO(ElementTree.tostring(drawn)), x=x_mm, y=y_mm, w=wide_mm)
    for word in words:
        _svg_text(pdf, word, x_mm - left * mm, y_mm - top * mm, mm)
    pdf.set_text_color(*INK)


def _cut_out(drawn: ElementTree.Element, tag: str) -> list[ElementTree.Element]:
    """Remove all elements of this tag from an SVG and return them."""
    found = []
    for parent in list(drawn.iter()):
        for child in parent.findall(tag):
            parent.remove(child)
            found.append(child)
    return found


def _svg_text(pdf: FPDF, word: ElementTree.Element, x_mm: float, y_mm: float, mm: float) -> None:
    """Draw a text element of an SVG as text of the page, because fpdf supports only one font in SVGs.

    ``mm`` is the size of an SVG unit in mm; the SVG's origin is at ``x_mm, y_mm``.
    """
    size_mm = float(word.attrib["font-size"]) * mm
    said = _printable(pdf, word.text or "")
    pdf.set_font("text", "", size_mm * PT_PER_MM)
    pdf.set_text_color(word.get("fill", "#2b1d10"))
    wide_mm = pdf.get_string_width(said)
    before = {"middle": 0.5, "end": 1.0}.get(word.get("text-anchor", ""), 0.0) * wide_mm
    x, baseline = (float(word.attrib[axis]) * mm for axis in "xy")
    pdf.set_xy(x_mm + x - before, y_mm + baseline - 0.8 * size_mm)
    pdf.cell(wide_mm, size_mm, said)


def _fitted(pdf: FPDF, text: str, wide_mm: float) -> str:
    """Return the text, shortened with an ellipsis if it is wider than ``wide_mm`` in the current font."""
    text = _printable(pdf, text)
    if pdf.get_string_width(text) <= wide_mm:
        return text
    while text and pdf.get_string_width(f"{text}…") > wide_mm:
        text = text[:-1]
    return f"{text.rstrip()}…"


def _bold() -> FontFace:
    """Return the style of bold table cells."""
    return FontFace(emphasis="BOLD")


def _set_fonts(pdf: FPDF, report: Report) -> None:
    """Add the fonts to the PDF. The large fallback font is only added if the report needs it."""
    pdf.add_font("text", "", FONTS / TEXT)
    pdf.add_font("text", "B", FONTS / BOLD)
    said = "".join((report.title, report.outcome, report.details, report.when, *report.names.values()))
    if not {ord(letter) for letter in said} <= letters_of(TEXT):
        pdf.add_font("fallback", "", FONTS / FALLBACK)
        pdf.set_fallback_fonts(["fallback"], exact_match=False)


def _printable(pdf: FPDF, text: str) -> str:
    """Return the text without the characters that are in none of the PDF's fonts."""
    fonts = [font for font in pdf.fonts.values() if isinstance(font, TTFFont)]
    return "".join(letter for letter in text if any(ord(letter) in font.cmap for font in fonts))
