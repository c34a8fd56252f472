"""Dashboards of a club's tables at the hub, below ``/at/{table}/``: each table's own, over the hub's copy.

Whoever has the key corrects there as at the table: the command goes to the table, whose answer it is.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Body, FastAPI
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, RedirectResponse
from pydantic import ConfigDict
from starlette.types import ASGIApp, Receive, Scope, Send

from web.api.bodies import Body as CheckedBody
from web.api.bodies import Word
from web.app import create_reading_app
from web.club.gate import Gate, GateNow, Who, WhoNow, require
from web.club.rights import right_of_command
from web.club.served import NO_STORE, ClubNow
from web.club.views import Club
from web.limits.errors import error_response
from web.limits.keys import KeyGuard
from web.limits.pace import PaceMiddleware, counted
from web.table.refusal import Refusal
from web.table.squares import SquareTable
from web.table.table import Table

PLACE = "/at"
"""Beginning of the addresses of all tables."""
APPS_AT_MOST = 64
"""Applications that are kept; those asked last stay."""
STREAMS_AT_MOST = 400
"""Open event streams of all tables at most."""
SHARE = 0.5
"""Processor seconds a second that boards may take, of one core: who looks never holds the hub up."""
routes = APIRouter(prefix=PLACE)
"""Routes that stand before the dashboards: those that need a right."""


class AnyBody(CheckedBody):
    """A body that the table itself will check."""

    model_config = ConfigDict(extra="allow")


@routes.get("/{table}/api/key")
def get_key(table: Word) -> Mapping[str, object]:
    """Role that the key gives at a table."""
    return {"ok": True, "role": "player"}


@routes.post("/{table}/api/{command}")
def post_command(
    club: ClubNow,
    gate: GateNow,
    who: WhoNow,
    table: Word,
    command: Word,
    body: Annotated[AnyBody | None, Body()] = None,
) -> JSONResponse:
    """Change a table: the answer is the one that the table gives."""
    told = {} if body is None else body.model_dump()
    return commanded(club, gate, who, (table, f"/api/{command}"), told)


def commanded(
    club: Club, gate: Gate, who: Who, request: tuple[str, str], body: Mapping[str, Any]
) -> JSONResponse:
    """A table's answer to a ``request`` (the table and a path of its API) by somebody, which is noted. Raises
    ApiError and Refusal."""
    table, path = request
    require(who, right_of_command(path) if who.role != "player" else "player")
    answer = club.command(table, path, body)
    if answer.status < 400:
        gate.note(who, table, path)
    return JSONResponse(answer.body, answer.status, NO_STORE)


class TableApps:
    """ASGI application of all tables: each request goes to that of its table, after a look whether its game
    has changed."""

    def __init__(self, club: Club, guard: KeyGuard) -> None:
        self._club = club
        self._guard = guard
        self._apps: OrderedDict[str, tuple[Table | SquareTable, FastAPI]] = OrderedDict()
        self._streams = 0
        self._lock = threading.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request below `PLACE`."""
        root: str = scope.get("root_path", "")
        name, slash, inside = scope["path"].removeprefix(root).removeprefix("/").partition("/")
        answer: ASGIApp
        if not slash:
            answer = RedirectResponse(f"{root}/{name}/")
        elif scope["method"] not in ("GET", "HEAD"):
            answer = error_response(405, "method_not_allowed", "here a table is only read")
        elif inside == "api/events" and self._streams >= STREAMS_AT_MOST:
            retry = {"Retry-After": "10"}
            answer = error_response(503, "too_many", "too many people watch here; try again", retry)
        else:
            try:
                answer = await run_in_threadpool(self._app, name)
            except Refusal as error:
                answer = error_response(404, error.code, error.message)
        streams = inside == "api/events"
        self._streams += streams
        try:
            await answer({**scope, "root_path": f"{root}/{name}"}, receive, send)
        finally:
            self._streams -= streams

    @counted
    def _app(self, name: str) -> FastAPI:
        """The application of a table's latest game, with the game as it is now. Raises Refusal."""
        try:
            shown = self._club.shown(name)
        except Refusal:
            with self._lock:
                self._apps.pop(name, None)  # its game may have been removed
            raise
        with self._lock:
            known = self._apps.pop(name, None)
            if known is None or known[0] is not shown.table:
                known = (shown.table, create_reading_app(shown.table, shown.board, key=self._guard))
            self._apps[name] = known
            while len(self._apps) > APPS_AT_MOST:
                self._apps.popitem(last=False)
            return known[1]


def table_apps(club: Club, guard: KeyGuard) -> ASGIApp:
    """The application to mount at `PLACE`."""
    return PaceMiddleware(TableApps(club, guard), share=SHARE)
