"""Publisher of a table's log: every entry exactly once and in order, across disconnections and crashes."""

from __future__ import annotations

import asyncio
import json

from nats.errors import Error as NatsError
from nats.js.api import Header, RawStreamMsg
from nats.js.client import JetStreamContext
from nats.js.errors import NotFoundError

from tilesight.club.link.log_reader import LogReader
from tilesight.club.messages import ENTRY_BYTES, FORGOTTEN, LogEntry, read_message
from tilesight.club.subjects import STREAM, log_subject
from tilesight.table_log.event_store import Entry, StoreError

ANSWER_S = 5.0
"""Seconds within which the stream answers that it has an entry."""
AWAY = (NatsError, OSError, TimeoutError, json.JSONDecodeError)
"""Errors after which the stream is asked again what it has."""


class DivergedError(StoreError):
    """The stream's log differs from ours: another table has continued this game."""


class Publisher:
    """Publishes one log to the stream.

    The stream's last message on the log's subject says how far it has come. Each message names its
    predecessor, so the server refuses one that is sent twice, or by two links at once. Messages have no id
    (Nats-Msg-Id): ids are unique per stream and not per subject, so another table that used one first would
    make an entry pass for a duplicate.
    """

    def __init__(self, stream: JetStreamContext, table: str, log: LogReader) -> None:
        self._stream = stream
        self._table = table
        self._log = log
        self._at: tuple[int, int] | None = None
        self.sent = 0
        """Entries that this process has published."""

    async def publish_new(self) -> int:
        """Publish the entries that the stream lacks, and return their number.

        Raises one of `AWAY`, or StoreError if the log cannot be read; both can be retried. Raises
        DivergedError if the stream has other entries; then nothing more of this log may be published.
        """
        game = self._log.game
        if game is None:
            return 0
        subject = log_subject(self._table, game)
        begun = self.sent
        try:
            if self._at is None:
                self._at = await self._last(subject)
            while entries := self._log.after(self._at[0]):
                for entry in entries:
                    self._at = await self._publish(subject, entry, self._at[1])
                    self.sent += 1
        except BaseException:
            self._at = None  # perhaps it was stored, and only the answer lost
            raise
        return self.sent - begun

    async def _publish(self, subject: str, entry: Entry, after: int) -> tuple[int, int]:
        """Publish one entry after the message with sequence ``after``. Return its number and sequence."""
        headers = {Header.EXPECTED_LAST_SUBJECT_SEQUENCE.value: str(after)}
        body = LogEntry.of(entry).encoded()
        stored = await self._stream.publish(subject, body, timeout=ANSWER_S, stream=STREAM, headers=headers)
        return entry.number, stored.seq

    async def _last(self, subject: str) -> tuple[int, int]:
        """Return the number and the stream sequence of the last entry in the stream; zeros if there is
        none."""
        try:
            last: RawStreamMsg = await asyncio.wait_for(
                self._stream.get_last_msg(STREAM, subject, direct=True), ANSWER_S
            )
        except NotFoundError:
            return 0, 0
        told = read_message(LogEntry, last.data or b"", ENTRY_BYTES)
        # After that of a log that was removed at the hub nothing comes, and nothing has gone apart.
        own = [LogEntry.of(entry) for entry in self._log.after(told.number - 1, 1)]
        if own != [told] and told.kind != FORGOTTEN:
            raise DivergedError(f"{self._log.path}: the hub has another entry {told.number} of this game")
        return told.number, last.seq or 0
