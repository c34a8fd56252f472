"""The page of photographs: why there is no board, who played, what is kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import cv2
import numpy as np
import pytest
from playwright import sync_api

from engine.message import Message
from tests.web.browser import SIZES_WH, serious
from tests.web.conftest import KEY, running
from tests.web.test_lobby_app import FakeLobby
from tests.web.test_lobby_photo import FakePhotographs
from tests.web.test_other_pages import quiet_page
from tilesight.photograph.trouble import Trouble, told_trouble
from web.lobby_app import create_lobby_app
from web.lobby_photo import Json, PhotoPlayers
from web.report.words import words_in
from web.table.refusal import Refusal

pytestmark = pytest.mark.browser
expect = sync_api.expect


class Unread(FakePhotographs):
    """A photograph in which no board can be read: it is too blurred, say."""

    trouble: Trouble = "blurred"

    def document(self, photo: str) -> Json:
        message = told_trouble(self.trouble, (400, 300))
        return {
            "id": "a",
            "pack": "savanna",
            "tiles": [],
            "pieces": [],
            "faults": [],
            "hangs_on": [],
            "if_ended_now": {},
            "presets": ["zman"],
            "said": 0,
            "other_edition": None,
            "pictures": [{"size_wh": [400, 300], "tiles": [], "pieces": [], "free": []}],
            "trouble": {"code": self.trouble, "message": message, "said": message.to_json()},
            "mirrored": False,
        }

    def picture(self, photo: str, number: int) -> bytes:
        return cv2.imencode(".jpg", np.zeros((300, 400, 3), np.uint8))[1].tobytes()


@pytest.mark.parametrize("trouble", ["plain", "small", "blurred", "pattern"])
def test_the_page_says_why_there_is_no_board(browser: sync_api.Browser, trouble: Trouble) -> None:
    desk = Unread()
    desk.trouble = trouble
    for locale in ("en-GB", "de-DE"):
        message = told_trouble(trouble, (400, 300))
        words = message if locale == "en-GB" else words_in("de").phrase(message)
        the_page_says(browser, desk, locale, words.partition(":")[0])


def the_page_says(browser: sync_api.Browser, desk: Unread, locale: str, said: str) -> None:
    app = create_lobby_app(FakeLobby(), key=KEY, photographs=desk)
    address = f"/photo#key={KEY}&photo=a"
    with running(app) as url, quiet_page(browser, (390, 844), url + address, locale=locale) as page:
        expect(page.locator("#panel")).to_contain_text(said, ignore_case=True)
        expect(page.get_by_role("button").last).to_be_visible()  # the way to another photograph


class Scored(Unread):
    """A board of one tile with meeples of three colours, whose points are not sure."""

    ranges: Mapping[str, tuple[int, int]] = {"yellow": (32, 36), "red": (34, 34), "blue": (3, 3)}
    complete = False
    keeps = 0

    def document(self, photo: str) -> Json:
        whole = dict(super().document(photo))
        corners = [[100, 100], [200, 100], [200, 200], [100, 200]]
        return {
            **whole,
            "trouble": None,
            "tiles": [{"tile": "CSS-C", "cell": [0, 0], "rot": 0, "confidence": 1.0}],
            "pictures": [{"size_wh": [400, 300], "tiles": [corners], "pieces": [], "free": []}],
            "if_ended_now": {color: least for color, (least, _) in self.ranges.items()},
            "if_ended_ranges": {color: list(points) for color, points in self.ranges.items()},
            "if_ended_events": [],
            "if_ended_probability": 0.5,
            "colors": ["yellow", "red", "blue", "green", "black"],
            "rules": None,
            "complete": self.complete,
        }

    def keep(self, photo: str, players: PhotoPlayers, **how: bool) -> str:
        self.keeps += 1
        return super().keep(photo, players, **how)


@contextmanager
def photo_page(
    browser: sync_api.Browser,
    desk: Unread,
    size_wh: tuple[int, int] = (360, 780),
    locale: str = "en-GB",
    lobby: FakeLobby | None = None,
    refused: bool = False,
) -> Iterator[sync_api.Page]:
    app = create_lobby_app(lobby or FakeLobby(), key=KEY, photographs=desk)
    with (
        running(app) as url,
        quiet_page(
            browser, size_wh, f"{url}/photo#key={KEY}&photo=a", locale=locale, refused=refused
        ) as page,
    ):
        page.locator("#panel .photo-players").wait_for()
        yield page


@pytest.mark.parametrize("size_wh", SIZES_WH)
def test_a_kept_board_says_so_and_is_kept_once(browser: sync_api.Browser, size_wh: tuple[int, int]) -> None:
    desk = Scored()
    with photo_page(browser, desk, size_wh) as page:
        expect(page.locator(".photo-kept")).to_be_empty()
        page.get_by_role("button", name="Keep as a past game").click()
        page.locator("dialog .save").click()
        expect(page.locator(".photo-kept")).to_contain_text("Kept: it is among the past games.")
        expect(page.locator(".photo-kept")).to_be_in_viewport()
        expect(page.get_by_role("button", name="Keep as a past game")).to_have_count(0)
        expect(page.get_by_role("link", name="All past games")).to_have_attribute(
            "href", f"/#key={KEY}&games=yes"
        )
        for scheme in ("dark", "light"):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            assert serious(page) == []
        assert desk.keeps == 1
        page.get_by_label("Name of red").fill("Ana")  # another game than the one that is kept
        expect(page.get_by_role("button", name="Keep as a past game")).to_be_visible()


def test_names_are_asked_and_not_taken_from_samples(browser: sync_api.Browser) -> None:
    lobby = FakeLobby()
    desk = Scored()
    assert lobby.names(), "the lobby knows names, those of a sample perhaps"
    with photo_page(browser, desk, lobby=lobby) as page:
        fields = page.locator("#panel input[data-name]")
        expect(fields).to_have_count(3)
        assert [field.input_value() for field in fields.all()] == ["", "", ""]
        page.get_by_role("button", name="Keep as a past game").click()
        page.locator("dialog").get_by_label("Name of Red").fill("Ana")
        page.locator("dialog .save").click()
        expect(page.locator(".photo-kept")).not_to_be_empty()
    [(players, over, *_)] = [asked for asked in desk.asked if isinstance(asked[0], PhotoPlayers)]
    assert over and players.names == {"yellow": "yellow", "red": "Ana", "blue": "blue"}


@pytest.mark.parametrize(("locale", "called"), [("de-DE", "Gelb"), ("fr-FR", "Jaune")])
def test_an_unnamed_player_is_called_by_the_colour(
    browser: sync_api.Browser, locale: str, called: str
) -> None:
    with photo_page(browser, Scored(), locale=locale) as page:
        field = page.locator("#panel [data-color=yellow] input[data-name]")
        expect(field).to_have_attribute("placeholder", called)


def test_nobody_leads_while_the_points_are_a_range(browser: sync_api.Browser) -> None:
    desk = Scored()
    with photo_page(browser, desk) as page:
        expect(page.locator("#panel [data-color=yellow]")).to_contain_text("32 to 36")
        expect(page.locator("#panel .leads")).to_have_count(0)
    desk.ranges = {"yellow": (32, 36), "red": (31, 31)}
    with photo_page(browser, desk) as page:
        expect(page.locator("#panel .leads")).to_have_attribute("data-color", "yellow")


@pytest.mark.parametrize("complete", [True, False])
def test_no_game_goes_on_from_a_finished_board(browser: sync_api.Browser, complete: bool) -> None:
    desk = Scored()
    desk.complete = complete
    with photo_page(browser, desk) as page:
        expect(page.get_by_role("button", name="Go on from here")).to_have_count(0 if complete else 1)
        expect(page.get_by_role("button", name="Keep as a past game")).to_be_visible()


NAMES = {
    "M" * 60: "At most 30 characters; this name has 60.",
    "Bo": "Two players have this name.",
    "bo ": "Two players have this name.",
    "A, B": "A name without commas, please.",
}


@pytest.mark.parametrize("name", NAMES)
def test_what_is_wrong_with_a_name_is_said_at_its_field(browser: sync_api.Browser, name: str) -> None:
    desk = Scored()
    with photo_page(browser, desk) as page:
        page.get_by_role("button", name="Keep as a past game").click()
        sheet = page.locator("dialog.sheet")
        sheet.get_by_label("Name of Blue").fill("Bo")
        field = sheet.get_by_label("Name of Red")
        field.fill(name)
        said = field.locator("xpath=following-sibling::small")
        expect(said).to_contain_text(NAMES[name])
        sheet.locator(".save").click()
        expect(field).to_be_focused()
        assert serious(page) == []
        assert (field.input_value(), desk.keeps) == (name, 0), "nothing is lost, and nothing is sent"
        field.fill("Ana")
        expect(said).to_be_empty()
        sheet.locator(".save").click()
        expect(page.locator(".photo-kept")).not_to_be_empty()


def test_an_emoji_and_no_name_can_be_used(browser: sync_api.Browser) -> None:
    desk = Scored()
    with photo_page(browser, desk) as page:
        page.get_by_role("button", name="Keep as a past game").click()
        sheet = page.locator("dialog.sheet")
        field = sheet.get_by_label("Name of Red")
        field.fill("🦁")
        expect(field.locator("xpath=following-sibling::small")).to_contain_text("leave the emoji out")
        sheet.get_by_label("Name of Blue").fill("  ")
        sheet.locator(".save").click()
        expect(page.locator(".photo-kept")).not_to_be_empty()
    [(players, *_)] = [asked for asked in desk.asked if isinstance(asked[0], PhotoPlayers)]
    assert players.names == {"yellow": "yellow", "red": "🦁", "blue": "blue"}


@pytest.mark.parametrize(
    ("locale", "said"), [("en-GB", "an iPhone takes them with"), ("de-DE", "Kompatibilität")]
)
def test_a_heic_photograph_that_nothing_decodes_is_told_in_one_sentence(
    browser: sync_api.Browser, locale: str, said: str
) -> None:
    app = create_lobby_app(FakeLobby(), key=KEY, photographs=Unread())
    with (
        running(app) as url,
        quiet_page(browser, (360, 780), f"{url}/photo#key={KEY}", locale=locale, refused=True) as page,
    ):
        page.locator("#take").wait_for()
        page.locator("#files").set_input_files({"name": "IMG_1.HEIC", "mimeType": "", "buffer": b"HEIC"})
        expect(page.locator("#said")).to_contain_text(said)
        expect(page.locator("#take")).to_be_visible()


class Uploaded(Scored):
    """A board to which photographs are added, of which some cannot be read."""

    def __init__(self, bad: set[int]) -> None:
        super().__init__()
        self.bad, self.sent, self.joined = bad, 0, 0

    def add(self, photo: str | None, picture: bytes, pack: str | None, rules: str | None) -> Json:
        self.sent += 1
        if self.sent in self.bad:
            shown = Message(
                "this photograph shows {pack_shown}, not {pack_board}",
                pack_shown="taiga",
                pack_board="savanna",
            )
            raise Refusal("not_read", shown)
        self.joined += 1
        return self.document("a")

    def document(self, photo: str) -> Json:
        whole = dict(super().document(photo))
        return {**whole, "pictures": list(whole["pictures"]) * max(self.joined, 1)}


def files(number: int) -> list[Any]:
    jpeg = cv2.imencode(".jpg", np.zeros((300, 400, 3), np.uint8))[1].tobytes()
    return [{"name": f"{at}.jpg", "mimeType": "image/jpeg", "buffer": jpeg} for at in range(number)]


@contextmanager
def taking(browser: sync_api.Browser, desk: Unread, locale: str = "en-GB") -> Iterator[sync_api.Page]:
    app = create_lobby_app(FakeLobby(), key=KEY, photographs=desk)
    with (
        running(app) as url,
        quiet_page(browser, (360, 780), f"{url}/photo#key={KEY}", locale=locale, refused=True) as page,
    ):
        page.locator("#take").wait_for()
        yield page


def test_of_fifty_photographs_at_once_the_first_are_read_and_the_rest_is_told(
    browser: sync_api.Browser,
) -> None:
    desk = Uploaded(set())
    with taking(browser, desk) as page:
        page.locator("#files").set_input_files(files(50))
        expect(page.locator("#said")).to_have_text(
            "4 photographs of one board are enough: 46 photographs were left out."
        )
        expect(page.locator("#said")).to_be_in_viewport()
        assert desk.sent == desk.joined == 4


@pytest.mark.parametrize(("locale", "said"), [("en-GB", "shows Taiga"), ("de-DE", "zeigt Taiga")])
def test_a_photograph_of_another_game_says_which_and_the_others_are_kept(
    browser: sync_api.Browser, locale: str, said: str
) -> None:
    desk = Uploaded({2})
    with taking(browser, desk, locale) as page:
        page.locator("#files").set_input_files(files(3))
        expect(page.locator("#said")).to_contain_text("2: ")
        expect(page.locator("#said")).to_contain_text(said)
        expect(page.locator("#tabs button")).to_have_count(2)  # the first and the third
        assert (desk.sent, desk.joined) == (3, 2)


def test_a_board_of_squares_read_as_another_game_says_which(browser: sync_api.Browser) -> None:
    class Squares(Unread):
        def document(self, photo: str) -> Json:
            whole = {**super().document(photo), "pack": None, "pack_recognised": False, "trouble": None}
            return {**whole, "other_edition": "tricky-safari", "presets": []}

    app = create_lobby_app(FakeLobby(), key=KEY, photographs=Squares())
    with (
        running(app) as url,
        quiet_page(browser, (360, 780), f"{url}/photo#key={KEY}&photo=a") as page,
    ):
        expect(page.locator("#panel")).to_contain_text("These tiles look like Waterhole Country")
        expect(page.get_by_role("button", name="Read it as Waterhole Country")).to_be_visible()
