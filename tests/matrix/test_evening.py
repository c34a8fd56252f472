"""An evening of each game by taps alone: from the lobby over a whole game to the library and a rematch.

The camera is a folder: the game's sample session at a camera's speed. With ``TILESIGHT_SCREENSHOTS=DIR``
every screen is kept as pictures; ``TILESIGHT_TURNS=N`` plays the first turns of each session, 0 all of it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from playwright import sync_api

from tests.matrix.evening import Evening, lobby
from tests.matrix.games import GAMES, Kit, beginning, kit_of
from tests.web.browser import LAPTOP, PHONE, chromium

pytestmark = [
    pytest.mark.browser,
    pytest.mark.long,
    pytest.mark.skipif(
        "TILESIGHT_TURNS" not in os.environ,
        reason="a game at a camera's speed takes minutes: TILESIGHT_TURNS=N plays N turns, 0 whole games",
    ),
]
expect = sync_api.expect
TURNS = int(os.environ.get("TILESIGHT_TURNS", "0"))
UNSEEN = (3, 5)
"""Turns of which the camera gave no picture: what was played then may have to be asked."""
LOOKED_AFTER = 2
"""Turn after which people look around in the page and correct something."""
LOOK_S = 40
"""Time for that, in which nobody plays: a game of some turns is over sooner than a busy page has been tapped
through."""
LOCALES = ("en-GB", "de-DE", "fr-FR")
ASKED_MS = 4_000
"""Longest wait for a question's answers."""
TURN_S = 30.0
"""Longest time that a turn may take on a busy machine."""
START_MS = 60_000
"""Longest wait for a table that starts, or for a next turn: the machine may be busy."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.mark.parametrize("size_wh", [PHONE, LAPTOP], ids=["phone", "laptop"])
@pytest.mark.parametrize("game", GAMES)
def test_an_evening_by_taps(
    browser: sync_api.Browser, game: str, size_wh: tuple[int, int], tmp_path: Path
) -> None:
    kit = kit_of(game)
    turns = TURNS or len(kit.lines)
    folder = beginning(kit, tmp_path / "camera", turns, unseen=UNSEEN, rest_after=LOOKED_AFTER, rest_s=LOOK_S)
    locale = LOCALES[(GAMES.index(game) + (size_wh == LAPTOP)) % len(LOCALES)]
    with lobby(tmp_path) as address:
        evening = Evening(browser, size_wh, locale, f"{game}-{size_wh[0]}-{locale[:2]}")
        with evening:
            evening.page.goto(address)
            begin(evening, kit, folder)
            play(evening, kit, turns)
            share(evening)
            look_back(evening, kit)
            rematch(evening, kit)


def begin(evening: Evening, kit: Kit, folder: Path) -> None:
    """A new table, its camera a folder that is looked through before."""
    page = evening.page
    expect(page.locator("#nothing")).to_be_visible()
    evening.seen("lobby-empty")
    evening.tap("lobby.share")
    evening.seen("lobby-code")
    evening.tap("page.close", page.locator("#code"))
    page.locator("#new").click()
    form = page.locator("#form")
    form.locator(f'.lobby-edition:has(input[value="{kit.pack}"])').click()
    names = [player["name"] for player in kit.header["players"]]
    while form.locator(".lobby-row").count() < len(names):
        evening.tap("lobby.morePlayers", form)
    for row, player in enumerate(kit.header["players"]):
        form.get_by_label(evening.words("lobby.color"), exact=True).nth(row).select_option(player["color"])
    for row, name in enumerate(names):
        form.get_by_label(evening.words("lobby.name"), exact=True).nth(row).fill(name)
    form.get_by_text(evening.words("lobby.elsewhere")).click()
    form.locator("#form-where").fill(str(folder))
    evening.tap("framing.look", form)
    expect(form.locator(".preview-picture > *")).to_be_visible(timeout=START_MS)
    evening.seen("form")
    form.locator("[type=submit]").click()
    evening.kept("lobby-starting")
    expect(page.locator('#connection[data-link="live"]')).to_be_visible(timeout=START_MS)


def play(evening: Evening, kit: Kit, turns: int) -> None:
    """The game to its end, with a turn corrected on the way and taken back, and questions answered."""
    page = evening.page
    evening.seen("table-begins")
    until_s = time.monotonic() + 4 * TURN_S
    while len(evening.state()["turns"]) < LOOKED_AFTER and time.monotonic() < until_s:
        page.wait_for_timeout(500)
    # On a busy machine the game may be over by now: who still looks around puts its end away.
    ending = page.locator("dialog.ending")
    page.add_locator_handler(ending, lambda: evening.tap("ending.more"))
    correct(evening)
    evening.tap("page.menu")
    evening.seen("settings")
    page.keyboard.press("Escape")
    page.locator(".score-open").first.click()
    evening.seen("player")
    evening.tap("page.close", page.locator("dialog.sheet"))
    evening.open_panel(False)
    page.locator("#camera-show").click()
    expect(page.locator("#camera-view > *").first).to_be_visible(timeout=START_MS)
    evening.seen("camera")
    page.locator("#camera-show").click()
    page.remove_locator_handler(ending)
    half_way, until_s = False, time.monotonic() + LOOK_S + turns * TURN_S
    while (state := evening.state())["phase"] != "over" and time.monotonic() < until_s:
        answer(evening, kit, state["questions"])
        if not half_way and len(state["turns"]) > turns // 2:
            half_way = True
            evening.seen("table-half-way")
        page.wait_for_timeout(500)
    expect(page.locator("#final h2")).to_be_attached(timeout=START_MS)
    told = [part(line) for line in evening.state()["turns"]]
    assert len(told) == turns
    before = min(UNSEEN) - 1  # how later ones are told depends on answers, and on how busy the machine is
    assert told[:before] == [part(line) for line in kit.lines[:before]]


def part(line: dict[str, Any]) -> list[object]:
    """What a camera sees of a turn, told or recorded."""
    return [line.get(name) for name in ("player", "tile", "cell", "rot", "to", "action")]


def answer(evening: Evening, kit: Kit, questions: list[dict[str, Any]]) -> None:
    """What the pictures leave open is answered: with what was really played, where that is offered."""
    page = evening.page
    for question in questions:
        really = part(kit.lines[question["turn"] - 1])
        fits = [at for at, one in enumerate(question["options"]) if part(one.get("turn") or {}) == really]
        way = page.locator(".question").first.locator(".order-send, .answers > button").nth((fits or [0])[0])
        with suppress(sync_api.TimeoutError):  # the next picture may settle it first
            way.scroll_into_view_if_needed(timeout=ASKED_MS)
            evening.kept("question")
            way.click(timeout=ASKED_MS)
            evening.answered += 1


WAYS = ".fixing .answers button, .fixing .square-touch[tabindex], .fixing [role=button]"
"""What may be tapped in the sheet of a turn to say what it was instead."""


def correct(evening: Evening) -> None:
    """Say by taps that the last turn was another one, and take that back."""
    page = evening.page
    evening.open_panel()
    page.locator("#log-all").click()
    page.locator(".log-button").first.click()
    evening.seen("log")
    page.locator(".log-look").click()
    sheet = page.locator("dialog.sheet")
    expect(sheet.locator(".fixing")).not_to_be_empty()
    evening.seen("turn")
    before = evening.state()["turns"]
    for _ in range(6):  # an answer may need another one
        ways = sheet.locator(WAYS)
        if not ways.count():
            break
        ways.last.click()
        page.wait_for_timeout(400)
        if not sheet.count():
            break
    expect(sheet).to_have_count(0)
    assert any(evening.state()["turns"][at] != turn for at, turn in enumerate(before))
    evening.tap("page.undo")  # at once: it takes back what came last
    page.wait_for_timeout(500)
    evening.seen("taken-back")


def share(evening: Evening) -> None:
    """The end: its card shared as a picture, the report, the file that replays the game."""
    page = evening.page
    ending = page.locator("dialog.ending")
    if ending.count():
        expect(ending.locator("h2")).to_be_visible()
        evening.seen("ending")
        assert evening.saved(evening.button("ending.share")).startswith(b"\x89PNG")
        evening.tap("ending.more")
    evening.open_panel()
    evening.seen("final")
    page.locator("#log-chart").click()
    evening.seen("chart")
    assert b"<html" in evening.saved(evening.button("page.replay"))[:200]
    assert evening.saved(evening.button("page.save")).startswith(b"{")
    with page.expect_popup() as opened:
        evening.tap("page.report")
    opened.value.wait_for_load_state()
    evening.seen("report", opened.value)
    opened.value.close()


def look_back(evening: Evening, kit: Kit) -> None:
    """Back in the lobby, the game is looked at again from the library."""
    page = evening.page
    page.locator("#menu").click()
    evening.tap("lobby.back")
    expect(page.locator(".lobby-card")).to_have_count(1)
    evening.seen("lobby-after")
    page.locator("#library-open").click()
    library = page.locator("#library")
    expect(library.locator(".library-card")).to_have_count(1)
    for player in kit.header["players"]:
        expect(library.locator(".library-card")).to_contain_text(player["name"])
    evening.seen("library")
    evening.tap("library.open", library)
    frame = page.frame_locator("#replay iframe")
    expect(frame.locator("#timeline input")).to_be_attached()
    evening.seen("replay")
    evening.tap("page.close", page.locator("#replay"))
    assert evening.saved(evening.button("library.exportAll")).startswith(b"PK")
    evening.tap("page.close", library)


def rematch(evening: Evening, kit: Kit) -> None:
    """The same players again, in another order."""
    page = evening.page
    evening.tap("lobby.again")
    form = page.locator("#form")
    names = form.get_by_label(evening.words("lobby.name"), exact=True)
    before = [one["name"] for one in kit.header["players"]]
    order = [before[-1], *before[:-1]]
    assert [one.input_value() for one in names.all()] == order
    form.locator(".lobby-row").nth(1).get_by_role("button").first.click()
    evening.seen("rematch")
    order = [one.input_value() for one in names.all()]
    form.locator("[type=submit]").click()
    expect(page.locator('#connection[data-link="live"]')).to_be_visible(timeout=START_MS)
    expect(page.locator(".score-name-text").first).to_have_text(order[0])
    evening.seen("rematch-table")
    page.locator("#menu").click()
    evening.tap("lobby.back")
    evening.tap("lobby.stop", page.locator(".lobby-card").first)
    evening.seen("lobby-end")
