"""Reading job: photographs are read in a process of its own, which can be ended.

Run as ``python -m tilesight.photograph.job``: the pickled paths and settings come on standard input, the
pickled reading leaves on standard output. A picture may come from anybody: decoding and reading it must not
stop or end the process that serves pages.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from engine.game import GameError
from engine.pack import PackError
from tilesight.photograph.joining import JoinError
from tilesight.photograph.reading import Asked, PhotoReading, read_photographs
from tilesight.settings import SettingsError
from vision.image.decode import FrameError
from vision.tiles.gallery import GalleryError

WITHIN_S = 90.0
"""Seconds within which photographs must be read."""
ROOT = Path(__file__).resolve().parents[2]
"""Folder that holds the packages."""
TOLD = (FrameError, JoinError, SettingsError, PackError, GalleryError, GameError)
"""Errors whose text is one line for people."""


class ReadingError(ValueError):
    """Photographs that could not be read; one line for people, which names no path."""


def read_in_subprocess(paths: Sequence[Path], asked: Asked) -> PhotoReading:
    """The reading of photographs; ReadingError where they cannot be read in time."""
    words = [sys.executable, "-m", "tilesight.photograph.job"]
    try:
        made = subprocess.run(
            words, input=pickle.dumps((list(paths), asked)), capture_output=True, timeout=WITHIN_S, cwd=ROOT
        )
    except subprocess.TimeoutExpired:
        raise ReadingError("this photograph takes too long to read; try another one") from None
    if made.returncode != 0 or not made.stdout:
        raise ReadingError("this photograph could not be read; try another one")
    told = pickle.loads(made.stdout)  # from the process started here
    if isinstance(told, str):
        raise ReadingError(told)
    assert isinstance(told, PhotoReading)
    return told


def main() -> None:
    """Read what standard input names."""
    paths, asked = pickle.load(sys.stdin.buffer)  # from the process that started this one
    result: PhotoReading | str
    try:
        result = read_photographs(paths, asked)
    except TOLD as error:
        result = str(error)
        for path in paths:  # the message is for a page: it names no path of this computer
            result = result.replace(f"{path}: ", "").replace(str(path), path.name)
    sys.stdout.buffer.write(pickle.dumps(result))


if __name__ == "__main__":
    main()
