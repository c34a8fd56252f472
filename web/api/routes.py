"""Declaration of routes: the key they need, the answers that OpenAPI describes, parameters they share."""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine
from typing import Annotated, Any
from urllib.parse import unquote

from fastapi import Path, Request, Response
from fastapi.routing import APIRoute
from fastapi.security import APIKeyHeader
from pydantic import BaseModel

from web.api.bodies import NAME, NAME_LENGTH
from web.api.served import served_by
from web.api.shapes import errors
from web.table.access import SPEAKER, Role, Speaker

KEY_NAME = "X-Table-Key"
"""The header that carries the key."""
WHO_NAME = "X-Table-Name"
"""The header in which a phone may say whose it is, percent-encoded; the log tells it with what is changed."""
KEY_HEADER = APIKeyHeader(
    name=KEY_NAME,
    scheme_name="table key",
    description="the join key, as in the table's QR code",
    auto_error=False,
)
"""The same for OpenAPI; the key is checked before FastAPI comes to it."""

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


def check_key(request: Request, needs: Role) -> Speaker:
    """The holder of the request's key; ApiError where the key is none, a wrong one, or of a role below
    ``needs``."""
    address = request.client.host if request.client else ""
    role = served_by(request).guard.check(request.headers.get(KEY_NAME), address, needs)
    name = unquote(request.headers.get(WHO_NAME, ""), errors="replace")
    return Speaker(role, name if len(name) <= NAME_LENGTH and re.match(NAME, name) else "", address)


def guarded(needs: Role) -> type[APIRoute]:
    """The class of routes that ask for a key before anything of the body is looked at."""

    class Guarded(APIRoute):
        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            handle = super().get_route_handler()

            async def behind_key(request: Request) -> Response:
                speaking = SPEAKER.set(check_key(request, needs))
                try:
                    return await handle(request)
                finally:
                    SPEAKER.reset(speaking)

            return behind_key

    return Guarded
