"""Records of the hub: the tables' logs in the database."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import takewhile
from typing import Any

from sqlalchemy import Engine, func, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from tilesight.club.database.models import (
    Base,
    Forgotten,
    Game,
    GameSize,
    LoggedEntry,
    Table,
)
from tilesight.club.hub.fold import Folded
from tilesight.club.messages import ENTRIES_AT_MOST, LogEntry
from tilesight.table_log.event_store import Entry

ROWS_AT_ONCE = 500
"""Rows of one statement at most: SQLite takes 32 766 values, and a row has fewer than ten."""
GAME_BYTES = 20_000_000
"""Bytes of a game's entries at most: a game that brings its own pack has less than one million."""
FULL = "this game has more entries than the hub keeps"
"""Fault of a game that goes on beyond the bounds."""


class Records:
    """The hub's access to the database. Every method is one short transaction; thread-safe.

    Methods raise SQLAlchemyError if the database fails.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._writing = threading.Lock()  # SQLite takes one writer at a time

    def last(self, table: str, log: str) -> LogEntry | None:
        """Return the last entry of a table's game, `LogEntry.forgotten` for a removed one, or None."""
        with Session(self._engine) as session:
            if session.get(Forgotten, (table, log)) is not None:
                return LogEntry.forgotten()
            of = select(LoggedEntry).join(Game, Game.id == LoggedEntry.game_id)
            asked = of.where(Game.table_id == table, Game.log_id == log)
            row = session.scalar(asked.order_by(LoggedEntry.number.desc()).limit(1))
            if row is None:
                return None
            return LogEntry(number=row.number, kind=row.kind, at_s=row.at_s, data=json.loads(row.data))

    def store(self, table: str, log: str, entries: Sequence[LogEntry]) -> set[int]:
        """Store entries of one game in one transaction, idempotently. Return the game if one was new; entries
        of a removed game are dropped."""
        with self._writing, Session(self._engine) as session, session.begin():
            if session.get(Forgotten, (table, log)) is not None:
                return set()
            game = _game(session, table, log, entries[0].at_s)
            return {game.id} if _add(session, game, entries) else set()

    def entries(self, game: int, after: int = 0, at_most: int | None = None) -> list[Entry]:
        """Return the entries of a game after number ``after``, in order, without gaps."""
        of_game = (LoggedEntry.game_id == game, LoggedEntry.number > after)
        with Session(self._engine) as session:
            asked = select(LoggedEntry).where(*of_game).order_by(LoggedEntry.number).limit(at_most)
            rows = enumerate(session.scalars(asked), after + 1)
            found = (row for _, row in takewhile(lambda one: one[0] == one[1].number, rows))
            return [Entry(row.number, row.kind, row.at_s, json.loads(row.data)) for row in found]

    def name(self, game: int) -> tuple[str, str] | None:
        """Return the ids of a game's table and log; None if it was removed."""
        with Session(self._engine) as session:
            found = session.execute(select(Game.table_id, Game.log_id).where(Game.id == game)).first()
            return None if found is None else (found.table_id, found.log_id)

    def keep(self, game: int, number: int, folded: Folded) -> None:
        """Store the fold of the first ``number`` entries of a game."""
        values = {"fault": folded.fault} if folded.fault is not None else asdict(folded)
        with self._writing, Session(self._engine) as session, session.begin():
            if (size := session.get(GameSize, game)) is not None and size.full:
                values["fault"] = FULL
            earlier = update(Game).where(Game.id == game, Game.folded <= number)
            session.execute(earlier.values(folded=number, **values))

    def unfolded(self) -> list[int]:
        """Return the games with entries that are not folded yet."""
        with Session(self._engine) as session:
            return list(session.scalars(select(Game.id).where(Game.folded < Game.entries)))

    def games(self, ids: Iterable[int]) -> list[Game]:
        """Return these games."""
        with Session(self._engine, expire_on_commit=False) as session:
            return list(session.scalars(select(Game).where(Game.id.in_(list(ids)))))

    def current(self) -> list[Game]:
        """Return the current game of every table: the one that the table named last, else the one that was
        heard of last."""
        named = Game.log_id == Table.log_id
        order = (named.is_(True).desc(), func.coalesce(Game.heard_s, 0.0).desc(), Game.id.desc())
        place = func.row_number().over(partition_by=Game.table_id, order_by=order)
        ranked = select(Game.id, place.label("place")).join(Table, Table.id == Game.table_id).subquery()
        first = select(ranked.c.id).where(ranked.c.place == 1)
        with Session(self._engine, expire_on_commit=False) as session:
            return list(session.scalars(select(Game).where(Game.id.in_(first)).order_by(Game.table_id)))

    def named(self) -> dict[str, str]:
        """Return the logs that tables named last as those of their games in play, by table."""
        with Session(self._engine) as session:
            asked = select(Table.id, Table.log_id).where(Table.log_id.is_not(None))
            return {row.id: row.log_id for row in session.execute(asked)}

    def keep_named(self, table: str, log: str) -> list[Game]:
        """Store the log that a table names as that of its game in play; return the game if it is known."""
        with self._writing, Session(self._engine, expire_on_commit=False) as session, session.begin():
            _insert_new(session, Table, [{"id": table, "name": table, "joined_s": time.time()}])
            session.execute(update(Table).where(Table.id == table).values(log_id=log))
            asked = select(Game).where(Game.table_id == table, Game.log_id == log)
            return list(session.scalars(asked))

    def ended(self, since_s: float) -> list[Game]:
        """Return the finished games that were heard of since ``since_s`` (seconds since 1970), the latest
        last."""
        with Session(self._engine, expire_on_commit=False) as session:
            heard_s = func.coalesce(Game.heard_s, Game.changed_s)
            asked = select(Game).where(Game.over, heard_s >= since_s).order_by(heard_s, Game.id)
            return list(session.scalars(asked))

    def latest(self, table: str, since_s: float) -> list[Entry]:
        """Return the entries of a table's latest game; none if nothing of it was heard since ``since_s``
        (seconds since 1970)."""
        game = next(iter(self.games_of(table, 1)), None)
        return [] if game is None or (game.heard_s or 0.0) < since_s else self.entries(game.id)

    def games_of(self, table: str, at_most: int = 50) -> list[Game]:
        """Return the games of a table, latest first."""
        with Session(self._engine, expire_on_commit=False) as session:
            asked = select(Game).where(Game.table_id == table).order_by(Game.id.desc()).limit(at_most)
            return list(session.scalars(asked))

    def counts(self) -> Mapping[str, int]:
        """Return the number of rows of each kind."""
        with Session(self._engine) as session:
            return {
                name: session.scalar(select(func.count()).select_from(kind)) or 0
                for name, kind in (
                    ("tables", Table),
                    ("games", Game),
                    ("entries", LoggedEntry),
                )
            }


