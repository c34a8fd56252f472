"""Answers that no cache keeps."""

from __future__ import annotations

from typing import Annotated

from fastapi import Response
from pydantic import Field

from web.qr import qr_svg

NO_STORE = {"Cache-Control": "no-store"}
"""Header of an answer that no cache keeps: it holds a key, or it changes with every request."""
QrText = Annotated[str, Field(max_length=300)]
"""Query parameter: the text of a QR code, such as an address."""


def jpeg_response(content: bytes) -> Response:
    """A JPEG picture that no cache keeps."""
    return Response(content, media_type="image/jpeg", headers=NO_STORE)


def qr_response(text: str) -> Response:
    """Return a text, which may contain a key, as a QR code in SVG to embed in a page."""
    return Response(qr_svg(text), media_type="image/svg+xml", headers=NO_STORE)
