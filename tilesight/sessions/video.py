"""Videos as sessions: the pictures of a video that a session needs, kept in the user's cache."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from tilesight.sessions.recorder import PictureChoice, SessionRecorder
from tilesight.sessions.session import SESSION_FILE, SessionError
from vision.image.whole_file import write_whole
from vision.observation import Image

VIDEOS = (".mp4", ".mov", ".mkv", ".avi", ".webm", ".m4v")
"""File suffixes of videos."""
PROGRESS_FILE = "video.json"
"""File beside the session: how far the video was read, in seconds, and whether that is all of it."""
USUAL_FPS = 25.0
"""Pictures a second of a video that does not tell them."""
SAVED_EVERY_S = 30.0
"""Seconds of the video after which progress is saved."""
HASHED_BYTES = 1 << 20
"""Bytes at a video's beginning and end that identify it, together with its size."""

AV_LOG_QUIET = -8
"""FFmpeg log level at which nothing is logged."""

Progress = Callable[[float, float], None]
"""Called with the seconds of a video that were read, and all of them (0: unknown)."""


def is_video(path: Path) -> bool:
    """Whether a path is a file with the suffix of a video."""
    return path.suffix.lower() in VIDEOS and path.is_file()


def names_video(path: Path) -> bool:
    """Whether a path has the suffix of a video, and nothing is there."""
    return path.suffix.lower() in VIDEOS and not path.exists()


def silence_opencv() -> None:
    """Keep OpenCV and FFmpeg from printing errors: a picture that cannot be read is reported in one line."""
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", str(AV_LOG_QUIET))


def video_session(video: Path, heading: dict[str, Any], tell: Progress, cache: Path) -> Path:
    """Return the folder of a video's session below ``cache``; the first call reads the video.

    ``heading`` are the fields of ``session.json`` but for the pictures. A call that was interrupted is
    continued by the next one. Raises SessionError if the video cannot be read or its pictures cannot be kept.
    """
    folder = cache / _key(video, heading)
    try:
        through_s, whole = _progress(folder)
        if not whole:
            recorder = SessionRecorder(folder / "session", heading)
            _read(video, recorder, max(through_s, recorder.last_s), tell, folder / PROGRESS_FILE)
    except OSError as error:
        raise SessionError(f"{video}: its pictures cannot be kept ({error.strerror or error})") from None
    if not (folder / "session" / SESSION_FILE).is_file():
        raise SessionError(f"{video}: no picture can be read; is it a video that this OpenCV can decode?")
    return folder / "session"


def _read(video: Path, recorder: SessionRecorder, through_s: float, tell: Progress, progress: Path) -> None:
    """Keep the pictures of a video from ``through_s`` seconds on, and save the progress."""
    choice, read_s, saved_s = PictureChoice(), through_s, through_s
    try:
        for t_s, duration_s, decode in _pictures(video):
            if (through_s and t_s <= through_s) or not choice.due(t_s):
                continue
            image = decode()
            if image is not None and choice.wants(image, t_s):
                recorder.keep(image, t_s)
            read_s = t_s
            tell(t_s, duration_s)
            if t_s - saved_s >= SAVED_EVERY_S:
                saved_s = t_s
                _save(progress, t_s, whole=False)
    except BaseException:
        if read_s > 0.0 and recorder.pictures:
            _save(progress, read_s, whole=False)
        raise
    if recorder.pictures:
        _save(progress, read_s, whole=True)


def _pictures(video: Path) -> Iterator[tuple[float, float, Callable[[], Image | None]]]:
    """Yield each picture's time and the duration of the video, in seconds, and a function that decodes it."""
    silence_opencv()
    opened = cv2.VideoCapture(str(video))

    def decode() -> Image | None:
        ok, image = opened.retrieve()
        return np.asarray(image, np.uint8) if ok else None

    try:
        fps = opened.get(cv2.CAP_PROP_FPS)
        fps = fps if 0.0 < fps < 1000.0 else USUAL_FPS
        duration_s = max(opened.get(cv2.CAP_PROP_FRAME_COUNT), 0.0) / fps
        number, t_s = 0, 0.0
        while opened.isOpened() and opened.grab():
            # Phones film at a varying rate: the container's time is right, if the backend tells one.
            told_s = opened.get(cv2.CAP_PROP_POS_MSEC) / 1000.0
            t_s = max(t_s, told_s) if told_s > 0.0 else number / fps
            yield t_s, duration_s, decode
            number += 1
    finally:
        opened.release()


def _key(video: Path, heading: dict[str, Any]) -> str:
    """Return the name of a video's folder: a hash of its size, beginning and end, and of the heading.

    Raises SessionError if it cannot be read.
    """
    try:
        with video.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(0)
            begin = file.read(HASHED_BYTES)
            file.seek(max(size - HASHED_BYTES, 0))
            told = [str(size).encode(), begin, file.read(), json.dumps(heading, sort_keys=True).encode()]
    except OSError as error:
        raise SessionError(f"{video}: cannot be read ({error.strerror})") from None
    return hashlib.sha256(b"\0".join(told)).hexdigest()[:16]


def _progress(folder: Path) -> tuple[float, bool]:
    """Return the seconds of the video that were read, and whether these are all."""
    try:
        told = json.loads((folder / PROGRESS_FILE).read_text("utf-8"))
        return float(told["through_s"]), bool(told["whole"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0.0, False


def _save(path: Path, through_s: float, *, whole: bool) -> None:
    write_whole(path, json.dumps({"through_s": through_s, "whole": whole}).encode())
