"""Outbox: the events that wait for a table's webhooks, in a file, so that a restart loses none."""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from web.table.feed import FeedEvent

log = logging.getLogger("tilesight.outward.outbox")

SCHEMA = """
CREATE TABLE IF NOT EXISTS waiting (
  number INTEGER PRIMARY KEY, webhook TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL
);
"""


@dataclass(frozen=True, slots=True)
class Letter:
    """An event for one webhook. ``id`` is its ``webhook-id``, the same in every try and after a restart.

    ``number`` is its place in the outbox, 0 if it is in none.
    """

    id: str
    event: FeedEvent
    number: int = 0


class Outbox:
    """Waiting events by webhook, in the file ``path``; None keeps nothing, for a table without a log.

    Use it in one thread. A file that cannot be read or written is reported once in the program's log; the
    events then wait in memory alone.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._base: sqlite3.Connection | None = None
        if path is not None:
            try:
                self._base = _opened(path)
            except (sqlite3.Error, OSError) as error:
                self._fail(error)

    def waiting(self, webhook: str) -> list[Letter]:
        """Return the events that wait for a webhook, oldest first."""
        if self._base is None:
            return []
        try:
            rows = self._base.execute(
                "SELECT number, id, body FROM waiting WHERE webhook = ? ORDER BY number", (webhook,)
            ).fetchall()
            return [Letter(id_, _event(body), number) for number, id_, body in rows]
        except (sqlite3.Error, ValueError, KeyError, TypeError) as error:
            self._fail(error)
            return []

    def add(self, webhook: str, letter: Letter) -> Letter:
        """Write an event that waits, and return it with its number."""
        if self._base is None:
            return letter
        try:
            row = webhook, letter.id, letter.event.body
            added = self._base.execute("INSERT INTO waiting (webhook, id, body) VALUES (?, ?, ?)", row)
            return Letter(letter.id, letter.event, added.lastrowid or 0)
        except sqlite3.Error as error:
            self._fail(error)
            return letter

    def remove(self, letter: Letter) -> None:
        """Remove an event that arrived, or was given up or dropped."""
        if letter.number:
            self._change("DELETE FROM waiting WHERE number = ?", (letter.number,))

    def keep_only(self, webhooks: Collection[str]) -> None:
        """Remove the events of all other webhooks."""
        marks = ", ".join("?" * len(webhooks))
        self._change(f"DELETE FROM waiting WHERE webhook NOT IN ({marks})", tuple(webhooks))

    def close(self) -> None:
        """Close the file; remove it if no event waits."""
        base, self._base = self._base, None
        if base is None or self._path is None:
            return
        try:
            empty = base.execute("SELECT NOT EXISTS (SELECT 1 FROM waiting)").fetchone()[0]
            base.close()
            if empty:
                self._path.unlink(missing_ok=True)
        except (sqlite3.Error, OSError) as error:
            log.warning("%s: %s", self._path, error)

    def _change(self, statement: str, values: tuple[object, ...]) -> None:
        if self._base is None:
            return
        try:
            self._base.execute(statement, values)
        except sqlite3.Error as error:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        """Go on without the file."""
        log.warning("%s: waiting events are not kept over a restart (%s)", self._path, error)
        base, self._base = self._base, None
        if base is not None:
            base.close()


def _opened(path: Path) -> sqlite3.Connection:
    """Open or create the file; one that is damaged is replaced. Raises sqlite3.Error or OSError."""
    try:
        return _connected(path)
    except sqlite3.OperationalError:  # locked, or no room: the events in it are good
        raise
    except sqlite3.DatabaseError:
        path.unlink(missing_ok=True)
        return _connected(path)


def _connected(path: Path) -> sqlite3.Connection:
    path.touch(mode=0o600)  # events name the players
    base = sqlite3.connect(path, timeout=0.5, isolation_level=None)
    try:
        base.execute("PRAGMA journal_mode = WAL")
        base.execute("PRAGMA synchronous = NORMAL")  # after a power cut the latest may be missing
        base.executescript(SCHEMA)
    except sqlite3.Error:
        base.close()
        raise
    return base


def _event(body: str) -> FeedEvent:
    """Return the event of a body. Raises ValueError, KeyError or TypeError if it is none."""
    told = json.loads(body)
    return FeedEvent(int(told["id"]), told["type"], told["frame"], body)
