"""Library of past games: the logs in the folder of tables, and their trash folder."""

from __future__ import annotations

import logging
import threading
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from engine.message import Message
from tilesight.home import tables_folder
from tilesight.lobby.brought.intake import import_file
from tilesight.lobby.brought.workplace import remove_left_workplaces, workplace
from tilesight.lobby.choices import is_recorded
from tilesight.lobby.game_index import GameIndex
from tilesight.lobby.memory import LobbyMemory
from tilesight.lobby.past import last_photo, past_table, readable_summary
from tilesight.lobby.trash import Trash, move
from tilesight.table_log.backup import back_up
from tilesight.table_log.event_store import SUFFIX, StoreError, TableStore
from tilesight.table_log.log_files import changed_at_s, is_locked, latest_logs
from tilesight.table_log.sqlite_log import files_of
from vision.image.whole_file import remove_leftovers
from web.api.reports import replay_page
from web.library import ImportResult, UnreadableGame
from web.past_games import PastGame, PastPlayer
from web.table.refusal import Refusal

log = logging.getLogger("tilesight.lobby")
TRASH = "trash"
"""Name of the folder of deleted logs, inside the folder of tables."""


class Library:
    """The past games of this computer (web.library.Library). Thread-safe."""

    def __init__(self, memory: LobbyMemory | None = None) -> None:
        """``memory`` has what people are called, and the tables' cameras; None: all is as in the logs."""
        self._memory = memory
        self._index = GameIndex(readable_summary)
        self._lock = threading.Lock()
        self._trash = Trash(tables_folder() / TRASH)
        remove_left_workplaces()
        remove_leftovers(tables_folder())

    def games(self) -> Sequence[PastGame]:
        """Return the games whose logs can be read and hold a turn or an end, latest first."""
        found = self._index.games({path: at_s for at_s, path in latest_logs()}).values()
        memory, shown = self._memory, {} if self._memory is None else self._memory.people
        return [
            replace(
                game,
                players=tuple(_shown(player, shown) for player in game.players),
                sample=memory is not None and is_recorded(memory.camera_of(game.id)),
            )
            for game in found
            if game is not None and (game.turns or game.over)
        ]

    def call(self, written: Sequence[str], name: str) -> None:
        """Show people as ``name`` in all past games, "" as unnamed (`web.library.Library.call`)."""
        if self._memory is None:
            raise Refusal("unknown_player", Message("there is no such player"))
        self._memory.call(written, name)

    def unreadable(self) -> Sequence[UnreadableGame]:
        """Return the logs that cannot be read, latest first. Logs that a process is writing are left out."""
        changed_s = {path: at_s for at_s, path in latest_logs()}
        bad = [path for path, game in self._index.games(changed_s).items() if game is None]
        return [UnreadableGame(_id(path), changed_s[path]) for path in bad if not is_locked(path)]

    def replay(self, game: str) -> bytes:
        """Return a game as an HTML page that replays it, with its photographs. Raises Refusal."""
        path = _path(game)
        with _reading(), TableStore(path, read_only=True) as store:
            table, board = past_table(store)
            return replay_page(table.state(), board, table.photo)

    def photo(self, game: str) -> bytes:
        """Return the photograph (JPEG) of a game's last turn. Raises Refusal."""
        path = _path(game)
        jpeg = _photo(path, changed_at_s(path))
        if jpeg is None:
            raise Refusal("unknown_picture", Message("no picture is kept of this game"))
        return jpeg

    def remove(self, game: str) -> None:
        """Move a game to the trash, where it is kept for a month. Raises Refusal."""
        with self._lock:
            path = _path(game)
            if is_locked(path):
                raise Refusal("watched", Message("this table is being watched"))
            self._trash.put(path)

    def restore(self, game: str) -> None:
        """Restore the most recently deleted game of that name. Raises Refusal."""
        with self._lock:
            there = self._trash.latest(game)
            if there is None:
                raise _unknown()
            back = tables_folder() / f"{game}{SUFFIX}"
            if back.exists():
                raise Refusal("unknown_game", Message("there is a game of that name again"))
            for left in files_of(back):  # SQLite would read old side files into the restored log
                left.unlink(missing_ok=True)
            move(there, back)

    def import_file(self, file: Path, name: str) -> ImportResult:
        """Import the log, or all logs of the zip file, in a file. Raises Refusal."""
        with self._lock:
            return import_file(file, name)

    def workplace(self) -> AbstractContextManager[Path]:
        """Return a context manager of a folder for files to import or export, removed at the end.

        The folder of a killed process is removed at the next start.
        """
        return workplace()

    def export(self, folder: Path) -> Path:
        """Write all logs into a zip file in a folder, without keys, and return its path."""
        made = folder / "games.zip"
        with zipfile.ZipFile(made, "w") as packed:
            for path in sorted(tables_folder().glob(f"*{SUFFIX}")):
                copy = folder / path.name
                try:
                    back_up(path, copy)
                except StoreError as error:
                    log.warning("%s; it is left out of the export", error)
                    continue
                packed.write(copy, path.name)
                copy.unlink()
        return made


@lru_cache(maxsize=64)
def _photo(path: Path, changed_s: float) -> bytes | None:
    """Return the last photograph of a log, cached by modification time."""
    with _reading(), TableStore(path, read_only=True) as store:
        return last_photo(past_table(store)[0])


def _shown(player: PastPlayer, shown: Mapping[str, str]) -> PastPlayer:
    """Return a player as people are shown; without a name the colour stands for it."""
    name = shown.get(player.name, player.name)
    return replace(player, name=name or player.color, written=player.name)


def _id(path: Path) -> str:
    """Return the name of a log without its ending."""
    return path.name.removesuffix(SUFFIX)


def _path(game: str) -> Path:
    """Return the path of the log of a listed game. Raises Refusal if there is none."""
    for _, path in latest_logs():
        if _id(path) == game and path.is_file():
            return path
    raise _unknown()


def _unknown() -> Refusal:
    """Return the refusal for a game that does not exist."""
    return Refusal("unknown_game", Message("there is no such game"))


@contextmanager
def _reading() -> Iterator[None]:
    """Context manager that turns any Exception into Refusal, because a malicious log may raise any."""
    try:
        yield
    except Refusal:
        raise
    except Exception as error:
        log.info("a past game cannot be shown: %s: %s", type(error).__name__, error)
        raise Refusal("unreadable", Message("this game cannot be read")) from None
