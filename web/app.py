"""The dashboard's web application: pages, state, events, and the players' commands."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Header, Query, Request, Response
from fastapi.responses import FileResponse
from starlette.staticfiles import StaticFiles

from web import errors
from web.bodies import AnswerBody, CorrectBody
from web.errors import ApiError
from web.guard import BODY_LIMIT_BYTES, OuterWall
from web.keys import KeyGuard
from web.state_json import art_file, pack_json, questions_json, state_json
from web.stream import HEARTBEAT_S, EventResponse, event_stream, parse_last_event_id
from web.table import Correction, Table

STATIC = Path(__file__).parent / "static"


class _Shown:
    """A view as JSON bytes with its tag, made again only for another view (or with other questions)."""

    def __init__(self) -> None:
        # One tuple, swapped as a whole: requests run in several threads.
        self._kept: tuple[object, object, bytes, str] = (None, None, b"", "")

    def answer(self, of: object, beside: object, make: Callable[[], object], request: Request) -> Response:
        """The JSON of ``make()``, or 304 where the client has it already.

        ``of`` is told apart by identity, ``beside`` by value.
        """
        kept_of, kept_beside, body, tag = self._kept
        if kept_of is not of or kept_beside != beside:
            body = json.dumps(make(), separators=(",", ":"), ensure_ascii=False).encode()
            tag = f'"{zlib.crc32(body):08x}-{len(body):x}"'
            self._kept = (of, beside, body, tag)
        headers = {"ETag": tag, "Cache-Control": "no-cache"}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(body, media_type="application/json", headers=headers)


class _Pages(StaticFiles):
    """The dashboard's own files: fonts kept for long, the rest asked for again so that an update is seen."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        """A file with how long it may be kept."""
        response = super().file_response(*args, **kwargs)
        long = str(args[0]).endswith(".woff2")
        response.headers["Cache-Control"] = "public, max-age=604800" if long else "no-cache"
        return response


def create_app(
    table: Table,
    *,
    key: str,
    heartbeat_s: float = HEARTBEAT_S,
    body_limit_bytes: int = BODY_LIMIT_BYTES,
) -> FastAPI:
    """The application that shows ``table`` to everybody and takes commands from those who hold ``key``.

    Players open ``<url>/#key=<key>`` (the part after ``#`` never reaches a log); spectators the bare address.
    To stop the server while phones are listening, close the table's feed first.
    """
    app = FastAPI(title="Tilesight", docs_url=None, redoc_url=None, openapi_url="/api/openapi.json")
    app.add_middleware(OuterWall, body_limit_bytes=body_limit_bytes)
    errors.install(app)
    guard = KeyGuard(key)
    shown_state, shown_pack = _Shown(), _Shown()

    def needs_key(
        request: Request, x_table_key: Annotated[str | None, Header(max_length=200)] = None
    ) -> None:
        guard.check(x_table_key, request.client.host if request.client else "")

    @app.get("/api/state")
    def get_state(request: Request) -> Response:
        """Everything the dashboard draws; ``last_event_id`` is the newest event it holds."""
        last_event_id = table.watch().last_id  # before the view: an event is never claimed that is not in it
        view = table.state()
        questions = table.questions()
        return shown_state.answer(
            view,
            (last_event_id, questions),
            lambda: state_json(view, questions, last_event_id),
            request,
        )

    @app.get("/api/pack")
    def get_pack(request: Request) -> Response:
        """The faces of this table's tiles: edges, features, where pieces stand, addresses of the art."""
        pack = table.state().pack
        return shown_pack.answer(pack, None, lambda: pack_json(pack), request)

    @app.get("/api/questions")
    def get_questions() -> dict[str, object]:
        """The open questions, oldest first, the likeliest answer first."""
        return {"questions": questions_json(table.questions())}

    @app.get("/api/events", response_class=EventResponse)
    async def get_events(
        last_event_id: Annotated[str | None, Header()] = None,
        last_event_id_query: Annotated[str | None, Query(alias="last_event_id")] = None,
    ) -> EventResponse:
        """Server-sent events; ``Last-Event-ID`` (or ``?last_event_id=``) brings what was missed."""
        # A browser that reconnects by itself sends the header beside the address it first asked.
        seen = parse_last_event_id(last_event_id or last_event_id_query)
        return EventResponse(event_stream(table.watch(), seen, heartbeat_s=heartbeat_s))

    @app.post("/api/answer", dependencies=[Depends(needs_key)])
    def post_answer(body: AnswerBody) -> dict[str, bool]:
        """Answer an open question."""
        table.answer(body.question, body.option)
        return {"ok": True}

    @app.post("/api/correct", dependencies=[Depends(needs_key)])
    def post_correct(body: CorrectBody) -> dict[str, bool]:
        """Correct a turn or the scores."""
        table.correct(Correction(body.turn, body.line, body.scores))
        return {"ok": True}

    @app.post("/api/undo", dependencies=[Depends(needs_key)])
    def post_undo() -> dict[str, bool]:
        """Take back the last turn or correction."""
        table.undo()
        return {"ok": True}

    @app.post("/api/redo", dependencies=[Depends(needs_key)])
    def post_redo() -> dict[str, bool]:
        """Bring back what was undone last."""
        table.redo()
        return {"ok": True}

    @app.post("/api/end", dependencies=[Depends(needs_key)])
    def post_end() -> dict[str, bool]:
        """End the game now and score it."""
        table.end()
        return {"ok": True}

    @app.get("/api/export")
    def get_export() -> Response:
        """The game so far as a file."""
        file = table.export()
        name = "".join(c for c in file.filename if c.isascii() and (c.isalnum() or c in "._-")) or "game"
        disposition = f'attachment; filename="{name}"'
        return Response(
            file.content, media_type=file.media_type, headers={"Content-Disposition": disposition}
        )

    @app.get("/api/key", dependencies=[Depends(needs_key)])
    def get_key() -> dict[str, bool]:
        """Whether the key in ``X-Table-Key`` is the table's."""
        return {"ok": True}

    @app.get("/art/{name}")
    def get_art(name: str) -> FileResponse:
        """A design's or token's picture from the pack's folder."""
        file = art_file(table.state().pack, name)
        if file is None:
            raise ApiError(404, "unknown_art", "no such picture")
        return FileResponse(file, headers={"Cache-Control": "public, max-age=86400"})

    app.mount("/", _Pages(directory=STATIC, html=True))
    return app
