"""Worker: finds tables without a lease, and runs them."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import secrets
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path

from nats.aio.client import Client

from tilesight.club.connection import reached_before
from tilesight.club.credentials import CredentialError
from tilesight.club.invitation import Invitation
from tilesight.club.link.hub_address import address_of
from tilesight.club.link.publisher import AWAY
from tilesight.club.worker.child import Reserve
from tilesight.club.worker.leases import Leases
from tilesight.club.worker.phone_tables import PhoneTables
from tilesight.club.worker.seat import Ended, Seat, SeatContext
from tilesight.table_log.retention import thin

log = logging.getLogger("tilesight.club.worker")

LOOK_S = 0.5
"""Seconds between two looks for tables."""
PATIENCE_S = 2.0
"""Seconds for which a table is left to other workers while no process is ready here."""
FAILED_S = 30.0
"""Seconds for which a table that could not be seen for is left to others."""
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
        self._folder = folder
        self._at_most = at_most
        self._keep_days = keep_days
        self._say = say
        self._ended = asyncio.Event()
        self._is_refused = False
        self._reserve = Reserve()
        self._seats: dict[str, tuple[Seat, asyncio.Task[None]]] = {}
        self._not_before_s: dict[str, float] = {}
        self._free_since_s: dict[str, float] = {}

    def end(self) -> None:
        """End the tables' processes, release the leases, and return from `run`."""
        self._ended.set()

    async def run(self) -> None:
        """Run tables until `end`. Raises CredentialError if the hub is another one, or refuses the
        invitation."""
        client = await reached_before(
            self._ended,
            partial(address_of, self._invited),
            f"worker {self._invited.name}",
            self._tell_away,
            there=self._back,
            gone=self._gone,
            refused=self._refused,
        )
        if client is not None:
            await self._work_until_end(client)
        if self._is_refused:
            raise CredentialError(f"the hub {self._invited.hub} refuses this invitation")

    async def _work_until_end(self, client: Client) -> None:
        self._say(f"Worker {self._invited.name} of {self._invited.hub}: up to {self._at_most} tables.")
        thinning = asyncio.create_task(self._thin())
        try:
            await self._work(client)
        finally:
            thinning.cancel()
            for seat, _ in self._seats.values():
                seat.close()
            await asyncio.gather(*(task for _, task in self._seats.values()), return_exceptions=True)
            await self._reserve.close()
            with contextlib.suppress(*AWAY):
                await asyncio.wait_for(client.close(), 2)

    def _tell_away(self) -> None:
        if not self._ended.is_set():
            self._say(f"The hub {self._invited.hub} is away.")

    async def _gone(self) -> None:
        self._tell_away()

    async def _refused(self) -> None:
        self._is_refused = True
        self._ended.set()

    async def _back(self) -> None:
        self._say(f"The hub {self._invited.hub} is back.")

    async def _work(self, client: Client) -> None:
        """Take and release tables until cancelled."""
        stream = client.jetstream(timeout=2.0)
        tables = PhoneTables(stream)
        # The same invitation may be used twice: each process has leases of its own.
        leases = Leases(stream, f"{self._invited.name} {secrets.token_hex(4)}")
        place = SeatContext(client, leases, self._reserve, self._folder, self._invitation)
        while not self._ended.is_set():
            if client.is_closed:  # thrown out for good
                await self._refused()
                return
            try:
                await self._look(place, tables)
            except AWAY as error:
                log.debug("%s: %s", self._invited.hub, error)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._ended.wait(), LOOK_S)

    async def _look(self, place: SeatContext, tables: PhoneTables) -> None:
        """Close seats of closed tables, and take free ones."""
        open_ = await tables.open()
        for table, (seat, _) in self._seats.items():
            if table not in open_:
                seat.close()
        if len(self._seats) >= self._at_most:
            return
        if not any(seat.starts for seat, _ in self._seats.values()):
            self._reserve.prepare()
        for table in await self._free(place, open_):
            if len(self._seats) < self._at_most and (lease := await place.leases.take(table)) is not None:
                seat = Seat(place, lease, open_[table], self._say)
                self._seats[table] = seat, asyncio.create_task(self._sit(table, seat))

    async def _free(self, place: SeatContext, open_: Iterable[str]) -> list[str]:
        """Return the tables to take now: one if a prepared process is ready, and those that no other
        worker took in time."""
        now_s = asyncio.get_running_loop().time()
        held = await place.leases.held()
        free = [one for one in open_ if one not in held and self._not_before_s.get(one, 0.0) <= now_s]
        self._free_since_s = {one: self._free_since_s.get(one, now_s) for one in free}
        random.shuffle(free)  # workers that look at the same time share them
        ready = 1 if self._reserve.ready else 0
        return free[:ready] + [one for one in free[ready:] if now_s - self._free_since_s[one] >= PATIENCE_S]

    async def _sit(self, table: str, seat: Seat) -> None:
        """Run a seat, and put its table aside for a while if it failed."""
        ended = Ended.FAILED
        try:
            ended = await seat.run()
        except Exception:  # one table never ends the others
            log.exception("table %s", table)
        finally:
            del self._seats[table]
        if ended is Ended.FAILED:
            self._not_before_s[table] = asyncio.get_running_loop().time() + FAILED_S

    def _invitation(self, table: str) -> str:
        """Return the invitation with which this worker publishes as a table."""
        return replace(self._invited, sees_for=table).url

    async def _thin(self) -> None:
        """Remove old pictures periodically."""
        while True:
            with contextlib.suppress(OSError):
                await asyncio.to_thread(thin, self._folder, self._keep_days)
            await asyncio.sleep(THIN_S)
