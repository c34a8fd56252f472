"""Index of past games: summaries of their logs, cached in a database.

The logs are the only source: the database may be deleted at any time and is then rebuilt. A log is read again
when it has changed.
"""

from __future__ import annotations

import contextlib
import json
import logging
import sqlite3
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter

from tilesight.home import home_folder
from tilesight.table_log.sqlite_log import files_of
from web.past_games import PastGame

log = logging.getLogger("tilesight.lobby")
VERSION = 2
"""Version of the cached summaries. A database of another version is rebuilt."""
_TABLE = """
CREATE TABLE IF NOT EXISTS game (log TEXT PRIMARY KEY, changed_s REAL NOT NULL, summary TEXT)
"""
_SUMMARY = TypeAdapter(PastGame)
T = TypeVar("T")


class GameIndex:
    """Cached summaries of logs by path. It also remembers which logs cannot be read."""

    def __init__(self, read: Callable[[Path], PastGame | None]) -> None:
        """``read`` returns the summary of a log, None if it cannot be read."""
        self._read = read
        self._path = home_folder() / "library.sqlite"
        self._lock = threading.Lock()

    def games(self, changed_s: Mapping[Path, float]) -> dict[Path, PastGame | None]:
        """Return the games of these logs in the given order; None for a log that cannot be read.

        ``changed_s`` holds each log's modification time in seconds since 1970. All other logs are removed
        from the index.
        """

        def found(base: sqlite3.Connection) -> dict[Path, PastGame | None]:
            games = {path: self._game(base, path, at_s) for path, at_s in changed_s.items()}
            kept = {path.name for path in changed_s}
            gone = [(name,) for (name,) in base.execute("SELECT log FROM game") if name not in kept]
            base.executemany("DELETE FROM game WHERE log = ?", gone)
            return games

        return self._from_database(found)

    def game(self, path: Path, changed_s: float) -> PastGame | None:
        """Return the game of one log; None if it cannot be read.

        ``changed_s`` is the log's modification time in seconds since 1970.
        """
        return self._from_database(lambda base: self._game(base, path, changed_s))

    def _game(self, base: sqlite3.Connection, path: Path, changed_s: float) -> PastGame | None:
        """Return a log's game, from the cache if the log is unchanged."""
        row = base.execute("SELECT changed_s, summary FROM game WHERE log = ?", (path.name,)).fetchone()
        if row is not None and row[0] == changed_s:
            if row[1] is None:
                return None
            with contextlib.suppress(ValueError, TypeError):
                return _of_text(row[1])
        game = self._read(path)
        text = None if game is None else json.dumps(asdict(game))
        base.execute("INSERT OR REPLACE INTO game VALUES (?, ?, ?)", (path.name, changed_s, text))
        return game

    def _from_database(self, ask: Callable[[sqlite3.Connection], T]) -> T:
        """Return the result of ``ask`` on the database.

        A damaged database is replaced by a new one. If the disk refuses both, a database in memory is used.
        """
        with self._lock:
            for _ in range(2):
                try:
                    with contextlib.closing(self._open()) as base, base:
                        return ask(base)
                except (sqlite3.Error, OSError, UnicodeError) as error:
                    log.warning("%s: %s; the index of past games is made anew", self._path, error)
                    for file in files_of(self._path):
                        with contextlib.suppress(OSError):
                            file.unlink(missing_ok=True)
            with contextlib.closing(sqlite3.connect(":memory:")) as base:
                base.execute(_TABLE)
                return ask(base)

    def _open(self) -> sqlite3.Connection:
        """Open the database; a table of another version is dropped and created anew."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        base = sqlite3.connect(self._path, timeout=5)
        try:
            if base.execute("PRAGMA user_version").fetchone()[0] != VERSION:
                base.execute("DROP TABLE IF EXISTS game")
            base.execute(_TABLE)
            base.execute(f"PRAGMA user_version = {VERSION}")
        except BaseException:
            base.close()
            raise
        return base


def told_plainly(game: PastGame) -> PastGame:
    """Return a summary whose values are valid: they have their types, and all numbers are finite.

    Raises ValueError or TypeError for an invalid summary, as of a malicious log.
    """
    return _of_text(json.dumps(asdict(game), allow_nan=False))


def _of_text(text: str) -> PastGame:
    """Return the game from its JSON. Raises ValueError if it cannot be written as JSON again."""
    game = _SUMMARY.validate_json(text)
    json.dumps(asdict(game), allow_nan=False, ensure_ascii=False).encode()
    return game
