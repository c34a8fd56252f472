"""QR codes: as SVG for pages, as text for a terminal."""

from __future__ import annotations

import io

import segno

_HALF_BLOCKS = {(False, False): "█", (False, True): "▀", (True, False): "▄", (True, True): " "}
"""Characters for two modules, one above the other, by whether each is dark. Dark modules are gaps in light
blocks, because most terminals are dark and QR readers expect dark modules on a light ground."""


def qr_svg(text: str) -> str:
    """Return a text as a QR code in SVG."""
    drawn = io.BytesIO()
    code = segno.make(text, error="m", micro=False)
    code.save(drawn, kind="svg", border=3, light="#fff", omitsize=True, xmldecl=False)
    return drawn.getvalue().decode()


def qr_text(text: str) -> str:
    """Return a text as a QR code for a terminal: lines of half-block characters."""
    rows = [bytes(row) for row in segno.make(text, error="l").matrix_iter(border=2)]
    lines = zip(rows[::2], [*rows[1::2], bytes(len(rows[0]))], strict=False)
    return "\n".join(
        "".join(_HALF_BLOCKS[bool(a), bool(b)] for a, b in zip(*two, strict=True)) for two in lines
    )
