"""Guests of a table (`python -m tests.crowds crowd`): readers, and those that ask for too much."""

from __future__ import annotations

import asyncio
import itertools
import socket
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass, field

from tests.crowds.phones import LENGTH, Phone

AGAIN_S = 10.0
"""Seconds after which a guest that was cut off comes again."""
HALF = b"GET /api/state HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half: "
"""Bytes of a request that never ends."""
GREEDY = ("/api/report.pdf", "/api/turns/1/choices", "/api/report.html", "/api/export")
"""Addresses that greedy guests ask for, over and over."""
LARGEST = 1 << 26
"""Bytes that a guest holds at most."""


@dataclass(frozen=True, slots=True)
class CrowdSize:
    """Numbers of guests: ``readers`` follow the game as dashboards do, ``silent`` ones open the events and
    never read, ``idle`` ones never end a request, ``greedy`` ones ask for reports and choices again and
    again."""

    readers: int = 200
    silent: int = 100
    idle: int = 1100
    greedy: int = 20


@dataclass
class Crowd:
    """Guests of a table on this machine's port ``port``, in one event loop. ``answers`` counts those that
    greedy guests got, ``cut_off`` the connections that the table ended."""

    port: int
    size: CrowdSize
    answers: int = 0
    cut_off: int = 0
    phones: list[Phone] = field(default_factory=list)
    _readers: list[asyncio.Task[None]] = field(default_factory=list)
    _tasks: list[asyncio.Task[None]] = field(default_factory=list)

    async def come(self) -> None:
        """Return once every reader listens; the other guests continue to arrive."""
        self.phones = [Phone(self.port) for _ in range(self.size.readers)]
        self._readers = [asyncio.create_task(phone.listen()) for phone in self.phones]
        await asyncio.gather(*(phone.listening.wait() for phone in self.phones))
        for number in range(self.size.idle):
            self._begin(self._hold(HALF, number))
        for number in range(self.size.silent):
            self._begin(
                self._hold(b"GET /api/events?last_event_id=0 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", number)
            )
        for number in range(self.size.greedy):
            self._begin(self._ask_on(number))
        await asyncio.sleep(1.0)

    async def readers_gone(self) -> None:
        """Return once the table has closed on every reader."""
        await asyncio.wait(self._readers)

    async def leave(self) -> None:
        """End every connection."""
        tasks = [*self._readers, *self._tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _begin(self, guest: Coroutine[object, object, None]) -> None:
        self._tasks.append(asyncio.create_task(guest))

    async def _hold(self, words: bytes, number: int) -> None:
        """Say something, read nothing, and come again after being cut off."""
        await asyncio.sleep(0.002 * number)
        loop = asyncio.get_running_loop()
        while True:
            with suppress(OSError), socket.socket() as opened:
                opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                opened.setblocking(False)
                await loop.sock_connect(opened, ("127.0.0.1", self.port))
                await loop.sock_sendall(opened, words)
                while not _ended(opened):
                    await asyncio.sleep(1.0)
            self.cut_off += 1
            await asyncio.sleep(AGAIN_S)

    async def _ask_on(self, number: int) -> None:
        """Ask for one thing after the other, each once the last has come."""
        for path in itertools.islice(itertools.cycle(GREEDY), number, None):
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=LARGEST)
                try:
                    writer.write(
                        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode()
                    )
                    head = await reader.readuntil(b"\r\n\r\n")
                    await reader.readexactly(int(LENGTH.findall(head)[0]))
                    self.answers += 1
                finally:
                    writer.close()
            except (OSError, asyncio.IncompleteReadError, IndexError):
                self.cut_off += 1
                await asyncio.sleep(1.0)


def _ended(opened: socket.socket) -> bool:
    """Whether the other side ended the connection; what waits to be read stays there."""
    try:
        return opened.recv(1, socket.MSG_PEEK) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True
