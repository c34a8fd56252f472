"""Versions of what a score depends on: hashes of a session, a gallery, and the code of each stage.

A stage's version covers the stages before it: whoever sees differently also understands anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SHOWN = 16
"""Hexadecimal digits of a hash in names of files: by chance two of a billion sessions agree in ten billion
archives."""
SEEING = ("vision", "calibration", "models")
"""Packages that make an observation of a picture."""
UNDERSTANDING = ("engine", "tilesight")
"""Packages that make turns and scores of observations."""
KINDS = {".py", ".json", ".onnx"}
"""Endings of files that are code, packs or weights."""
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
    """Versions of the code: of ``seeing`` alone, and of it with ``understanding``."""

    seeing: str
    understanding: str


@cache
def code_versions() -> Versions:
    """The versions of the code that runs here."""
    seeing = _hash(_lines_of(SEEING))
    return Versions(seeing, _hash([seeing, *_lines_of(UNDERSTANDING)]))


def file_hash(path: Path) -> str:
    """The hash of a file's bytes. OSError where it cannot be read."""
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def session_hash(folder: Path, pictures: Iterable[Path]) -> str:
    """The hash of a session: of every file beside its manifest, a film among them, and of its pictures, with
    their names. OSError where one cannot be read."""
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
    """The folder of a package of ours: a wheel has the others inside of `tilesight`."""
    here = Path(__file__).resolve().parents[1]
    if package == here.name:
        return here
    return here / package if (here / package).is_dir() else here.parent / package


def _hash(lines: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line.encode() + b"\n")
    return digest.hexdigest()[:SHOWN]
