"""An evening of each game by taps alone: from the lobby over a game to the library and a rematch.

The camera is a folder that the test fills with the pictures of a sample session, a turn when the page is
ready for it. A player's colour is entered wrongly and corrected later, and a third player joins late. The
first turns of each session are played, on a phone or a laptop. ``TILESIGHT_TURNS=N`` plays N turns, 0 all of
them, on both, and looks at every screen light and dark for what shuts people out;
``TILESIGHT_SCREENSHOTS=DIR`` keeps the screens as pictures.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright import sync_api

from engine.games import tile_game_named, tile_game_names
from tests.matrix.evening import ASKED_TURNS, Evening, lobby, sized
from tests.matrix.games import GAMES, SAMPLES, Kit, kit_of
from tests.matrix.hand_camera import HandCamera
from tests.web.browser import LAPTOP, chromium

pytestmark = [pytest.mark.browser, pytest.mark.long]
expect = sync_api.expect
TURNS = int(ASKED_TURNS or "6")
UNSEEN = (5,)
"""Turns of which the camera gave no picture: what was played then may have to be asked."""
LOOKED_AFTER, RECOLORED_AFTER = 2, 3
"""Turns after which people look around in the page and correct something, and after which they notice that a
colour is wrong."""
LAPTOP_SIZE = {"width": LAPTOP[0], "height": LAPTOP[1]}
ASKED_MS = 4_000
"""Longest wait for a question's answers."""
LOOKS = 15
"""Pictures of a table at rest that are shown at most until a turn is told, or a question is answered: a turn
after one that nobody saw may be told at the end alone."""
START_MS = 60_000
"""Longest wait for a table that starts: the machine may be busy."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


def session_of(game: str) -> Kit:
    """What ships for a game, with the sample session of most players, or that in which something more is
    played with."""
    kit = kit_of(game)
    folders = [path.parent for path in sorted(SAMPLES.glob("*/session.json"))]
    # A session in another drawing than its pack's is read with a gallery of its own.
    others = [replace(kit, session=folder) for folder in folders if not (folder / "faces").exists()]
    same = [one for one in others if one.header["game"] == game]
    return max(same, key=lambda one: (len(fields_of(one)), len(one.colors), one.session == kit.session))


def fields_of(kit: Kit) -> dict[str, str]:
    """What more is played with in a session: fields of its header that the form asks for."""
    choices = tile_game_named(kit.game).header_choices if kit.game in tile_game_names() else {}
    return {name: kit.header[name] for name in choices if name in kit.header}


@sized(GAMES)
def test_an_evening_by_taps(
    browser: sync_api.Browser, name: str, size_wh: tuple[int, int], locale: str, tmp_path: Path
) -> None:
    kit = session_of(name)
    turns = min(TURNS or len(kit.lines), len(kit.lines))
    camera = HandCamera(kit, tmp_path / "camera")
    with lobby(tmp_path) as address:
        evening = Evening(
            browser, size_wh, locale, f"{name}-{size_wh[0]}-{locale[:2]}", ASKED_TURNS is not None
        )
        with evening:
            evening.page.goto(address)
            begin(evening, kit, camera.folder)
            play(evening, kit, camera, turns)
            share(evening)
            look_back(evening, kit)
            rematch(evening, kit)


def wrong_color(kit: Kit) -> str | None:
    """The colour that is entered for the first player: one that is not on the table; None where the rules say
    who plays which."""
    if kit.game not in tile_game_names():
        return None
    return next(color for color in kit.rules.colors if color not in kit.colors)


def at_first(kit: Kit) -> list[dict[str, Any]]:
    """The players who begin, as they are entered: the first with a wrong colour, without the third."""
    players = [dict(player) for player in kit.header["players"]]
    if (wrong := wrong_color(kit)) is not None:
        players[0]["color"] = wrong
    return players[:2]


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
    for name, value in fields_of(kit).items():
        form.get_by_role("combobox", name=evening.words(f"lobby.fields.{name}.label")).select_option(value)
    names = [player["name"] for player in at_first(kit)]
    while form.locator(".lobby-row").count() < len(names):
        evening.tap("lobby.morePlayers", form)
    for row, player in enumerate(at_first(kit)):
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


def play(evening: Evening, kit: Kit, camera: HandCamera, turns: int) -> None:
    """The game to its end: a player joins, a turn is corrected and taken back, a colour put right, questions
    are answered."""
    page = evening.page
    evening.seen("table-begins")
    unseen = [turn for turn in UNSEEN if turn < turns]
    for turn in range(1, turns + 1):
        if turn in unseen:
            continue
        camera.play(turn, evening)
        wait_for(evening, kit, camera, turn)
        if turn == 1 and len(kit.colors) > len(at_first(kit)):
            join(evening, kit)
        if turn == min(LOOKED_AFTER, turns):
            look_around(evening)
        if turn == min(RECOLORED_AFTER, turns) and wrong_color(kit) is not None:
            recolor(evening, kit)
        if turn == 1 + turns // 2:
            evening.seen("table-half-way")
    settle(evening, kit, camera)
    if evening.state()["phase"] != "over":
        evening.open_panel()
        page.locator("#do-end").click()
    expect(page.locator("#final h2")).to_be_attached(timeout=START_MS)
    told = [part(line) for line in evening.state()["turns"]]
    assert len(told) == turns
    before = min(unseen, default=turns + 1) - 1  # how later ones are told depends on answers
    assert told[:before] == [part(line) for line in kit.lines[:before]]
    colors = [player["color"] for player in evening.state()["players"]]
    assert colors == kit.colors


def wait_for(evening: Evening, kit: Kit, camera: HandCamera, turn: int) -> None:
    """Wait until a turn is told; questions that hold it up are answered, and the camera looks on."""
    for _ in range(LOOKS):
        state = evening.state()
        if len(state["turns"]) >= turn:
            return
        answer(evening, kit, state["questions"])
        camera.look_on(evening)


def settle(evening: Evening, kit: Kit, camera: HandCamera) -> None:
    """Answer all open questions."""
    for _ in range(LOOKS):
        questions = evening.state()["questions"]
        if not questions:
            return
        answer(evening, kit, questions)
        camera.look_on(evening)


def look_around(evening: Evening) -> None:
    """A turn corrected and taken back, settings, a player's sheet, the camera's picture."""
    page = evening.page
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


def join(evening: Evening, kit: Kit) -> None:
    """One player more, in the first round."""
    page, player = evening.page, kit.header["players"][-1]
    evening.open_panel()
    page.locator("#do-players").click()
    evening.tap("lobby.morePlayers", page.locator("dialog.sheet"))
    row = page.locator(".seats li").last
    row.locator("select").select_option(player["color"])
    row.locator("input").fill(player["name"])
    evening.tap("player.save", page.locator("dialog.sheet"))
    expect(page.locator("dialog.sheet")).to_have_count(0)
    expect(page.locator(".score-name-text")).to_have_count(len(kit.colors))
    evening.open_panel(False)


def recolor(evening: Evening, kit: Kit) -> None:
    """The first player's colour was wrong: put right by the question that it raised, else on the players'
    sheet, and the turns until now are theirs in that colour."""
    page, wrong = evening.page, wrong_color(kit)
    asked = [one for one in evening.state()["questions"] if one["id"] == f"stray-{kit.colors[0]}"]
    if asked and len(evening.state()["questions"]) == 1 and page.viewport_size == LAPTOP_SIZE:
        evening.seen("whose-pieces")
        page.locator(".question .answers > button", has_text=kit.header["players"][0]["name"]).click()
    else:
        evening.open_panel()
        page.locator("#do-players").click()
        page.locator(".seats select").first.select_option(kit.colors[0])
        evening.seen("players")
        evening.tap("player.save", page.locator("dialog.sheet"))
        expect(page.locator("dialog.sheet")).to_have_count(0)
        evening.open_panel(False)
    expect(page.locator(f".score.ink-{wrong}")).to_have_count(0)
    players = {turn["player"] for turn in evening.state()["turns"]}
    assert players <= set(kit.colors)


def part(line: dict[str, Any]) -> list[object]:
    """The visible part of a turn, reported or recorded."""
    return [line.get(name) for name in ("player", "tile", "cell", "rot", "to", "action")]


def answer(evening: Evening, kit: Kit, questions: list[dict[str, Any]]) -> None:
    """Answer open questions with the turn played, if it is offered."""
    page = evening.page
    for question in questions:
        if question["id"].startswith("stray-"):  # is answered when people notice
            continue
        really = part(kit.lines[question["turn"] - 1]) if question["turn"] else []
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
    expect(page.locator(".lobby-card").first).to_be_visible()
    evening.tap("lobby.stop", page.locator(".lobby-card").first)
    evening.seen("lobby-end")
