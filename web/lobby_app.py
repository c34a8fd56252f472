"""Lobby application: the tables of this computer, and the form to start another one.

It imports no package of Tilesight except the engine. The process that starts and stops tables implements
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

from engine.message import Message
from engine.pack import Pack
from web import library as past_games
from web import lobby_calibration, lobby_camera, lobby_club, lobby_enrolment, lobby_photo, lobby_print
from web.api.bodies import Body, Word
from web.limits import errors
from web.limits.errors import ApiError
from web.limits.hosts import HostMiddleware
from web.limits.keys import KeyGuard, needs_key
from web.limits.sizes import RequestLimitMiddleware
from web.past_games import player_profiles
from web.table.seats import NAME, NAME_LENGTH
from web.uncached import QrText, qr_response
from web.views.art import SizeQuery, art_of, art_response

STATIC = Path(__file__).parent / "static"
"""Folder of pages, scripts and styles."""

STREAMED_PATHS = (
    lobby_enrolment.PICTURES_PATH,
    lobby_photo.PHOTOGRAPHS_PATH,
    lobby_photo.JPEG_PATH,
    past_games.IMPORT_PATH,
)
"""Paths whose routes read their request bodies themselves and limit their size."""
TablePhase = Literal["starting", "running", "failed", "sleeping", "elsewhere", "ended"]
"""Phase of a table: its process starts ("starting"), runs ("running") or has failed ("failed"); its game is
interrupted ("sleeping"), is watched by a process that does not answer the lobby ("elsewhere"), or is over
("ended"). Tables that other processes started run, too, if they answer."""


@dataclass(frozen=True, slots=True)
class Edition:
    """An edition of a game that tables can play.

    ``ready`` is whether its faces are known; ``presets`` are the rule editions. ``fields`` are further
    choices of the game, named as in a record's header, each with its possible values.
    """

    pack: Pack
    game: str
    colors: tuple[str, ...]
    presets: tuple[str, ...]
    ready: bool
    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def picture(self) -> str | None:
        """File name of a picture of the edition; None if the pack has none."""
        named = (design.id for _, design in self.pack.start_designs)
        arts = (self.pack.art(name) for name in (*named, *self.pack.designs, *self.pack.other_stems))
        return next((art.name for art in arts if art is not None), None)


@dataclass(frozen=True, slots=True)
class CameraChoice:
    """A camera or sample session of this computer.

    ``source`` is its value for `--camera`, ``title`` its name for people. A sample also has its edition and
    its players (colour and name, in turn order).
    """

    source: str
    title: str
    pack: str | None = None
    players: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class NewTable:
    """Request for a new table.

    ``players`` are colours and names in turn order; ``camera`` is a value of `--camera`; ``rules`` is a rule
    edition, None for the game's default; ``fields`` are values for the edition's `fields`; ``keep_labels`` is
    whether `tilesight learn` may keep labelled pieces of the game's pictures; ``discs`` whether discs, stones
    or the like are the players' meeples.
    """

    pack: str
    players: tuple[tuple[str, str], ...]
    camera: str
    rules: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    keep_labels: bool = False
    discs: bool = False


@dataclass(frozen=True, slots=True)
class TableCard:
    """A table as the lobby shows it.

    ``url`` opens it as its host; ``camera_url`` is for the phone that is its camera. ``message`` says why it
    failed, ``over`` is whether its game has ended, ``points`` are the scores by colour, if known.
    ``changed_s`` is in seconds since 1970.
    """

    id: str
    asked: NewTable
    game: str
    phase: TablePhase
    turns: int = 0
    changed_s: float = 0.0
    url: str | None = None
    camera_url: str | None = None
    message: str = ""
    over: bool = False
    points: Mapping[str, int] = field(default_factory=dict)


class Lobby(Protocol):
    """The tables of one computer. Methods may be called from any thread."""

    def editions(self) -> Sequence[Edition]:
        """Return the editions, those with known faces first."""

    def cameras(self) -> Sequence[CameraChoice]:
        """Return the cameras of this computer, and the sample sessions."""

    def names(self) -> Mapping[str, str]:
        """Return the last player's name for each colour."""

    def tables(self) -> Sequence[TableCard]:
        """Return the running tables, then those on the disk, the latest first."""

    def begin(self, asked: NewTable) -> TableCard:
        """Start a game at a new table. Raises Refusal."""

    def resume(self, table: str, camera: str) -> TableCard:
        """Continue an interrupted game with this camera. Raises Refusal."""

    def stop(self, table: str) -> None:
        """Stop watching a table, but keep its log.

        A failed table is removed from the list. Raises Refusal.
        """


