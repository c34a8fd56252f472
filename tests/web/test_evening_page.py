"""An evening at the table: its clock, its first screen, events that do not come, notes told once."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from playwright import sync_api

from engine.message import Message
from tests.web.browser import LAPTOP, PHONE, SIZES_WH, context_of, page_of, serious
from tests.web.conftest import Shown, running
from tests.web.fake_table import FakeTable
from tests.web.test_host_page import ACCESS
from web.app import create_app
from web.limits.keys import KeyGuard
from web.table.camera_status import CameraStatus
from web.table.seats import Seat

pytestmark = pytest.mark.browser
expect = sync_api.expect
AN_HOUR_FAST = """const told = Date.now.bind(Date);
Date.now = () => told() + 3600_000;
localStorage.setItem("tilesight-clock", "yes");"""
"""A phone whose clock is an hour fast, and that shows the players' clocks."""


@contextmanager
def hosted(table: FakeTable) -> Iterator[Shown]:
    with running(create_app(table, key=KeyGuard(ACCESS, keep=lambda _: None))) as url:
        yield Shown(table, url, ACCESS.host)
        table.feed.close()


@contextmanager
def opened(
    browser: sync_api.Browser, url: str, script: str = "", *, blocked: str = "", held: str = ""
) -> Iterator[sync_api.Page]:
    """A page of a phone. A proxy refuses ``blocked`` addresses, and never answers ``held`` ones."""
    context = context_of(browser, PHONE, locale="en-GB")
    if script:
        context.add_init_script(script)
    page = context.new_page()
    if blocked:
        page.route(blocked, lambda route: route.fulfill(status=502, body="proxy"))
    if held:
        page.route(held, lambda route: None)
    page.goto(url)
    yield page
    context.close()


def test_a_players_clock_goes_by_the_tables_time(browser: sync_api.Browser, shown: Shown) -> None:
    began_s = time.time() - 65
    clock = {"spent_s": {}, "since_s": began_s, "until_s": None, "longest_s": 7200.0}
    shown.table.view = replace(shown.table.view, clock=clock)
    with opened(browser, shown.url, AN_HOUR_FAST) as page:
        face = page.locator(f'[data-clock="{shown.table.view.state.player}"]')
        expect(face).to_have_text(re.compile(r"^1:\d\d$"))


@pytest.mark.parametrize("how", ["blocked", "held"])
def test_the_table_is_asked_where_its_events_do_not_come(
    browser: sync_api.Browser, shown: Shown, how: str
) -> None:
    events = {how: re.compile(r"/api/events")}
    with opened(browser, shown.url, **events) as page:  # type: ignore[arg-type]
        expect(page.locator("#board .tile")).to_have_count(3)
        link = page.locator("#connection")
        expect(link).to_have_attribute("data-link", "polling")
        expect(link).to_have_text("Live, a little later")
        shown.table.play(2)
        expect(page.locator("#board .tile")).to_have_count(5)
        page.unroute(events[how])
        page.evaluate("dispatchEvent(new Event('online'))")
        expect(link).to_have_attribute("data-link", "live")


def test_the_waits_of_the_page_are_within_five_seconds() -> None:
    script = (Path(__file__).parents[2] / "web" / "static" / "js" / "stream.js").read_text("utf-8")
    [poll_ms] = re.findall(r"^const POLL_MS = (\d+);$", script, re.M)
    [opens_ms] = re.findall(r"^const OPENS_WITHIN_MS = (\d+);$", script, re.M)
    assert int(poll_ms) < 5000 and int(opens_ms) < 5000


@pytest.mark.parametrize("size_wh", SIZES_WH)
def test_a_new_table_shows_the_code_for_players(browser: sync_api.Browser, size_wh: tuple[int, int]) -> None:
    with hosted(FakeTable()) as shown, page_of(browser, shown, size_wh, key=ACCESS.host) as page:
        card = page.locator("#join-card")
        code = card.locator("img.join-code")
        expect(code).to_be_in_viewport(ratio=1)
        assert code.evaluate("(image) => image.naturalWidth") > 0
        expect(card.get_by_role("link")).to_have_attribute("href", re.compile("SAVANNA7$"))
        expect(card).to_contain_text("lay the start tile where the camera sees it")
        for scheme in ("dark", "light"):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            assert serious(page) == []
        shown.table.play(1)
        expect(card).to_be_hidden()


