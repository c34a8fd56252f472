"""Opening of the database by its URL, with migrations to the current schema."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

MIGRATIONS = Path(__file__).parent / "migrations"
"""The folder of migrations."""
BUSY_S = 10.0
"""Seconds for which a writer waits for another one of SQLite."""


class DatabaseError(ValueError):
    """A database cannot be opened; the message is one line without its password."""


def open_database(where: str | Path) -> Engine:
    """Open the database at a URL (``postgresql://…``), or in a SQLite file, which is created with its folder
    if missing, and migrate it. Raises DatabaseError."""
    try:
        url = make_url(where if isinstance(where, str) and "://" in where else f"sqlite:///{where}")
    except ArgumentError:
        raise DatabaseError(f"{where}: neither a file nor a database's URL") from None
    if url.drivername == "postgresql":
        url = url.set(drivername="postgresql+psycopg")
    shown = url.render_as_string(hide_password=True)
    more: dict[str, Any] = {"connect_args": {"timeout": BUSY_S}} if url.get_backend_name() == "sqlite" else {}
    try:
        if url.get_backend_name() == "sqlite" and url.database:
            Path(url.database).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        engine = create_engine(url, pool_pre_ping=True, **more)
        if url.get_backend_name() == "sqlite":
            event.listen(engine, "connect", _careful)
        upgrade(engine)
    except (SQLAlchemyError, ImportError, OSError) as error:
        why = str(error).strip().splitlines()[0]
        raise DatabaseError(f"{shown}: cannot be opened ({why})") from None
    return engine


def upgrade(engine: Engine) -> None:
    """Run the pending migrations."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _careful(connection: Any, _: object) -> None:
    """Configure a SQLite connection: readers never wait for the writer, and no commit is lost."""
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")  # what is removed leaves no bytes
