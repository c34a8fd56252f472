"""Dashboard application of every table: pages, state, events, and the players' commands."""

from __future__ import annotations

import mimetypes
from collections.abc import Callable
from typing import Any, get_args
from urllib.parse import urlsplit

from fastapi import FastAPI, Response
from starlette.middleware.gzip import GZipMiddleware
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from web.api import health, host, pictures, reads, reports, writes
from web.api.boards import SQUARES, TILES, BoardKind
from web.api.phone import PhoneSink, phone_camera
from web.api.served import ServedTable, serve
from web.hints import routes as hints
from web.limits import errors
from web.limits.hosts import HostMiddleware
from web.limits.keys import KeyGuard
from web.limits.pace import PaceMiddleware
from web.limits.sizes import BODY_LIMIT_BYTES, RequestLimitMiddleware
from web.page import (
    HEADERS,
    KEPT,
    STATIC,
    Board,
    big_screen_style_of,
    files_address,
    page_reads,
    script_of,
    style_of,
)
from web.table.squares import SquareTable
from web.table.table import Table
from web.table.vitals import Vitals

# Python does not know every kind of file that a phone asks for.
mimetypes.add_type("application/manifest+json", ".webmanifest")
ABOUT = """Cells are `[x, y]`, x to the east and y to the south; a tile's `rot` is degrees clockwise. Every
error is `{"error": {"code": ..., "message": ...}}`. Requests carry at most 64 KiB, addresses at most 4 KiB.

`GET /api/events` tells (server-sent) `turn`, `score`, `question`, `fault`, `camera`, `seat`, `pause` and
`end`; after each, `GET /api/state` holds what it told."""
"""The description in OpenAPI."""
TAGS = [
    {"name": "game", "description": "the game as it stands, and as a file"},
    {"name": "questions", "description": "what the camera cannot decide"},
    {"name": "corrections", "description": "what else a turn may have been; undo and redo"},
    {"name": "hints", "description": "tiles left and best places, where the host allows them"},
    {"name": "health", "description": "whether the table works, for who keeps it running"},
    {"name": "host", "description": "the join key and what spectators see, for the host's key"},
    {"name": "pictures", "description": "the camera's picture, and the parts that decisions were made from"},
]
"""Groups of routes in OpenAPI."""
PACKED_FROM_BYTES = 1000
"""Bytes from which on a file is sent compressed: below, it fits one packet as it is."""


class _Pages(StaticFiles):
    """The dashboard's own files with how long a phone may keep them: ``kept`` for good, under the address of
    this version, else asked for again so that an update is seen."""

    def __init__(self, *, kept: bool) -> None:
        super().__init__(directory=STATIC)
        self._headers = KEPT if kept else HEADERS
        self._joined: dict[str, str] = {}
        for board in get_args(Board):
            self._joined[f"css/{board}-page.css"] = style_of(board)
            self._joined[f"css/{board}-tv.css"] = big_screen_style_of(board)
            for script in (board, f"tv_{board}"):
                self._joined[f"js/{script}-page.js"] = script_of(f"{script}.js")

    async def get_response(self, path: str, scope: Scope) -> Response:
        """A file, or a page's styles or scripts as one."""
        if (joined := self._joined.get(path)) is not None:
            kind = "text/css" if path.endswith(".css") else "text/javascript"
            return Response(joined, media_type=kind, headers=self._headers)
        return await super().get_response(path, scope)

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        """A file with how long it may be kept."""
        response = super().file_response(*args, **kwargs)
        response.headers.update(self._headers)
        return response


def create_app(
    table: Table,
    *,
    key: str | KeyGuard,
    phone: PhoneSink | None = None,
    url: str = "",
    vitals: Callable[[], Vitals] = Vitals,
    secure_url: str = "",
    tournament: bool = False,
    body_limit_bytes: int = BODY_LIMIT_BYTES,
) -> FastAPI:
    """The application that shows the table of a tile game to everybody and takes commands from those who hold
    ``key``, the join key or the guard of all keys.

    Players open ``<url>/#key=<key>`` (the part after ``#`` never reaches a log); spectators the bare address.
    ``phone`` takes the pictures of a phone that is the camera; without it there is no camera page. ``url``
    is the address that players open, where that is not the one they ask, ``secure_url`` the encrypted one,
    ``vitals`` gives what ``/healthz`` tells; with ``tournament`` there are no hints. Bodies of requests have
    at most ``body_limit_bytes``. To stop the server while phones are listening, close the table's feed first.
    """
    phone_url = None if phone is None else secure_url
    served = ServedTable(table, TILES, _guard(key), url, phone_url, vitals, tournament)
    app = _app(served, phone, secure_url, body_limit_bytes)
    app.include_router(reads.tile_pack)
    app.include_router(hints.routes)
    return _with_files(app)


def create_square_app(
    table: SquareTable,
    *,
    key: str | KeyGuard,
    phone: PhoneSink | None = None,
    url: str = "",
    vitals: Callable[[], Vitals] = Vitals,
    secure_url: str = "",
    body_limit_bytes: int = BODY_LIMIT_BYTES,
) -> FastAPI:
    """The same for the table of a game on squares."""
    phone_url = None if phone is None else secure_url
    served = ServedTable(table, SQUARES, _guard(key), url, phone_url, vitals)
    return _with_files(_app(served, phone, secure_url, body_limit_bytes))


def create_reading_app(table: Table | SquareTable, board: BoardKind, *, key: KeyGuard) -> FastAPI:
    """The application that shows a table's dashboard and has no command: whoever mounts it takes those, and
    sees to hosts, sizes and pace. Pages of the same address may show it in a frame."""
    app = FastAPI(title="Tilesight", docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(GZipMiddleware, minimum_size=PACKED_FROM_BYTES)
    errors.install(app)
    serve(app, ServedTable(table, board, key))
    app.include_router(reads.shared)
    app.include_router(reads.board_reads(board))
    if board is TILES:
        app.include_router(reads.tile_pack)
    app.include_router(pictures.routes)
    app.include_router(reports.routes)
    app.include_router(page_reads(board.page, framed=True))
    return _with_files(app)


def _guard(key: str | KeyGuard) -> KeyGuard:
    return KeyGuard(key) if isinstance(key, str) else key


def _app(served: ServedTable, phone: PhoneSink | None, secure_url: str, body_limit_bytes: int) -> FastAPI:
    """Application that every watched table has, but for its files."""
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
    app.add_middleware(GZipMiddleware, minimum_size=PACKED_FROM_BYTES)
    app.add_middleware(PaceMiddleware)
    name = urlsplit(served.url).hostname
    app.add_middleware(HostMiddleware, names=(name,) if name else ())
    app.add_middleware(RequestLimitMiddleware, body_limit_bytes=body_limit_bytes)
    errors.install(app)
    serve(app, served)
    app.include_router(reads.shared)
    app.include_router(reads.board_reads(served.board))
    app.include_router(pictures.routes)
    app.include_router(reports.routes)
    app.include_router(page_reads(served.board.page))
    app.include_router(writes.routes)
    app.include_router(host.routes)
    app.include_router(health.routes)
    if phone is not None:
        app.include_router(phone_camera(phone, served.guard, served.table, secure_url))
    return app


def _with_files(app: FastAPI) -> FastAPI:
    """``app`` with the dashboard's own files, asked last: they take every address that is left."""
    app.mount(f"/{files_address()}", _Pages(kept=True))
    app.mount("/", _Pages(kept=False))
    return app
