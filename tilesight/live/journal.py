"""Journal of a live table: its log while it is written, folded into the current state."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tilesight.live.album import Shot
from tilesight.table_log.event_fold import EntryKind, GameLedger
from tilesight.table_log.event_store import Entry, NotKeptError, TableStore
from tilesight.table_log.retention import keeps_pictures
from tilesight.table_log.turn_clock import TurnClock
from vision.image.jpeg_structure import is_cheap_jpeg

log = logging.getLogger("tilesight.live.journal")

PAUSE_S = 1800.0
"""Minimum seconds between two entries that count as a pause of the game."""
NOT_PLAYED = frozenset((EntryKind.SEATED, EntryKind.KEYED, EntryKind.RECOLORED))
"""Kinds of entries that do not count as playing. For example, a name may be corrected a week later."""
NO_STEP = frozenset(
    (
        EntryKind.LOOKED,
        EntryKind.DOUBTED,
        EntryKind.SEATED,
        EntryKind.STRAY,
        EntryKind.PAUSED,
        EntryKind.KEYED,
    )
)
"""Kinds of entries after which an undo or a redo does the same as before."""
PICTURES_IN_MEMORY = 400
"""Maximum number of a recording's pictures in memory, the latest ones."""


class LogFold:
    """Fold of a log's entries so far: the game's ledger, its span and its clock.

    ``began_s`` is the game's start in seconds since 1970, ``played_s`` its length without pauses in seconds,
    ``number`` the number of the latest entry (0 before the first), ``stepped`` that of the latest one that
    changed what an undo or a redo does.
    """

    def __init__(self, ledger: GameLedger[Any], began_s: float, entries: Iterable[Entry] = ()) -> None:
        """Begin with the empty ``ledger``, which can read the game's turns, and add ``entries``.

        Raises StoreError at an inconsistent entry.
        """
        self.ledger = ledger
        self.began_s, self.played_s = began_s, 0.0
        self.number = self.stepped = 0
        self._latest_s = began_s
        self._clock = TurnClock()
        for entry in entries:
            self.add(entry)

    def add(self, entry: Entry) -> None:
        """Add one more entry. Raises StoreError, and changes nothing, if it is inconsistent."""
        self.ledger, self.number = self.ledger.with_entry(entry), entry.number
        self._clock.add(entry)
        if entry.kind not in NO_STEP:
            self.stepped = entry.number
        if entry.kind in NOT_PLAYED:
            return
        since_s = entry.at_s - self._latest_s
        self.played_s += since_s if 0 <= since_s < PAUSE_S else 0.0
        self._latest_s = entry.at_s

    @property
    def clock(self) -> Mapping[str, Any] | None:
        """The seconds that each player took (`TurnClock.to_json`); None if they are not known."""
        return self._clock.to_json(self.ledger)


class FoldedStore(TableStore):
    """Read-only store of a log whose entries are folded already. It has neither entries nor pictures."""

    def __init__(self, path: Path, fold: LogFold) -> None:
        """``path`` is only a name for messages."""
        self.path, self.fold = path, fold
        self._lock = None

    def entry(self, number: int) -> None:
        """Return None: callers need an entry only for its pictures, and this store has none."""

    def picture(self, entry: int, name: str) -> bytes | None:
        """Return None: there are no pictures."""
        return None

    def append(self, kind: str, data: Mapping[str, Any], *_: Any, **__: Any) -> Entry:
        """Raise NotKeptError: the store is read-only."""
        raise NotKeptError(f"{self.path}: is not written")


