"""Forgetting: removal of games and of people's names from the hub.

Of a removed game only the ids of table and log are kept: a table that sends its log again finds it already
sent, and entries that arrive nevertheless are dropped.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import Engine, delete, func, select, update
from sqlalchemy.orm import Session

from tilesight.club.database.models import (
    Forgotten,
    Game,
    GameSize,
    LoggedEntry,
    PhoneTableRow,
    TournamentChange,
    TournamentRow,
)
from tilesight.club.tournament import ledger

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

    def __init__(self, engine: Engine, keep_days: int | None = None) -> None:
        """`removed` first removes games without news for ``keep_days`` (None: none)."""
        self._engine = engine
        self._keep_days = keep_days
        self._next_s = 0.0

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
                session.merge(Forgotten(table_id=one.table, log_id=one.log, at_s=time.time(), is_shown=True))
                session.execute(delete(LoggedEntry).where(LoggedEntry.game_id == game.id))
                session.execute(delete(GameSize).where(GameSize.game_id == game.id))
                session.execute(delete(Game).where(Game.id == game.id))

    def forget_person(self, name: str) -> int:
        """Replace a person's name by a number in all tournaments, and return the number of tournaments.

        Games are removed by `forget`.
        """
        with Session(self._engine) as session, session.begin():
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
            session.execute(delete(PhoneTableRow).where(PhoneTableRow.closed_s < at_s))
        return len(old)

    def removed(self) -> Sequence[Log]:
        """Return the games that were removed since the last call, also by another process."""
        if self._keep_days is not None and time.monotonic() >= self._next_s:
            self.forget_before(time.time() - self._keep_days * DAY_S)
            self._next_s = time.monotonic() + OLD_LOOK_S
        with Session(self._engine) as session, session.begin():
            rows = session.scalars(select(Forgotten).where(Forgotten.is_shown))
            found = [Log(row.table_id, row.log_id) for row in rows]
            if found:
                session.execute(update(Forgotten).values(is_shown=False))
            return found
