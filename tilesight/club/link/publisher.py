"""Publisher of a table's log: every entry once and in order, across disconnections and crashes."""

from __future__ import annotations

from tilesight.club.frames import ENTRIES_AT_MOST, Entries, Held, Hello, batches
from tilesight.club.link.log_reader import LogReader
from tilesight.club.link.uplink import Uplink
from tilesight.club.messages import FORGOTTEN, LogEntry
from tilesight.table_log.event_store import StoreError


class DivergedError(StoreError):
    """The hub's log differs from ours: another table has continued this game."""


class Publisher:
    """Publishes one log.

    The hub's last entry says how far it has come. A batch follows when the one before is committed there, and
    what was sent twice is stored once.
    """

    def __init__(self, uplink: Uplink, log: LogReader) -> None:
        self._uplink = uplink
        self._log = log
        self._at: int | None = None
        self._session = 0
        self.sent = 0
        """Entries that this process has published."""

    async def publish_new(self) -> int:
        """Publish the entries that the hub lacks, and return their number.

        Raises ConnectionError, or StoreError if the log cannot be read; both can be retried. Raises
        DivergedError if the hub has other entries; then nothing more of this log may be published.
        """
        if not self._uplink.is_connected:
            raise ConnectionError("the hub is away")
        game = self._log.game
        if game is None:
            return 0
        begun = self.sent
        if self._session != self._uplink.session:
            self._at = None
        try:
            if self._at is None:
                self._session = self._uplink.session
                self._at = await self._last(game)
            while entries := self._log.after(self._at, ENTRIES_AT_MOST):
                self._uplink.unsent = len(entries)
                batch = next(batches(map(LogEntry.of, entries)))
                await self._uplink.ask(Entries(game=game, entries=batch))
                self._at = batch[-1].number
                self.sent += len(batch)
        except BaseException:
            self._at = None  # perhaps it was stored, and only the answer lost
            raise
        self._uplink.unsent = 0
        return self.sent - begun

    async def _last(self, game: str) -> int:
        """Return the number of the last entry at the hub, 0 if it has none."""
        held = await self._uplink.ask(Hello(game=game))
        told = held.last if isinstance(held, Held) else None
        if told is None:
            return 0
        own = [LogEntry.of(entry) for entry in self._log.after(told.number - 1, 1)]
        # After that of a log that was removed at the hub nothing comes, and nothing has gone apart.
        if own != [told] and told.kind != FORGOTTEN:
            raise DivergedError(f"{self._log.path}: the hub has another entry {told.number} of this game")
        return told.number
