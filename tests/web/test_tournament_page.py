"""Tournaments on the hub's page, driven by clicks: from the entrants to the final standings."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright import sync_api

from tests.web.browser import SIZES_WH, serious
from tests.web.conftest import KEY, running
from tests.web.fake_accounts import FakeAccounts
from tests.web.test_club_app import FakeClub, club_table
from tests.web.test_other_pages import quiet_page
from tilesight.club.database.engine import open_database
from tilesight.club.hub.tournaments import Tournaments
from web.club.app import create_club_app
from web.club.views import ClubPlayer

expect = sync_api.expect
LAPTOP_WH = (1280, 800)


@contextmanager
def _hub(path: Path, club: FakeClub) -> Iterator[str]:
    """A hub's pages over a database; its address."""
    engine = open_database(path)
    tournaments = Tournaments(engine, lambda: club.since(0)[1])
    with running(create_club_app(club, tournaments, key=KEY, accounts=FakeAccounts())) as url:
        yield url
    engine.dispose()


def _begin(page: sync_api.Page, rounds: int, names: list[str]) -> None:
    page.get_by_label("Name", exact=True).fill("Spring cup")
    page.get_by_label("Rounds", exact=True).fill(str(rounds))
    page.get_by_role("button", name="Begin").click()
    expect(page.get_by_role("heading", name="Spring cup")).to_be_attached()
    page.get_by_text("Add players").click()
    page.get_by_label("One name per line").last.fill("\n".join(names))
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("heading", name=f"{len(names)} players")).to_be_visible()


def _report(page: sync_api.Page, table: int, points: tuple[int, int]) -> None:
    place = page.locator(f".cup-round [data-table='{table}']")
    place.get_by_text(re.compile("(Enter|Change) the result")).click()
    for field, value in zip(place.locator("input[type=number]").all(), points, strict=True):
        field.fill(str(value))
    place.get_by_role("button", name="Save").click()
    expect(place).to_have_attribute("data-open", "false")


def _tables(url: str) -> list[Mapping[str, Any]]:
    told = httpx.get(f"{url}/api/tournaments/1").json()
    names = {one["entrant"]: one["name"] for one in told["entrants"]}
    return [{**one, "names": [names[seat] for seat in one["seats"]]} for one in told["rounds"][-1]["tables"]]


@pytest.mark.browser
@pytest.mark.long
@pytest.mark.parametrize("size_wh", SIZES_WH)
def test_a_small_tournament_from_entry_to_standings(
    browser: sync_api.Browser, size_wh: tuple[int, int], tmp_path: Path
) -> None:
    club = FakeClub()
    with _hub(tmp_path / "hub.db", club) as url:
        with quiet_page(browser, size_wh, f"{url}/tournaments#key={KEY}") as page:
            _begin(page, 2, ["Ana", "Bo", "Chi", "Dee", "Eve"])
            page.get_by_role("button", name="Pair round 1").click()
            expect(page.locator(".cup-round .cup-table")).to_have_count(3)
            expect(page.get_by_text("has a bye")).to_be_visible()
            assert serious(page) == []
            at_first = _tables(url)[0]
            players = tuple(ClubPlayer(f"c{at}", name, 50 - at) for at, name in enumerate(at_first["names"]))
            club.put(club_table("hall-1", players=players, changed_s=time.time()))
            expect(page.get_by_text("At hall-1, 14 turns")).to_be_visible()
            club.put(club_table("hall-1", players=players, phase="over", changed_s=time.time()))
            expect(page.get_by_text("From hall-1")).to_be_visible()
            _report(page, 2, (30, 30))
            page.get_by_role("button", name="Pair round 2").click()
            expect(page.get_by_role("heading", name="Round 2 of 2")).to_be_visible()
            leader = page.locator("tbody tr", has_text=at_first["names"][0])
            expect(leader.locator("td").nth(1)).to_have_text("1")
            expect(page.get_by_text("½").first).to_be_visible()
            assert serious(page) == []
        with quiet_page(browser, size_wh, f"{url}/tournament/1?lang=de") as page:
            expect(page.get_by_role("heading", name="Runde 2 von 2")).to_be_visible()
            expect(page.locator("main").get_by_role("button")).to_have_count(0)
            assert serious(page) == []


