"""Journal of a live table: its log while it is written, folded into the current state."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tilesight.live.album import Shot
from tilesight.table_log.event_fold import EntryKind, GameLedger, folded
from tilesight.table_log.event_store import Entry, TableStore
from tilesight.table_log.retention import keeps_pictures
from tilesight.table_log.turn_clock import TurnClock
from vision.image.jpeg_structure import is_cheap_jpeg

log = logging.getLogger("tilesight.live.journal")

PAUSE_S = 1800.0
"""Seconds between two entries that count as a pause of the game."""
NOT_PLAYED = frozenset((EntryKind.SEATED, EntryKind.KEYED, EntryKind.RECOLORED))
"""Kinds of entries that do not count as playing: a name may be corrected a week later."""
PICTURES_IN_MEMORY = 400
"""Maximum number of pictures held of a recording, the latest ones."""


class Journal:
    """The log of one table.

    ``ledger`` is the state that its entries fold to; it changes only after an entry is on the disk. Without a
    store, for a recording, entries and pictures are held in memory.
    """

    def __init__(self, ledger: GameLedger[Any], store: TableStore | None) -> None:
        """Fold the entries of ``store`` into ``ledger``, which is empty and can read the game's turns.

        Raises StoreError if they make no sense.
        """
        entries = [] if store is None else list(store.entries())
        self.ledger = folded(ledger, entries)
        self._began_s = entries[0].at_s if entries else time.time()
        self._latest_s, self._played_s = self._began_s, 0.0
        for entry in entries:
            self._count(entry)
        self._clock = TurnClock(entries)
        self._store = store
        self.refused = False
        """Whether the disk refused the last entry."""
        self._short = False
        self.number = len(entries)
        """Number of the latest entry; 0 before the first."""
        self._kept: dict[int, tuple[Mapping[str, Any], bytes]] = {}

    @property
    def live(self) -> bool:
        """Whether the log is kept on the disk; false for a recording."""
        return self._store is not None

    @property
    def span(self) -> tuple[float, float]:
        """Start of the game in seconds since 1970, and its length in seconds without pauses."""
        return self._began_s, self._played_s

    @property
    def path(self) -> Path | None:
        """The log's file, which is another after the first was removed; None for a recording."""
        return None if self._store is None else self._store.path

    @property
    def writable(self) -> bool:
        """Whether the log's files are there, writable, and took the last entry; true for a recording."""
        store = self._store
        return store is None or (not self.refused and store.intact and os.access(store.path, os.W_OK))

    def secure(self) -> None:
        """Go on in another log if this one's files were removed (`TableStore.secure`). Raises GoneError."""
        if self._store is not None:
            self._store.secure()

    def _count(self, entry: Entry) -> None:
        """Add the time since the entry before to the time played, unless it was a pause."""
        if entry.kind in NOT_PLAYED:
            return
        since_s = entry.at_s - self._latest_s
        self._played_s += since_s if 0 <= since_s < PAUSE_S else 0.0
        self._latest_s = entry.at_s

    def write(self, kind: str, data: Mapping[str, Any], pictures: Mapping[str, bytes]) -> None:
        """Append one entry with its pictures (JPEG by name), and fold it into ``self.ledger``.

        Raises NotKeptError if it cannot be written; ``self.refused`` is then true and nothing else has
        changed.
        """
        if self._store is not None:
            self.refused = True
            entry = self._store.append(kind, data, self._with_room(self._store.path, pictures))
            self.refused = False
            self._count(entry)
        else:
            entry = Entry(self.number + 1, kind, 0.0, dict(data))
            if "frame" in pictures:
                self._kept[entry.number] = (data, pictures["frame"])
                for number in list(self._kept)[:-PICTURES_IN_MEMORY]:
                    del self._kept[number]
        self.ledger, self.number = self.ledger.with_entry(entry), entry.number
        self._clock.add(entry)

    @property
    def clock(self) -> Mapping[str, Any] | None:
        """The seconds that each player took (`TurnClock.to_json`); None if they are not known."""
        return self._clock.to_json(self.ledger)

    def _with_room(self, path: Path, pictures: Mapping[str, bytes]) -> Mapping[str, bytes]:
        """Return ``pictures``, or none if the disk of ``path`` is almost full: the turns matter more."""
        if not pictures:
            return pictures
        was_short, self._short = self._short, not keeps_pictures(path)
        if self._short and not was_short:
            log.warning("%s: no room for pictures, turns are kept without", path)
        return {} if self._short else pictures

    def shot(self, turn_no: int) -> Shot | None:
        """Return the picture kept with the latest entry that set turn ``turn_no`` (from 1).

        0 is the position before turn 1. None if there is no such turn, or no picture was kept that can be
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
        if jpeg is None or not is_cheap_jpeg(jpeg):  # what is not cheap was not written by Tilesight
            return None
        try:
            return Shot.kept(jpeg, data)
        except (ValueError, TypeError) as error:  # the log may be a stranger's
            log.warning("the picture of turn %d cannot be shown: %s", turn_no, error)
            return None
