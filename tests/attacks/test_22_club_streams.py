"""Attack: guests take every place of a club's hub with event streams, of all tables and of one.

Held: streams with the hub's key and of a referee who has logged in go on, a newcomer still gets in, and one
address takes a small part of the places. (400 streams from one address once locked everybody out.)
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from threading import Thread

import httpx
import pytest

from tests.attacks.test_01_streams import is_open
from tests.tilesight.club.club_parts import free_port
from tests.web.conftest import KEY
from tests.web.fake_accounts import PASSWORD, FakeAccounts
from tests.web.test_club_app import NO_TOURNAMENTS, FakeClub, club_table
from tilesight.server.connections import ConnectionLimiter
from tilesight.server.page_server import serve_page
from tilesight.server.reverse_proxy import reverse_proxy
from web.club.app import create_club_app

PLACES = 60


@pytest.fixture
def port() -> Iterator[int]:
    """The port of a hub with few places, whose guests a proxy tells apart."""
    club, port = FakeClub(), free_port()
    club.put(club_table("hall-1"))
    app = create_club_app(club, NO_TOURNAMENTS, key=KEY, accounts=FakeAccounts())
    proxy = reverse_proxy("http://127.0.0.1", ["127.0.0.1"])
    limiter = ConnectionLimiter(PLACES, proxies=proxy.addresses, knows_key=app.state.knows_key)
    stops = list[Callable[[], None]]()
    ready = lambda _, stop: stops.append(stop)  # noqa: E731
    server = Thread(target=serve_page, args=(app, "127.0.0.1", port, ready, proxy, None, limiter))
    server.start()
    with httpx.Client(transport=httpx.HTTPTransport(retries=20), trust_env=False) as client:
        assert client.get(f"http://127.0.0.1:{port}/api/tables").status_code == 200
    yield port
    stops[0]()
    server.join(20)


def stream(port: int, guest: int = 0, path: str = "/api/events", **headers: str) -> socket.socket:
    """Open an event stream and wait for its first line."""
    said = {"Host": "127.0.0.1", "X-Forwarded-For": f"192.0.2.{guest}"}
    said |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in said.items())
    one = socket.create_connection(("127.0.0.1", port), 20)
    one.sendall(f"GET {path} HTTP/1.1\r\n{lines}\r\n".encode())
    assert b"200 OK" in one.recv(4096)
    return one


@pytest.mark.parametrize("path", ["/api/events", "/at/hall-1/api/events"])
def test_guests_streams_leave_room_for_the_host_a_referee_and_a_newcomer(port: int, path: str) -> None:
    login = {"name": "Rob", "password": PASSWORD}
    cookie = httpx.post(f"http://127.0.0.1:{port}/api/session", json=login).headers["set-cookie"]
    with ExitStack() as left:
        host = left.enter_context(stream(port, 77, path, X_Table_Key=KEY))
        session = {"X_Table_Key": "login", "Cookie": cookie.partition(";")[0]}
        referee = left.enter_context(stream(port, 78, path, **session))
        liar = left.enter_context(stream(port, 5, path, X_Table_Key="login"))
        guests = [left.enter_context(stream(port, 5, path)) for _ in range(2 * PLACES)]
        newcomer = left.enter_context(stream(port, 99, path))
        keyed = {"X-Table-Key": KEY}
        assert httpx.get(f"http://127.0.0.1:{port}/api/key", headers=keyed).json() == {"ok": True}
        assert is_open(host) and is_open(referee) and is_open(newcomer) and not is_open(liar)
        assert PLACES / 4 <= sum(map(is_open, guests)) <= PLACES / 2
