"""A table that plays by itself, and a server that shows it."""

from __future__ import annotations

import socket
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
import uvicorn
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts

from tests.web.fake_table import FakeTable
from web.api.phone import PhoneSink
from web.app import create_app

KEY = "SAVANNA7"


@dataclass(frozen=True)
class Shown:
    """A table and the address where a real server shows it."""

    table: FakeTable
    url: str
    key: str


@contextmanager
def running(app: FastAPI) -> Iterator[str]:
    """A real server for an application, on a free port of this machine: its address."""
    # FastAPI builds an included route at its first request, and silences a warning of pydantic meanwhile. The
    # filters of ``warnings`` belong to all threads: two servers at once undo each other's, and the warning,
    # an error in tests, answers the request with 500. So the routes are built here, one server at a time.
    if isinstance(app, FastAPI):
        deque(iter_route_contexts(app.routes), maxlen=0)
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off", ws="websockets-sansio"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        deadline_s = time.monotonic() + 60
        while not server.started and time.monotonic() < deadline_s:
            time.sleep(0.02)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(20)
        listener.close()


@contextmanager
def serving(table: FakeTable, *, phone: PhoneSink | None = None) -> Iterator[Shown]:
    """A real server for a table."""
    with running(create_app(table, key=KEY, phone=phone)) as url:
        try:
            yield Shown(table, url, KEY)
        finally:
            table.feed.close()  # phones hold their streams open: these end first


@pytest.fixture
def table() -> FakeTable:
    return FakeTable()


@pytest.fixture
def shown(table: FakeTable) -> Iterator[Shown]:
    with serving(table) as served:
        yield served


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A real browser (playwright.sync_api.Browser)."""
    from tests.web.browser import chromium

    with chromium() as opened:
        yield opened
