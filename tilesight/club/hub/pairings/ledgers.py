"""Ledgers of the hub's tournaments: their changes in the database, each applied and stored or refused."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sqlalchemy import Engine, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from engine.message import Message, message_of
from tilesight.club.database.models import TournamentChange, TournamentRow
from tilesight.club.tournament import ledger
from tilesight.club.tournament.bindings import Binding
from tilesight.club.tournament.event import Pairing, Tournament, TournamentError
from tilesight.club.tournament.ledger import NamedTournament
from tilesight.club.tournament.standings import standings
from web.table.refusal import Refusal

Changes = Sequence[Mapping[str, Any]]
"""Changes of a tournament, in order."""


Names = tuple[str, ...]
"""Players' names in a form that ignores case, spaces and order."""
Seated = tuple[Pairing, Binding | None]
"""A pairing with its binding, None if it has none."""


def names_key(names: Iterable[str]) -> Names:
    """Return names in a form that ignores case, spaces and order."""
    return tuple(sorted(" ".join(name.split()).casefold() for name in names))


@dataclass(frozen=True)
class Known:
    """A loaded tournament: the fold of its changes, their number, and when its last round was paired (seconds
    since 1970)."""

    told: NamedTournament
    changes: int
    paired_s: float

    @cached_property
    def seated(self) -> Sequence[Seated]:
        """Return the pairings of the last round with their bindings, without byes."""
        event = self.told.event
        last = event.rounds[-1].pairings if event.rounds else ()
        bindings = self.told.bindings
        return [(one, bindings.get((len(event.rounds), one.table))) for one in last if not one.is_bye]

    @cached_property
    def by_game(self) -> Mapping[tuple[str, str | None], Seated]:
        """Return the bound pairings by the ids of table and game."""
        return {(one[1].table, one[1].log): one for one in self.seated if one[1] is not None}

    @cached_property
    def by_names(self) -> Mapping[Names, Seated]:
        """Return the pairings by the names of their entrants, and by the names that a bound table got."""
        found = {names_key(one[1].names.values()): one for one in self.seated if one[1] is not None}
        names = ([self.told.event.entry(seat).name for seat in one[0].seats] for one in self.seated)
        return {**found, **{names_key(of): one for of, one in zip(names, self.seated, strict=True)}}


class Ledgers:
    """The ledgers of all tournaments, with a cache of their folds. Thread-safe.

    Methods raise SQLAlchemyError if the database fails.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._known: dict[int, Known] = {}
        self.lock = threading.RLock()
        """Held while a tournament is read and changed in one step."""

    def rows(self) -> Sequence[TournamentRow]:
        """Return all tournaments, latest first."""
        with Session(self._engine, expire_on_commit=False) as session:
            return session.scalars(select(TournamentRow).order_by(TournamentRow.id.desc())).all()

    def begin(self, name: str, event: Tournament, once: str = "") -> int:
        """Create a tournament and return its number.

        Idempotent by the token ``once`` ("" for none): the same token returns the same tournament. Raises
        Refusal.
        """
        with self.lock, refusing():
            if once and (begun := self._begun(once)) is not None:
                return begun
            change = {**ledger.created(name, event), "once": once}
            told = ledger.fold_one(None, change)
            standings(told.event)  # its tie-breaks exist
            now_s = time.time()
            with Session(self._engine) as session, session.begin():
                row = TournamentRow(name=told.name, began_s=now_s)
                session.add(row)
                session.flush()
                session.add(TournamentChange(tournament_id=row.id, number=1, at_s=now_s, data=change))
                number = row.id
            self._known[number] = Known(told, 1, now_s)
            return number

    def _begun(self, once: str) -> int | None:
        """Return the tournament that was created with this token, or None."""
        with Session(self._engine) as session:
            begun = select(TournamentChange).where(TournamentChange.number == 1)
            found = (row.tournament_id for row in session.scalars(begun) if row.data.get("once") == once)
            return next(found, None)

    def load(self, number: int) -> Known:
        """Return a tournament, from the cache or the database. Raises Refusal."""
        with self.lock:
            with Session(self._engine) as session:
                last = select(func.max(TournamentChange.number))
                changes = session.scalar(last.where(TournamentChange.tournament_id == number)) or 0
                known = self._known.get(number)
                if known is not None and known.changes == changes:
                    return known
                found = select(TournamentChange).where(TournamentChange.tournament_id == number)
                rows = session.scalars(found.order_by(TournamentChange.number)).all()
            if not rows:
                raise Refusal("unknown_tournament", Message("there is no such tournament"))
            told = ledger.fold(row.data for row in rows)
            paired_s = max((row.at_s for row in rows if row.data["kind"] == "paired"), default=rows[0].at_s)
            self._known[number] = Known(told, len(rows), paired_s)
            return self._known[number]

    def change(self, number: int, changes_of: Callable[[NamedTournament], Changes]) -> None:
        """Apply changes and store them, all or none. Raises Refusal."""
        with self.lock, refusing():
            known = self.load(number)
            changes = changes_of(known.told)
            told, now_s, paired_s = known.told, time.time(), known.paired_s
            for change in changes:
                told = ledger.fold_one(told, change)
                paired_s = now_s if change["kind"] == "paired" else paired_s
            rows = [
                TournamentChange(tournament_id=number, number=at, at_s=now_s, data=dict(change))
                for at, change in enumerate(changes, start=known.changes + 1)
            ]
            try:
                with Session(self._engine) as session, session.begin():
                    session.add_all(rows)
            except IntegrityError:  # another hub wrote first
                del self._known[number]
                raise changed() from None
            self._known[number] = Known(told, known.changes + len(rows), paired_s)


def changed() -> Refusal:
    """Return the refusal of a change based on an outdated state."""
    return Refusal("changed", Message("the tournament has changed meanwhile; look again"))


@contextmanager
def refusing() -> Iterator[None]:
    """Translate TournamentError to Refusal."""
    try:
        yield
    except TournamentError as error:
        raise Refusal("tournament", message_of(error)) from None
