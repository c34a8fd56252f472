"""Requests from pages of other sites: changes and WebSockets are refused, with any key."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from web.limits.hosts import HostMiddleware, is_own_page

HOST = "192.168.1.5:8770"


def answered(scope: dict[str, Any], origin: str, names: tuple[str, ...] = ()) -> object:
    """The answer to one connection: the status of a response, the code of a closed socket, or "served"."""
    sent: list[Message] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "served"})

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [(b"host", HOST.encode()), *([(b"origin", origin.encode())] if origin else [])]
    asyncio.run(HostMiddleware(app, names=names)({**scope, "headers": headers}, receive, send))
    first = sent[0]
    return {"http.response.start": first.get("status"), "websocket.close": first.get("code")}.get(
        first["type"], first["type"]
    )


POST = {"type": "http", "method": "POST"}
GET = {"type": "http", "method": "GET"}
SOCKET = {"type": "websocket"}


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://192.168.1.66:8770", "http://evil.local"]
)
def test_a_page_of_another_site_changes_nothing(origin: str) -> None:
    assert answered(POST, origin) == 403
    assert answered(SOCKET, origin) == 1008
    assert answered(GET, origin) == "served"


@pytest.mark.parametrize(
    "origin", ["http://192.168.1.5:8770", "https://192.168.1.5:8771", "https://table.example.org", ""]
)
def test_own_pages_and_programs_are_served(origin: str) -> None:
    for scope in (POST, SOCKET, GET):
        assert answered(scope, origin, ("Table.example.org",)) == "served"


def test_an_address_in_brackets_is_compared_without_its_port() -> None:
    assert is_own_page("https://[fd00::1]:8771", "[fd00::1]:8770")
    assert not is_own_page("https://[fd00::2]:8771", "[fd00::1]:8770")
