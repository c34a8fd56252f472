"""WebSocket of one worker at the hub: assignments and pictures out, signs of life in."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator

from starlette.websockets import WebSocket

from tilesight.club.credentials import Credential
from tilesight.club.frames import Assigned, Logged, Returned, Withdrawn, Working, from_worker
from tilesight.club.hub.sockets.held_socket import AWAY, HeldSocket
from tilesight.club.messages import MessageError


class WorkerSocket(HeldSocket):
    """The accepted WebSocket of a worker. What it is told waits here, and of each table's pictures only the
    latest, so a worker that reads slowly holds nothing up."""

    def __init__(self, socket: WebSocket, credential: Credential) -> None:
        super().__init__(socket, credential)
        self.tables = 0
        """Tables that it runs at most."""
        self.is_ready = False
        """Whether a process is prepared there."""
        self.not_before_s: dict[str, float] = {}
        """Times from which tables that failed there may be assigned to it again (`time.monotonic`)."""
        self._waiting: deque[Logged | Assigned | Withdrawn] = deque()
        self._pictures: dict[str, bytes] = {}
        self._more = asyncio.Event()

    async def frames(self) -> AsyncIterator[Returned]:
        """Yield what the worker gives back until the connection ends. Raises MessageError."""
        async for message in self.messages():
            if isinstance(message, bytes):
                raise MessageError("a worker sends no pictures")
            frame = from_worker(message)
            if isinstance(frame, Working):
                self.tables, self.is_ready = frame.tables, frame.ready
            else:
                yield frame

    def tell(self, frame: Logged | Assigned | Withdrawn) -> None:
        """Send a frame after those that wait."""
        self._waiting.append(frame)
        self._more.set()

    def show(self, table: str, picture: bytes) -> None:
        """Send a table's picture, as `frames.picture_frame` makes it, in place of one that still waits."""
        self._pictures[table] = picture
        self._more.set()

    async def send_all(self) -> None:
        """Send what waits, frames first, until the connection ends."""
        with contextlib.suppress(*AWAY):
            while True:
                await self._more.wait()
                self._more.clear()
                while self._waiting or self._pictures:
                    if self._waiting:
                        await self.send(self._waiting.popleft())
                    else:
                        await self.send(self._pictures.pop(next(iter(self._pictures))))
