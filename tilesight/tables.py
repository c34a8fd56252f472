"""Which file keeps a live game's log: the one of a game that was broken off lately, else a new one."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from tilesight.store import SUFFIX, StoreError, TableStore, tables_folder

TAKEN_UP_WITHIN_S = 12 * 3600.0
"""A game that was broken off is taken up again within this time."""
LOOKED_AT = 20


def table_file(game: str, goes_on: Callable[[TableStore], bool], *, new: bool) -> Path:
    """The latest table that ``goes_on`` recognises as this very game, broken off; ``new`` always begins
    another. StoreError where no file can be named."""
    folder = tables_folder()
    if not new and folder.is_dir():
        tables = sorted(folder.glob(f"*{SUFFIX}"), key=lambda p: p.stat().st_mtime, reverse=True)
        for path in tables[:LOOKED_AT]:
            if time.time() - path.stat().st_mtime > TAKEN_UP_WITHIN_S:
                break
            try:
                with TableStore(path) as store:
                    if goes_on(store):
                        return path
            except StoreError:
                continue
    stamp = time.strftime("%Y%m%d-%H%M%S")
    for number in range(1000):
        path = folder / f"{game}-{stamp}{f'-{number}' if number else ''}{SUFFIX}"
        if not path.exists():
            return path
    raise StoreError(f"{folder}: too many tables of this second")
