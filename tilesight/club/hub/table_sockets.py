"""WebSockets of the tables at the hub's page (``/link``): logs, statuses and pictures in, commands out.

A connection belongs to the table that holds its key, whatever its frames say. Nothing that one table sends
ends the hub or holds up another: an invalid frame closes its own connection, and the socket of a table is not
read while its entries are stored or while it has sent more bytes than its share.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import time
from collections.abc import Callable

from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.websockets import WebSocket, WebSocketDisconnect

from tilesight.club.credentials import Credential
from tilesight.club.frames import (
    REASON_BYTES,
    REVOKED,
    SECOND,
    WRONG,
    Commanded,
    Entries,
    Frame,
    Held,
    Hello,
    Here,
    NotStored,
    Replied,
    Stored,
    Told,
    from_table,
)
from tilesight.club.hub.link_keys import LinkKeys
from tilesight.club.hub.records import Records
from tilesight.club.messages import NUMBER_AT_MOST, PREVIEW_BYTES, Command, MessageError, Reply, Status
from web.limits.keys import note_key

log = logging.getLogger("tilesight.club.table_sockets")

COMMAND_S = 8.0
"""Seconds within which a table answers a command."""
SILENT_S = 12.0
"""Seconds without a frame (one comes every five) after which a second connection replaces the first."""
LOOK_S = 0.5
"""Seconds between two looks at which keys were revoked."""
BYTES_PER_S = 2_000_000.0
"""Bytes per second of one connection; its socket is read more slowly beyond."""
BURST_BYTES = 4_000_000.0
"""Bytes that a connection may send at once."""
GAMES_AT_MOST = 1000
"""Games of one connection at most: its own and those that were left over."""
DATABASE = (OperationalError, InterfaceError, PoolTimeout)
"""Errors of a database that is away, full or busy: the table sends the same again later."""
Heard = Callable[[str, Status], None]
"""Gets a table's status."""
Seen = Callable[[str, bytes], None]
"""Gets a table's small picture."""


class TableSocket:
    """The accepted WebSocket of one table."""

    def __init__(self, socket: WebSocket, credential: Credential, club: TableSockets) -> None:
        self.credential = credential
        self.loop = asyncio.get_running_loop()
        self.heard_s = time.monotonic()
        self.unsent = 0
        self._socket = socket
        self._club = club
        self._held: dict[str, int] = {}
        self._asked: dict[str, asyncio.Future[Reply]] = {}
        self._credit = BURST_BYTES

    async def run(self) -> None:
        """Answer frames until the connection ends; an invalid one ends it with a reason."""
        try:
            while True:
                message = await self._socket.receive()
                if message["type"] == "websocket.disconnect":
                    return
                text, data = message.get("text"), message.get("bytes")
                await self._pay(len(text or data or ""))
                self.heard_s = time.monotonic()
                if text is not None:
                    await self._take(text)
                elif len(data or b"") > PREVIEW_BYTES:
                    raise MessageError(f"a picture of more than {PREVIEW_BYTES} bytes")
                else:
                    self._club.seen(self.credential.name, data or b"")
        except MessageError as error:
            self._club.refused += 1
            log.warning("table %s: %s", self.credential.name, error)
            await self.close(WRONG, str(error))
        except (WebSocketDisconnect, RuntimeError, OSError) as error:  # it was closed while we answered
            log.debug("table %s: %s", self.credential.name, error)

    async def close(self, code: int, reason: str) -> None:
        """Close the connection with a reason in plain words."""
        with contextlib.suppress(RuntimeError, OSError, WebSocketDisconnect):
            shown = reason.encode()[:REASON_BYTES].decode("utf-8", "ignore")
            await self._socket.close(code, shown)

    async def ask(self, command: Command) -> Reply:
        """Send a command and return the table's reply. Raises TimeoutError or OSError."""
        number = secrets.token_hex(8)
        self._asked[number] = answer = self.loop.create_future()
        try:
            await self._send(Commanded(id=number, command=command))
            return await asyncio.wait_for(answer, COMMAND_S)
        except (RuntimeError, WebSocketDisconnect) as error:
            raise ConnectionError(str(error)) from None
        finally:
            del self._asked[number]

    async def _pay(self, size: int) -> None:
        """Wait until this many bytes are within the connection's share."""
        self._credit = min(BURST_BYTES, self._credit + (time.monotonic() - self.heard_s) * BYTES_PER_S) - size
        if self._credit < 0:
            await asyncio.sleep(-self._credit / BYTES_PER_S)

    async def _take(self, text: str) -> None:
        """Handle one frame. Raises MessageError."""
        frame = from_table(text)
        if isinstance(frame, Hello):
            await self._say_last(frame.game)
        elif isinstance(frame, Entries):
            await self._store(frame)
        elif isinstance(frame, Here):
            self.unsent = frame.unsent
        elif isinstance(frame, Told):
            await asyncio.to_thread(self._club.heard, self.credential.name, frame.status)
        elif isinstance(frame, Replied):
            answer = self._asked.get(frame.id)
            if answer is not None and not answer.done():
                answer.set_result(frame.reply)

    async def _say_last(self, game: str) -> None:
        """Answer with the last entry of a game that the hub has."""
        if len(self._held) >= GAMES_AT_MOST and game not in self._held:
            raise MessageError("too many games on one connection")
        try:
            last = await asyncio.to_thread(self._club.records.last, self.credential.name, game)
        except DATABASE:
            await self._fail(game)
            return
        self._held[game] = 0 if last is None else last.number
        await self._send(Held(game=game, last=last))

    async def _store(self, frame: Entries) -> None:
        """Store entries in one transaction, and answer after the commit."""
        held, numbers = self._held.get(frame.game), [one.number for one in frame.entries]
        if held is None:
            raise MessageError("entries of a game before its hello")
        if numbers != list(range(numbers[0], numbers[0] + len(numbers))) or numbers[0] > held + 1:
            raise MessageError(f"entry {held + 1} is missing")
        if numbers[-1] >= NUMBER_AT_MOST:
            raise MessageError("too many entries")
        club, table = self._club, self.credential.name
        try:
            changed = await asyncio.to_thread(club.records.store, table, frame.game, frame.entries)
        except DATABASE:
            await self._fail(frame.game)
            return
        except Exception as error:  # what cannot be stored ends its own connection
            log.exception("entries of table %s cannot be stored", table)
            raise MessageError(f"this cannot be stored ({type(error).__name__})") from None
        club.database_works = True
        club.committed(changed)
        self._held[frame.game] = max(held, numbers[-1])
        await self._send(Stored(game=frame.game, number=numbers[-1]))

    async def _fail(self, game: str) -> None:
        """Tell the table that the database takes nothing now."""
        if self._club.database_works:
            log.warning("the database takes nothing; the tables send it again")
        self._club.database_works = False
        await self._send(NotStored(game=game))

    async def _send(self, frame: Frame) -> None:
        await self._socket.send_text(frame.text())


