"""Pictures of a table's phone on their way to the table's process: always the latest."""

from __future__ import annotations

import asyncio
import json
import logging

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from tilesight.club.messages import FRAME_BYTES
from tilesight.club.worker.child import Served

log = logging.getLogger("tilesight.club.worker")

AGAIN_S = 0.5
"""Seconds after which a table that takes no pictures is asked again."""
JPEG_START = b"\xff\xd8\xff"
"""The first bytes of every JPEG: a table disconnects a client that sends anything else."""


class Pictures:
    """Slot for the latest picture of one table."""

    def __init__(self) -> None:
        self._jpeg = b""
        self._came = asyncio.Event()

    def put(self, jpeg: bytes) -> None:
        """Store a picture; an earlier one that was not taken is dropped."""
        if len(jpeg) <= FRAME_BYTES and jpeg.startswith(JPEG_START):
            self._jpeg = jpeg
            self._came.set()

    async def forward(self, served: Served) -> None:
        """Send the pictures to a table as a phone does, until cancelled."""
        address = f"{served.url.replace('http', 'ws', 1)}/api/phone"
        while True:
            try:
                async with connect(address) as phone:
                    await phone.send(json.dumps({"key": served.key}))
                    await phone.recv()
                    while True:
                        await self._came.wait()
                        self._came.clear()
                        await phone.send(self._jpeg)
                        await phone.recv()
            except (OSError, TimeoutError, WebSocketException) as error:
                log.debug("%s: %s", address, error)
            await asyncio.sleep(AGAIN_S)
