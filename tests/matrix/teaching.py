"""A box taught by taps: sheets of its tiles photographed askew, and the page that gives them their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from playwright import sync_api

from engine.pack import Pack
from tests.matrix.evening import Evening
from tests.pictures import decoded
from tests.vision.toy_sheet import toy_sheet

expect = sync_api.expect
LOOK_MS = 400_000
"""Longest wait until photographs are looked at."""
PER_SHEET, COLUMNS = 20, 5
SHOWN_PX = 256
PX = 32
"""Side of the small pictures that are compared."""
U8 = NDArray[np.uint8]
Answer = tuple[str, int]
"""A name, and the quarter turns clockwise by which a picture is turned against it."""


def on_white(code: bytes) -> U8:
    """A picture as it is printed: where it is cut out, white."""
    picture = decoded(code, cv2.IMREAD_UNCHANGED)
    if picture.shape[2] < 4:
        return picture
    share = picture[..., 3:] / 255.0
    return np.asarray(picture[..., :3] * share + 255 * (1 - share), np.uint8)


class Taught:
    """Pictures of a box's tiles and animals by name, the photographs of them, and what each picture is."""

    def __init__(self, pack: Pack, pictures: Mapping[str, Path]) -> None:
        """``pictures`` are the printed faces and animals; names without one are not in this box."""
        self.pack = pack
        self.faces = {
            name: cv2.resize(on_white(path.read_bytes()), (SHOWN_PX, SHOWN_PX), interpolation=cv2.INTER_AREA)
            for name, path in pictures.items()
        }
        self._small = np.stack([_small(np.asarray(face, np.uint8)) for face in self.faces.values()])

    def photographs(self, folder: Path) -> list[Path]:
        """Photographs of all tiles of the box, each as often as the box has it, and of each animal once."""
        folder.mkdir()
        tiles = [
            name for name, one in self.pack.designs.items() if name in self.faces for _ in range(one.count)
        ]
        animals = [stem for stem in self.faces if stem not in self.pack.designs]
        photographs = []
        for kind, names in (("tiles", tiles), ("animals", animals)):
            for first in range(0, len(names), PER_SHEET):
                shown = np.stack([self.faces[name] for name in names[first : first + PER_SHEET]])
                path = folder / f"{kind}-{first:02}.jpg"
                cv2.imwrite(str(path), toy_sheet(first, np.asarray(shown, np.uint8), COLUMNS)[0])
                photographs.append(path)
        return photographs

    def answer(self, face: U8) -> Answer:
        """The name of the picture that a face is most like, and how it is turned."""
        off = [
            np.abs(self._small - _small(np.asarray(np.rot90(face, k), np.uint8))).mean(axis=(1, 2))
            for k in range(4)
        ]
        turn, at = divmod(int(np.argmin(off)), len(self.faces))
        return list(self.faces)[at], turn


def _small(face: U8) -> NDArray[np.float32]:
    """A small grey picture without its mean."""
    grey = cv2.cvtColor(np.ascontiguousarray(face), cv2.COLOR_BGR2GRAY)
    small = cv2.resize(grey, (PX, PX), interpolation=cv2.INTER_AREA).astype(np.float32)
    return np.asarray(small - small.mean(), np.float32)


class Taps:
    """Counts the taps and clicks of people on all pages of an evening."""

    def __init__(self, evening: Evening) -> None:
        self.number = 0
        context = evening.page.context
        context.expose_binding("tapped", self._count)
        context.add_init_script(
            "addEventListener('click', (event) => event.isTrusted && window.tapped(), true)"
        )

    def _count(self, _: object) -> None:
        self.number += 1


def photographed(evening: Evening, address: str, pack: str, photographs: Sequence[Path]) -> sync_api.Page:
    """From the lobby's first page over the photographs to the page of the box."""
    page = evening.page
    page.goto(address)
    expect(page.locator("#own")).to_be_enabled()
    evening.tap("start.enrol")
    title = page.evaluate(
        "async (pack) => (await import(new URL('/js/words.js', location.href).href)).W.packs[pack]", pack
    )
    page.locator("#start").get_by_role("button", name=str(title)).click()
    page.locator("#enrol-files").set_input_files([str(path) for path in photographs])
    expect(page.locator(".enrol-pictures img")).to_have_count(len(photographs), timeout=LOOK_MS)
    evening.tap("enrol.begin", page.locator("#enrol"))
    expect(page.locator(".enrol-way a.main")).to_be_visible(timeout=LOOK_MS)
    with page.context.expect_page() as opened:
        page.locator(".enrol-way a.main").click()
    box = opened.value
    box.bring_to_front()
    expect(box.locator(".box-cell").first).to_be_visible()
    return box


def faces_of(box: sync_api.Page) -> list[dict[str, Any]]:
    """The faces as the program tells them."""
    return list(box.evaluate("async () => (await (await fetch('/api/faces')).json()).faces"))


def picture_of(box: sync_api.Page, number: int) -> U8:
    """A face's picture as it is shown."""
    return decoded(box.request.get(f"{box.url.split('/#')[0]}/api/faces/{number}.jpg").body())


def named(box: sync_api.Page, taught: Taught) -> None:
    """Give every face its name and turn with as few taps as the page allows."""
    for number in range(len(faces_of(box))):
        name, turn = taught.answer(picture_of(box, number))
        card = box.locator(f"#face-{number}")
        face = faces_of(box)[number]
        if (face["design"], face["turn"], face["sure"]) == (name, turn, True):
            continue
        guess = next((one for one in face["guesses"] if one["design"] == name), None)
        if face["design"] == name:
            for _ in range((turn - face["turn"]) % 4):
                card.locator(".tools button").nth(2).click()
            if not face["sure"]:
                card.locator(".confirm").click()
        elif guess is not None and guess["turn"] == turn and not face["sure"]:
            card.locator(f'.guesses button[data-design="{name}"]').click()
        else:
            card.locator(".tools button").nth(1).click()
            box.locator(f'#designs button[data-design="{name}"]').click()
            box.locator(f'.turn-ways img[style*="rotate({-90 * turn}deg)"]').click()
        expect(card).to_have_class("face sure")
        expect(box.locator("#faces")).to_have_attribute("aria-busy", "false")
        told = faces_of(box)[number]
        assert (told["design"], told["turn"], told["sure"]) == (name, turn, True)


def saved(evening: Evening, box: sync_api.Page) -> None:
    """Save the box, all the same where something is missing, and wait until the lobby knows it."""
    box.locator("#finish").click()
    expect(box.locator("#missing[open], #finish:disabled").first).to_be_visible()
    if box.locator("#missing").is_visible():
        box.locator(".missing-ways button").nth(1).click()
    expect(box.locator("#finish")).to_be_disabled()
    box.close()
    evening.page.bring_to_front()
    expect(evening.button("enrol.play")).to_be_visible(timeout=LOOK_MS)
