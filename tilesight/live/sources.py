"""Sources of live pictures: a camera, a video, a stream, a watched folder, a session.

A lost camera is reported and reconnected. Pictures stay in a folder (`tilesight.live.folder`), so after a
restart the pictures of turns that are not in the log are read again.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Literal, Protocol

import cv2
import numpy as np

from engine.message import Message, message_of
from tilesight.camera_option import shown_camera
from tilesight.live.capture import RETRY_S, LatestFrame, Lost, ThreadedSource
from tilesight.live.folder import PictureFolder, WatchedFiles
from tilesight.sessions.session import SESSION_FILE, Session, read_session
from tilesight.sessions.squares_session import SquareSession, is_square_session, read_square_session
from tilesight.sessions.video import is_video, silence_opencv
from vision.image.decoder import FrameError
from vision.observation import Frame, Mark

Pace = Literal["real", "fast"]
DEVICES = Path("/dev")
"""Folder of the devices."""


class SourceError(ValueError):
    """A camera cannot be opened; the message is one line with a remedy."""


class Source(Protocol):
    """Pictures of one table."""

    @property
    def dropped(self) -> int:
        """Number of pictures that were dropped because the recogniser was still busy."""

    @property
    def unreadable(self) -> int:
        """Number of pictures that could not be read."""

    @property
    def overdue_s(self) -> float:
        """Seconds for which a picture has been due; 0 while none is due."""

    @property
    def complete(self) -> bool:
        """Whether the pictures have come to an end, which ends the game; never true for a camera."""

    def frames(self) -> Iterator[Frame | Lost]:
        """Yield each picture, or the reason for its absence (`Lost`), until no more pictures can come."""

    def close(self) -> None:
        """Release the camera."""


class SessionSource:
    """A recorded session played as a camera: its frames at their recorded times, or without delay."""

    def __init__(
        self, session: Session | SquareSession, pace: Pace, skip_to: int = 0, *, strict: bool = False
    ) -> None:
        """Play ``session`` from frame number ``skip_to`` on, at the pace "real" or "fast".

        With ``strict``, an unreadable frame raises FrameError; otherwise it counts as lost.
        """
        self._session = session
        self._strict = strict
        self._pace = pace
        self._skip_to = skip_to
        self.dropped = self.unreadable = 0
        self.overdue_s = 0.0
        self.complete = False

    @property
    def rendered(self) -> bool:
        """Whether the session's pictures are renders."""
        return self._session.rendered

    def frames(self) -> Iterator[Frame | Lost]:
        """Yield the frames from number ``skip_to`` on. A late frame is dropped if the next one is also due.

        Unreadable frames yield a `Lost`, or raise FrameError if the source is strict.
        """
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
                yield Lost(message_of(error))
        self.complete = True

    def close(self) -> None:
        """Do nothing: a session holds no device."""


def first_of(source: Source, within_s: float) -> Frame | Lost | None:
    """Return the first picture or `Lost` of a source, and close it.

    None if nothing comes within ``within_s`` seconds or the source is empty.
    """
    # A source waits for its camera without a timeout; closing it ends the wait.
    waited = threading.Timer(within_s, source.close)
    waited.start()
    try:
        return next(source.frames(), None)
    finally:
        waited.cancel()
        source.close()


def open_source(
    text: str,
    pace: Pace = "real",
    skip_to: int = 0,
    used: Collection[Mark] = (),
    watched: Path | None = None,
) -> Source:
    """Open the source that ``--camera`` names: an index, a file, an address, or a folder.

    Pictures that were used already are skipped. In a session these are the frames before number ``skip_to``;
    in a folder they follow from the marks ``used`` and the list in the file ``watched``
    (`WatchedFiles.waiting`). Raises SourceError or session.SessionError if there is no such source.
    """
    path = Path(text)
    silence_opencv()
    if text.isdecimal():
        camera = cv2.VideoCapture(int(text))
        if not camera.isOpened():
            raise SourceError(why_no_camera(int(text)))
        return ThreadedSource(f"camera {text}", _camera(int(text), pace, opened=camera))
    if "://" in text:
        return ThreadedSource("the stream", _camera(text, pace))
    if path.is_dir():
        if (path / SESSION_FILE).is_file():
            square = is_square_session(path)
            return SessionSource(read_square_session(path) if square else read_session(path), pace, skip_to)
        folder = PictureFolder(path, used, WatchedFiles(path, watched))
        return ThreadedSource(folder.name, folder.capture)
    if is_video(path):
        return ThreadedSource(path.name, _camera(text, pace, endless=False), has_end=True)
    kinds = "an index (0), phone, a video file, an rtsp:// or http:// address, a folder, a session"
    raise SourceError(f"no camera {shown_camera(text)!r}: give {kinds}")


def why_no_camera(number: int, devices: Path = DEVICES) -> str:
    """Return why a camera of this computer cannot be opened, and what to do: it is missing, refused to this
    account, or in use. ``devices`` is the folder of Linux's devices; elsewhere the reason is unknown."""
    device = devices / f"video{number}"
    if not sys.platform.startswith("linux") or not device.exists():
        return f"no camera {number} here: see tilesight doctor, or use a phone (--camera phone)"
    if not os.access(device, os.R_OK | os.W_OK):
        return f"camera {number} is refused to this account: it needs the right to {device} (group video)"
    return f"camera {number} is in use by another program: close that one, or use a phone (--camera phone)"


def _camera(
    what: int | str,
    pace: Pace,
    endless: bool = True,
    opened: cv2.VideoCapture | None = None,
) -> Callable[[LatestFrame, threading.Event], None]:
    """Return a function that captures camera number or address ``what`` with OpenCV into a `LatestFrame`.

    It begins with ``opened`` if given. An endless source is opened again when it is lost. Others, such as
    videos, end; they are read at their recorded rate if ``pace`` is "real".
    """

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
            lost = Message("the stream gives no picture; trying again")
            if isinstance(what, int):
                lost = Message("camera {camera} gives no picture; trying again", camera=what)
            latest.lost(lost)
            stop.wait(RETRY_S[min(tries, len(RETRY_S) - 1)])
            tries += 1

    return capture
