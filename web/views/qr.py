"""QR codes as pictures for pages."""

from __future__ import annotations

import io
from typing import Annotated

import segno
from fastapi import Response
from pydantic import Field

QrText = Annotated[str, Field(max_length=300)]
"""A request's text, such as an address, that becomes a code."""


MODULE_PX = 8
"""Pixels of a code's module, before a page scales it."""


def qr_picture(text: str) -> Response:
    """A text as a QR code that is a picture of its own (SVG file) and that nobody keeps."""
    drawn = io.BytesIO()
    segno.make(text, error="m", micro=False).save(drawn, kind="svg", scale=MODULE_PX, border=2, light="#fff")
    return Response(drawn.getvalue(), media_type="image/svg+xml", headers={"Cache-Control": "no-store"})


def qr_response(text: str) -> Response:
    """A text as a QR code (SVG to be put into a page) that nobody keeps: the text may hold a key."""
    code = segno.make(text, error="m", micro=False).svg_inline(border=3, light="#fff", omitsize=True)
    return Response(code, media_type="image/svg+xml", headers={"Cache-Control": "no-store"})
