"""Reading job: reads photographs in a subprocess with a time limit.

``python -m tilesight.photograph.job`` reads pickled paths and settings from standard input and writes the
pickled reading to standard output. Uploaded pictures are untrusted: decoding one must not block or crash the
process that serves pages.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from engine.game import GameError
from engine.message import Message, message_of, plain
from engine.pack import PackError
from tilesight.photograph.joining import JoinError
from tilesight.photograph.reading import PhotoReading, ReadingOptions, read_photographs
from tilesight.settings import SettingsError
from vision.image.decoder import FrameError
from vision.tiles.gallery import GalleryError

WITHIN_S = 90.0
"""Time limit of a reading in seconds."""
ROOT = Path(__file__).resolve().parents[2]
"""Folder that holds the packages."""
TOLD = (FrameError, JoinError, SettingsError, PackError, GalleryError, GameError)
"""Errors whose message is one line for the user."""


class ReadingError(ValueError):
    """Photographs could not be read; the message is one line for the user and names no path."""


def read_in_subprocess(paths: Sequence[Path], asked: ReadingOptions) -> PhotoReading:
    """Read photographs of one board in a subprocess.

    Raises ReadingError if that fails or takes more than `WITHIN_S` seconds.
    """
    words = [sys.executable, "-m", "tilesight.photograph.job"]
    try:
        made = subprocess.run(
            words, input=pickle.dumps((list(paths), asked)), capture_output=True, timeout=WITHIN_S, cwd=ROOT
        )
    except subprocess.TimeoutExpired:
        raise ReadingError(Message("this photograph takes too long to read; try another one")) from None
    if made.returncode != 0 or not made.stdout:
        raise ReadingError(Message("this photograph could not be read; try another one"))
    told = pickle.loads(made.stdout)  # from the process started here
    if isinstance(told, str):
        raise ReadingError(told)
    assert isinstance(told, PhotoReading)
    return told


def main() -> None:
    """Read the photographs that standard input names; write the reading, or an error's text, to stdout."""
    paths, asked = pickle.load(sys.stdin.buffer)  # from the process that started this one
    result: PhotoReading | str
    try:
        result = read_photographs(paths, asked)
    except TOLD as error:
        result = message_of(error)
        for path in paths:  # the message is shown on a page, which must not reveal paths
            if str(path) in result:
                result = plain(str(result).replace(f"{path}: ", "").replace(str(path), path.name))
    sys.stdout.buffer.write(pickle.dumps(result))


if __name__ == "__main__":
    main()
