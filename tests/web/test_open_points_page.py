"""Scores that hang on an open question, on the dashboard."""

from __future__ import annotations

import pytest
from playwright import sync_api

from tests.web.browser import PHONE, page_of
from tests.web.conftest import Shown
from tests.web.views.test_open_points import others_of, question, scored_by_somebody

pytestmark = pytest.mark.browser
expect = sync_api.expect


def test_a_score_says_what_it_may_be_instead(browser: sync_api.Browser, shown: Shown) -> None:
    shown.table.view, turn_no, player = scored_by_somebody()
    before = shown.table.view.played[turn_no - 2].after
    quiet = next(turn for turn in others_of(shown.table.view, turn_no) if not before.apply(turn).events)
    shown.table.asked = (question(turn_no, quiet),)
    name = next(seat.name for seat in shown.table.view.seats if seat.color == player)
    with page_of(browser, shown, PHONE) as page:
        card = page.locator(f".score.ink-{player}")
        expect(card.locator(".score-or")).to_have_text(f"or {before.scores[player]}")
        card.locator(".score-open").click()
        expect(page.locator("dialog .hint").first).to_contain_text(f"{before.scores[player]} points, if")
        expect(page.locator("dialog h2")).to_have_text(name)
