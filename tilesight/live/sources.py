"""Sources of live pictures: a camera, a video, a stream, a folder being filled, a session.

Capture never waits for the recogniser: a thread of its own keeps the latest picture, and what comes too
early is dropped and counted. A lost camera is reported and reconnected.
"""

from __future__ import annotations

import logging
import os
import stat
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

import cv2
import numpy as np

from tilesight.sessions.session import SESSION_FILE, Session, read_session
from tilesight.sessions.squares_session import SquareSession, is_square_session, read_square_session
from vision.image.decode import FileError, FrameError, read_frame
from vision.observation import Frame, Image

Pace = Literal["real", "fast"]
VIDEOS = (".mp4", ".mov", ".mkv", ".avi", ".webm", ".m4v")
"""File suffixes of videos."""
PICTURES = (".jpg", ".jpeg", ".png", ".webp", ".bmp")
"""File suffixes of pictures."""
LOST_AFTER_S = 3.0
"""Seconds without a picture after which the camera is reported as lost."""
RETRY_S = (0.5, 1.0, 2.0, 4.0)
"""Seconds before each new attempt to capture; the last one is repeated."""
POLL_S = 0.25
"""Seconds between two looks into a folder."""
STANDS_STILL_S = 45.0
"""Seconds without a sign of life from a capturing thread after which another takes its place; OpenCV gives a
stream up after 30."""
LONGEST_STAND_S = 900.0
"""Seconds of the same at most: they double each time, so that few threads are ever left behind."""
AV_LOG_QUIET = -8
"""FFmpeg log level at which nothing is logged."""
LIVE_AREA_PX = 16_000_000
"""Pixels: largest live picture; a larger one is halved. A phone's 12 megapixels stay, and the handful of
pictures that a table holds at a time stay small."""

log = logging.getLogger("tilesight.live.sources")


class SourceError(ValueError):
    """A camera that cannot be opened; one line that says what to do."""


@dataclass(frozen=True, slots=True)
class Lost:
    """No picture comes now; ``message`` says why, in words for people."""

    message: str


class Source(Protocol):
    """Pictures of one table."""

    @property
    def dropped(self) -> int:
        """Pictures that came while an earlier one was being looked at."""

    @property
    def unreadable(self) -> int:
        """Pictures that could not be read."""

    @property
    def complete(self) -> bool:
        """Whether the pictures came to their end, as those of a recording do: the game is over then. A camera
        has no end."""

    def frames(self) -> Iterator[Frame | Lost]:
        """The pictures as they come; ends where no more can come."""

    def close(self) -> None:
        """Let go of the camera."""


class SessionSource:
    """A recorded session as a camera: its frames at their times, or one after the other."""

    def __init__(
        self, session: Session | SquareSession, pace: Pace, skip_to: int = 0, *, strict: bool = False
    ) -> None:
        """``strict``: a frame that cannot be read raises FrameError; otherwise it counts as lost."""
        self._session = session
        self._strict = strict
        self._pace = pace
        self._skip_to = skip_to
        self.dropped = self.unreadable = 0
        self.complete = False

    @property
    def rendered(self) -> bool:
        """Whether the session's pictures are renders."""
        return self._session.rendered

    def frames(self) -> Iterator[Frame | Lost]:
        """The frames from number ``skip_to`` on; a late one is dropped if the next is due as well."""
        files = [file for file in self._session.frames if file.index >= self._skip_to]
        if not files:
            self.complete = True
            return
        begin = time.monotonic() - files[0].t_s
        for file, following in zip(files, [*files[1:], None], strict=True):
            if self._pace == "real":
                now = time.monotonic() - begin
                if following is not None and following.t_s <= now:
                    self.dropped += 1
                    continue
                time.sleep(max(file.t_s - now, 0.0))
            try:
                yield file.read()
            except FrameError as error:
                if self._strict:
                    raise
                self.unreadable += 1
                yield Lost(str(error))
        self.complete = True

    def close(self) -> None:
        """Nothing to let go of."""


