"""Records of the hub: published logs in the database."""

from __future__ import annotations

import json
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Engine, func, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from tilesight.club.database.models import Base, Forgotten, Game, LoggedEntry, Quarantined, StreamPlace, Table
from tilesight.club.hub.fold import Folded
from tilesight.club.messages import ENTRY_BYTES, FORGOTTEN, LogEntry, MessageError, read_message
from tilesight.club.subjects import words_of
from tilesight.table_log.event_store import Entry

ROWS_AT_ONCE = 500
"""Rows of one statement at most: SQLite takes 32 766 values, and a row has fewer than ten."""
BODY_KEPT = 2000
"""Characters of a refused message that are kept."""


@dataclass(frozen=True, slots=True)
class Published:
    """Message of the stream: its subject, its sequence, its body."""

    subject: str
    sequence: int
    body: bytes


class Records:
    """The hub's access to the database. Every method is one short transaction; thread-safe.

    Methods raise SQLAlchemyError if the database fails.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._writing = threading.Lock()  # SQLite takes one writer at a time

    def take(self, messages: Sequence[Published], stream: str = "") -> set[int]:
        """Store entries idempotently, quarantine invalid messages, and return the games that have more
        entries now.

        ``stream`` identifies the stream by its creation time.
        """
        try:
            return self._take(messages, stream)
        except OperationalError:  # the database is away, not the message wrong
            raise
        except Exception as error:  # one table's message never stops the others
            if len(messages) == 1:
                self._put_aside([(messages[0], f"it cannot be kept ({type(error).__name__})")])
                return set()
        return {game for one in messages for game in self.take([one], stream)}

    def _take(self, messages: Sequence[Published], stream: str) -> set[int]:
        """Store messages in one transaction."""
        told: dict[tuple[str, str], list[LogEntry]] = defaultdict(list)
        refused = []
        for message in messages:
            try:
                entry = read_message(LogEntry, message.body, ENTRY_BYTES)
                told[words_of(message.subject)].append(entry)
            except (MessageError, ValueError) as error:
                refused.append((message, str(error)))
        changed: set[int] = set()
        with self._writing, Session(self._engine) as session, session.begin():
            for (table, log), entries in told.items():
                entries = [one for one in entries if one.kind != FORGOTTEN]
                if entries and (forgotten := session.get(Forgotten, (table, log))) is not None:
                    forgotten.in_stream = True
                elif entries:
                    game = _game(session, table, log, entries[0].at_s)
                    changed |= {game.id} if _add(session, game, entries) else set()
            if stream:
                _reach(session, stream, max(one.sequence for one in messages))
        if refused:
            self._put_aside(refused)
        return changed

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

    def place(self, stream: str) -> int:
        """Return the sequence up to which a stream was consumed, 0 if not at all."""
        with Session(self._engine) as session:
            found = session.get(StreamPlace, stream)
            return 0 if found is None else found.sequence

    def _put_aside(self, refused: Iterable[tuple[Published, str]]) -> None:
        """Quarantine invalid messages."""
        rows = [
            {
                "subject": message.subject[:200],
                "sequence": message.sequence,
                "came_s": time.time(),
                "reason": why,
                "body": message.body[:BODY_KEPT].decode("ascii", "backslashreplace").replace("\0", "\\0"),
            }
            for message, why in refused
        ]
        with self._writing, Session(self._engine) as session, session.begin():
            _insert_new(session, Quarantined, rows)

    def entries(self, game: int) -> list[Entry]:
        """Return the entries of a game, in order."""
        with Session(self._engine) as session:
            rows = session.scalars(
                select(LoggedEntry).where(LoggedEntry.game_id == game).order_by(LoggedEntry.number)
            )
            return [Entry(row.number, row.kind, row.at_s, json.loads(row.data)) for row in rows]

    def keep(self, game: int, number: int, folded: Folded) -> None:
        """Store the fold of the first ``number`` entries of a game."""
        values = {"fault": folded.fault} if folded.fault is not None else asdict(folded)
        with self._writing, Session(self._engine) as session, session.begin():
            earlier = update(Game).where(Game.id == game, Game.folded <= number)
            session.execute(earlier.values(folded=number, **values))

    def unfolded(self) -> list[int]:
        """Return the games with entries that are not folded yet."""
        with Session(self._engine) as session:
            return list(session.scalars(select(Game.id).where(Game.folded < Game.entries)))

    def games(self, ids: Iterable[int] | None = None) -> list[Game]:
        """Return these games, or the latest one of every table."""
        with Session(self._engine, expire_on_commit=False) as session:
            if ids is not None:
                return list(session.scalars(select(Game).where(Game.id.in_(list(ids)))))
            latest = select(func.max(Game.id)).group_by(Game.table_id)
            return list(session.scalars(select(Game).where(Game.id.in_(latest))))

    def ended(self, since_s: float) -> list[Game]:
        """Return the finished games that changed since ``since_s`` (seconds since 1970), in order of their
        start."""
        with Session(self._engine, expire_on_commit=False) as session:
            asked = select(Game).where(Game.over, Game.changed_s >= since_s).order_by(Game.id)
            return list(session.scalars(asked))

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
                    ("quarantined", Quarantined),
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
    """Add entries to a game. Return True if one of them was new."""
    rows = [
        {
            "game_id": game.id,
            "number": one.number,
            "kind": one.kind,
            "at_s": one.at_s,
            "data": json.dumps(one.data, separators=(",", ":")),
        }
        for one in entries
    ]
    added = _insert_new(session, LoggedEntry, rows)
    if added:
        game.heard_s = time.time()
    game.entries = max(game.entries, *(one.number for one in entries))
    game.changed_s = max(game.changed_s, *(one.at_s for one in entries))
    return added > 0


def _reach(session: Session, stream: str, sequence: int) -> None:
    """Store the sequence up to which a stream was consumed."""
    _insert_new(session, StreamPlace, [{"stream": stream, "sequence": 0}])
    further = update(StreamPlace).where(StreamPlace.stream == stream, StreamPlace.sequence < sequence)
    session.execute(further.values(sequence=sequence))


def _insert_new(session: Session, kind: type[Base], rows: Sequence[Mapping[str, Any]]) -> int:
    """Insert the rows that do not exist yet, and return their number."""
    insert = sqlite.insert if session.get_bind().dialect.name == "sqlite" else postgresql.insert
    new = insert(kind).on_conflict_do_nothing().returning(*kind.__mapper__.primary_key)
    # Not counted by `rowcount`: that is -1 for such a statement on PostgreSQL.
    parts = (rows[at : at + ROWS_AT_ONCE] for at in range(0, len(rows), ROWS_AT_ONCE))
    return sum(len(session.execute(new.values(list(part))).all()) for part in parts)
