"""Report as a PDF: what `web.report.page` shows, on pages of A4.

Names come in many scripts. The pages are set in Source Serif (Latin, Greek, Cyrillic); what it lacks is
taken from Droid Sans Fallback (Chinese, Japanese, Korean), and what neither has becomes a question mark.
"""

from __future__ import annotations

import io
from pathlib import Path
from xml.etree import ElementTree

from fpdf import FPDF
from fpdf.enums import TableBordersLayout
from fpdf.fonts import FontFace, TTFFont

from web.report.page import CHART_WH, Report, score_chart

PAGE_MM = (210.0, 297.0)
"""Millimetres of a page's width and height (A4)."""
MARGIN_MM = 16.0
"""Millimetres of the margin on every side."""
WIDTH_MM = PAGE_MM[0] - 2 * MARGIN_MM
"""Millimetres between the left and the right margin."""
BOARD_HIGH_MM = 200.0
"""Millimetres of the board's height at most."""
INK, SOFT = (43, 29, 16), (104, 83, 57)
"""Colours (RGB, 0 to 255) of text, and of what matters less."""
FONTS = Path(__file__).parents[1] / "fonts"
"""The folder of the fonts."""
PT_PER_MM = 72 / 25.4
"""Points to one millimetre."""


def report_pdf(report: Report) -> bytes:
    """The report as a PDF."""
    say = report.words.say
    pdf = FPDF(format=PAGE_MM)
    _set_fonts(pdf, report)
    pdf.set_margin(MARGIN_MM)
    pdf.set_auto_page_break(True, MARGIN_MM)
    pdf.set_title(report.title)
    pdf.set_lang(report.words.code)
    pdf.set_creator("Tilesight")
    pdf.add_page()
    pdf.set_text_color(*INK)
    pdf.set_font("text", "B", 24)
    pdf.multi_cell(0, 11, _shown(pdf, report.title), new_x="LMARGIN", new_y="NEXT")
    pdf.set_font("text", "", 12)
    pdf.multi_cell(
        0, 6, _shown(pdf, f"{report.said} {report.after}"), align="L", new_x="LMARGIN", new_y="NEXT"
    )
    pdf.ln(3)
    _totals(pdf, report)
    if report.board_svg:
        _drawing(pdf, say("board"), report.board_svg, BOARD_HIGH_MM)
    if any(report.running.values()):
        _drawing(pdf, say("chart"), score_chart(report), CHART_WH[1])
    _reasons(pdf, report)
    pdf.set_text_color(*SOFT)
    pdf.set_font("text", "", 10)
    pdf.cell(0, 8, _shown(pdf, say("kept")))
    return bytes(pdf.output())


def _totals(pdf: FPDF, report: Report) -> None:
    names = [_shown(pdf, report.names.get(color, color)) for color in report.ranked]
    rows = [[_shown(pdf, kind), *map(str, sums)] for kind, sums in report.sums]
    ends = [report.words.say("total"), *(str(report.scores[color]) for color in report.ranked)]
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
    if not report.scored:
        return
    words = report.words
    _heading(pdf, words.say("reasons"), 20)
    widths = (18, 28, 12, 34, 86)
    align = ("LEFT", "LEFT", "RIGHT", "LEFT", "LEFT")
    with pdf.table(
        borders_layout=TableBordersLayout.HORIZONTAL_LINES,
        text_align=align,
        col_widths=widths,
        line_height=5.5,
        headings_style=_bold(),
    ) as table:
        table.row([words.say("when"), words.say("who"), "", words.say("what"), words.say("why")])
        for event in report.scored:
            name = report.names.get(event.player, event.player)
            what, why = words.kind(event.kind), words.phrase(event.why)
            told = (report.when(event), name, f"{event.points:+d}", what, why)
            table.row([_shown(pdf, text) for text in told])


def _drawing(pdf: FPDF, heading: str, svg: str, high_mm: float) -> None:
    """A drawing as wide as the page, or as high as it may be."""
    drawn = ElementTree.fromstring(svg)
    left, top, across, down = map(float, drawn.attrib["viewBox"].split())
    width_mm = min(WIDTH_MM, high_mm * across / down)
    mm = width_mm / across
    _heading(pdf, heading, down * mm)
    x_mm, y_mm = MARGIN_MM + (WIDTH_MM - width_mm) / 2, pdf.get_y()
    words = _cut_out(drawn, "text")
    _cut_out(drawn, "title")
    drawn.set("xmlns", "http://www.w3.org/2000/svg")
    pdf.image(io.BytesIO(ElementTree.tostring(drawn)), x=x_mm, y=y_mm, w=width_mm)
    for word in words:
        _word(pdf, word, x_mm - left * mm, y_mm - top * mm, mm)
    pdf.set_text_color(*INK)
    pdf.set_xy(MARGIN_MM, y_mm + down * mm)
    pdf.set_font("text", "", 12)


def _cut_out(drawn: ElementTree.Element, tag: str) -> list[ElementTree.Element]:
    """Take all elements of a kind out of a drawing."""
    found = []
    for parent in list(drawn.iter()):
        for child in parent.findall(tag):
            parent.remove(child)
            found.append(child)
    return found


def _word(pdf: FPDF, word: ElementTree.Element, x_mm: float, y_mm: float, mm: float) -> None:
    """Words of a drawing, set as text of the page, since those in a drawing know one font only. ``mm`` is the
    size of a unit of the drawing, whose origin is at ``x_mm, y_mm``."""
    size_mm = float(word.attrib["font-size"]) * mm
    said = _shown(pdf, word.text or "")
    pdf.set_font("text", "", size_mm * PT_PER_MM)
    pdf.set_text_color(word.get("fill", "#2b1d10"))
    wide_mm = pdf.get_string_width(said)
    before = {"middle": 0.5, "end": 1.0}.get(word.get("text-anchor", ""), 0.0) * wide_mm
    x, baseline = (float(word.attrib[axis]) * mm for axis in "xy")
    pdf.set_xy(x_mm + x - before, y_mm + baseline - 0.8 * size_mm)
    pdf.cell(wide_mm, size_mm, said)


def _heading(pdf: FPDF, text: str, below_mm: float) -> None:
    """A heading that stays on one page with what is below it."""
    pdf.ln(4)
    if pdf.will_page_break(12 + below_mm):
        pdf.add_page()
    pdf.set_font("text", "B", 15)
    pdf.cell(0, 9, _shown(pdf, text), new_x="LMARGIN", new_y="NEXT")
    pdf.set_font("text", "", 11)


def _bold() -> FontFace:
    return FontFace(emphasis="BOLD")


def _set_fonts(pdf: FPDF, report: Report) -> None:
    """The fonts that the report needs; the large one is read only where a letter asks for it."""
    pdf.add_font("text", "", FONTS / "SourceSerif4-Regular.ttf")
    pdf.add_font("text", "B", FONTS / "SourceSerif4-Bold.ttf")
    said = "".join((report.title, report.said, report.after, *report.names.values()))
    if _shown(pdf, said) != said:
        pdf.add_font("fallback", "", FONTS / "DroidSansFallback.ttf")
        pdf.set_fallback_fonts(["fallback"], exact_match=False)


def _shown(pdf: FPDF, text: str) -> str:
    """The text, with a question mark for every letter that none of the fonts has."""
    fonts = [font for font in pdf.fonts.values() if isinstance(font, TTFFont)]
    return "".join(letter if any(ord(letter) in font.cmap for font in fonts) else "?" for letter in text)
