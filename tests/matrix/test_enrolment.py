"""An edition enrolled by taps alone, from the lobby's first page over six photographs to the saved gallery.

With ``TILESIGHT_SCREENSHOTS=DIR`` every screen is kept as pictures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from playwright import sync_api

from calibration.sheet import group_faces, tiles_of
from engine.pack import Pack, load_pack
from models import load
from tests.matrix.evening import Evening, lobby
from tests.matrix.games import ROOT
from tests.web.browser import LAPTOP, chromium
from vision.image.decode import read_frame
from vision.locate.locator import Locator
from vision.tiles.gallery_file import gallery_of_pack, load_gallery

pytestmark = [pytest.mark.browser, pytest.mark.long]
expect = sync_api.expect
EDITION = "carcassonne"
"""Pack without pictures that is enrolled."""
SHARED = ROOT.parent / "shared"
"""Other people's photographs; they do not ship."""
SHEETS = SHARED / "photos" / "real" / "sheets"
"""Six photographs with the tiles of a set."""
LOOK_MS = 180_000
"""Longest wait until photographs are looked at."""
PX = 32
"""Side of the small pictures that are compared."""
FAR = 25.0
"""Mean difference of two of these from which on they show different things, in grey levels."""

Answer = tuple[str, int]
"""A design, and its quarter turns clockwise."""


@dataclass(frozen=True)
class Truth:
    """What the tiles on photographs are: small pictures of them (n, PX, PX), and the answer for each."""

    pictures: NDArray[np.float32]
    answers: Sequence[Answer]

    def of(self, face: NDArray[np.uint8]) -> Answer | None:
        """The answer for a picture of one of the tiles, whichever way round; None for what is no tile."""
        off = [np.abs(self.pictures - np.rot90(small(face), k)).mean(axis=(1, 2)) for k in range(4)]
        k, at = divmod(int(np.argmin(off)), len(self.answers))
        if off[k][at] > FAR:
            return None
        design, turn = self.answers[at]
        return design, int(turn + k) % 4


def small(face: NDArray[np.uint8]) -> NDArray[np.float32]:
    """A small grey picture of a face."""
    grey = cv2.cvtColor(np.ascontiguousarray(face), cv2.COLOR_BGR2GRAY)
    return cv2.resize(grey, (PX, PX), interpolation=cv2.INTER_AREA).astype(np.float32)


def truth_of(photographs: Sequence[Path], art: Pack) -> Truth:
    """The tiles on photographs as a pack's art names them."""
    descriptor, locator = load("descriptor"), Locator.load()
    tiles = np.concatenate([tiles_of(read_frame(path).sight, locator) for path in photographs])
    counts = {name: design.count for name, design in load_pack(EDITION).designs.items()}
    faces = group_faces(tiles, descriptor, gallery_of_pack(art, descriptor), counts)
    named = [(view, (face.guesses[0].design, face.guesses[0].turn)) for face in faces for view in face.views]
    return Truth(np.stack([small(view) for view, _ in named]), [answer for _, answer in named])


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.mark.skipif(
    not SHEETS.is_dir(), reason="the photographs of real tiles do not ship: ../shared/photos/real/sheets"
)
def test_an_edition_is_enrolled_from_six_photographs(browser: sync_api.Browser, tmp_path: Path) -> None:
    photographs = sorted(SHEETS.glob("*.jpg"))
    art = load_pack(str(SHARED / "art" / "carcassonne-c1"))
    assert len(photographs) == 6
    truth = truth_of(photographs, art)
    with (
        lobby(tmp_path) as address,
        Evening(browser, LAPTOP, "en-GB", "enrol") as evening,
    ):
        photographed(evening, address, photographs)
        named(evening, truth)
        played_with(evening, len({design for design, _ in truth.answers}))
    gallery = load_gallery(tmp_path / "galleries" / f"{EDITION}.gallery", load("descriptor"))
    assert set(gallery.designs) == {design for design, _ in truth.answers}
    # What was saved finds the tiles again, and the way round that each lies.
    read = known_again(photographs, gallery)
    wrong = [(one, other) for one, other in zip(truth.answers, read, strict=True) if one != other]
    assert wrong == []


def known_again(photographs: Sequence[Path], gallery: Any) -> list[Answer]:
    """The tiles on photographs as an enrolled gallery names them."""
    descriptor, locator = load("descriptor"), Locator.load()
    tiles = np.concatenate([tiles_of(read_frame(path).sight, locator) for path in photographs])
    counts = {name: design.count for name, design in load_pack(EDITION).designs.items()}
    faces = group_faces(tiles, descriptor, gallery, counts)
    return [(face.guesses[0].design, face.guesses[0].turn) for face in faces for _ in face.views]


