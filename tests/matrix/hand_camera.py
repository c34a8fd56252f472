"""Camera that shows a sample session turn by turn, as a test says: a folder into which pictures are put."""

from __future__ import annotations

import time
from pathlib import Path

import cv2

from tests.matrix.evening import Evening
from tests.matrix.games import Kit
from vision.observation import Image

BETWEEN_MS = 50
"""Time between two looks at whether the table has looked at a picture, in milliseconds."""
PATIENCE_S = 60.0
"""Longest wait until the table has looked at a picture: the machine may be busy."""
AT_REST = 3
"""Number of pictures of each table at rest: a turn is over with the last of them."""


class HandCamera:
    """A folder that is filled with a session's pictures, each turn's when it is played."""

    def __init__(self, kit: Kit, folder: Path) -> None:
        self.folder = folder
        self._frames = [kit.session / frame["file"] for frame in kit.header["frames"]]
        self._ends = [AT_REST, *(line["frame"] + AT_REST for line in kit.lines[:-1]), len(self._frames)]
        self._latest = b""
        self._number = 0
        folder.mkdir(parents=True)
        for path in self._frames[:AT_REST]:
            self._write(path.read_bytes())

    def play(self, turn: int, evening: Evening) -> None:
        """Show the pictures of a turn, counted from 1, each once the one before was looked at."""
        for path in self._frames[self._ends[turn - 1] : self._ends[turn]]:
            self._show(path.read_bytes(), evening)

    def put(self, image: Image, evening: Evening) -> None:
        """Show a picture of something else."""
        self._show(bytes(cv2.imencode(".jpg", image)[1].tobytes()), evening)

    def look_on(self, evening: Evening) -> None:
        """Show the latest picture again, as while nobody plays."""
        self._show(self._latest, evening)

    def _show(self, jpeg: bytes, evening: Evening) -> None:
        seen = evening.pictures_seen()
        self._write(jpeg)
        until_s = time.monotonic() + PATIENCE_S
        while evening.pictures_seen() == seen:
            assert time.monotonic() < until_s, "the table looks at no picture"
            evening.page.wait_for_timeout(BETWEEN_MS)

    def _write(self, jpeg: bytes) -> None:
        self._latest, self._number = jpeg, self._number + 1
        part = self.folder / f"{self._number:04}.part"
        part.write_bytes(jpeg)
        part.replace(self.folder / f"{self._number:04}.jpg")
