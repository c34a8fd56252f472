"""QR codes: as pictures for pages, and as text for terminals."""

from __future__ import annotations

import io
from typing import Annotated

import segno
from fastapi import Response
from pydantic import Field

from web.uncached import NO_STORE

QrText = Annotated[str, Field(max_length=300)]
"""A request's text, such as an address, that becomes a code."""
_HALF_BLOCKS = {(False, False): "█", (False, True): "▀", (True, False): "▄", (True, True): " "}
"""Two modules, one above the other, by whether each is dark. Dark ones are gaps in light blocks, because
terminals are dark, and readers want dark on light."""


def qr_response(text: str) -> Response:
    """A text as a QR code: SVG, for an image or inside of a page. No cache keeps it, for the text may hold
    a key."""
    drawn = io.BytesIO()
    code = segno.make(text, error="m", micro=False)
    code.save(drawn, kind="svg", border=3, light="#fff", omitsize=True, xmldecl=False)
    return Response(drawn.getvalue(), media_type="image/svg+xml", headers=NO_STORE)


def qr_text(text: str) -> str:
    """A text as a QR code for a terminal, in half blocks."""
    rows = [bytes(row) for row in segno.make(text, error="l").matrix_iter(border=2)]
    lines = zip(rows[::2], [*rows[1::2], bytes(len(rows[0]))], strict=False)
    return "\n".join(
        "".join(_HALF_BLOCKS[bool(a), bool(b)] for a, b in zip(*two, strict=True)) for two in lines
    )
