"""Lettering: which of the bundled fonts draws which letters of a text, so that no letter is a box.

Texts are set in Source Serif (Latin, Greek, Cyrillic). Letters that it lacks come from Droid Sans Fallback
(Chinese, Japanese, Korean). Those that both lack, such as emoji, are left out.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import groupby
from pathlib import Path

from fontTools.ttLib import TTFont  # type: ignore[import-untyped]
from PIL import ImageDraw, ImageFont

FONTS = Path(__file__).parents[1] / "fonts"
"""Folder of the fonts."""
TEXT, BOLD, FALLBACK = "SourceSerif4-Regular.ttf", "SourceSerif4-Bold.ttf", "DroidSansFallback.ttf"
"""Files of the fonts. The last one is large and only read for letters that the first lacks."""


@lru_cache
def letters_of(font: str) -> frozenset[int]:
    """Return the code points that a font draws."""
    with TTFont(FONTS / font, lazy=True) as read:
        return frozenset(read.getBestCmap())


def font_of(letter: str) -> str | None:
    """Return the font that draws a letter; None if there is none."""
    return next((font for font in (TEXT, FALLBACK) if ord(letter) in letters_of(font)), None)


def printable(text: str) -> str:
    """Return a text without the letters that no font draws."""
    return " ".join("".join(letter for letter in text if font_of(letter) is not None).split())


def write(
    draw: ImageDraw.ImageDraw,
    xy: tuple[int, int],
    text: str,
    size_px: int,
    ink: tuple[int, int, int],
    *,
    wide_px: int,
    right: bool = False,
) -> None:
    """Draw a text on a picture, its top left corner at ``xy`` (pixels); with ``right`` its top right corner.

    One that is wider than ``wide_px`` is shortened with an ellipsis. ``ink`` is its colour (RGB).
    """
    text = printable(text)
    if _width_px(text, size_px) > wide_px:
        while text and _width_px(f"{text}…", size_px) > wide_px:
            text = text[:-1]
        text = f"{text.rstrip()}…"
    x, y = float(xy[0]), xy[1]
    x -= _width_px(text, size_px) if right else 0
    for font, run in _runs(text):
        drawn = _font(font, size_px)
        draw.text((x, y + size_px), run, ink, font=drawn, anchor="ls")
        x += drawn.getlength(run)


def _runs(text: str) -> list[tuple[str, str]]:
    """Return the parts of a printable text with the font of each."""
    return [(font, "".join(run)) for font, run in groupby(text, font_of) if font is not None]


def _width_px(text: str, size_px: int) -> float:
    return sum(_font(font, size_px).getlength(run) for font, run in _runs(text))


@lru_cache
def _font(font: str, size_px: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(FONTS / font, size_px)
