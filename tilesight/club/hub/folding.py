"""Folding of games at the hub in a thread of its own: games take turns, and only new entries are applied."""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable

from sqlalchemy.exc import SQLAlchemyError

from tilesight.club.database.models import Game
from tilesight.club.hub.fold import Folded, GameFold
from tilesight.club.hub.records import Records

log = logging.getLogger("tilesight.club.fold")

RETRY_S = 1.0
"""Seconds after which a database that did not answer is asked again."""
GAMES_KEPT, ENTRIES_KEPT = 512, 100_000
"""Games whose folds are kept for further entries, and their entries together, at most."""


class Folding:
    """Thread that folds games. ``show`` is called after each."""

    def __init__(self, records: Records, show: Callable[[Game], None]) -> None:
        self._records = records
        self._show = show
        self._stale: dict[int, float] = {}
        self._kept = KeptFolds()
        self._lock = threading.Lock()
        self._wake, self._stopping = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="club: fold", daemon=True)

    @property
    def waiting(self) -> int:
        """Number of games with entries that are not folded yet."""
        return len(self._stale)

    @property
    def waiting_s(self) -> float:
        """Seconds for which the game that waits longest has waited."""
        with self._lock:
            return max((time.monotonic() - since_s for since_s in self._stale.values()), default=0.0)

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
        """Queue games that have more entries behind those that wait already."""
        with self._lock:
            for game in sorted(games):  # of new games of a table the earlier one first
                self._stale.setdefault(game, time.monotonic())
        self._wake.set()

    def _run(self) -> None:
        """Fold queued games until stopped."""
        while not self._stopping.is_set():
            self._wake.wait()
            self._wake.clear()
            while self._stale and not self._stopping.is_set():
                with self._lock:
                    game = next(iter(self._stale))
                    del self._stale[game]
                try:
                    self.turn(game)
                except SQLAlchemyError as error:
                    log.warning("a game waits for the database (%s)", type(error).__name__)
                    self.add({game})
                    self._stopping.wait(RETRY_S)

    def turn(self, game: int) -> None:
        """Apply a game's new entries, and store the result."""
        name = self._records.name(game)
        if name is None:
            return
        fold = self._kept.take(name)
        new = self._records.entries(game, fold.number)
        number = new[-1].number if new else fold.number
        if not number:
            return
        try:
            fold.add(new)
            folded = fold.folded()
            self._kept.put(name, fold)
        except Exception as error:  # one table's log never stops the others
            log.exception("game %d cannot be folded", game)
            folded = Folded(fault=type(error).__name__)
        self._records.keep(game, number, folded)
        for one in self._records.games([game]):
            self._show(one)


class KeptFolds:
    """The folds of the games that had entries last, by the ids of table and log."""

    def __init__(self) -> None:
        self._folds: OrderedDict[tuple[str, str], GameFold] = OrderedDict()
        self._entries = 0

    def take(self, name: tuple[str, str]) -> GameFold:
        """Remove and return the fold of a game; a new one if none is kept."""
        fold = self._folds.pop(name, None)
        if fold is None:
            return GameFold()
        self._entries -= fold.number
        return fold

    def put(self, name: tuple[str, str], fold: GameFold) -> None:
        """Keep the fold of a game, in place of those that were not used for longest."""
        self._folds[name] = fold
        self._entries += fold.number
        while len(self._folds) > GAMES_KEPT or self._entries > ENTRIES_KEPT:
            self._entries -= self._folds.popitem(last=False)[1].number
