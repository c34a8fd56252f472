"""Endpoint of the WebSockets at the hub's page (``/link``): one connection for each table's key.

A connection belongs to the holder of its key, whatever its frames say. Nothing that one holder sends ends
the hub or holds up another: an invalid frame closes its own connection, and a socket is not read while its
entries are stored or while it has sent more bytes than its share.
"""

from __future__ import annotations

import asyncio
import logging
import time

from starlette.websockets import WebSocket

from tilesight.club.credentials import Role
from tilesight.club.frames import REVOKED, SECOND, WRONG
from tilesight.club.hub.phone_tables import PhoneTables
from tilesight.club.hub.sockets.assignments import Assignments
from tilesight.club.hub.sockets.held_socket import AWAY, HeldSocket
from tilesight.club.hub.sockets.link_keys import LinkKeys
from tilesight.club.hub.sockets.table_socket import COMMAND_S, Desk, TableSocket
from tilesight.club.hub.sockets.worker_socket import WorkerSocket
from tilesight.club.messages import Command, MessageError, Reply
from web.limits.keys import note_key

log = logging.getLogger("tilesight.club.sockets")

SILENT_S = 12.0
"""Seconds without a frame (one comes every five) after which a second connection replaces the first."""
WORKERS_AT_MOST = 50
"""Connections of one worker's key at most."""
LOOK_S = 0.5
"""Seconds between two looks at which keys were revoked, and at the tables without a worker."""


class LinkSockets:
    """All open WebSockets. `serve` is the endpoint, `ask` and `counts` are for threads."""

    def __init__(self, desk: Desk, keys: LinkKeys, phones: PhoneTables) -> None:
        self.desk = desk
        self.refused = 0
        """Connections that were closed for an invalid frame."""
        self.assignments = Assignments(phones, desk.records, keys, self._cut)
        """The workers, and which of the tables that have only a phone they run."""
        self._keys = keys
        self._open: dict[tuple[Role, str], HeldSocket] = {}
        self._watching: asyncio.Task[None] | None = None

    async def serve(self, socket: WebSocket) -> None:
        """Serve one WebSocket: 403 without a valid key, one connection for each table's key, several for a
        worker's."""
        scheme, _, secret = socket.headers.get("authorization", "").partition(" ")
        holder = self._keys.holder(secret.strip()) if scheme.lower() == "bearer" else None
        if holder is None:
            await socket.close()
            return
        note_key(socket.scope)
        await socket.accept()
        is_worker, named = holder.role is Role.WORKER, (holder.role, holder.name)
        here = WorkerSocket(socket, holder) if is_worker else TableSocket(socket, holder, self.desk)
        if is_worker:  # each of them is assigned tables of its own
            if sum(one.credential == holder for one in self._open.values()) >= WORKERS_AT_MOST:
                await here.close(SECOND, "this key has too many connections")
                return
            named = holder.role, f"{holder.name} {here.link}"
        if (before := self._open.get(named)) is not None:
            is_same = here.link == before.link  # the same process, after a cut of the network
            is_alive = time.monotonic() - before.heard_s < SILENT_S
            if before.credential == holder and is_alive and not is_same:
                await here.close(SECOND, "this key has a connection already")
                return
            before.close_soon(SECOND, "a newer connection has this key")
        self._open[named] = here
        if self._watching is None or self._watching.done():
            self._watching = asyncio.create_task(self._watch())
        try:
            await (self.assignments.serve(here) if isinstance(here, WorkerSocket) else here.run())
        except MessageError as error:
            self.refused += 1
            log.warning("%s %s: %s", holder.role, holder.name, error)
            await here.close(WRONG, str(error))
        except AWAY as error:  # it was closed while we answered
            log.debug("%s %s: %s", holder.role, holder.name, error)
        finally:
            if self._open.get(named) is here:
                del self._open[named]

    async def _cut(self, table: str) -> None:
        """End a table's connection; when this returns, nothing more of it is stored."""
        if isinstance(here := self._open.pop((Role.TABLE, table), None), TableSocket):
            await here.cut()
            here.close_soon(REVOKED, "this table is another worker's")

    def ask(self, table: str, command: Command) -> Reply:
        """Send a command and return the table's reply. Raises TimeoutError or OSError if none comes."""
        here = self._open.get((Role.TABLE, table))
        if not isinstance(here, TableSocket):
            raise ConnectionError(f"table {table} has no connection")
        return asyncio.run_coroutine_threadsafe(here.ask(command), here.loop).result(COMMAND_S + 2)

    def counts(self) -> dict[str, float]:
        """Return gauges: tables' open WebSockets, entries that they have not got stored yet, seconds since
        the one silent longest was heard, workers, connections closed for an invalid frame, and how often
        the database took no entries."""
        now_s, open_ = time.monotonic(), list(self._open.values())
        tables = [one for one in open_ if isinstance(one, TableSocket)]
        return {
            "links": len(tables),
            "links_unsent": sum(one.unsent for one in tables),
            "links_silent_s": round(max((now_s - one.heard_s for one in tables), default=0.0), 1),
            "workers": len(open_) - len(tables),
            "links_refused": self.refused,
            "links_not_stored": self.desk.not_stored,
        }

    async def _watch(self) -> None:
        """Close the connections of revoked keys and assign tables, while there are connections."""
        while self._open:
            await asyncio.sleep(LOOK_S)
            for one in list(self._open.values()):
                if not self._keys.is_valid(one.credential):
                    one.close_soon(REVOKED, "this key was revoked")
            try:
                await self.assignments.look()
            except Exception:  # one table never holds up the others
                log.exception("tables are assigned again at the next look")
