"""The dashboard's web application for games on squares: its page, its state, what a turn may have been."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, FastAPI, Query, Request, Response

from web.api.errors import ApiError
from web.api.pace import counted
from web.api.phone import PhoneSink
from web.api.shapes import MovesShape, SquareStateShape
from web.api.shown import ShownJson
from web.api.stream import HEARTBEAT_S
from web.api.watched import TurnNo, art_reads, json_route, report_reads
from web.app import watched_app
from web.report.grid_report import square_report
from web.tables.grid_json import moves_json, square_state_json
from web.tables.grid_table import SquareTable


def create_square_app(
    table: SquareTable, *, key: str, phone: PhoneSink | None = None, heartbeat_s: float = HEARTBEAT_S
) -> FastAPI:
    """The application that shows ``table`` to everybody and takes commands from those who hold ``key``; see
    `web.app.create_app`."""
    return watched_app(
        table, square_reads(table), board="squares", key=key, phone=phone, heartbeat_s=heartbeat_s
    )


def square_reads(table: SquareTable) -> APIRouter:
    """The routes of a game on squares that change nothing."""
    routes = APIRouter()
    shown_state = ShownJson()

    @routes.get("/api/state", tags=["game"], **json_route(SquareStateShape, _404="there is no such turn"))
    async def get_state(
        request: Request, turn: Annotated[int | None, Query(ge=0, le=10_000)] = None
    ) -> Response:
        """Everything the dashboard draws; ``last_event_id`` is the newest event it holds.

        With ``turn`` as it was after that turn (0: before the first)."""
        # Not in a thread of its own: the answer is there already, and a hundred phones ask at once.
        last_event_id = table.watch().last_id  # before the view: an event is never claimed that is not in it
        view, questions = table.state(), table.questions()
        if turn is None:
            return shown_state.answer(
                view,
                (last_event_id, questions),
                lambda: square_state_json(view, questions, last_event_id),
                request,
            )
        try:
            past = view.after(turn)
        except ValueError as error:
            raise ApiError(404, "unknown_turn", str(error)) from None
        return ShownJson().answer(
            past, None, lambda: square_state_json(past, questions, last_event_id), request
        )

    @routes.get(
        "/api/turns/{turn}/choices",
        tags=["corrections"],
        **json_route(MovesShape, _404="there is no such turn", _409="nothing can be corrected here now"),
    )
    @counted
    def get_choices(turn: TurnNo) -> dict[str, object]:
        """Every turn that the rules allow there; the number after the last turn asks about the next."""
        return moves_json(table.moves(turn))

    routes.include_router(report_reads(table.state, square_report))
    routes.include_router(art_reads(lambda: table.state().pack))

    return routes
