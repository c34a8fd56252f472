"""Repairs of a game's history in a real browser at a phone's size, kept by its table and log."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from playwright import sync_api

from engine.message import Message, plain
from engine.pack import load_pack
from engine.tiles.turn import Turn
from tests.tile_records import start_of
from tests.web.browser import PHONE, chromium, page_of, serious
from tests.web.conftest import Shown
from tests.web.fake_table import photograph
from tilesight.live.tiles.table import TileTable
from tilesight.server.dashboard import Dashboard
from tilesight.simulation.tile_games import Style, random_game
from tilesight.table_log.event_fold import EntryKind, Ledger, folded
from tilesight.table_log.event_store import TableStore
from web.table.camera_status import CameraStatus
from web.table.correction import ChangePlayer, ReorderTurns
from web.table.pictures import Picture, PictureTile
from web.table.question import Option, Question
from web.table.refusal import Refusal

pytestmark = pytest.mark.browser
expect = sync_api.expect
TURNS = 8


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@dataclass
class Live:
    """A served table with its game, and what was played."""

    table: TileTable
    store: TableStore
    turns: tuple[Turn, ...]
    shown: Shown

    def told(self) -> list[Turn]:
        return [played.turn for played in self.table.state().played]


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    pack = load_pack("savanna")
    style = Style(allow=("meeple",), greedy=0.4)
    record = random_game(pack, 2, 11, turns=TURNS, style=style, hands_seen=False)
    start = start_of(record, pack)
    with TableStore(tmp_path / "one.table") as store:
        store.append(EntryKind.OPENED, {"header": {"game": "safari"}, "names": {}})
        names = dict(zip(start.players, ("Ana", "Bo"), strict=True))
        table = TileTable(start, names, store, title="a game", game="safari")
        table.game.say(record.turns)
        table.crop = lambda turn_no: photograph()  # type: ignore[method-assign]
        with Dashboard(table, host="127.0.0.1", port=0) as dashboard:
            shown: Any = Shown(table, dashboard.url, dashboard.key)  # type: ignore[arg-type]
            yield Live(table, store, record.turns, shown)


def open_turn(page: sync_api.Page, number: int) -> None:
    """The sheet of a turn, with its edits unfolded."""
    page.locator("#panel-handle").click()
    page.locator("#log-all").click()
    page.locator(".log-button").nth(TURNS - number).click()
    page.locator(".log-look").click()
    page.get_by_text("Order and players").click()
    expect(page.get_by_role("button", name="Insert a turn before")).to_be_visible()


def test_a_turn_is_deleted_what_could_not_be_kept_is_listed_and_undone(
    browser: sync_api.Browser, live: Live
) -> None:
    with page_of(browser, live.shown, PHONE, key=live.shown.key) as page:
        expect(page.locator("#board .tile")).to_have_count(3 + TURNS)
        open_turn(page, 2)
        page.get_by_role("button", name="Delete this turn").click()
        card = page.locator("#history")
        expect(card.get_by_role("heading")).to_contain_text("could not be kept")
        history = live.table.state().history
        assert history is not None
        expect(card.locator(".history-turns li")).to_have_count(
            len(history["unkept"]) + len(history["reseated"])  # type: ignore[arg-type]
        )
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert serious(page) == []
        page.reload()
        expect(card.get_by_role("heading")).to_contain_text("could not be kept")
        card.get_by_role("button", name="Undo").click()
        expect(card).to_be_hidden()
        expect(page.locator("#board .tile")).to_have_count(3 + TURNS)
        assert live.told() == list(live.turns) == list(folded(Ledger(), live.store.entries()).turns)


@pytest.mark.long
def test_a_deleted_turn_leads_to_another_in_its_place(browser: sync_api.Browser, live: Live) -> None:
    number = TURNS - 1
    with page_of(browser, live.shown, PHONE, key=live.shown.key) as page:
        expect(page.locator("#board .tile")).to_have_count(3 + TURNS)
        open_turn(page, number)
        page.get_by_role("button", name="Delete this turn").click()
        expect(page.locator("#history")).to_contain_text("Was another turn played there?")
        assert live.told()[-1].player != live.turns[-1].player
        page.locator("#history").get_by_role("button", name="Enter this turn").click()
        expect(page.locator("dialog.sheet h2")).to_contain_text(f"A turn before turn {number}")
        expect(page.locator(".face").first).to_be_visible()


@pytest.mark.long
def test_a_turn_is_inserted_before_another(browser: sync_api.Browser, live: Live) -> None:
    with page_of(browser, live.shown, PHONE, key=live.shown.key) as page:
        expect(page.locator("#board .tile")).to_have_count(3 + TURNS)
        open_turn(page, TURNS)
        page.get_by_role("button", name="Insert a turn before").click()
        expect(page.locator("dialog.sheet h2")).to_contain_text(f"A turn before turn {TURNS}")
        page.locator(".face").first.click()
        page.locator(".pick-dot").first.click()
        page.get_by_role("button", name="No piece").click()
        expect(page.locator("dialog.sheet")).to_have_count(0)
        told = live.told()
        assert told[: TURNS - 1] == list(live.turns[:-1]) and told[TURNS - 1] != live.turns[-1]


def test_the_tiles_that_are_not_in_the_game_are_entered(browser: sync_api.Browser, live: Live) -> None:
    table, gone = live.table, live.turns[-2:]
    table.game.say(live.turns[:-2])
    seen = tuple(PictureTile(turn.cell, ((0, 0),) * 4, turn.tile, 0.9, None) for turn in gone)
    table.picture = lambda: Picture(1, (640, 360), photograph, seen)  # type: ignore[method-assign]
    message, cells = "2 tiles are not in the game", tuple(turn.cell for turn in gone)
    table.game.publication.put(camera=CameraStatus("unclear", plain(message), 1, None, cells))
    with page_of(browser, live.shown, PHONE, key=live.shown.key) as page:
        expect(page.locator("#board .tile")).to_have_count(1 + TURNS)
        page.get_by_role("button", name="Enter these turns").click()
        expect(page.locator("dialog.sheet h2")).to_contain_text(f"Turn {TURNS - 1}")
        expect(page.get_by_text("And the piece?")).to_be_visible()
        if page.get_by_text("Tap where the displaced ranger").count():
            page.locator(".pick-dot").first.click()
        page.get_by_role("button", name="No piece").click()
        expect(page.locator("dialog.sheet")).to_have_count(0)
        assert (live.told()[-1].tile, live.told()[-1].cell) == (gone[0].tile, gone[0].cell)


@pytest.mark.long
def test_a_turn_is_given_to_another_player(browser: sync_api.Browser, live: Live) -> None:
    number, other = giveable(live)
    turn = live.turns[number - 1]
    with page_of(browser, live.shown, PHONE, key=live.shown.key) as page:
        expect(page.locator("#board .tile")).to_have_count(3 + TURNS)
        open_turn(page, number)
        page.locator(".edit-ways").get_by_role("button", name=other).click()
        expect(page.locator("#history h2")).to_contain_text("Other turns changed too")
        [given] = [told for told in live.told() if told.cell == turn.cell]
        assert given == replace(turn.seen, player=given.player) and given.player != turn.player
        page.get_by_role("button", name="That is right").click()
        expect(page.locator("#history")).to_be_hidden()


def giveable(live: Live) -> tuple[int, str]:
    """Number of the last turn that may have been another player's, and that player's name."""
    for number in range(TURNS, 0, -1):
        seat = next(s for s in live.table.state().seats if s.color != live.turns[number - 1].player)
        with contextlib.suppress(Refusal):
            live.table.correct(ChangePlayer(number, seat.color))
            live.table.undo()
            return number, seat.name
    raise AssertionError("no turn can have been another player's")


def swappable(live: Live) -> int:
    """Number of a turn that may have changed places with the next but one."""
    for number in range(1, TURNS - 1):
        try:
            live.table.correct(ReorderTurns(number, (number + 2, number + 1, number)))
        except Refusal:
            continue
        live.table.undo()
        return number
    raise AssertionError("no turns can change places")


def ask(live: Live, order: tuple[int, ...]) -> None:
    turn = live.turns[order[0] - 1]
    options = (Option("0", Message("it"), turn), Option("other", Message("none of these")))
    question = Question("turns", Message("order"), options, (turn.cell,), 1, turn.player, order[0], order)
    live.table.game.publication.ask((question,))


def test_cards_are_moved_and_answered_at_once(browser: sync_api.Browser, live: Live) -> None:
    number = swappable(live)
    ask(live, (number, number + 1, number + 2))
    with page_of(browser, live.shown, PHONE, key=live.shown.key) as page:
        cards = page.locator(".order-cards li")
        expect(cards).to_have_count(3)
        expect(page.locator(".question h2")).to_have_text("3 tiles were laid unseen")
        expect(cards.first.locator(".order-up")).to_be_disabled()
        shown = page.evaluate("document.querySelector('.panel').getBoundingClientRect().top / innerHeight")
        assert shown >= 0.5, "the board stays half in view"
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert serious(page) == []
        for place, first in ((0, number + 1), (1, number + 1), (0, number + 2)):
            cards.nth(place).locator(".order-down").press("Enter")
            expect(cards.first).to_have_attribute("data-turn", str(first))
        page.get_by_role("button", name="That is the order").click()
        expect(cards).to_have_count(0)
    told, was = live.told(), live.turns
    assert [turn.cell for turn in told[number - 1 : number + 2]] == [
        was[one].cell for one in (number + 1, number, number - 1)
    ]
    assert told == list(folded(Ledger(), live.store.entries()).turns)
    assert [played.confidence for played in live.table.state().played[: number + 2]] == [1.0] * (number + 2)
    live.table.undo()
    assert live.told() == list(was)


@pytest.mark.long
def test_a_card_follows_the_finger_and_a_piece_says_whose_it_is(
    browser: sync_api.Browser, live: Live
) -> None:
    number = next(n for n in range(1, TURNS) if live.turns[n - 1].action is not None)
    ask(live, (number, number + 1))
    with page_of(browser, live.shown, PHONE, key=live.shown.key) as page:
        cards = page.locator(".order-cards li")
        expect(cards).to_have_count(2)
        send = page.get_by_role("button", name="That is the order")
        expect(send).to_be_enabled()
        grip, below = cards.first.locator(".order-grip").bounding_box(), cards.last.bounding_box()
        assert grip is not None and below is not None
        page.mouse.move(grip["x"] + 5, grip["y"] + 5)
        page.mouse.down()
        page.mouse.move(grip["x"] + 5, below["y"] + below["height"] - 2, steps=4)
        page.mouse.up()
        expect(cards.first).to_have_attribute("data-turn", str(number + 1))
        expect(cards.last.locator(".order-wrong")).to_contain_text("The piece is")
        expect(send).to_be_disabled()


@pytest.mark.parametrize(("locale", "words"), [("de", "Das ist die Reihenfolge"), ("fr", "C’est l’ordre")])
@pytest.mark.long
def test_the_cards_speak_the_languages(
    browser: sync_api.Browser, live: Live, locale: str, words: str
) -> None:
    ask(live, (1, 2, 3))
    with page_of(browser, live.shown, PHONE, key=live.shown.key, locale=locale) as page:
        expect(page.get_by_role("button", name=words)).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
