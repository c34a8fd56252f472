"""Leases: which worker runs which table, stored in NATS and renewed every second."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from nats.js.api import Header
from nats.js.client import JetStreamContext
from nats.js.errors import APIError, NotFoundError

from tilesight.club.subjects import LEASES

HELD_S = 3.0
"""Seconds without a renewal after which its holder lets a table go: a second before another may take it."""
RENEW_S = 1.0
"""Seconds between two renewals."""
ANSWER_S = 1.0
"""Seconds within which a renewal is answered."""
GIVEN_BACK_S = 1.0
"""Seconds for which the word that a lease was given back stays."""
BUCKET = f"KV_{LEASES}"
"""The bucket's stream."""
OTHER_SEQUENCE = 10071
"""NATS's code for a message that does not follow the one that it names."""


class LeaseLostError(Exception):
    """A lease has expired or passed to another worker."""


@dataclass(slots=True)
class Lease:
    """The right to run a table.

    ``revision`` is its revision in the bucket, ``renewed_s`` when it was last renewed, by a clock that runs
    on while the worker is suspended.
    """

    table: str
    revision: int
    renewed_s: float


class Leases:
    """The leases of one worker, identified as ``holder``. Methods raise NATS's errors if it does not
    answer."""

    def __init__(
        self, stream: JetStreamContext, holder: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._stream = stream
        self._holder = holder.encode()
        self._clock = clock

    async def held(self) -> frozenset[str]:
        """Return the tables under a lease of any worker."""
        info = await self._stream.stream_info(BUCKET, ">")
        return frozenset(subject.rpartition(".")[2] for subject in info.state.subjects or ())

    async def take(self, table: str) -> Lease | None:
        """Acquire the lease of a table; None if another worker was faster."""
        begun_s = self._clock()
        revision = await self._put(table, 0)
        return None if revision is None else Lease(table, revision, begun_s)

    async def renew(self, lease: Lease) -> None:
        """Renew a lease. Raises LeaseLostError if it has expired or passed to another worker."""
        begun_s = self._clock()
        revision = await self._put(lease.table, lease.revision)
        if revision is None:  # perhaps by our own last renewal, of which only the answer was lost
            revision = await self._own(lease.table)
            revision = None if revision is None else await self._put(lease.table, revision)
        if revision is None:
            raise LeaseLostError
        lease.revision, lease.renewed_s = revision, begun_s

    async def give_back(self, lease: Lease) -> None:
        """Release a lease, so that another worker can take the table at once."""
        headers = {Header.EXPECTED_LAST_SUBJECT_SEQUENCE.value: str(lease.revision), "KV-Operation": "DEL"}
        await self._stream.publish(
            _subject(lease.table), b"", ANSWER_S, headers=headers, msg_ttl=GIVEN_BACK_S
        )

    def holds(self, lease: Lease) -> bool:
        """Whether a lease cannot have expired yet."""
        return self._clock() - lease.renewed_s < HELD_S

    async def _put(self, table: str, after: int) -> int | None:
        """Write the lease and return its new revision; None if ``after`` is not its current revision."""
        headers = {Header.EXPECTED_LAST_SUBJECT_SEQUENCE.value: str(after)}
        try:
            stored = await self._stream.publish(_subject(table), self._holder, ANSWER_S, headers=headers)
        except APIError as error:
            if error.err_code != OTHER_SEQUENCE:
                raise
            return None
        return int(stored.seq)

    async def _own(self, table: str) -> int | None:
        """Return the revision of this worker's own lease; None if it has none."""
        try:
            last = await self._stream.get_last_msg(BUCKET, _subject(table), direct=True)
        except NotFoundError:
            return None
        return last.seq if last.data == self._holder else None


def _subject(table: str) -> str:
    return f"$KV.{LEASES}.{table}"
