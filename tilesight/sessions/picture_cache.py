"""Cache of pictures that a session does not hold as files, made when it is first read."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

from vision.image.whole_file import folder_beside


def made_once(kind: str, source: bytes, make: Callable[[Path], None]) -> Path:
    """Return the folder of the user's cache for ``source``; the first call lets ``make`` fill it.

    ``kind`` names the part of the cache. The folder is complete or absent, also if a process is killed.
    Raises OSError if it cannot be written, and the errors of ``make``.
    """
    from platformdirs import user_cache_path

    key = hashlib.sha256(source).hexdigest()[:16]
    kept = user_cache_path("tilesight", appauthor=False) / kind / key
    if not kept.is_dir():
        try:
            with folder_beside(kept) as beside:
                make(beside)
        except OSError:
            if not kept.is_dir():  # another process may have been faster
                raise
    return kept
