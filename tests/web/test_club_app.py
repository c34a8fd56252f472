"""The club's application and its page: tables live, one opened, a referee's answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import httpx
import pytest
from playwright import sync_api

from engine.message import Message
from tests.web.browser import PHONE, SIZES_WH, serious
from tests.web.conftest import KEY, running
from tests.web.fake_accounts import FakeAccounts
from tests.web.fake_table import FakeTable, photograph
from tests.web.test_other_pages import quiet_page
from web.api.boards import TILES
from web.api.bodies import CorrectBody
from web.club.app import create_club_app
from web.club.views import (
    ClubHealth,
    ClubPlayer,
    ClubTable,
    CommandAnswer,
    DashboardSource,
    Moment,
    OpenOption,
    OpenQuestion,
)
from web.table.camera_status import CameraStatus
from web.table.refusal import Refusal

expect = sync_api.expect
QUESTION = OpenQuestion(
    "q1",
    Message("What was turn 15?"),
    "blue",
    15,
    (OpenOption("a", Message("This")), OpenOption("b", Message("That"))),
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
        camera=CameraStatus("watching"),
        changed_s=1.0,
    )
    return replace(table, **more)


class FakeClub:
    """A club of tables that do what the test says."""

    def __init__(self) -> None:
        self._tables: dict[str, tuple[int, ClubTable]] = {}
        self.version = 0
        self.wrong: tuple[str, ...] = ()
        self.boards: dict[str, FakeTable] = {}
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
            raise Refusal("unknown_table", Message("there is no such table"))
        return {"turns": []}

    def dashboard_source(self, table: str) -> DashboardSource:
        if table not in self._tables:
            raise Refusal("unknown_table", Message("there is no such table"))
        return DashboardSource(self.boards.setdefault(table, FakeTable()), TILES)

    def preview(self, table: str) -> bytes:
        return photograph()

    def command(self, table: str, path: str, body: Mapping[str, Any]) -> CommandAnswer:
        self.commands.append((table, path, body))
        if self._tables[table][1].connection != "there":
            raise Refusal("table_away", Message("the table does not answer the hub"))
        if table in self.boards:
            try:
                _do(self.boards[table], path, body)
            except Refusal as error:
                return CommandAnswer(409, {"error": {"code": error.code, "message": error.message}})
        return CommandAnswer(200, {"ok": True})

    def health(self) -> ClubHealth:
        return ClubHealth(self.wrong, {"tables": len(self._tables)})


def _do(board: FakeTable, path: str, body: Mapping[str, Any]) -> None:
    """Do at a table what a command says."""
    if path == "/api/correct":
        board.correct(CorrectBody.model_validate(body).value())
    elif path == "/api/pause":
        board.pause(body["paused"])
    elif path == "/api/undo":
        board.undo()


def test_everybody_reads_and_who_has_the_key_changes() -> None:
    club = FakeClub()
    club.put(club_table("hall-1"))
    with (
        running(create_club_app(club, NO_TOURNAMENTS, key=KEY, accounts=FakeAccounts())) as url,
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
        club.wrong = ("database",)
        assert client.get("/healthz").status_code == 503
        assert "tilesight_club_tables 1.0" in client.get("/metrics").text


def test_a_tables_dashboard_is_read_by_all_and_written_with_the_key() -> None:
    club = FakeClub()
    club.put(club_table("hall-1"))
    club.boards["hall-1"] = board = FakeTable()
    board.play(3)
    with (
        running(create_club_app(club, NO_TOURNAMENTS, key=KEY, accounts=FakeAccounts())) as url,
        httpx.Client(base_url=url) as client,
    ):
        assert client.get("/at/hall-1").headers["location"].endswith("/at/hall-1/")
        page = client.get("/at/hall-1/")
        assert "frame-ancestors 'self'" in page.headers["content-security-policy"]
        assert client.get("/at/hall-1/overlay").status_code == 200
        assert len(client.get("/at/hall-1/api/state").json()["turns"]) == 3
        assert client.get("/at/hall-1/api/turns/3/choices").json()["cells"]
        art = next(one["art"] for one in client.get("/at/hall-1/api/pack").json()["designs"].values())
        assert client.get(f"/at/hall-1/{art}").headers["content-type"].startswith("image/")
        assert client.get("/at/hall-2/").status_code == client.get("/at/hall-2/api/state").status_code == 404
        # Nobody writes without the key; with it the table itself answers.
        for path in ("undo", "pause", "correct", "key"):
            method = "GET" if path == "key" else "POST"
            assert client.request(method, f"/at/hall-1/api/{path}").status_code == 403
        assert client.put("/at/hall-1/api/state", json={}).status_code == 405
        assert club.commands == []
        client.headers["X-Table-Key"] = KEY
        assert client.get("/at/hall-1/api/key").json() == {"ok": True, "role": "player"}
        assert client.post("/at/hall-1/api/undo").json() == {"ok": True}
        assert len(client.get("/at/hall-1/api/state").json()["turns"]) == 2
        refused = client.post("/at/hall-1/api/correct", json={"turn": 9, "remove": True})
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "unknown_turn")
        assert client.post("/at/hall-1/api/pause", json=[1]).status_code == 422


def test_a_reader_hears_of_changes_and_not_of_what_it_knows() -> None:
    club = FakeClub()
    club.put(club_table("hall-1"))
    club.put(club_table("hall-2"))
    with (
        running(create_club_app(club, NO_TOURNAMENTS, key=KEY, accounts=FakeAccounts())) as url,
        httpx.stream("GET", f"{url}/api/events?since=1", timeout=60) as stream,
    ):
        lines = (line for line in stream.iter_lines() if line.startswith("data:"))
        assert '"hall-2"' in (first := next(lines)) and '"hall-1"' not in first
        club.put(club_table("hall-1", turns=15))
        assert '"turns":15' in next(lines)


@pytest.mark.browser
@pytest.mark.parametrize("size_wh", SIZES_WH)
def test_tables_that_need_help_come_first(browser: sync_api.Browser, size_wh: tuple[int, int]) -> None:
    club = FakeClub()
    for number in range(1, 12):
        club.put(club_table(f"hall-{number}"))
    with (
        running(create_club_app(club, NO_TOURNAMENTS, key=KEY, accounts=FakeAccounts())) as url,
        quiet_page(browser, size_wh, f"{url}/#key={KEY}") as page,
    ):
        cards = page.locator(".club-table")
        expect(cards).to_have_count(11)
        expect(cards.nth(1)).to_contain_text("hall-2")
        club.put(club_table("hall-9", asked=(QUESTION,)))
        club.put(club_table("hall-10", connection="lost", camera=None))
        expect(cards.nth(0)).to_contain_text("No connection to the table")
        expect(cards.nth(1)).to_contain_text("Waits for Bo")
        assert serious(page) == []
        cards.nth(1).click()
        expect(page.get_by_role("heading", name="hall-9")).to_be_visible()
        expect(page.frame_locator("iframe").locator("#board")).to_be_visible()
        assert serious(page) == []
        page.get_by_role("button", name="This").click()
        expect(page.locator("#said")).to_have_text("hall-9: done.")
        assert club.commands == [("hall-9", "/api/answer", {"question": "q1", "option": "a"})]
        club.put(club_table("hall-9", turns=15))
        expect(page.locator(".club-question")).to_have_count(0)
        page.get_by_role("link", name="All tables").click()
        expect(cards.nth(0)).to_contain_text("hall-10")


@pytest.mark.browser
def test_a_referee_with_many_tables_sees_what_matters(browser: sync_api.Browser) -> None:
    club, now_s = FakeClub(), time.time()
    for number in range(1, 41):
        club.put(club_table(f"hall-{number}", phase="over" if number > 37 else "playing"))
    club.put(club_table("hall-5", asked=(QUESTION,), needs_since_s=now_s - 130))
    club.put(club_table("hall-6", asked=(QUESTION,), needs_since_s=now_s - 400))
    club.put(club_table("hall-7", camera=CameraStatus("lost"), needs_since_s=now_s - 7300))
    club.put(club_table("hall-8", disputes={"corrected": 1, "undone": 2}))
    club.put(club_table("hall-9", disputes={"undone": 3}))
    club.put(club_table("hall-10", connection="away", camera=None, changed_s=now_s - 7300))
    with (
        running(create_club_app(club, NO_TOURNAMENTS, key=KEY, accounts=FakeAccounts())) as url,
        quiet_page(browser, PHONE, f"{url}/#key={KEY}") as page,
    ):
        cards = page.locator(".club-table")
        expect(cards).to_have_count(40)
        expect(page.locator("#filters button")).to_have_text(
            ["All 40", "Needs help 3", "Disputed 1", "Finished 3"]
        )
        page.mouse.move(100, 500)
        page.mouse.wheel(0, 400)
        page.wait_for_function("() => scrollY > 300")
        page.get_by_role("button", name="Needs help").click()
        expect(cards.locator("h2")).to_have_text(["hall-7", "hall-6", "hall-5"])
        expect(cards.locator(".club-needs")).to_have_text(
            ["The camera sees no board · for 2 h", "Waits for Bo · for 6 min", "Waits for Bo · for 2 min"]
        )
        page.get_by_role("button", name="Disputed").click()
        expect(cards.locator(".club-disputed")).to_have_text(["1 turn corrected by hand"])
        page.get_by_role("button", name="All 40").click()
        left = cards.nth(36)  # behind those in play, before those that are over
        expect(left).to_contain_text("Left: nothing more was heard of this game · 14 turns · for 2 h")
        expect(left).to_have_attribute("data-needs", "")
        page.get_by_role("button", name="Disputed").click()
        assert serious(page) == []
        page.reload()
        expect(cards).to_have_count(1)


@pytest.mark.long
@pytest.mark.browser
@pytest.mark.parametrize("size_wh", SIZES_WH)
def test_a_referee_corrects_at_the_tables_own_dashboard(
    browser: sync_api.Browser, size_wh: tuple[int, int]
) -> None:
    club = FakeClub()
    club.put(club_table("hall-1", moment=Moment(entry=9)))
    club.boards["hall-1"] = board = FakeTable()
    board.play(4)
    with (
        running(create_club_app(club, NO_TOURNAMENTS, key=KEY, accounts=FakeAccounts())) as url,
        quiet_page(browser, size_wh, f"{url}/table/hall-1#key={KEY}") as page,
    ):
        frame = page.frame_locator("iframe")
        expect(frame.locator(".tile")).to_have_count(7)
        page.get_by_role("button", name="Pause").first.click()
        expect(page.locator("#said")).to_contain_text("done")
        assert board.view.paused
        page.get_by_role("button", name="Undo").first.dblclick()  # takes back once what is shown
        expect(frame.locator(".tile")).to_have_count(6)
        assert [body for _, path, body in club.commands if path == "/api/undo"] == [{"entry": 9}]
        board.redo()
        expect(frame.locator(".tile")).to_have_count(7)
        if frame.locator("#panel-handle").is_visible():
            frame.locator("#panel-handle").click()
        frame.get_by_role("button", name="All turns").click()
        frame.locator("#log li button").first.click()
        frame.get_by_text("Look at this turn").click()
        frame.get_by_text("Order and players").click()
        frame.get_by_role("button", name="Delete this turn").click()
        expect(frame.locator(".tile")).to_have_count(6)
        assert len(board.corrections) == 1
    board.feed.close()


@pytest.mark.browser
@pytest.mark.parametrize(
    ("locale", "said"),
    [
        ("en-GB", "its laptop joins with “Join a club”"),
        ("de-DE", "kommt mit „Einem Club beitreten“ dazu"),
        ("fr-FR", "s’inscrit avec « Rejoindre un club »"),
    ],
)
def test_an_empty_hub_explains_the_next_step(browser: sync_api.Browser, locale: str, said: str) -> None:
    with (
        running(create_club_app(FakeClub(), NO_TOURNAMENTS, key=KEY, accounts=FakeAccounts())) as url,
        quiet_page(browser, PHONE, f"{url}/#key={KEY}", locale=locale) as page,
    ):
        sync_api.expect(page.locator("#nothing")).to_contain_text(said)
        sync_api.expect(page.locator("#invitations")).to_be_visible()
        assert serious(page) == []
