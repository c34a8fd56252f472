"""Watching loop of every table, recording and bench: pictures in, what is understood of each out."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from tilesight.inference.protocols import UnderstoodCo, UnderstoodT
from tilesight.live.capture import Lost
from tilesight.live.sources import Source
from tilesight.table_log.event_store import StoreError
from vision.observation import Frame, Observation

log = logging.getLogger("tilesight.live.watching")

T = TypeVar("T")
Observe = Callable[[Frame], Observation]
"""The recogniser: what one frame shows."""


class StalledError(RuntimeError):
    """Recognition of one picture that took so long that it was given up; words for people."""


class Watcher(Protocol[UnderstoodCo]):
    """Receiver of the loop's pictures: a table, or a bare tracker under test."""

    def see(self, observation: Observation, frame: Frame, arrived_s: float) -> UnderstoodCo:
        """Take one picture into account; it came in at ``arrived_s``, in seconds since 1970."""

    def lost(self, message: str) -> None:
        """No picture comes for now; ``message`` says why."""

    def finish(self) -> UnderstoodCo:
        """No more pictures come."""


@dataclass(frozen=True, slots=True, eq=False)
class WatchedFrame(Generic[UnderstoodT]):
    """One picture and what is understood after it. ``arrived_s`` is when it came in (seconds since 1970),
    ``took_ms`` the milliseconds from there to the understanding."""

    frame: Frame
    observation: Observation
    understood: UnderstoodT
    arrived_s: float
    took_ms: float


AGAIN_S = 2.0
"""Seconds before something that could not be kept is tried again."""

Observer = Callable[[WatchedFrame[UnderstoodT]], object]
"""Told after every picture, in the thread that watches."""


def watch(
    source: Source,
    observe: Observe,
    watcher: Watcher[UnderstoodT],
    observers: Sequence[Observer[UnderstoodT]] = (),
    *,
    keep_going: bool = False,
    beat: Callable[[], None] | None = None,
    patience_s: float = math.inf,
) -> UnderstoodT:
    """Hand every picture of ``source`` to ``observe`` and ``watcher``, tell ``observers``, and return the
    final understanding.

    The source sets the pace. With ``keep_going``, a picture that fails is reported as lost and the next one
    is awaited; where the log cannot be written (a full disk) nothing of the picture was told, and the next
    picture, or the next word that none comes, tells it all again. Without it, errors are raised. ``beat`` is
    called whenever the source gives something, be it that no picture comes; ``patience_s`` is as in `kept`.
    """
    for _ in steps(source, observe, watcher, observers, keep_going=keep_going, beat=beat):
        pass

    def tell(message: str) -> None:
        if beat is not None:
            beat()
        watcher.lost(message)

    return kept(watcher.finish, tell, patience_s) if keep_going else watcher.finish()


def steps(
    source: Source,
    observe: Observe,
    watcher: Watcher[UnderstoodT],
    observers: Sequence[Observer[UnderstoodT]] = (),
    *,
    keep_going: bool = False,
    beat: Callable[[], None] | None = None,
) -> Iterator[None]:
    """The loop of `watch`, which yields after everything that the source gave; it does not finish the
    watcher."""
    for got in source.frames():
        if beat is not None:
            beat()
        if isinstance(got, Lost):
            watcher.lost(got.message)
        else:
            try:
                _see(got, observe, watcher, observers)
            except Exception as error:
                if not keep_going:
                    raise
                watcher.lost(_why_lost(got, error))
        yield


def kept(write: Callable[[], T], tell: Callable[[str], None], patience_s: float = math.inf) -> T:
    """The result of ``write``, which is tried again while the log cannot be written, and people are told why.
    StoreError once that took ``patience_s``."""
    began_s = time.monotonic()
    while True:
        try:
            return write()
        except StoreError as error:
            if time.monotonic() - began_s >= patience_s:
                raise
            log.warning("%s", error)
            tell(f"{error.shown}; trying again")
        time.sleep(AGAIN_S)


def _see(
    frame: Frame,
    observe: Observe,
    watcher: Watcher[UnderstoodT],
    observers: Sequence[Observer[UnderstoodT]],
) -> None:
    arrived_s, began = time.time(), time.perf_counter()
    observation = observe(frame)
    understood = watcher.see(observation, frame, arrived_s)
    seen = WatchedFrame(frame, observation, understood, arrived_s, 1e3 * (time.perf_counter() - began))
    for observer in observers:
        observer(seen)


def _why_lost(frame: Frame, error: Exception) -> str:
    if isinstance(error, StoreError):
        log.warning("%s", error)
        return f"{error.shown}; trying again with the next picture"
    if isinstance(error, StalledError):
        log.error("picture %d of %s is lost: %s", frame.index, frame.source, error)
        return f"{error}; waiting for the next picture"
    log.error("picture %d of %s is lost", frame.index, frame.source, exc_info=error)
    return "a picture could not be used; waiting for the next"
