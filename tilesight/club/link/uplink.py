"""Uplink of a table to its hub: what its link sends over the WebSocket, and the commands that come."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from websockets.asyncio import client
from websockets.exceptions import ConnectionClosed

from tilesight.club.frames import (
    Commanded,
    Entries,
    Frame,
    FromHub,
    Held,
    Hello,
    Here,
    NotStored,
    Replied,
    Stored,
    from_hub,
)
from tilesight.club.hub_socket import Refused, keep_connected
from tilesight.club.invitation import Invitation
from tilesight.club.messages import COMMAND_BYTES, Command, Reply

AWAY_AFTER_S = 5.0
"""Seconds without the hub after which people are told."""
ANSWER_S = 15.0
"""Seconds within which the hub answers; it may wait for its database first."""
HERE_S = 5.0
"""Seconds between two signs of life."""
Run = Callable[[Command], Awaitable[Reply]]
"""Executes a command and returns the table's reply."""


class Uplink:
    """Connection of the table of an invitation, which is opened again for ever. Methods that send raise
    ConnectionError while the hub is away."""

    def __init__(self, invited: Invitation) -> None:
        self._invited = invited
        self._socket: client.ClientConnection | None = None
        self._there = asyncio.Event()
        self._keeping: asyncio.Task[None] | None = None
        self._asking = asyncio.Lock()
        self._answers: asyncio.Queue[FromHub] = asyncio.Queue()
        self._run: Run | None = None
        self._running: set[asyncio.Task[None]] = set()
        self.session = 0
        """Number of connections so far: what the hub has is asked again on each."""
        self.unsent = 0
        """Entries that are known not to be at the hub yet."""

    @property
    def is_connected(self) -> bool:
        """Whether the hub is reached now."""
        return self._there.is_set()

    @property
    def is_closed(self) -> bool:
        """Whether attempts have ended, because another server answers at the hub's address."""
        return self._keeping is not None and self._keeping.done()

    async def connect(self, ended: asyncio.Event, away: Callable[[], None], refused: Refused) -> bool:
        """Connect, retrying until it succeeds; return False if ``ended`` is set first.

        Raises CredentialError if another server answers at the hub's address.
        """
        self._keeping = keeping = asyncio.create_task(keep_connected(self._invited, self._converse, refused))
        there, end = asyncio.create_task(self._there.wait()), asyncio.create_task(ended.wait())
        # A table that ends meanwhile still waits so long: what is left of its log may be sent.
        done, _ = await asyncio.wait(
            {there, keeping}, timeout=AWAY_AFTER_S, return_when=asyncio.FIRST_COMPLETED
        )
        if not done:
            away()
            await asyncio.wait({there, keeping, end}, return_when=asyncio.FIRST_COMPLETED)
        reached = there.done()
        end.cancel()
        there.cancel()
        if keeping.done():
            keeping.result()
        if not reached:
            await self.close()
        return reached

    async def _converse(self, socket: client.ClientConnection) -> None:
        """Read frames until the connection ends. Raises ConnectionClosed or MessageError."""
        self._answers = asyncio.Queue()
        self._socket = socket
        self.session += 1
        self._there.set()
        living = asyncio.create_task(self._live(socket))
        try:
            while True:
                data = await socket.recv()
                frame = from_hub(data if isinstance(data, str) else "")
                if isinstance(frame, Commanded):
                    task = asyncio.create_task(self._execute(socket, frame))
                    self._running.add(task)
                    task.add_done_callback(self._running.discard)
                else:
                    self._answers.put_nowait(frame)
        finally:
            self._there.clear()
            self._socket = None
            living.cancel()

    async def _live(self, socket: client.ClientConnection) -> None:
        """Send signs of life."""
        with contextlib.suppress(ConnectionClosed):
            while True:
                await socket.send(Here(unsent=self.unsent).text())
                await asyncio.sleep(HERE_S)

    async def _execute(self, socket: client.ClientConnection, frame: Commanded) -> None:
        """Execute a command and send its reply."""
        if self._run is None:
            return
        reply = await self._run(frame.command)
        if len(reply.encoded()) > COMMAND_BYTES:
            reply = Reply(
                status=502, body={"error": {"code": "too_large", "message": "the reply is too large"}}
            )
        with contextlib.suppress(ConnectionClosed):
            await socket.send(Replied(id=frame.id, reply=reply).text())

    async def ask(self, frame: Hello | Entries) -> Held | Stored:
        """Send a frame and return its answer. Raises ConnectionError or TimeoutError."""
        async with self._asking:
            socket = self._socket
            await self.send(frame)
            answer: asyncio.Task[FromHub] = asyncio.create_task(self._answers.get())
            closed = asyncio.create_task(socket.wait_closed()) if socket is not None else None
            waiting = {answer} | ({closed} if closed is not None else set())
            try:
                await asyncio.wait(waiting, timeout=ANSWER_S, return_when=asyncio.FIRST_COMPLETED)
                if not answer.done():
                    if socket is not None:
                        await socket.close()  # a late answer would pass for the next one
                    raise ConnectionError("the hub did not answer")
                told = answer.result()
            finally:
                for task in waiting:
                    task.cancel()
        if isinstance(told, NotStored) or not isinstance(told, Held | Stored) or told.game != frame.game:
            raise ConnectionError("the hub's database takes nothing now")
        return told

    async def send(self, frame: Frame | bytes) -> None:
        """Send a frame, or a small picture (JPEG). Raises ConnectionError."""
        if self._socket is None:
            raise ConnectionError("the hub is away")
        try:
            await self._socket.send(frame if isinstance(frame, bytes) else frame.text())
        except ConnectionClosed as error:
            raise ConnectionError(str(error)) from None

    def execute(self, run: Run) -> None:
        """Execute commands from now on."""
        self._run = run

    async def close(self) -> None:
        """Disconnect."""
        tasks = [*self._running, *([self._keeping] if self._keeping is not None else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
