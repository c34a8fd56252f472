"""Versions of a score's inputs: hashes of a session, a gallery, and the code of each stage.

A stage's version includes the earlier stages: if the code of the seeing stage changes, turns are inferred
anew too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SHOWN = 16
"""Number of hexadecimal digits of a hash in file names. Among a million sessions, two share them with a
probability of 3e-8."""
SEEING = ("vision", "calibration", "models")
"""Packages that turn a picture into an observation."""
UNDERSTANDING = ("engine", "tilesight")
"""Packages that turn observations into turns and scores."""
KINDS = {".py", ".json", ".onnx"}
"""Suffixes of files that are code, packs or weights."""
LEFT_OUT = (
    "models/train/",
    "tilesight/bench/",
    "tilesight/printing/",
    "tilesight/lobby/",
    "tilesight/archive/",
    "tilesight/web/",
)
"""Folders without effect on a score."""


@dataclass(frozen=True, slots=True)
class Versions:
    """Versions of the code: of the ``seeing`` stage, and of ``understanding``, which includes seeing."""

    seeing: str
    understanding: str


@cache
def code_versions() -> Versions:
    """Return the versions of the running code."""
    seeing = _hash(_lines_of(SEEING))
    return Versions(seeing, _hash([seeing, *_lines_of(UNDERSTANDING)]))


def file_hash(path: Path) -> str:
    """Return the hash of a file's bytes. Raises OSError if it cannot be read."""
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def session_hash(folder: Path, pictures: Iterable[Path]) -> str:
    """Return the hash of a session: of all files in its folder (a film included) and its pictures.

    File names are hashed too. Raises OSError if a file cannot be read.
    """
    beside = (path for path in folder.iterdir() if path.is_file())
    files = sorted({*beside, *(path for path in pictures if path.is_relative_to(folder))})
    return _hash(f"{path.relative_to(folder).as_posix()} {file_hash(path)}" for path in files)


def _lines_of(packages: Iterable[str]) -> Iterable[str]:
    for package in packages:
        root = _folder_of(package)
        for path in sorted(root.rglob("*")):
            name = f"{package}/{path.relative_to(root).as_posix()}"
            if path.suffix in KINDS and not name.startswith(LEFT_OUT):
                yield f"{name} {file_hash(path)}"


def _folder_of(package: str) -> Path:
    """Return the folder of one of our packages. In a wheel, the other packages are inside `tilesight`."""
    here = Path(__file__).resolve().parents[1]
    if package == here.name:
        return here
    return here / package if (here / package).is_dir() else here.parent / package


def _hash(lines: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line.encode() + b"\n")
    return digest.hexdigest()[:SHOWN]