def _game(session: Session, table: str, log: str, at_s: float) -> Game:
    """Return the game of a log; create it if it is new."""
    asked = select(Game).where(Game.table_id == table, Game.log_id == log)
    found = session.scalar(asked)
    if found is None:
        _insert_new(session, Table, [{"id": table, "name": table, "joined_s": time.time()}])
        begun = {"began_s": at_s, "changed_s": at_s, "entries": 0, "folded": 0, "turns": 0, "over": False}
        _insert_new(session, Game, [{"table_id": table, "log_id": log, **begun}])
        found = session.scalar(asked)
    assert found is not None
    return found


def _add(session: Session, game: Game, entries: Sequence[LogEntry]) -> bool:
    """Add entries to a game. Return True if one of them was new, or if the game takes no more from now on."""
    size = session.get(GameSize, game.id)
    if size is None:
        session.add(size := GameSize(game_id=game.id, bytes=0, full=False))
    if size.full:
        return False
    fitting = [one for one in entries if one.number <= ENTRIES_AT_MOST]
    told = {one.number: json.dumps(one.data, separators=(",", ":")) for one in fitting}
    rows = [
        {
            "game_id": game.id,
            "number": one.number,
            "kind": one.kind,
            "at_s": one.at_s,
            "data": told[one.number],
        }
        for one in fitting
    ]
    added = _insert_new(session, LoggedEntry, rows)
    if added:
        game.heard_s = time.time()
        size.bytes += sum(len(told[number]) for _, number in added)
        game.entries = max(game.entries, *told)
        game.changed_s = max(game.changed_s, *(one.at_s for one in fitting))
    size.full = len(fitting) < len(entries) or size.bytes > GAME_BYTES
    return bool(added) or size.full


def _insert_new(session: Session, kind: type[Base], rows: Sequence[Mapping[str, Any]]) -> Sequence[Any]:
    """Insert the rows that do not exist yet, and return their primary keys."""
    insert = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
    new = insert(kind).on_conflict_do_nothing().returning(*kind.__mapper__.primary_key)
    # Not counted by `rowcount`: that is -1 for such a statement on PostgreSQL.
    parts = (rows[at : at + ROWS_AT_ONCE] for at in range(0, len(rows), ROWS_AT_ONCE))
    return [key for part in parts for key in session.execute(new.values(list(part))).all()]
