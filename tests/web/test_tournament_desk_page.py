"""The host's dialogs on a tournament's page: withdraw, rename, skip, swap, and the start at a table."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright import sync_api

pytest.importorskip("sqlalchemy", reason="the extra club is not installed: make dev")

from tests.web.browser import SIZES_WH, serious
from tests.web.conftest import KEY, running
from tests.web.fake_accounts import FakeAccounts
from tests.web.test_club_app import FakeClub, club_table
from tests.web.test_other_pages import quiet_page
from tilesight.club.database.engine import open_database
from tilesight.club.hub.tournaments import Tournaments
from web.club.app import create_club_app
from web.club.views import ClubPlayer, ClubTable, CommandAnswer

pytestmark = pytest.mark.browser
expect = sync_api.expect
SIZES = pytest.mark.parametrize("size_wh", SIZES_WH)
NAMES = ["Ana", "Bo", "Chi", "Dee"]


class Hall(FakeClub):
    """A club whose tables take names."""

    def command(self, table: str, path: str, body: Mapping[str, Any]) -> CommandAnswer:
        answer = super().command(table, path, body)
        self.put(game(table, [one["name"] for one in body["players"]], log=f"{table}-1"))
        return answer


def game(table: str, names: list[str], points: tuple[int, int] = (0, 0), **more: Any) -> ClubTable:
    """A game at a table that has just begun."""
    colors = ("red", "blue")
    players = tuple(ClubPlayer(*one) for one in zip(colors, names, points, strict=True))
    now_s = time.time()
    return club_table(table, **{"players": players, "changed_s": now_s, "began_s": now_s, "turns": 0, **more})


@contextmanager
def tournament(path: Path) -> Iterator[tuple[Hall, Tournaments, str]]:
    """A hub with a tournament of four, whose first round is paired; its club, tournaments and address."""
    club, engine = Hall(), open_database(path / "hub.db")
    cups = Tournaments(engine, club.tables, club.command)
    number = cups.begin("Spring cup", 3, 2, "swiss", None)
    cups.enter(number, NAMES)
    cups.pair(number, 1)
    with running(create_club_app(club, cups, key=KEY, accounts=FakeAccounts())) as url:
        yield club, cups, url
    engine.dispose()


def told(url: str) -> Mapping[str, Any]:
    answer: Mapping[str, Any] = httpx.get(f"{url}/api/tournaments/1").json()
    return answer


def paired(url: str, table: int = 1) -> list[str]:
    """Names at a table of the round, in turn order."""
    return [NAMES[seat - 1] for seat in told(url)["rounds"][-1]["tables"][table - 1]["seats"]]


@SIZES
def test_players_withdraw_skip_and_get_other_names(
    browser: sync_api.Browser, size_wh: tuple[int, int], tmp_path: Path
) -> None:
    answers: list[str | None] = []
    asked: list[str] = []

    def answer(dialog: sync_api.Dialog) -> None:
        asked.append(dialog.message)
        given = answers.pop(0)
        if given is None:
            dialog.dismiss()
        else:
            dialog.accept(given)

    with (
        tournament(tmp_path) as (_, _, url),
        quiet_page(browser, size_wh, f"{url}/tournament/1#key={KEY}") as page,
    ):
        page.on("dialog", answer)
        players = page.locator(".cup-players")
        players.get_by_text("Players: names").click()
        ana = players.locator("li").first
        answers += [None, ""]
        ana.get_by_role("button", name="Withdraw").click()
        expect(ana.get_by_role("button", name="Withdraw")).to_be_visible()  # it was not confirmed
        ana.get_by_role("button", name="Withdraw").click()
        expect(ana).to_contain_text("(has left)")
        assert "Ana" in asked[0] and told(url)["entrants"][0]["withdrawn"]
        assert serious(page) == []
        ana.get_by_role("button", name="Bring back").click()
        expect(ana.get_by_role("button", name="Withdraw")).to_be_visible()
        answers += [""]
        ana.get_by_role("button", name="Skip round 2").click()
        expect(ana).to_contain_text("(skips the next round)")
        ana.get_by_role("button", name="Play after all").click()
        expect(ana.get_by_role("button", name="Skip round 2")).to_be_visible()
        answers += [None, "Anna-Maria", "bo"]
        for name in ("Ana", "Ana"):
            expect(ana.locator(".name")).to_contain_text(name)
            ana.get_by_role("button", name="Rename").click()
        expect(ana.locator(".name")).to_contain_text("Anna-Maria")
    assert len(asked) == 5 and answers == ["bo"]


@SIZES
def test_a_name_that_is_taken_is_refused_and_seats_are_swapped(
    browser: sync_api.Browser, size_wh: tuple[int, int], tmp_path: Path
) -> None:
    with (
        tournament(tmp_path) as (_, _, url),
        quiet_page(browser, size_wh, f"{url}/tournament/1#key={KEY}", refused=True) as page,
    ):
        page.on("dialog", lambda dialog: dialog.accept("bo"))
        page.get_by_text("Players: names").click()
        page.get_by_role("button", name="Rename: Ana").click()
        expect(page.locator("#said")).to_contain_text("bo has entered already")
        before = [paired(url, table) for table in (1, 2)]
        page.get_by_text("Swap two seats").click()
        page.get_by_label("This player").select_option(label=f"{before[0][0]} (Table 1)")
        page.get_by_label("With this one").select_option(label=f"{before[1][1]} (Table 2)")
        page.get_by_role("button", name="Swap", exact=True).click()
        first = page.locator(".cup-round [data-table='1'] li .name")
        expect(first.first).to_have_text(before[1][1])
        assert [paired(url, table) for table in (1, 2)] == [
            [before[1][1], before[0][1]],
            [before[1][0], before[0][0]],
        ]
        expect(page.locator("#said")).to_be_hidden()


@SIZES
def test_a_pairing_starts_at_a_table_and_is_released(
    browser: sync_api.Browser, size_wh: tuple[int, int], tmp_path: Path
) -> None:
    with (
        tournament(tmp_path) as (club, _, url),
        quiet_page(browser, size_wh, f"{url}/tournament/1#key={KEY}") as page,
    ):
        club.put(game("hall-1", ["Red", "Blue"], log="hall-1-1", wrong=("clock:12",)))
        club.put(game("hall-2", ["Eve", "Fay"], turns=9))
        row = page.locator(".cup-round [data-table='1']")
        row.get_by_role("button", name="Start at a table").click()
        sheet = page.get_by_role("dialog")
        expect(sheet.get_by_role("heading", name=" – ".join(paired(url)))).to_be_visible()
        expect(sheet.get_by_role("button", name="hall-2")).to_contain_text("Eve, Fay, 9 turns")
        assert serious(page) == []
        page.emulate_media(color_scheme="dark", reduced_motion="reduce")
        assert serious(page) == []
        page.emulate_media(color_scheme="light", reduced_motion="reduce")
        sheet.get_by_role("button", name="hall-1").click()
        expect(sheet.get_by_role("status")).to_contain_text("The game at hall-1 has these names now")
        assert [one.name for one in club.tables()[0].players] == paired(url)
        sheet.get_by_role("button", name="Close").click()
        expect(row).to_contain_text("At hall-1")
        other = page.locator(".cup-round [data-table='2']")
        other.get_by_role("button", name="Start at a table").click()
        expect(sheet.get_by_role("button", name="hall-1")).to_be_disabled()
        sheet.get_by_role("button", name="hall-2").click()
        expect(sheet.get_by_role("status")).to_contain_text("This pairing waits for hall-2")
        sheet.get_by_role("button", name="Close").click()
        expect(other).to_contain_text("At hall-2: waits for its game")
        other.get_by_role("button", name="Start at a table").click()
        sheet.get_by_role("button", name="Release from hall-2").click()
        expect(sheet).to_be_hidden()
        expect(other).to_contain_text("No game yet")
        club.put(game("hall-1", paired(url), (31, 30), log="hall-1-1", phase="over", turns=40))
        expect(row).to_contain_text("From hall-1")
        assert told(url)["rounds"][0]["tables"][0]["points"] == [31, 30]


@SIZES
def test_a_code_that_is_opened_at_a_table_starts_the_pairing_there(
    browser: sync_api.Browser, size_wh: tuple[int, int], tmp_path: Path
) -> None:
    with tournament(tmp_path) as (club, cups, url):
        club.put(game("hall-1", ["Red", "Blue"], log="hall-1-1"))
        with quiet_page(browser, size_wh, f"{url}/tournament/1#key={KEY}") as page:
            page.locator(".cup-round [data-table='1']").get_by_role("button", name="Start at a table").click()
            page.get_by_role("button", name="Code for the table").click()
            expect(page.get_by_role("img", name="Code for the table")).to_be_visible()
            link = page.locator(".cup-code a")
            expect(link).to_contain_text("#take=1.1.")
            address = link.get_attribute("href") or ""
            assert serious(page) == []
        assert KEY not in address
        with quiet_page(browser, size_wh, address) as page:
            page.get_by_role("dialog").get_by_role("button", name="hall-1").click()
            expect(page.get_by_role("status").filter(has_text="has these names now")).to_be_visible()
            expect(page.get_by_role("link", name="To hall-1")).to_have_attribute("href", "/table/hall-1")
            assert serious(page) == []
        assert told(url)["rounds"][0]["tables"][0]["bound"]["table"] == "hall-1"
        cups.unpair(1, 1)
        with quiet_page(browser, size_wh, f"{address}&lang=en") as page:
            expect(page.get_by_role("dialog")).to_contain_text("This code is no longer valid.")


@pytest.mark.parametrize(
    ("language", "slow", "fast"),
    [
        ("en", "clock is 12 minutes slow", "clock is 1 minute fast"),
        ("de", "geht 12 Minuten nach", "geht 1 Minute vor"),
        ("fr", "retarde de 12 minutes", "avance de 1 minute"),
    ],
)
def test_a_wrong_clock_is_told_at_its_pairing_and_on_its_card(
    browser: sync_api.Browser, language: str, slow: str, fast: str, tmp_path: Path
) -> None:
    with tournament(tmp_path) as (club, _, url):
        club.put(game("hall-1", paired(url), turns=3, wrong=("clock:12",)))
        club.put(game("hall-2", ["Eve", "Fay"], turns=3, wrong=("clock:-1",)))
        with quiet_page(browser, (360, 780), f"{url}/tournament/1?lang={language}") as page:
            expect(page.locator(".cup-round [data-table='1']")).to_contain_text(slow)
        with quiet_page(browser, (360, 780), f"{url}/?lang={language}") as page:
            expect(page.locator("[data-id='hall-1']")).to_contain_text(slow)
            expect(page.locator("[data-id='hall-2']")).to_contain_text(fast)
            expect(page.locator("[data-id='hall-1']")).to_have_attribute("data-needs", "")


def test_a_typed_result_stays_when_the_tables_own_result_comes(
    browser: sync_api.Browser, tmp_path: Path
) -> None:
    with (
        tournament(tmp_path) as (club, _, url),
        quiet_page(browser, SIZES_WH[0], f"{url}/tournament/1#key={KEY}") as page,
    ):
        form = page.locator(".cup-round [data-table='1']")
        form.get_by_text("Enter the result").click()
        form.locator("input[type=number]").first.fill("12")
        club.put(game("hall-1", paired(url), (4, 5), log="g", phase="over", turns=9))
        expect(form.get_by_text("From hall-1")).to_be_visible()  # "Start at a table" is gone with it
        expect(form.locator("input[type=number]").first).to_have_value("12")
