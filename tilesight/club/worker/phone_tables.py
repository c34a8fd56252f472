"""Tables without a computer, as the hub announces them in NATS."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from nats.js.client import JetStreamContext

from tilesight.club.messages import MessageError, PhoneTable, read_message
from tilesight.club.subjects import PHONE_TABLES, table_id

log = logging.getLogger("tilesight.club.worker")

BUCKET = f"KV_{PHONE_TABLES}"
"""The bucket's stream."""
TABLE_BYTES = 4096
"""Bytes of what is kept of a table at most."""


class PhoneTables:
    """The tables by id, read again when one of them changes."""

    def __init__(self, stream: JetStreamContext) -> None:
        self._stream = stream
        self._read: tuple[object, Mapping[str, PhoneTable]] = None, {}

    async def open(self) -> Mapping[str, PhoneTable]:
        """Return the open tables. Raises NATS's errors if it does not answer."""
        info = await self._stream.stream_info(BUCKET, ">")
        state = (info.created, info.state.last_seq, info.state.messages)
        if state != self._read[0]:
            found = {}
            for subject in info.state.subjects or ():
                last = await self._stream.get_last_msg(BUCKET, subject, direct=True)
                try:
                    id = table_id(subject.rpartition(".")[2])
                    table = read_message(PhoneTable, last.data or b"", TABLE_BYTES)
                except (MessageError, ValueError) as error:
                    if last.data:  # what was removed has none
                        log.warning("%s: %s", subject, error)
                    continue
                if not table.closed:
                    found[id] = table
            self._read = state, found
        return self._read[1]
