"""Restores a table's log from the hub's entries, so that another worker can continue the game."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tilesight.club.log_ids import log_id
from tilesight.club.messages import LogEntry
from tilesight.table_log.event_fold import EntryKind
from tilesight.table_log.event_store import SUFFIX, StoreError, TableStore
from web.table.access import Access

VOID = ".void"
"""Mark in the name of a log with which another worker's went apart."""


def restored(folder: Path, table: str, told: Sequence[LogEntry], key: str) -> Path:
    """Return the log file in which a game of the hub continues: our own, with its pictures, if we have it,
    else a new one. ``key`` is the table's join key.

    A file of ours that has diverged from the hub's log is put aside. Raises StoreError if none can be
    written.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    access = Access(player=key)
    if told:
        for path in sorted(folder.glob(f"{table}-*{SUFFIX}")):
            if VOID not in path.name and _goes_on(path, told, access):
                return path
    path = folder / f"{table}-{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}{SUFFIX}"
    if told:
        with TableStore(path) as store:
            _append(store, told, access)
    return path


def _goes_on(path: Path, told: Sequence[LogEntry], access: Access) -> bool:
    """Whether a file holds this game, after adding the hub's entries; entries that the hub lacks are kept."""
    try:
        with TableStore(path) as store:
            own = [LogEntry.of(entry) for entry in store.entries()]
            if not own or log_id(own[0].entry()) != log_id(told[0].entry()):
                return False
            same = min(len(own), len(told))
            if own[:same] == list(told[:same]):
                _append(store, told[same:], access)
                return True
    except StoreError:  # open in another process, which is stopped perhaps; or damaged
        return False
    path.rename(path.with_name(f"{path.name.removesuffix(SUFFIX)}{VOID}{SUFFIX}"))
    return False


def _append(store: TableStore, told: Sequence[LogEntry], access: Access) -> None:
    """Write entries unchanged, with the keys that never left their table.

    Consent to keep labels is not restored: it is for the computer on which it was given.
    """
    for entry in told:
        data = entry.data
        if entry.kind == EntryKind.KEYED:
            seen = data.get("spectators_see_camera") is not False
            data = replace(access, spectators_see_camera=seen).to_json()
        store.append(entry.kind, data, at_s=entry.at_s)
