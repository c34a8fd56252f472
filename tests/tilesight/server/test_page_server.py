"""A page that a proxy serves to the world: under its address, its guests told apart."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import httpx
import pytest
from fastapi import FastAPI, Request

from tests.tilesight.club.club_parts import free_port
from tilesight.server.addresses import page_address
from tilesight.server.certificate import certificate_for
from tilesight.server.page_server import Encrypted, serve_page
from tilesight.server.reverse_proxy import reverse_proxy


@pytest.mark.parametrize(("proxy", "guest"), [("127.0.0.1", "192.0.2.7"), ("192.0.2.1", "127.0.0.1")])
def test_forwarded_addresses_are_believed_of_the_named_proxy_alone(proxy: str, guest: str) -> None:
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


def test_the_same_pages_come_encrypted_as_well(tmp_path: Path) -> None:
    app, port, secure_port, came = FastAPI(), free_port(), free_port(), list[str]()

    @app.get("/")
    def scheme(request: Request) -> str:
        return request.url.scheme

    certificate = certificate_for("127.0.0.1", tmp_path)
    trusted = ssl.create_default_context(cafile=str(certificate.cert_path))

    def ready(url: str, stop: Callable[[], None]) -> None:
        def ask() -> None:
            retrying = httpx.HTTPTransport(retries=20, verify=trusted)
            with httpx.Client(transport=retrying, trust_env=False) as client:
                came.append(client.get(url).json())
                came.append(client.get(page_address("127.0.0.1", secure_port, "https")).json())
            stop()

        Thread(target=ask).start()

    serve_page(app, "127.0.0.1", port, ready, encrypted=Encrypted(secure_port, certificate))
    assert came == ["http", "https"]
