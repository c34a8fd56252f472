"""Watchdog of a live table: a thread that stands still is noticed, told, and replaced where it can be.

Capturing stands in a thread of its own (`tilesight.live.sources`), and so does recognising here: one that a
driver or a library never comes back from is left behind, and another takes its place. Where the table itself
stands still nothing in the process can help: it is told, and a service manager that waits for signs of life
starts the process anew. The game goes on from its log.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import time
from collections.abc import Callable
from types import TracebackType

from tilesight.live.watching import Observe, StalledError
from vision.observation import Frame, Observation

OBSERVED_WITHIN_S = 60.0
"""Seconds within which a picture must be recognised; slow computers take some of them."""
STANDS_STILL_S = 150.0
"""Seconds without a sign of life after which the table stands still."""
LOOK_EVERY_S = 5.0
"""Seconds between two looks for signs of life."""

log = logging.getLogger("tilesight.live.watchdog")


class RestartedRecogniser:
    """A recogniser (tilesight.live.watching.Observe) in a thread of its own. Where a picture is not
    recognised in time the thread is left behind, and a new recogniser gets the next picture."""

    def __init__(self, make: Callable[[], Observe], within_s: float = OBSERVED_WITHIN_S) -> None:
        """``make`` makes a recogniser that shares nothing with the one before."""
        self._make = make
        self._within_s = within_s
        self._worker = _Worker(make())
        self.restarts = 0

    def __call__(self, frame: Frame) -> Observation:
        """The frame's observation. What the recogniser raises, or StalledError."""
        self._worker.asked.put(frame)
        try:
            observation = self._worker.answered.get(timeout=self._within_s)
        except queue.Empty:
            self._worker.asked.put(None)  # should it ever come back, it ends
            self._worker = _Worker(self._make())
            self.restarts += 1
            raise StalledError(
                f"recognising a picture took over {self._within_s:g} s; it was begun anew"
            ) from None
        if isinstance(observation, Exception):
            raise observation
        return observation


class _Worker:
    """Thread of one recogniser."""

    def __init__(self, observe: Observe) -> None:
        self.asked: queue.SimpleQueue[Frame | None] = queue.SimpleQueue()
        self.answered: queue.SimpleQueue[Observation | Exception] = queue.SimpleQueue()
        threading.Thread(target=self._work, args=(observe,), name="recogniser", daemon=True).start()

    def _work(self, observe: Observe) -> None:
        while (frame := self.asked.get()) is not None:
            try:
                self.answered.put(observe(frame))
            except Exception as error:
                self.answered.put(error)


class Watchdog:
    """Watchdog of the loop that looks at pictures, while the ``with`` block runs.

    The loop calls `beat`, and `rest` once no more pictures come. ``alive`` is called every few seconds as
    long as it does, ``stands_still`` once, with words for people, when it stops.
    """

    def __init__(
        self,
        alive: Callable[[], None],
        stands_still: Callable[[str], None],
        *,
        within_s: float = STANDS_STILL_S,
        every_s: float = LOOK_EVERY_S,
    ) -> None:
        self._alive = alive
        self._stands_still = stands_still
        self._within_s = within_s
        self._every_s = every_s
        self._beat_s: float | None = time.monotonic()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, name="watchdog", daemon=True)

    def beat(self) -> None:
        """A sign of life."""
        self._beat_s = time.monotonic()

    def rest(self) -> None:
        """No more signs of life are to be expected, and none is missed."""
        self._beat_s = None

    @property
    def silent_s(self) -> float:
        """Seconds since the last sign of life; 0 where none is expected."""
        beat_s = self._beat_s
        return 0.0 if beat_s is None else time.monotonic() - beat_s

    def __enter__(self) -> Watchdog:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()

    def _look(self) -> None:
        told = False
        while not self._over.is_set():
            silent_s = self.silent_s
            if silent_s <= self._within_s:
                self._alive()
                told = False
            elif not told:
                told = True
                log.error("the table stands still: no sign of life for %.0f s", silent_s)
                with contextlib.suppress(Exception):  # who stands still may hold whatever this needs
                    self._stands_still("the program stands still; start it again, the game goes on")
            self._over.wait(self._every_s)
