"""The dashboard's web application: pages, state, events, and the players' commands."""

from __future__ import annotations

import mimetypes
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI, Response
from starlette.staticfiles import StaticFiles

from web.api import errors
from web.api.guard import BODY_LIMIT_BYTES, OuterWall
from web.api.hosts import HostWall
from web.api.keys import KeyGuard
from web.api.pace import Pace
from web.api.phone import PhoneSink, phone_camera
from web.api.reads import reads
from web.api.stream import HEARTBEAT_S
from web.api.watched import watched_reads
from web.api.writes import writes
from web.page import Board, page_reads
from web.tables.table import Table, WatchedTable

# Python does not know every kind of file that a phone asks for.
mimetypes.add_type("application/manifest+json", ".webmanifest")
ABOUT = """Cells are `[x, y]`, x to the east and y to the south; a tile's `rot` is degrees clockwise. Every
error is `{"error": {"code": ..., "message": ...}}`. Requests carry at most 64 KiB, addresses at most 4 KiB.

`GET /api/events` tells (server-sent) `turn`, `score`, `question`, `fault`, `camera`, `seat` and `end`;
after each, `GET /api/state` holds what it told."""
TAGS = [
    {"name": "game", "description": "the game as it stands, and as a file"},
    {"name": "questions", "description": "what the camera cannot decide"},
    {"name": "corrections", "description": "what else a turn may have been; undo and redo"},
    {"name": "pictures", "description": "the camera's picture, and the parts that decisions were made from"},
]
STATIC = Path(__file__).parent / "static"


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
    phone: PhoneSink | None = None,
    heartbeat_s: float = HEARTBEAT_S,
    body_limit_bytes: int = BODY_LIMIT_BYTES,
) -> FastAPI:
    """The application that shows ``table`` to everybody and takes commands from those who hold ``key``.

    Players open ``<url>/#key=<key>`` (the part after ``#`` never reaches a log); spectators the bare address.
    ``phone`` takes the pictures of a phone that is the camera; without it there is no camera page.
    To stop the server while phones are listening, close the table's feed first.
    """
    return watched_app(
        table,
        reads(table),
        board="tiles",
        key=key,
        phone=phone,
        heartbeat_s=heartbeat_s,
        body_limit_bytes=body_limit_bytes,
    )


def watched_app(
    table: WatchedTable,
    own: APIRouter,
    *,
    board: Board,
    key: str,
    phone: PhoneSink | None = None,
    heartbeat_s: float = HEARTBEAT_S,
    body_limit_bytes: int = BODY_LIMIT_BYTES,
) -> FastAPI:
    """What every watched table has, and ``own``: what its kind of game has besides. ``board`` says which page
    draws it."""
    app = FastAPI(
        title="Tilesight",
        version="1",
        summary="A table that is being watched: its state for everybody, its commands for who holds the key.",
        description=ABOUT,
        openapi_tags=TAGS,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    app.add_middleware(Pace)
    app.add_middleware(HostWall)
    app.add_middleware(OuterWall, body_limit_bytes=body_limit_bytes)
    errors.install(app)
    app.include_router(watched_reads(table, heartbeat_s=heartbeat_s))
    app.include_router(own)
    app.include_router(page_reads(board))
    guard = KeyGuard(key)
    app.include_router(writes(table, guard))
    if phone is not None:
        app.include_router(phone_camera(phone, guard))
    app.mount("/", _Pages(directory=STATIC))
    return app