class Journal:
    """The log of one table.

    ``ledger`` is the fold of its entries; it changes only after an entry is on the disk. Without a store, as
    for a recording, entries and pictures are held in memory.
    """

    def __init__(self, ledger: GameLedger[Any], store: TableStore | None) -> None:
        """Fold the entries of ``store`` into the empty ``ledger``, which can read the game's turns.

        Raises StoreError if they are inconsistent.
        """
        if isinstance(store, FoldedStore):
            fold = store.fold
        else:
            entries = [] if store is None else list(store.entries())
            fold = LogFold(ledger, entries[0].at_s if entries else time.time(), entries)
        self._fold = fold
        self._store = store
        self.refused = False
        """Whether the last entry could not be written to the disk."""
        self._short = False
        self._kept: dict[int, tuple[Mapping[str, Any], bytes]] = {}

    @property
    def ledger(self) -> GameLedger[Any]:
        """The current state of the game."""
        return self._fold.ledger

    @property
    def number(self) -> int:
        """Number of the latest entry; 0 before the first."""
        return self._fold.number

    @property
    def stepped(self) -> int:
        """Number of the latest entry that changed what an undo or a redo does; 0 before the first."""
        return self._fold.stepped

    @property
    def live(self) -> bool:
        """Whether the log is kept on the disk; false for a recording."""
        return self._store is not None

    @property
    def span(self) -> tuple[float, float]:
        """Start of the game in seconds since 1970, and its length in seconds without pauses."""
        return self._fold.began_s, self._fold.played_s

    @property
    def path(self) -> Path | None:
        """The log's current file; None for a recording. It is a new file if the first one was removed."""
        return None if self._store is None else self._store.path

    @property
    def writable(self) -> bool:
        """Whether the log's files exist, are writable, and took the last entry; true for a recording."""
        store = self._store
        return store is None or (not self.refused and store.intact and os.access(store.path, os.W_OK))

    def secure(self) -> None:
        """Continue in a new log if this log's files were removed (`TableStore.secure`). Raises GoneError."""
        if self._store is not None:
            self._store.secure()

    def write(self, kind: str, data: Mapping[str, Any], pictures: Mapping[str, bytes]) -> None:
        """Append one entry with its pictures (JPEG by name), and fold it into ``self.ledger``.

        Raises NotKeptError if it cannot be written; ``self.refused`` is then true and nothing else has
        changed.
        """
        if self._store is not None:
            self.refused = True
            entry = self._store.append(kind, data, self._with_room(self._store.path, pictures))
            self.refused = False
        else:
            entry = Entry(self.number + 1, kind, 0.0, dict(data))
            if "frame" in pictures:
                self._kept[entry.number] = (data, pictures["frame"])
                for number in list(self._kept)[:-PICTURES_IN_MEMORY]:
                    del self._kept[number]
        self._fold.add(entry)

    @property
    def clock(self) -> Mapping[str, Any] | None:
        """The seconds that each player took (`TurnClock.to_json`); None if they are not known."""
        return self._fold.clock

    def _with_room(self, path: Path, pictures: Mapping[str, bytes]) -> Mapping[str, bytes]:
        """Return ``pictures``, or none if the disk of ``path`` is almost full.

        Turns take precedence over pictures.
        """
        if not pictures:
            return pictures
        was_short, self._short = self._short, not keeps_pictures(path)
        if self._short and not was_short:
            log.warning("%s: no room for pictures, turns are kept without", path)
        return {} if self._short else pictures

    def shot(self, turn_no: int) -> Shot | None:
        """Return the picture kept with the latest entry that set turn ``turn_no`` (from 1).

        0 means the position before turn 1. None if there is no such turn, or no kept picture that can be
        decoded.
        """
        entries = (self.ledger.set_up_entry, *self.ledger.entry_of)
        if not 0 <= turn_no < len(entries):
            return None
        number = entries[turn_no]
        data, jpeg = self._kept.get(number, ({}, None))
        if self._store is not None:
            entry = self._store.entry(number)
            data = entry.data if entry is not None else {}
            jpeg = self._store.picture(number, "frame")
        if jpeg is None or not is_cheap_jpeg(jpeg):  # Tilesight itself writes only cheap JPEGs
            return None
        try:
            return Shot.kept(jpeg, data)
        except (ValueError, TypeError) as error:  # the log may come from elsewhere
            log.warning("the picture of turn %d cannot be shown: %s", turn_no, error)
            return None
