"""Texts of the dashboard: three languages with the same sentences."""

from __future__ import annotations

import pytest
from playwright import sync_api

from engine.message import Message
from tests.web.browser import PHONE, page_of
from tests.web.conftest import Shown
from web.page import files_path
from web.table.camera_status import CameraStatus

pytestmark = pytest.mark.browser
expect = sync_api.expect

KEYS = """async (code) => {
    const words = (await import(`/js/words/${code}.js`)).default;
    const keys = (part, path) => Object.entries(part).flatMap(([key, value]) =>
        value && typeof value === "object" && !Array.isArray(value)
            ? keys(value, `${path}${key}.`) : [`${path}${key} ${typeof value}`]);
    return keys(words, "").sort();
}"""


def test_every_language_says_the_same_things(browser: sync_api.Browser, shown: Shown) -> None:
    with page_of(browser, shown, PHONE) as page:
        english = page.evaluate(KEYS, "en")
        assert len(english) > 150
        for code in ("de", "fr"):
            assert page.evaluate(KEYS, code) == english, code


@pytest.mark.parametrize(
    ("locale", "chosen", "said"),
    [
        ("de-AT", "Deutsch", "Züge"),
        pytest.param("fr-FR", "Français", "tours", marks=pytest.mark.long),
        pytest.param("it-IT", "English", "turns", marks=pytest.mark.long),
    ],
)
def test_the_phones_language_is_spoken(
    browser: sync_api.Browser, shown: Shown, locale: str, chosen: str, said: str
) -> None:
    shown.table.play(8)
    with page_of(browser, shown, PHONE, locale=locale) as page:
        expect(page.locator("#log-all")).to_contain_text(said)
        page.locator("#menu").click()
        assert page.locator("select").first.locator("option:checked").inner_text() == chosen
        page.locator("select").first.select_option("en")
        expect(page.locator("#log-all")).to_have_text("All turns")


@pytest.mark.long
def test_messages_of_the_table_are_shown_in_the_phones_language(
    browser: sync_api.Browser, shown: Shown
) -> None:
    shown.table.play(2)
    with page_of(browser, shown, PHONE, locale="de-DE") as page:
        for link in page.locator('a[href^="/api/report"]').all():
            assert "lang=de" in (link.get_attribute("href") or "")
        shown.table.ask("the tile's face is not clear")
        expect(page.locator(".question h2")).to_have_text("Welches Plättchen das ist, ist nicht klar")
        message = Message(
            "the {edge} at {cell} is {kind}, but the tile beyond has {kind_beyond} there",
            edge=Message("north edge"), cell=(3, -2), kind="trail", kind_beyond="bush",
        )  # fmt: skip
        shown.table.say(CameraStatus("unclear", message, 4, 75, ((0, 1),)))
        expect(page.locator(".toast")).to_contain_text(
            "Die Nordkante bei Platz 3 nach rechts und 2 nach oben vom Startplättchen ist Fährte"
        )


@pytest.mark.long
def test_the_home_screen_app_keeps_its_pages_and_nothing_that_the_table_says(
    browser: sync_api.Browser, shown: Shown
) -> None:
    shown.table.play(3)
    with page_of(browser, shown, PHONE) as page:
        page.evaluate("async () => { await navigator.serviceWorker.ready; }")
        page.reload()
        expect(page.locator("#board .tile")).to_have_count(6)
        page.wait_for_function("() => navigator.serviceWorker.controller !== null")
        page.reload()
        expect(page.locator("#board .tile")).to_have_count(6)
        kept = page.evaluate(
            """async () => {
                const kept = await (await caches.open('tilesight-pages')).keys();
                return kept.map((one) => new URL(one.url).pathname);
            }"""
        )
        assert "/" in kept and f"/{files_path()}/js/tiles-page.js" in kept
        assert not [path for path in kept if path.startswith("/api")]
        icons = page.evaluate(
            """async () => {
                const manifest = await (await fetch('/manifest.webmanifest')).json();
                return Promise.all(manifest.icons.map(async (icon) => (await fetch(icon.src)).ok));
            }"""
        )
        assert len(icons) == 4 and all(icons)
