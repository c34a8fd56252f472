"""Library routes of the lobby: past games, players' statistics, trash, import and export."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Protocol

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.concurrency import contextmanager_in_threadpool, run_in_threadpool
from fastapi.responses import FileResponse
from pydantic import Field
from starlette.background import BackgroundTask

from engine.message import Message
from web.api.bodies import Body
from web.limits.errors import ApiError
from web.past_games import PastGame, player_profiles, player_stats
from web.replay import sandboxed_replay
from web.table.refusal import Refusal
from web.table.seats import NAME, NAME_LENGTH
from web.uncached import NO_STORE, jpeg_response

IMPORT_PATH = "/api/library/import"
"""Path to which a file of games is uploaded."""
IMPORT_LIMIT_BYTES = 4 * 1024**3
"""Maximum size of an uploaded file, and of its unpacked contents, in bytes."""


@dataclass(frozen=True, slots=True)
class UnreadableGame:
    """Log that cannot be read: its name, and when it changed (seconds since 1970)."""

    id: str
    changed_s: float


@dataclass(frozen=True, slots=True)
class ImportResult:
    """Number of games that an import added (``brought``), that were here already, and that were refused."""

    brought: int
    here: int
    refused: int


class Library(Protocol):
    """The past games of one computer. Methods may be called from any thread."""

    def games(self) -> Sequence[PastGame]:
        """Return the games, the latest first."""

    def unreadable(self) -> Sequence[UnreadableGame]:
        """Return the logs that cannot be read, the latest first."""

    def replay(self, game: str) -> bytes:
        """Return a game as an HTML page that replays it. Raises Refusal."""

    def photo(self, game: str) -> bytes:
        """Return the photograph (JPEG) of a game's last turn. Raises Refusal."""

    def call(self, written: Sequence[str], name: str) -> None:
        """Show the players whom the logs call so as ``name`` everywhere, "" as unnamed."""

    def remove(self, game: str) -> None:
        """Move a game to the trash. Raises Refusal."""

    def restore(self, game: str) -> None:
        """Take a game out of the trash. Raises Refusal."""

    def import_file(self, file: Path, name: str) -> ImportResult:
        """Import a log, or all logs of a zip file.

        ``name`` is the file name on its owner's device. Raises Refusal.
        """

    def workplace(self) -> AbstractContextManager[Path]:
        """Return a context manager of a folder for half-made files, which is removed at the end."""

    def export(self, folder: Path) -> Path:
        """Write all logs into a zip file in that folder, and return its path."""


PlayerName = Annotated[str, Field(max_length=NAME_LENGTH, pattern=NAME)]


class PeopleBody(Body):
    """``POST /api/library/people``."""

    written: Annotated[list[Annotated[str, Field(max_length=200)]], Field(min_length=1, max_length=50)]
    name: PlayerName | None = None


async def _library(request: Request) -> Library:
    """FastAPI dependency: return the application's library. Raises ApiError 404 if it has none."""
    library: Library | None = request.app.state.library
    if library is None:
        raise ApiError(404, "not_found", Message("no games are kept here"))
    return library


LibraryDep = Annotated[Library, Depends(_library)]
"""Route parameter: the application's library."""
routes = APIRouter()
"""Routes of the library. The lobby's application puts them behind its key."""
replay_routes = APIRouter()
"""Route of an opened replay. It has no key, because a frame sends none; its address is secret instead."""
TICKETS_KEPT = 32
"""Maximum number of valid tickets."""


class ReplayTickets:
    """Secret addresses (tickets) of the games that were opened last."""

    def __init__(self) -> None:
        self._games: dict[str, str] = {}
        self._lock = threading.Lock()

    def issue(self, game: str) -> str:
        """Return a new ticket for a game. The oldest tickets become invalid."""
        ticket = secrets.token_urlsafe(24)
        with self._lock:
            self._games[ticket] = game
            for old in list(self._games)[:-TICKETS_KEPT]:
                del self._games[old]
        return ticket

    def game(self, ticket: str) -> str:
        """Return the game of a ticket. Raises ApiError 404 if the ticket is not valid."""
        game = self._games.get(ticket)
        if game is None:
            raise ApiError(404, "not_found", Message("there is nothing at this address"))
        return game


