"""Lock that lets only one hub at a time use a club's folder and its database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from sqlalchemy import Engine, text

from tilesight.club.database.engine import DatabaseError, open_database
from tilesight.table_log.table_lock import TableLock

ADVISORY = 0x54534C54
"""Number of the advisory lock in a PostgreSQL database ("TSLT")."""


class HubRunningError(DatabaseError):
    """Another hub uses the folder or the database; the message is one line."""


@contextmanager
def only_hub(folder: Path, where: str | Path) -> Iterator[Engine]:
    """Open the database ``where`` as the only hub of it and of ``folder``, within a ``with`` block.

    Raises HubRunningError if there is another hub, DatabaseError if the database cannot be opened.
    """
    with ExitStack() as stack:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            stack.enter_context(TableLock(folder / "hub"))
        except BlockingIOError:
            raise HubRunningError(f"{folder}: another hub runs in this folder; end it first") from None
        engine = open_database(where)
        stack.callback(engine.dispose)
        shown = engine.url.render_as_string(hide_password=True)
        if engine.dialect.name == "postgresql":
            connection = stack.enter_context(engine.connect())
            connection = connection.execution_options(isolation_level="AUTOCOMMIT")
            free = connection.scalar(text("SELECT pg_try_advisory_lock(:number)"), {"number": ADVISORY})
            stack.callback(connection.invalidate)  # closed, not pooled: the lock ends with the connection
        else:
            free = _is_free(stack, Path(engine.url.database or ""))
        if not free:
            raise HubRunningError(f"{shown}: another hub uses this database; end it first")
        yield engine


def _is_free(stack: ExitStack, path: Path) -> bool:
    """Lock a database's file until ``stack`` ends; return False if another process holds it."""
    try:
        stack.enter_context(TableLock(path))
    except BlockingIOError:
        return False
    return True
