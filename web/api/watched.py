"""What everybody at a watched table may read: questions, pictures, events, the record.

The same for every kind of board.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Header, Path, Query, Response
from pydantic import BaseModel

from engine.pack import Pack
from web.api.errors import ApiError
from web.api.pace import counted
from web.api.shapes import PictureShape, QuestionsShape, errors
from web.api.shown import Kept, ShownPictures
from web.api.stream import EventResponse, event_stream, parse_last_event_id
from web.report.job import ReportError, pdf_aside
from web.report.page import Report, report_html
from web.report.words import Language, Words, language_of, words_in
from web.tables.table import WatchedTable
from web.tables.tile_json import art_of, art_response, picture_json, questions_json

View = TypeVar("View")
Lang = Annotated[Language | None, Query()]
AcceptLanguage = Annotated[str | None, Header()]
TurnNo = Annotated[int, Path(ge=1, le=10_000)]
NO_STORE = {"Cache-Control": "no-store"}
REPORT_WALL = {"Content-Security-Policy": "default-src 'none'; img-src data:; style-src 'unsafe-inline'"}
INVALID = "a parameter is not what it should be"


def json_route(shape: type[BaseModel], **whens: str) -> dict[str, Any]:
    """How a route answers whose JSON is made by hand."""
    return {"responses": {200: {"model": shape}, **errors(_422=INVALID, **whens)}}


def file_route(media_type: str, **whens: str) -> dict[str, Any]:
    """How a route answers that gives a file."""
    content = {"content": {media_type: {"schema": {"type": "string", "format": "binary"}}}}
    return {"response_class": Response, "responses": {200: content, **errors(_422=INVALID, **whens)}}


def watched_reads(table: WatchedTable, *, heartbeat_s: float) -> APIRouter:
    """The routes that change nothing and are the same for every game."""
    routes = APIRouter()
    pictures = ShownPictures()

    @routes.get("/api/questions", tags=["questions"], **json_route(QuestionsShape))
    @counted
    def get_questions() -> dict[str, object]:
        """The open questions, oldest first, the likeliest answer first."""
        return {"questions": questions_json(table.questions())}

    @routes.get(
        "/api/questions/{question}/crop.jpg",
        tags=["pictures"],
        **file_route("image/jpeg", _404="this question is not open, or no picture is kept of it"),
    )
    @counted
    def get_question_crop(question: Annotated[str, Path(max_length=100)]) -> Response:
        """The part of the camera's picture that an open question is about."""
        return Response(table.question_crop(question), media_type="image/jpeg", headers=NO_STORE)

    @routes.get(
        "/api/turns/{turn}/crop.jpg",
        tags=["pictures"],
        **file_route("image/jpeg", _404="there is no such turn, or no picture is kept of it"),
    )
    @counted
    def get_crop(turn: TurnNo) -> Response:
        """The part of the camera's picture from which a turn was understood."""
        return Response(table.crop(turn), media_type="image/jpeg", headers=NO_STORE)

    @routes.get("/api/picture", tags=["pictures"], **json_route(PictureShape))
    @counted
    def get_picture() -> dict[str, object]:
        """What was recognised in the camera's latest picture: tiles and pieces in pixels of its JPEG."""
        return picture_json(pictures.note(table.picture()))

    @routes.get(
        "/api/picture.jpg", tags=["pictures"], **file_route("image/jpeg", _404="there is no picture yet")
    )
    @counted
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

    @routes.get("/api/export", tags=["game"], **file_route("application/jsonl"))
    @counted
    def get_export() -> Response:
        """The game so far as a file."""
        file = table.export()
        name = "".join(c for c in file.filename if c.isascii() and (c.isalnum() or c in "._-")) or "game"
        disposition = f'attachment; filename="{name}"'
        return Response(
            file.content, media_type=file.media_type, headers={"Content-Disposition": disposition}
        )

    return routes


def art_reads(pack_of: Callable[[], Pack]) -> APIRouter:
    """The pictures of the table's pack, wherever that has them."""
    routes = APIRouter()

    @routes.get("/art/{name}", tags=["game"], **file_route("image/*", _404="there is no such picture"))
    def get_art(name: str) -> Response:
        """A picture of the pack: a design's, a board part's, an animal's."""
        art = art_of(pack_of(), name)
        if art is None:
            raise ApiError(404, "unknown_art", "no such picture")
        return art_response(art)

    return routes


def report_reads(state: Callable[[], View], report_of: Callable[[View, Words], Report]) -> APIRouter:
    """The game as a page, and as a PDF, to share. ``state()`` gives the view now, by whose identity a report
    is known again; ``report_of`` tells it in some words."""
    routes = APIRouter()
    told = Kept[View, Report]()
    pages, pdfs = Kept[Report, bytes](), Kept[Report, bytes]()

    def report_now(language: Language) -> Report:
        view = state()
        return told.made(language, view, lambda: report_of(view, words_in(language)))

    @routes.get("/api/report.html", tags=["game"], **file_route("text/html"))
    @counted
    def get_report(lang: Lang = None, accept_language: AcceptLanguage = None) -> Response:
        """The game as one page to share: final board, every reason, the scores over the turns.

        In the language ``lang``, else in one that the browser accepts."""
        language = language_of(lang, accept_language)
        report = report_now(language)
        page = pages.made(language, report, lambda: report_html(report).encode())
        return Response(page, media_type="text/html", headers={**NO_STORE, **REPORT_WALL})

    @routes.get("/api/report.pdf", tags=["game"], **file_route("application/pdf"))
    @counted
    def get_report_pdf(lang: Lang = None, accept_language: AcceptLanguage = None) -> Response:
        """The same as a PDF."""
        language = language_of(lang, accept_language)
        report = report_now(language)
        try:
            pdf = pdfs.made(language, report, lambda: pdf_aside(report))
        except ReportError as error:
            raise ApiError(503, "no_report", str(error)) from None
        headers = {**NO_STORE, "Content-Disposition": 'inline; filename="game.pdf"'}
        return Response(pdf, media_type="application/pdf", headers=headers)

    return routes
