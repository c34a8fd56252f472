"""Capture of live pictures in a separate thread: the latest picture, or a message if none arrives.

Capture never waits for the recogniser: a picture that was not taken before the next one arrives is dropped
and counted. Pictures that already waited in the source when it was opened, such as the files of a folder, are
not dropped.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from engine.message import NO_MESSAGE, Message, plain
from vision.observation import Frame, Image, Mark

LOST_AFTER_S = 3.0
"""Seconds without a picture after which the camera is reported as lost."""
RETRY_S = (0.5, 1.0, 2.0, 4.0)
"""Seconds before each new attempt to capture. The last value is repeated."""
STALLED_AFTER_S = 45.0
"""Seconds without a heartbeat after which a capturing thread is replaced. OpenCV abandons a stream after
30."""
STALLED_AT_MOST_S = 900.0
"""Upper limit of that time in seconds. The time doubles with each stall, so that few threads are
abandoned."""
ABANDONED_AT_MOST = 4
"""Maximum number of abandoned threads that still run. At that number, no thread is replaced."""
LIVE_AREA_PX = 16_000_000
"""Maximum area of a live picture in pixels; a larger one is halved. It allows a phone's 12 megapixels, and
bounds the memory for the few pictures that a table holds at a time."""
NOTES_AT_MOST = 8
"""Maximum number of queued notes."""

BEAT_S = 1.0
"""Seconds between two heartbeats of a thread that waits for the recogniser."""

NO_PICTURE = Message("no picture comes from the camera")

log = logging.getLogger("tilesight.live.capture")


@dataclass(frozen=True, slots=True)
class Lost:
    """No picture is available; ``message`` gives people the reason."""

    message: Message


class LatestFrame:
    """Slot for the latest picture, between the capturing thread and the watching thread."""

    def __init__(self, due_s: float | None = None) -> None:
        """Create an empty slot.

        ``due_s`` is the time at which the first picture was due (monotonic seconds), if that was before now.
        """
        self._changed = threading.Condition()
        self._image: Image | None = None
        self._mark: Mark | None = None
        self._at_s = 0.0
        self._message = Message("waiting for the first picture")
        self._ended = False
        self._notes: deque[Message] = deque(maxlen=NOTES_AT_MOST)
        self._alive_s = time.monotonic()
        self.due_s: float | None = self._alive_s if due_s is None else due_s
        """Time since which a picture is due (monotonic seconds); None if none is due. A camera always owes
        one."""
        self.dropped = self.unreadable = 0

    def beat(self) -> None:
        """Record a heartbeat of the capturing thread."""
        self._alive_s = time.monotonic()

    @property
    def silent_s(self) -> float:
        """Seconds since the last heartbeat."""
        return time.monotonic() - self._alive_s

    def put(self, image: Image, mark: Mark | None = None) -> None:
        """Store a new picture, identified by ``mark``.

        If the picture before was not taken, it is dropped and counted. Counts as a heartbeat.
        """
        self.beat()
        self.due_s = time.monotonic()
        with self._changed:
            self.dropped += self._image is not None
            self._image, self._at_s, self._message = image, time.monotonic(), NO_MESSAGE
            self._mark = mark
            self._changed.notify_all()

    def owe(self, due: bool) -> None:
        """Record whether a picture is due: the source has a picture that it has not delivered."""
        if not due:
            self.due_s = None
        elif self.due_s is None:
            self.due_s = time.monotonic()

    def tell(self, note: Message) -> None:
        """Queue a note that one picture is not available, and count that picture.

        The note is delivered even if other pictures follow.
        """
        self.beat()
        with self._changed:
            self.unreadable += 1
            self._notes.append(note)
            self._changed.notify_all()

    def wait_until_taken(self, stop: threading.Event) -> bool:
        """Wait until the stored picture is taken. Return False if ``stop`` is set first.

        Sends heartbeats meanwhile.
        """
        while not stop.is_set():
            self.beat()
            with self._changed:
                if self._changed.wait_for(lambda: self._image is None, BEAT_S):
                    return True
        return False

    def lost(self, message: Message, *, unreadable: bool = False) -> None:
        """Record that no picture is available for now, and why. An ``unreadable`` picture is counted.

        Counts as a heartbeat.
        """
        self.beat()
        with self._changed:
            self.unreadable += unreadable
            self._message = message
            self._changed.notify_all()

    def end(self) -> None:
        """Record that no more pictures will come."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def take(self, wait_s: float) -> tuple[Image, float, Mark | None] | Lost | None:
        """Wait for a picture, and return it with its arrival (monotonic seconds) and its mark.

        Return a `Lost` if none arrives within ``wait_s`` seconds; None if no more pictures will come.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._image is not None or self._ended or self._notes, wait_s)
            if self._notes:
                return Lost(self._notes.popleft())
            image, self._image = self._image, None
            if image is not None:
                self._changed.notify_all()
                return image, self._at_s, self._mark
            return None if self._ended else Lost(self._message or NO_PICTURE)


class ThreadedSource:
    """A source whose pictures are captured in a separate thread by ``capture(latest, stop)``.

    ``capture`` returns when no more pictures can come. If it raises, the error is reported and it is called
    again. If it sends no heartbeat (LatestFrame.beat, put, lost) for too long, its thread is abandoned and
    another one is started.
    """

    def __init__(
        self,
        name: str,
        capture: Callable[[LatestFrame, threading.Event], None],
        *,
        has_end: bool = False,
        stalled_after_s: float = STALLED_AFTER_S,
    ) -> None:
        """Create the source; `frames` starts the thread.

        ``has_end`` is true if the pictures may come to an end, as a video's do.
        """
        self._name = name
        self._capture = capture
        self._has_end = has_end
        self._stands_still_s = stalled_after_s
        self._dropped_before = self._unreadable_before = self.restarts = 0
        self.complete = False
        self._abandoned: list[threading.Thread] = []
        self._new_thread(LatestFrame())

    def _new_thread(self, latest: LatestFrame) -> None:
        """Make a thread with a new slot. An abandoned thread keeps its old slot."""
        self._latest, self._stop = latest, threading.Event()
        self._thread = threading.Thread(
            target=self._run, args=(self._latest, self._stop), name=f"capture {self._name}", daemon=True
        )

    def _run(self, latest: LatestFrame, stop: threading.Event) -> None:
        """Capture into ``latest`` until stopped; after an error, report it, wait and retry."""
        tries = 0
        try:
            while not stop.is_set():
                try:
                    self._capture(latest, stop)
                    if not stop.is_set():
                        self.complete = self._has_end
                    return
                except Exception as error:  # any error: the camera is always tried again
                    log.warning("%s: capturing failed, trying again", self._name, exc_info=error)
                    told = error.strerror if isinstance(error, OSError) else str(error)  # no path
                    reason = plain(f"{self._name}: {told or type(error).__name__}")
                    latest.lost(Message("{reason}; trying again", reason=reason))
                stop.wait(RETRY_S[min(tries, len(RETRY_S) - 1)])
                tries += 1
        finally:
            latest.end()

    def _replaced(self) -> bool:
        """Replace the capturing thread if it has sent no heartbeat for too long; return whether it was.

        Each replacement doubles the time until the next one. No thread is replaced while `ABANDONED_AT_MOST`
        abandoned threads still run.
        """
        patience_s = min(self._stands_still_s * 2**self.restarts, STALLED_AT_MOST_S)
        if self._latest.silent_s <= patience_s:
            return False
        self._abandoned = [thread for thread in self._abandoned if thread.is_alive()]
        if len(self._abandoned) >= ABANDONED_AT_MOST:
            return False
        log.error("%s: no sign of life for %.0f s, capturing begins anew", self._name, patience_s)
        self._stop.set()
        self._dropped_before += self._latest.dropped
        self._unreadable_before += self._latest.unreadable
        self.restarts += 1
        self._abandoned.append(self._thread)
        self._new_thread(LatestFrame(self._latest.due_s))
        self._thread.start()
        return True

    @property
    def dropped(self) -> int:
        """Number of pictures that were dropped because the recogniser was still busy."""
        return self._dropped_before + self._latest.dropped

    @property
    def unreadable(self) -> int:
        """Number of pictures that could not be read."""
        return self._unreadable_before + self._latest.unreadable

    @property
    def overdue_s(self) -> float:
        """Seconds for which a picture has been due; 0 while none is due."""
        due_s = self._latest.due_s
        return 0.0 if due_s is None else time.monotonic() - due_s

    def frames(self) -> Iterator[Frame | Lost]:
        """Yield the latest picture, or a `Lost`, whenever the caller is ready, until no more pictures come.

        Starts the capturing thread, so it can be called only once.
        """
        self._latest.beat()
        self._thread.start()
        began, index = time.monotonic(), 0
        while True:
            got = self._latest.take(min(LOST_AFTER_S, self._stands_still_s))
            if got is None:
                return
            if isinstance(got, Lost):
                stalled = Message("{source} stood still and is taken up anew", source=self._name)
                yield Lost(stalled) if self._replaced() else got
                continue
            image, at_s, mark = got
            yield Frame(image, at_s - began, self._name, index, mark)
            index += 1

    def close(self) -> None:
        """Stop capturing, and wait up to 2 s for the thread to end."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(2.0)
