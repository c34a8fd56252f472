"""Write routes, for holders of the table's key."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import APIRouter, Request, Response, Security
from fastapi.routing import APIRoute
from fastapi.security import APIKeyHeader

from web.api.bodies import AnswerBody, CorrectBody, SeatBody
from web.api.served import ServedNow, served_by
from web.api.shapes import OkShape, errors
from web.views.table import Correction

KEY_NAME = "X-Table-Key"
"""The header that carries the key."""
KEY_HEADER = APIKeyHeader(
    name=KEY_NAME,
    scheme_name="table key",
    description="the join key, as in the table's QR code",
    auto_error=False,
)
"""The same for OpenAPI; the key is checked before FastAPI comes to it."""
REFUSED = errors(
    _400="the body is not text that could be JSON",
    _403="no key, or not the table's",
    _404="what the request names is not there, or not there any more",
    _409="the table cannot do that now; the message says why",
    _413="the body is too large",
    _422="the body is not what it should be; the message names the field",
    _429="five wrong keys within a minute; Retry-After says how long to wait",
)
"""Reasons why a write is refused, by status."""
OK = {"ok": True}
"""The answer to a write that succeeded."""


class Guarded(APIRoute):
    """A route that asks for the key before anything of the body is looked at."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """FastAPI's own handler behind the key."""
        handle = super().get_route_handler()

        async def guarded(request: Request) -> Response:
            address = request.client.host if request.client else ""
            served_by(request).guard.check(request.headers.get(KEY_NAME), address)
            return await handle(request)

        return guarded


routes = APIRouter(route_class=Guarded, dependencies=[Security(KEY_HEADER)], responses=REFUSED)
"""Routes behind the key in ``X-Table-Key``."""


@routes.post("/api/answer", tags=["questions"], response_model=OkShape)
def post_answer(served: ServedNow, body: AnswerBody) -> dict[str, bool]:
    """Answer an open question."""
    served.table.answer(body.question, body.option)
    return OK


@routes.post("/api/correct", tags=["corrections"], response_model=OkShape)
def post_correct(served: ServedNow, body: CorrectBody) -> dict[str, bool]:
    """Correct a turn, the scores or the set-up, remove a turn, or add one."""
    set_up = None if body.set_up is None else body.set_up.value()
    served.table.correct(Correction(body.turn, body.line, body.scores, body.remove, set_up, body.agreed))
    return OK


@routes.post("/api/seat", tags=["game"], response_model=OkShape)
def post_seat(served: ServedNow, body: SeatBody) -> dict[str, bool]:
    """Give a player another name."""
    served.table.seat(body.color, " ".join(body.name.split()))
    return OK


@routes.post("/api/undo", tags=["corrections"], response_model=OkShape)
def post_undo(served: ServedNow) -> dict[str, bool]:
    """Take back the last turn or correction."""
    served.table.undo()
    return OK


@routes.post("/api/redo", tags=["corrections"], response_model=OkShape)
def post_redo(served: ServedNow) -> dict[str, bool]:
    """Bring back what was undone last."""
    served.table.redo()
    return OK


@routes.post("/api/end", tags=["game"], response_model=OkShape)
def post_end(served: ServedNow) -> dict[str, bool]:
    """End the game now and score it."""
    served.table.end()
    return OK


@routes.get("/api/key", tags=["game"], response_model=OkShape)
def get_key() -> dict[str, bool]:
    """Whether the key in ``X-Table-Key`` is the table's."""
    return OK
