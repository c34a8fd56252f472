"""Quick double taps over all controls of a page that is touched: none is lost, and none hits what is new."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest
from playwright import sync_api

from tests.web.browser import PHONE, TABLET, context_of
from tests.web.conftest import KEY, running
from tests.web.test_lobby_app import FakeLobby
from tests.web.test_other_pages import Photographed, quiet_page
from web.lobby_app import create_lobby_app
from web.naming_app import FaceCard, FaceName, create_naming_app

pytestmark = [pytest.mark.browser, pytest.mark.long]
expect = sync_api.expect
DOUBLE_TAPS = 400
TAP_S = 0.05
"""Time that a finger is down, and up between two taps, in seconds."""
QUIET_MS = 450
"""Time between two double taps: the page begins to send what it changed, and the next tap is no third one."""
CONTROLS = """() => {
  for (const one of document.querySelectorAll("[data-at]")) delete one.dataset.at;
  const room = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document;
  return [...room.querySelectorAll("button:enabled:not(#finish)")].filter((one) => one.checkVisibility())
    .map((one, at) => { one.dataset.at = at; return at; });
}"""
"""Numbers the controls that can be tapped, on the top sheet if one is open; saving ends the page."""
HEAR = """window.clicks = 0;
addEventListener("click", (event) => { if (event.isTrusted) window.clicks += 1; }, true);"""
SHOWN = """async () => {
  const { faces } = await (await fetch("/api/faces")).json();
  return faces.filter((face) => !face.known).map((face) => {
    const card = document.getElementById(`face-${face.number}`);
    return [face, card.className, card.querySelector("img").style.transform];
  });
}"""


class Told(Photographed):
    """Faces that note the names that they are given."""

    def __init__(self) -> None:
        super().__init__()
        self.cards = [
            FaceCard(1, FaceName(), (("HG05", 3), ("HG07", 0))),
            FaceCard(2, FaceName("HG05", 3), (("HG05", 3), ("HG07", 0))),
            FaceCard(1, FaceName("HG12", 0, sure=True)),
            FaceCard(1, FaceName("HG09", 0, sure=True), known=True),
            FaceCard(1, FaceName("HG10", 2, sure=True), known=True),
        ]


def settled(page: sync_api.Page) -> None:
    """Wait until the page has sent all changes and shows what came of them."""
    page.wait_for_timeout(QUIET_MS)
    expect(page.locator("#faces")).not_to_have_attribute("aria-busy", "true")


@pytest.mark.parametrize("size_wh", [PHONE, TABLET])
def test_no_quick_tap_is_lost(browser: sync_api.Browser, size_wh: tuple[int, int]) -> None:
    chance, told = random.Random(53), Told()
    context = context_of(browser, size_wh)
    context.add_init_script(HEAR)
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    with running(create_naming_app(told, key=KEY)) as url:
        page.goto(f"{url}/#key={KEY}")
        page.locator("#faces img").first.wait_for()
        for _ in range(DOUBLE_TAPS // 2):
            double_tap(page, told, chance, wrong)
        for face, shown, turned in page.evaluate(SHOWN):
            assert ("sure" in shown.split()) == (face["sure"] and not face["dropped"]), face
            assert turned == f"rotate({-90 * face['turn']}deg)", face
    context.close()
    assert wrong == []


def quickly(page: sync_api.Page, x: float, y: float) -> None:
    """Tap a point twice; the browser is told that the taps were quick, however busy the machine is."""
    session, began_s = page.context.new_cdp_session(page), time.time()
    for after_s, kind in enumerate(("touchStart", "touchEnd") * 2):
        points = [{"x": x, "y": y}] if kind == "touchStart" else []
        at_s = began_s + after_s * TAP_S
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points, "timestamp": at_s})
    session.detach()


def double_tap(page: sync_api.Page, told: Told, chance: random.Random, wrong: list[str]) -> None:
    """Tap a control twice, as quickly as fingers may, and compare what came of it."""
    settled(page)
    at = chance.choice(page.evaluate(CONTROLS))
    control = page.locator(f'[data-at="{at}"]').last
    control.evaluate("(one) => one.scrollIntoView({ block: 'center' })")  # clear of the page's head
    box = control.bounding_box()
    assert box is not None
    words = control.evaluate("(one) => `${one.className} ${one.innerText}`")
    sheet = "() => [...document.querySelectorAll('dialog[open]')].at(-1)?.id ?? ''"
    before: Any = (page.evaluate("window.clicks ?? 0"), page.evaluate(sheet), list(told.cards))
    quickly(page, box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    settled(page)
    clicks, after = page.evaluate("window.clicks") - before[0], page.evaluate(sheet)
    if clicks != 2:
        wrong.append(f"{words}: {clicks} of 2 taps heard")
    if "box-cell" in words and after != "design":
        wrong.append(f"{words}: its sheet shut itself")
    if "✕" in words and (after or told.cards != before[2]):
        wrong.append(f"{words}: the second tap went through the sheet")
    if "Turn" in words and "so" not in words:
        changed = [
            (one.named, other.named) for one, other in zip(before[2], told.cards, strict=True) if one != other
        ]
        if any((other.turn - one.turn) % 4 != 2 for one, other in changed if one.sure):
            wrong.append(f"{words}: turned {changed}")


FIELDS = """() => [...document.querySelectorAll("dialog[open] :is(input, select)")]
  .filter(({ type }) => !["radio", "checkbox"].includes(type))
  .map((one) => [one, one.getBoundingClientRect().width, parseFloat(getComputedStyle(one).fontSize)])
  .filter(([one, width, letter]) => one.checkVisibility() && width < 4 * letter)
  .map(([one, width]) => `${one.id || one.name || one.className} ${Math.round(width)} px`)"""
"""Fields on the top sheet that show fewer than about eight letters."""


@pytest.mark.parametrize("where", ["box", "table"])
def test_fields_stay_usable_with_letters_of_twice_the_size(browser: sync_api.Browser, where: str) -> None:
    apps = {
        "box": (create_naming_app(Told(), key=KEY), "#face-0 .tools button:nth-child(2)"),
        "table": (create_lobby_app(FakeLobby(), key=KEY), "#new"),
    }
    app, opener = apps[where]
    with running(app) as url, quiet_page(browser, PHONE, f"{url}/#key={KEY}") as page:
        expect(page.locator(opener)).to_be_enabled()
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        page.locator(opener).click()
        expect(page.locator("dialog[open] :is(input, select)").first).to_be_visible()
        assert page.evaluate(FIELDS) == []
        assert page.evaluate("document.querySelector('dialog[open]').scrollWidth") <= PHONE[0]
