"""Application of a club's hub: all tables live, the board of each, commands to tables, and health.

Everybody who can reach the hub may read. Changes need an account or a key (web.club.rights).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from fastapi import APIRouter, Depends, FastAPI, Request, Response
from fastapi.responses import FileResponse, JSONResponse
from pydantic import Field
from starlette.routing import WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket

from web.api.bodies import Body, Word
from web.club import events, phone_tables, tables
from web.club.account_routes import accounts as account_routes
from web.club.accounts import Accounts
from web.club.gate import SESSION_KEY, CallerDep, Gate, GateDep, authorize, log_change
from web.club.invitations import Invitations, invitation_page, invitation_routes
from web.club.phone_tables import Addresses, PhoneTables
from web.club.served import ClubDep
from web.club.starts import start_routes, take_routes
from web.club.tournament_edits import tournament_edits, tournament_files
from web.club.tournaments import Tournaments, reads, writes
from web.club.views import Club
from web.limits import errors
from web.limits.hosts import HostMiddleware
from web.limits.keys import KeyGuard
from web.limits.sizes import RequestLimitMiddleware
from web.uncached import NO_STORE, jpeg_response, qr_response

STATIC = Path(__file__).parents[1] / "static"
"""Folder of pages, scripts and styles."""
Link = Callable[[WebSocket], Awaitable[None]]
"""Endpoint of the WebSockets of tables and workers."""


class CommandBody(Body):
    """``POST /api/tables/{table}/command``: a request to the table's own API."""

    path: Word
    body: Annotated[dict[str, Any], Field(max_length=20, default_factory=dict)]


routes = APIRouter()
"""Routes of the pages, of all tables, and of the hub's health."""


def create_club_app(
    club: Club,
    tournaments: Tournaments,
    *,
    key: str | KeyGuard,
    accounts: Accounts,
    phones: PhoneTables | None = None,
    invitations: Invitations | None = None,
    addresses: Addresses | None = None,
) -> FastAPI:
    """Create the hub's application.

    It shows ``club`` and its ``tournaments`` to everybody. Changes need one of the ``accounts`` or ``key``.
    With ``phones``, hosts may also create tables that have a phone and no computer. With ``invitations``,
    they may also make keys of tables and workers. ``addresses`` are the hub's public addresses; it shows them
    to users and accepts their host names. The server asks ``app.state.knows_key(key)`` whether a key may be
    right.
    """
    app = FastAPI(
        title="Tilesight club",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        dependencies=[Depends(authorize)],
    )
    addresses = addresses or Addresses()
    names = {urlsplit(one).hostname or "" for one in (addresses.url, addresses.secure_url)}
    app.add_middleware(HostMiddleware, names=names - {""})
    app.add_middleware(RequestLimitMiddleware, streamed=(phone_tables.PICTURES_PATH,))
    errors.install(app)
    app.state.club, app.state.tournaments = club, tournaments
    app.state.events = events.ClubEvents(club)
    app.state.phones, app.state.cameras, app.state.addresses = phones, {}, addresses
    app.state.invitations = invitations
    guard = key if isinstance(key, KeyGuard) else KeyGuard(key)
    app.state.gate = Gate(guard, accounts, lambda table: phones.key_of(table) if phones is not None else None)
    app.state.knows_key = partial(_may_be_key, guard, phones)
    logged = [Depends(log_change, scope="function")]
    app.include_router(routes)
    app.include_router(events.routes)
    app.include_router(tables.routes)
    app.include_router(account_routes)
    app.include_router(reads)
    app.include_router(writes, dependencies=logged)
    app.include_router(tournament_files)
    app.include_router(tournament_edits, dependencies=logged)
    app.include_router(start_routes, dependencies=logged)
    app.include_router(take_routes)
    if invitations is not None:
        app.include_router(invitation_page)
        app.include_router(invitation_routes, dependencies=logged)
    if phones is not None:
        app.include_router(phone_tables.pictures)
        app.include_router(phone_tables.writes, dependencies=logged)
    app.mount(tables.PREFIX, tables.table_apps(club, app.state.gate, guard))
    for folder in ("css", "js", "fonts", "img"):
        app.mount(f"/{folder}", StaticFiles(directory=STATIC / folder), name=folder)
    return app


