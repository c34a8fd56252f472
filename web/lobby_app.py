"""Lobby application: the tables of this computer, and the form that begins another one.

Like the dashboard it knows the engine and nothing else of ours; who starts and stops tables implements
`Lobby`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal, Protocol

from fastapi import APIRouter, Depends, FastAPI, Request, Response
from fastapi.responses import FileResponse
from pydantic import Field
from starlette.staticfiles import StaticFiles

from engine.pack import Pack
from web import library as past
from web import lobby_calibration, lobby_camera, lobby_club, lobby_enrolment, lobby_photo, lobby_print
from web.api.bodies import NAME, NAME_LENGTH, Body, Word
from web.limits import errors
from web.limits.errors import ApiError
from web.limits.hosts import HostMiddleware
from web.limits.keys import KeyGuard, needs_key
from web.limits.sizes import RequestLimitMiddleware
from web.qr import QrText, qr_response
from web.views.art import AskedSize, art_of, art_response

STATIC = Path(__file__).parent / "static"
"""The folder of the page, its scripts and styles."""

STREAMED = (lobby_enrolment.PICTURES_AT, lobby_photo.PHOTOGRAPHS_AT, past.IMPORT)
"""Addresses that read and bound their bodies themselves."""
Phase = Literal["starting", "running", "failed", "sleeping", "elsewhere", "ended"]
"""State of a table: its process starts, runs, or has failed; its game was broken off, is watched by a process
that is not the lobby's, or is over."""


@dataclass(frozen=True, slots=True)
class Edition:
    """Edition of a game that a table may be played with. ``ready`` is whether its faces are known; ``fields``
    are those of a record's header that say what else is played with, if anything is, and their values."""

    pack: Pack
    game: str
    colors: tuple[str, ...]
    presets: tuple[str, ...]
    ready: bool
    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def picture(self) -> str | None:
        """File name of a picture of it, None where the pack has none."""
        named = (design.id for _, design in self.pack.start_designs)
        arts = (self.pack.art(name) for name in (*named, *self.pack.designs, *self.pack.other_stems))
        return next((art.name for art in arts if art is not None), None)


@dataclass(frozen=True, slots=True)
class CameraChoice:
    """A camera or sample session of this computer: what `--camera` calls it, and its name for people. A
    sample says which edition is played in it, and by whom (colour and name, in turn order)."""

    source: str
    title: str
    pack: str | None = None
    players: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class NewTable:
    """Table that somebody asks for: the edition's pack, colours and names in turn order, the camera as
    `--camera` takes it, one of the game's rule editions (None for its default), and what else is played with:
    values of the edition's fields."""

    pack: str
    players: tuple[tuple[str, str], ...]
    camera: str
    rules: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TableCard:
    """Table as the lobby shows it. ``url`` opens it as its host, ``camera_url`` is for the phone that is its
    camera; ``message`` says why it failed, ``over`` whether its game has ended, ``points`` those by colour
    once there are any. ``changed_s`` is in seconds since 1970."""

    id: str
    asked: NewTable
    game: str
    phase: Phase
    turns: int = 0
    changed_s: float = 0.0
    url: str | None = None
    camera_url: str | None = None
    message: str = ""
    over: bool = False
    points: Mapping[str, int] = field(default_factory=dict)


class Lobby(Protocol):
    """The tables of one computer. Every method may be called from several threads."""

    def editions(self) -> Sequence[Edition]:
        """The editions, those whose faces are known first."""

    def cameras(self) -> Sequence[CameraChoice]:
        """The cameras of this computer, and the sample sessions."""

    def names(self) -> Mapping[str, str]:
        """The name that played each colour last."""

    def tables(self) -> Sequence[TableCard]:
        """The tables that run, then those on the disk, the latest first."""

    def begin(self, asked: NewTable) -> TableCard:
        """Begin a game at a table of its own. Raises Refusal."""

    def take_up(self, table: str, camera: str) -> TableCard:
        """Go on with a game that was broken off. Raises Refusal."""

    def stop(self, table: str) -> None:
        """Stop watching a table; its log stays. A failed one is forgotten. Raises Refusal."""


