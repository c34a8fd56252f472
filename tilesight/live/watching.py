"""Watching loop of every table, recording and benchmark: it takes pictures and returns the understanding."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

from engine.message import Message, message_of
from tilesight.inference.protocols import UnderstoodCo, UnderstoodT
from tilesight.live.capture import Lost
from tilesight.live.publication import camera_event
from tilesight.live.sources import Source
from tilesight.live.watched_game import WatchedGame
from tilesight.table_log.event_store import StoreError
from vision.observation import Frame, Observation

log = logging.getLogger("tilesight.live.watching")

T = TypeVar("T")
Observe = Callable[[Frame], Observation]
"""The recogniser: returns the observation of a frame."""


class StalledError(RuntimeError):
    """The recognition of one picture was abandoned because it took too long; the message is for people."""


class Watcher(Protocol[UnderstoodCo]):
    """Receiver of the loop's pictures: a table, or only a tracker in a test."""

    def see(self, observation: Observation, frame: Frame, arrived_s: float) -> UnderstoodCo:
        """Process one picture, and return the understanding after it.

        ``arrived_s`` is its arrival (seconds since 1970).
        """

    def lost(self, message: Message) -> None:
        """Record that no picture is available; ``message`` says why."""

    def finish(self) -> UnderstoodCo:
        """Return the final understanding, once no more pictures come."""


@dataclass(frozen=True, slots=True, eq=False)
class WatchedFrame(Generic[UnderstoodT]):
    """One picture and the understanding after it.

    ``took_ms`` is the time from its arrival to the understanding, in milliseconds.
    """

    frame: Frame
    observation: Observation
    understood: UnderstoodT
    took_ms: float


AGAIN_S = 2.0
"""Seconds before a failed write is tried again."""

Observer = Callable[[WatchedFrame[UnderstoodT]], object]
"""Function called after every picture, in the watching thread."""


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
    """Pass every picture of ``source`` to ``observe``, ``watcher`` and ``observers``.

    Return the final understanding. The source sets the pace. With ``keep_going``, a picture that raises an
    error is reported as lost, and the loop waits for the next one. If the log cannot be written (a full
    disk), nothing of the picture is published; the next picture, or the next report of a lost one, publishes
    everything. Without ``keep_going``, errors are raised. ``beat`` is called whenever the source yields a
    picture or a `Lost`; ``patience_s`` is as in `kept`.
    """
    for _ in steps(source, observe, watcher, observers, keep_going=keep_going, beat=beat):
        pass

    def tell(message: Message) -> None:
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
    """Run the loop of `watch`, and yield after each picture or `Lost` of the source.

    The watcher's `finish` is not called.
    """
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


def kept(write: Callable[[], T], tell: Callable[[Message], None], patience_s: float = math.inf) -> T:
    """Return the result of ``write``, retried every `AGAIN_S` seconds while it raises StoreError.

    ``tell`` gets the error's message each time. After ``patience_s`` seconds the StoreError is raised.
    """
    began_s = time.monotonic()
    while True:
        try:
            return write()
        except StoreError as error:
            if time.monotonic() - began_s >= patience_s:
                raise
            log.warning("%s", error)
            tell(Message("{reason}; trying again", reason=error.shown))
        time.sleep(AGAIN_S)


def _see(
    frame: Frame,
    observe: Observe,
    watcher: Watcher[UnderstoodT],
    observers: Sequence[Observer[UnderstoodT]],
) -> None:
    """Recognise one picture, pass it to the watcher, and call the observers with the result."""
    arrived_s, began = time.time(), time.perf_counter()
    observation = observe(frame)
    understood = watcher.see(observation, frame, arrived_s)
    seen = WatchedFrame(frame, observation, understood, 1e3 * (time.perf_counter() - began))
    for observer in observers:
        observer(seen)


def _why_lost(frame: Frame, error: Exception) -> Message:
    """Return a message for people on why a picture could not be processed, and log the error."""
    if isinstance(error, StoreError):
        log.warning("%s", error)
        return Message("{reason}; trying again with the next picture", reason=error.shown)
    if isinstance(error, StalledError):
        log.error("picture %d of %s is lost: %s", frame.index, frame.source, error)
        return Message("{reason}; waiting for the next picture", reason=message_of(error))
    log.error("picture %d of %s is lost", frame.index, frame.source, exc_info=error)
    return Message("a picture could not be used; waiting for the next")


def advise(game: WatchedGame[Any, Any, Any]) -> None:
    """Check the framing of the camera's picture, if a check is due, and publish changed faults.

    Called after a picture is published, because each check takes some hundredths of a second. There is no
    check while a hand is over the board, nor after the end.
    """
    look, understood, publication = game.album.latest, game.understood, game.publication
    if look is None or understood is None or understood.busy or game.ended or not game.advice.due:
        return
    picture = game.album.framed(look, game.board.picture(look, publication.view))
    assert picture.framing is not None
    with game.lock:
        camera = publication.view.camera
        framing = game.advice.weigh(picture.framing)
        if camera.framing == framing or game.ended:
            return
        publication.put(camera=replace(camera, framing=framing))
        told = () if framing is None else framing.faults
        if told != (() if camera.framing is None else camera.framing.faults):
            data = {**camera_event(camera.seeing, camera.message), "faults": list(told)}
            publication.tell("camera", data, camera.frame)
