"""A phone as the table's camera: its page, and the WebSocket that receives its pictures.

The phone's first message is ``{"key": ...}``. Each further message is one JPEG and is acknowledged with
``{"frame": n}``, so a phone never sends faster than the table receives. Some acknowledgements also contain
what the table recognises, so that people can aim the phone by its own screen. Only one phone is the camera at
a time: a new one replaces the one before.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path
from typing import Protocol

from anyio.to_thread import run_sync
from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from fastapi.responses import HTMLResponse

from engine.message import Message
from web.limits.errors import ApiError
from web.limits.keys import KeyGuard, note_key
from web.table.squares import SquareTable
from web.table.table import Table
from web.views.tile_json import picture_json

PAGE = Path(__file__).parents[1] / "static" / "camera.html"
"""File of the camera page."""
PICTURE_LIMIT_BYTES = 6 * 1024 * 1024
"""Maximum size of a picture, in bytes."""
KEY_WITHIN_S = 10.0
"""Seconds within which a phone must send the key."""
FIRST_MESSAGE_BYTES = 1024
"""Maximum size of the message with the key, in bytes."""
UNKEYED_AT_MOST = 8
"""Maximum number of connected phones that have not sent the key yet. When another one connects, the oldest of
them is disconnected."""
PLACING_S, PLAYING_S = 1.0, 4.0
"""Minimum seconds between two reports to the phone of what is recognised: before the first turn, and after
it. Each report takes some hundredths of a second of processor time."""
JPEG_START = b"\xff\xd8\xff"
"""First bytes of every JPEG."""
REPLACED, TOO_LARGE, NO_PICTURE = 4409, 4413, 4415
"""Close codes of the phone's WebSocket. There are also 4403 (missing or wrong key), 4429 (too many wrong
keys) and 4408 (key too late)."""


class PhoneSink(Protocol):
    """Receiver of a phone's pictures."""

    def push(self, jpeg: bytes) -> None:
        """Take one picture. Must return at once."""


class _SeenReporter:
    """Reports to a phone what the table recognises: at most once per picture, and not too often."""

    def __init__(self, table: Table | SquareTable) -> None:
        self._table = table
        self._after_s = 0.0
        self._reported: tuple[int, str] | None = None

    async def report(self) -> Mapping[str, object]:
        """Return ``{"seen": ...}`` for the next acknowledgement.

        Empty if nothing is new or the last report is too recent.
        """
        if time.monotonic() < self._after_s:
            return {}
        seen = await run_sync(self._look)
        return {} if seen is None else {"seen": seen}

    def _look(self) -> Mapping[str, object] | None:
        """Return the recognised tiles and pieces as JSON, and set the earliest time of the next report.

        None if there is no picture, or if this picture was reported already.
        """
        picture, view = self._table.picture(), self._table.state()
        self._after_s = time.monotonic() + (PLAYING_S if view.played else PLACING_S)
        if picture is None or self._reported == (picture.frame, view.camera.seeing):
            return None
        self._reported = picture.frame, view.camera.seeing
        return {**picture_json(picture), "seeing": view.camera.seeing, "turns": len(view.played)}


class _CloseSocket(Exception):
    """Raised to close a phone's WebSocket with a code and a reason."""

    def __init__(self, code: int, message: Message) -> None:
        super().__init__(message)
        self.code, self.message = code, message


def camera_page(secure_url: str, picture_bytes: int = PICTURE_LIMIT_BYTES) -> HTMLResponse:
    """Return the camera page, which sends pictures of at most ``picture_bytes`` bytes.

    ``secure_url`` is its link for browsers that only allow a camera on encrypted pages.
    """
    page = PAGE.read_text("utf-8").replace("$secure", escape(secure_url)).replace("$most", str(picture_bytes))
    return HTMLResponse(page, headers={"Cache-Control": "no-cache"})


