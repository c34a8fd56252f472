"""Assignments: which worker runs which table that has only a phone.

The hub alone decides. An assignment has a key of its own, with which the table's link connects; it ends with
the assignment, so what an earlier worker sends late is refused.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from sqlalchemy.exc import SQLAlchemyError

from tilesight.club.credentials import Credential, Role, new_credential
from tilesight.club.frames import SILENT, Assigned, Logged, Returned, Withdrawn, batches, picture_frame
from tilesight.club.hub.phone_tables import PhoneTables
from tilesight.club.hub.records import Records
from tilesight.club.hub.sockets.link_keys import LinkKeys
from tilesight.club.hub.sockets.worker_socket import WorkerSocket
from tilesight.club.messages import LogEntry, MessageError
from tilesight.club.messages import PhoneTable as Played
from web.club.phone_tables import PhoneTable

log = logging.getLogger("tilesight.club.assignments")

SILENT_S = 4.0
"""Seconds without a sign of life after which a worker's tables are another's."""
PATIENCE_S = 2.0
"""Seconds for which a table waits for a worker with a prepared process."""
FAILED_S = 30.0
"""Seconds for which a table is not assigned again to a worker where it failed."""


@dataclass(slots=True)
class Assignment:
    """A table at a worker: the table's creation time, and the credential of its link."""

    worker: WorkerSocket
    made_s: float
    credential: Credential
    is_withdrawn: bool = False


class Assignments:
    """The workers with an open WebSocket, and their tables. `push` and `worker_of` are for threads."""

    def __init__(
        self,
        phones: PhoneTables,
        records: Records,
        keys: LinkKeys,
        cut: Callable[[str], Awaitable[None]],
    ) -> None:
        """``cut`` ends the WebSocket of a table, and returns when nothing more of it is stored."""
        self._phones = phones
        self._records = records
        self._keys = keys
        self._cut = cut
        self._workers: set[WorkerSocket] = set()
        self._given: dict[str, Assignment] = {}
        self._free_since_s: dict[str, float] = {}

    def push(self, table: str, jpeg: bytes) -> None:
        """Forward a picture to the table's worker, if it has one."""
        if (given := self._given.get(table)) is not None:
            data = picture_frame(table, jpeg)
            given.worker.loop.call_soon_threadsafe(given.worker.show, table, data)

    def worker_of(self, table: str) -> str | None:
        """Return the name of the worker that has a table, or None."""
        given = self._given.get(table)
        return None if given is None else given.worker.credential.name

    async def serve(self, worker: WorkerSocket) -> None:
        """Assign tables to a worker until its connection ends."""
        self._workers.add(worker)
        sending = asyncio.create_task(worker.send_all())
        try:
            async for frame in worker.frames():
                await self._take_back(worker, frame)
        finally:
            sending.cancel()
            await self._leave(worker)

    async def look(self) -> None:
        """Free the tables of silent workers, withdraw closed tables, and assign those without a worker."""
        now_s = time.monotonic()
        for worker in [one for one in self._workers if now_s - one.heard_s > SILENT_S]:
            log.warning("worker %s is silent", worker.credential.name)
            worker.close_soon(SILENT, "this worker is silent")
            await self._leave(worker)
        open_ = {one.id: one for one in self._phones.open_tables()}
        for table, given in self._given.items():
            is_open = table in open_ and open_[table].made_s == given.made_s
            if not is_open and not given.is_withdrawn:
                given.is_withdrawn = True
                given.worker.tell(Withdrawn(table=table))
        free = [one for name, one in open_.items() if name not in self._given]
        self._free_since_s = {one.id: self._free_since_s.get(one.id, now_s) for one in free}
        for one in free:
            if (chosen := self._chosen(one.id, now_s)) is not None:
                await self._assign(one, chosen)

    def _chosen(self, table: str, now_s: float) -> WorkerSocket | None:
        """Return the worker for a table: the one with fewest tables of those with a prepared process; of all
        workers, if the table has waited."""
        tables = {one: self._tables(one) for one in self._workers}
        able = [
            one
            for one in self._workers
            if len(tables[one]) < one.tables and one.not_before_s.get(table, 0.0) <= now_s
        ]
        ready = [one for one in able if one.is_ready]
        if not ready and now_s - self._free_since_s[table] < PATIENCE_S:
            return None
        return min(ready or able, key=lambda one: (len(tables[one]), random.random()), default=None)

    def _tables(self, worker: WorkerSocket) -> list[str]:
        """Return the tables of a worker."""
        return [table for table, given in self._given.items() if given.worker is worker]

    async def _assign(self, table: PhoneTable, worker: WorkerSocket) -> None:
        """Assign a table with the log of its game so far; nothing happens if the database fails."""
        credential, key = new_credential(table.id, Role.TABLE)
        self._given[table.id] = given = Assignment(worker, table.made_s, credential)
        worker.is_ready = False
        try:
            told = await asyncio.to_thread(self._records.latest, table.id, table.made_s)
        except SQLAlchemyError as error:
            log.warning("table %s is not assigned (%s)", table.id, type(error).__name__)
            del self._given[table.id]
            return
        if self._given.get(table.id) is not given:  # the worker has left meanwhile
            return
        self._keys.lend(credential)
        for entries in batches([LogEntry.of(entry) for entry in told]):
            worker.tell(Logged(table=table.id, entries=entries))
        players = ",".join(f"{color}={name}" for color, name in table.players)
        played = Played(game=table.game, players=players, key=table.key)
        worker.tell(Assigned(table=table.id, key=key, phone=played))

    async def _take_back(self, worker: WorkerSocket, frame: Returned) -> None:
        """Free a table that its worker gives back. Raises MessageError for a table that it does not have."""
        given = self._given.get(frame.table)
        if given is None or given.worker is not worker:
            raise MessageError("this worker does not have that table")
        if frame.failed:
            worker.not_before_s[frame.table] = time.monotonic() + FAILED_S
        await self._free(frame.table)

    async def _leave(self, worker: WorkerSocket) -> None:
        """Free the tables of a worker."""
        self._workers.discard(worker)
        for table in self._tables(worker):
            await self._free(table)

    async def _free(self, table: str) -> None:
        """End an assignment: first its link, so that the next worker gets all that was stored."""
        self._keys.take_back(self._given[table].credential)
        await self._cut(table)
        self._given.pop(table, None)
