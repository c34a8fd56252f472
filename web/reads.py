"""What everybody at the table may read: state, faces, questions, pictures, events, the record."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Query, Request, Response
from fastapi.responses import FileResponse, HTMLResponse
from pydantic import BaseModel

from engine.geometry import Cell
from web.errors import ApiError
from web.past import view_after
from web.report import report_html
from web.shapes import (
    ChoicesShape,
    PackShape,
    PictureShape,
    QuestionsShape,
    StateShape,
    errors,
)
from web.shown import ShownJson, ShownPictures
from web.state_json import (
    art_file,
    choices_json,
    pack_json,
    picture_json,
    questions_json,
    state_json,
)
from web.stream import EventResponse, event_stream, parse_last_event_id
from web.table import Table

TurnNo = Annotated[int, Path(ge=1, le=10_000)]
NO_STORE = {"Cache-Control": "no-store"}
REPORT_WALL = {"Content-Security-Policy": "default-src 'none'; img-src data:; style-src 'unsafe-inline'"}
INVALID = "a parameter is not what it should be"


def _json(shape: type[BaseModel], **whens: str) -> dict[str, Any]:
    """How a route answers whose JSON is made by hand."""
    return {"responses": {200: {"model": shape}, **errors(_422=INVALID, **whens)}}


def _file(media_type: str, **whens: str) -> dict[str, Any]:
    """How a route answers that gives a file."""
    content = {"content": {media_type: {"schema": {"type": "string", "format": "binary"}}}}
    return {"response_class": Response, "responses": {200: content, **errors(_422=INVALID, **whens)}}


def reads(table: Table, *, heartbeat_s: float) -> APIRouter:
    """The routes that change nothing."""
    routes = APIRouter()
    shown_state, shown_pack, pictures = ShownJson(), ShownJson(), ShownPictures()

    @routes.get("/api/state", tags=["game"], **_json(StateShape, _404="there is no such turn"))
    def get_state(request: Request, turn: Annotated[int | None, Query(ge=0, le=10_000)] = None) -> Response:
        """Everything the dashboard draws; ``last_event_id`` is the newest event it holds.

        With ``turn`` as it was after that turn (0: before the first)."""
        # Not in a thread of its own: the answer is there already, and a hundred phones ask at once.
        last_event_id = table.watch().last_id  # before the view: an event is never claimed that is not in it
        view = table.state()
        questions = table.questions()
        if turn is None:
            return shown_state.answer(
                view,
                (last_event_id, questions),
                lambda: state_json(view, questions, last_event_id),
                request,
            )
        try:
            past = view_after(view, turn)
        except ValueError as error:
            raise ApiError(404, "unknown_turn", str(error)) from None
        return ShownJson().answer(past, None, lambda: state_json(past, questions, last_event_id), request)

    @routes.get("/api/pack", tags=["game"], **_json(PackShape))
    def get_pack(request: Request) -> Response:
        """The faces of this table's tiles: edges, features, where pieces stand, addresses of the art."""
        pack = table.state().pack
        return shown_pack.answer(pack, None, lambda: pack_json(pack), request)

    @routes.get("/api/questions", tags=["questions"], **_json(QuestionsShape))
    def get_questions() -> dict[str, object]:
        """The open questions, oldest first, the likeliest answer first."""
        return {"questions": questions_json(table.questions())}

    @routes.get(
        "/api/questions/{question}/crop.jpg",
        tags=["pictures"],
        **_file("image/jpeg", _404="this question is not open, or no picture is kept of it"),
    )
    def get_question_crop(question: Annotated[str, Path(max_length=100)]) -> Response:
        """The part of the camera's picture that an open question is about."""
        return Response(table.question_crop(question), media_type="image/jpeg", headers=NO_STORE)

    @routes.get(
        "/api/turns/{turn}/choices",
        tags=["corrections"],
        **_json(ChoicesShape, _404="there is no such turn", _409="nothing can be corrected here now"),
    )
    def get_choices(
        turn: TurnNo,
        tile: Annotated[str | None, Query(min_length=1, max_length=100)] = None,
        cell: Annotated[str | None, Query(pattern=r"^-?[0-9]{1,3},-?[0-9]{1,3}$")] = None,
        rot: Annotated[int | None, Query(ge=0, le=270)] = None,
    ) -> dict[str, object]:
        """What a turn may have been under the rules, likeliest first; the number after the last turn asks
        about a turn that is still to come. ``tile``, ``cell`` (``x,y``) and ``rot`` ask about another
        placement."""
        return choices_json(table.choices(turn, tile, None if cell is None else _cell(cell), rot))

    @routes.get(
        "/api/turns/{turn}/crop.jpg",
        tags=["pictures"],
        **_file("image/jpeg", _404="there is no such turn, or no picture is kept of it"),
    )
    def get_crop(turn: TurnNo) -> Response:
        """The part of the camera's picture from which a turn was understood."""
        return Response(table.crop(turn), media_type="image/jpeg", headers=NO_STORE)

    @routes.get("/api/picture", tags=["pictures"], **_json(PictureShape))
    def get_picture() -> dict[str, object]:
        """What was recognised in the camera's latest picture: tiles and pieces in pixels of its JPEG."""
        return picture_json(pictures.note(table.picture()))

    @routes.get("/api/picture.jpg", tags=["pictures"], **_file("image/jpeg", _404="there is no picture yet"))
    def get_picture_jpeg(frame: Annotated[int | None, Query(ge=0)] = None) -> Response:
        """The camera's latest picture; ``frame`` asks for the one whose overlay was just fetched."""
        picture = pictures.of_frame(frame) or table.picture()
        if picture is None:
            raise ApiError(404, "no_picture", "the camera has given no picture yet")
        return Response(picture.jpeg(), media_type="image/jpeg", headers=NO_STORE)

    @routes.get("/api/events", tags=["game"], response_class=EventResponse, responses=errors(_422=INVALID))
    async def get_events(
        last_event_id: Annotated[str | None, Header()] = None,
        last_event_id_query: Annotated[str | None, Query(alias="last_event_id")] = None,
    ) -> EventResponse:
        """Server-sent events; ``Last-Event-ID`` (or ``?last_event_id=``) brings what was missed."""
        # A browser that reconnects by itself sends the header beside the address it first asked.
        seen = parse_last_event_id(last_event_id or last_event_id_query)
        return EventResponse(event_stream(table.watch(), seen, heartbeat_s=heartbeat_s))

    @routes.get("/api/export", tags=["game"], **_file("application/jsonl"))
    def get_export() -> Response:
        """The game so far as a file."""
        file = table.export()
        name = "".join(c for c in file.filename if c.isascii() and (c.isalnum() or c in "._-")) or "game"
        disposition = f'attachment; filename="{name}"'
        return Response(
            file.content, media_type=file.media_type, headers={"Content-Disposition": disposition}
        )

    @routes.get("/api/report.html", tags=["game"], **_file("text/html"))
    def get_report() -> Response:
        """The game as one page to share: final board, every reason, the scores over the turns."""
        return HTMLResponse(report_html(table.state()), headers={**NO_STORE, **REPORT_WALL})

    @routes.get("/art/{name}", tags=["game"], **_file("image/*", _404="there is no such picture"))
    def get_art(name: str) -> FileResponse:
        """A design's or token's picture from the pack's folder."""
        file = art_file(table.state().pack, name)
        if file is None:
            raise ApiError(404, "unknown_art", "no such picture")
        return FileResponse(file, headers={"Cache-Control": "public, max-age=86400"})

    return routes


def _cell(text: str) -> Cell:
    x, _, y = text.partition(",")
    return (int(x), int(y))
