"""Tournaments of a club: stored as their changes, with results directly from the tables.

A game belongs to a table of the round if exactly the names of its entrants play it. Its points become the
result once it is over, and follow corrections at the table. A second game of the same entrants replaces
nothing: a referee decides between both. A result reported by a referee is never overwritten.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import Any

from sqlalchemy import Engine, func, select
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.orm import Session

from engine.message import Message, message_of
from tilesight.club.database.models import TournamentChange, TournamentRow
from tilesight.club.hub.tournament_json import REFEREE, source_of, tournament_json
from tilesight.club.tournament import ledger
from tilesight.club.tournament.edits import changes_of
from tilesight.club.tournament.event import Pairing, Result, System, Tournament, TournamentError
from tilesight.club.tournament.exchange import exported
from tilesight.club.tournament.ledger import NamedTournament, ResultPlace
from tilesight.club.tournament.standings import standings
from web.club.tournament_edits import Edit, ExportName
from web.club.views import ClubTable
from web.table.refusal import Refusal

log = logging.getLogger("tilesight.club.tournaments")

SKEW_S = 120.0
"""Seconds before the pairing at which a game's last entry may have come: people sit down early."""


@dataclass(frozen=True)
class _Known:
    """A loaded tournament: the fold of its changes, and when its last round was paired."""

    told: NamedTournament
    changes: int
    paired_s: float

    @cached_property
    def pairings(self) -> Mapping[tuple[str, ...], Pairing]:
        """Return the pairings of the last round by their entrants' names, without byes."""
        event = self.told.event
        last = event.rounds[-1].pairings if event.rounds else ()
        seated = (one for one in last if not one.is_bye)
        return {_key([event.entry(seat).name for seat in one.seats]): one for one in seated}

    def pairing_of(self, table: ClubTable) -> Pairing | None:
        """Return the pairing of the last round whose entrants play at a table, or None."""
        if table.changed_s < self.paired_s - SKEW_S:
            return None
        return self.pairings.get(_key([one.name for one in table.players]))


