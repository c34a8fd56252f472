"""Read routes of a table, open to everybody: state, pack, art, choices, questions, events, and the record."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.sse import EventSourceResponse

from engine.message import Message, message_of
from web.api.boards import BoardKind, PlacementQuery
from web.api.cache import CachedJson
from web.api.routes import TurnNo, file_route, json_route
from web.api.served import ServedDep
from web.api.shapes import PackShape, QuestionsShape
from web.api.stream import EventStreamDep
from web.limits.errors import ApiError
from web.limits.pace import in_thread
from web.uncached import NO_STORE
from web.views.art import SizeQuery, art_of, art_response
from web.views.tile_json import pack_json, questions_json

shared = APIRouter()
"""Routes that are the same for both kinds of board."""
STREAMED = {**NO_STORE, "X-Accel-Buffering": "no"}
"""Headers of an event stream: not cached, and not buffered by proxies."""
ENTRY_NAME = "X-Log-Entry"
"""Header with the number of the log's latest entry that a download includes, as `entry` of the state."""
tile_pack = APIRouter()
"""Routes that only tile games have."""


def board_reads(board: BoardKind) -> APIRouter:
    """Return the routes whose answers differ between the kinds of board.

    They are the state and the choices for a turn.
    """
    routes = APIRouter()
    routes.add_api_route(
        "/api/state", get_state, tags=["game"], **json_route(board.state_shape, _404="there is no such turn")
    )
    routes.add_api_route(
        "/api/turns/{turn}/choices",
        get_choices,
        tags=["corrections"],
        **json_route(
            board.choices_shape, _404="there is no such turn", _409="nothing can be corrected here now"
        ),
    )
    return routes


async def get_state(
    served: ServedDep, request: Request, turn: Annotated[int | None, Query(ge=0, le=10_000)] = None
) -> Response:
    """Return everything that the dashboard draws. ``last_event_id`` is the newest event that is included.

    With ``turn``, return the state after that turn (0: before the first); 404 if there is no such turn.
    """
    # The latest state takes no worker thread: it is usually cached, and a hundred phones ask at once.
    table, state_json = served.table, served.board.state_json
    last_event_id = table.watch().last_id  # read before the view, so that the view includes this event
    view, questions = table.state(), table.questions()
    if turn is None:
        beside = (last_event_id, questions)
        return served.state.answer(view, beside, lambda: state_json(view, questions, last_event_id), request)

    @in_thread  # the game is played again
    def after_turn() -> Response:
        """Return the state after that turn."""
        try:
            past = served.board.view_after(view, turn)
        except ValueError as error:
            raise ApiError(404, "unknown_turn", message_of(error)) from None
        return CachedJson().answer(past, None, lambda: state_json(past, questions, last_event_id), request)

    return await after_turn()


@in_thread
def get_choices(
    served: ServedDep, turn: TurnNo, query: Annotated[PlacementQuery, Query()]
) -> dict[str, object]:
    """Return the legal choices for a turn, likeliest first.

    The number after the last turn asks about the next turn. In tile games, ``tile``, ``cell`` (``x,y``)
    and ``rot`` ask about another placement.
    """
    return served.board.choices_json(served.table, turn, query)


@tile_pack.get("/api/pack", tags=["game"], **json_route(PackShape))
@in_thread
def get_pack(served: ServedDep, request: Request) -> Response:
    """Return the faces of this table's tiles.

    A face has its edges, features, positions of pieces, and the address of its art.
    """
    pack = served.table.state().pack
    return served.pack.answer(pack, None, lambda: pack_json(pack), request)


@shared.get("/art/{name}", tags=["game"], **file_route("image/*", _404="there is no such picture"))
@in_thread
def get_art(served: ServedDep, name: str, size: SizeQuery = None) -> Response:
    """Return a picture from the pack: of a design, a board part or an animal."""
    art = art_of(served.table.state().pack, name)
    if art is None:
        raise ApiError(404, "unknown_art", Message("there is no such picture"))
    return art_response(art, size)


@shared.get("/api/questions", tags=["questions"], **json_route(QuestionsShape))
@in_thread
def get_questions(served: ServedDep) -> dict[str, object]:
    """Return the open questions, oldest first, each with the likeliest option first."""
    return {"questions": questions_json(served.table.questions())}


@shared.get("/api/events", tags=["game"], **file_route("text/event-stream"))
async def get_events(event_stream: EventStreamDep) -> EventSourceResponse:
    """Stream the table's events (server-sent).

    ``Last-Event-ID`` or ``?last_event_id=`` also sends the events after that id.
    """
    return EventSourceResponse(event_stream.stream(), headers=STREAMED)


@shared.get("/api/export", tags=["game"], **file_route("application/jsonl"))
@in_thread
def get_export(served: ServedDep) -> Response:
    """Return the game so far as a file to download."""
    file = served.table.export()
    name = "".join(c for c in file.filename if c.isascii() and (c.isalnum() or c in "._-")) or "game"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', ENTRY_NAME: str(file.entry)}
    return Response(file.content, media_type=file.media_type, headers=headers)
