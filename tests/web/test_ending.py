"""The end of a game on the dashboard: a card over the page, and the same as a picture."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image
from playwright import sync_api

from tests.web.browser import SIZES_WH, page_of, serious
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
