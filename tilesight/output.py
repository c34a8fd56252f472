"""Output of a command: a file that the user names, checked before the work and written as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from vision.image.whole_file import write_whole


class OutputError(ValueError):
    """A file cannot be written; the message is one line for the user."""


def check_output(path: Path, what: str, inputs: Iterable[Path | str | None] = ()) -> None:
    """Raise OutputError, before the slow work, if a file cannot be written or would overwrite an input.

    ``what`` names the content. ``inputs`` are files, and folders whose pictures are read; those that are None
    or do not exist are passed over. A file is the same by any spelling, symbolic or hard link.
    """
    if path.is_dir() or not path.parent.is_dir():
        why = "it is a folder" if path.is_dir() else f"there is no folder {path.parent}"
        raise OutputError(f"{path}: the {what} cannot be written ({why})")
    check_no_input(path, what, inputs)


def check_no_input(path: Path, what: str, inputs: Iterable[Path | str | None]) -> None:
    """Raise OutputError if a file is one of the ``inputs`` of `check_output`."""
    if path.is_file() and any(path.samefile(file) for file in _files(inputs)):
        raise OutputError(f"{path}: is an input of this command; name another file for the {what}")


def write_output(path: Path, what: str, content: bytes) -> None:
    """Write a file as a whole (`write_whole`). Raises OutputError if it cannot be written."""
    check_output(path, what)
    try:
        write_whole(path, content)
    except OSError as error:
        raise OutputError(f"{path}: the {what} cannot be written ({error.strerror})") from None


def _files(inputs: Iterable[Path | str | None]) -> Iterator[Path]:
    """Yield the files among inputs, and the pictures in folders among them."""
    from vision.tiles.gallery import PICTURES  # late: most outputs do not exist before

    for one in (Path(given) for given in inputs if given is not None):
        if one.is_dir():
            yield from (file for file in one.iterdir() if file.suffix.lower() in PICTURES)
        elif one.exists():
            yield one
