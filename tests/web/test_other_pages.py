"""The pages beside the dashboard, on a phone and a laptop: naming tiles, the phone's camera, the report."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from PIL import Image
from playwright import sync_api

from tests.web.browser import SIZES_WH, serious
from tests.web.conftest import KEY, running, serving
from tests.web.fake_table import FakeTable
from tests.web.test_naming_app import Faces
from web.naming_app import create_naming_app

pytestmark = pytest.mark.browser
expect = sync_api.expect
SIZES = pytest.mark.parametrize("size_wh", SIZES_WH)


class Photographed(Faces):
    """Faces of which there are real pictures."""

    def picture(self, number: int) -> bytes:
        file = io.BytesIO()
        Image.new("RGB", (96, 96), (90 + 40 * number, 130, 80)).save(file, "JPEG")
        return file.getvalue()


class Nowhere:
    """Takes a phone's pictures and forgets them."""

    def push(self, jpeg: bytes, t_s: float) -> None:
        pass


@contextmanager
def quiet_page(
    browser: sync_api.Browser, size_wh: tuple[int, int], url: str, *, refused: bool = False
) -> Iterator[sync_api.Page]:
    """A page; at the end nothing has gone wrong in its console, and it is no wider than the screen.
    ``refused``: the program may refuse something (403, 409), which the console says too."""
    width, height = size_wh
    context = browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce")
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on(
        "console",
        lambda said: (
            wrong.append(said.text)
            if said.type in ("error", "warning")
            and not (refused and ("403" in said.text or "409" in said.text))
            else None
        ),
    )
    page.goto(url)
    yield page
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()
    assert wrong == [], wrong


@SIZES
def test_tiles_are_named_with_taps(browser: sync_api.Browser, size_wh: tuple[int, int]) -> None:
    faces = Photographed()
    with (
        running(create_naming_app(faces, key=KEY)) as url,
        quiet_page(browser, size_wh, f"{url}/#key={KEY}") as page,
    ):
        page.locator("#faces img").first.wait_for()
        assert serious(page) == []
        expect(page.get_by_role("heading", name="Name the tiles")).to_be_visible()
        page.emulate_media(color_scheme="dark", reduced_motion="reduce")
        assert serious(page) == []


@pytest.mark.parametrize(
    ("locale", "title"), [("de-DE", "Plättchen benennen"), ("fr-FR", "Nommer les tuiles")]
)
def test_tiles_are_named_in_other_languages(browser: sync_api.Browser, locale: str, title: str) -> None:
    with running(create_naming_app(Photographed(), key=KEY)) as url:
        page = browser.new_page(locale=locale)
        page.goto(f"{url}/#key={KEY}")
        page.locator("#faces img").first.wait_for()
        expect(page.get_by_role("heading", name=title)).to_be_visible()
        assert "undefined" not in page.locator("body").inner_text()
        page.close()


@SIZES
def test_the_phones_camera_page(browser: sync_api.Browser, size_wh: tuple[int, int]) -> None:
    with (
        serving(FakeTable(), phone=Nowhere()) as shown,
        quiet_page(browser, size_wh, f"{shown.url}/camera#key={KEY}") as page,
    ):
        expect(page.get_by_role("button", name="Start the camera")).to_be_visible()
        assert serious(page) == []


@SIZES
def test_the_report_is_one_page_to_share(browser: sync_api.Browser, size_wh: tuple[int, int]) -> None:
    table = FakeTable()
    table.play(20)
    table.end()
    with serving(table) as shown, quiet_page(browser, size_wh, f"{shown.url}/api/report.html") as page:
        expect(page.locator("h2")).to_have_count(2)
        assert page.locator("svg.board image").count() >= 20
        assert serious(page) == []
