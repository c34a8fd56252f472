"""What points consist of: a tap on a piece or on a player's points lights up the whole feature, in words."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright import sync_api

from engine.games import tile_game_named
from engine.geometry import CORNERS
from engine.pack import load_pack
from engine.safari.actions import Dig
from engine.tiles.actions import Meeple
from engine.tiles.game import GameState, Header
from engine.tiles.turn import Turn
from tests.web.browser import PHONE, SIZES_WH, context_of, page_of, serious, tap_point
from tests.web.conftest import KEY, Shown, running
from tests.web.fake_table import FakeTable, played_turn
from tests.web.photographed import PhotographedTable
from tests.web.test_lobby_app import FakeLobby
from tests.web.test_other_pages import quiet_page
from web.api.boards import TILES
from web.api.reports import replay_page
from web.lobby_app import create_lobby_app

pytestmark = [pytest.mark.browser, pytest.mark.long]
expect = sync_api.expect
CITY = {"en-GB": "3 tiles, 1 pennant: 8 once complete, 4 if the game ended"}
CITY["de-DE"] = "3 Plättchen, 1 Wappen: 8, sobald fertig; 4, wenn das Spiel jetzt endet"
CITY["fr-FR"] = "3 tuiles, 1 blason : 8 une fois complet, 4 si la partie finissait"
GAMES = ("carcassonne", "hunters-gatherers", "safari")


def town() -> FakeTable:
    """An open city of three tiles and a pennant, with Ana's knight, and Bo's farmer."""
    pack = load_pack("bastide")
    start = tile_game_named("carcassonne").start(Header("carcassonne", pack.id, ("red", "blue")), pack)
    table = FakeTable()
    table.view = replace(table.view, game="carcassonne", pack=pack, start=start, state=start)
    table.lay(Turn("red", "BC-F", (0, -1), 90, Meeple("c0")))
    table.lay(Turn("blue", "BC-U", (1, 0), 0, Meeple("f0")))
    table.lay(Turn("red", "BC-G", (0, -2), 0))
    return table


def played(game: str, turns: int = 24) -> FakeTable:
    """A table with a random game of this kind, with pieces on it."""
    rules = tile_game_named(game)
    pack = load_pack({"hunters-gatherers": "taiga", "carcassonne": "bastide"}.get(game, rules.default_pack))
    start = rules.start(Header(game, pack.id, ("red", "blue")), pack)
    table = FakeTable()
    table.view = replace(table.view, game=game, pack=pack, start=start, state=start)
    rng = random.Random(7)
    for _ in range(turns):
        table.lay(played_turn(table.view.state, rng))
    if game == "safari":
        table.lay(next(turn for turn in digs(table.view.state) if isinstance(turn.action, Dig)))
    return table


def digs(state: GameState) -> Iterator[Turn]:
    """The turns with an animal tile on a corner of the tile laid."""
    for design in sorted(state.bag):
        for cell, rot in state.placements(design):
            yield from state.turns_for(design, cell, rot, [(cell, corner) for corner in CORNERS])


@pytest.fixture
def table(request: pytest.FixtureRequest) -> FakeTable:
    game = getattr(request, "param", None)
    return town() if game is None else played(game)


def tap_middle(page: sync_api.Page, piece: sync_api.Locator) -> None:
    """Tap the middle of what is drawn, wherever its elements are."""
    box = piece.bounding_box()
    assert box is not None
    tap_point(page, box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


@pytest.mark.parametrize("locale", CITY)
@pytest.mark.parametrize("size_wh", SIZES_WH)
def test_a_tap_on_a_meeple_lights_up_its_feature_and_says_what_it_consists_of(
    browser: sync_api.Browser, shown: Shown, size_wh: tuple[int, int], locale: str
) -> None:
    with page_of(browser, shown, size_wh, locale=locale) as page:
        expect(page.locator("#board .tile")).to_have_count(4)
        tap_middle(page, page.locator("#board .piece.ink-red .meeple-body"))
        expect(page.locator('#tile-card [aria-pressed="true"]')).to_contain_text(CITY[locale])
        expect(page.locator("#board .glow-area")).to_have_count(3)
        expect(page.locator("#board .tile.lit")).to_have_count(3)
        expect(page.locator("#board-at")).to_have_text(CITY[locale])  # what a screen reader says
        assert serious(page) == []


@pytest.mark.parametrize("size_wh", SIZES_WH)
def test_a_players_points_list_the_features_with_fields_first(
    browser: sync_api.Browser, shown: Shown, table: FakeTable, size_wh: tuple[int, int]
) -> None:
    with page_of(browser, shown, size_wh) as page:
        page.locator("#scores .score-open").first.click()
        sheet = page.locator("dialog.sheet")
        expect(sheet.locator(".worth-list")).to_contain_text(CITY["en-GB"])
        assert serious(page) == []
        sheet.locator(".worth-list button").click()
        expect(sheet).to_have_count(0)
        expect(page.locator("#board .glow-area")).to_have_count(3)
        expect(page.locator('#tile-card [aria-pressed="true"]')).to_contain_text(CITY["en-GB"])
        table.lay(Turn("blue", "BC-E", (0, -3), 180))
        expect(page.locator("#board .tile")).to_have_count(
            5
        )  # the sheet has the points of when it was opened
        page.locator("#scores .score-open").first.click()
        scored = sheet.locator(".worth-list button", has_text="3 pennants").or_(
            sheet.locator(".worth-list button", has_text="4 tiles, 1 pennant")
        )
        expect(scored).to_contain_text("+10")
        scored.click()
        expect(page.locator("#board .glow-area")).to_have_count(4)
        expect(page.locator("#log [aria-pressed=true]")).to_contain_text("4 tiles, 1 pennant")


def test_the_keyboard_alone_lights_up_a_feature(browser: sync_api.Browser, shown: Shown) -> None:
    with page_of(browser, shown, (1280, 800)) as page:
        expect(page.locator("#board .tile")).to_have_count(4)
        page.locator("#board").focus()
        for key in ("ArrowUp", "Enter"):  # the first key chooses the last turn's tile
            page.keyboard.press(key)
        city = page.locator("#tile-card .tile-feature", has_text="City")
        expect(city).to_have_attribute("aria-pressed", "true")  # it is in the middle of the tile
        page.locator("#tile-card .tile-feature", has_text="Field").first.press("Enter")
        expect(city).to_have_attribute("aria-pressed", "false")
        city.press("Enter")
        expect(city).to_have_attribute("aria-pressed", "true")
        expect(city).to_contain_text(CITY["en-GB"])
        expect(city).to_be_focused()
        expect(page.locator("#board .glow-area")).to_have_count(3)


@pytest.mark.parametrize("table", GAMES, indirect=True)
def test_every_piece_of_every_game_has_words(
    browser: sync_api.Browser, shown: Shown, table: FakeTable
) -> None:
    owned = [piece for piece in table.view.state.standing if piece.color in ("red", "blue")]
    assert len(owned) >= 4
    with page_of(browser, shown, (1280, 800)) as page:
        pieces = page.locator("#board :is(.ink-red, .ink-blue) .meeple-body")
        expect(pieces).to_have_count(len(owned))
        for number in range(len(owned)):
            tap_middle(page, pieces.nth(number))
            lit = page.locator('#tile-card [aria-pressed="true"]')
            expect(lit).to_have_count(1)
            expect(lit).to_contain_text(re.compile("if the game ended|once surrounded|No animals|0 fish"))
            expect(page.locator("#board.dimmed")).to_have_count(1)
            page.locator("#board").focus()
            page.keyboard.press("Escape")
            expect(page.locator("#tile-card")).to_be_hidden()


def test_a_replay_without_a_network_says_what_points_consist_of(
    browser: sync_api.Browser, table: FakeTable, tmp_path: Path
) -> None:
    file = tmp_path / "game.html"
    file.write_bytes(replay_page(table.state(), TILES, None))
    context = context_of(browser, PHONE, locale="en-GB", offline=True)
    page = context.new_page()
    page.goto(file.as_uri())
    tap_middle(page, page.locator("#board .piece.ink-red .meeple-body"))
    expect(page.locator('#tile-card [aria-pressed="true"]')).to_contain_text(CITY["en-GB"])
    page.locator("#scores .score-open").first.click()
    page.locator("dialog.sheet .worth-list button").click()
    expect(page.locator("#board .glow-area")).to_have_count(3)
    context.close()


@pytest.mark.parametrize("locale", CITY)
@pytest.mark.parametrize("size_wh", SIZES_WH)
def test_a_photograph_says_what_the_points_consist_of(
    browser: sync_api.Browser, size_wh: tuple[int, int], locale: str
) -> None:
    view = town().view
    desk = PhotographedTable(view.state, "carcassonne")
    app = create_lobby_app(FakeLobby(), key=KEY, photographs=desk)
    with (
        running(app) as url,
        quiet_page(browser, size_wh, f"{url}/photo#key={KEY}&photo=a", locale=locale) as page,
    ):
        tap_middle(page, page.locator(".photo-piece.ink-red circle"))
        sheet = page.locator("dialog.sheet")
        expect(sheet.locator(".photo-worth")).to_contain_text(CITY[locale])
        expect(page.locator(".photo-glow")).to_have_count(3)
        sheet.locator(".sheet-head button").click()
        expect(page.locator("#lit")).to_contain_text(CITY[locale])
        points = page.locator('[data-color="red"] .photo-points')
        points.click()
        feature = page.locator('[data-of="red"] button')
        expect(feature).to_contain_text(CITY[locale])
        feature.click()
        expect(page.locator(".photo-glow")).to_have_count(3)
        assert serious(page) == []
        page.locator(".photo-reasons button").first.click()
        expect(page.locator("#lit")).to_contain_text(CITY[locale].split(":")[0].strip())


def test_a_finished_city_with_its_meeple_scores_now(browser: sync_api.Browser) -> None:
    table = town()
    knight = next(piece for piece in table.view.state.standing if piece.color == "red")
    table.lay(Turn("blue", "BC-E", (0, -3), 180))
    desk = PhotographedTable(table.view.state, "carcassonne")
    desk.standing = (knight, *table.view.state.standing)
    app = create_lobby_app(FakeLobby(), key=KEY, photographs=desk)
    with running(app) as url, quiet_page(browser, PHONE, f"{url}/photo#key={KEY}&photo=a") as page:
        page.locator('[data-color="red"] .photo-points').click()
        expect(page.locator('[data-of="red"] button')).to_contain_text(
            "4 tiles, 1 pennant: 10 now, 10 if the game ended"
        )
        page.locator('[data-color="blue"] .photo-points').click()
        farm = page.locator('[data-of="blue"] button')
        expect(farm).to_contain_text("1 finished city: 3 if the game ended")
        farm.click()
        expect(page.locator(".photo-pays")).to_have_count(4)
