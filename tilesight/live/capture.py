"""Capture of live pictures in a thread of its own: the latest picture, and what is said where none comes.

Capture never waits for the recogniser: what comes too early is dropped and counted. Only pictures that the
source keeps, and that came before it was opened, wait until they are taken.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from vision.observation import Frame, Image, Mark

LOST_AFTER_S = 3.0
"""Seconds without a picture after which the camera is reported as lost."""
RETRY_S = (0.5, 1.0, 2.0, 4.0)
"""Seconds before each new attempt to capture; the last one is repeated."""
STANDS_STILL_S = 45.0
"""Seconds without a sign of life from a capturing thread after which another takes its place; OpenCV gives a
stream up after 30."""
LONGEST_STAND_S = 900.0
"""Seconds of the same at most: they double each time, so that few threads are ever left behind."""

BEAT_S = 1.0
"""Seconds between two signs of life of a thread that waits for the recogniser."""

log = logging.getLogger("tilesight.live.capture")


@dataclass(frozen=True, slots=True)
class Lost:
    """No picture comes now; ``message`` says why, in words for people."""

    message: str


class LatestFrame:
    """One place for the latest picture, between the thread that captures and the one that looks."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._image: Image | None = None
        self._mark: Mark | None = None
        self._at_s = 0.0
        self._message = "waiting for the first picture"
        self._ended = False
        self._alive_s = time.monotonic()
        self.dropped = self.unreadable = 0

    def beat(self) -> None:
        """A sign of life of the thread that captures."""
        self._alive_s = time.monotonic()

    @property
    def silent_s(self) -> float:
        """Seconds since the last sign of life."""
        return time.monotonic() - self._alive_s

    def put(self, image: Image, mark: Mark | None = None) -> None:
        """A new picture, known again by ``mark``; one that nobody took yet is dropped and counted."""
        self.beat()
        with self._changed:
            self.dropped += self._image is not None
            self._image, self._at_s, self._message = image, time.monotonic(), ""
            self._mark = mark
            self._changed.notify_all()

    def wait_until_taken(self, stop: threading.Event) -> bool:
        """Wait until somebody took the picture that was put last; False where ``stop`` came first."""
        while not stop.is_set():
            self.beat()
            with self._changed:
                if self._changed.wait_for(lambda: self._image is None, BEAT_S):
                    return True
        return False

    def lost(self, message: str, *, unreadable: bool = False) -> None:
        """No picture for the time being, or one that is ``unreadable``, which is counted."""
        self.beat()
        with self._changed:
            self.unreadable += unreadable
            self._message = message
            self._changed.notify_all()

    def end(self) -> None:
        """No more pictures at all."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def take(self, wait_s: float) -> tuple[Image, float, Mark | None] | Lost | None:
        """The latest picture, when it came (monotonic seconds) and its mark; what is wrong if none comes in
        time; None at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._image is not None or self._ended, wait_s)
            image, self._image = self._image, None
            if image is not None:
                self._changed.notify_all()
                return image, self._at_s, self._mark
            return None if self._ended else Lost(self._message or "no picture comes from the camera")


class ThreadedSource:
    """A source whose pictures are captured in a thread of its own, by ``capture(latest, stop)``.

    ``capture`` returns where no more pictures can come. Whatever it raises is told, and it is called again.
    Where it gives no sign of life (LatestFrame.beat, put, lost) its thread is left behind, and another takes
    its place.
    """

    def __init__(
        self,
        name: str,
        capture: Callable[[LatestFrame, threading.Event], None],
        *,
        has_end: bool = False,
        stands_still_s: float = STANDS_STILL_S,
    ) -> None:
        """``has_end``: its pictures may come to their end, as a video's do."""
        self._name = name
        self._capture = capture
        self._has_end = has_end
        self._stands_still_s = stands_still_s
        self._dropped_before = self._unreadable_before = self.restarts = 0
        self.complete = False
        self._new_thread()

    def _new_thread(self) -> None:
        """A place and a thread of its own: one that was left behind has the old place."""
        self._latest, self._stop = LatestFrame(), threading.Event()
        self._thread = threading.Thread(
            target=self._run, args=(self._latest, self._stop), name=f"capture {self._name}", daemon=True
        )

    def _run(self, latest: LatestFrame, stop: threading.Event) -> None:
        tries = 0
        try:
            while not stop.is_set():
                try:
                    self._capture(latest, stop)
                    if not stop.is_set():
                        self.complete = self._has_end
                    return
                except Exception as error:  # whatever happened, the camera is not given up
                    log.warning("%s: capturing failed, trying again", self._name, exc_info=error)
                    latest.lost(f"{self._name}: {error or type(error).__name__}; trying again")
                stop.wait(RETRY_S[min(tries, len(RETRY_S) - 1)])
                tries += 1
        finally:
            latest.end()

    def _replaced(self) -> bool:
        """Whether the capturing thread stood still and another took its place."""
        patience_s = min(self._stands_still_s * 2**self.restarts, LONGEST_STAND_S)
        if self._latest.silent_s <= patience_s:
            return False
        log.error("%s: no sign of life for %.0f s, capturing begins anew", self._name, patience_s)
        self._stop.set()
        self._dropped_before += self._latest.dropped
        self._unreadable_before += self._latest.unreadable
        self.restarts += 1
        self._new_thread()
        self._thread.start()
        return True

    @property
    def dropped(self) -> int:
        """Pictures that came while an earlier one was being looked at."""
        return self._dropped_before + self._latest.dropped

    @property
    def unreadable(self) -> int:
        """Pictures that could not be read."""
        return self._unreadable_before + self._latest.unreadable

    def frames(self) -> Iterator[Frame | Lost]:
        """The latest picture each time one is asked for."""
        self._latest.beat()
        self._thread.start()
        began, index = time.monotonic(), 0
        while True:
            got = self._latest.take(min(LOST_AFTER_S, self._stands_still_s))
            if got is None:
                return
            if isinstance(got, Lost):
                yield Lost(f"{self._name} stood still and is taken up anew") if self._replaced() else got
                continue
            image, at_s, mark = got
            yield Frame(image, at_s - began, self._name, index, mark)
            index += 1

    def close(self) -> None:
        """Stop capturing."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(2.0)
