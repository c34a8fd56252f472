"""Folding of games at the hub in a thread of its own; several new entries of a game are folded at once."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable

from sqlalchemy.exc import SQLAlchemyError

from tilesight.club.database.models import Game
from tilesight.club.hub.fold import Folded, fold_of
from tilesight.club.hub.records import Records

log = logging.getLogger("tilesight.club.fold")

RETRY_S = 1.0
"""Seconds after which a database that did not answer is asked again."""


class Folding:
    """Thread that folds games. ``show`` is called after each."""

    def __init__(self, records: Records, show: Callable[[Game], None]) -> None:
        self._records = records
        self._show = show
        self._stale: set[int] = set()
        self._lock = threading.Lock()
        self._wake, self._stopping = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="club: fold", daemon=True)

    @property
    def waiting(self) -> int:
        """Number of games with entries that are not folded yet."""
        return len(self._stale)

    def start(self) -> None:
        """Start with the games left unfolded."""
        self.add(self._records.unfolded())
        self._thread.start()

    def stop(self) -> None:
        """Stop after the current game."""
        self._stopping.set()
        self._wake.set()
        self._thread.join(5)

    def add(self, games: Iterable[int]) -> None:
        """Queue games that have more entries."""
        with self._lock:
            self._stale.update(games)
        self._wake.set()

    def _run(self) -> None:
        """Fold queued games until stopped."""
        while not self._stopping.is_set():
            self._wake.wait()
            self._wake.clear()
            while self._stale and not self._stopping.is_set():
                with self._lock:
                    game = min(self._stale)  # of the games of a table the earlier one first
                    self._stale.remove(game)
                try:
                    self._fold(game)
                except SQLAlchemyError as error:
                    log.warning("a game waits for the database (%s)", type(error).__name__)
                    self.add({game})
                    self._stopping.wait(RETRY_S)

    def _fold(self, game: int) -> None:
        """Fold the gapless start of a game's entries, and store the result."""
        entries = self._records.entries(game)
        # What was redelivered may come later than what follows it: it is folded when all before it is there.
        known = [entry for number, entry in enumerate(entries, 1) if entry.number == number]
        if not known:
            return
        try:
            folded = fold_of(known)
        except Exception as error:  # one table's log never stops the others
            log.exception("game %d cannot be folded", game)
            folded = Folded(fault=type(error).__name__)
        self._records.keep(game, len(known), folded)
        for one in self._records.games([game]):
            self._show(one)