def phone_camera(
    sink: PhoneSink, guard: KeyGuard, table: Table | SquareTable, secure_url: str = ""
) -> APIRouter:
    """Return the routes of the camera page and its WebSocket.

    ``sink`` gets the pictures, ``guard`` checks the keys, and ``table`` reports what is recognised.
    """
    routes = APIRouter()
    present: list[WebSocket] = []
    unkeyed: dict[WebSocket, asyncio.Task[str]] = {}

    @routes.get("/camera", include_in_schema=False)
    def get_page() -> HTMLResponse:
        """Return the camera page."""
        return camera_page(secure_url)  # not cached: compression changes the response's headers

    @routes.websocket("/api/phone")
    async def take_pictures(phone: WebSocket) -> None:
        """Handle a phone's WebSocket until the phone disconnects.

        Checks its key, closes the connection of the phone that was the camera before, and receives pictures.
        """
        await phone.accept()
        try:
            checking = asyncio.create_task(_check_key(phone, guard))
            unkeyed[phone] = checking
            if len(unkeyed) > UNKEYED_AT_MOST:
                next(iter(unkeyed.values())).cancel()
            try:
                key = await checking
            except asyncio.CancelledError:
                raise _CloseSocket(4408, Message("too many phones say no key")) from None
            finally:
                unkeyed.pop(phone, None)
                checking.cancel()
            for earlier in present:
                await earlier.close(REPLACED, Message("another phone is the camera now"))
            present[:] = [phone]
            await _receive_pictures(
                phone, sink, lambda: guard.access.role_of(key) is not None, _SeenReporter(table)
            )
        except WebSocketDisconnect:
            pass
        except _CloseSocket as closing:
            await phone.close(closing.code, closing.message)
        finally:
            if phone in present:
                present.remove(phone)

    return routes


async def _check_key(phone: WebSocket, guard: KeyGuard) -> str:
    """Read the phone's first message, confirm the key with ``{"welcome": true}``, and return it.

    Raises _CloseSocket if it is late, too long, or not a key of the table.
    """
    key = None
    try:
        text = await asyncio.wait_for(phone.receive_text(), KEY_WITHIN_S)
        if len(text) > FIRST_MESSAGE_BYTES:
            raise _CloseSocket(1009, Message("at most {most} bytes", most=FIRST_MESSAGE_BYTES))
        message = json.loads(text)
        key = message.get("key") if isinstance(message, dict) else None
    except TimeoutError:
        raise _CloseSocket(4408, Message("the key did not come in time")) from None
    except (ValueError, KeyError, RecursionError):  # not JSON, or a binary message
        pass
    try:
        key = key if isinstance(key, str) else ""
        guard.check(key, phone.client.host if phone.client else "", "camera")
    except ApiError as error:
        # A close reason has no arguments beside it, so the page can translate only a text without any.
        later = Message("too many wrong keys, try again later")
        reason = later if error.code == "too_many_keys" else error.message
        raise _CloseSocket(4000 + error.status, reason) from None
    note_key(phone.scope)
    await phone.send_json({"welcome": True})
    return key


async def _receive_pictures(
    phone: WebSocket, sink: PhoneSink, may_send: Callable[[], bool], reporter: _SeenReporter
) -> None:
    """Pass pictures from the phone on to ``sink`` and acknowledge each, until the phone disconnects.

    Raises _CloseSocket if a message is no JPEG or too large, or if ``may_send()`` is false.
    """
    number = 0
    while True:
        try:
            jpeg = await phone.receive_bytes()
        except KeyError:
            raise _CloseSocket(NO_PICTURE, Message("this is no JPEG")) from None
        if len(jpeg) > PICTURE_LIMIT_BYTES:
            raise _CloseSocket(TOO_LARGE, Message("at most {most} bytes", most=PICTURE_LIMIT_BYTES))
        if not jpeg.startswith(JPEG_START):
            raise _CloseSocket(NO_PICTURE, Message("this is no JPEG"))
        if not may_send():
            raise _CloseSocket(4403, Message("the table has another key now"))
        number += 1
        sink.push(jpeg)
        await phone.send_json({"frame": number, **await reporter.report()})
