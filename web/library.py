"""Library routes of the lobby: past games, what they come to for each player, deleted and brought back.

Who keeps the games implements `Library`.
"""

from __future__ import annotations

import os
import secrets
import tempfile
import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Protocol

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse
from starlette.background import BackgroundTask

from web.limits.errors import ApiError
from web.replay.page import POLICY

IMPORT = "/api/library/import"
"""Address to which a file of games is sent, as it is."""
LARGEST_BYTES = 4 * 1024**3
"""Bytes of a file of games at most, and of all that is in it."""
NO_STORE = {"Cache-Control": "no-store"}
"""Headers of an answer that nobody keeps."""


@dataclass(frozen=True, slots=True)
class PastPlayer:
    """Player of a past game: the points at its end (or so far), whether they won, and the points by their
    kind."""

    color: str
    name: str
    score: int
    won: bool
    kinds: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class PastGame:
    """Past game in short. Times are seconds since 1970; ``pictured`` is whether a photograph is kept."""

    id: str
    game: str
    pack: str
    began_s: float
    changed_s: float
    turns: int
    over: bool
    players: tuple[PastPlayer, ...]
    pictured: bool


@dataclass(frozen=True, slots=True)
class Brought:
    """Number of games that a file brought, that were here already, and that were refused."""

    brought: int
    here: int
    refused: int


class Library(Protocol):
    """The past games of one computer. Every method may be called from several threads."""

    def games(self) -> Sequence[PastGame]:
        """The games, the latest first."""

    def replay(self, game: str) -> bytes:
        """A game as a page that replays it. Raises Refusal."""

    def photo(self, game: str) -> bytes:
        """The photograph (JPEG) of a game's last turn. Raises Refusal."""

    def remove(self, game: str) -> None:
        """Put a game into the trash. Raises Refusal."""

    def bring_back(self, game: str) -> None:
        """Take a game out of the trash again. Raises Refusal."""

    def bring_in(self, file: Path, name: str) -> Brought:
        """Take the log, or all logs of the zip file, in a file whose owner called it ``name``. Raises
        Refusal."""

    def export(self) -> Path:
        """All logs in a zip file, a temporary one that the caller removes."""


@dataclass(slots=True)
class Standing:
    """Standing of a player in one game, by the games that are over. ``kinds`` are all points by their kind,
    ``against`` the games won, lost and shared with each other player."""

    game: str
    name: str
    games: int = 0
    wins: int = 0
    points: int = 0
    most: int = 0
    kinds: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    against: dict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0, 0]))

    def count(self, own: PastPlayer, others: Iterable[PastPlayer]) -> None:
        """Take one game into account."""
        self.most = own.score if not self.games else max(self.most, own.score)
        self.games += 1
        self.wins += own.won
        self.points += own.score
        for kind, points in own.kinds.items():
            self.kinds[kind] += points
        for other in others:
            result = 2 if own.score == other.score else int(own.score < other.score)
            self.against[other.name][result] += 1

    def to_json(self) -> Mapping[str, object]:
        """The standing, with the kind of feature that brought most."""
        best = max(self.kinds, key=lambda kind: self.kinds[kind], default=None)
        return {
            "game": self.game,
            "name": self.name,
            "games": self.games,
            "wins": self.wins,
            "average": round(self.points / self.games, 1),
            "most": self.most,
            "best_kind": best,
            "against": [
                {"name": name, "won": won, "lost": lost, "shared": shared}
                for name, (won, lost, shared) in self.against.items()
            ],
        }


def standings(games: Iterable[PastGame]) -> list[Standing]:
    """Standings after the games that are over, by game and then most wins first. A player is known by the
    name."""
    found: dict[tuple[str, str], Standing] = {}
    for game in games:
        if not game.over:
            continue
        for player in game.players:
            key = (game.game, player.name)
            others = [other for other in game.players if other is not player]
            found.setdefault(key, Standing(*key)).count(player, others)
    return sorted(found.values(), key=lambda one: (one.game, -one.wins, one.name))


@dataclass(slots=True)
class Profile:
    """Profile of a player over all games that are over. ``colors`` says how often each colour was played."""

    name: str
    standings: list[Standing] = field(default_factory=list)
    colors: Counter[str] = field(default_factory=Counter)

    def to_json(self) -> Mapping[str, object]:
        """The profile: what all games come to, and what each game does."""
        games = sum(one.games for one in self.standings)
        return {
            "name": self.name,
            "games": games,
            "wins": sum(one.wins for one in self.standings),
            "average": round(sum(one.points for one in self.standings) / games, 1),
            "most": max(one.most for one in self.standings),
            "color": self.colors.most_common(1)[0][0],
            "by_game": [
                {name: told[name] for name in ("game", "games", "wins", "average", "most", "best_kind")}
                for told in (one.to_json() for one in self.standings)
            ],
        }


