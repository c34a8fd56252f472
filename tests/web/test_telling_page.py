"""Answers that read alike, and pictures of a turn: what tells one from the other, in a real browser."""

from __future__ import annotations

from dataclasses import replace

import pytest
from playwright import sync_api
from playwright.sync_api import expect

from tests.web.browser import LAPTOP, PHONE, page_of, serious
from tests.web.conftest import Shown

pytestmark = pytest.mark.browser


def other_ways(shown: Shown) -> int:
    """Play until a turn without a piece may have been laid with another rotation, and doubt it so."""
    table = shown.table
    for number in range(1, 30):
        before = table.view.state
        table.play(1)
        turn = table.view.played[-1].turn
        rots = [rot for cell, rot in before.placements(turn.tile) if cell == turn.cell and rot != turn.rot]
        if rots and turn.action is None:
            others = [replace(turn, rot=rot) for rot in rots]
            table.doubt(number, 0.5, *(one for one in others if not before.faults(one)))
            if table.view.played[-1].alternatives:
                return number
    raise AssertionError("no such turn")


@pytest.mark.parametrize("size_wh", [PHONE, LAPTOP])
def test_answers_in_the_same_words_say_how_they_differ(
    browser: sync_api.Browser, shown: Shown, size_wh: tuple[int, int]
) -> None:
    number = other_ways(shown)
    played = shown.table.view.played[number - 1]
    with page_of(browser, shown, size_wh, key=shown.key) as page:
        page.locator("#to-check").click()
        page.locator(".check-item").first.click()
        answers = page.locator(".answers").first.locator(".plain")
        expect(answers).to_have_count(len(played.alternatives))
        for answer, other in zip(answers.all(), played.alternatives, strict=True):
            expect(answer).to_contain_text(f"Rotated by {other.turn.rot} degrees")
        expect(page.locator(".arrow-hint")).to_contain_text("the arrow points to the top of the board")
        assert serious(page) == []
        page.keyboard.press("Escape")
        page.locator("#turn-board").click()
        page.locator("#to-check").click()
        page.locator(".check-item").first.click()
        expect(page.locator(".arrow-hint")).to_contain_text("the arrow points to the right of the board")
        turned = (played.alternatives[0].turn.rot + 90) % 360
        expect(answers.first).to_contain_text(f"Rotated by {turned} degrees")
