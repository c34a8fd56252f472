"""An evening at which the table does not behave, by touch: nothing is lost, one game is kept in the end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright import sync_api

from engine.games import read_turn, tile_game_named
from engine.pack import load_pack
from engine.record import header_from_json
from engine.tiles.game import Header
from tests.matrix.disturbances import GREY, Stage, bare, noisy, painted
from tests.matrix.evening import ASKED_TURNS, Evening, lobby
from tests.matrix.games import Kit, kit_of
from tests.matrix.hand_camera import HandCamera
from tests.matrix.test_evening import START_MS, part, wait_for
from tests.web.browser import PHONE, chromium
from tilesight.recordings.command import open_recording, read_any_session
from vision.image.decode import read_frame
from vision.observation import Frame

pytestmark = [pytest.mark.browser, pytest.mark.long]
expect = sync_api.expect
TURNS = 8
ASKED_MS = 30_000
"""Longest wait for a question about the board."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


def stage_after(kit: Kit, turns: int) -> Stage:
    """The table at rest after some turns."""
    frame = kit.header["frames"][kit.lines[turns]["frame"] - 1]
    image = read_frame(kit.session / frame["file"]).image
    pose = open_recording(read_any_session(kit.session)).observe(Frame(image)).pose
    assert pose is not None
    return Stage([image], pose, sorted(pose.quads), image)


def score_after(kit: Kit, turns: int) -> dict[str, int]:
    """The final score if the game ends after some turns."""
    header = json.loads((kit.session / "truth.game.jsonl").read_text("utf-8").splitlines()[0])
    opened = header_from_json(header)
    assert isinstance(opened, Header)
    state = tile_game_named(kit.game).start(opened, load_pack(kit.pack))
    for line in kit.lines[:turns]:
        state = state.apply(read_turn(line)).state
    return dict(state.final().scores)


def begin(evening: Evening, kit: Kit, folder: Path) -> None:
    """A new table with all players."""
    page = evening.page
    page.locator("#new").click()
    form = page.locator("#form")
    form.locator(f'.lobby-edition:has(input[value="{kit.pack}"])').click()
    for _ in range(len(kit.colors) - form.locator(".lobby-row").count()):
        evening.tap("lobby.morePlayers", form)
    for row, player in enumerate(kit.header["players"]):
        color = form.get_by_label(evening.words("lobby.color"), exact=True)
        color.nth(row).select_option(player["color"])
    for row, player in enumerate(kit.header["players"]):
        form.get_by_label(evening.words("lobby.name"), exact=True).nth(row).fill(player["name"])
    form.get_by_text(evening.words("lobby.elsewhere")).click()
    form.locator("#form-where").fill(str(folder))
    form.locator("[type=submit]").click()
    expect(page.locator('#connection[data-link="live"]')).to_be_visible(timeout=START_MS)


def turns_of(evening: Evening) -> list[list[object]]:
    """The turns as the table tells them."""
    return [part(line) for line in evening.state()["turns"]]


def look_until(evening: Evening, camera: HandCamera, wanted: sync_api.Locator) -> None:
    """Show the table as it is until something is on the page."""
    for _ in range(40):
        if wanted.is_visible():
            return
        camera.look_on(evening)
        evening.page.wait_for_timeout(700)
    expect(wanted).to_be_visible(timeout=ASKED_MS)


def test_nothing_is_lost_whatever_happens(browser: sync_api.Browser, tmp_path: Path) -> None:
    kit = kit_of("carcassonne")
    stage = stage_after(kit, TURNS)
    played = [part(line) for line in kit.lines[:TURNS]]
    camera = HandCamera(kit, tmp_path / "camera")
    with (
        lobby(tmp_path) as address,
        Evening(browser, PHONE, "en-GB", "disturbed", ASKED_TURNS is not None) as evening,
    ):
        page = evening.page
        page.goto(address)
        begin(evening, kit, camera.folder)
        for turn in range(1, TURNS + 1):
            camera.play(turn, evening)
            wait_for(evening, kit, camera, turn)
        assert turns_of(evening) == played

        # A phone lies on a tile, and goes on lying there.
        x, y = stage.cells[len(stage.cells) // 2]
        camera.put(painted(stage.now, stage.corners(x, y - 0.05, 1, 1.1), GREY), evening)
        look_until(evening, camera, page.get_by_text("1 tile is covered"))
        evening.seen("phone-on-a-tile")
        assert turns_of(evening) == played
        camera.put(noisy(stage.now, 1), evening)

        # The last turn is taken back and brought again.
        evening.open_panel()
        evening.button("page.undo").first.tap()
        expect(page.locator("#do-redo")).to_be_enabled()
        camera.look_on(evening)
        assert turns_of(evening) == played[:-1]
        page.locator("#do-redo").tap()
        expect(page.locator("#do-redo")).to_be_disabled()
        camera.look_on(evening)
        assert turns_of(evening) == played

        # The table is tidied up: the page asks, and scores.
        evening.open_panel(False)
        camera.put(bare(stage), evening)
        over = page.locator(".question", has_text="is the game over?")
        look_until(evening, camera, over)
        evening.seen("is-the-game-over")
        assert turns_of(evening) == played
        over.get_by_role("button", name="End and score").tap()
        expect(page.locator("#final h2")).to_be_attached(timeout=START_MS)
        camera.look_on(evening)
        assert evening.state()["final"]["scores"] == score_after(kit, TURNS)

        # It was not over: the end is taken back, and the game goes on.
        close_ending(evening)
        evening.open_panel()
        evening.button("page.undo").first.tap()
        expect(page.locator("#final")).to_be_hidden()
        evening.open_panel(False)
        look_until(evening, camera, over)
        over.get_by_role("button", name="Go on").tap()
        expect(over).to_have_count(0)
        camera.put(noisy(stage.now, 2), evening)
        camera.play(TURNS + 1, evening)
        wait_for(evening, kit, camera, TURNS + 1)
        assert turns_of(evening) == [part(line) for line in kit.lines[: TURNS + 1]]

        # The end, tapped twice, and the game kept twice.
        evening.open_panel()
        page.locator("#do-end").dblclick()
        # The page still holds the heading of the first end.
        expect(page.locator("#final")).to_be_visible(timeout=START_MS)
        assert evening.state()["final"]["scores"] == score_after(kit, TURNS + 1)
        close_ending(evening)
        evening.open_panel()
        records = {evening.saved(evening.button("page.save")) for _ in range(2)}
        assert len(records) == 1
        page.locator("#menu").click()
        evening.tap("lobby.back")
        page.locator("#library-open").click()
        cards = page.locator("#library .library-card")
        expect(cards).to_have_count(1)
        evening.seen("library")
        for player in kit.header["players"]:
            points = score_after(kit, TURNS + 1)[player["color"]]
            listed = cards.get_by_role("listitem").filter(has_text=player["name"])
            expect(listed).to_contain_text(str(points))


def close_ending(evening: Evening) -> None:
    """Close the card that the end shows, if there is one."""
    if evening.page.locator("dialog.ending").count():
        evening.tap("ending.more")