def photographed(evening: Evening, address: str, photographs: Sequence[Path]) -> None:
    """From the first page to the photographs; the button is pressed while they are still being sent."""
    page = evening.page
    page.goto(address)
    expect(page.locator("#own")).to_be_enabled()
    evening.seen("first-page")
    evening.tap("start.enrol")
    evening.seen("which-edition")
    title = evening.page.evaluate(
        f"async () => (await import(new URL('/js/words.js', location.href).href)).W.packs['{EDITION}']"
    )
    page.locator("#start").get_by_role("button", name=str(title)).click()
    sheet = page.locator("#enrol")
    expect(evening.button("enrol.begin", sheet)).to_be_disabled()
    evening.kept("gather")
    page.locator("#enrol-files").set_input_files([str(path) for path in photographs])
    evening.tap("enrol.begin", sheet)
    waiting = evening.button("enrol.waiting", sheet)
    expect(waiting).to_be_disabled()
    assert sheet.locator(".enrol-pictures img").count() < len(photographs), "it was pressed too late to tell"
    evening.kept("waiting")
    bar = sheet.get_by_role("progressbar")
    expect(bar).to_have_js_property("max", len(photographs), timeout=LOOK_MS)  # not one of them is missing
    evening.seen("looking")
    expect(evening.button("enrol.name", sheet)).to_be_visible(timeout=LOOK_MS)
    evening.seen("found")


def named(evening: Evening, truth: Truth) -> None:
    """Every face gets its name and its way round, by its guess where there is one; then it is saved."""
    with evening.page.context.expect_page() as opened:
        evening.tap("enrol.name")
    page = opened.value
    page.bring_to_front()
    expect(page.locator("#faces img").first).to_be_visible()
    evening.seen("naming", page)
    count = page.locator(".face").count()
    guessed = turned = dropped = 0
    looked = False
    for number in range(count):
        answer = truth.of(picture_of(page, number))
        if answer is None:  # a part of the table that was taken for a tile
            card(page, number).locator(".tools button").nth(3).click()
            expect(card(page, number)).to_have_class(re.compile("dropped"))
            dropped += 1
            continue
        design, turn = answer
        face = face_of(page, number)
        if face["design"] == design:
            guessed += 1
            turned += face["turn"] != turn
            for _ in range((turn - face["turn"]) % 4):
                card(page, number).locator(".tools button").nth(2).click()
            card(page, number).locator(".confirm").click()
        else:
            card(page, number).locator(".tools button").nth(1).click()
            if number == 0:
                evening.seen("designs", page)
            page.locator("#designs button").and_(page.get_by_label(re.compile(f"^{design}: "))).click()
            picture = page.locator(f'.turn-ways img[style*="rotate({-90 * turn}deg)"]')
            if number == 0:
                evening.seen("turns", page)
            picture.click()
        expect(card(page, number)).to_have_class(re.compile("sure"))
        expect(page.locator("#faces")).to_have_attribute("aria-busy", "false")
        said = face_of(page, number)
        assert (said["design"], said["turn"], said["sure"]) == (design, turn, True)
        if not looked and number >= 3:
            looked = True
            page.locator("#finish").click()
            expect(page.locator("#missing")).to_contain_text(str(count - number - 1))  # so many have no name
            evening.seen("missing", page)
            page.locator("#missing .main").click()
    print(f"{count} faces, {dropped} no tiles, {guessed} guessed right, {turned} of these turned")
    assert guessed >= (count - dropped) // 4, "guesses come once some tiles are known"
    page.locator("#finish").click()  # the photographs show every design: nothing is asked
    expect(page.locator("#finish")).to_be_disabled()
    page.close()


def card(page: sync_api.Page, number: int) -> sync_api.Locator:
    """The card of a face on the page of names."""
    return page.locator(f"#face-{number}")


def face_of(page: sync_api.Page, number: int) -> dict[str, Any]:
    """A face as the program tells it."""
    return dict(page.evaluate("async (n) => (await (await fetch('/api/faces')).json()).faces[n]", number))


def picture_of(page: sync_api.Page, number: int) -> NDArray[np.uint8]:
    """A face's picture as it is shown."""
    code = page.request.get(f"{page.url.split('/#')[0]}/api/faces/{number}.jpg").body()
    picture = cv2.imdecode(np.frombuffer(code, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    return np.asarray(picture, np.uint8)


def played_with(evening: Evening, designs: int) -> None:
    """The lobby knows the edition now, and offers it for a new table."""
    page = evening.page
    page.bring_to_front()
    expect(page.locator(".enrol-said")).to_contain_text(str(designs), timeout=LOOK_MS)
    evening.seen("done")
    evening.tap("enrol.play")
    expect(page.locator(f'input[name="edition"][value="{EDITION}"]')).to_be_checked()
    evening.seen("form")
