"""Start of pairings at tables of the club: their bindings, and the players' names that tables get."""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from engine.message import Message
from tilesight.club.hub.pairings.ledgers import Changes, Ledgers, Names, changed, names_key, refusing
from tilesight.club.tournament import ledger
from tilesight.club.tournament.bindings import Binding, ResultPlace, names_at_table, open_pairing
from tilesight.club.tournament.event import Pairing, Tournament
from tilesight.club.tournament.ledger import NamedTournament
from web.club.views import ClubTable, CommandAnswer
from web.table.refusal import Refusal

log = logging.getLogger("tilesight.club.tournaments")

SEATS = "/api/seats"
"""Path of the command that names a table's players."""
Tables = Callable[[], Sequence[ClubTable]]
"""Returns the club's tables with their current games."""
Command = Callable[[str, str, Mapping[str, Any]], CommandAnswer]
"""Sends a command to a table and returns its answer. Raises Refusal."""


def no_command(table: str, path: str, body: Mapping[str, Any]) -> CommandAnswer:
    """Raise Refusal: there is no connection to tables."""
    raise Refusal("table_away", Message("the table does not answer the hub"))


class Starting:
    """Binds pairings to tables. Thread-safe. Methods raise SQLAlchemyError if the database fails."""

    def __init__(self, ledgers: Ledgers, tables: Tables, command: Command) -> None:
        self._ledgers = ledgers
        self._tables = tables
        self._command = command
        self._looked: dict[str, str] = {}

    def start(self, number: int, place: ResultPlace, table: str) -> bool:
        """Bind a pairing to a table, and send the table the players' names. Return whether the game there
        has the names now. Raises Refusal.

        A game that has not begun, or is played under these names, is the pairing's; otherwise the next game
        of the table is.
        """
        current = self._current(table)
        if current is None:
            raise Refusal("unknown_table", Message("there is no such table"))
        pairing = self._open(self._ledgers.load(number).told.event, place)
        event = self._ledgers.load(number).told.event
        names = tuple(names_at_table(event, pairing).values())
        fits = current.log != "" and current.phase != "over" and _takes(current, names)
        log_id = current.log if fits else None
        change = ledger.bound(place, table, log_id, current.log)
        self._ledgers.change(number, lambda _: [change])
        return fits and self._name(current, names)

    def take(self, number: int, place: ResultPlace, table: str, code: str) -> bool:
        """Bind a pairing as `start` does, for the holder of its code. Raises Refusal."""
        known = self._ledgers.load(number).told.codes.get(place, "")
        if not known or not secrets.compare_digest(known.encode(), code.encode()):
            raise Refusal("code_wrong", Message("this code is no longer valid"))
        return self.start(number, place, table)

    def release(self, number: int, place: ResultPlace) -> None:
        """Remove the binding of a pairing. Idempotent. Raises Refusal."""
        self._ledgers.change(number, lambda told: [ledger.unbound(place)] if place in told.bindings else [])

    def code(self, number: int, place: ResultPlace) -> str:
        """Return the secret with which a table takes a pairing; it is made once. Raises Refusal."""

        def changes(told: NamedTournament) -> Changes:
            self._open(told.event, place)
            return [] if place in told.codes else [ledger.coded(place, secrets.token_urlsafe(12))]

        self._ledgers.change(number, changes)
        return self._ledgers.load(number).told.codes[place]

    def heard(self, table: ClubTable) -> None:
        """Take a table's new game for the pairing that waits for it. What fails now is tried again with the
        table's next change."""
        if table.log == "" or self._looked.get(table.id) == table.log:
            return
        try:
            for row in self._ledgers.rows():
                self.catch_up(row.id)
        except (SQLAlchemyError, Refusal) as error:
            log.warning("the game of %s waits for its pairing (%s)", table.id, error)
        else:
            self._looked[table.id] = table.log

    def catch_up(self, number: int) -> None:
        """Take the games that have started since at tables bound to the last round. Raises Refusal."""
        told = self._ledgers.load(number).told
        last = len(told.event.rounds)
        for place, binding in told.bindings.items():
            waits = place[0] == last and binding.log is None and place[1] in told.event.rounds[-1].waiting
            current = self._current(binding.table) if waits else None
            if current is None or current.log in ("", binding.after):
                continue
            self._take_game(number, place, binding, current.log)
            self._name_later(current, tuple(binding.names.values()))

    def _take_game(self, number: int, place: ResultPlace, binding: Binding, log_id: str) -> None:
        """Set the game of a binding, unless the binding has changed meanwhile. Raises Refusal."""
        taken = ledger.bound(place, binding.table, log_id, binding.after)
        self._ledgers.change(number, lambda told: [taken] if told.bindings.get(place) == binding else [])

    def name_again(self, number: int, before: Mapping[ResultPlace, Binding]) -> None:
        """Send the names to tables whose bound pairing has other entrants than in the bindings ``before``.
        Raises Refusal."""
        for place, binding in self._ledgers.load(number).told.bindings.items():
            if place in before and set(before[place].names) != set(binding.names):
                current = self._current(binding.table)
                if current is not None and current.log == binding.log:
                    self._name_later(current, tuple(binding.names.values()))

    def _current(self, table: str) -> ClubTable | None:
        """Return a table with its current game, or None if the club has no such table."""
        return next((one for one in self._tables() if one.id == table), None)

    def _open(self, event: Tournament, place: ResultPlace) -> Pairing:
        """Return the open pairing at a place of the last round. Raises Refusal."""
        if place[0] != len(event.rounds):
            raise changed()
        with refusing():
            return open_pairing(event, place)

    def _name_later(self, table: ClubTable, names: Sequence[str]) -> None:
        """Send the names in a thread of its own: a table may answer slowly."""
        threading.Thread(
            target=self._name, args=(table, names), name=f"club: names of {table.id}", daemon=True
        ).start()

    def _name(self, table: ClubTable, names: Sequence[str]) -> bool:
        """Send the players' names to a table whose game has not begun. Return whether the game has them."""
        if _names(table) == names_key(names):
            return True
        if not _takes(table, names):
            return False
        players = [
            {"color": player.color, "name": name} for player, name in zip(table.players, names, strict=True)
        ]
        try:
            return self._command(table.id, SEATS, {"players": players}).status == 200
        except Refusal as error:
            log.info("%s did not take the names: %s", table.id, error.message)
            return False


def _takes(table: ClubTable, names: Sequence[str]) -> bool:
    """Whether a game has these names, or has not begun and has as many players."""
    return _names(table) == names_key(names) or (not table.turns and len(table.players) == len(names))


def _names(table: ClubTable) -> Names:
    return names_key(one.name for one in table.players)
