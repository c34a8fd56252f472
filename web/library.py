"""Library routes of the lobby: past games, players' statistics, trash, import and export."""

from __future__ import annotations

import secrets
import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Protocol

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.concurrency import contextmanager_in_threadpool, run_in_threadpool
from fastapi.responses import FileResponse
from starlette.background import BackgroundTask

from engine.message import Message
from web.limits.errors import ApiError
from web.replay import sandboxed_replay
from web.uncached import NO_STORE, jpeg_response

IMPORT_PATH = "/api/library/import"
"""Path to which a file of games is uploaded."""
IMPORT_LIMIT_BYTES = 4 * 1024**3
"""Maximum size of an uploaded file, and of its unpacked contents, in bytes."""


@dataclass(frozen=True, slots=True)
class PastPlayer:
    """Player of a past game: the final (or latest) score, whether they won, and their points by kind."""

    color: str
    name: str
    score: int
    won: bool
    kinds: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class PastGame:
    """Summary of a past game.

    Times are in seconds since 1970; ``pictured`` is whether a photograph is stored.
    """

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


@dataclass(slots=True)
class PlayerStats:
    """Statistics of one player in one game, over finished games.

    ``points`` is their sum and ``most`` the highest score. ``kinds`` are the points by kind; ``against``
    counts the games won, lost and drawn against each other player.
    """

    game: str
    name: str
    games: int = 0
    wins: int = 0
    points: int = 0
    most: int = 0
    kinds: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    against: dict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0, 0]))

    def count(self, own: PastPlayer, others: Iterable[PastPlayer]) -> None:
        """Add one game: the player's own result, and those of the others."""
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
        """Return the statistics as JSON, with the kind of score that brought most points."""
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


def player_stats(games: Iterable[PastGame]) -> list[PlayerStats]:
    """Return the statistics of all players over the finished games, sorted by game and then by wins.

    Players are identified by name.
    """
    found: dict[tuple[str, str], PlayerStats] = {}
    for game in games:
        if not game.over:
            continue
        for player in game.players:
            key = (game.game, player.name)
            others = [other for other in game.players if other is not player]
            found.setdefault(key, PlayerStats(*key)).count(player, others)
    return sorted(found.values(), key=lambda one: (one.game, -one.wins, one.name))


@dataclass(slots=True)
class PlayerProfile:
    """Statistics of one player over all finished games.

    ``colors`` counts how often each colour was played.
    """

    name: str
    by_game: list[PlayerStats] = field(default_factory=list)
    colors: Counter[str] = field(default_factory=Counter)

    def to_json(self) -> Mapping[str, object]:
        """Return the profile as JSON: totals over all games, and statistics by game."""
        games = sum(one.games for one in self.by_game)
        return {
            "name": self.name,
            "games": games,
            "wins": sum(one.wins for one in self.by_game),
            "average": round(sum(one.points for one in self.by_game) / games, 1),
            "most": max(one.most for one in self.by_game),
            "color": self.colors.most_common(1)[0][0],
            "by_game": [
                {name: stats[name] for name in ("game", "games", "wins", "average", "most", "best_kind")}
                for stats in (one.to_json() for one in self.by_game)
            ],
        }


def player_profiles(games: Sequence[PastGame]) -> list[PlayerProfile]:
    """Return the profiles of all players over the finished games, those with most games first.

    Players are identified by name.
    """
    found: dict[str, PlayerProfile] = {}
    for stats in player_stats(games):
        found.setdefault(stats.name, PlayerProfile(stats.name)).by_game.append(stats)
    for game in games:
        for player in game.players if game.over else ():
            found[player.name].colors[player.color] += 1
    return sorted(found.values(), key=lambda one: (-sum(each.games for each in one.by_game), one.name))


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
