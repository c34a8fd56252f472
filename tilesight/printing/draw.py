"""PDF of planned sheets: pictures at true size, bleed of backs, cut marks, ruler."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from io import BytesIO
from pathlib import Path

from fpdf import FPDF
from fpdf.prefs import ViewerPreferences
from PIL import Image

from engine.pack import TOKENS_BACK, Pack
from tilesight.output import write_output
from tilesight.printing.figures import strip_svg
from tilesight.printing.plan import HEADER_MM, Block, Paper, Placed, Sheet

MARK_MM, MARK_AWAY_MM, EDGE_MM = 2.5, 1.0, 2.0
"""Length of a cut mark, its distance from the picture, and from the paper's edge, in millimetres."""
TEXT_MM = 8.0
"""Left margin of the lines of text, in millimetres."""
RULER_MM = 100
JPEG_QUALITY = 90
"""JPEG quality of pictures that are converted because PDF does not support their format."""
BLEED_MM = 1.5
"""Width of the bleed around a back in millimetres; it hides the misalignment of the two sides in print."""
PLAIN_BACKS = ("#8c5a2b", "#4d6076", "#5f7048", "#7a4a5e")
"""Colours of plain backs, one for each deck of a pack without pictures of its backs."""
PLAIN_TOKENS = "#2f7d95"
"""Colour of the plain back of animal tiles."""


def write_pdf(pack: Pack, sheets: Sequence[Sheet], paper: Paper, out: Path) -> None:
    """Draw the sheets of a pack and write them to ``out``. Raises OutputError if it cannot be written."""
    width, height = paper.size_mm
    pdf = new_pdf(pack.title, (width, height))
    licence = _licence(pack)
    plain = _plain_backs(pack)
    for number, sheet in enumerate(sheets, 1):
        pdf.add_page()
        if sheet.is_back:
            _draw_bleed(pdf, sheet, plain)
        for block in sheet.blocks:
            _draw_cut_marks(pdf, block, width)
            for picture in block.pictures:
                if picture.art is None:
                    _draw_plain_back(pdf, picture, plain[picture.name])
                else:
                    pdf.image(
                        _embedded(picture.art), picture.x_mm, picture.y_mm, picture.side_mm, picture.side_mm
                    )
            for card in block.cards:
                svg = strip_svg(card.kind, card.color).encode()
                pdf.image(BytesIO(svg), card.x_mm, card.y_mm, *card.size_mm)
        head = f"{pack.title}  ·  {sheet.title}  ·  page {number} of {len(sheets)}"
        write_frame(pdf, (width, height), head, licence)
        _write(pdf, TEXT_MM, HEADER_MM - 1.2, sheet.note, 6.5)
    save_pdf(pdf, out)


def new_pdf(title: str, page_mm: tuple[float, float]) -> FPDF:
    """Return an empty PDF in millimetres whose viewer preferences turn print scaling off."""
    pdf = FPDF(unit="mm", format=page_mm)
    pdf.set_auto_page_break(False)
    pdf.set_margin(0)
    pdf.set_title(_latin(title))
    pdf.set_creator("Tilesight")
    pdf.viewer_preferences = ViewerPreferences(print_scaling="None")
    return pdf


def save_pdf(pdf: FPDF, out: Path) -> None:
    """Write a PDF to ``out``. Raises OutputError if it cannot be written."""
    write_output(out, "PDF", bytes(pdf.output()))


def write_frame(
    pdf: FPDF, page_mm: tuple[float, float], head: str, foot: str, left_mm: float = TEXT_MM
) -> None:
    """Draw a page's title at the top, and the 100 mm ruler and the line ``foot`` at the bottom."""
    _write(pdf, left_mm, 7.2, head, 8.5, bold=True, most_mm=page_mm[0] - 2 * left_mm)
    _draw_ruler(pdf, left_mm, page_mm[1] - 8.5)
    advice = "100 mm: measure it before you cut; print at 100 %, not 'fit to page'"
    _write(pdf, left_mm + RULER_MM + 3, page_mm[1] - 8.2, advice, 6.5)
    _write(pdf, left_mm, page_mm[1] - 4.8, foot, 6)


