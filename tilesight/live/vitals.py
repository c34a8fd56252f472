"""Vitals of a live table, collected while it is watched (web.table.vitals)."""

from __future__ import annotations

import shutil
import threading
import time
from bisect import bisect_left
from collections.abc import Callable
from itertools import accumulate
from typing import Any

from tilesight.live.sources import Source
from tilesight.live.watchdog import STALLED_AFTER_S
from tilesight.live.watched_game import WatchedGame
from tilesight.live.watching import Observe, WatchedFrame
from vision.observation import Frame, Observation
from web.table.vitals import HubState, Latency, Vitals

BOUNDS_S = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, float("inf"))
"""Upper bounds of the latency histogram's bins, in seconds."""


class VitalsGatherer:
    """Collects the vitals of one table. The watching thread reports to it; requests call `vitals`."""

    def __init__(
        self,
        source: Source,
        game: WatchedGame[Any, Any, Any],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begin to collect; ``clock`` returns seconds."""
        self._source = source
        self._game = game
        self._clock = clock
        self._lock = threading.Lock()
        self._last_s = clock()
        self._seen = self._failed = 0
        self._took = [0] * len(BOUNDS_S)
        self._took_s = 0.0
        self._over = False
        self.silent_s: Callable[[], float] = lambda: 0.0
        """Seconds since the watching loop's last heartbeat."""
        self.hub: Callable[[], HubState] = lambda: ""
        """Returns the state of the link to the club's hub."""

    def counting(self, observe: Observe) -> Observe:
        """Return ``observe`` wrapped so that it records arrivals and counts pictures that raise an error."""

        def count(frame: Frame) -> Observation:
            self._last_s = self._clock()
            try:
                return observe(frame)
            except Exception:
                self._failed += 1
                raise

        return count

    def see(self, seen: WatchedFrame[Any]) -> None:
        """Record that one picture was processed, and how long that took."""
        took_s = 1e-3 * seen.took_ms
        with self._lock:
            self._seen += 1
            self._took[bisect_left(BOUNDS_S, took_s)] += 1
            self._took_s += took_s

    def over(self) -> None:
        """Record that no more pictures will be processed."""
        self._over = True

    def vitals(self) -> Vitals:
        """Return the current vitals."""
        done = self._source.complete or self._game.ended
        with self._lock:
            counts = tuple(zip(BOUNDS_S, accumulate(self._took), strict=True))
            latency, seen = Latency(counts, self._took_s), self._seen
        return Vitals(
            picture_age_s=None if done else self._clock() - self._last_s,
            picture_overdue_s=0.0 if done else self._source.overdue_s,
            threads={
                "camera": done or not self._over,
                "recogniser": self.silent_s() <= STALLED_AFTER_S,
            },
            disk_free_bytes=self._free_bytes(),
            log_writable=self._game.journal.writable,
            pictures_seen=seen,
            pictures_dropped=self._source.dropped,
            pictures_unreadable=self._source.unreadable + self._failed,
            latency=latency,
            hub=self.hub(),
        )

    def _free_bytes(self) -> int:
        """Return the free bytes on the log's disk; 0 if its folder is gone, or if there is no log."""
        path = self._game.journal.path
        try:
            return 0 if path is None else shutil.disk_usage(path.parent).free
        except OSError:  # the folder is gone, so nothing can be written
            return 0
