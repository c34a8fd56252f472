"""QR codes as pictures for pages."""

from __future__ import annotations

from typing import Annotated

import segno
from fastapi import Response
from pydantic import Field

QrText = Annotated[str, Field(max_length=300)]
"""A request's text, such as an address, that becomes a code."""


def qr_response(text: str) -> Response:
    """A text as a QR code (SVG) that nobody keeps: the text may hold a key."""
    code = segno.make(text, error="m", micro=False).svg_inline(border=3, light="#fff", omitsize=True)
    return Response(code, media_type="image/svg+xml", headers={"Cache-Control": "no-store"})
