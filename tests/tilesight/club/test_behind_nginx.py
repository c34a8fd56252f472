"""The hub behind nginx: limits count the addresses that a declared proxy tells, and tables come through."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import InvalidStatus

from tests.tilesight.club.club_parts import free_port
from tests.tilesight.club.nginx_servers import needs_nginx, nginx_serving
from tests.tilesight.club.socket_hubs import served_hub, speaking
from tests.web.conftest import KEY
from tests.web.fake_accounts import FakeAccounts
from tests.web.test_club_app import NO_TOURNAMENTS, FakeClub
from tilesight.club.credentials import Role
from tilesight.club.database.engine import open_database
from tilesight.club.frames import REVOKED, Held, Hello
from tilesight.server.page_server import serve_page
from tilesight.server.reverse_proxy import ReverseProxy
from web.club import gate
from web.club.app import create_club_app


@needs_nginx
@pytest.mark.parametrize("believed", [True, False])
def test_the_hub_counts_whom_nginx_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, believed: bool
) -> None:
    monkeypatch.setattr(gate, "LOGINS", (2, 1000.0))
    app = create_club_app(FakeClub(), NO_TOURNAMENTS, key=KEY, accounts=FakeAccounts())
    proxy = ReverseProxy(addresses=("127.0.0.1",) if believed else ())
    stops: list[Callable[[], None]] = []
    serving, port = threading.Event(), free_port()

    def ready(url: str, stop: Callable[[], None]) -> None:
        stops.append(stop)
        serving.set()

    hub = threading.Thread(target=serve_page, args=(app, "127.0.0.1", port, ready, proxy), daemon=True)
    hub.start()
    assert serving.wait(60)

    with nginx_serving(tmp_path / "nginx", hub=f"127.0.0.1:{port}") as settings:

        def guessed(address: str, **headers: str) -> int:
            """Status of a wrong password from one of this computer's own addresses."""
            from_there = httpx.HTTPTransport(local_address=address)
            with httpx.Client(transport=from_there, headers=headers) as client:
                told = {"name": "x", "password": "guess"}
                return client.post(f"http://127.0.0.1:{settings.port}/api/session", json=told).status_code

        assert [guessed("127.0.0.2") for _ in range(3)] == [403, 403, 429]
        assert guessed("127.0.0.2", **{"X-Forwarded-For": "10.9.9.9"}) == 429  # made up
        assert guessed("127.0.0.3") == (403 if believed else 429)
    stops[0]()
    hub.join(20)


@needs_nginx
def test_a_table_reaches_the_hub_through_nginx(tmp_path: Path) -> None:
    engine = open_database(tmp_path / "hub.db")
    with (
        served_hub(tmp_path / "club", engine) as served,
        nginx_serving(tmp_path / "nginx", hub=served.server) as settings,
    ):
        invited = replace(served.invite("hall-1"), server=f"127.0.0.1:{settings.port}")

        async def main() -> None:
            async with speaking(invited) as table:
                assert await table.ask(Hello(game="g")) == Held(game="g")
                served.ring.revoke("hall-1", Role.TABLE)
                assert (await table.closed())[0] == REVOKED
            with pytest.raises(InvalidStatus) as refused:
                async with speaking(invited):
                    pass
            assert refused.value.response.status_code == 403

        asyncio.run(main())
    engine.dispose()
