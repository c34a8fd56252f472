"""Database of the hub: published logs and their games; SQLite, or PostgreSQL by its URL."""

from __future__ import annotations

from tilesight.club.database.engine import DatabaseError, open_database
from tilesight.club.database.models import (
    AccountRow,
    ActRow,
    Base,
    Forgotten,
    Game,
    LoggedEntry,
    PhoneTableRow,
    Quarantined,
    StreamPlace,
    Table,
    TournamentChange,
    TournamentRow,
)

__all__ = [
    "AccountRow",
    "ActRow",
    "Base",
    "DatabaseError",
    "Forgotten",
    "Game",
    "LoggedEntry",
    "PhoneTableRow",
    "Quarantined",
    "StreamPlace",
    "Table",
    "TournamentChange",
    "TournamentRow",
    "open_database",
]