class PlayerBody(Body):
    """A player of a new table."""

    color: Word
    name: Annotated[str, Field(max_length=NAME_LENGTH, pattern=NAME)]


class NewTableBody(Body):
    """``POST /api/tables``."""

    pack: Word
    players: Annotated[list[PlayerBody], Field(min_length=1, max_length=8)]
    camera: Annotated[str, Field(min_length=1, max_length=500, pattern=NAME)]
    rules: Word | None = None
    fields: Annotated[dict[Word, Word], Field(default_factory=dict, max_length=4)]


class CameraBody(Body):
    """``POST /api/tables/{table}/take-up``."""

    camera: Annotated[str, Field(min_length=1, max_length=500, pattern=NAME)]


async def _lobby(request: Request) -> Lobby:
    lobby: Lobby = request.app.state.lobby
    return lobby


LobbyNow = Annotated[Lobby, Depends(_lobby)]
"""A route's parameter: the lobby that its application shows."""
open_to_all = APIRouter()
"""Routes without a key: the page and the packs' pictures."""
keyed = APIRouter(dependencies=[Depends(needs_key)])
"""Routes behind the key in ``X-Table-Key``: what they tell holds the tables' own keys."""


def create_lobby_app(
    lobby: Lobby,
    *,
    key: str,
    library: past.Library | None = None,
    cameras: lobby_camera.Cameras | None = None,
    enrolments: lobby_enrolment.Enrolments | None = None,
    calibrations: lobby_calibration.Calibrations | None = None,
    membership: lobby_club.Membership | None = None,
    photographs: lobby_photo.Photographs | None = None,
    printer: lobby_print.Printer | None = None,
) -> FastAPI:
    """The application that shows the tables of ``lobby`` to those who hold ``key``, and begins others for
    them; with ``cameras`` they see what each shows before, with ``enrolments`` they enrol editions,
    with ``calibrations`` they calibrate cameras, with ``membership`` they join a club, with ``photographs``
    they score boards, with ``printer`` they print decks."""
    app = FastAPI(title="Tilesight lobby", docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(HostMiddleware)
    app.add_middleware(RequestLimitMiddleware, streamed=STREAMED)
    errors.install(app)
    app.state.lobby, app.state.guard = lobby, KeyGuard(key)
    app.state.library, app.state.tickets = library, past.Tickets()
    app.include_router(past.opened)
    app.include_router(open_to_all)
    app.state.cameras, app.state.enrolments = cameras, enrolments
    app.state.calibrations, app.state.membership = calibrations, membership
    app.state.photographs, app.state.printer = photographs, printer
    app.include_router(lobby_photo.page)
    app.include_router(lobby_photo.routes, dependencies=[Depends(needs_key)])
    app.include_router(keyed)
    app.include_router(past.routes, dependencies=[Depends(needs_key)])
    app.include_router(lobby_camera.routes, dependencies=[Depends(needs_key)])
    app.include_router(lobby_enrolment.routes, dependencies=[Depends(needs_key)])
    app.include_router(lobby_calibration.routes, dependencies=[Depends(needs_key)])
    app.include_router(lobby_club.routes, dependencies=[Depends(needs_key)])
    app.include_router(lobby_print.routes, dependencies=[Depends(needs_key)])
    for folder in ("css", "js", "fonts", "img"):
        app.mount(f"/{folder}", StaticFiles(directory=STATIC / folder), name=folder)
    return app


@open_to_all.get("/")
def get_page() -> FileResponse:
    """The page."""
    return FileResponse(STATIC / "lobby.html", headers={"Cache-Control": "no-cache"})


@open_to_all.get("/tv")
def get_big_screen(request: Request) -> FileResponse:
    """The page for a big screen: the tables that are being watched, one after the other."""
    policy = f"default-src 'self'; style-src 'self' 'unsafe-inline'; frame-src {_same_computer(request)}"
    headers = {"Cache-Control": "no-cache", "Content-Security-Policy": f"{policy}; frame-ancestors 'none'"}
    return FileResponse(STATIC / "lobby_tv.html", headers=headers)


def _same_computer(request: Request) -> str:
    """Source of a policy: every port of the computer that was asked, where tables are served."""
    host = request.url.hostname or "127.0.0.1"
    host = f"[{host}]" if ":" in host else host
    return f"http://{host}:* https://{host}:*"


@open_to_all.get("/art/{pack}/{name}")
def get_art(lobby: LobbyNow, pack: str, name: str, size: AskedSize = None) -> Response:
    """A picture that an edition's pack has."""
    edition = next((one for one in lobby.editions() if one.pack.id == pack), None)
    art = art_of(edition.pack, name) if edition is not None else None
    if art is None:
        raise ApiError(404, "not_found", "there is no such picture")
    return art_response(art, size)


@keyed.get("/api/lobby")
def get_lobby(lobby: LobbyNow) -> Mapping[str, object]:
    """The tables, and what the form for another one offers."""
    return {
        "tilesight": 1,
        "editions": [_edition_json(edition) for edition in lobby.editions()],
        "cameras": [
            {
                "source": camera.source,
                "title": camera.title,
                "pack": camera.pack,
                "players": _players_json(camera.players),
            }
            for camera in lobby.cameras()
        ],
        "names": dict(lobby.names()),
        "tables": [_card_json(card) for card in lobby.tables()],
    }


@keyed.get("/api/tables")
def get_tables(lobby: LobbyNow) -> Mapping[str, object]:
    """The tables alone: what the page asks for every second."""
    return {"tables": [_card_json(card) for card in lobby.tables()]}


@keyed.get("/api/qr.svg")
def get_qr_code(text: QrText) -> Response:
    """A text, such as an address, as a QR code."""
    return qr_response(text)


@keyed.post("/api/tables", status_code=201)
def post_table(lobby: LobbyNow, body: NewTableBody) -> Mapping[str, object]:
    """Begin a game at a table of its own."""
    players = tuple((player.color, player.name.strip()) for player in body.players)
    asked = NewTable(body.pack, players, body.camera.strip(), body.rules, body.fields)
    return _card_json(lobby.begin(asked))


@keyed.post("/api/tables/{table}/take-up")
def post_take_up(lobby: LobbyNow, table: str, body: CameraBody) -> Mapping[str, object]:
    """Go on with a game that was broken off."""
    return _card_json(lobby.take_up(table, body.camera.strip()))


@keyed.post("/api/tables/{table}/stop")
def post_stop(lobby: LobbyNow, table: str) -> Mapping[str, object]:
    """Stop watching a table, or forget one that failed."""
    lobby.stop(table)
    return {"stopped": True}


def _edition_json(edition: Edition) -> Mapping[str, object]:
    pack, picture = edition.pack, edition.picture
    return {
        "pack": pack.id,
        "title": pack.title,
        "game": edition.game,
        "colors": list(edition.colors),
        "rules": list(edition.presets),
        "fields": {name: list(values) for name, values in edition.fields.items()},
        "everybody": bool(pack.quarters),
        "ready": edition.ready,
        "printable": pack.ships_faces,
        "picture": None if picture is None else f"/art/{pack.id}/{picture}",
    }


def _card_json(card: TableCard) -> Mapping[str, object]:
    return {
        "id": card.id,
        "game": card.game,
        "pack": card.asked.pack,
        "rules": card.asked.rules,
        "fields": dict(card.asked.fields),
        "players": _players_json(card.asked.players),
        "camera": card.asked.camera,
        "phase": card.phase,
        "over": card.over,
        "points": dict(card.points),
        "turns": card.turns,
        "changed_s": round(card.changed_s, 3),
        "url": card.url,
        "camera_url": card.camera_url,
        "message": card.message,
    }


def _players_json(players: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"color": color, "name": name} for color, name in players]
