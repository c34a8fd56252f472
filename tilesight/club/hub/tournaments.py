"""Tournaments of a club: stored as their changes, with results directly from the tables.

A game's points become the result of its pairing once it is over, and follow corrections at the table. A
second game of the same entrants replaces nothing: a referee decides between both. A result reported by a
referee is never overwritten.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from tilesight.club.hub.pairings.ledgers import Changes, Ledgers, changed, refusing
from tilesight.club.hub.pairings.settling import REFEREE, PairedGame, game_of, games
from tilesight.club.hub.pairings.starting import Command, Starting, Tables, no_command
from tilesight.club.hub.tournament_json import tournament_json
from tilesight.club.tournament import ledger
from tilesight.club.tournament.bindings import ResultPlace
from tilesight.club.tournament.edits import changes_of
from tilesight.club.tournament.event import Result, System, Tournament
from tilesight.club.tournament.exchange import exported
from tilesight.club.tournament.ledger import NamedTournament
from web.club.tournament_edits import Edit, ExportName
from web.club.views import ClubTable
from web.table.refusal import Refusal

log = logging.getLogger("tilesight.club.tournaments")


class Tournaments:
    """The tournaments of a hub (web.club.tournaments.Tournaments). Thread-safe.

    ``tables`` returns the club's current tables, ``command`` sends a command to one. Methods raise
    SQLAlchemyError if the database fails.
    """

    def __init__(self, engine: Engine, tables: Tables, command: Command = no_command) -> None:
        self._ledgers = Ledgers(engine)
        self._tables = tables
        self.starting = Starting(self._ledgers, tables, command)
        """Start of pairings at tables."""

    def tournaments(self) -> Sequence[Mapping[str, Any]]:
        """Return all tournaments by name, latest first."""
        return [{"id": row.id, "name": row.name, "began_s": row.began_s} for row in self._ledgers.rows()]

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
        with refusing():
            plain = Tournament(rounds, table_size, system)
            event = plain if tie_breaks is None else Tournament(rounds, table_size, system, tuple(tie_breaks))
        return self._ledgers.begin(name, event, once)

    def tournament(self, number: int) -> Mapping[str, Any]:
        """Return a tournament with its rounds, the games at their tables, and the standings. Raises
        Refusal."""
        self.starting.catch_up(number)
        for game in games(self._ledgers.load(number), self._tables()):
            self._settle(number, game.table)  # its result came while the hub or its database was away
        known = self._ledgers.load(number)
        told = known.told
        live = [] if told.event.over else games(known, self._tables())
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
        self._ledgers.change(number, lambda told: [ledger.entered(name, seed) for name, seed in pairs])

    def edit(self, number: int, edit: Edit) -> None:
        """Make an edit of the host. Raises Refusal."""
        before = self._ledgers.load(number).told.bindings
        self._ledgers.change(number, lambda told: changes_of(told, edit, round(time.time(), 3)))
        self.starting.name_again(number, before)

    def export(self, number: int, name: ExportName) -> str:
        """Return a tournament as the text of a file. Raises Refusal."""
        with refusing():
            return exported(self._ledgers.load(number).told, name)

    def withdraw(self, number: int, entrant: int) -> None:
        """Withdraw an entrant from all further rounds. Raises Refusal."""
        self._ledgers.change(number, lambda told: [ledger.withdrew(entrant)])

    def pair(self, number: int, round_number: int) -> None:
        """Pair the next round, number ``round_number``. Idempotent. Raises Refusal."""

        def changes(told: NamedTournament) -> Changes:
            missing = round_number - len(told.event.rounds)
            if missing not in (0, 1):
                raise changed()
            return [ledger.paired(told)] if missing else []

        self._ledgers.change(number, changes)

    def unpair(self, number: int, round_number: int) -> None:
        """Undo the pairing of the last round, number ``round_number``, before it has results. Idempotent.
        Raises Refusal."""

        def changes(told: NamedTournament) -> Changes:
            there = len(told.event.rounds) - round_number
            if there not in (-1, 0):
                raise changed()
            return [] if there else [ledger.unpaired()]

        self._ledgers.change(number, changes)

    def report(
        self, number: int, place: ResultPlace, points: Mapping[int, int], absent: Sequence[int]
    ) -> None:
        """Store a referee's result, which replaces any other. Raises Refusal."""
        result = Result(dict(points), frozenset(absent))
        self._ledgers.change(number, lambda told: [ledger.reported(place, result, REFEREE)])

    def heard(self, table: ClubTable) -> None:
        """Take a table's new game for the pairing that waits for it, and store the points of a finished game
        of a last round.

        What fails now is retried when the tournament is next read.
        """
        self.starting.heard(table)
        if table.phase != "over":
            return
        try:
            for row in self._ledgers.rows():
                self._settle(row.id, table)
        except (SQLAlchemyError, Refusal) as error:
            log.warning("the result of %s waits (%s)", table.id, error)

    def _settle(self, number: int, table: ClubTable) -> None:
        """Store the points of a finished game in one tournament."""
        if table.phase != "over":
            return
        with self._ledgers.lock:
            known = self._ledgers.load(number)
            game = game_of(known, table)
            if game is not None and game.counts and game.points is not None:
                self._take_over(number, known.told, game, game.points)

    def _take_over(
        self, number: int, told: NamedTournament, game: PairedGame, points: Mapping[int, int]
    ) -> None:
        """Store a game's points as its pairing's result, unless that is from a referee or another game."""
        place = (len(told.event.rounds), game.pairing.table)
        if told.sources.get(place, game.source) != game.source:
            return
        former = told.event.rounds[-1].results.get(game.pairing.table)
        if former is None or former.points != points:
            change = ledger.reported(place, Result(dict(points)), game.source)
            self._ledgers.change(number, lambda _: [change])
