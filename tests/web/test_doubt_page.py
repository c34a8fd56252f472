"""Doubt on the dashboard: marks that stay, one list of what is to be checked, and one question at a time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from playwright import sync_api

from engine.message import Message
from tests.web.browser import LAPTOP, PHONE, page_of, serious
from tests.web.conftest import Shown
from tests.web.fake_table import FakeTable
from tests.web.views.test_open_points import others_of, question, scored_by_somebody
from web.table.correction import ReplaceTurn

pytestmark = pytest.mark.browser
expect = sync_api.expect


def doubtful_game(table: FakeTable) -> tuple[int, str]:
    """A game whose last turn gave points and is not sure: its number, and whose points they are."""
    table.view, turn_no, player = scored_by_somebody()
    before = table.view.played[turn_no - 2].after
    table.doubt(
        turn_no, 0.7299, next(t for t in others_of(table.view, turn_no) if not before.apply(t).events)
    )
    return turn_no, player


@pytest.mark.parametrize(
    ("size_wh", "scheme"),
    [
        (PHONE, "light"),
        pytest.param(PHONE, "dark", marks=pytest.mark.long),
        pytest.param(LAPTOP, "light", marks=pytest.mark.long),
        pytest.param(LAPTOP, "dark", marks=pytest.mark.long),
    ],
)
def test_a_turn_that_is_not_sure_is_marked_everywhere_and_said_to_be_right(
    browser: sync_api.Browser, shown: Shown, size_wh: tuple[int, int], scheme: str
) -> None:
    turn_no, _ = doubtful_game(shown.table)
    with page_of(browser, shown, size_wh, key=shown.key) as page:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
        expect(page.locator("#last-turn .doubt")).to_have_text("?not sure: 0.72")
        expect(page.locator("#board .doubt-badge title")).to_have_text("not sure: 0.72")
        if size_wh == PHONE:
            page.locator("#panel-handle").click()
        expect(page.locator("#log .doubt").first).to_contain_text("not sure: 0.72")
        page.locator("#log-all").click()
        expect(page.locator("#log .doubt")).to_have_count(1)
        assert serious(page) == []
        page.get_by_role("button", name="To check: 1").click()
        expect(page.locator(".check-item")).to_contain_text([f"Turn {turn_no}"])
        expect(page.locator(".check-item")).to_contain_text(["at stake"])
        assert serious(page) == []
        page.locator(".check-item").click()
        expect(page.locator(".told .doubt")).to_contain_text("not sure: 0.72")
        assert serious(page) == []
        page.get_by_role("button", name="That is right").click()
        expect(page.locator(".doubt, .doubt-badge")).to_have_count(0)
        expect(page.locator("#to-check")).to_be_hidden()
        told = shown.table.view.played[turn_no - 1].turn
        assert shown.table.corrections == [ReplaceTurn(turn_no, told.to_json())]


def test_a_score_shows_points_that_hang_on_an_unsure_turn_without_a_question(
    browser: sync_api.Browser, shown: Shown
) -> None:
    turn_no, player = doubtful_game(shown.table)
    before = shown.table.view.played[turn_no - 2].after.scores[player]
    with page_of(browser, shown, PHONE) as page:
        card = page.locator(f".score.ink-{player}")
        expect(card.locator(".score-or")).to_have_text(f"or {before}")
        card.locator(".score-open").click()
        expect(page.locator("dialog .hint").first).to_contain_text(f"{before} points, if turn {turn_no} was")
        page.get_by_role("button", name="Close", exact=True).click()
        shown.table.doubt(turn_no, 0.5)  # what else it was is not known
        expect(card.locator(".score-or")).to_be_hidden()
        card.locator(".score-open").click()
        expect(page.locator("dialog .hint").first).to_contain_text(f"from turn {turn_no}, which is uncertain")


def test_one_question_asks_at_a_time_in_the_order_of_turns(browser: sync_api.Browser, shown: Shown) -> None:
    table = shown.table
    table.view, turn_no, _ = scored_by_somebody()
    before = table.view.played[turn_no - 2].after
    quiet = next(turn for turn in others_of(table.view, turn_no) if not before.apply(turn).events)
    told = table.view.played[0].turn
    idle = replace(question(1, told), id="idle", text=Message("Which tile?"))
    table.asked = (idle, replace(question(turn_no, quiet), id="dear", text=Message("Which trail?")))
    with page_of(browser, shown, PHONE, key=shown.key) as page:
        expect(page.locator(".question h2")).to_have_text(["Which tile?"])
        page.get_by_role("button", name="To check: 2").click()
        expect(page.locator(".check-what")).to_have_text(["Which trail?", "Which tile?"])  # points first
        page.locator(".check-item").first.click()
        expect(page.locator("dialog.sheet")).to_have_count(0)
        expect(page.locator(".question h2")).to_have_text(["Which trail?"])
        table.close("dear", "settled")
        expect(page.locator(".question h2")).to_have_text(["Which tile?"])
        said = f"Turn {turn_no}: Which trail? – the pictures have settled it."
        expect(page.locator('.toast[data-key="closed"]')).to_contain_text(said)
        page.locator("#to-check").click()
        expect(page.locator(".check-closed li")).to_have_text(
            [f"Turn {turn_no}: Which trail? the pictures have settled it"]
        )
        assert serious(page) == []


def test_a_question_that_is_answered_goes_without_a_note(browser: sync_api.Browser, shown: Shown) -> None:
    shown.table.play(3)
    shown.table.ask("Which trail?")
    with page_of(browser, shown, PHONE, key=shown.key) as page:
        page.get_by_role("button", name="The bush").click()
        expect(page.locator(".question")).to_have_count(0)
        expect(page.locator('.toast[data-key="closed"]')).to_have_count(0)
        page.get_by_role("button", name="To check").click()
        expect(page.locator(".check-closed small")).to_have_text("answered")
