"""The pages beside the dashboard, on a phone and a laptop: naming tiles, the phone's camera, the report."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from PIL import Image
from playwright import sync_api

from engine.pack import load_pack
from tests.web.browser import SIZES_WH, context_of, serious
from tests.web.conftest import KEY, running, serving
from tests.web.fake_table import FakeTable
from tests.web.test_naming_app import Faces
from web.naming_app import FaceCard, FaceName, SidesFit, create_naming_app

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

    def push(self, jpeg: bytes) -> None:
        pass


@contextmanager
def quiet_page(
    browser: sync_api.Browser,
    size_wh: tuple[int, int],
    url: str,
    *,
    refused: bool = False,
    locale: str = "en-GB",
) -> Iterator[sync_api.Page]:
    """A page; at the end nothing has gone wrong in its console, and it is no wider than the screen.
    ``refused``: the program may refuse something (403, 409), which the console says too."""
    context = context_of(browser, size_wh, locale=locale)
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
        expect(page.get_by_role("heading", name="My box")).to_be_visible()
        page.emulate_media(color_scheme="dark", reduced_motion="reduce")
        assert serious(page) == []


@SIZES
def test_a_face_is_turned_as_its_sides_fit(browser: sync_api.Browser, size_wh: tuple[int, int]) -> None:
    faces = Photographed()
    faces.cards = [
        FaceCard(1, FaceName("HG05", 1, sure=True), (), SidesFit(3)),
        FaceCard(1, FaceName("HG07", 0, sure=True), (), SidesFit(0, ("HG08", "HG09"))),
    ]
    with (
        running(create_naming_app(faces, key=KEY)) as url,
        quiet_page(browser, size_wh, f"{url}/#key={KEY}") as page,
    ):
        expect(page.locator("#face-1")).to_contain_text("is that of another tile")
        for design in ("HG08", "HG09"):  # players see pictures, not the names of records
            expect(page.locator(f'#face-1 .other-sides figure[title="{design}"]')).to_be_visible()
        assert serious(page) == []
        page.locator("#face-0").get_by_role("button", name="Turn it so").click()
        expect(page.locator("#face-0")).not_to_contain_text("another rotation")
        expect(page.locator("#faces")).to_have_attribute("aria-busy", "false")
    assert faces.cards[0].named == FaceName("HG05", 3, sure=True)


class Learning(Photographed):
    """Faces of which the second has a guess once the first has a name."""

    def faces(self) -> list[FaceCard]:
        cards = list(self.cards)
        if cards[0].named.sure and not cards[1].named.sure:
            cards[1] = FaceCard(1, FaceName("BC-H", 2), (("BC-H", 2),))
        return cards


@SIZES
def test_a_tile_is_compared_with_drawings_and_its_rotation_is_asked(
    browser: sync_api.Browser, size_wh: tuple[int, int]
) -> None:
    faces = Learning()
    faces.pack = load_pack("carcassonne")
    faces.cards = [FaceCard(1, FaceName()), FaceCard(1, FaceName())]
    with (
        running(create_naming_app(faces, key=KEY)) as url,
        quiet_page(browser, size_wh, f"{url}/#key={KEY}") as page,
    ):
        page.locator("#face-0").get_by_role("button", name="Choose").click()
        one, two = (
            page.locator("#designs").get_by_role("button", name=re.compile(f"^{name}: City"))
            for name in ("BC-G", "BC-H")
        )
        expect(one.locator("svg path").first).to_have_attribute("d", re.compile("H100C"))
        assert one.locator("svg g").count() == 1 and two.locator("svg g").count() == 2  # one city, or two
        expect(
            page.locator("#designs")
            .get_by_role("button", name=re.compile("^BC-B: "))
            .locator(".schema-monastery")
        ).to_be_visible()
        expect(
            page.locator("#designs").get_by_role("button", name=re.compile("^BC-C: City and 1 pennant$"))
        ).to_be_visible()
        assert serious(page) == []
        one.click()
        expect(page.get_by_role("heading", name="Which picture is turned like the drawing?")).to_be_visible()
        assert serious(page) == []
        assert not faces.cards[0].named.sure, "without its rotation a name is half of the answer"
        page.get_by_role("button", name="Way 4").click()
        expect(page.locator("#face-0")).to_have_class(re.compile("sure"))
        expect(page.locator("#faces")).to_have_attribute("aria-busy", "false")
        assert faces.cards[0].named == FaceName("BC-G", 3, sure=True)
        # The other has a guess now, to be confirmed or turned.
        second = page.locator("#face-1")
        expect(second).to_contain_text("perhaps")
        second.get_by_role("button", name="Turn by a quarter").click()
        assert not faces.cards[1].named.sure, "turning a picture names nothing"
        page.get_by_role("button", name="Save", exact=True).click()
        missing = page.locator("#missing")
        expect(missing).to_contain_text("1 tile has no confirmed name")
        expect(missing).to_contain_text("23 designs of the edition have no tile yet")
        assert serious(page) == []
        for way in ("Tile 2", "Go on naming"):
            missing.get_by_role("button", name=way).click()
            assert faces.finished == 0
            expect(second.get_by_role("button", name="Confirm")).to_be_focused()  # the way to the tile
            page.get_by_role("button", name="Save", exact=True).click()
        missing.get_by_role("button", name="Close").click()
        second.get_by_role("button", name="Confirm").click()
        expect(second).to_have_class(re.compile("sure"))
        expect(page.locator("#faces")).to_have_attribute("aria-busy", "false")
        assert faces.cards[1].named == FaceName("BC-H", 3, sure=True)
        page.get_by_role("button", name="Save", exact=True).click()
        missing.get_by_role("button", name="Save all the same").click()
        expect(page.locator("#said")).to_contain_text("Saved")
        assert faces.finished == 1


@pytest.mark.parametrize(("locale", "title"), [("de-DE", "Meine Schachtel"), ("fr-FR", "Ma boîte")])
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
