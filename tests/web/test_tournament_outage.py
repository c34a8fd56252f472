"""A tournament of 64 players while its hub is away in the middle of a round.

The hub is `tilesight hub`; it is killed, as when its computer loses power. Tables write real logs, and real
links send them. ``TILESIGHT_OUTAGE_S`` makes the outage another length.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.importorskip("sqlalchemy", reason="the extra club is not installed: make dev")

from playwright import sync_api

from tests.tilesight.club.club_parts import LinkProcess, Table, free_port
from tests.web.browser import LAPTOP, serious
from tilesight.club.credentials import Role
from tilesight.club.database.engine import open_database
from tilesight.club.hub.tournaments import Tournaments
from tilesight.club.invitation import invitation_of
from tilesight.club.inviting import Inviter
from tilesight.club.link.leftovers import Leftovers
from tilesight.club.link.link import Link
from tilesight.club.link.log_reader import LogReader
from tilesight.club.link.table_api import TableApi

ROOT = Path(__file__).resolve().parents[2]
OUTAGE_S = float(os.environ.get("TILESIGHT_OUTAGE_S", "20"))
NAMES = [f"Player {number}" for number in range(1, 65)]
ROUNDS, DISTURBED = 5, 3
REFEREED = 1
"""The table of each round whose result the referee reports; all others send theirs."""
PROCESSES = (2, 3, 31)
"""Tables whose link is a process of its own."""
TURNS = 4
"""Turns of a game: what counts here is how it comes to the hub."""
expect = sync_api.expect
pytestmark = [pytest.mark.long, pytest.mark.browser]


class HubProcess:
    """`tilesight hub` on a free port; it is killed and started again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        words = ["hub", "--host", "127.0.0.1", "--port", str(port), "--folder", str(folder), "--json"]
        self._command = [sys.executable, "-m", "tilesight.app", *words]
        self.start()

    def start(self) -> None:
        """Start it; its key is there then."""
        with (self._folder / "hub.log").open("ab") as log:
            self._process = subprocess.Popen(
                self._command, stdout=subprocess.PIPE, stderr=log, text=True, cwd=ROOT
            )
        assert self._process.stdout is not None
        self.key = json.loads(self._process.stdout.readline())["key"]

    def kill(self) -> None:
        """SIGKILL."""
        self._process.kill()
        self._process.communicate()


@contextmanager
def _hub(folder: Path) -> Iterator[tuple[HubProcess, list[str]]]:
    """A hub, and the invitations of 32 tables."""
    folder.mkdir()
    hub = HubProcess(folder)
    made = Inviter(folder, hub.url).invite([f"t{number}" for number in range(1, 33)], Role.TABLE)
    try:
        yield hub, [one.url for one in made]
    finally:
        hub.kill()


@contextmanager
def _links(logs: Mapping[str, Path]) -> Iterator[None]:
    """The links of tables (the paths of their logs by their invitations) in one thread: each of its own
    process would be sixty megabytes."""
    loop = asyncio.new_event_loop()
    silent = TableApi("http://127.0.0.1:1")
    links = [
        Link(invitation_of(url), LogReader(log), silent, lambda _: None, Leftovers(url))
        for url, log in logs.items()
    ]

    async def linked() -> None:
        await asyncio.gather(*(link.run() for link in links))

    thread = threading.Thread(target=loop.run_until_complete, args=(linked(),))
    thread.start()
    try:
        yield
    finally:
        for link in links:
            loop.call_soon_threadsafe(link.end)
        thread.join()
        loop.close()


class Round:
    """A round as it is played: tables, their links, and what each came to."""

    def __init__(self, folder: Path, number: int, told: Mapping[str, Any], invitations: list[str]) -> None:
        names = {one["entrant"]: one["name"] for one in told["entrants"]}
        tables = told["rounds"][-1]["tables"]
        self._stack = ExitStack()
        self.seats = {one["table"]: [names[seat] for seat in one["seats"]] for one in tables}
        self.tables = {
            place: Table(folder / f"{number}-{place}.table", 100 * number + place, {"red": red, "blue": blue})
            for place, (red, blue) in self.seats.items()
            if place != REFEREED
        }
        logs = {place: table.path for place, table in self.tables.items()}
        own = {invitations[place - 1]: log for place, log in logs.items() if place not in PROCESSES}
        self._stack.enter_context(_links(own))
        for place in PROCESSES:
            process = LinkProcess(invitations[place - 1], logs[place])
            self._stack.callback(process.finish)

    def play(self, places: list[int], turns: int, *, ends: bool) -> None:
        """Turns at some tables; ``ends`` the games."""
        for place in places:
            self.tables[place].play(turns)
            if ends:
                self.tables[place].end()

    def points(self) -> dict[frozenset[str], dict[str, int]]:
        """What each game came to, by who played."""
        return {
            frozenset(seats): dict(zip(seats, self.tables[place].state.final().scores.values(), strict=True))
            for place, seats in self.seats.items()
            if place != REFEREED
        }

    def close(self) -> None:
        """End the tables, then their links."""
        for table in self.tables.values():
            table.close()
        self._stack.close()


def _told(url: str) -> dict[str, Any]:
    return dict(httpx.get(f"{url}/api/tournaments/1").json())