class NewPlayerBody(Body):
    """A player of a new table."""

    color: Word
    name: Annotated[str, Field(max_length=NAME_LENGTH, pattern=NAME)]


class NewTableBody(Body):
    """``POST /api/tables``."""

    pack: Word
    players: Annotated[list[NewPlayerBody], Field(min_length=1, max_length=8)]
    camera: Annotated[str, Field(min_length=1, max_length=500, pattern=NAME)]
    rules: Word | None = None
    fields: Annotated[dict[Word, Word], Field(default_factory=dict, max_length=4)]
    keep_labels: bool = False
    discs: bool = False


class ResumeBody(Body):
    """``POST /api/tables/{table}/take-up``."""

    camera: Annotated[str, Field(min_length=1, max_length=500, pattern=NAME)]


async def _lobby(request: Request) -> Lobby:
    """FastAPI dependency: return the application's lobby."""
    lobby: Lobby = request.app.state.lobby
    return lobby


LobbyDep = Annotated[Lobby, Depends(_lobby)]
"""Route parameter: the application's lobby."""
open_routes = APIRouter()
"""Routes without a key: the page, and the pictures of packs."""
keyed_routes = APIRouter(dependencies=[Depends(needs_key)])
"""Routes behind the key in ``X-Table-Key``, because their answers contain the tables' keys."""


