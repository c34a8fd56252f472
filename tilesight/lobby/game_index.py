"""Index of past games: summaries of their logs, cached in a database.

Only the logs count: the database may be deleted at any time and is rebuilt from them. A log is read again
when it has changed.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from tilesight.home import home_folder
from web.library import PastGame

log = logging.getLogger("tilesight.lobby")
VERSION = 1
"""Version of what is kept of a game; a database of another one is made anew."""
_TABLE = """
CREATE TABLE IF NOT EXISTS game (log TEXT PRIMARY KEY, changed_s REAL NOT NULL, summary TEXT)
"""
_SUMMARY = TypeAdapter(PastGame)


class GameIndex:
    """Summaries of logs by their names. A log that cannot be read is remembered as such."""

    def __init__(self, read: Callable[[Path], PastGame | None]) -> None:
        """``read`` returns the summary of a log, None if it cannot be read."""
        self._read = read
        self._path = home_folder() / "library.sqlite"
        self._lock = threading.Lock()

    def games(self, changed_s: dict[Path, float]) -> list[PastGame]:
        """Return the games of these logs, in the given order. ``changed_s`` holds each log's modification
        time."""
        with self._lock, contextlib.closing(self._open()) as base:
            found = [self._game(base, path, at_s) for path, at_s in changed_s.items()]
            kept = {path.name for path in changed_s}
            gone = [(name,) for (name,) in base.execute("SELECT log FROM game") if name not in kept]
            base.executemany("DELETE FROM game WHERE log = ?", gone)
            base.commit()
        return [game for game in found if game is not None]

    def game(self, path: Path, changed_s: float) -> PastGame | None:
        """The game of one log, changed at that time; None where it cannot be read."""
        with self._lock, contextlib.closing(self._open()) as base:
            found = self._game(base, path, changed_s)
            base.commit()
        return found

    def _game(self, base: sqlite3.Connection, path: Path, changed_s: float) -> PastGame | None:
        """Return a log's game, from the cache if the log is unchanged."""
        row = base.execute("SELECT changed_s, summary FROM game WHERE log = ?", (path.name,)).fetchone()
        if row is not None and row[0] == changed_s:
            with contextlib.suppress(ValidationError):
                return None if row[1] is None else _SUMMARY.validate_json(row[1])
        game = self._read(path)
        text = None if game is None else _SUMMARY.dump_json(game).decode()
        base.execute("INSERT OR REPLACE INTO game VALUES (?, ?, ?)", (path.name, changed_s, text))
        return game

    def _open(self) -> sqlite3.Connection:
        """Open the database; rebuild it if it is damaged or of another version. In memory if the disk
        refuses it."""
        for where in (self._path, self._path):
            try:
                where.parent.mkdir(parents=True, exist_ok=True)
                base = sqlite3.connect(where, timeout=5)
                if base.execute("PRAGMA user_version").fetchone()[0] != VERSION:
                    base.execute("DROP TABLE IF EXISTS game")
                base.execute(_TABLE)
                base.execute(f"PRAGMA user_version = {VERSION}")
                base.execute("SELECT log, changed_s, summary FROM game LIMIT 1").fetchall()
                return base
            except (sqlite3.Error, OSError) as error:
                log.warning("%s: %s; the index of past games is made anew", self._path, error)
                with contextlib.suppress(OSError):
                    self._path.unlink(missing_ok=True)
        base = sqlite3.connect(":memory:")
        base.execute(_TABLE)
        return base
