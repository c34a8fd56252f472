"""Retention: removes pictures of finished tables, and keeps no more pictures when the disk is almost full.

Entries, and so the games, always stay whole.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from pathlib import Path

from tilesight.table_log.event_store import SUFFIX, StoreError, TableStore

SHORT_BYTES = 500_000_000
"""Bytes of free disk below which people are warned."""
FREE_BYTES = 200_000_000
"""Bytes of free disk below which later pictures are not kept."""
TABLE_BYTES = 500_000_000
"""Bytes of one table's log above which later pictures are not kept: ten long games take a tenth of it."""
DAY_S = 24 * 3600.0
"""Seconds of a day."""


def keeps_pictures(path: Path) -> bool:
    """Whether a table's log and its disk have room for more pictures; True if that cannot be found out."""
    try:
        free = shutil.disk_usage(path.parent).free
        return path.stat().st_size <= TABLE_BYTES and free >= FREE_BYTES
    except OSError:
        return True


def short_of_room(folder: Path) -> str | None:
    """Return a warning if the disk of a folder is almost full; None if not, or if that is unknown."""
    try:
        free = shutil.disk_usage(folder).free
    except OSError:
        return None
    if free >= SHORT_BYTES:
        return None
    return f"Only {free // 1_000_000} MB are free in {folder}; tilesight table thin removes old pictures."


def thin(folder: Path, older_days: float, keep_bytes: int | None = None) -> dict[Path, int]:
    """Remove the pictures of tables last changed more than ``older_days`` ago, oldest first.

    Stops once all tables together take at most ``keep_bytes`` (None: goes through all such tables). Returns
    the bytes freed by table. Tables that are open or damaged are skipped.
    """
    tables = sorted(folder.glob(f"*{SUFFIX}"), key=lambda path: path.stat().st_mtime)
    freed: dict[Path, int] = {}
    for path in tables:
        if keep_bytes is not None and _bytes_of(tables) <= keep_bytes:
            break
        changed_s = path.stat().st_mtime
        if time.time() - changed_s < older_days * DAY_S:
            continue
        before = _bytes_of([path])
        try:
            with TableStore(path) as store:
                removed = store.remove_pictures()
        except StoreError:
            continue
        if removed:
            freed[path] = before - _bytes_of([path])
    return freed


def _bytes_of(paths: Sequence[Path]) -> int:
    """Return the total size of files in bytes."""
    return sum(path.stat().st_size for path in paths)
