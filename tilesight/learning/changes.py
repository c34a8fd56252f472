"""Changes that `tilesight learn` kept: each is recorded with the former files, so that it can be undone."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from vision.image.whole_file import write_whole

RECORD = "change.json"
NUMBERED = "[0-9][0-9][0-9][0-9]"
"""Names of the folders of changes."""


class ChangeError(ValueError):
    """A change that cannot be kept or undone; the message is one line for the user."""


def keep(folder: Path, files: Mapping[Path, bytes], lessons: Sequence[Mapping[str, Any]]) -> None:
    """Write the new content of ``files``, after their former content was copied into ``folder``.

    ``lessons`` say what was learned. Raises ChangeError if a file cannot be written.
    """
    numbers = [int(one.name) for one in folder.glob(NUMBERED)]  # incomplete ones, after a crash, too
    change = folder / f"{max(numbers, default=0) + 1:04d}"
    try:
        change.mkdir(mode=0o700, parents=True)
        kept = []
        for index, (path, content) in enumerate(files.items()):
            former = f"{index}.former" if path.is_file() else None
            if former is not None:
                shutil.copyfile(path, change / former)
            kept.append({"path": str(path.resolve()), "former": former, "sha256": _sha256(content)})
        record = {"tilesight": 1, "at_s": round(time.time(), 3), "files": kept, "lessons": list(lessons)}
        write_whole(change / RECORD, f"{json.dumps(record, indent=1)}\n".encode())
        for path, content in files.items():
            write_whole(path, content)
    except OSError as error:
        raise ChangeError(f"{error.filename or folder}: cannot be written ({error.strerror})") from None


def undo(folder: Path) -> list[Path]:
    """Restore the files of the latest change, and return their paths.

    Raises ChangeError if there is no change, or if a file was changed since by something else.
    """
    changes = _changes(folder)
    if not changes:
        raise ChangeError("nothing that was learned is left to undo")
    change = changes[-1]
    restored: dict[Path, bytes | None] = {}
    try:
        for file in json.loads((change / RECORD).read_text("utf-8"))["files"]:
            path, former = Path(file["path"]), file["former"]
            before = None if former is None else (change / former).read_bytes()
            now = path.read_bytes() if path.is_file() else None
            if now != before and (now is None or _sha256(now) != file["sha256"]):
                raise ChangeError(f"{path}: was changed since, so it is left as it is")
            restored[path] = before
        for path, before in restored.items():
            if before is None:
                path.unlink(missing_ok=True)
            else:
                write_whole(path, before)
        shutil.rmtree(change)
    except OSError as error:
        raise ChangeError(f"{error.filename or change}: cannot be restored ({error.strerror})") from None
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, ChangeError):
            raise
        raise ChangeError(f"{change / RECORD}: is damaged; the former files are beside it") from None
    return list(restored)


def _changes(folder: Path) -> list[Path]:
    """Return the folders of the complete changes, oldest first."""
    return sorted(one for one in folder.glob(NUMBERED) if (one / RECORD).is_file())


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