def _began(page: sync_api.Page) -> None:
    page.get_by_label("Name", exact=True).fill("Spring cup")
    page.get_by_role("button", name="Begin").click()
    page.get_by_text("Add players").click()
    page.get_by_label("One name per line").fill("\n".join(NAMES))
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_role("heading", name="64 players")).to_be_visible()


def _form(page: sync_api.Page, place: int = REFEREED) -> sync_api.Locator:
    return page.locator(f".cup-round [data-table='{place}']")


def _refereed(round_number: int) -> list[int]:
    return [40 + round_number, 50]


def _undisturbed(path: Path, points: list[dict[frozenset[str], dict[str, int]]]) -> Any:
    """The standings of the same event in one process. It asks for the points of exactly those pairings."""
    engine = open_database(path)
    cup = Tournaments(engine, list)
    number = cup.begin("Spring cup", ROUNDS, 2, "swiss", None)
    cup.enter(number, NAMES)
    for at, games in enumerate(points, 1):
        cup.pair(number, at)
        told = cup.tournament(number)
        names = {one["entrant"]: one["name"] for one in told["entrants"]}
        for table in told["rounds"][-1]["tables"]:
            seats = [names[seat] for seat in table["seats"]]
            if table["table"] == REFEREED:
                of_names = dict(zip(seats, _refereed(at), strict=True))
            else:
                of_names = games[frozenset(seats)]
            of_seats = {seat: of_names[names[seat]] for seat in table["seats"]}
            cup.report(number, (at, table["table"]), of_seats, [])
    told = cup.tournament(number)
    engine.dispose()
    return told["standings"]


def _out(page: sync_api.Page, hub: HubProcess, now: Round) -> None:
    """The hub is away while half of the tables play to their end, and the referee writes a result."""
    before, during = [p for p in now.tables if p <= 16], [p for p in now.tables if p > 16]
    now.play(before, TURNS, ends=True)
    now.play(during, TURNS // 2, ends=False)
    expect(page.locator(".cup-round [data-open='true']")).to_have_count(len(during) + 1)
    form = _form(page)
    form.get_by_text("Enter the result").click()
    first, second = form.locator("input[type=number]").all()
    first.fill(str(_refereed(DISTURBED)[0]))
    other = _form(page, during[0])
    other.get_by_text("Enter the result").click()
    other.locator("input[type=number]").first.fill("12")  # and then the table's own result comes
    hub.kill()
    ends_s = time.monotonic() + OUTAGE_S
    expect(page.locator("#away")).to_contain_text("The hub does not answer")
    assert serious(page) == []
    now.play(during, TURNS // 2, ends=True)
    second.fill("7")
    form.get_by_role("button", name="Save").click()
    expect(page.locator("#said")).to_contain_text("Send it again")
    time.sleep(max(0.0, ends_s - time.monotonic()))
    hub.start()
    expect(page.locator("#away")).to_be_hidden()
    expect(page.locator(".cup-round [data-open='true']")).to_have_count(1, timeout=60_000)
    assert [first.input_value(), second.input_value()] == [str(_refereed(DISTURBED)[0]), "7"]
    expect(other.get_by_text(f"From t{during[0]}")).to_be_visible()
    assert other.locator("input[type=number]").first.input_value() == "12"
    second.fill(str(_refereed(DISTURBED)[1]))
    form.get_by_role("button", name="Save").click()
    expect(page.locator("#said")).to_be_hidden()


def _report(page: sync_api.Page, round_number: int) -> None:
    form = _form(page)
    form.get_by_text("Enter the result").click()
    for field, value in zip(form.locator("input[type=number]").all(), _refereed(round_number), strict=True):
        field.fill(str(value))
    form.get_by_role("button", name="Save").click()


def test_the_hub_is_away_in_the_middle_of_a_round(
    browser: sync_api.Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILESIGHT_HOME", str(tmp_path / "home"))
    points = []
    width, height = LAPTOP
    context = browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce")
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    with _hub(tmp_path / "club") as (hub, invitations):
        page.goto(f"{hub.url}/tournaments#key={hub.key}")
        _began(page)
        for number in range(1, ROUNDS + 1):
            page.get_by_role("button", name=f"Pair round {number}").click()
            expect(page.get_by_role("heading", name=f"Round {number} of {ROUNDS}")).to_be_visible()
            now = Round(tmp_path, number, _told(hub.url), invitations)
            try:
                if number == DISTURBED:
                    _out(page, hub, now)
                else:
                    _report(page, number)
                    now.play(list(now.tables), TURNS, ends=True)
                expect(page.locator(".cup-round [data-open='true']")).to_have_count(0, timeout=60_000)
                points.append(now.points())
            finally:
                now.close()
        expect(page.get_by_text(re.compile("The tournament is over"))).to_be_visible()
        told = _told(hub.url)
        shown = page.locator(".cup-standings tbody th").all_inner_texts()
        health = httpx.get(f"{hub.url}/healthz").json()
    context.close()
    assert wrong == []
    assert not list((tmp_path / "home").rglob("leftovers/*.json")), "a link that did not send all"
    assert health["links_refused"] == 0 and health["games"] == ROUNDS * 31
    assert told["over"] and told["standings"] == _undisturbed(tmp_path / "other.db", points)
    names = {one["entrant"]: one["name"] for one in told["entrants"]}
    assert shown == [names[line["entrant"]] for line in told["standings"]]
