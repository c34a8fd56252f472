"""Phone as the table's camera: its page, and the WebSocket that receives its pictures.

The first message says the table's key as ``{"key": ...}``; then each binary message is one JPEG, and each is
acknowledged with ``{"frame": n}``, so that a phone never sends faster than the table takes; now and then with
what the table sees in them, too, so that people can place the phone by its own screen.  One phone at a time:
the latest to come is the camera.
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

from web.limits.errors import ApiError
from web.limits.keys import KeyGuard
from web.table.squares import SquareTable
from web.table.table import Table
from web.views.tile_json import picture_json

PAGE = Path(__file__).parents[1] / "static" / "camera.html"
"""The file of the camera's page."""
PICTURE_LIMIT_BYTES = 6 * 1024 * 1024
"""Bytes of a picture at most."""
KEY_WITHIN_S = 10.0
"""Seconds within which a phone must send the key."""
FIRST_MESSAGE_BYTES = 1024
"""Bytes that a phone may send before the key was accepted."""
UNKEYED_AT_MOST = 8
"""Number of phones at most that have not sent the key yet; one more closes the connection of the first."""
KEYED = "tilesight.keyed"
"""In a WebSocket's ``scope["extensions"]``, where the server bounds messages by itself: to be called once the
key was said."""
PLACING_S, PLAYING_S = 1.0, 4.0
"""Seconds between two times that a phone is told what the table sees: while it is placed, and once turns are
played. Each measures a picture, some hundredths of a second."""
JPEG_START = b"\xff\xd8\xff"
"""The first bytes of every JPEG."""
REPLACED, TOO_LARGE, NO_PICTURE = 4409, 4413, 4415
"""Codes with which a phone's socket is closed, beside 4403 (no or wrong key), 4429 (too many wrong ones) and
4408 (too late)."""


class PhoneSink(Protocol):
    """Receiver of a phone's pictures."""

    def push(self, jpeg: bytes, t_s: float) -> None:
        """One picture, which came at ``t_s`` (seconds since 1970); returns at once."""


class _Guide:
    """Tells a phone what the table sees in its pictures, now and then and each picture once."""

    def __init__(self, table: Table | SquareTable) -> None:
        self._table = table
        self._after_s = 0.0
        self._told: tuple[int, str] | None = None

    async def news(self) -> Mapping[str, object]:
        """``seen``, told with an acknowledgement; empty where there is nothing new, or it is too soon."""
        if time.monotonic() < self._after_s:
            return {}
        seen = await run_sync(self._look)
        return {} if seen is None else {"seen": seen}

    def _look(self) -> Mapping[str, object] | None:
        picture, view = self._table.picture(), self._table.state()
        self._after_s = time.monotonic() + (PLAYING_S if view.played else PLACING_S)
        if picture is None or self._told == (picture.frame, view.camera.seeing):
            return None
        self._told = picture.frame, view.camera.seeing
        return {**picture_json(picture), "seeing": view.camera.seeing, "turns": len(view.played)}


class _Goodbye(Exception):
    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


def camera_page(secure_url: str, picture_bytes: int = PICTURE_LIMIT_BYTES) -> HTMLResponse:
    """The camera's page, whose pictures have ``picture_bytes`` at most. It leads to ``secure_url`` where a
    browser refuses its camera to what is not encrypted."""
    page = PAGE.read_text("utf-8").replace("$secure", escape(secure_url)).replace("$most", str(picture_bytes))
    return HTMLResponse(page, headers={"Cache-Control": "no-cache"})


def phone_camera(
    sink: PhoneSink, guard: KeyGuard, table: Table | SquareTable, secure_url: str = ""
) -> APIRouter:
    """The camera's page and its WebSocket; ``table`` is what the pictures are of."""
    routes = APIRouter()
    present: list[WebSocket] = []
    unkeyed: dict[WebSocket, asyncio.Task[str]] = {}

    @routes.get("/camera", include_in_schema=False)
    def get_page() -> HTMLResponse:
        return camera_page(secure_url)  # a new answer each time: compression changes its headers

    @routes.websocket("/api/phone")
    async def take_pictures(phone: WebSocket) -> None:
        await phone.accept()
        try:
            checking = asyncio.create_task(_check_key(phone, guard))
            unkeyed[phone] = checking
            if len(unkeyed) > UNKEYED_AT_MOST:
                next(iter(unkeyed.values())).cancel()
            try:
                key = await checking
            except asyncio.CancelledError:
                raise _Goodbye(4408, "too many phones say no key") from None
            finally:
                unkeyed.pop(phone, None)
                checking.cancel()
            for earlier in present:
                await earlier.close(REPLACED, "another phone is the camera now")
            present[:] = [phone]
            await _take(phone, sink, lambda: guard.access.role_of(key) is not None, _Guide(table))
        except WebSocketDisconnect:
            pass
        except _Goodbye as goodbye:
            await phone.close(goodbye.code, str(goodbye))
        finally:
            if phone in present:
                present.remove(phone)

    return routes


async def _check_key(phone: WebSocket, guard: KeyGuard) -> str:
    """The key that the phone says; _Goodbye where it is none of the table's."""
    key = None
    try:
        text = await asyncio.wait_for(phone.receive_text(), KEY_WITHIN_S)
        if len(text) > FIRST_MESSAGE_BYTES:
            raise _Goodbye(1009, f"at most {FIRST_MESSAGE_BYTES} bytes before the key")
        said = json.loads(text)
        key = said.get("key") if isinstance(said, dict) else None
    except TimeoutError:
        raise _Goodbye(4408, "the key did not come in time") from None
    except (ValueError, KeyError, RecursionError):  # no JSON, or no text at all
        pass
    try:
        key = key if isinstance(key, str) else ""
        guard.check(key, phone.client.host if phone.client else "", "camera")
    except ApiError as error:
        raise _Goodbye(4000 + error.status, error.message) from None
    if (keyed := phone.scope.get("extensions", {}).get(KEYED)) is not None:
        keyed()
    await phone.send_json({"welcome": True})
    return key


async def _take(phone: WebSocket, sink: PhoneSink, may_send: Callable[[], bool], guide: _Guide) -> None:
    number = 0
    while True:
        try:
            jpeg = await phone.receive_bytes()
        except KeyError:
            raise _Goodbye(NO_PICTURE, "this is no JPEG") from None
        if len(jpeg) > PICTURE_LIMIT_BYTES:
            raise _Goodbye(TOO_LARGE, f"at most {PICTURE_LIMIT_BYTES} bytes")
        if not jpeg.startswith(JPEG_START):
            raise _Goodbye(NO_PICTURE, "this is no JPEG")
        if not may_send():
            raise _Goodbye(4403, "the table has another key now")
        number += 1
        sink.push(jpeg, time.time())
        await phone.send_json({"frame": number, **await guide.news()})
