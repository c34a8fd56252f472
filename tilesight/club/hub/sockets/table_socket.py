"""WebSocket of one table at the hub: its log, status and small pictures in, commands out."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.websockets import WebSocket

from tilesight.club.credentials import Credential
from tilesight.club.frames import (
    Commanded,
    Entries,
    Held,
    Hello,
    Here,
    NotStored,
    Replied,
    Stored,
    Told,
    from_table,
)
from tilesight.club.hub.records import Records
from tilesight.club.hub.sockets.held_socket import AWAY, HeldSocket
from tilesight.club.messages import NUMBER_AT_MOST, PREVIEW_BYTES, Command, MessageError, Reply, Status

log = logging.getLogger("tilesight.club.sockets")

COMMAND_S = 8.0
"""Seconds within which a table answers a command."""
GAMES_AT_MOST = 1000
"""Games of one connection at most: its own and those that were left over."""
FAILED_S = 10.0
"""Seconds without an error after which the database counts as sound: tables send again each second."""
DATABASE = (OperationalError, InterfaceError, PoolTimeout)
"""Errors of a database that is away, full or busy: the table sends the same again later."""


@dataclass(slots=True)
class Desk:
    """Objects shared by all tables' WebSockets: the database, and functions that get the games with more
    entries, a table's status, and a table's small picture. ``not_stored`` counts how often the database
    took no entries."""

    records: Records
    committed: Callable[[set[int]], None]
    heard: Callable[[str, Status], None]
    seen: Callable[[str, bytes], None]
    not_stored: int = 0
    failed_s: float | None = None
    """Time of the database's last error (`time.monotonic`); None if it has stored entries since."""

    @property
    def database_works(self) -> bool:
        """Whether the database takes entries, as far as it was asked."""
        return self.failed_s is None or time.monotonic() - self.failed_s > FAILED_S


class TableSocket(HeldSocket):
    """The accepted WebSocket of one table."""

    def __init__(self, socket: WebSocket, credential: Credential, desk: Desk) -> None:
        super().__init__(socket, credential)
        self.unsent = 0
        """Entries that the table has not got stored yet, as it says."""
        self._desk = desk
        self._held: dict[str, int] = {}
        self._asked: dict[str, asyncio.Future[Reply]] = {}
        self._storing = asyncio.Lock()

    async def run(self) -> None:
        """Answer frames until the connection ends. Raises MessageError for an invalid one."""
        async for message in self.messages():
            if isinstance(message, str):
                await self._take(message)
            elif len(message) > PREVIEW_BYTES:
                raise MessageError(f"a picture of more than {PREVIEW_BYTES} bytes")
            else:
                self._desk.seen(self.credential.name, message)

    async def cut(self) -> None:
        """End the connection from our side: when this returns, nothing more of it is stored."""
        self.is_closed = True
        async with self._storing:
            pass

    async def ask(self, command: Command) -> Reply:
        """Send a command and return the table's reply. Raises TimeoutError or OSError."""
        number = secrets.token_hex(8)
        self._asked[number] = answer = self.loop.create_future()
        try:
            async with asyncio.timeout(COMMAND_S):  # a table may read nothing, too
                await self.send(Commanded(id=number, command=command))
                reply: Reply = await answer
                return reply
        except AWAY as error:
            raise ConnectionError(str(error)) from None
        finally:
            del self._asked[number]

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
            await asyncio.to_thread(self._desk.heard, self.credential.name, frame.status)
        elif isinstance(frame, Replied):
            answer = self._asked.get(frame.id)
            if answer is not None and not answer.done():
                answer.set_result(frame.reply)

    async def _say_last(self, game: str) -> None:
        """Answer with the last entry of a game that the hub has."""
        if len(self._held) >= GAMES_AT_MOST and game not in self._held:
            raise MessageError("too many games on one connection")
        try:
            last = await asyncio.to_thread(self._desk.records.last, self.credential.name, game)
        except DATABASE:
            await self._fail(game)
            return
        self._held[game] = 0 if last is None else last.number
        await self.send(Held(game=game, last=last))

    async def _store(self, frame: Entries) -> None:
        """Store entries in one transaction, and answer after the commit."""
        held, numbers = self._held.get(frame.game), [one.number for one in frame.entries]
        if held is None:
            raise MessageError("entries of a game before its hello")
        if numbers != list(range(numbers[0], numbers[0] + len(numbers))) or numbers[0] > held + 1:
            raise MessageError(f"entry {held + 1} is missing")
        if numbers[-1] >= NUMBER_AT_MOST:
            raise MessageError("too many entries")
        desk, table = self._desk, self.credential.name
        try:
            async with self._storing:
                if self.is_closed:
                    return
                changed = await asyncio.to_thread(desk.records.store, table, frame.game, frame.entries)
        except DATABASE:
            await self._fail(frame.game)
            return
        except Exception as error:  # what cannot be stored ends its own connection
            log.exception("entries of table %s cannot be stored", table)
            raise MessageError(f"this cannot be stored ({type(error).__name__})") from None
        desk.failed_s = None
        desk.committed(changed)
        self._held[frame.game] = max(held, numbers[-1])
        await self.send(Stored(game=frame.game, number=numbers[-1]))

    async def _fail(self, game: str) -> None:
        """Tell the table that the database takes nothing now."""
        desk = self._desk
        if desk.database_works:
            log.warning("the database takes nothing; the tables send it again")
        desk.failed_s, desk.not_stored = time.monotonic(), desk.not_stored + 1
        await self.send(NotStored(game=game))
