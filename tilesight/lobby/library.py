"""Library of past games: the logs in the folder of tables, and their trash folder."""

from __future__ import annotations

import logging
import os
import re
import tempfile
import threading
import time
import zipfile
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from engine.message import Message
from tilesight.home import tables_folder
from tilesight.lobby.game_index import GameIndex
from tilesight.lobby.intake import import_file
from tilesight.lobby.past import UNREADABLE, last_photo, past_table, readable_summary
from tilesight.table_log.backup import back_up
from tilesight.table_log.event_store import SUFFIX, StoreError, TableStore, files_of, locked
from tilesight.table_log.log_files import changed_at_s, latest_logs
from web.api.reports import replay_page
from web.library import ImportResult, PastGame
from web.table.refusal import Refusal

log = logging.getLogger("tilesight.lobby")
TRASH = "trash"
"""Name of the folder, in that of the tables, where logs that were deleted lie."""
TRASH_S = 30 * 24 * 3600.0
"""Seconds for which a deleted log is kept: a month."""
NAME = re.compile(r"[\w.-]+\Z")
"""Name of a log without its ending: never a path."""


class Library:
    """The past games of this computer (web.library.Library). Thread-safe."""

    def __init__(self) -> None:
        self._index = GameIndex(readable_summary)
        self._lock = threading.Lock()

    def games(self) -> Sequence[PastGame]:
        """Return the games whose logs can be read and hold a turn or an end, latest first."""
        changed_s = {path: at_s for at_s, path in latest_logs()}
        return [game for game in self._index.games(changed_s) if game.turns or game.over]

    def replay(self, game: str) -> bytes:
        """Return a game as a page that replays it, with its photographs. Raises Refusal."""
        try:
            with TableStore(_path(game), read_only=True) as store:
                table, board = past_table(store)
                return replay_page(table.state(), board, table.photo)
        except UNREADABLE as error:
            raise _unreadable(error) from None

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
            try:
                locked(path).free()
            except (StoreError, OSError):
                raise Refusal("watched", Message("this table is being watched")) from None
            trash = tables_folder() / TRASH
            trash.mkdir(mode=0o700, exist_ok=True)
            _empty(trash)
            _move(path, trash / path.name)
            (trash / path.name).touch()  # the month begins

    def restore(self, game: str) -> None:
        """Restore a game from the trash. Raises Refusal."""
        with self._lock:
            there = _path(game, TRASH)
            back = tables_folder() / there.name
            if back.exists():
                raise Refusal("unknown_game", Message("there is a game of that name again"))
            _move(there, back)

    def import_file(self, file: Path, name: str) -> ImportResult:
        """Import the log, or all logs of the zip file, in a file. Raises Refusal."""
        with self._lock:
            return import_file(file, name)

    def export(self) -> Path:
        """Return all logs in a temporary zip file, which the caller removes."""
        number, made = tempfile.mkstemp(suffix=".zip")
        os.close(number)
        with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(made, "w") as packed:
            for path in sorted(tables_folder().glob(f"*{SUFFIX}")):
                copy = Path(folder) / path.name
                try:
                    back_up(path, copy)
                except StoreError as error:
                    log.warning("%s; it is left out of the export", error)
                    continue
                packed.write(copy, path.name)
                copy.unlink()
        return Path(made)


@lru_cache(maxsize=64)
def _photo(path: Path, changed_s: float) -> bytes | None:
    """Return the last photograph of a log, cached by modification time."""
    try:
        with TableStore(path, read_only=True) as store:
            return last_photo(past_table(store)[0])
    except UNREADABLE as error:
        raise _unreadable(error) from None


def _path(game: str, folder: str = "") -> Path:
    """Return the path of a game's log. Raises Refusal if there is none."""
    path = tables_folder() / folder / f"{game}{SUFFIX}"
    if not NAME.match(game) or not path.is_file():
        raise Refusal("unknown_game", Message("there is no such game"))
    return path


def _unreadable(error: Exception) -> Refusal:
    """Log an error and return the refusal for the page."""
    log.info("a past game cannot be shown: %s", error)
    return Refusal("unreadable", Message("this game cannot be read"))


def _move(path: Path, to: Path) -> None:
    """Move a log with SQLite's side files."""
    for file, moved in zip(files_of(path), files_of(to), strict=True):
        if file.exists():
            file.replace(moved)


def _empty(trash: Path) -> None:
    """Delete what has been in the trash for a month."""
    for path in trash.glob(f"*{SUFFIX}"):
        if time.time() - path.stat().st_mtime > TRASH_S:
            for file in files_of(path):
                file.unlink(missing_ok=True)