class LatestFrame:
    """One place for the latest picture, between the thread that captures and the one that looks."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._image: Image | None = None
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

    def put(self, image: Image) -> None:
        """A new picture; one that nobody took yet is dropped and counted."""
        self.beat()
        with self._changed:
            self.dropped += self._image is not None
            self._image, self._at_s, self._message = image, time.monotonic(), ""
            self._changed.notify()

    def lost(self, message: str, *, unreadable: bool = False) -> None:
        """No picture for the time being, or one that is ``unreadable``, which is counted."""
        self.beat()
        with self._changed:
            self.unreadable += unreadable
            self._message = message
            self._changed.notify()

    def end(self) -> None:
        """No more pictures at all."""
        with self._changed:
            self._ended = True
            self._changed.notify()

    def take(self, wait_s: float) -> tuple[Image, float] | Lost | None:
        """The latest picture and when it came (monotonic seconds); what is wrong if none comes in time; None
        at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._image is not None or self._ended, wait_s)
            image, self._image = self._image, None
            if image is not None:
                return image, self._at_s
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
            image, at_s = got
            yield Frame(image, at_s - began, self._name, index)
            index += 1

    def close(self) -> None:
        """Stop capturing."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(2.0)


def open_source(text: str, pace: Pace = "real", skip_to: int = 0) -> Source:
    """The source that ``--camera`` names: an index, a file, an address, a folder. SourceError, or
    session.SessionError, where there is none."""
    path = Path(text)
    # What OpenCV would print of a camera that gives no picture is said here, in one line.
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", str(AV_LOG_QUIET))
    if text.isdecimal():
        camera = cv2.VideoCapture(int(text))
        if not camera.isOpened():
            raise SourceError(f"no camera {text} here: see tilesight doctor, or use a phone (--camera phone)")
        return ThreadedSource(f"camera {text}", _camera(int(text), f"camera {text}", pace, opened=camera))
    if "://" in text:
        return ThreadedSource("the stream", _camera(text, "the stream", pace))
    if path.is_dir():
        if (path / SESSION_FILE).is_file():
            square = is_square_session(path)
            return SessionSource(read_square_session(path) if square else read_session(path), pace, skip_to)
        return ThreadedSource(str(path), _folder(path))
    if path.is_file() and path.suffix.lower() in VIDEOS:
        return ThreadedSource(path.name, _camera(text, path.name, pace, endless=False), has_end=True)
    kinds = "an index (0), phone, a video file, an rtsp:// or http:// address, a folder, a session"
    raise SourceError(f"no camera {text!r}: give {kinds}")


def _camera(
    what: int | str,
    name: str,
    pace: Pace,
    endless: bool = True,
    opened: cv2.VideoCapture | None = None,
) -> Callable[[LatestFrame, threading.Event], None]:
    """Captures with OpenCV, first from what is ``opened`` if given; an endless source is opened again when it
    is lost."""

    def capture(latest: LatestFrame, stop: threading.Event) -> None:
        camera, tries = opened, 0
        while not stop.is_set():
            camera = camera or cv2.VideoCapture(what)
            try:
                frame_s = 0.0 if endless else 1.0 / (camera.get(cv2.CAP_PROP_FPS) or 25.0)
                while camera.isOpened() and not stop.is_set():
                    began = time.monotonic()
                    latest.beat()
                    ok, image = camera.read()
                    if not ok:
                        break
                    tries = 0
                    latest.put(np.asarray(image, np.uint8))
                    if frame_s and pace == "real":
                        stop.wait(max(frame_s - (time.monotonic() - began), 0.0))
            finally:
                camera.release()
                camera = None
            if not endless:
                return
            latest.lost(f"{name} gives no picture; trying again")
            stop.wait(RETRY_S[min(tries, len(RETRY_S) - 1)])
            tries += 1

    return capture


FileStamp = tuple[int, int]
"""Time at which a file was changed (nanoseconds), and its size in bytes: a file is known again by them."""


def _folder(path: Path) -> Callable[[LatestFrame, threading.Event], None]:
    """Watches a folder into which pictures are put one by one, or written over. A picture is taken when it
    can be decoded; one that cannot is said once it has not changed for a while, and tried again when it
    does."""
    seen: dict[str, FileStamp] = {}

    def capture(latest: LatestFrame, stop: threading.Event) -> None:
        while not stop.is_set():
            try:
                present = _pictures_in(path)
            except OSError as error:
                latest.lost(f"{path}: {error.strerror}; waiting for it")
                stop.wait(1.0)
                continue
            for name in [name for name in seen if name not in present]:
                del seen[name]
            latest.beat()
            fresh = [name for name, stamp in present.items() if seen.get(name) != stamp]
            for name in sorted(fresh, key=lambda name: (present[name][0], name)):
                if stop.is_set():
                    return
                try:
                    latest.put(read_frame(path / name, fit_px=LIVE_AREA_PX).image)
                    seen[name] = present[name]
                except FileError as error:  # it may be read later: when descriptors are free, or it is given
                    latest.lost(f"{error}; trying again")
                except FrameError as error:
                    if time.time() - 1e-9 * present[name][0] > LOST_AFTER_S:  # else it may still be written
                        seen[name] = present[name]
                        latest.lost(f"{error}; waiting for the next picture", unreadable=True)
            stop.wait(POLL_S)

    return capture


def _pictures_in(path: Path) -> Mapping[str, FileStamp]:
    """The pictures in a folder: regular files, by their names."""
    found: dict[str, FileStamp] = {}
    with os.scandir(path) as entries:
        for entry in entries:
            if not entry.name.lower().endswith(PICTURES):
                continue
            try:
                about = entry.stat()
            except OSError:  # gone again, or a link that leads nowhere
                continue
            if stat.S_ISREG(about.st_mode):
                found[entry.name] = (about.st_mtime_ns, about.st_size)
    return found