def test_the_code_for_players_can_be_put_away_and_is_the_hosts_alone(
    browser: sync_api.Browser, shown: Shown
) -> None:
    with page_of(browser, shown, PHONE, key=shown.key) as page:
        expect(page.locator("#join-card")).to_be_hidden()
    with hosted(FakeTable()) as own, page_of(browser, own, PHONE, key=ACCESS.host) as page:
        page.locator("#join-card").get_by_role("button", name="Close").click()
        expect(page.locator("#join-card")).to_be_hidden()
        own.table.say(CameraStatus("moving", Message("hands are over the table")))
        expect(page.locator("#camera-text")).to_contain_text("Hands")
        expect(page.locator("#join-card")).to_be_hidden()


def test_an_unnamed_player_is_called_by_the_colour_everywhere(
    browser: sync_api.Browser, shown: Shown
) -> None:
    shown.table.view = replace(
        shown.table.view, seats=(Seat("red", "red"), Seat("blue", "Bo")), title="red, Bo"
    )
    with page_of(browser, shown, LAPTOP, key=shown.key, locale="de-DE") as page:
        expect(page.locator(".score-name-text").first).to_have_text("Rot")
        expect(page.locator("#table-title")).to_have_text("Rot, Bo")
        page.locator(".score-open").first.click()
        field = page.locator("dialog input[name=name]")
        expect(field).to_have_value("")
        expect(field).to_have_attribute("placeholder", "Rot")
        field.fill("bo")
        expect(page.locator(".name-fault")).to_contain_text("Zwei Spieler heißen so")
        page.locator("dialog .name-form button").click()
        assert field.input_value() == "bo"


SILENT = Message("the phone sends no pictures any more: look whether its camera page is still open")
NOTES = [
    CameraStatus("lost", Message("no picture comes from the camera")),
    CameraStatus(
        "lost", Message("the phone sends no pictures any more: look whether its camera page is still open")
    ),
    CameraStatus("lost", Message("the camera shows another table")),
    CameraStatus("unclear", Message("1 tile is covered")),
    CameraStatus("watching"),
    CameraStatus("moving"),
    CameraStatus("starting"),
]
TWICE = """() => {
  const seen = (one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true })
    && !one.closest("svg, .hidden, option");
  const texts = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const text = walk.currentNode.textContent.trim().toLowerCase().replace(/[.:!]$/, "");
    if (text.length > 9 && seen(walk.currentNode.parentElement)) texts.push(text);
  }
  return texts.filter((text, at) => texts.some((other, to) => to !== at && other.includes(text)));
}"""
"""Texts of more than a word or two that the page shows twice, alone or within another one."""


@pytest.mark.parametrize("size_wh", [PHONE, LAPTOP])
def test_what_the_camera_sees_is_told_once(browser: sync_api.Browser, size_wh: tuple[int, int]) -> None:
    table = FakeTable()
    with hosted(table) as shown, page_of(browser, shown, size_wh, key=ACCESS.host) as page:
        for turns in (0, 2):
            table.play(turns)
            for number, status in enumerate(NOTES):
                table.say(replace(status, frame=number + 10 * turns))
                page.wait_for_timeout(300)
                assert page.evaluate(TWICE) == [], status
        table.ask()
        page.locator(".question").first.wait_for()
        assert page.evaluate(TWICE) == []


def test_a_note_that_stays_is_announced_once(browser: sync_api.Browser) -> None:
    table = FakeTable()
    table.play(2)
    with hosted(table) as shown, page_of(browser, shown, PHONE, key=ACCESS.host) as page:
        table.say(CameraStatus("unclear", Message("1 tile is covered")))
        note = page.locator('.toast[data-key="camera"]')
        expect(note).to_contain_text("1 tile is covered")
        note.evaluate("(one) => { one.first = true; }")
        for number in range(3):  # the table tells of other things
            table.play(1)
            expect(page.locator("#board .tile")).to_have_count(6 + number)
        assert note.evaluate("(one) => one.first") is True
        table.say(CameraStatus("unclear", Message("{number} tiles are covered", number=2)))
        expect(note).to_contain_text("2 tiles are covered")
        expect(page.locator(".toast")).to_have_count(1)
