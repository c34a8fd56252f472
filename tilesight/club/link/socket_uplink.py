"""Uplink through a WebSocket at the hub's own page (``/link``)."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
from collections.abc import Awaitable, Callable
from typing import Any

from websockets.asyncio import client
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

from tilesight.club.connection import AWAY_AFTER_S, REFUSED_S, RETRY_S, before
from tilesight.club.frames import (
    BATCH_BYTES,
    ENTRIES_AT_MOST,
    FRAME_BYTES,
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
    Told,
    from_hub,
)
from tilesight.club.invitation import CERTIFIED, Invitation
from tilesight.club.link.log_reader import LogReader
from tilesight.club.link.publisher import DivergedError
from tilesight.club.link.uplink import Run
from tilesight.club.messages import COMMAND_BYTES, FORGOTTEN, LogEntry, MessageError, Reply, Status
from tilesight.table_log.event_store import Entry

log = logging.getLogger("tilesight.club.link")

LONGEST_S = 10.0
"""Seconds between two attempts at most; the first ones follow each other faster."""
ANSWER_S = 15.0
"""Seconds within which the hub answers; it may wait for its database first."""
HERE_S = 5.0
"""Seconds between two signs of life, and between two pings of the hub."""


class SocketUplink:
    """Uplink of the table of an invitation (`uplink.Uplink`)."""

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

    async def connect(
        self, ended: asyncio.Event, away: Callable[[], None], refused: Callable[[], Awaitable[None]]
    ) -> bool:
        """Connect, retrying until it succeeds; return False if ``ended`` is set first.

        Raises CredentialError if another server answers at the hub's address.
        """
        self._keeping = keeping = asyncio.create_task(self._keep(refused))

        async def reached() -> bool:
            there = asyncio.create_task(self._there.wait())
            await asyncio.wait({there, keeping}, return_when=asyncio.FIRST_COMPLETED)
            there.cancel()
            if keeping.done():
                keeping.result()
            return True

        found = await before(ended, reached(), away, AWAY_AFTER_S, patient=True)
        if not found:
            await self.close()
        return bool(found)

    async def _keep(self, refused: Callable[[], Awaitable[None]]) -> None:
        """Connect and read frames, again and again, until cancelled. Raises CredentialError."""
        pause_s = RETRY_S
        while True:
            try:
                async with await self._opened() as socket:
                    pause_s = RETRY_S
                    await self._converse(socket)
            except InvalidStatus as error:
                pause_s = LONGEST_S
                if error.response.status_code == 403:
                    await refused()
                    pause_s = REFUSED_S
            except ConnectionClosed as error:
                if error.rcvd is not None and error.rcvd.code >= 4000:
                    log.warning("the hub closed the connection: %s", error.rcvd.reason)
                    pause_s = max(pause_s, 2 * RETRY_S)
            except (OSError, TimeoutError, WebSocketException, MessageError) as error:
                log.debug("%s: %s", self._invited.hub, error)
            # Tables of a hall that lost the same hub come back one after another.
            await asyncio.sleep(pause_s * random.uniform(0.5, 1.0))
            pause_s = min(pause_s * 2, LONGEST_S)

    async def _opened(self) -> client.connect:
        """Return a connection that is about to be opened."""
        invited, more = self._invited, dict[str, Any]()
        if (tls := await invited.tls()) is not None:
            more = {"ssl": tls, "server_hostname": CERTIFIED}
        return client.connect(
            invited.link_url,
            additional_headers={"Authorization": f"Bearer {invited.seed}"},
            compression=None,
            max_size=FRAME_BYTES,
            ping_interval=HERE_S,
            ping_timeout=HERE_S,
            close_timeout=1,
            proxy=None,  # the hub is in the house, or said by its own address
            **more,
        )

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
        reply = await self._run(frame.command.encoded())
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
            await self._send(frame)
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

    async def _send(self, frame: Frame | bytes) -> None:
        """Send a frame. Raises ConnectionError."""
        if self._socket is None:
            raise ConnectionError("the hub is away")
        try:
            await self._socket.send(frame if isinstance(frame, bytes) else frame.text())
        except ConnectionClosed as error:
            raise ConnectionError(str(error)) from None

    def publisher(self, log: LogReader) -> SocketPublisher:
        """Return the publisher of a log."""
        return SocketPublisher(self, log)

    async def execute(self, run: Run) -> None:
        """Execute commands from now on."""
        self._run = run

    async def status(self, status: Status) -> None:
        """Send the table's status."""
        await self._send(Told(status=status))

    async def preview(self, jpeg: bytes) -> None:
        """Send a small picture."""
        await self._send(jpeg)

    async def close(self) -> None:
        """Disconnect."""
        tasks = [*self._running, *([self._keeping] if self._keeping is not None else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class SocketPublisher:
    """Publishes one log over a WebSocket (`uplink.LogPublisher`).

    The hub's last entry says how far it has come. A batch follows when the one before is committed there, and
    what was sent twice is stored once.
    """

    def __init__(self, uplink: SocketUplink, log: LogReader) -> None:
        self._uplink = uplink
        self._log = log
        self._at: int | None = None
        self._session = 0
        self.sent = 0
        """Entries that this process has published."""

    async def publish_new(self) -> int:
        """Publish the entries that the hub lacks, and return their number.

        Raises ConnectionError, or StoreError if the log cannot be read; both can be retried. Raises
        DivergedError if the hub has other entries; then nothing more of this log may be published.
        """
        if not self._uplink.is_connected:
            raise ConnectionError("the hub is away")
        game = self._log.game
        if game is None:
            return 0
        begun = self.sent
        if self._session != self._uplink.session:
            self._at = None
        try:
            if self._at is None:
                self._session = self._uplink.session
                self._at = await self._last(game)
            while entries := self._log.after(self._at, ENTRIES_AT_MOST):
                self._uplink.unsent = len(entries)
                batch = _batch(entries)
                await self._uplink.ask(Entries(game=game, entries=batch))
                self._at = batch[-1].number
                self.sent += len(batch)
        except BaseException:
            self._at = None  # perhaps it was stored, and only the answer lost
            raise
        self._uplink.unsent = 0
        return self.sent - begun

    async def _last(self, game: str) -> int:
        """Return the number of the last entry at the hub, 0 if it has none."""
        held = await self._uplink.ask(Hello(game=game))
        told = held.last if isinstance(held, Held) else None
        if told is None:
            return 0
        own = [LogEntry.of(entry) for entry in self._log.after(told.number - 1, 1)]
        # After that of a log that was removed at the hub nothing comes, and nothing has gone apart.
        if own != [told] and told.kind != FORGOTTEN:
            raise DivergedError(f"{self._log.path}: the hub has another entry {told.number} of this game")
        return told.number


def _batch(entries: tuple[Entry, ...]) -> list[LogEntry]:
    """Return the first entries that fit into one frame, at least one."""
    batch, size = list[LogEntry](), 0
    for one in map(LogEntry.of, entries):
        size += len(one.encoded())
        if batch and size > BATCH_BYTES:
            break
        batch.append(one)
    return batch
