"""Attack: guests without a key take every connection, with event streams, or with connections that say
nothing.

Held: the host's commands, the camera and the players' own streams go on, and a new guest still gets in.
Guests' streams have a part of the places alone, and the oldest of the guest with most gives way to a new one.
Behind a reverse proxy everybody has one address: what is kept is kept for those who say a right key."""

from __future__ import annotations

import json
import socket
import ssl
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from websockets.sync.client import connect

from tests.web.fake_table import FakeTable, photograph
from tilesight.server.connections import ConnectionLimiter
from tilesight.server.dashboard import Dashboard
from tilesight.server.reverse_proxy import ReverseProxy

KEY = "SAVANNA7"
PLACES = 60
STREAM = "GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\n"


class Pictures:
    """A camera's sink that keeps nothing."""

    def push(self, jpeg: bytes) -> None:
        """Take a picture."""


@pytest.fixture(params=[(), ("127.0.0.1",)], ids=["addresses not told", "behind a trusted proxy"])
def dashboard(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Dashboard]:
    table, proxies = FakeTable(), request.param
    limiter = ConnectionLimiter(PLACES, proxies=proxies)
    with Dashboard(
        table,
        host="127.0.0.1",
        port=0,
        key=KEY,
        phone=Pictures(),
        certificates=tmp_path,
        proxy=ReverseProxy(None, proxies),
        limiter=limiter,
    ) as shown:
        yield shown


def opened(port: int, words: str) -> socket.socket:
    """Open a connection and say something on it."""
    one = socket.create_connection(("127.0.0.1", port), 5)
    one.sendall(words.encode())
    return one


def stream(port: int, guest: int = 0, key: str = "") -> socket.socket:
    """Open an event stream and wait for its first line; the connection is b"" at once where it is refused."""
    said = f"X-Table-Key: {key}\r\n" if key else ""
    one = opened(port, f"{STREAM}X-Forwarded-For: 192.0.2.{guest}\r\n{said}\r\n")
    assert b"200 OK" in one.recv(4096)
    return one


def is_open(one: socket.socket) -> bool:
    """Whether the server keeps a connection, once what it sent is read."""
    one.setblocking(False)
    try:
        while one.recv(4096):
            pass
        return False
    except BlockingIOError:
        return True
    except ConnectionError:
        return False


def command(shown: Dashboard) -> int:
    """Give one player another name: the status of the answer."""
    body = {"color": "red", "name": "Ana"}
    url = f"http://127.0.0.1:{shown.port}/api/seat"
    return httpx.post(url, json=body, headers={"X-Table-Key": KEY}, timeout=5).status_code


def test_guests_streams_leave_room_for_commands_camera_and_players(dashboard: Dashboard) -> None:
    with ExitStack() as left:
        player = left.enter_context(stream(dashboard.port, 77, KEY))
        guests = [left.enter_context(stream(dashboard.port, n % 9)) for n in range(int(1.5 * PLACES))]
        assert command(dashboard) == 200
        secure = ssl.create_default_context()
        secure.check_hostname, secure.verify_mode = False, ssl.CERT_NONE
        assert dashboard.camera_url is not None
        address = dashboard.camera_url.partition("/camera")[0].replace("https", "wss")
        with connect(f"{address}/api/phone", ssl=secure) as phone:
            phone.send(json.dumps({"key": KEY}))
            assert json.loads(phone.recv(timeout=5)) == {"welcome": True}
            more = [left.enter_context(stream(dashboard.port, n % 9)) for n in range(PLACES)]
            phone.send(photograph())
            assert json.loads(phone.recv(timeout=5))["frame"] == 1
        assert is_open(player)
        kept = sum(map(is_open, [*guests, *more]))
        assert PLACES / 4 <= kept <= PLACES / 2
        assert is_open(left.enter_context(stream(dashboard.port, 99)))


def test_silent_connections_leave_room_for_commands_and_players(dashboard: Dashboard) -> None:
    """Also those that begin no handshake on the port of the camera page."""
    assert dashboard.camera_url is not None
    secure_port = int(dashboard.camera_url.partition("/camera")[0].rpartition(":")[2])
    with ExitStack() as left:
        player = left.enter_context(stream(dashboard.port, 77, KEY))
        for number in range(2 * PLACES):
            left.enter_context(opened((dashboard.port, secure_port)[number % 2], "" if number % 3 else "GET"))
        assert command(dashboard) == 200
        assert is_open(player)
        assert len(dashboard._limiter) <= PLACES


def test_a_wrong_key_keeps_no_place(dashboard: Dashboard) -> None:
    with ExitStack() as left:
        liar = left.enter_context(stream(dashboard.port, 5, "WRONGKEY"))
        for n in range(PLACES):
            left.enter_context(stream(dashboard.port, 5 if n < 3 else 6))
        alone = [left.enter_context(stream(dashboard.port, 5)) for _ in range(PLACES)]
        assert not is_open(liar) and is_open(alone[-1])
