"""File of a live game's log: that of an interrupted recent game, or a new one."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from tilesight.home import tables_folder
from tilesight.settings import SettingsError
from tilesight.table_log.event_fold import KEYED, access_of
from tilesight.table_log.event_store import SUFFIX, StoreError, TableStore, locked
from web.views.access import Access

TAKEN_UP_WITHIN_S = 12 * 3600.0
"""Seconds after its last entry within which a game is continued."""
LOOKED_AT = 20
"""Number of the latest logs that are looked through for it."""
SHORTEST_KEY = 6
"""Characters of a join key at least."""


def find_or_name_log(game: str, is_resumable: Callable[[TableStore], bool], *, new: bool) -> Path:
    """Return the latest log that ``is_resumable`` recognises as this game, interrupted, or a path for a new
    one.

    ``new`` always starts a new one. Raises StoreError if no file can be named, or if a recent log of this
    game cannot be read: people must decide then whether the game continues in it.
    """
    folder = tables_folder()
    if not new and folder.is_dir():
        for changed_s, path in sorted(_changed(folder), reverse=True)[:LOOKED_AT]:
            if time.time() - changed_s > TAKEN_UP_WITHIN_S:
                break
            try:
                with TableStore(path, read_only=True) as store:
                    if not is_resumable(store):
                        continue
                with locked(path):
                    return path
            except StoreError as error:
                if path.name.startswith(f"{game}-") and path.stat().st_size:
                    raise StoreError(f"{error} (begin another game with --new)") from None
    return new_log(game)


def new_log(game: str) -> Path:
    """Return a path for the log of a new table. Raises StoreError if no file can be named."""
    folder = tables_folder()
    stamp = time.strftime("%Y%m%d-%H%M%S")
    for number in range(1000):
        path = folder / f"{game}-{stamp}{f'-{number}' if number else ''}{SUFFIX}"
        if not path.exists():
            return path
    raise StoreError(f"{folder}: too many tables of this second")


def table_access(store: TableStore, given: str | None) -> Access:
    """Return the table's access keys: with the given join key, or else its own, or else a new one.

    They are kept in the log, so that players stay authorised after a restart. A join key that was replaced at
    the table stays replaced, even if the old one is given. Raises SettingsError if a given key is too short.
    """
    if given is not None:
        checked_key(given)
    entries = store.entries()
    access = access_of(entries) or (Access(given) if given else Access())
    if given is not None and given not in access.retired:
        access = replace(access, player=given)
    data = access.to_json()
    kept = [entry.data for entry in entries if entry.kind == KEYED][-1:]
    # An older log holds the join key alone: the others are made up now, and kept from now on.
    if kept != [{**(kept[0] if kept else {}), **data}]:
        store.append(KEYED, data)
    return access


def checked_key(given: str) -> str:
    """Return the key given by ``--key``. Raises SettingsError if it is too short."""
    if len(given) < SHORTEST_KEY:
        raise SettingsError(f"--key takes at least {SHORTEST_KEY} characters: a shorter one can be guessed")
    return given


def _changed(folder: Path) -> Iterator[tuple[float, Path]]:
    """Yield the logs in a folder, each with its modification time in seconds since 1970."""
    for path in folder.glob(f"*{SUFFIX}"):
        with contextlib.suppress(OSError):  # gone, or a link that leads nowhere
            # The last entries may still be in SQLite's side file.
            beside = path.with_name(f"{path.name}-wal")
            changed_s = path.stat().st_mtime
            yield max(changed_s, beside.stat().st_mtime if beside.exists() else 0.0), path
