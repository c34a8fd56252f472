"""Dashboard application of one table: pages, state, events, and the players' commands."""

from __future__ import annotations

import mimetypes
from collections.abc import Callable, Mapping
from functools import cache
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
from web.outward import routes as webhooks
from web.page import (
    IMMUTABLE,
    REVALIDATE,
    STATIC,
    PageKind,
    Screen,
    bundled_screen_style,
    bundled_script,
    bundled_style,
    files_path,
    page_routes,
)
from web.table.squares import SquareTable
from web.table.table import Table
from web.table.vitals import Vitals

mimetypes.add_type("application/manifest+json", ".webmanifest")
ABOUT = """Cells are `[x, y]`, x to the east and y to the south; a tile's `rot` is degrees clockwise. Every
error is `{"error": {"code": ..., "message": ...}}`. Requests carry at most 64 KiB, addresses at most 4 KiB.

`GET /api/events` sends the events `turn`, `score`, `question`, `fault`, `camera`, `seat`, `pause` and `end`
(server-sent). After each event, `GET /api/state` includes its change."""
"""Description of the interface in OpenAPI."""
TAGS = [
    {"name": "game", "description": "the current game, and the game as a file"},
    {"name": "questions", "description": "decisions that the camera cannot make"},
    {"name": "corrections", "description": "other possible turns; undo and redo"},
    {"name": "hints", "description": "remaining tiles and best places, if the host allows hints"},
    {"name": "health", "description": "whether the table works, for monitoring"},
    {"name": "host", "description": "the join key and what spectators see; needs the host's key"},
    {"name": "pictures", "description": "the camera's picture, and the parts that decisions were made from"},
]
"""Groups of routes in OpenAPI."""
GZIP_FROM_BYTES = 1000
"""Minimum size of a compressed response, in bytes. A smaller one fits into one packet anyway."""

GZIP_LEVEL = 5
"""Level of compression. Everything waits while the event loop compresses: 9 takes thrice the time for a few
per cent."""


@cache
def _bundles() -> Mapping[str, str]:
    """Return all bundled styles and scripts by their paths. All tables of a process share them."""
    joined: dict[str, str] = {}
    for kind in get_args(PageKind):
        joined[f"css/{kind}-page.css"] = bundled_style(kind)
        for screen in get_args(Screen):
            joined[f"css/{kind}-{screen}.css"] = bundled_screen_style(kind, screen)
        for script in (kind, f"tv_{kind}"):
            joined[f"js/{script}-page.js"] = bundled_script(f"{script}.js")
    return joined


class _DashboardFiles(StaticFiles):
    """The dashboard's static files and bundles.

    With ``immutable``, clients may cache them for ever (below the path of this version); otherwise they
    must revalidate, so that they see updates.
    """

    def __init__(self, *, immutable: bool) -> None:
        super().__init__(directory=STATIC)
        self._headers = IMMUTABLE if immutable else REVALIDATE
        self._joined = _bundles()

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return a bundled style or script, or else the file at this path; 404 if there is none."""
        if (joined := self._joined.get(path)) is not None:
            kind = "text/css" if path.endswith(".css") else "text/javascript"
            return Response(joined, media_type=kind, headers=self._headers)
        return await super().get_response(path, scope)

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        """Return a file with cache headers."""
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
    """Create the application of a tile game's table.

    It shows the table to everybody, and takes commands from holders of ``key``: the join key, or the guard of
    all keys. Players open ``<url>/#key=<key>``; browsers do not send the part after ``#``, so it is in no
    log. Spectators open the address without a key.

    ``phone`` receives the pictures of a phone camera; without it there is no camera page. ``url`` is the
    address for players if it is not the requested one, and ``secure_url`` the one with HTTPS. ``vitals``
    returns what ``/healthz`` reports. With ``tournament``, hints stay off. Request bodies have at most
    ``body_limit_bytes``. Before stopping the server, close the table's feed, which ends the event streams.
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
    """Create the application of a table with a game on squares. See `create_app` for the parameters."""
    phone_url = None if phone is None else secure_url
    served = ServedTable(table, SQUARES, _guard(key), url, phone_url, vitals)
    return _with_files(_app(served, phone, secure_url, body_limit_bytes))


def create_read_only_app(table: Table | SquareTable, board: BoardKind, *, key: KeyGuard) -> FastAPI:
    """Create an application that shows a table's dashboard and has no commands.

    The caller adds commands and the limits on hosts, sizes and pace. Pages of the same origin may embed
    the dashboard in a frame.
    """
    app = FastAPI(title="Tilesight", docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(GZipMiddleware, minimum_size=GZIP_FROM_BYTES, compresslevel=GZIP_LEVEL)
    errors.install(app)
    serve(app, ServedTable(table, board, key))
    app.include_router(reads.shared)
    app.include_router(reads.board_reads(board))
    if board is TILES:
        app.include_router(reads.tile_pack)
    app.include_router(pictures.routes)
    app.include_router(reports.routes)
    app.include_router(page_routes(board.page, framed=True))
    return _with_files(app)


def _guard(key: str | KeyGuard) -> KeyGuard:
    """Return a key guard, made from a join key if necessary."""
    return KeyGuard(key) if isinstance(key, str) else key


def _app(served: ServedTable, phone: PhoneSink | None, secure_url: str, body_limit_bytes: int) -> FastAPI:
    """Create an application with the routes of every watched table, but without static files."""
    app = FastAPI(
        title="Tilesight",
        version="1",
        summary="A watched table: its state for everybody, its commands for holders of the key.",
        description=ABOUT,
        openapi_tags=TAGS,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    app.add_middleware(GZipMiddleware, minimum_size=GZIP_FROM_BYTES, compresslevel=GZIP_LEVEL)
    app.add_middleware(PaceMiddleware, knows_key=served.guard.knows)
    name = urlsplit(served.url).hostname
    app.add_middleware(HostMiddleware, names=(name,) if name else ())
    app.add_middleware(RequestLimitMiddleware, body_limit_bytes=body_limit_bytes)
    errors.install(app)
    serve(app, served)
    app.include_router(reads.shared)
    app.include_router(reads.board_reads(served.board))
    app.include_router(pictures.routes)
    app.include_router(reports.routes)
    app.include_router(page_routes(served.board.page))
    app.include_router(writes.routes)
    app.include_router(host.routes)
    app.include_router(webhooks.routes)
    app.include_router(health.routes)
    if phone is not None:
        app.include_router(phone_camera(phone, served.guard, served.table, secure_url))
    return app


def _with_files(app: FastAPI) -> FastAPI:
    """Mount the static files on ``app`` and return it.

    They match every path that is left, so they come last.
    """
    app.mount(f"/{files_path()}", _DashboardFiles(immutable=True))
    app.mount("/", _DashboardFiles(immutable=False))
    return app
