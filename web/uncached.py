"""Answers that no cache keeps."""

from __future__ import annotations

from fastapi import Response

NO_STORE = {"Cache-Control": "no-store"}
"""Header of an answer that no cache keeps: it holds a key, or it changes with every request."""


def jpeg_response(content: bytes) -> Response:
    """A JPEG picture that no cache keeps."""
    return Response(content, media_type="image/jpeg", headers=NO_STORE)
