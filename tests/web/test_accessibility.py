"""Nobody is shut out: axe-core finds nothing serious on the dashboard's pages, light and dark."""

from __future__ import annotations

import pytest
from playwright import sync_api

from engine.message import Message
from tests.web.browser import LAPTOP, PHONE, page_of, serious
from tests.web.conftest import Shown
from web.table.camera_status import CameraStatus

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    ("size_wh", "scheme"),
    [
        (PHONE, "light"),
        pytest.param(PHONE, "dark", marks=pytest.mark.long),
        pytest.param(LAPTOP, "light", marks=pytest.mark.long),
    ],
)
def test_nothing_serious_stands_in_the_way(
    browser: sync_api.Browser, shown: Shown, size_wh: tuple[int, int], scheme: str
) -> None:
    table = shown.table
    table.play(14)
    with page_of(browser, shown, size_wh, key=shown.key) as page:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
        if size_wh == PHONE:
            page.locator("#panel-handle").click()
        assert serious(page) == []
        table.ask("What was turn 15?")
        table.say(CameraStatus("unclear", Message("Two turns explain this."), 4, 75, ((0, 1),)))
        page.locator(".question").wait_for()
        page.locator("#log-all").click()
        page.locator(".log-button").first.click()
        assert serious(page) == []
        page.get_by_role("button", name="Look at this turn").click()
        page.locator(".placement").wait_for()
        assert serious(page) == []
        page.get_by_role("button", name="Another tile").click()
        page.locator(".face").first.wait_for()
        assert serious(page) == []
        page.get_by_role("button", name="Close", exact=True).click()
        page.locator(".score-open").first.click()
        assert serious(page) == []
        page.get_by_role("button", name="Close", exact=True).click()
        page.locator("#menu").click()
        assert serious(page) == []
        page.get_by_role("button", name="Close", exact=True).click()
        table.answer(table.asked[0].id, "a")
        table.end()
        page.locator("#final h2").wait_for()
        assert serious(page) == []
        page.get_by_role("button", name="All points").click()
        page.locator("#log-chart").click()
        assert serious(page) == []


def test_colours_are_judged_once_their_transitions_have_ended(browser: sync_api.Browser) -> None:
    page = browser.new_page()
    page.set_content(
        '<html lang="en"><title>t</title><h1 style="color: #fff; background: #eee">Turn</h1></html>'
    )
    assert any("color-contrast" in one for one in serious(page))
    page.evaluate(
        """() => {
          const title = document.querySelector("h1");
          title.style.transition = "background 400ms";
          title.style.background = "#000";
        }"""
    )
    assert serious(page) == []
    page.close()
