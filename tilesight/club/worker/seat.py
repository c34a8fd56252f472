"""Seat of a worker: one table that it runs, from acquiring the lease to the end."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from nats.aio.client import Client
from nats.aio.msg import Msg

from tilesight.club.link import VOID
from tilesight.club.link.publisher import AWAY
from tilesight.club.messages import MessageError, PhoneTable
from tilesight.club.subjects import table_subject
from tilesight.club.worker.child import Child, ChildError, Reserve, Served
from tilesight.club.worker.leases import RENEW_S, Lease, LeaseLostError, Leases
from tilesight.club.worker.pictures import Pictures
from tilesight.club.worker.restore import RestoreError, latest_game, restored
from tilesight.table_log.event_store import StoreError

log = logging.getLogger("tilesight.club.worker")

START_S = 60.0
"""Seconds for a table's process to answer."""
SETTLED_S = 5.0
"""Seconds for which a table that has just begun gets the computer for itself: no other is prepared."""
LOOK_S = 0.1
"""Seconds between two looks whether the lease still holds."""


class Ended(Enum):
    """Reason why a seat ended."""

    GIVEN_BACK = "given back"
    LOST = "lost: another worker may take it"
    FAILED = "given back, it cannot be seen for here"


@dataclass(frozen=True, slots=True)
class SeatContext:
    """Objects shared by all seats of a worker: its connection, its leases, the prepared child, the folder
    of its files, and the hub's invitation for a table."""

    client: Client
    leases: Leases
    reserve: Reserve
    folder: Path
    invitation: Callable[[str], str]


class Seat:
    """One table. ``say`` prints a line for people."""

    def __init__(self, place: SeatContext, lease: Lease, of: PhoneTable, say: Callable[[str], None]) -> None:
        self._place = place
        self._lease = lease
        self._of = of
        self._say = say
        self._close = asyncio.Event()
        self.starts = True
        """Whether the table's process has not settled down yet."""

    def close(self) -> None:
        """End the table's process gracefully, and release the lease."""
        self._close.set()

    async def run(self) -> Ended:
        """Run the table until it is closed, the lease is lost, or it fails."""
        table = self._lease.table
        lost = asyncio.create_task(self._hold())
        try:
            ended = await self._see(lost)
        finally:
            lost.cancel()
        if ended is not Ended.LOST:
            with contextlib.suppress(*AWAY):
                await self._place.leases.give_back(self._lease)
        self._say(f"Table {table} {ended.value}.")
        return ended

    async def _see(self, lost: asyncio.Task[None]) -> Ended:
        """Run the table's process; restart it from the stream if another worker continued its game."""
        while True:
            try:
                path = await self._restored()
                child = await self._place.reserve.take()
                served = await _unless(child.begin(self._arguments(path)), lost)
                if served is None:
                    await child.kill()
                    return Ended.LOST if lost.done() else Ended.FAILED
                asyncio.get_running_loop().call_later(SETTLED_S, self._settled)
                ended = await self._feed(child, served, lost)
            except (ChildError, RestoreError, MessageError, StoreError, *AWAY) as error:
                self._say(f"Table {self._lease.table}: {str(error) or type(error).__name__}")
                ended = Ended.LOST if lost.done() else Ended.FAILED
            if ended is not None:
                return ended

    def _settled(self) -> None:
        """Record that the table has started."""
        self.starts = False

    async def _restored(self) -> Path:
        """Return the table's log, restored from the stream."""
        place, table = self._place, self._lease.table
        told = await latest_game(place.client.jetstream(), table, self._of.made_s)
        path = await asyncio.to_thread(restored, place.folder, table, told, self._of)
        self._say(f"Table {table} taken" + (f", {len(told)} entries from the hub." if told else "."))
        return path

    async def _feed(self, child: Child, served: Served, lost: asyncio.Task[None]) -> Ended | None:
        """Forward pictures to the process until something ends. Return None if its log has diverged."""
        pictures = Pictures()

        async def picture(message: Msg) -> None:
            if self._place.leases.holds(self._lease):
                pictures.put(message.data)

        taken = await self._place.client.subscribe(table_subject(self._lease.table, "frame"), cb=picture)
        forwarding = asyncio.create_task(pictures.forward(served))
        child_ended = asyncio.create_task(child.ended())
        closing = asyncio.create_task(self._close.wait())
        try:
            await asyncio.wait({child_ended, closing, lost}, return_when=asyncio.FIRST_COMPLETED)
            if lost.done():
                await child.kill()
                return Ended.LOST
            if child_ended.done():
                if child_ended.result() == VOID:
                    return None
                self._say(f"Table {self._lease.table}: {child.said or 'its process ended'}")
                return Ended.FAILED
            await child.end()
            return Ended.LOST if lost.done() else Ended.GIVEN_BACK
        finally:
            for task in (forwarding, child_ended, closing):
                task.cancel()
            with contextlib.suppress(*AWAY):
                await taken.unsubscribe()

    def _arguments(self, path: Path) -> list[str]:
        """Return the arguments of the table's `tilesight live`."""
        of = self._of
        return [
            *("--game", of.game, "--players", of.players, "--key", of.key, "--table", str(path)),
            *("--camera", "phone", "--host", "127.0.0.1", "--port", "0", "--json"),
            *("--hub", self._place.invitation(self._lease.table)),
        ]

    async def _hold(self) -> None:
        """Renew the lease; return when it is lost."""
        leases, lease = self._place.leases, self._lease
        renewing = asyncio.create_task(self._renew())
        try:
            while leases.holds(lease) and not renewing.done():
                await asyncio.sleep(LOOK_S)
        finally:
            renewing.cancel()

    async def _renew(self) -> None:
        """Renew the lease every second; return when another worker has it."""
        while True:
            await asyncio.sleep(RENEW_S)
            try:
                await self._place.leases.renew(self._lease)
            except LeaseLostError:
                return
            except AWAY as error:
                log.debug("lease of %s: %s", self._lease.table, error)


async def _unless(beginning: Coroutine[None, None, Served], lost: asyncio.Task[None]) -> Served | None:
    """Wait for a table's start. Return None if it takes too long, or the lease is lost first."""
    begun = asyncio.create_task(beginning)
    await asyncio.wait({begun, lost}, timeout=START_S, return_when=asyncio.FIRST_COMPLETED)
    if begun.done():
        return begun.result()
    begun.cancel()
    await asyncio.gather(begun, return_exceptions=True)
    return None
