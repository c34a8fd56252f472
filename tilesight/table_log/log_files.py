"""File of a live game's log: that of an interrupted recent game, or a new one."""

from __future__ import annotations

import contextlib
import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from tilesight.home import tables_folder
from tilesight.settings import SettingsError
from tilesight.table_log.event_fold import EntryKind, access_of, labels_kept
from tilesight.table_log.event_store import SUFFIX, StoreError, TableStore, locked
from tilesight.table_log.sqlite_log import files_of
from web.table.access import Access

TAKEN_UP_WITHIN_S = 12 * 3600.0
"""Seconds after its last entry within which a game is continued."""
LOOKED_AT = 20
"""Number of the latest logs that are looked through for it."""
SHORTEST_KEY = 6
"""Characters of a join key at least."""


def find_or_name_log(game: str, is_resumable: Callable[[TableStore], bool], *, new: bool) -> Path:
    """Return the latest log of this game that can be continued, or a path for a new one.

    ``game`` begins the file's name; ``is_resumable`` says whether a log holds this game, interrupted. ``new``
    always gives a new path. Raises StoreError if a recent log of this game cannot be read: people must decide
    then whether the game continues in it.
    """
    for changed_s, path in () if new else latest_logs()[:LOOKED_AT]:
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
    """Return an unused path for the log of a new table of ``game``, named by the time."""
    paths = map(log_path, numbered(time.strftime(f"{game}-%Y%m%d-%H%M%S")))
    return next(path for path in paths if not path.exists())


def log_path(name: str) -> Path:
    """Return the path of the log with that name (without suffix) in the folder of tables."""
    return tables_folder() / f"{name}{SUFFIX}"


def numbered(name: str) -> Iterator[str]:
    """Yield ``name``, then ``name-2``, ``name-3`` and so on without end."""
    yield name
    yield from (f"{name}-{number}" for number in itertools.count(2))


def latest_logs() -> list[tuple[float, Path]]:
    """Return the logs in the folder of tables, each with its modification time, latest first."""
    return sorted(((changed_at_s(path), path) for path in tables_folder().glob(f"*{SUFFIX}")), reverse=True)


def changed_at_s(path: Path) -> float:
    """Return the modification time of a log in seconds since 1970; 0 if there is none."""
    times = [0.0]
    for file in files_of(path)[:2]:  # the last entries may be in the write-ahead file
        with contextlib.suppress(OSError):
            times.append(file.stat().st_mtime)
    return max(times)


def table_access(store: TableStore, given: str | None, *, keep_labels: bool = False) -> Access:
    """Return the table's access keys, and write them to the log if they are new.

    The join key is the ``given`` one, else the log's, else a new one. Keys are kept in the log, so that
    players stay authorised after a restart. A join key that was replaced at the table stays replaced, even if
    the old one is given. In the same way ``keep_labels`` gives consent only at a table that never had it: one
    that was withdrawn stays withdrawn. Raises SettingsError if a given key is too short, StoreError if the
    log cannot be read or written.
    """
    if given is not None:
        checked_key(given)
    entries = store.entries()
    access = access_of(entries) or (Access(given) if given else Access())
    if given is not None and given not in access.retired:
        access = replace(access, player=given)
    if keep_labels and not any(labels_kept((entry,)) for entry in entries):
        access = replace(access, keep_labels=True)
    data = access.to_json()
    kept = [entry.data for entry in entries if entry.kind == EntryKind.KEYED][-1:]
    # An older log holds the join key alone: the others are made up now, and kept from now on.
    if kept != [{**(kept[0] if kept else {}), **data}]:
        store.append(EntryKind.KEYED, data)
    return access


def checked_key(given: str) -> str:
    """Return the key given by ``--key``. Raises SettingsError if it is too short."""
    if len(given) < SHORTEST_KEY:
        raise SettingsError(f"--key takes at least {SHORTEST_KEY} characters: a shorter one can be guessed")
    return given


def is_locked(path: Path) -> bool:
    """Whether a log cannot be locked for writing now: a process has it open, or its folder takes no file."""
    try:
        locked(path).free()
    except (StoreError, OSError):
        return True
    return False
