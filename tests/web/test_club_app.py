"""The club's application and its page: tables live, one opened, a referee's answer."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import httpx
import pytest
from playwright import sync_api

from tests.web.browser import SIZES_WH, serious
from tests.web.conftest import KEY, running
from tests.web.fake_table import photograph
from tests.web.test_other_pages import quiet_page
from web.club.app import create_club_app
from web.club.views import Answered, ClubHealth, ClubPlayer, ClubTable, OpenOption, OpenQuestion
from web.views.table import Refusal

expect = sync_api.expect
QUESTION = OpenQuestion(
    "q1", "What was turn 15?", "blue", 15, (OpenOption("a", "This"), OpenOption("b", "That"))
)

NO_TOURNAMENTS: Any = object()


def club_table(name: str, **more: Any) -> ClubTable:
    table = ClubTable(
        id=name,
        log="x",
        game="safari",
        pack="savanna",
        phase="playing",
        turns=14,
        players=(ClubPlayer("red", "Ana", 12), ClubPlayer("blue", "Bo", 9)),
        connection="there",
        seeing="watching",
        message="",
        wrong=(),
        asked=(),
        changed_s=1.0,
        fault=None,
    )
    return replace(table, **more)


class FakeClub:
    """A club of tables that do what the test says."""

    def __init__(self) -> None:
        self._tables: dict[str, tuple[int, ClubTable]] = {}
        self.version = 0
        self.wrong: tuple[str, ...] = ()
        self.commands: list[tuple[str, str, Mapping[str, Any]]] = []
        self._lock = threading.Lock()

    def put(self, table: ClubTable) -> None:
        with self._lock:
            self.version += 1
            self._tables[table.id] = (self.version, table)

    def tables(self) -> Sequence[ClubTable]:
        return self.since(0)[1]

    def since(self, version: int) -> tuple[int, Sequence[ClubTable]]:
        with self._lock:
            return self.version, [table for n, table in self._tables.values() if n > version]

    def state(self, table: str) -> Mapping[str, Any]:
        if table not in self._tables:
            raise Refusal("unknown_table", "there is no such table")
        return {"turns": []}

    def replay(self, table: str) -> bytes:
        return b"<!doctype html><html lang=en><title>Board</title><p>the board</p></html>"

    def preview(self, table: str) -> bytes:
        return photograph()

    def command(self, table: str, path: str, body: Mapping[str, Any]) -> Answered:
        self.commands.append((table, path, body))
        if self._tables[table][1].connection != "there":
            raise Refusal("table_away", "the table does not answer the hub")
        return Answered(200, {"ok": True})

    def health(self) -> ClubHealth:
        return ClubHealth(self.wrong, {"tables": len(self._tables)})


def test_everybody_reads_and_who_has_the_key_changes() -> None:
    club = FakeClub()
    club.put(club_table("hall-1"))
    with (
        running(create_club_app(club, NO_TOURNAMENTS, key=KEY)) as url,
        httpx.Client(base_url=url) as client,
    ):
        assert client.get("/api/tables").json()["tables"][0]["players"][0]["score"] == 12
        assert client.get("/api/tables/none/state").status_code == 404
        order = {"path": "/api/answer", "body": {"question": "q1", "option": "a"}}
        assert client.post("/api/tables/hall-1/command", json=order).status_code == 403
        keyed = {"X-Table-Key": KEY}
        assert client.post("/api/tables/hall-1/command", json=order, headers=keyed).json() == {"ok": True}
        assert club.commands == [("hall-1", "/api/answer", order["body"])]
        club.put(club_table("hall-1", connection="lost"))
        refused = client.post("/api/tables/hall-1/command", json=order, headers=keyed)
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "table_away")
        assert client.get("/healthz").json() == {"ok": True, "wrong": [], "tables": 1}
        club.wrong = ("nats",)
        assert client.get("/healthz").status_code == 503
        assert "tilesight_club_tables 1.0" in client.get("/metrics").text


def test_a_reader_hears_of_changes_and_not_of_what_it_knows() -> None:
    club = FakeClub()
    club.put(club_table("hall-1"))
    club.put(club_table("hall-2"))
    with (
        running(create_club_app(club, NO_TOURNAMENTS, key=KEY)) as url,
        httpx.stream("GET", f"{url}/api/events?since=1", timeout=20) as stream,
    ):
        lines = (line for line in stream.iter_lines() if line.startswith("data:"))
        assert '"hall-2"' in (first := next(lines)) and '"hall-1"' not in first
        club.put(club_table("hall-1", turns=15))
        assert '"turns":15' in next(lines)


@pytest.mark.browser
@pytest.mark.parametrize("size_wh", SIZES_WH)
def test_who_needs_somebody_comes_first(browser: sync_api.Browser, size_wh: tuple[int, int]) -> None:
    club = FakeClub()
    for number in range(1, 12):
        club.put(club_table(f"hall-{number}"))
    with (
        running(create_club_app(club, NO_TOURNAMENTS, key=KEY)) as url,
        quiet_page(browser, size_wh, f"{url}/#key={KEY}") as page,
    ):
        cards = page.locator(".club-table")
        expect(cards).to_have_count(11)
        expect(cards.nth(1)).to_contain_text("hall-2")
        club.put(club_table("hall-9", asked=(QUESTION,)))
        club.put(club_table("hall-10", connection="lost", seeing=""))
        expect(cards.nth(0)).to_contain_text("No connection to the table")
        expect(cards.nth(1)).to_contain_text("Waits for Bo")
        assert serious(page) == []
        cards.nth(1).click()
        expect(page.get_by_role("heading", name="hall-9")).to_be_visible()
        expect(page.frame_locator("iframe").get_by_text("the board")).to_be_visible()
        assert serious(page) == []
        page.get_by_role("button", name="This").click()
        page.wait_for_function("document.getElementById('said').hidden")
        assert club.commands == [("hall-9", "/api/answer", {"question": "q1", "option": "a"})]
        club.put(club_table("hall-9", turns=15))
        expect(page.locator(".club-question")).to_have_count(0)
        page.get_by_role("link", name="All tables").click()
        expect(cards.nth(0)).to_contain_text("hall-10")