@routes.get("/api/library")
def get_library(library: LibraryDep) -> Mapping[str, object]:
    """Return the past games, the logs that cannot be read, and the players' statistics and profiles."""
    games = library.games()
    return {
        "tilesight": 1,
        "games": [asdict(game) for game in games],
        "unreadable": [asdict(one) for one in library.unreadable()],
        "standings": [stats.to_json() for stats in player_stats(games)],
        "profiles": [profile.to_json() for profile in player_profiles(games)],
    }


@routes.get("/api/library/export.zip")
def get_export(library: LibraryDep) -> Response:
    """Return all logs as a zip file."""
    with ExitStack() as used:
        path = library.export(used.enter_context(library.workplace()))
        sent = BackgroundTask(used.pop_all().close)
    return FileResponse(path, filename="tilesight-games.zip", headers=NO_STORE, background=sent)


@routes.post(IMPORT_PATH)
async def post_import(
    request: Request, library: LibraryDep, name: Annotated[str, Query(max_length=200)] = ""
) -> Mapping[str, object]:
    """Import a file (the body): a log, or the zip file of an export.

    Return how many games were added, known or refused. 413 if it is too large.
    """
    async with contextmanager_in_threadpool(library.workplace()) as folder:
        path, size = folder / "upload", 0
        with path.open("wb") as file:
            async for piece in request.stream():
                size += len(piece)
                if size > IMPORT_LIMIT_BYTES:
                    raise ApiError(413, "too_large", Message("there is too much in this file"))
                await run_in_threadpool(file.write, piece)
        return asdict(await run_in_threadpool(library.import_file, path, name))


@routes.get("/api/library/{game}/replay.html")
def get_replay(library: LibraryDep, game: str) -> Response:
    """Return a game as an HTML file that replays it, with its photographs."""
    headers = {**sandboxed_replay(), "Content-Disposition": 'attachment; filename="game.html"'}
    return Response(library.replay(game), media_type="text/html", headers=headers)


@routes.get("/api/library/{game}/photo.jpg")
def get_photo(library: LibraryDep, game: str) -> Response:
    """Return the photograph of a game's last turn (JPEG)."""
    return jpeg_response(library.photo(game))


@routes.post("/api/library/{game}/open")
def post_open(request: Request, game: str) -> Mapping[str, object]:
    """Return the secret ``url`` at which the page can show a replay in a frame."""
    tickets: ReplayTickets = request.app.state.tickets
    return {"url": f"/replay/{tickets.issue(game)}"}


@replay_routes.get("/replay/{ticket}")
def get_opened(request: Request, library: LibraryDep, ticket: str) -> Response:
    """Return the replay of a ticket's game."""
    tickets: ReplayTickets = request.app.state.tickets
    page = library.replay(tickets.game(ticket))
    return Response(page, media_type="text/html", headers=sandboxed_replay())


@routes.post("/api/library/people")
def post_people(library: LibraryDep, body: PeopleBody) -> Mapping[str, object]:
    """Give the players whom the logs call ``written`` another name, or forget them (null).

    Names that are given to several spellings make them one person. 409 ``played_together`` if two of them
    played in one game.
    """
    name, written = (body.name or "").strip(), set(body.written)
    for game in library.games():
        same = [
            one for one in game.players if (one.written or one.name) in written or (name and one.name == name)
        ]
        if name and len(same) > 1:
            both = Message("two of these names played in one game: they are two people")
            raise Refusal("played_together", both)
    library.call(body.written, name)
    return {"called": name}


@routes.post("/api/library/{game}/delete")
def post_delete(library: LibraryDep, game: str) -> Mapping[str, object]:
    """Move a game to the trash."""
    library.remove(game)
    return {"deleted": True}


@routes.post("/api/library/{game}/restore")
def post_restore(library: LibraryDep, game: str) -> Mapping[str, object]:
    """Take a game out of the trash."""
    library.restore(game)
    return {"restored": True}
