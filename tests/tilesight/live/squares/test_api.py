"""A live table of squares over HTTP: spectators change nothing, the report holds the board. The interface is
fuzzed in tests/web/api/test_openapi.py."""

from __future__ import annotations

import asyncio
import html
import tempfile
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.tilesight.live.squares.test_controller import START, Live
from tests.web.conftest import KEY
from tilesight.table_log.event_store import TableStore
from web.app import create_square_app
from web.report.page import report_html
from web.report.squares_report import square_report
from web.report.words import words_in

FOLDER = tempfile.TemporaryDirectory()
STORE = TableStore(Path(FOLDER.name) / "one.table")
"""Open as long as the tests run."""
LIVE = Live(STORE)
LIVE.show(START.figures)
LIVE.play("a7", "j8", "a6")


@pytest.fixture(scope="module", autouse=True)
def closed() -> Any:
    yield
    STORE.__exit__(None, None, None)
    FOLDER.cleanup()


def ask(method: str, path: str, **how: Any) -> httpx.Response:
    """One request without a server, to a new application: an older one lets it pay for other tests' time."""
    app = create_square_app(LIVE.table, key=KEY)

    async def one() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://table") as client:
            return await client.request(method, path, **how)

    return asyncio.run(one())


@pytest.mark.parametrize("command", ["answer", "correct", "seat", "undo", "redo", "end"])
def test_a_spectator_writes_nothing(command: str) -> None:
    before = LIVE.table.state()
    assert ask("POST", f"/api/{command}", json={}).status_code == 403
    assert LIVE.table.state() is before


def test_five_wrong_keys_are_too_many() -> None:
    async def guess() -> list[int]:
        app = create_square_app(LIVE.table, key=KEY)
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://table") as client:
            tries = [await client.get("/api/key", headers={"X-Table-Key": "WRONG"}) for _ in range(5)]
            return [one.status_code for one in tries]

    assert asyncio.run(guess()) == [403, 403, 403, 403, 429]


def test_a_table_of_squares_serves_its_own_art_and_no_pack() -> None:
    assert ask("GET", "/api/pack").status_code == 404
    assert ask("GET", "/api/state", params={"turn": 99}).status_code == 404
    for name in ("token-lion.png", "TQ1.webp"):
        assert ask("GET", f"/art/{name}").status_code == 200
    for name in ("token-lion", "../pack.json", "pack.json", "token-cat.png"):
        assert ask("GET", f"/art/{name}").status_code == 404


def test_the_report_holds_the_board_and_every_photograph() -> None:
    live = Live(None)  # a table of its own: what the fuzzed one has come to is anybody's guess
    live.show(START.figures)
    live.play("a7", "j8", "a6")
    view = live.table.state()
    page = html.unescape(report_html(square_report(view, words_in("en"))))
    assert page.count("<rect") >= 100 and "<script" not in page
    assert len(page) < 400_000
    assert len(view.events) >= 2
    for event in view.events:
        assert words_in("en").phrase(event.why) in page
