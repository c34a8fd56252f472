"""Helpers to declare routes: required key, response descriptions for OpenAPI, and shared parameters."""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine
from typing import Annotated, Any
from urllib.parse import unquote

from fastapi import Path, Request, Response
from fastapi.routing import APIRoute
from fastapi.security import APIKeyHeader
from pydantic import BaseModel

from web.api.served import served_by
from web.limits.errors import errors
from web.limits.keys import KEY_NAME, note_key
from web.table.access import SPEAKER, Role, Speaker
from web.table.seats import NAME, NAME_LENGTH

SPEAKER_NAME = "X-Table-Name"
"""Header in which a phone may send its user's name, percent-encoded. The log stores the name with each
change."""
KEY_HEADER = APIKeyHeader(
    name=KEY_NAME,
    scheme_name="table key",
    description="the join key, as in the table's QR code",
    auto_error=False,
)
"""OpenAPI description of the key header. The key itself is checked earlier, by `guarded`."""

TurnNo = Annotated[int, Path(ge=1, le=10_000)]
"""Path parameter: number of a turn, counted from 1."""
INVALID = "a parameter is invalid"
"""Description of status 422 for routes without a body."""


def json_route(shape: type[BaseModel], **whens: str) -> dict[str, Any]:
    """Return the options of a route that answers with JSON of this shape.

    ``whens`` describes its errors by status, such as ``_404="there is no such turn"``.
    """
    return {"responses": {200: {"model": shape}, **errors(_422=INVALID, **whens)}}


def file_route(media_type: str, **whens: str) -> dict[str, Any]:
    """Return the options of a route that answers with a file.

    ``whens`` describes its errors by status, such as ``_404="there is no such picture"``.
    """
    content = {"content": {media_type: {"schema": {"type": "string", "format": "binary"}}}}
    return {"response_class": Response, "responses": {200: content, **errors(_422=INVALID, **whens)}}


def check_key(request: Request, needs: Role) -> Speaker:
    """Return the role and name behind the request's key.

    Raises ApiError 403 if the key is missing, wrong or of a role below ``needs``, and 429 after too many
    wrong keys.
    """
    address = request.client.host if request.client else ""
    role = served_by(request).guard.check(request.headers.get(KEY_NAME), address, needs)
    note_key(request.scope)
    name = unquote(request.headers.get(SPEAKER_NAME, ""), errors="replace")
    return Speaker(role, name if len(name) <= NAME_LENGTH and re.match(NAME, name) else "")


def guarded(needs: Role) -> type[APIRoute]:
    """Return a route class that requires a key of the role ``needs``.

    The key is checked before the request's body is read. `SPEAKER` is set while the request is handled. The
    rate of requests that change something is limited.
    """

    class Guarded(APIRoute):
        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            """Return the handler of the route, with the check of the key before it."""
            handle = super().get_route_handler()

            async def behind_key(request: Request) -> Response:
                speaker = check_key(request, needs)
                if request.method != "GET":
                    served_by(request).guard.count_change(request.client.host if request.client else "")
                speaking = SPEAKER.set(speaker)
                try:
                    return await handle(request)
                finally:
                    SPEAKER.reset(speaking)

            return behind_key

    return Guarded
