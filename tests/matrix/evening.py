"""A family's evening by taps alone: the lobby in a process of its own, and a browser that taps through it.

What is tapped is found as people find it: by the words of the page's own catalogue, in its language.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright import sync_api

from tests.matrix.tables import serving
from tests.web.browser import LAPTOP, PHONE, context_of, serious

expect = sync_api.expect
ASKED_TURNS = os.environ.get("TILESIGHT_TURNS")
"""Number of turns that are played; not set: few of them."""
SIZES = {"phone": PHONE, "laptop": LAPTOP}
LOCALES = ("en-GB", "de-DE", "fr-FR")
SHOTS = os.environ.get("TILESIGHT_SCREENSHOTS")
"""Folder for pictures of the screens; none are kept without it."""
CODES = re.compile(r"\[-?\d+, ?-?\d+\]|\b(?!\w{8})[A-Z]{2,}\d+\b|\b(?:null|undefined|NaN|\[object)\b")
"""Cells and names of designs as records write them, what scripts print by mistake: players see words.
Keys have eight characters or more."""
SETTLED_MS = 1000
"""Time after which what is wrong with a screen must still be wrong."""
TAP_PX = 24
"""Height and width that everything to tap has at least (WCAG 2.2, 2.5.8)."""
WORDS = """async (path) => {
  const listed = () =>
    performance.getEntriesByType("resource").find(({ name }) => /[/]words[/]\\w+[.]js$/.test(name));
  for (let tries = 0; !listed() && tries < 400; tries += 1) { // the page has just been opened
    await new Promise((then) => setTimeout(then, 50));
  }
  const { W } = await import(new URL("../words.js", listed().name).href);
  const text = path.split(".").reduce((part, key) => part[key], W);
  return typeof text === "function" ? text("\\u0001") : text;
}"""
"""The page's words, found beside its catalogue: its scripts may have come as one."""
DRAWN = "() => new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(then)))"
"""Resolved when the page was drawn anew."""
SMALL = """(least) => {
  const seen = (one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest("svg, p, .hidden");
  const top = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document;
  return [...top.querySelectorAll("button, select, input:not([type=radio])")].filter(seen)
    .map((one) => [one, (one.type === "checkbox" && one.closest("label") || one).getBoundingClientRect()])
    .filter(([, { width, height }]) => width && (width < least || height < least))
    .map(([one, { width, height }]) =>
      `${one.id || one.className || one.tagName} ${Math.round(width)}×${Math.round(height)}`);
}"""
"""What can be tapped on the page, or on its sheet, and is too small for a finger. A checkbox is tapped by its
label."""


def sized(names: Sequence[str]) -> pytest.MarkDecorator:
    """Run a test for each name: on a phone and a laptop in turn, in all languages in turn; each on both where
    ``TILESIGHT_TURNS`` is set. All names go through the same pages: each page is seen in both sizes."""
    pairs = [
        (name, size)
        for at, name in enumerate(names)
        for size in (SIZES if ASKED_TURNS is not None else [list(SIZES)[at % len(SIZES)]])
    ]
    return pytest.mark.parametrize(
        ("name", "size_wh", "locale"),
        [
            pytest.param(name, SIZES[size], LOCALES[at % len(LOCALES)], id=f"{name}-{size}")
            for at, (name, size) in enumerate(pairs)
        ],
    )


@contextmanager
def lobby(home: Path) -> Iterator[str]:
    """``tilesight lobby`` as its own process with an empty home: the address with its key."""
    words = [sys.executable, "-m", "tilesight.app", "lobby", "--host", "127.0.0.1", "--port", "0"]
    with serving([*words, "--no-browser", "--json"], home / "none", stopped=True) as running:
        yield f"{running.url}/#key={running.key}"