def profiles(games: Sequence[PastGame]) -> list[Profile]:
    """Profiles after the games that are over, those of most games first. A player is known by the name."""
    found: dict[str, Profile] = {}
    for standing in standings(games):
        found.setdefault(standing.name, Profile(standing.name)).standings.append(standing)
    for game in games:
        for player in game.players if game.over else ():
            found[player.name].colors[player.color] += 1
    return sorted(found.values(), key=lambda one: (-sum(each.games for each in one.standings), one.name))


async def _library(request: Request) -> Library:
    library: Library | None = request.app.state.library
    if library is None:
        raise ApiError(404, "not_found", "no games are kept here")
    return library


LibraryNow = Annotated[Library, Depends(_library)]
"""A route's parameter: the library that its application shows."""
routes = APIRouter()
"""Routes of the library; whoever includes them says which key they need."""
opened = APIRouter()
"""The route of a game that is looked at: a frame sends no key, but its address is secret."""
TICKETS_KEPT = 32
"""Addresses of games that are looked at, at most."""


class Tickets:
    """Secret addresses of games that somebody with the key opened, the latest ones."""

    def __init__(self) -> None:
        self._games: dict[str, str] = {}
        self._lock = threading.Lock()

    def issue(self, game: str) -> str:
        """A new ticket for a game."""
        ticket = secrets.token_urlsafe(24)
        with self._lock:
            self._games[ticket] = game
            for old in list(self._games)[:-TICKETS_KEPT]:
                del self._games[old]
        return ticket

    def game(self, ticket: str) -> str:
        """The game that a ticket is for. ApiError where it is none."""
        game = self._games.get(ticket)
        if game is None:
            raise ApiError(404, "not_found", "there is nothing at this address")
        return game


@routes.get("/api/library")
def get_library(library: LibraryNow) -> Mapping[str, object]:
    """The past games, and what they come to for each player."""
    games = library.games()
    return {
        "tilesight": 1,
        "games": [asdict(game) for game in games],
        "standings": [standing.to_json() for standing in standings(games)],
        "profiles": [profile.to_json() for profile in profiles(games)],
    }


@routes.get("/api/library/export.zip")
def get_export(library: LibraryNow) -> Response:
    """All logs in one file."""
    path = library.export()
    removed = BackgroundTask(path.unlink, missing_ok=True)
    return FileResponse(path, filename="tilesight-games.zip", headers=NO_STORE, background=removed)


@routes.post(IMPORT)
async def post_import(
    request: Request, library: LibraryNow, name: Annotated[str, Query(max_length=200)] = ""
) -> Mapping[str, object]:
    """Take the games of a file: a log, or the zip file of an export."""
    number, made = await run_in_threadpool(tempfile.mkstemp)
    path = Path(made)
    try:
        size = 0
        with os.fdopen(number, "wb") as file:
            async for piece in request.stream():
                size += len(piece)
                if size > LARGEST_BYTES:
                    raise ApiError(413, "too_large", "there is too much in this file")
                await run_in_threadpool(file.write, piece)
        return asdict(await run_in_threadpool(library.bring_in, path, name))
    finally:
        path.unlink(missing_ok=True)


@routes.get("/api/library/{game}/replay.html")
def get_replay(library: LibraryNow, game: str) -> Response:
    """A game as one file that replays it, with its photographs."""
    headers = {**NO_STORE, "Content-Disposition": 'attachment; filename="game.html"'}
    return Response(library.replay(game), media_type="text/html", headers=headers)


@routes.get("/api/library/{game}/photo.jpg")
def get_photo(library: LibraryNow, game: str) -> Response:
    """The photograph of a game's last turn."""
    return Response(library.photo(game), media_type="image/jpeg", headers=NO_STORE)


@routes.post("/api/library/{game}/open")
def post_open(request: Request, game: str) -> Mapping[str, object]:
    """The address at which a game can be looked at, in a frame of the page."""
    tickets: Tickets = request.app.state.tickets
    return {"url": f"/replay/{tickets.issue(game)}"}


@opened.get("/replay/{ticket}")
def get_opened(request: Request, library: LibraryNow, ticket: str) -> Response:
    """A game to be looked at."""
    tickets: Tickets = request.app.state.tickets
    wall = {"Content-Security-Policy": f"{POLICY}; frame-ancestors 'self'"}
    return Response(
        library.replay(tickets.game(ticket)), media_type="text/html", headers={**NO_STORE, **wall}
    )


@routes.post("/api/library/{game}/delete")
def post_delete(library: LibraryNow, game: str) -> Mapping[str, object]:
    """Put a game into the trash."""
    library.remove(game)
    return {"deleted": True}


@routes.post("/api/library/{game}/restore")
def post_restore(library: LibraryNow, game: str) -> Mapping[str, object]:
    """Take a game out of the trash again."""
    library.bring_back(game)
    return {"restored": True}
