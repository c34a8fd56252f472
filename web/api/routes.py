"""Declaration of routes: the answers that OpenAPI describes, and parameters that routes share."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path, Response
from pydantic import BaseModel

from web.api.shapes import errors

TurnNo = Annotated[int, Path(ge=1, le=10_000)]
"""A turn's number in an address, counted from 1."""
NO_STORE = {"Cache-Control": "no-store"}
"""Headers of an answer that nobody keeps."""
INVALID = "a parameter is not what it should be"
"""Meaning of status 422 on routes without a body."""


def json_route(shape: type[BaseModel], **whens: str) -> dict[str, Any]:
    """Options of a route that answers with JSON; ``whens`` says what its errors mean (``_404``)."""
    return {"responses": {200: {"model": shape}, **errors(_422=INVALID, **whens)}}


def file_route(media_type: str, **whens: str) -> dict[str, Any]:
    """Options of a route that answers with a file; ``whens`` says what its errors mean (``_404``)."""
    content = {"content": {media_type: {"schema": {"type": "string", "format": "binary"}}}}
    return {"response_class": Response, "responses": {200: content, **errors(_422=INVALID, **whens)}}
