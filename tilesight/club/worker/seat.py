"""Seat of a worker: one table that it runs, from the hub's assignment to the end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from tilesight.club.frames import Assigned
from tilesight.club.link import VOID
from tilesight.club.messages import LogEntry
from tilesight.club.worker.child import Child, ChildError, Reserve, Served
from tilesight.club.worker.pictures import Pictures
from tilesight.club.worker.restore import restored
from tilesight.table_log.event_store import StoreError

log = logging.getLogger("tilesight.club.worker")

START_S = 60.0
"""Seconds for a table's process to answer."""
SETTLED_S = 5.0
"""Seconds for which a table that has just begun gets the computer for itself: no other is prepared."""


class Ended(Enum):
    """Reason why a seat ended."""

    GIVEN_BACK = "given back"
    DIVERGED = "given back, the hub has another log of its game"
    FAILED = "given back, it cannot be seen for here"


@dataclass(frozen=True, slots=True)
class SeatContext:
    """Objects shared by all seats of a worker: the prepared child, the folder of its files, and the hub's
    invitation for a table with the key of its assignment. ``say`` prints a line for people."""

    reserve: Reserve
    folder: Path
    invitation: Callable[[Assigned], str]
    say: Callable[[str], None]


class Seat:
    """One table, with the entries of its game that the hub has. Cancelling `run` kills its process."""

    def __init__(self, place: SeatContext, assigned: Assigned, told: Sequence[LogEntry]) -> None:
        self._place = place
        self._assigned = assigned
        self._told = told
        self._close = asyncio.Event()
        self.pictures = Pictures()
        """The latest picture of the table's phone."""
        self.starts = True
        """Whether the table's process has not settled down yet."""

    def close(self) -> None:
        """End the table's process gracefully: its link sends the last entries."""
        self._close.set()

    async def run(self) -> Ended:
        """Run the table until it is closed or fails."""
        table, child, ended = self._assigned.table, None, Ended.FAILED
        try:
            path = await asyncio.to_thread(
                restored, self._place.folder, table, self._told, self._assigned.phone.key
            )
            there = f", {len(self._told)} entries from the hub." if self._told else "."
            self._place.say(f"Table {table} taken{there}")
            child = await self._place.reserve.take()
            served = await asyncio.wait_for(child.begin(self._arguments(path)), START_S)
            asyncio.get_running_loop().call_later(SETTLED_S, self._settled)
            ended = await self._feed(child, served)
        except (ChildError, StoreError, OSError, TimeoutError) as error:
            self._place.say(f"Table {table}: {str(error) or type(error).__name__}")
        except asyncio.CancelledError:
            self._place.say(f"Table {table} lost: another worker may take it.")
            raise
        finally:
            if child is not None:
                await child.kill()
        self._place.say(f"Table {table} {ended.value}.")
        return ended

    def _settled(self) -> None:
        """Record that the table has started."""
        self.starts = False

    async def _feed(self, child: Child, served: Served) -> Ended:
        """Forward pictures to the process until it ends, or is ended by `close`."""
        forwarding = asyncio.create_task(self.pictures.forward(served))
        child_ended = asyncio.create_task(child.ended())
        closing = asyncio.create_task(self._close.wait())
        try:
            await asyncio.wait({child_ended, closing}, return_when=asyncio.FIRST_COMPLETED)
            if not child_ended.done():
                await child.end()
                return Ended.GIVEN_BACK
            if child_ended.result() == VOID:
                return Ended.DIVERGED
            self._place.say(f"Table {self._assigned.table}: {child.said or 'its process ended'}")
            return Ended.FAILED
        finally:
            for task in (forwarding, child_ended, closing):
                task.cancel()

    def _arguments(self, path: Path) -> list[str]:
        """Return the arguments of the table's `tilesight live`."""
        of = self._assigned.phone
        return [
            *("--game", of.game, "--players", of.players, "--key", of.key, "--table", str(path)),
            *("--camera", "phone", "--host", "127.0.0.1", "--port", "0", "--json"),
            *("--hub", self._place.invitation(self._assigned)),
        ]