class Tournaments:
    """The tournaments of a hub (web.club.tournaments.Tournaments). Thread-safe.

    ``tables`` returns the club's current tables. Methods raise SQLAlchemyError if the database fails.
    """

    def __init__(self, engine: Engine, tables: Callable[[], Sequence[ClubTable]]) -> None:
        self._engine = engine
        self._tables = tables
        self._known: dict[int, _Known] = {}
        self._lock = threading.RLock()

    def tournaments(self) -> Sequence[Mapping[str, Any]]:
        """Return all tournaments by name, latest first."""
        with Session(self._engine) as session:
            rows = session.scalars(select(TournamentRow).order_by(TournamentRow.id.desc())).all()
            return [{"id": row.id, "name": row.name, "began_s": row.began_s} for row in rows]

    def begin(
        self,
        name: str,
        rounds: int,
        table_size: int,
        system: System,
        tie_breaks: Sequence[str] | None,
        once: str = "",
    ) -> int:
        """Create a tournament and return its number.

        Idempotent by the token ``once`` ("" for none): the same token returns the same tournament. Raises
        Refusal.
        """
        with self._lock, _refusing():
            if once and (begun := self._begun(once)) is not None:
                return begun
            plain = Tournament(rounds, table_size, system)
            event = plain if tie_breaks is None else Tournament(rounds, table_size, system, tuple(tie_breaks))
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
            self._known[number] = _Known(told, 1, now_s)
            return number

    def tournament(self, number: int) -> Mapping[str, Any]:
        """Return a tournament with its rounds, the games at their tables, and the standings. Raises
        Refusal."""
        games = self._games(self._load(number))
        for table, _ in games:  # a result that came while the hub or its database was away
            self._settle(number, table)
        known = self._load(number)
        told, live = known.told, [] if known.told.event.over else games
        began_s = round(known.paired_s, 3) if told.event.rounds else None
        return {
            "id": number,
            "version": known.changes,
            "round_began_s": began_s,
            **tournament_json(told, live),
        }

    def enter(self, number: int, names: Sequence[str], seeds: Sequence[int | None] = ()) -> None:
        """Add entrants who play from the next round on, with their seeds: all of them, or none. Raises
        Refusal."""
        pairs = list(zip_longest(names, seeds[: len(names)]))
        self._change(number, lambda told: [ledger.entered(name, seed) for name, seed in pairs])

    def edit(self, number: int, edit: Edit) -> None:
        """Make an edit of the host. Raises Refusal."""
        self._change(number, lambda told: changes_of(told, edit, round(time.time(), 3)))

    def export(self, number: int, name: ExportName) -> str:
        """Return a tournament as the text of a file. Raises Refusal."""
        with _refusing():
            return exported(self._load(number).told, name)

    def withdraw(self, number: int, entrant: int) -> None:
        """Withdraw an entrant from all further rounds. Raises Refusal."""
        self._change(number, lambda told: [ledger.withdrew(entrant)])

    def pair(self, number: int, round_number: int) -> None:
        """Pair the next round, number ``round_number``. Idempotent. Raises Refusal."""

        def changes(told: NamedTournament) -> Sequence[Mapping[str, Any]]:
            missing = round_number - len(told.event.rounds)
            if missing not in (0, 1):
                raise _changed()
            return [ledger.paired(told)] if missing else []

        self._change(number, changes)

    def unpair(self, number: int, round_number: int) -> None:
        """Undo the pairing of the last round, number ``round_number``, before it has results. Idempotent.
        Raises Refusal."""

        def changes(told: NamedTournament) -> Sequence[Mapping[str, Any]]:
            there = len(told.event.rounds) - round_number
            if there not in (-1, 0):
                raise _changed()
            return [] if there else [ledger.unpaired()]

        self._change(number, changes)

    def report(
        self, number: int, place: ResultPlace, points: Mapping[int, int], absent: Sequence[int]
    ) -> None:
        """Store a referee's result, which replaces any other. Raises Refusal."""
        result = Result(dict(points), frozenset(absent))
        self._change(number, lambda told: [ledger.reported(place, result, REFEREE)])

    def settle(self, table: ClubTable) -> None:
        """Store the points of a finished game, if it belongs to a tournament's last round.

        What fails now is retried when the tournament is next read.
        """
        if table.phase != "over":
            return
        try:
            with Session(self._engine) as session:
                numbers = session.scalars(select(TournamentRow.id)).all()
            for number in numbers:
                self._settle(number, table)
        except (SQLAlchemyError, Refusal) as error:
            log.warning("the result of %s waits (%s)", table.id, error)

    def _settle(self, number: int, table: ClubTable) -> None:
        """Store the points of a finished game in one tournament."""
        if table.phase != "over" or any(one.score is None for one in table.players):
            return
        with self._lock:
            known = self._load(number)
            found = known.pairing_of(table)
            if found is not None:
                self._take_over(number, known.told, found, table)

    def _take_over(self, number: int, told: NamedTournament, pairing: Pairing, table: ClubTable) -> None:
        """Store a game's points as its table's result, unless that is from a referee or another game."""
        place, source = (len(told.event.rounds), pairing.table), source_of(table)
        if told.sources.get(place, source) != source:
            return
        points = _points(told, pairing, table)
        if (
            former := told.event.rounds[-1].results.get(pairing.table)
        ) is not None and former.points == points:
            return
        change = ledger.reported(place, Result(points), source)
        self._change(number, lambda _: [change])

    def _begun(self, once: str) -> int | None:
        """Return the tournament that was created with this token, or None."""
        with Session(self._engine) as session:
            begun = select(TournamentChange).where(TournamentChange.number == 1)
            found = (row.tournament_id for row in session.scalars(begun) if row.data.get("once") == once)
            return next(found, None)

    def _games(self, known: _Known) -> list[tuple[ClubTable, Pairing]]:
        """Return the games of the last round with their pairings; of a pairing the latest game last."""
        tables = sorted(self._tables(), key=lambda one: one.changed_s)
        found = ((table, known.pairing_of(table)) for table in tables)
        return [(table, pairing) for table, pairing in found if pairing is not None]

    def _load(self, number: int) -> _Known:
        """Return a tournament, from the cache or the database. Raises Refusal."""
        with self._lock:
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
            self._known[number] = _Known(told, len(rows), paired_s)
            return self._known[number]

    def _change(
        self, number: int, changes_of: Callable[[NamedTournament], Sequence[Mapping[str, Any]]]
    ) -> None:
        """Apply changes and store them, all or none. Raises Refusal."""
        with self._lock, _refusing():
            known = self._load(number)
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
                raise _changed() from None
            self._known[number] = _Known(told, known.changes + len(rows), paired_s)


def _changed() -> Refusal:
    """Return the refusal of a change based on an outdated state."""
    return Refusal("changed", Message("the tournament has changed meanwhile; look again"))


@contextmanager
def _refusing() -> Iterator[None]:
    """Translate TournamentError to Refusal."""
    try:
        yield
    except TournamentError as error:
        raise Refusal("tournament", message_of(error)) from None


def _key(names: Sequence[str]) -> tuple[str, ...]:
    """Return players' names in a form that ignores case, spaces and order."""
    return tuple(sorted(" ".join(name.split()).casefold() for name in names))


def _points(told: NamedTournament, pairing: Pairing, table: ClubTable) -> dict[int, int]:
    """Return a game's points by entrant."""
    scores = {_key([one.name])[0]: one.score or 0 for one in table.players}
    return {one: scores[_key([told.event.entry(one).name])[0]] for one in pairing.seats}