def test_spectators_read_and_change_nothing(tmp_path: Path) -> None:
    with _hub(tmp_path / "hub.db", FakeClub()) as url, httpx.Client(base_url=url) as client:
        new = {"name": "Spring cup", "rounds": 1}
        assert client.post("/api/tournaments", json=new).status_code == 403
        client.headers["X-Table-Key"] = KEY
        assert client.post("/api/tournaments", json=new).json() == {"ok": True, "id": 1}
        assert client.post("/api/tournaments/1/entrants", json={"names": ["Ana", "Bo"]}).status_code == 200
        assert client.post("/api/tournaments/1/entrants", json={"names": ["ana"]}).status_code == 409
        assert client.post("/api/tournaments/1/entrants", json={"names": []}).status_code == 422
        assert client.post("/api/tournaments/1/pair", json={"round": 1}).status_code == 200
        result = {
            "round": 1,
            "table": 1,
            "scores": [{"entrant": 1, "points": 20}, {"entrant": 2, "points": 10}],
        }
        assert client.post("/api/tournaments/1/result", json=result).status_code == 200
        assert client.post("/api/tournaments/1/withdraw", json={"entrant": 9}).status_code == 409
        del client.headers["X-Table-Key"]
        told = client.get("/api/tournaments/1").json()
        assert [line["points"] for line in told["standings"]] == [1, 0]
        assert client.get("/api/tournaments/2").status_code == 404


@pytest.mark.long
@pytest.mark.browser
def test_pairings_and_standings_are_printed_on_a4(browser: sync_api.Browser, tmp_path: Path) -> None:
    with (
        _hub(tmp_path / "hub.db", FakeClub()) as url,
        quiet_page(browser, LAPTOP_WH, f"{url}/tournaments#key={KEY}") as page,
    ):
        _begin(page, 5, [f"Player {number}" for number in range(1, 65)])
        page.get_by_role("button", name="Pair round 1").click()
        expect(page.locator(".cup-round .cup-table")).to_have_count(32)
        page.evaluate("window.print = () => { window.printed = document.body.dataset.print }")
        page.get_by_role("button", name="Print the standings").click()
        assert page.evaluate("window.printed") == "standings"
        pages = {}
        for part in ("both", "pairings", "standings"):
            page.evaluate("(part) => document.body.dataset.print = part", part)
            pdf = page.pdf(prefer_css_page_size=True)
            pages[part] = len(re.findall(rb"/Type\s*/Page\b", pdf))
            assert re.findall(rb"/MediaBox\s*\[0 0 59[45]\.?\d* 84[12]", pdf)
        # Standings begin on a page of their own; no page is empty.
        assert pages == {"both": 4, "pairings": 2, "standings": 2}
        page.emulate_media(media="print", color_scheme="dark")
        page.set_viewport_size({"width": 688, "height": 1017})  # what A4 leaves between its margins
        shown = page.locator("button, a, .cup-desk, .lobby-said").all()
        assert [one for one in shown if one.is_visible()] == []
        number = page.locator(".cup-table h3").first
        assert number.evaluate("(one) => parseFloat(getComputedStyle(one).fontSize)") > 30
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        page.emulate_media(media="screen")


@pytest.mark.long
@pytest.mark.browser
def test_sixty_four_players_and_five_rounds(browser: sync_api.Browser, tmp_path: Path) -> None:
    """Most results come from tables, some from the referee; the hub is away in the third round."""
    club, rng = FakeClub(), random.Random(64)
    names = [f"Player {number}" for number in range(1, 65)]
    with (
        _hub(tmp_path / "hub.db", club) as url,
        quiet_page(browser, LAPTOP_WH, f"{url}/tournaments#key={KEY}") as page,
    ):
        _begin(page, 5, names)
    for number in range(1, 6):
        with (
            _hub(tmp_path / "hub.db", club) as url,
            quiet_page(browser, LAPTOP_WH, f"{url}/tournament/1#key={KEY}") as page,
        ):
            page.get_by_role("button", name=f"Pair round {number}").click()
            expect(page.get_by_role("heading", name=f"Round {number} of 5")).to_be_visible()
            expect(page.locator(".cup-round .cup-table")).to_have_count(32)
            tables = _tables(url)
            for table in tables[:2]:
                _report(page, table["table"], (rng.randrange(30, 90), rng.randrange(30, 90)))
        if number == 3:
            time.sleep(2)  # nobody answers; the tables play on
        for table in tables[2:]:
            players = tuple(ClubPlayer(name, name, rng.randrange(30, 90)) for name in table["names"])
            club.put(club_table(f"t{table['table']}", players=players, phase="over", changed_s=time.time()))
        with (
            _hub(tmp_path / "hub.db", club) as url,
            quiet_page(browser, LAPTOP_WH, f"{url}/tournament/1#key={KEY}") as page,
        ):
            expect(page.locator(".cup-round [data-open='true']")).to_have_count(0)
    with _hub(tmp_path / "hub.db", club) as url:
        told = httpx.get(f"{url}/api/tournaments/1").json()
    assert told["over"]
    assert sum(line["points"] for line in told["standings"]) == 5 * 32
    met = [frozenset(table["seats"]) for one in told["rounds"] for table in one["tables"]]
    assert len(set(met)) == 5 * 32
