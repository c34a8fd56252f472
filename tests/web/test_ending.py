"""The end of a game on the dashboard: a card over the page, and the same as a picture."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image
from playwright import sync_api

from tests.web.browser import SIZES_WH, context_of, page_of, serious
from tests.web.conftest import Shown

pytestmark = pytest.mark.browser
expect = sync_api.expect


@pytest.mark.parametrize("size_wh", SIZES_WH)
def test_the_end_says_who_won_and_gives_a_picture_to_share(
    browser: sync_api.Browser, shown: Shown, size_wh: tuple[int, int], tmp_path: Path
) -> None:
    shown.table.play(12)
    with page_of(browser, shown, size_wh) as page:
        expect(page.locator("#board .tile")).to_have_count(15)
        expect(page.locator("dialog.ending")).to_have_count(0)
        shown.table.end()
        card = page.locator("dialog.ending")
        scores = shown.table.view.final.scores if shown.table.view.final else {}
        expect(card.locator("h2")).to_contain_text(
            ("wins", "share the victory")[len(set(scores.values())) == 1]
        )
        expect(card.locator("strong")).to_have_text([str(n) for n in sorted(scores.values(), reverse=True)])
        expect(card.locator(".ending-photo")).to_be_visible()
        assert serious(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        with page.expect_download() as saved:
            card.get_by_role("button", name="Share as a picture").click()
        saved.value.save_as(tmp_path / "card.png")
        with Image.open(tmp_path / "card.png") as picture:
            assert picture.size == (1080, 1350)
        card.get_by_role("button", name="All points").click()
        expect(card).to_have_count(0)


@pytest.mark.long
def test_a_game_that_was_over_before_shows_its_points_and_no_card(
    browser: sync_api.Browser, shown: Shown
) -> None:
    shown.table.play(3)
    shown.table.end()
    with page_of(browser, shown, (360, 780)) as page:
        expect(page.locator("#final h2")).to_be_attached()
        expect(page.locator("dialog.ending")).to_have_count(0)


OTHERS = [{"score": 900, "question": None, "option": None, "turn": 1, "line": {"player": "red"}}]
"""What else a score may be: so much that another player would win."""


@pytest.mark.parametrize("path", ["/", "/tv"])
def test_no_winner_is_announced_while_scores_are_open(
    browser: sync_api.Browser, shown: Shown, path: str
) -> None:
    def answer(route: sync_api.Route) -> None:
        state = route.fetch().json()
        if state["final"]:
            last = min(state["players"], key=lambda one: state["final"]["scores"][one["color"]])
            last["may_be"] = OTHERS
        route.fulfill(status=200, content_type="application/json", body=json.dumps(state))

    shown.table.play(12)
    context = context_of(browser, (1280, 800), locale="en-GB")
    page = context.new_page()
    page.route("**/api/state", answer)
    page.goto(f"{shown.url}{path}")
    expect(page.locator("#board .tile")).to_have_count(15)
    shown.table.end()
    said = page.locator("#tv-winner" if path == "/tv" else "dialog.ending")
    expect(said.locator("h2")).to_have_text("Who wins is still open")
    expect(said.locator(".meeple").first).to_have_count(0 if path == "/tv" else 1)
    if path == "/":
        expect(said.locator(".ending-winners .meeple")).to_have_count(0)
        expect(said).to_contain_text("or 900")
        expect(page.locator("#final h2")).to_have_text("Who wins is still open")
    context.close()