@lru_cache(maxsize=8)
def _embedded(art: Path) -> Path | bytes:
    """Return a picture in a format that PDF supports: its path, or JPEG bytes of a WebP file."""
    if art.suffix != ".webp":
        return art
    out = BytesIO()
    with Image.open(art) as picture:
        picture.convert("RGB").save(out, "JPEG", quality=JPEG_QUALITY, optimize=True)
    return out.getvalue()


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


def _draw_bleed(pdf: FPDF, sheet: Sheet, plain: Mapping[str, str]) -> None:
    """Draw the bleed of a page of backs: squares in the colour of each back's rim, `BLEED_MM` wider."""
    rims: dict[Path, str] = {}
    for picture in (picture for block in sheet.blocks for picture in block.pictures):
        if picture.art is None:
            colour = plain[picture.name]
        elif (known := rims.get(picture.art)) is not None:
            colour = known
        else:
            colour = rims[picture.art] = _rim_colour(picture.art)
        pdf.set_fill_color(colour)
        side = picture.side_mm + 2 * BLEED_MM
        pdf.rect(picture.x_mm - BLEED_MM, picture.y_mm - BLEED_MM, side, side, style="F")


def _rim_colour(art: Path) -> str:
    """Mean colour of the top 1 % of a picture, as '#rrggbb'."""
    with Image.open(art) as picture:
        rim = picture.convert("RGB").crop((0, 0, picture.width, max(1, picture.height // 100)))
        pixel = rim.resize((1, 1), Image.Resampling.BOX).getpixel((0, 0))
    assert isinstance(pixel, tuple)
    return "#{:02x}{:02x}{:02x}".format(*pixel)


def _plain_backs(pack: Pack) -> dict[str, str]:
    """Colours of the plain backs, by the name of their `Placed` picture (``back-DECK``)."""
    decks = dict.fromkeys(tile.deck for tile in pack.tiles)
    colours = {f"back-{deck}": PLAIN_BACKS[i % len(PLAIN_BACKS)] for i, deck in enumerate(decks)}
    return colours | {f"back-{TOKENS_BACK}": PLAIN_TOKENS}


def _draw_plain_back(pdf: FPDF, picture: Placed, colour: str) -> None:
    """Draw a plain back: a frame and nested diamonds, which look the same in all rotations."""
    x, y, side = picture.x_mm, picture.y_mm, picture.side_mm
    pdf.set_fill_color(colour)
    pdf.rect(x, y, side, side, style="F")
    pdf.set_draw_color("#fbf0d8")
    pdf.set_line_width(side * 0.012)
    inset = side * 0.07
    pdf.rect(x + inset, y + inset, side - 2 * inset, side - 2 * inset)
    middle_x, middle_y = x + side / 2, y + side / 2
    for share in (0.36, 0.27, 0.18, 0.09):
        reach = side * share
        corners = [(0.0, -reach), (reach, 0.0), (0.0, reach), (-reach, 0.0)]
        pdf.polygon([(middle_x + dx, middle_y + dy) for dx, dy in corners])


def _draw_ruler(pdf: FPDF, x_mm: float, y_mm: float) -> None:
    pdf.set_draw_color(0)
    pdf.set_line_width(0.2)
    pdf.line(x_mm, y_mm, x_mm + RULER_MM, y_mm)
    for step in range(0, RULER_MM + 1, 10):
        tick = 1.4 if step % 50 == 0 else 0.8
        pdf.line(x_mm + step, y_mm - tick, x_mm + step, y_mm)


def _write(
    pdf: FPDF,
    x_mm: float,
    y_mm: float,
    text: str,
    points: float,
    *,
    bold: bool = False,
    most_mm: float | None = None,
) -> None:
    """Write a line of text; it is shrunk to fit ``most_mm`` if that is given."""
    style = "B" if bold else ""
    pdf.set_font("Helvetica", style=style, size=points)
    if most_mm is not None and (wide := pdf.get_string_width(_latin(text))) > most_mm:
        pdf.set_font("Helvetica", style=style, size=points * most_mm / wide)
    pdf.set_text_color(40)
    pdf.text(x_mm, y_mm, _latin(text))


def _latin(text: str) -> str:
    """Replace characters outside Latin-1, which the PDF's built-in fonts lack, by '?'."""
    return text.encode("latin-1", "replace").decode("latin-1")


def _licence(pack: Pack) -> str:
    return f"Art: {pack.source.get('art_license', 'see the pack')}"