class TableSockets:
    """All tables with an open WebSocket. `serve` is the endpoint, `ask` and `counts` are for threads."""

    def __init__(
        self,
        records: Records,
        keys: LinkKeys,
        committed: Callable[[set[int]], None],
        heard: Heard,
        seen: Seen,
    ) -> None:
        """``committed`` gets the games that have more entries."""
        self.records = records
        self.committed = committed
        self.heard = heard
        self.seen = seen
        self.refused = 0
        """Connections that were closed for an invalid frame."""
        self.database_works = True
        self._keys = keys
        self._open: dict[str, TableSocket] = {}
        self._watching: asyncio.Task[None] | None = None

    async def serve(self, socket: WebSocket) -> None:
        """Serve one WebSocket: 403 without a valid key, one connection for each key."""
        scheme, _, secret = socket.headers.get("authorization", "").partition(" ")
        holder = self._keys.holder(secret.strip()) if scheme.lower() == "bearer" else None
        if holder is None:
            await socket.close()
            return
        note_key(socket.scope)
        await socket.accept()
        here, before = TableSocket(socket, holder, self), self._open.get(holder.name)
        if before is not None:
            if before.credential == holder and time.monotonic() - before.heard_s < SILENT_S:
                await here.close(SECOND, "this key has a connection already")
                return
            await before.close(SECOND, "a newer connection has this key")
        self._open[holder.name] = here
        if self._watching is None or self._watching.done():
            self._watching = asyncio.create_task(self._watch())
        try:
            await here.run()
        finally:
            if self._open.get(holder.name) is here:
                del self._open[holder.name]

    def ask(self, table: str, command: Command) -> Reply | None:
        """Send a command and return the table's reply; None if the table has no WebSocket.

        Raises TimeoutError or OSError if it does not answer.
        """
        here = self._open.get(table)
        if here is None:
            return None
        return asyncio.run_coroutine_threadsafe(here.ask(command), here.loop).result(COMMAND_S + 2)

    def counts(self) -> dict[str, float]:
        """Return gauges: open WebSockets, entries that tables have not got stored yet, seconds since the
        table that was silent longest was heard, and connections closed for an invalid frame."""
        now_s, tables = time.monotonic(), list(self._open.values())
        return {
            "links": len(tables),
            "links_unsent": sum(one.unsent for one in tables),
            "links_silent_s": round(max((now_s - one.heard_s for one in tables), default=0.0), 1),
            "links_refused": self.refused,
        }

    async def _watch(self) -> None:
        """Close the connections of revoked keys, while there are connections."""
        while self._open:
            await asyncio.sleep(LOOK_S)
            for one in list(self._open.values()):
                if not self._keys.is_valid(one.credential):
                    await one.close(REVOKED, "this key was revoked")
