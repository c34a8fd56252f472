"""What those may change who hold the table's key."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import APIRouter, Request, Response, Security
from fastapi.routing import APIRoute
from fastapi.security import APIKeyHeader

from web.api.bodies import AnswerBody, CorrectBody, SeatBody
from web.api.keys import KeyGuard
from web.api.shapes import OkShape, errors
from web.tables.table import Correction, WatchedTable

KEY_NAME = "X-Table-Key"
KEY_HEADER = APIKeyHeader(
    name=KEY_NAME,
    scheme_name="table key",
    description="the join key, as in the table's QR code",
    auto_error=False,
)


def writes(table: WatchedTable, guard: KeyGuard) -> APIRouter:
    """The routes behind the key in ``X-Table-Key``."""

    class Guarded(APIRoute):
        """Asks for the key before anything of the body is looked at."""

        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            handle = super().get_route_handler()

            async def guarded(request: Request) -> Response:
                guard.check(request.headers.get(KEY_NAME), request.client.host if request.client else "")
                return await handle(request)

            return guarded

    refused = errors(
        _400="the body is no text that could be JSON",
        _403="no key, or not the table's",
        _404="what it speaks of is not there (any more)",
        _409="the table cannot do that now; the message says why",
        _413="the body is too large",
        _422="the body says nothing clear",
        _429="five wrong keys within a minute; Retry-After says how long to wait",
    )
    routes = APIRouter(route_class=Guarded, dependencies=[Security(KEY_HEADER)], responses=refused)

    @routes.post("/api/answer", tags=["questions"], response_model=OkShape)
    def post_answer(body: AnswerBody) -> dict[str, bool]:
        """Answer an open question."""
        table.answer(body.question, body.option)
        return {"ok": True}

    @routes.post("/api/correct", tags=["corrections"], response_model=OkShape)
    def post_correct(body: CorrectBody) -> dict[str, bool]:
        """Correct a turn, the scores or the set-up, remove a turn, or add one."""
        set_up = None if body.set_up is None else body.set_up.value()
        table.correct(Correction(body.turn, body.line, body.scores, body.remove, set_up, body.agreed))
        return {"ok": True}

    @routes.post("/api/seat", tags=["game"], response_model=OkShape)
    def post_seat(body: SeatBody) -> dict[str, bool]:
        """Give a player another name."""
        table.seat(body.color, " ".join(body.name.split()))
        return {"ok": True}

    @routes.post("/api/undo", tags=["corrections"], response_model=OkShape)
    def post_undo() -> dict[str, bool]:
        """Take back the last turn or correction."""
        table.undo()
        return {"ok": True}

    @routes.post("/api/redo", tags=["corrections"], response_model=OkShape)
    def post_redo() -> dict[str, bool]:
        """Bring back what was undone last."""
        table.redo()
        return {"ok": True}

    @routes.post("/api/end", tags=["game"], response_model=OkShape)
    def post_end() -> dict[str, bool]:
        """End the game now and score it."""
        table.end()
        return {"ok": True}

    @routes.get("/api/key", tags=["game"], response_model=OkShape)
    def get_key() -> dict[str, bool]:
        """Whether the key in ``X-Table-Key`` is the table's."""
        return {"ok": True}

    return routes
