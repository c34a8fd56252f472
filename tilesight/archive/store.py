"""Store of an archive: observations and results as plain files, named by the hashes of their inputs.

Several processes may write to one folder at the same time, also over a network: a file gets its final name
only when it is complete.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from vision.image.whole_file import write_whole
from vision.observation import Observation

LEVEL = 1
"""Compression level of zlib. Observations shrink to a sixth as fast as the disk writes them."""
LARGEST = 1 << 30
"""Maximum size of one session's observations, in bytes: that of 100 000 pictures."""


class ArchiveError(ValueError):
    """An archive cannot be used; the message is one line for the user."""


class ArchiveStore:
    """Folder of an archive.

    ``session``, ``gallery`` and versions are hashes (`tilesight.archive.versions`). The gallery's is "own" if
    the deck needs none.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def observations(self, session: str, gallery: str, seeing: str) -> list[Observation] | None:
        """Return the session's observations, one per picture; None if they are missing or unreadable."""
        path = self._observed(session, gallery, seeing)
        try:
            unpacked = zlib.decompressobj().decompress(path.read_bytes(), LARGEST)
            found: list[Observation] = _decoder().decode(unpacked)
            return found
        except (OSError, zlib.error, ValueError):  # msgspec's errors are ValueErrors
            return None

    def keep_observations(
        self, session: str, gallery: str, seeing: str, observations: Iterable[Observation]
    ) -> None:
        """Store a session's observations, one per picture."""
        packed = _msgpack().encode(list(observations), enc_hook=_encoded)
        write_whole(self._observed(session, gallery, seeing), zlib.compress(packed, LEVEL))

    def result(self, session: str, gallery: str, understanding: str) -> dict[str, Any] | None:
        """Return a stored result; None if it is missing or unreadable."""
        return _read(self._result(session, gallery, understanding))

    def keep_result(self, session: str, gallery: str, understanding: str, result: dict[str, Any]) -> None:
        """Store a result."""
        write_whole(self._result(session, gallery, understanding), json.dumps(result).encode())

    def before(self, session: str, gallery: str, understanding: str) -> dict[str, Any] | None:
        """Return the latest result of the session by another version; None if there is none."""
        now = self._result(session, gallery, understanding)
        others = [path for path in now.parent.glob(f"{gallery}.*.json") if path != now]
        for path in sorted(others, key=lambda path: path.stat().st_mtime_ns, reverse=True):
            if (found := _read(path)) is not None:
                return found
        return None

    def _observed(self, session: str, gallery: str, seeing: str) -> Path:
        return self._folder / "observations" / session / f"{gallery}.{seeing}.msgpack.z"

    def _result(self, session: str, gallery: str, understanding: str) -> Path:
        return self._folder / "results" / session / f"{gallery}.{understanding}.json"


def _read(path: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _encoded(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, np.ascontiguousarray(value).tobytes()
    if isinstance(value, np.generic):
        return value.item()
    raise NotImplementedError(type(value))


def _decoded(kind: Any, value: Any) -> Any:
    if getattr(kind, "__origin__", kind) is np.ndarray:
        dtype, shape, data = value
        return np.frombuffer(data, np.dtype(dtype)).reshape(shape)
    raise NotImplementedError(kind)


def _msgpack() -> Any:
    """Return the module ``msgspec.msgpack``, which comes with an extra.

    Raises ArchiveError if it is not installed.
    """
    try:
        return import_module("msgspec.msgpack")
    except ImportError:
        raise ArchiveError("archives need msgspec: pip install 'tilesight[club]'") from None


@cache
def _decoder() -> Any:
    return _msgpack().Decoder(list[Observation], dec_hook=_decoded)
