"""Forgetting: removal of games and of people's names from the hub.

Of a removed game only the ids of table and log are kept. In the stream one empty entry replaces it, so that a
table that sends its log again finds it already sent; entries that arrive nevertheless are rejected.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from nats.errors import Error as NatsError
from nats.js.client import JetStreamContext
from sqlalchemy import Engine, delete, func, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from tilesight.club.database.models import (
    Forgotten,
    Game,
    GameSize,
    LoggedEntry,
    PhoneTableRow,
    Quarantined,
    TournamentChange,
    TournamentRow,
)
from tilesight.club.messages import LogEntry
from tilesight.club.subjects import STREAM, log_subject
from tilesight.club.tournament import ledger

log = logging.getLogger("tilesight.club.forgetting")

LOOK_S = 5.0
"""Seconds between two looks at what was removed meanwhile, also by a command of its own."""
OLD_LOOK_S = 3600.0
"""Seconds between two searches for games that are too old."""
DAY_S = 86_400.0
"""Seconds of a day."""


class Log(NamedTuple):
    """A game by the ids of its table and of its log."""

    table: str
    log: str


class Forgetting:
    """Removal from the hub's database, by any process. Methods raise SQLAlchemyError if the database
    fails."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def games(self, *, person: str | None = None) -> Sequence[Game]:
        """Return all games, those of a table, or those whose log contains a person's name; earliest first."""
        asked = select(Game).order_by(Game.changed_s)
        if person is not None:
            names = LoggedEntry.data.contains(json.dumps(person), autoescape=True)  # as a whole string
            asked = asked.where(Game.id.in_(select(LoggedEntry.game_id).where(names)))
        with Session(self._engine, expire_on_commit=False) as session:
            return session.scalars(asked).all()

    def forget(self, games: Iterable[Game]) -> None:
        """Remove games with everything derived from them."""
        with Session(self._engine) as session, session.begin():
            for game in games:
                one = Log(game.table_id, game.log_id)
                session.merge(Forgotten(table_id=one.table, log_id=one.log, at_s=time.time(), in_stream=True))
                session.execute(delete(Quarantined).where(Quarantined.subject == log_subject(*one)))
                session.execute(delete(LoggedEntry).where(LoggedEntry.game_id == game.id))
                session.execute(delete(GameSize).where(GameSize.game_id == game.id))
                session.execute(delete(Game).where(Game.id == game.id))

    def forget_person(self, name: str) -> int:
        """Replace a person's name by a number in all tournaments, remove it from rejected messages, and
        return the number of tournaments.

        Games are removed by `forget`.
        """
        with Session(self._engine) as session, session.begin():
            body = name.encode().decode("ascii", "backslashreplace")  # as it was put aside
            session.execute(delete(Quarantined).where(Quarantined.body.contains(body, autoescape=True)))
            entered = [
                one
                for one in session.scalars(select(TournamentChange))
                if one.data["kind"] in ("entered", "renamed") and one.data["name"].split() == name.split()
            ]
            for one in entered:
                one.data = {**one.data, "name": f"({one.number})"}
                asked = select(func.max(TournamentChange.number))
                last = session.scalar(asked.where(TournamentChange.tournament_id == one.tournament_id)) or 0
                told = TournamentChange(
                    tournament_id=one.tournament_id,
                    number=last + 1,
                    at_s=time.time(),
                    data=ledger.forgotten(),
                )
                session.add(told)
            return len(entered)

    def forget_before(self, at_s: float) -> int:
        """Remove games and tournaments without news since a time (seconds since 1970); return the number
        of games."""
        heard_s = func.coalesce(Game.heard_s, Game.changed_s)
        with Session(self._engine) as session:
            old = session.scalars(select(Game).where(heard_s < at_s)).all()
        self.forget(old)
        with Session(self._engine) as session, session.begin():
            latest = func.max(TournamentChange.at_s)
            ended = select(TournamentChange.tournament_id).group_by(TournamentChange.tournament_id)
            numbers = session.scalars(ended.having(latest < at_s)).all()
            session.execute(delete(TournamentChange).where(TournamentChange.tournament_id.in_(numbers)))
            session.execute(delete(TournamentRow).where(TournamentRow.id.in_(numbers)))
            session.execute(delete(Quarantined).where(Quarantined.came_s < at_s))
            session.execute(delete(PhoneTableRow).where(PhoneTableRow.closed_s < at_s))
        return len(old)

    def in_stream(self) -> Sequence[Log]:
        """Return the removed games of which the stream may have entries."""
        with Session(self._engine) as session:
            rows = session.scalars(select(Forgotten).where(Forgotten.in_stream))
            return [Log(row.table_id, row.log_id) for row in rows]

    def out_of_stream(self, one: Log) -> None:
        """Record that the stream has no more entries of a game."""
        with Session(self._engine) as session, session.begin():
            if (row := session.get(Forgotten, one)) is not None:
                row.in_stream = False


async def keep_forgetting(
    forgetting: Forgetting,
    stream: JetStreamContext | None,
    keep_days: int | None,
    gone: Callable[[Log], None],
) -> None:
    """Remove games older than ``keep_days``, and removed games from the stream if there is one, until
    cancelled.

    ``gone`` is called for each game.
    """
    clock = asyncio.get_running_loop().time
    next_s = clock()
    while True:
        try:
            if keep_days is not None and clock() >= next_s:
                await asyncio.to_thread(forgetting.forget_before, time.time() - keep_days * DAY_S)
                next_s = clock() + OLD_LOOK_S
            for one in await asyncio.to_thread(forgetting.in_stream):
                gone(one)
                if stream is not None:
                    await _purge(stream, one)
                await asyncio.to_thread(forgetting.out_of_stream, one)
        except (NatsError, OSError, TimeoutError, SQLAlchemyError) as error:
            log.info("nothing is removed now: %s", type(error).__name__)
        await asyncio.sleep(LOOK_S)


async def _purge(stream: JetStreamContext, one: Log) -> None:
    """Replace a log in the stream by one empty entry.

    A link that sends at the same moment is refused, because each message names its predecessor.
    """
    subject = log_subject(*one)
    last = await stream.publish(subject, LogEntry.forgotten().encoded(), stream=STREAM)
    number = 1
    while (told := await stream.get_msg(STREAM, number, subject, next=True)).seq != last.seq:
        number = (told.seq or 0) + 1
        # One by one: a message that is deleted is overwritten on the disk, one that is purged is not.
        await stream.delete_msg(STREAM, number - 1)
