"""QR codes as pictures for pages."""

from __future__ import annotations

import io
from typing import Annotated

import segno
from fastapi import Response
from pydantic import Field

QrText = Annotated[str, Field(max_length=300)]
"""Query parameter: the text of a QR code, such as an address."""


MODULE_PX = 8
"""Size of one module of a QR code file, in pixels."""


def qr_picture(text: str) -> Response:
    """Return a text as a QR code in a standalone SVG file. It is not cached, because the text may contain
    a key."""
    drawn = io.BytesIO()
    segno.make(text, error="m", micro=False).save(drawn, kind="svg", scale=MODULE_PX, border=2, light="#fff")
    return Response(drawn.getvalue(), media_type="image/svg+xml", headers={"Cache-Control": "no-store"})


def qr_response(text: str) -> Response:
    """Return a text as a QR code in SVG to embed in a page. It is not cached, because the text may contain
    a key."""
    code = segno.make(text, error="m", micro=False).svg_inline(border=3, light="#fff", omitsize=True)
    return Response(code, media_type="image/svg+xml", headers={"Cache-Control": "no-store"})