class Evening:
    """A browser's page, and what a test does on it. At the end it fails on all that went wrong by then."""

    def __init__(
        self, browser: sync_api.Browser, size_wh: tuple[int, int], locale: str, name: str, looks: bool = True
    ) -> None:
        """``looks``: every screen is looked at light and dark, with axe-core, which takes seconds."""
        self._name = name
        self._looks = looks
        self._wrong: list[str] = []
        self._shots = 0
        self.answered = 0
        """Number of questions that were answered."""
        self._context = context_of(browser, size_wh, locale=locale, accept_downloads=True)
        self._context.on("console", self._hear)
        self._context.on("weberror", lambda error: self._wrong.append(str(error.error)))
        self.page = self._context.new_page()
        self.page.on("dialog", lambda dialog: dialog.accept())

    def _hear(self, message: sync_api.ConsoleMessage) -> None:
        """Note an error or a warning of the page's console.

        A 404 to an answer is none: a picture may have decided the question while it was being answered, and
        the page tells the player so. Nor is a 409 to a photograph that is kept otherwise than before: the
        page asks whether to replace that.
        """
        url = message.location.get("url", "")
        decided = url.endswith("/api/answer") and "status of 404" in message.text
        asked = url.endswith("/keep") and "status of 409" in message.text
        if message.type in ("error", "warning") and not decided and not asked:
            self._wrong.append(f"{message.text} {url}")

    def __enter__(self) -> Evening:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """End the evening; nothing may have gone wrong in it."""
        if error is not None and SHOTS is not None:
            self.page.screenshot(path=str(Path(SHOTS) / f"{self._name}-failed.png"))
        self._context.close()
        if error is not None:
            error.add_note("\n".join(self._wrong))
        else:
            assert self._wrong == [], "\n".join(self._wrong)

    def words(self, path: str) -> str:
        """The page's own words, by their place in the catalogue."""
        return str(self.page.evaluate(WORDS, path))

    def pattern(self, path: str) -> re.Pattern[str]:
        """The page's own words with anything where names and numbers stand."""
        return re.compile(".+".join(map(re.escape, self.words(path).split("\x01"))))

    def button(self, path: str, within: sync_api.Locator | None = None) -> sync_api.Locator:
        """The button, or link, that is called by these words of the catalogue."""
        room = within or self.page
        name = self.words(path)
        return room.get_by_role("button", name=name, exact=True).or_(
            room.get_by_role("link", name=name, exact=True)
        )

    def tap(self, path: str, within: sync_api.Locator | None = None) -> None:
        """Tap the element that these words of the catalogue name."""
        self.button(path, within).first.click()

    def seen(self, name: str, page: sync_api.Page | None = None) -> None:
        """A screen: nobody is shut out, nothing beyond the screen, too small for a finger or in codes. What
        is wrong is told at the end, so that one evening tells all of it."""
        page = page or self.page
        self._shots += 1
        for scheme in ("dark", "light") if self._looks else ():
            page.emulate_media(color_scheme=scheme)
            page.evaluate(DRAWN)
            self.kept(f"{name}-{scheme}", page)
            if found := serious(page):
                page.wait_for_timeout(SETTLED_MS)  # colours may just have been changing
                found = sorted(set(found) & set(serious(page)))
            self._wrong += [f"{name} {scheme}: {one}" for one in found]
        self._wrong += [f"{name}: {code}" for code in CODES.findall(page.locator("body").inner_text())]
        self._wrong += [f"{name}: too small: {one}" for one in page.evaluate(SMALL, TAP_PX)]
        if not page.evaluate("document.documentElement.scrollWidth <= innerWidth"):
            self._wrong.append(f"{name}: wider than the screen")

    def kept(self, name: str, page: sync_api.Page | None = None) -> None:
        """The picture of a screen, where pictures are kept."""
        if SHOTS is not None:
            page = page or self.page
            page.wait_for_timeout(250)
            page.screenshot(path=str(Path(SHOTS) / f"{self._name}-{self._shots:02}-{name}.png"))

    def open_panel(self, on: bool = True) -> None:
        """Open the log, which on a phone is behind a handle."""
        handle = self.page.locator("#panel-handle")
        is_open = self.page.locator("#panel").get_attribute("data-open") == "true"
        if handle.is_visible() and is_open is not on:
            handle.click()

    def saved(self, tap: sync_api.Locator) -> bytes:
        """The file that a tap downloads."""
        with self.page.expect_download() as waiting:
            tap.click()
        return Path(waiting.value.path()).read_bytes()

    def state(self) -> dict[str, Any]:
        """The table's state as the open page's server tells it."""
        return dict(self.page.evaluate("async () => (await fetch('/api/state')).json()"))

    def pictures_seen(self) -> int:
        """Number of pictures that the open page's table has looked at."""
        told = str(self.page.evaluate("async () => (await fetch('/metrics')).text()"))
        found = re.search(r"^tilesight_pictures_seen(?:_total)? ([0-9.]+)", told, re.M)
        assert found is not None, told
        return int(float(found[1]))
