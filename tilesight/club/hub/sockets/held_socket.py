"""WebSocket of one key's holder at the hub, read no faster than its share."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import AsyncIterator

from starlette.websockets import WebSocket, WebSocketDisconnect

from tilesight.club.credentials import Credential
from tilesight.club.frames import LINK_HEADER, REASON_BYTES, Frame

BYTES_PER_S = 500_000.0
"""Bytes per second of one connection; its socket is read more slowly beyond."""
FRAME_COST_BYTES = 2500
"""Bytes that each frame counts in addition: at most 200 small ones per second are handled."""
BURST_BYTES = 4_000_000.0
"""Bytes that a connection may send at once."""
AWAY = (RuntimeError, OSError, WebSocketDisconnect)
"""Errors of a connection that has been closed."""


class HeldSocket:
    """The accepted WebSocket of a credential's holder."""

    def __init__(self, socket: WebSocket, credential: Credential) -> None:
        self.credential = credential
        self.link = socket.headers.get(LINK_HEADER) or secrets.token_hex(8)
        """Word of the process at the other end, the same one on each of its connections."""
        self.loop = asyncio.get_running_loop()
        self.heard_s = time.monotonic()
        self.is_closed = False
        self._socket = socket
        self._credit, self._paid_s = BURST_BYTES, self.heard_s
        self._closing = set[asyncio.Task[None]]()

    async def messages(self) -> AsyncIterator[str | bytes]:
        """Yield the holder's messages until the connection ends or is closed."""
        while True:
            message = await self._socket.receive()
            if message["type"] == "websocket.disconnect" or self.is_closed:
                return
            told = message.get("text")
            told = message.get("bytes") or b"" if told is None else told
            self.heard_s = time.monotonic()
            await self._pay(len(told) + FRAME_COST_BYTES)
            yield told

    async def close(self, code: int, reason: str) -> None:
        """Close the connection with a reason in plain words; nothing more of it is read."""
        self.is_closed = True
        with contextlib.suppress(*AWAY):
            shown = reason.encode()[:REASON_BYTES].decode("utf-8", "ignore")
            await self._socket.close(code, shown)

    def close_soon(self, code: int, reason: str) -> None:
        """Close the connection without waiting for the other side; nothing more of it is read."""
        self.is_closed = True
        if not self._closing:
            self._closing.add(asyncio.create_task(self.close(code, reason)))

    async def send(self, told: Frame | bytes) -> None:
        """Send a frame, or bytes. Raises one of `AWAY`."""
        if isinstance(told, bytes):
            await self._socket.send_bytes(told)
        else:
            await self._socket.send_text(told.text())

    async def _pay(self, size: int) -> None:
        """Wait until this many bytes are within the connection's share."""
        now_s = time.monotonic()
        self._credit = min(BURST_BYTES, self._credit + (now_s - self._paid_s) * BYTES_PER_S) - size
        self._paid_s = now_s
        if self._credit < 0:
            await asyncio.sleep(-self._credit / BYTES_PER_S)
