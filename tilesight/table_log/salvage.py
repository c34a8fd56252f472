"""Salvage of a damaged table log: its undamaged entries, and the game that they still fold to."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from tilesight.table_log.event_fold import EntryKind, GameLedger
from tilesight.table_log.event_store import DAMAGE, Entry, StoreError, entry_of
from tilesight.table_log.page_scan import entries_on_pages
from tilesight.table_log.sqlite_log import reading

HARMLESS = (EntryKind.LOOKED, EntryKind.SEATED, EntryKind.KEYED, EntryKind.STRAY)
"""Kinds of entry that no later entry depends on."""
RELATIVE = (EntryKind.UNDONE, EntryKind.REDONE, EntryKind.ENDED)
"""Kinds of entry that refer to the game's state just before."""
MOST_ENTRIES = 1_000_000
"""Maximum number of entries that are searched for, as a damaged entry number may be arbitrary."""

SalvagedRow = Entry | str
"""Entry, or the kind of a damaged one as far as it can be read."""


def rows_in(path: Path) -> list[SalvagedRow]:
    """Return every entry of a damaged log in order, from number 1 to the last trace of one.

    A damaged entry is its kind, "" if not even that can be read. Raises StoreError if another process has the
    log open.
    """
    rows: dict[int, SalvagedRow] = {}
    with closing(reading(path)) as base:
        try:
            base.execute("PRAGMA writable_schema = ON")  # else nothing is read of a file that was cut short
            rows = dict(_rows(base))
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                raise StoreError(f"{path}: another Tilesight has this table open") from None
        except DAMAGE:
            pass  # not even its list of tables
    for entry in entries_on_pages(path):  # also those that the damaged B-tree does not reach
        if not isinstance(rows.get(entry.number), Entry) and 0 < entry.number <= MOST_ENTRIES:
            rows[entry.number] = entry
    return [rows.get(number, "") for number in range(1, max(rows, default=0) + 1)]


def _rows(base: sqlite3.Connection) -> Iterator[tuple[int, SalvagedRow]]:
    """Yield (number, entry or its kind) of the rows that SQLite finds, also after unreadable ones."""
    base.text_factory = lambda data: data.decode(errors="replace")
    columns = [name for _, name, *_ in base.execute("PRAGMA table_info(entries)")]
    checked = "sum" if "sum" in columns else "NULL"
    of_next = (
        f"SELECT number, kind, at_s, data, {checked} FROM entries WHERE number >= ? ORDER BY number LIMIT 1"
    )
    last, number = _last_number(base), 1
    while number <= last:
        try:
            row = base.execute(of_next, (number,)).fetchone()
        except DAMAGE:  # it is on a damaged page; the next one may not be
            number += 1
            continue
        if row is None:
            return
        if row[0] > last:
            return
        yield row[0], entry_of(row) or str(row[1])
        number = row[0] + 1


def _last_number(base: sqlite3.Connection) -> int:
    """Return the highest number of an entry of which there is any trace; 0 without any."""
    told = [0]
    for question in ("SELECT max(number) FROM entries", "SELECT max(entry) FROM pictures"):
        try:
            number = base.execute(question).fetchone()[0]
        except DAMAGE:
            continue
        if isinstance(number, int) and number <= MOST_ENTRIES:
            told.append(number)
    return max(told)


def salvaged(
    found: Sequence[SalvagedRow], ledger: GameLedger[Any], is_legal: Callable[[GameLedger[Any]], bool]
) -> tuple[list[Entry], GameLedger[Any]]:
    """Return the entries of ``found`` that can be kept, and the ledger that they fold to.

    ``ledger`` is empty and reads the game's turns. All entries before the first damaged one that matters are
    kept. Later ones are kept if they make sense without the loss: turns that continue the known ones and are
    legal (``is_legal``), points, names.
    """
    kept: list[Entry] = []
    whole, since = True, _Since()
    for entry in found:
        if isinstance(entry, str):
            if entry not in HARMLESS:
                whole, since = False, _Since()
            continue
        if not whole and not since.can_be_meant_by(entry.kind):
            continue
        try:
            following = ledger.with_entry(entry)
        except StoreError:
            whole, since = False, _Since()
            continue
        if not whole and following.turns != ledger.turns and not is_legal(following):
            since = _Since()
            continue
        since.take(entry.kind)
        ledger = following
        kept.append(entry)
    return kept, ledger


class _Since:
    """Counts of changes since the latest lost entry: those that can be undone, and those that were."""

    def __init__(self) -> None:
        self._changes = self._undone = 0

    def can_be_meant_by(self, kind: str) -> bool:
        """Whether an entry of that kind surely refers to no lost change.

        Only undo, redo and end refer to the state just before them.
        """
        return kind not in RELATIVE or bool(self._undone if kind == EntryKind.REDONE else self._changes)

    def take(self, kind: str) -> None:
        """Count one more entry that is kept."""
        if kind == EntryKind.UNDONE:
            self._changes, self._undone = self._changes - 1, self._undone + 1
        elif kind == EntryKind.REDONE:
            self._changes, self._undone = self._changes + 1, self._undone - 1
        elif kind not in HARMLESS:
            self._changes, self._undone = self._changes + 1, 0