def create_lobby_app(
    lobby: Lobby,
    *,
    key: str,
    library: past_games.Library | None = None,
    cameras: lobby_camera.Cameras | None = None,
    enrolments: lobby_enrolment.Enrolments | None = None,
    calibrations: lobby_calibration.Calibrations | None = None,
    membership: lobby_club.Membership | None = None,
    photographs: lobby_photo.Photographs | None = None,
    printer: lobby_print.Printer | None = None,
) -> FastAPI:
    """Create the lobby's application.

    It shows the tables of ``lobby`` to holders of ``key``, who can start further ones. The other parameters
    add features: the ``library`` of past games, previews of ``cameras``, ``enrolments`` of editions,
    ``calibrations`` of cameras, ``membership`` in a club, scores from ``photographs``, and a ``printer`` of
    decks.
    """
    app = FastAPI(title="Tilesight lobby", docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(HostMiddleware)
    app.add_middleware(RequestLimitMiddleware, streamed=STREAMED_PATHS)
    errors.install(app)
    app.state.lobby, app.state.guard = lobby, KeyGuard(key)
    app.state.library, app.state.tickets = library, past_games.ReplayTickets()
    app.include_router(past_games.replay_routes)
    app.include_router(open_routes)
    app.state.cameras, app.state.enrolments = cameras, enrolments
    app.state.calibrations, app.state.membership = calibrations, membership
    app.state.photographs, app.state.printer = photographs, printer
    app.include_router(lobby_photo.page)
    app.include_router(lobby_photo.routes, dependencies=[Depends(needs_key)])
    app.include_router(keyed_routes)
    app.include_router(past_games.routes, dependencies=[Depends(needs_key)])
    app.include_router(lobby_camera.routes, dependencies=[Depends(needs_key)])
    app.include_router(lobby_enrolment.routes, dependencies=[Depends(needs_key)])
    app.include_router(lobby_calibration.routes, dependencies=[Depends(needs_key)])
    app.include_router(lobby_club.routes, dependencies=[Depends(needs_key)])
    app.include_router(lobby_print.routes, dependencies=[Depends(needs_key)])
    for folder in ("css", "js", "fonts", "img"):
        app.mount(f"/{folder}", StaticFiles(directory=STATIC / folder), name=folder)
    return app


@open_routes.get("/")
def get_page() -> FileResponse:
    """Return the lobby's page."""
    return FileResponse(STATIC / "lobby.html", headers={"Cache-Control": "no-cache"})


@open_routes.get("/tv")
def get_big_screen(request: Request) -> FileResponse:
    """Return the page for a big screen, which shows the running tables in turn."""
    policy = f"default-src 'self'; frame-src {_same_computer(request)}"
    headers = {"Cache-Control": "no-cache", "Content-Security-Policy": f"{policy}; frame-ancestors 'none'"}
    return FileResponse(STATIC / "lobby_tv.html", headers=headers)


def _same_computer(request: Request) -> str:
    """Return the CSP sources of all ports of the computer that this request was sent to."""
    host = request.url.hostname or "127.0.0.1"
    host = f"[{host}]" if ":" in host else host
    return f"http://{host}:* https://{host}:*"


@open_routes.get("/art/{pack}/{name}")
def get_art(lobby: LobbyDep, pack: str, name: str, size: SizeQuery = None) -> Response:
    """Return a picture from an edition's pack."""
    edition = next((one for one in lobby.editions() if one.pack.id == pack), None)
    art = art_of(edition.pack, name) if edition is not None else None
    if art is None:
        raise ApiError(404, "not_found", Message("there is no such picture"))
    return art_response(art, size)


@keyed_routes.get("/api/lobby")
def get_lobby(request: Request, lobby: LobbyDep) -> Mapping[str, object]:
    """Return the tables, and the choices of the form for a new one."""
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
        "people": _people(request),
        "tables": [_card_json(card) for card in lobby.tables()],
    }


def _people(request: Request) -> list[str]:
    """Return the names of people who played here, to suggest in forms."""
    library: past_games.Library | None = request.app.state.library
    return [] if library is None else [one.total.name for one in player_profiles(library.games())]


@keyed_routes.get("/api/tables")
def get_tables(lobby: LobbyDep) -> Mapping[str, object]:
    """Return only the tables. The page polls this every second."""
    return {"tables": [_card_json(card) for card in lobby.tables()]}


@keyed_routes.get("/api/qr.svg")
def get_qr_code(text: QrText) -> Response:
    """Return ``text``, such as an address, as a QR code (SVG)."""
    return qr_response(text)


@keyed_routes.post("/api/tables", status_code=201)
def post_table(lobby: LobbyDep, body: NewTableBody) -> Mapping[str, object]:
    """Start a game at a new table and return the table."""
    players = tuple((player.color, player.name.strip()) for player in body.players)
    asked = NewTable(
        body.pack, players, body.camera.strip(), body.rules, body.fields, body.keep_labels, body.discs
    )
    return _card_json(lobby.begin(asked))


@keyed_routes.post("/api/tables/{table}/take-up")
def post_take_up(lobby: LobbyDep, table: str, body: ResumeBody) -> Mapping[str, object]:
    """Continue an interrupted game and return its table."""
    return _card_json(lobby.resume(table, body.camera.strip()))


@keyed_routes.post("/api/tables/{table}/stop")
def post_stop(lobby: LobbyDep, table: str) -> Mapping[str, object]:
    """Stop watching a table, or remove a failed one from the list."""
    lobby.stop(table)
    return {"stopped": True}


def _edition_json(edition: Edition) -> Mapping[str, object]:
    """Return an edition as JSON for the form."""
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
    """Return a table as JSON for the page."""
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
    """Return players, given as (colour, name), as JSON."""
    return [{"color": color, "name": name} for color, name in players]
