"""Files and folders written beside and renamed: a full disk or a kill leaves the old content or the new one.

Unfinished content lies beside its place as ``.NAME.PROCESS-NUMBER.new``. It is removed when writing fails;
what a killed process left is removed at the next writing to the same name.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import re
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from glob import escape
from pathlib import Path

ENDING = ".new"
"""Ending of the name under which new content is written beside a file or folder."""
NAME_BYTES = 200
"""Bytes of a file's name that are part of the name beside it; file systems allow 255 in all."""
_numbers = itertools.count(1)
_under_way: set[Path] = set()
"""Unfinished files and folders of this process's threads."""


def write_whole(path: Path, content: bytes, *, mode: int | None = None) -> None:
    """Replace a file, or create it, so that readers find the old content or the new one.

    As `file_beside`; a pipe, a device and a file that is this process's standard output are written to
    directly.
    """
    if _is_stream(path):
        path.write_bytes(content)
        return
    with file_beside(path, mode=mode) as beside:
        beside.write_bytes(content)


@contextmanager
def file_beside(path: Path, *, mode: int | None = None) -> Iterator[Path]:
    """Yield an empty file beside ``path``, which replaces it when the ``with`` block ends without an error.

    The folder is created, and a symbolic link stays: its target is replaced. ``mode`` gives the rights of the
    file; by default an existing file keeps its rights and owner, and a new one gets those of the process's
    umask. Raises OSError, which names ``path``, if the file cannot be written, is a folder, or is protected
    from writing; nothing is left then.
    """
    place = Path(os.path.realpath(path))
    with _named(path):
        if place.is_dir():
            raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
        if place.exists() and not os.access(place, os.W_OK):
            raise OSError(errno.EACCES, os.strerror(errno.EACCES))
        place.parent.mkdir(parents=True, exist_ok=True)
        if not os.access(place.parent, os.W_OK | os.X_OK):
            raise OSError(errno.EACCES, "its folder takes no new file")
        with _unfinished(place) as beside:
            os.close(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else mode))
            if mode is None:
                _take_rights(place, beside)
            yield beside
            _to_disk(beside)
            beside.replace(place)
            _names_to_disk(place.parent)


@contextmanager
def folder_beside(path: Path, *, replaced: bool = False) -> Iterator[Path]:
    """Yield an empty folder beside ``path``, which gets that name when the ``with`` block ends without error.

    There may be nothing of that name, or an empty folder; with ``replaced`` any folder, which is removed (a
    kill in between can leave none of the two). An empty folder that cannot be replaced (it is mounted, the
    working directory, or in a folder that takes nothing) is filled name by name instead. Raises OSError,
    which names ``path``, if it cannot be written; nothing is left then.
    """
    place = Path(os.path.realpath(path))
    with _named(path):
        place.parent.mkdir(parents=True, exist_ok=True)
        stays = not replaced and place.is_dir() and _stays(place)
        with _unfinished(place / place.name if stays else place) as beside:
            beside.mkdir()
            yield beside
            for file in beside.rglob("*"):
                _to_disk(file)
            if stays:
                for made in sorted(beside.iterdir()):
                    made.rename(place / made.name)
                return
            if place.is_dir():
                _take_rights(place, beside)
                with _unfinished(place) as old:
                    place.rename(old) if replaced else place.rmdir()
                    beside.rename(place)
            else:
                beside.rename(place)
            _names_to_disk(place.parent)


def _stays(folder: Path) -> bool:
    """Whether an empty folder cannot be replaced by another one."""
    here = folder.samefile(Path.cwd()) or os.path.ismount(folder)
    return here or not os.access(folder.parent, os.W_OK | os.X_OK)


def remove_leftovers(folder: Path, name: str | None = None) -> None:
    """Remove what killed processes left in a folder: beside the file ``name``, or beside all files."""
    begins = ".*." if name is None else escape(_beginning(name))
    for beside in folder.glob(f"{begins}*{ENDING}"):
        told = re.fullmatch(r"(\d+)-\d+", beside.name.removesuffix(ENDING).rpartition(".")[2])
        if told is None or (name is not None and _beginning(name) + told[0] + ENDING != beside.name):
            continue
        process = int(told[1])
        if beside not in _under_way and (process == os.getpid() or not _runs(process)):
            _remove(beside)


@contextmanager
def _unfinished(place: Path) -> Iterator[Path]:
    """Yield an unused path beside ``place``; whatever is there at the end is removed."""
    remove_leftovers(place.parent, place.name)
    beside = place.with_name(f"{_beginning(place.name)}{os.getpid()}-{next(_numbers)}{ENDING}")
    _under_way.add(beside)
    try:
        yield beside
    finally:
        _remove(beside)
        _under_way.discard(beside)


def _beginning(name: str) -> str:
    """Return the beginning of the names beside a file."""
    return f".{name.encode(errors='ignore')[:NAME_BYTES].decode(errors='ignore')}."


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Context manager in which an OSError about what lies beside ``path`` names ``path`` itself."""
    try:
        yield
    except OSError as error:
        if error.errno is None or not (error.filename is None or str(error.filename).endswith(ENDING)):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from None


def _is_stream(path: Path) -> bool:
    """Whether a path is a pipe, a device, or the file that is this process's standard output or error."""
    try:
        found = path.stat()
    except OSError:
        return False
    return not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)) or any(
        os.path.samestat(found, one) for one in _standard_streams()
    )


def _standard_streams() -> Iterator[os.stat_result]:
    for number in (1, 2):
        with contextlib.suppress(OSError):  # it is closed
            yield os.fstat(number)


def _take_rights(place: Path, beside: Path) -> None:
    """Give a new file the rights of the one that it replaces, and its owner where that is allowed."""
    try:
        old, new = place.stat(), beside.stat()
    except FileNotFoundError:
        return
    if sys.platform != "win32" and (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        with contextlib.suppress(OSError):
            os.chown(beside, old.st_uid, old.st_gid)
    beside.chmod(stat.S_IMODE(old.st_mode))


def _to_disk(path: Path) -> None:
    """Wait until a file's content is on the disk, so that it is there before its name after a power cut."""
    if path.is_file():
        with path.open("rb+") as file:
            os.fsync(file.fileno())


def _names_to_disk(folder: Path) -> None:
    """Wait until the names in a folder are on the disk, where the system can."""
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            opened = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(opened)
            finally:
                os.close(opened)


def _remove(path: Path) -> None:
    """Remove a file or folder with its content, if it is there and can be removed."""
    with contextlib.suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _runs(process: int) -> bool:
    """Whether a process runs, as far as the system says it without ending the process (not on Windows)."""
    if sys.platform == "win32":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
