"""Dashboards of a club's tables at the hub, below ``/at/{table}/``, drawn from the hub's copy of each game.

A holder of the key can also correct there. The hub forwards the command to the table and returns its answer.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Body, FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, RedirectResponse
from pydantic import ConfigDict
from starlette.types import ASGIApp, Receive, Scope, Send

from engine.message import Message
from web.api.bodies import Body as CheckedBody
from web.api.bodies import Word
from web.app import create_read_only_app
from web.club.gate import Caller, CallerDep, Gate, GateDep, require
from web.club.rights import right_of_command
from web.club.served import ClubDep
from web.club.views import Club
from web.limits.errors import error_response
from web.limits.keys import KEY_NAME, KeyGuard, note_key
from web.limits.pace import PaceMiddleware, metered
from web.table.refusal import Refusal
from web.table.squares import SquareTable
from web.table.table import Table
from web.uncached import NO_STORE

PREFIX = "/at"
"""Path prefix of all dashboards."""
APPS_AT_MOST = 64
"""Maximum number of dashboard applications in memory. The least recently used ones are dropped."""
SHARE = 0.5
"""Processor seconds per second that dashboards may use, of one core, so that viewers do not slow the hub
down."""
routes = APIRouter(prefix=PREFIX)
"""Routes below `PREFIX` that need a right. They are matched before the dashboards."""


class AnyBody(CheckedBody):
    """A JSON object with any fields. The table validates it."""

    model_config = ConfigDict(extra="allow")


@routes.get("/{table}/api/key")
def get_key(table: Word) -> Mapping[str, object]:
    """Return the role of the key at this table."""
    return {"ok": True, "role": "player"}


@routes.post("/{table}/api/{command}")
def post_command(
    club: ClubDep,
    gate: GateDep,
    caller: CallerDep,
    table: Word,
    command: Word,
    body: Annotated[AnyBody | None, Body()] = None,
) -> JSONResponse:
    """Send a command to a table and return the table's answer."""
    fields = {} if body is None else body.model_dump()
    return run_command(club, gate, caller, (table, f"/api/{command}"), fields)


def run_command(
    club: Club, gate: Gate, caller: Caller, request: tuple[str, str], body: Mapping[str, Any]
) -> JSONResponse:
    """Send a request to a table on behalf of a caller and return the table's answer.

    ``request`` is the table's id and a path of its API. A successful request is recorded in the log of
    changes. Raises ApiError 403 and Refusal.
    """
    table, path = request
    require(caller, right_of_command(path) if caller.role != "player" else "player")
    answer = club.command(table, path, body)
    if answer.status < 400:
        gate.note(caller, table, path)
    return JSONResponse(answer.body, answer.status, NO_STORE)


class TableApps:
    """ASGI application of all dashboards. Passes each request on to the application of its table."""

    def __init__(self, club: Club, gate: Gate, guard: KeyGuard) -> None:
        self._club = club
        self._gate = gate
        self._guard = guard
        self._apps: OrderedDict[str, tuple[Table | SquareTable, FastAPI]] = OrderedDict()
        self._lock = threading.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request below `PREFIX`."""
        root: str = scope.get("root_path", "")
        name, slash, inside = scope["path"].removeprefix(root).removeprefix("/").partition("/")
        answer: ASGIApp
        if not slash:
            answer = RedirectResponse(f"{root}/{name}/")
        elif scope["method"] not in ("GET", "HEAD"):
            answer = error_response(405, "method_not_allowed", Message("here a table is only read"))
        else:
            request = Request(scope)
            if inside == "api/events" and await self._gate.is_holder(request, request.headers.get(KEY_NAME)):
                note_key(scope)  # its stream keeps its place
            try:
                answer = await run_in_threadpool(self._app, name)
            except Refusal as error:
                answer = error_response(404, error.code, error.message)
        await answer({**scope, "root_path": f"{root}/{name}"}, receive, send)

    @metered
    def _app(self, name: str) -> FastAPI:
        """Return the dashboard application of a table's latest game, brought up to date. Raises Refusal."""
        try:
            source = self._club.dashboard_source(name)
        except Refusal:
            with self._lock:
                self._apps.pop(name, None)  # its game may have been deleted
            raise
        with self._lock:
            known = self._apps.pop(name, None)
            if known is None or known[0] is not source.table:
                known = (source.table, create_read_only_app(source.table, source.board, key=self._guard))
            self._apps[name] = known
            while len(self._apps) > APPS_AT_MOST:
                self._apps.popitem(last=False)
            return known[1]


def table_apps(club: Club, gate: Gate, guard: KeyGuard) -> ASGIApp:
    """Return the ASGI application to mount at `PREFIX`."""
    return PaceMiddleware(TableApps(club, gate, guard), knows_key=guard.knows, share=SHARE)
