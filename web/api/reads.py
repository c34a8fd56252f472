"""Read routes of a table, open to everybody: state, pack, art, choices, questions, events, the record."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.sse import EventSourceResponse

from web.api.boards import BoardKind, Placement
from web.api.routes import NO_STORE, TurnNo, file_route, json_route
from web.api.served import ServedNow
from web.api.shapes import PackShape, QuestionsShape
from web.api.shown import ShownJson
from web.api.stream import EventStreamNow
from web.limits.errors import ApiError
from web.limits.pace import metered
from web.views.art import AskedSize, art_of, art_response
from web.views.tile_json import pack_json, questions_json

shared = APIRouter()
"""Routes that are the same for every kind of board."""
STREAMED = {**NO_STORE, "X-Accel-Buffering": "no"}
"""Headers of an answer that nobody keeps, and that no proxy holds back."""
tile_pack = APIRouter()
"""Routes that tile games alone have."""


def board_reads(board: BoardKind) -> APIRouter:
    """The routes whose answers have another shape for each kind of board."""
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
    served: ServedNow, request: Request, turn: Annotated[int | None, Query(ge=0, le=10_000)] = None
) -> Response:
    """Everything the dashboard draws; ``last_event_id`` is the newest event it holds.

    With ``turn`` as it was after that turn (0: before the first)."""
    # Not in a thread of its own: the answer is there already, and a hundred phones ask at once.
    table, state_json = served.table, served.board.state_json
    last_event_id = table.watch().last_id  # before the view: an event is never claimed that is not in it
    view, questions = table.state(), table.questions()
    if turn is None:
        beside = (last_event_id, questions)
        return served.state.answer(view, beside, lambda: state_json(view, questions, last_event_id), request)
    try:
        past = served.board.after(view, turn)
    except ValueError as error:
        raise ApiError(404, "unknown_turn", str(error)) from None
    return ShownJson().answer(past, None, lambda: state_json(past, questions, last_event_id), request)


@metered
def get_choices(served: ServedNow, turn: TurnNo, asked: Annotated[Placement, Query()]) -> dict[str, object]:
    """Choices for a turn under the rules, likeliest first; the number after the last turn asks about
    the next one. In tile games ``tile``, ``cell`` (``x,y``) and ``rot`` ask about another placement."""
    return served.board.choices_json(served.table, turn, asked)


@tile_pack.get("/api/pack", tags=["game"], **json_route(PackShape))
@metered
def get_pack(served: ServedNow, request: Request) -> Response:
    """The faces of this table's tiles: edges, features, where pieces stand, addresses of the art."""
    pack = served.table.state().pack
    return served.pack.answer(pack, None, lambda: pack_json(pack), request)


@shared.get("/art/{name}", tags=["game"], **file_route("image/*", _404="there is no such picture"))
@metered
def get_art(served: ServedNow, name: str, size: AskedSize = None) -> Response:
    """A picture of the pack: a design's, a board part's, an animal's."""
    art = art_of(served.table.state().pack, name)
    if art is None:
        raise ApiError(404, "unknown_art", "there is no such picture")
    return art_response(art, size)


@shared.get("/api/questions", tags=["questions"], **json_route(QuestionsShape))
@metered
def get_questions(served: ServedNow) -> dict[str, object]:
    """The open questions, oldest first, the likeliest answer first."""
    return {"questions": questions_json(served.table.questions())}


@shared.get("/api/events", tags=["game"], **file_route("text/event-stream"))
async def get_events(event_stream: EventStreamNow) -> EventSourceResponse:
    """Server-sent events; ``Last-Event-ID`` (or ``?last_event_id=``) brings what was missed."""
    return EventSourceResponse(event_stream.stream(), headers=STREAMED)


@shared.get("/api/export", tags=["game"], **file_route("application/jsonl"))
@metered
def get_export(served: ServedNow) -> Response:
    """The game so far as a file."""
    file = served.table.export()
    name = "".join(c for c in file.filename if c.isascii() and (c.isalnum() or c in "._-")) or "game"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(file.content, media_type=file.media_type, headers=headers)
