"""The dashboard in a real browser: what the tests of its pages share."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock
from weakref import WeakKeyDictionary, WeakSet

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright import sync_api

from tests.web.conftest import Shown

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""Programs, best first. The headless shell draws no user interface of its own: 40 % less processor time."""
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
ARGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
PHONE, TABLET, LAPTOP = (360, 780), (820, 1180), (1280, 800)
SIZES_WH = (PHONE, pytest.param(TABLET, marks=pytest.mark.long), pytest.param(LAPTOP, marks=pytest.mark.long))
"""Sizes of window that a page is tried in: a phone and a tablet, which are touched, and a laptop with a
mouse. The tablet's and the laptop's come with the long tests."""
TOUCHED = (PHONE, TABLET)
TAPS = {"force", "modifiers", "no_wait_after", "position", "timeout", "trial"}
"""Options that a tap has in common with a click."""
PATIENCE_MS = 60_000
"""Time that a page may take until it shows what is expected: the machine may be busy with other tests."""
sync_api.expect.set_options(timeout=PATIENCE_MS)
VIOLATIONS = 'axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations)'
"""What axe-core finds wrong: all that it finds right would take longer to send than to find."""
TRANSITIONS = """async () => {
  for (;;) {
    await new Promise(requestAnimationFrame);
    const running = document.getAnimations().filter((one) => one instanceof CSSTransition);
    if (!running.length) return;
    await Promise.allSettled(running.map(({ finished }) => finished));
  }
}"""
"""Returns once no CSS transition runs: until then a colour can be that of before a change. One that ends can
start others, of elements that inherit its property."""


QUICK_S = 0.45
"""Time after which a tap is no longer the second of a double tap (``web/static/js/double_tap.js``)."""
SHEETS = "document.querySelectorAll('dialog[open]').length"

_click = sync_api.Locator.click
_tap = sync_api.Locator.tap
_touched: WeakSet[object] = WeakSet()
"""Contexts that are touched."""
_hit: WeakKeyDictionary[object, tuple[float, int]] = WeakKeyDictionary()
"""When each context was clicked or tapped last, and with how many open sheets."""


def _slowly(hit: Callable[..., None], locator: sync_api.Locator, **how: Any) -> None:
    """Click or tap (``hit``) as a person does, who sees a sheet open or shut first. The page drops a quicker
    second tap."""
    page = locator.page
    if not how.get("force"):
        locator.wait_for(timeout=how.get("timeout"))  # the page may be another one by then
    hit_s, sheets = _hit.get(page.context._impl_obj, (0.0, 0))
    rest_s = hit_s + QUICK_S - time.monotonic()
    if rest_s > 0 and page.evaluate(SHEETS) != sheets:
        page.wait_for_timeout(rest_s * 1000)
    sheets = page.evaluate(SHEETS)
    hit(locator, **how)
    _hit[page.context._impl_obj] = (time.monotonic(), sheets)


def _tap_slowly(locator: sync_api.Locator, **how: Any) -> None:
    """Tap as a person does."""
    _slowly(_tap, locator, **how)


def _click_or_tap(locator: sync_api.Locator, **how: Any) -> None:
    """Click, or tap where the page is touched: a click of Playwright's is a mouse's even there."""
    touched = locator.page.context._impl_obj in _touched and how.keys() <= TAPS
    _slowly(_tap if touched else _click, locator, **how)


def tap_point(page: sync_api.Page, x: float, y: float) -> None:
    """Tap a point of the page, or click it with the mouse where it is not touched."""
    if page.context._impl_obj in _touched:
        page.touchscreen.tap(x, y)
    else:
        page.mouse.click(x, y)


def context_of(
    browser: sync_api.Browser, size_wh: tuple[int, int], *, touch: bool | None = None, **how: Any
) -> sync_api.BrowserContext:
    """A browser's context with a window of this size; on a phone and a tablet ``click`` is a tap of a finger.
    ``touch``: whether it is touched whatever its size. ``how`` are Playwright's further options."""
    width, height = size_wh
    has_touch = size_wh in TOUCHED if touch is None else touch
    context = browser.new_context(
        viewport={"width": width, "height": height},
        has_touch=has_touch,
        **{"reduced_motion": "reduce", **how},
    )
    if has_touch:
        _touched.add(context._impl_obj)
    return context


@contextmanager
def chromium(*more: str) -> Iterator[sync_api.Browser]:
    """A browser with some more command-line switches; skips where there is none."""
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine (apt-get install chromium-headless-shell)")
    with (
        mock.patch.object(sync_api.Locator, "click", _click_or_tap),
        mock.patch.object(sync_api.Locator, "tap", _tap_slowly),
        sync_api.sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*ARGS, *more])
        yield browser
        browser.close()


@contextmanager
def page_of(
    browser: sync_api.Browser,
    shown: Shown,
    size_wh: tuple[int, int],
    *,
    key: str | None = None,
    locale: str = "en-GB",
    refused: bool = False,
) -> Iterator[sync_api.Page]:
    """The dashboard opened; at the end nothing may have gone wrong in the console or asked another host.
    ``refused``: the table may answer 403, which the console says too."""
    context = context_of(browser, size_wh, locale=locale)
    page = context.new_page()
    wrong: list[str] = []

    def hear(message: sync_api.ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not (refused and "403" in message.text):
            wrong.append(message.text)

    def see(request: sync_api.Request) -> None:
        if not request.url.removeprefix("blob:").startswith(shown.url):
            wrong.append(request.url)

    page.on("console", hear)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", see)
    page.goto(shown.url + (f"/#key={key}" if key else "/"))
    page.wait_for_selector('#connection[data-link="live"]')
    yield page
    context.close()
    assert wrong == [], wrong


def serious(page: sync_api.Page) -> list[str]:
    """What axe-core finds on the page, its transitions ended, that would shut somebody out."""
    if not page.evaluate('"axe" in window'):
        page.evaluate(AXE_SCRIPT)
    page.evaluate(TRANSITIONS)
    found = page.evaluate(VIOLATIONS)
    return [
        f"{one['id']}: {node['target']} {node['any'][0]['message'] if node['any'] else one['help']}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


def look_back(page: sync_api.Page, turn: int, turns: int) -> None:
    """Set the time line to one turn, once the page shows that all the turns are played."""
    slider = page.get_by_label("Timeline")
    sync_api.expect(slider).to_have_attribute("max", str(turns))
    slider.fill(str(turn))


def place_words(cell: tuple[int, int]) -> str:
    """How the dashboard says in English where a cell is."""
    x, y = cell
    ways = [f"{abs(x)} {'right' if x > 0 else 'left'}"] if x else []
    ways += [f"{abs(y)} {'down' if y > 0 else 'up'}"] if y else []
    return f"the place {' and '.join(ways)} from the start tile" if ways else "the start tile"
