"""Attack: the limits against slow guests cut off honest people with a slow network.

Held: a client that sends or reads steadily is never cut off, however long the transfer takes. A client that
reads nothing, or sends single bytes at long intervals, is cut off. The limits are shortened here: each
transfer takes several times the permitted standstill.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI, Request
from fastapi.responses import FileResponse

from tests.web.fake_table import FakeTable
from tilesight.server import connections
from tilesight.server.connections import ConnectionLimiter
from tilesight.server.dashboard import Dashboard

STILL_S = 0.6
"""Seconds that a transfer may stand still."""
SIZE = 24_000_000
"""Bytes of the download: more than the system's buffers hold."""


@pytest.fixture
def port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A server that takes uploads piece by piece, and gives a large file."""
    monkeypatch.setattr(connections, "REQUEST_WITHIN_S", STILL_S)
    monkeypatch.setattr(connections, "READ_WITHIN_S", STILL_S)
    monkeypatch.setattr(connections, "LOOK_EVERY_S", 0.05)
    file = tmp_path / "games.zip"
    file.write_bytes(bytes(SIZE))
    app = FastAPI()

    @app.post("/import")
    async def take(request: Request) -> int:
        return sum([len(piece) async for piece in request.stream()])

    @app.get("/export")
    def give() -> FileResponse:
        return FileResponse(file)

    with Dashboard(FakeTable(), host="127.0.0.1", port=0, app=app, limiter=ConnectionLimiter(40)) as shown:
        yield shown.port


def opened(port: int, words: bytes) -> socket.socket:
    """Open a connection and say something on it."""
    one = socket.create_connection(("127.0.0.1", port), 10)
    one.sendall(words)
    return one


def upload_head(size: int) -> bytes:
    """The head of an upload."""
    return f"POST /import HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {size}\r\n\r\n".encode()


def seconds_until_cut(one: socket.socket, piece: bytes, most_s: float = 8.0) -> float:
    """Send a piece again and again, until the server ends the connection: the seconds that it took."""
    began_s = time.monotonic()
    one.settimeout(0.1)
    while time.monotonic() - began_s < most_s:
        try:
            one.sendall(piece)
            if one.recv(1) == b"":
                break
        except TimeoutError:
            continue
        except OSError:
            break
    return time.monotonic() - began_s


def test_a_slow_upload_is_taken_to_its_end(port: int) -> None:
    piece, pieces = bytes(2_000), 20
    with opened(port, upload_head(len(piece) * pieces)) as one:
        for _ in range(pieces):
            time.sleep(0.15)
            one.sendall(piece)
        answer = one.makefile("rb").read()
    assert b"200 OK" in answer and answer.endswith(b"40000")


def test_a_slow_download_is_given_to_its_end(port: int) -> None:
    with opened(port, b"GET /export HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n") as one:
        got, began_s = 0, time.monotonic()
        while piece := one.recv(1 << 20):
            got += len(piece)
            time.sleep(max(0.0, got / 8e6 - (time.monotonic() - began_s)))  # 8 MB a second
    assert got > SIZE and time.monotonic() - began_s > 4 * STILL_S


@pytest.mark.parametrize("begin", [b"GET /export HTTP/1.1\r\nHost: x\r\nX-a: ", upload_head(60_000)])
def test_a_byte_now_and_then_is_no_progress(port: int, begin: bytes) -> None:
    with opened(port, begin) as one:
        assert seconds_until_cut(one, b"a") < 5 * STILL_S


def test_a_client_that_reads_nothing_is_cut_off(port: int) -> None:
    with opened(port, b"GET /export HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n") as one:
        time.sleep(4 * STILL_S)
        got = 0
        try:
            while piece := one.recv(1 << 20):
                got += len(piece)
        except ConnectionError:
            pass
    assert got < SIZE
