"""Worker: runs the tables that the hub assigns to it over its WebSocket."""

from __future__ import annotations

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from tilesight.club.credentials import CredentialError
from tilesight.club.frames import Assigned, Logged, Returned, Working, picture_of, to_worker
from tilesight.club.hub_socket import keep_connected
from tilesight.club.invitation import Invitation
from tilesight.club.messages import LogEntry
from tilesight.club.worker.child import Reserve
from tilesight.club.worker.seat import Ended, Seat, SeatContext
from tilesight.table_log.retention import thin

ALIVE_S = 0.5
"""Seconds between two signs of life."""
THIN_S = 3600.0
"""Seconds between two times that old pictures are removed."""


class Worker:
    """A worker of the club that an invitation names. ``say`` prints a line for people."""

    def __init__(
        self, invited: Invitation, folder: Path, at_most: int, keep_days: float, say: Callable[[str], None]
    ) -> None:
        """``at_most`` tables at a time; their files are in ``folder``, the pictures in them kept for
        ``keep_days`` days after a table's last change."""
        self._invited = invited
        self._at_most = at_most
        self._keep_days = keep_days
        self._ended = asyncio.Event()
        self._place = SeatContext(Reserve(), folder, self._invitation, say)
        self._seats: dict[str, tuple[Seat, asyncio.Task[None]]] = {}
        self._socket: ClientConnection | None = None

    def end(self) -> None:
        """End the tables' processes, give the tables back, and return from `run`."""
        self._ended.set()

    async def run(self) -> None:
        """Run tables until `end`. Raises CredentialError if the hub is another one, or refuses the
        invitation."""
        keeping = asyncio.create_task(keep_connected(self._invited, self._converse, self._refused))
        thinning, ending = asyncio.create_task(self._thin()), asyncio.create_task(self._ended.wait())
        try:
            await asyncio.wait({keeping, ending}, return_when=asyncio.FIRST_COMPLETED)
            if keeping.done():
                keeping.result()
            await self._tell()  # so that the hub assigns what comes back to another worker
            for seat, _ in self._seats.values():
                seat.close()
            await asyncio.gather(*(task for _, task in self._seats.values()), return_exceptions=True)
        finally:
            for task in (keeping, thinning, ending):
                task.cancel()
            await asyncio.gather(keeping, thinning, ending, return_exceptions=True)
            await self._place.reserve.close()

    async def _refused(self, _: int) -> None:
        raise CredentialError(f"the hub {self._invited.hub} refuses this invitation")

    async def _converse(self, socket: ClientConnection) -> None:
        """Do what the hub says until the connection ends: then its tables may be another worker's."""
        hub, told = self._invited.hub, defaultdict[str, list[LogEntry]](list)
        self._place.say(f"Worker {self._invited.name} of {hub}: up to {self._at_most} tables.")
        self._socket = socket
        living = asyncio.create_task(self._live())
        try:
            while True:
                message = await socket.recv()
                if isinstance(message, bytes):
                    table, jpeg = picture_of(message)
                    if table in self._seats:
                        self._seats[table][0].pictures.put(jpeg)
                    continue
                frame = to_worker(message)
                if isinstance(frame, Logged):
                    told[frame.table] += frame.entries
                elif isinstance(frame, Assigned):
                    self._take(Seat(self._place, frame, told.pop(frame.table, [])), frame.table)
                elif frame.table in self._seats:
                    self._seats[frame.table][0].close()
        finally:
            self._socket = None
            tasks = [living, *(task for _, task in self._seats.values())]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            if not self._ended.is_set():
                self._place.say(f"The hub {hub} is away.")

    async def _live(self) -> None:
        """Prepare processes, and send signs of life."""
        while True:
            full = len(self._seats) >= self._at_most
            if not full and not any(seat.starts for seat, _ in self._seats.values()):
                self._place.reserve.prepare()
            await self._tell()
            await asyncio.sleep(ALIVE_S)

    async def _tell(self) -> None:
        """Tell the hub how many tables this worker runs at most, and whether a process is prepared."""
        tables = 0 if self._ended.is_set() else self._at_most
        await self._send(Working(tables=tables, ready=self._place.reserve.ready))

    async def _send(self, frame: Working | Returned) -> None:
        if self._socket is not None:
            with contextlib.suppress(ConnectionClosed):
                await self._socket.send(frame.text())

    def _take(self, seat: Seat, table: str) -> None:
        self._seats[table] = seat, asyncio.create_task(self._sit(table, seat))

    async def _sit(self, table: str, seat: Seat) -> None:
        """Run a seat, then give its table back."""
        try:
            ended = await seat.run()
        finally:
            del self._seats[table]
        await self._send(Returned(table=table, failed=ended is Ended.FAILED))

    def _invitation(self, assigned: Assigned) -> str:
        """Return the invitation with which an assigned table's link connects."""
        return replace(self._invited, sees_for=assigned.table, key=assigned.key).url

    async def _thin(self) -> None:
        """Remove old pictures periodically."""
        while True:
            with contextlib.suppress(OSError):
                await asyncio.to_thread(thin, self._place.folder, self._keep_days)
            await asyncio.sleep(THIN_S)
