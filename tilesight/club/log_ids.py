"""Ids of tables and of games' logs: a table plays several games in an evening."""

from __future__ import annotations

import hashlib
import re

from tilesight.table_log.event_store import Entry

WORD = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""A table's id or a game's."""


def log_id(first: Entry) -> str:
    """Return the id of the game whose log begins with an entry.

    It is the same after a restart and for any copy of the file, and unique to the game.
    """
    text = f"{first.number}\0{first.kind}\0{first.at_s!r}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]
