"""Names in NATS: subjects, the stream of logs and its consumer.

A table is identified by its id (`table_id`), a game by the id of its log (`log_id`), because a table plays
several games in an evening. Both are single tokens of a subject.
"""

from __future__ import annotations

import hashlib
import re
from typing import Literal

from tilesight.table_log.event_store import Entry

STREAM = "TABLES"
"""The stream that keeps the logs of all tables."""
LOGS = "table.*.log.*"
"""The stream's subjects: table, game."""
STATUSES = "table.*.status"
"""Subjects of what tables say of themselves; such a message may be lost."""
PREVIEWS = "table.*.preview"
"""Subjects of the cameras' small pictures; such a message may be lost."""
CONSUMER = "hub"
"""The durable consumer with which the hub reads the stream."""
LEASES = "leases"
"""The key-value bucket in which workers hold the tables that they see for: table, worker."""
PHONE_TABLES = "phone-tables"
"""The key-value bucket of the tables that have no computer: table, `messages.PhoneTable`."""
WORD = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""A table's id or a game's."""


def table_id(text: str) -> str:
    """Return ``text`` if it is a valid table id. Raises ValueError otherwise."""
    if not WORD.fullmatch(text):
        raise ValueError(f"{text[:80]!r} is no table's id: 1 to 64 letters, digits, _ or -")
    return text


def log_id(first: Entry) -> str:
    """Return the id of the game whose log begins with an entry.

    It is the same after a restart and for any copy of the file, and unique to the game.
    """
    text = f"{first.number}\0{first.kind}\0{first.at_s!r}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def log_subject(table: str, game: str) -> str:
    """Return the subject of a game's log."""
    return f"table.{table}.log.{game}"


def table_subject(table: str, what: Literal["status", "preview", "command", "frame"]) -> str:
    """Return a subject of a table: its status, its small pictures, requests to it, or the pictures (JPEG) of
    its phone, for a table without a computer."""
    return f"table.{table}.{what}"


def words_of(subject: str) -> tuple[str, str]:
    """Return table and game of a log's subject, or the table and "" of another. Raises ValueError for a
    foreign subject."""
    words = subject.split(".")
    if not 3 <= len(words) <= 4 or words[0] != "table" or not all(map(WORD.fullmatch, words[1:])):
        raise ValueError(f"no subject of a table: {subject[:100]!r}")
    return words[1], words[3] if len(words) == 4 else ""
