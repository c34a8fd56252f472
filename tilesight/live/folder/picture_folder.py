"""Picture folder: a folder into which pictures are put, or overwritten, as a picture source."""

from __future__ import annotations

import logging
import os
import stat
import threading
import time
from collections.abc import Collection, Mapping
from pathlib import Path

from engine.message import Message, message_of, plain
from tilesight.live.capture import LIVE_AREA_PX, LOST_AFTER_S, LatestFrame
from tilesight.live.folder.watched_files import FileStamp, WatchedFiles, text_of
from vision.image.decode import FileError, read_frame
from vision.image.decoder import FrameError, HeavyError
from vision.observation import Mark

PICTURES = (".jpg", ".jpeg", ".png", ".webp", ".bmp")
"""File suffixes of pictures."""
POLL_S = 0.25
"""Seconds between two scans of the folder."""
BACKLOG_AT_MOST = 300
"""Maximum number of pictures, found in a folder at the start, that are processed. From a larger number, an
even sample is taken. At two pictures a second they take 2.5 minutes."""

log = logging.getLogger("tilesight.live.folder")


class PictureFolder:
    """A watched folder; `capture` is its capturing function for a ThreadedSource.

    The pictures that wait at the start (`WatchedFiles.waiting`) are all taken, one by one. Of later pictures,
    only the latest is taken. A picture is taken once it can be decoded. A picture that cannot be decoded is
    reported when it has not changed for a while, and tried again when it changes. A picture that is too large
    to decode, or with which a capturing thread stalled, is reported and left out for ever.
    """

    def __init__(self, path: Path, used: Collection[Mark] = (), watched: WatchedFiles | None = None) -> None:
        """Watch the folder ``path``.

        ``used`` are the marks of the pictures that decided the log's turns; ``watched`` is the list of the
        pictures that were taken before.
        """
        self.name = path.resolve().name or "the folder"
        """Its name for people, without its path."""
        self._path = path
        self._used = used
        self._watched = watched or WatchedFiles(path)
        self._seen: dict[str, FileStamp] = {}
        self._waiting: list[str] | None = None
        self._failing: dict[str, tuple[FileStamp, float]] = {}
        """Files that cannot be decoded, and the time since which (monotonic seconds)."""
        self._trying: tuple[str, FileStamp] | None = None

    def capture(self, latest: LatestFrame, stop: threading.Event) -> None:
        """Capture until stopped.

        A thread that replaces a stalled one leaves out the file that the other one was reading.
        """
        if self._trying is not None:
            name, stamp = self._trying
            reason = plain(f"{name}: reading it took too long")
            self._leave_out(latest, name, stamp, reason)
        while not stop.is_set():
            try:
                present = _pictures_in(self._path)
            except OSError as error:
                reason = plain(f"{self.name}: {error.strerror}")
                latest.lost(Message("{reason}; waiting for it", reason=reason))
                stop.wait(1.0)
                continue
            latest.beat()
            for name in self._fresh(present):
                latest.owe(True)
                if not self._take(latest, stop, name, present[name]) or stop.is_set():
                    return
            latest.owe(bool(self._failing))
            stop.wait(POLL_S)

    def _fresh(self, present: Mapping[str, FileStamp]) -> list[str]:
        """Return the pictures to be taken now, in order."""
        for known in (self._seen, self._failing):
            for name in [name for name in known if name not in present]:
                del known[name]
        if self._waiting is None:
            late = self._watched.waiting(present, self._used)
            self._waiting = _sample(late)
            for name in (name for name in late if name not in set(self._waiting)):
                self._watched.take(name, present[name])
            chosen, kept = set(self._waiting), set(late)
            for name in (name for name in present if name not in kept):
                self._watched.leave_out(name, present[name])  # it is older than the log's turns
            self._seen.update({name: stamp for name, stamp in present.items() if name not in chosen})
        fresh = {name for name, stamp in present.items() if self._seen.get(name) != stamp}
        first = [name for name in self._waiting if name in fresh]
        others = fresh.difference(first)
        return [*first, *sorted(others, key=lambda name: (present[name][0], text_of(name)))]

    def _take(self, latest: LatestFrame, stop: threading.Event, name: str, stamp: FileStamp) -> bool:
        """Decode a picture and put it; return False if ``stop`` was set while it waited."""
        self._trying = name, stamp
        shown = text_of(name)
        try:
            image = read_frame(self._path / name, fit_px=LIVE_AREA_PX, name=shown).image
        except FileError as error:  # it may be readable later, e.g. when file descriptors are free
            latest.lost(Message("{reason}; trying again", reason=message_of(error)))
        except HeavyError as error:
            if not stop.is_set():  # otherwise the thread that replaced this one has left it out
                self._leave_out(latest, name, stamp, message_of(error))
        except FrameError as error:
            before, since_s = self._failing.get(name, (stamp, time.monotonic()))
            if before != stamp:
                since_s = time.monotonic()
            self._failing[name] = stamp, since_s
            if time.monotonic() - since_s > LOST_AFTER_S:  # before that, it may still be being written
                self._settle(name, stamp, left_out=True)
                lost = Message("{reason}; waiting for the next picture", reason=message_of(error))
                latest.lost(lost, unreadable=True)
        else:
            if name in (self._waiting or ()) and not latest.wait_until_taken(stop):
                return False
            if not stop.is_set():
                latest.put(image, (stamp[0], shown))
                self._settle(name, stamp)
        if not stop.is_set():
            self._trying = None
        return True

    def _settle(self, name: str, stamp: FileStamp, *, left_out: bool = False) -> None:
        """Record that a picture needs no further processing."""
        self._seen[name] = stamp
        self._failing.pop(name, None)
        if self._waiting and name in self._waiting:
            self._waiting.remove(name)
        self._watched.take(name, stamp, left_out=left_out)

    def _leave_out(self, latest: LatestFrame, name: str, stamp: FileStamp, reason: Message) -> None:
        """Report a picture that cannot be decoded within the limits, and never try it again."""
        self._trying = None
        self._settle(name, stamp, left_out=True)
        log.warning("%s: %s; it is left out and not tried again", self._path, reason)
        latest.tell(Message("{reason}; it is left out and not tried again", reason=reason))


def _sample(names: list[str]) -> list[str]:
    """Return at most `BACKLOG_AT_MOST` names in order, sampled evenly and always with the last."""
    step = max(1, -(-len(names) // BACKLOG_AT_MOST))
    return names[::-1][::step][::-1]


def _pictures_in(path: Path) -> Mapping[str, FileStamp]:
    """Return the pictures in a folder (regular files), by name."""
    found: dict[str, FileStamp] = {}
    with os.scandir(path) as entries:
        for entry in entries:
            if not entry.name.lower().endswith(PICTURES):
                continue
            try:
                about = entry.stat()
            except OSError:  # removed meanwhile, or a broken link
                continue
            if stat.S_ISREG(about.st_mode):
                found[entry.name] = (about.st_mtime_ns, about.st_size)
    return found
