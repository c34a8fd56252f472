"""Recorder of sessions: chooses pictures of a table by their changes, and stores them without recognising.

It serves cameras (`tilesight record`) and videos (`tilesight replay game.mp4`).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2

from engine import jsonvalue as jv
from tilesight.sessions.session import SESSION_FILE, SessionError
from vision.change import Changes, SmallPicture
from vision.change.params import PARAMS
from vision.change.small_picture import STILL_PX
from vision.image.whole_file import write_whole
from vision.observation import Image, Sight

LOOK_S = 0.25
"""Seconds from one picture that is compared to the next."""
PAUSE_S = 0.6
"""Minimum seconds between two pictures that are kept. Three of them span the time for which a change must
last before it counts (`vision.change.params.ChangeParams.stays_s`)."""
RESTS = 3
"""Pictures that are kept of a table at rest."""
MOVING_S = 4.0
"""Seconds of movement after which a picture is kept all the same: a hand may stay in view for minutes."""
QUALITY = 92
"""JPEG quality of the pictures."""


class PictureChoice:
    """Choice of the pictures of one camera that a session needs, by their changes alone."""

    def __init__(self) -> None:
        self._looked: SmallPicture | None = None
        self._looked_s = self._kept_s = self._at_rest_s = float("-inf")
        self._kept: SmallPicture | None = None
        self._rests = 0

    def due(self, t_s: float) -> bool:
        """Whether a picture at ``t_s`` seconds would be compared; earlier ones need not be decoded."""
        return t_s - self._looked_s >= LOOK_S

    def wants(self, image: Image, t_s: float) -> bool:
        """Whether to keep ``image`` (h, w, 3), taken at ``t_s`` seconds.

        True for the first `RESTS` pictures of a table at rest after a change, and for one picture every
        `MOVING_S` seconds while something moves.
        """
        if not self.due(t_s):
            return False
        now = SmallPicture.of(Sight(image))
        moved, changed = Changes.between(self._looked, now), Changes.between(self._kept, now)
        self._looked, self._looked_s = now, t_s
        if moved is not None and not moved.still:
            if t_s - max(self._kept_s, self._at_rest_s) < MOVING_S:
                return False
            self._rests = 0
        else:
            self._at_rest_s = t_s
            if changed is None or changed.spots(PARAMS.changed_levels).sum() >= STILL_PX:
                self._rests = 0
            if self._rests >= RESTS or t_s - self._kept_s < PAUSE_S:
                return False
            self._rests += 1
        self._kept, self._kept_s = now, t_s
        return True


class SessionRecorder:
    """Writer of a session's folder: after each picture, the folder is a session that can be replayed."""

    def __init__(self, folder: Path, heading: dict[str, Any]) -> None:
        """Begin a session in ``folder``, or continue the one there.

        ``heading`` are the fields of ``session.json`` but for the pictures. Raises SessionError if the folder
        holds something else or a session of another game.
        """
        self._folder = folder
        self._heading = heading
        self._frames = _frames_of(folder, heading)
        self.size_bytes = sum((folder / frame["file"]).stat().st_size for frame in self._frames)

    @property
    def pictures(self) -> int:
        """Number of pictures of the session."""
        return len(self._frames)

    @property
    def last_s(self) -> float:
        """Seconds of the last picture; 0 if there is none."""
        return float(self._frames[-1]["t_s"]) if self._frames else 0.0

    def keep(self, image: Image, t_s: float) -> None:
        """Add a picture (h, w, 3), taken at ``t_s`` seconds of the session, which never decrease.

        Raises OSError if the disk refuses; the session is as before then.
        """
        name = f"frames/{self.pictures:05d}.jpg"
        _, encoded = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
        content = encoded.tobytes()
        write_whole(self._folder / name, content)
        frames = [*self._frames, {"file": name, "t_s": round(t_s, 2)}]
        try:
            self._write(frames)
        except OSError:
            (self._folder / name).unlink(missing_ok=True)
            raise
        self._frames = frames
        self.size_bytes += len(content)

    def _write(self, frames: list[dict[str, Any]]) -> None:
        text = json.dumps({**self._heading, "frames": frames}, ensure_ascii=False, indent=1)
        write_whole(self._folder / SESSION_FILE, f"{text}\n".encode())


def _frames_of(folder: Path, heading: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the pictures that the session in ``folder`` lists; none of a new or empty folder.

    Raises SessionError if the folder holds something else, or a session with another heading.
    """
    if folder.exists() and not folder.is_dir():
        raise SessionError(f"{folder}: is no folder")
    path = folder / SESSION_FILE
    if not path.is_file():
        if folder.is_dir() and any(folder.iterdir()):
            raise SessionError(f"{folder}: is not empty, and no session that could be continued")
        return []
    try:
        kept = dict(jv.object_at(jv.parse(path.read_text("utf-8")), ""))
        frames = [
            dict(jv.object_at(frame, "frames")) for frame in jv.list_at(kept.pop("frames", []), "frames")
        ]
        missing = [frame for frame in frames if not (folder / str(frame["file"])).is_file()]
    except (OSError, ValueError, KeyError):
        raise SessionError(f"{path}: cannot be read, so it cannot be continued") from None
    if kept != heading or missing:
        raise SessionError(f"{folder}: holds another session; choose a new folder")
    return frames
