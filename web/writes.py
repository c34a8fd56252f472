"""What those may change who hold the table's key."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Header, Request

from web.bodies import AnswerBody, CorrectBody, SeatBody
from web.keys import KeyGuard
from web.table import Correction, Table


def writes(table: Table, guard: KeyGuard) -> APIRouter:
    """The routes behind the key in ``X-Table-Key``."""

    def needs_key(
        request: Request, x_table_key: Annotated[str | None, Header(max_length=200)] = None
    ) -> None:
        guard.check(x_table_key, request.client.host if request.client else "")

    routes = APIRouter(dependencies=[Depends(needs_key)])

    @routes.post("/api/answer", tags=["questions"])
    def post_answer(body: AnswerBody) -> dict[str, bool]:
        """Answer an open question."""
        table.answer(body.question, body.option)
        return {"ok": True}

    @routes.post("/api/correct", tags=["corrections"])
    def post_correct(body: CorrectBody) -> dict[str, bool]:
        """Correct a turn or the scores, remove a turn, or add one."""
        table.correct(Correction(body.turn, body.line, body.scores, body.remove))
        return {"ok": True}

    @routes.post("/api/seat", tags=["game"])
    def post_seat(body: SeatBody) -> dict[str, bool]:
        """Give a player another name."""
        table.seat(body.color, " ".join(body.name.split()))
        return {"ok": True}

    @routes.post("/api/undo", tags=["corrections"])
    def post_undo() -> dict[str, bool]:
        """Take back the last turn or correction."""
        table.undo()
        return {"ok": True}

    @routes.post("/api/redo", tags=["corrections"])
    def post_redo() -> dict[str, bool]:
        """Bring back what was undone last."""
        table.redo()
        return {"ok": True}

    @routes.post("/api/end", tags=["game"])
    def post_end() -> dict[str, bool]:
        """End the game now and score it."""
        table.end()
        return {"ok": True}

    @routes.get("/api/key", tags=["game"])
    def get_key() -> dict[str, bool]:
        """Whether the key in ``X-Table-Key`` is the table's."""
        return {"ok": True}

    return routes
