"""A page that a proxy serves to the world: under its address, its guests told apart."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread

import httpx
import pytest
from fastapi import FastAPI, Request

from tests.tilesight.club.nats_servers import free_port
from tilesight.server.page_server import serve_page
from tilesight.server.reverse_proxy import reverse_proxy


@pytest.mark.parametrize(("proxy", "guest"), [("127.0.0.1", "192.0.2.7"), ("192.0.2.1", "127.0.0.1")])
def test_what_a_proxy_says_of_its_guests_is_believed_and_of_nobody_else(proxy: str, guest: str) -> None:
    app, port, said = FastAPI(), free_port(), dict[str, str]()

    @app.get("/")
    def who(request: Request) -> str:
        return str(request.client and request.client.host)

    def ready(url: str, stop: Callable[[], None]) -> None:
        said["url"] = url

        def ask() -> None:
            with httpx.Client(transport=httpx.HTTPTransport(retries=20), trust_env=False) as client:
                from_elsewhere = {"X-Forwarded-For": "192.0.2.7"}
                said["guest"] = client.get(f"http://127.0.0.1:{port}/", headers=from_elsewhere).json()
            stop()

        Thread(target=ask).start()

    serve_page(app, "127.0.0.1", port, ready, reverse_proxy("https://club.example.org", [proxy]))
    assert said == {"url": "https://club.example.org", "guest": guest}
