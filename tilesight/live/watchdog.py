"""Watchdog of a live table: detects a stalled thread, reports it, and replaces it if possible.

Capture (`tilesight.live.sources`) and recognition run in separate threads. If one is blocked in a driver or a
library, it is abandoned and another one is started. A stall of the table's own loop cannot be repaired within
the process: it is reported, and a service manager that waits for heartbeats restarts the process. The game
continues from its log.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import time
from collections.abc import Callable

from engine.message import Message
from tilesight.live.watching import Observe, StalledError
from vision.observation import Frame, Observation

OBSERVED_WITHIN_S = 20.0
"""Timeout for recognising a picture, in seconds; slow computers take several. It doubles with each abandoned
thread that still runs."""
OBSERVED_AT_MOST_S = 60.0
"""Upper limit of that timeout, in seconds."""
ABANDONED_AT_MOST = 4
"""Maximum number of abandoned threads that still run. At that number, no further thread is started."""
STALLED_AFTER_S = 150.0
"""Seconds without a heartbeat after which the table counts as stalled."""
LOOK_EVERY_S = 5.0
"""Seconds between two checks of the heartbeat."""

log = logging.getLogger("tilesight.live.watchdog")


class RestartedRecogniser:
    """A recogniser (tilesight.live.watching.Observe) in a separate thread.

    If a picture is not recognised in time, the thread is abandoned and a new recogniser gets the next
    picture. At most `ABANDONED_AT_MOST` abandoned threads run at a time.
    """

    def __init__(self, make: Callable[[], Observe], within_s: float = OBSERVED_WITHIN_S) -> None:
        """Begin with a recogniser from ``make``.

        Recognisers from ``make`` share no state. ``within_s`` is the timeout for a picture in seconds, while
        no thread is abandoned.
        """
        self._make = make
        self._within_s = within_s
        self._worker: _Worker | None = _Worker(make())
        self._abandoned: list[_Worker] = []

    @property
    def stalled(self) -> bool:
        """Whether so many threads are abandoned that no picture is recognised until one of them ends."""
        running = sum(worker.thread.is_alive() for worker in self._abandoned)
        return self._worker is None and running >= ABANDONED_AT_MOST

    def __call__(self, frame: Frame) -> Observation:
        """Return the frame's observation. Raises every error of the recogniser.

        Raises StalledError if recognition takes too long, or if the recogniser is `stalled`.
        """
        if self.stalled:
            raise StalledError(Message("the program stands still; start it again, the game goes on"))
        self._abandoned = [worker for worker in self._abandoned if worker.thread.is_alive()]
        if self._worker is None:
            self._worker = _Worker(self._make())
        within_s = min(self._within_s * 2 ** len(self._abandoned), OBSERVED_AT_MOST_S)
        self._worker.asked.put(frame)
        try:
            observation = self._worker.answered.get(timeout=within_s)
        except queue.Empty:
            self._worker.asked.put(None)  # ends the thread if its blocked call ever returns
            self._abandoned.append(self._worker)
            self._worker = None
            raise StalledError(
                Message(
                    "recognising a picture took over {limit_s} s; it was begun anew",
                    limit_s=f"{within_s:g}",
                )
            ) from None
        if isinstance(observation, Exception):
            raise observation
        return observation


class _Worker:
    """Thread of one recogniser."""

    def __init__(self, observe: Observe) -> None:
        self.asked: queue.SimpleQueue[Frame | None] = queue.SimpleQueue()
        self.answered: queue.SimpleQueue[Observation | Exception] = queue.SimpleQueue()
        self.thread = threading.Thread(target=self._work, args=(observe,), name="recogniser", daemon=True)
        self.thread.start()

    def _work(self, observe: Observe) -> None:
        while (frame := self.asked.get()) is not None:
            try:
                self.answered.put(observe(frame))
            except Exception as error:
                self.answered.put(error)


class Watchdog:
    """Watchdog of the watching loop, active while its ``with`` block runs.

    The loop calls `beat`, and `rest` once no more pictures come. ``alive`` is called every ``every_s``
    seconds while the last heartbeat is at most ``within_s`` seconds old; ``on_stall`` is called once, with a
    message for people, when it is older.
    """

    def __init__(
        self,
        alive: Callable[[], None],
        on_stall: Callable[[Message], None],
        *,
        within_s: float = STALLED_AFTER_S,
        every_s: float = LOOK_EVERY_S,
    ) -> None:
        self._alive = alive
        self._on_stall = on_stall
        self._within_s = within_s
        self._every_s = every_s
        self._beat_s: float | None = time.monotonic()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, name="watchdog", daemon=True)

    def beat(self) -> None:
        """Record a heartbeat."""
        self._beat_s = time.monotonic()

    def rest(self) -> None:
        """Expect no more heartbeats."""
        self._beat_s = None

    @property
    def silent_s(self) -> float:
        """Seconds since the last heartbeat; 0 if none is expected."""
        beat_s = self._beat_s
        return 0.0 if beat_s is None else time.monotonic() - beat_s

    def __enter__(self) -> Watchdog:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()

    def _look(self) -> None:
        """Check the heartbeat every ``every_s`` seconds until the ``with`` block ends."""
        told = False
        while not self._over.is_set():
            silent_s = self.silent_s
            if silent_s <= self._within_s:
                self._alive()
                told = False
            elif not told:
                told = True
                log.error("the table stands still: no sign of life for %.0f s", silent_s)
                with contextlib.suppress(Exception):  # it may fail on a lock that the stalled thread holds
                    self._on_stall(Message("the program stands still; start it again, the game goes on"))
            self._over.wait(self._every_s)
