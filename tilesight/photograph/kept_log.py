"""Log of a photographed game: one for each photograph, and the same one when it is kept again."""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from engine.message import Message
from tilesight.table_log.event_fold import EntryKind, labels_kept
from tilesight.table_log.event_store import Entry, StoreError, TableStore, locked, write_log
from tilesight.table_log.log_files import log_path
from vision.image.whole_file import remove_leftovers
from web.table.refusal import Refusal

KEPT_KINDS = (
    [EntryKind.OPENED, EntryKind.SET_UP],
    [EntryKind.OPENED, EntryKind.SET_UP, EntryKind.ENDED],
    [EntryKind.OPENED, EntryKind.SET_UP, EntryKind.SCORED, EntryKind.ENDED],
)
"""Kinds of the entries of a log that holds nothing but a photographed board."""
ABOUT_TABLE = (EntryKind.KEYED, EntryKind.LOOKED)
"""Kinds of entries that say nothing about the game."""
Entries = Sequence[tuple[Entry, Mapping[str, bytes]]]
"""The entries of a log, each with its pictures (JPEG by name)."""


def kept_path(game: str, photograph: bytes) -> Path:
    """Return the path of the log of ``game`` that is kept from a photograph, given its file's content."""
    return log_path(f"{game}-photo-{hashlib.sha256(photograph).hexdigest()[:16]}")


def keep_log(path: Path, entries: Entries, *, again: bool = False) -> None:
    """Write the log of a photographed board, unless it is there: twice is once.

    With ``again`` it replaces one that was kept with other entries. Raises Refusal if there is one and not
    ``again``, if its game goes on, or if it cannot be read; StoreError if it cannot be written. The log is
    then as before.
    """
    wanted = [entry for entry, _ in entries]
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with ExitStack() as held:
            watched = _watched(path, held)
            remove_leftovers(path.parent, path.name)
            there = _entries_in(path)
            if there is None and not watched:
                write_log(path, entries)
            elif there is None or not _holds(there, wanted):
                if watched or there is None or _goes_on(there):
                    raise Refusal(
                        "goes_on", Message("a game goes on from this photograph already: open its table")
                    )
                if not again:
                    raise Refusal(
                        "kept_before",
                        Message(
                            "this photograph is kept already, with other names, points or corrections: "
                            "keep it again to replace that"
                        ),
                    )
                _replace(path, entries)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(f"{path}: cannot be written ({error})") from None


def _watched(path: Path, held: ExitStack) -> bool:
    """Lock a log until ``held`` ends; return whether another process has it open instead."""
    try:
        held.enter_context(locked(path))
    except StoreError:
        return True
    return False


def _entries_in(path: Path) -> tuple[Entry, ...] | None:
    """Return the entries of a log; None if there is none. Raises Refusal if it cannot be read."""
    if not path.exists():
        return None
    try:
        with TableStore(path, read_only=True) as store:
            return store.entries()
    except StoreError:
        raise Refusal("unreadable", Message("this game cannot be read")) from None


def _holds(there: Sequence[Entry], wanted: Sequence[Entry]) -> bool:
    """Whether a log has the wanted entries, apart from their times and the table's keys; one whose game goes
    on begins with them."""
    told, asked = _told(there), _told(wanted)
    if _goes_on(there):
        return told[: len(asked)] == asked
    return told == asked and labels_kept(there) == labels_kept(wanted)


def _goes_on(there: Iterable[Entry]) -> bool:
    """Whether a log holds more than a photographed board: its game was played on or corrected."""
    return [kind for kind, _ in _told(there)] not in KEPT_KINDS


def _told(entries: Iterable[Entry]) -> list[tuple[str, Any]]:
    """Return what entries say about the game, as it is read from a log."""
    about_game = (entry for entry in entries if entry.kind not in ABOUT_TABLE)
    return [(entry.kind, json.loads(json.dumps(entry.data))) for entry in about_game]


def _replace(path: Path, entries: Entries) -> None:
    """Replace a log that this process has locked."""
    with contextlib.closing(sqlite3.connect(path, timeout=0.5)) as base:
        base.execute("PRAGMA journal_mode = DELETE")  # SQLite would read its side files into the new log
    write_log(path, entries)
