"""The dashboard's web application for games on squares: the page, its state, its events, two commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fastapi import FastAPI, Header, Query, Request, Response
from fastapi.responses import FileResponse, JSONResponse
from starlette.staticfiles import StaticFiles

from web import errors
from web.errors import ApiError
from web.guard import BODY_LIMIT_BYTES, OuterWall
from web.keys import KeyGuard
from web.squaretable import SquareTable
from web.stream import HEARTBEAT_S, EventResponse, event_stream, parse_last_event_id

STATIC = Path(__file__).parent / "static"
PAGE = STATIC / "squares.html"


def create_square_app(table: SquareTable, *, key: str, heartbeat_s: float = HEARTBEAT_S) -> FastAPI:
    """The application that shows ``table`` to everybody and takes commands from those who hold ``key``."""
    app = FastAPI(
        title="Tilesight", version="1", docs_url=None, redoc_url=None, openapi_url="/api/openapi.json"
    )
    app.add_middleware(OuterWall, body_limit_bytes=BODY_LIMIT_BYTES)
    errors.install(app)
    guard = KeyGuard(key)

    def check(request: Request) -> None:
        guard.check(request.headers.get("X-Table-Key"), request.client.host if request.client else "")

    @app.get("/api/state")
    def get_state() -> JSONResponse:
        """Everything the dashboard draws."""
        last_event_id = table.watch().last_id  # before the view: an event is never claimed that is not in it
        return JSONResponse(table.state().to_json(last_event_id), headers={"Cache-Control": "no-store"})

    @app.get("/api/events", response_class=EventResponse)
    async def get_events(
        last_event_id: Annotated[str | None, Header()] = None,
        last_event_id_query: Annotated[str | None, Query(alias="last_event_id")] = None,
    ) -> EventResponse:
        """Server-sent events; ``Last-Event-ID`` (or ``?last_event_id=``) brings what was missed."""
        seen = parse_last_event_id(last_event_id or last_event_id_query)
        return EventResponse(event_stream(table.watch(), seen, heartbeat_s=heartbeat_s))

    @app.get("/api/key")
    def get_key(request: Request) -> dict[str, bool]:
        """Whether the key opens this table."""
        check(request)
        return {"ok": True}

    @app.post("/api/undo")
    def post_undo(request: Request) -> dict[str, bool]:
        """Take back the last turn."""
        check(request)
        table.undo()
        return {"ok": True}

    @app.post("/api/end")
    def post_end(request: Request) -> dict[str, bool]:
        """End the game now."""
        check(request)
        table.end()
        return {"ok": True}

    @app.get("/api/export")
    def get_export() -> Response:
        """The game so far as a record."""
        file = table.export()
        disposition = f'attachment; filename="{file.filename}"'
        return Response(
            file.content, media_type=file.media_type, headers={"Content-Disposition": disposition}
        )

    @app.get("/art/{name}")
    def get_art(name: str) -> FileResponse:
        """The picture of a board's part or of an animal, by its name in the pack."""
        pack = table.state().pack
        known = {*pack.designs, *(f"token-{animal}" for animal in pack.animals)}
        path = pack.art_path(name) if name in known else None
        if path is None:
            raise ApiError(404, "unknown_art", "no such picture")
        return FileResponse(path, headers={"Cache-Control": "public, max-age=86400"})

    @app.get("/")
    def get_page() -> FileResponse:
        """The page."""
        return FileResponse(PAGE, headers={"Cache-Control": "no-cache"})

    app.mount("/", StaticFiles(directory=STATIC))
    return app