def add_link(app: FastAPI, link: Link) -> None:
    """Serve the WebSockets of tables and workers at ``/link``. ``link`` checks their keys."""
    app.router.routes.append(WebSocketRoute("/link", link))


def _may_be_key(guard: KeyGuard, phones: PhoneTables | None, key: str) -> bool:
    """Whether a key may be right.

    True for the hub's key and the keys of the ``phones``' open tables. Also true for the word that selects a
    session, because the session's cookie is checked later.
    """
    if key == SESSION_KEY or guard.knows(key):
        return True
    return phones is not None and any(one.key == key for one in phones.open_tables())


@routes.get("/")
@routes.get("/table/{table}")
def get_page() -> FileResponse:
    """Return the page of all tables, or of one."""
    return FileResponse(STATIC / "club.html", headers={"Cache-Control": "no-cache"})


@routes.get("/join")
def get_join_page() -> FileResponse:
    """Return the page of an invitation.

    The secret is in the fragment after ``#``, which browsers do not send.
    """
    return FileResponse(STATIC / "join.html", headers={"Cache-Control": "no-cache"})


@routes.get("/screen")
def get_screen() -> FileResponse:
    """Return the page for a wall display: the tables in turn, pairings and standings."""
    return FileResponse(STATIC / "screen.html", headers={"Cache-Control": "no-cache"})


@routes.get("/qr/{place}.svg")
def get_place_code(request: Request, place: Literal["club", "screen"]) -> Response:
    """Return the address of the hub's page, or of the page for a wall display, as a QR code (SVG)."""
    addresses: Addresses = request.app.state.addresses
    url = addresses.url or str(request.base_url).rstrip("/")
    return qr_response(f"{url}/" if place == "club" else f"{url}/screen")


@routes.get("/tournaments")
@routes.get("/tournament/{number}")
def get_tournament_page() -> FileResponse:
    """Return the page of all tournaments, or of one."""
    return FileResponse(STATIC / "tournament.html", headers={"Cache-Control": "no-cache"})


@routes.get("/api/tables/{table}/state")
def get_state(club: ClubDep, table: Word) -> Mapping[str, object]:
    """Return the state of a table's latest game."""
    return club.state(table)


@routes.get("/api/tables/{table}/preview.jpg")
def get_preview(club: ClubDep, table: Word) -> Response:
    """Return the latest small picture of a table's camera (JPEG)."""
    return jpeg_response(club.preview(table))


@routes.get("/api/key")
def get_key() -> Mapping[str, object]:
    """Return ``ok``. A wrong key or an expired session was already refused by `authorize`."""
    return {"ok": True}


@routes.post("/api/tables/{table}/command")
def post_command(
    club: ClubDep, gate: GateDep, caller: CallerDep, table: Word, body: CommandBody
) -> JSONResponse:
    """Send a command to a table and return the table's answer."""
    return tables.run_command(club, gate, caller, (table, body.path), body.body)


@routes.get("/healthz")
def get_health(club: ClubDep) -> JSONResponse:
    """Return the hub's health: status 200, or 503 with the list ``wrong`` of what does not work."""
    health = club.health()
    body = {"ok": not health.wrong, "wrong": list(health.wrong), **health.counts}
    return JSONResponse(body, 503 if health.wrong else 200, NO_STORE)


@routes.get("/metrics")
def get_metrics(request: Request, club: ClubDep) -> Response:
    """Return gauges in Prometheus' text format."""
    from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Gauge, generate_latest

    registry = CollectorRegistry()
    health = club.health()
    values = {
        **health.counts,
        "healthy": float(not health.wrong),
        "streams": request.app.state.events.streams,
    }
    for name, value in values.items():
        about = f"The hub's {name.replace('_', ' ')}"
        Gauge(f"tilesight_club_{name}", about, registry=registry).set(value)
    content: bytes = generate_latest(registry)
    return Response(content, media_type=CONTENT_TYPE_LATEST, headers=NO_STORE)
