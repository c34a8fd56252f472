"""The whole box of each game taught in the browser by touch, corrected on its page, and a board of it read.

Each box is printed as another edition might be where we have such a drawing, and photographed askew.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright import sync_api

from engine.pack import Pack, load_pack, pack_ids
from tests.matrix.evening import Evening, lobby
from tests.matrix.games import GAMES, ROOT, SAMPLES, kit_of
from tests.matrix.teaching import LOOK_MS, Taps, Taught, named, photographed, saved
from tests.web.browser import PHONE, chromium
from tilesight.settings import box_of

pytestmark = [pytest.mark.browser, pytest.mark.long]
expect = sync_api.expect
TAPS_PER_NAME = 1.7
"""Taps that a box may take for each name, from the lobby's first page to the saved box."""
READ = 0.9
"""Share of a board's tiles that must be read rightly."""
ANOTHER_DRAWING = {"savanna": SAMPLES / "dry-river" / "faces"}
"""Folders with the faces of house decks drawn another way."""
SECOND_EDITION = ROOT.parent / "shared" / "art" / "carcassonne-c2"
"""Faces of a printed edition; they do not ship."""
SECOND_BOARDS = ROOT.parent / "shared" / "photos" / "real" / "c2"


DOCUMENT = """async () => {
  const about = new URLSearchParams(location.hash.slice(1));
  const headers = { "X-Table-Key": about.get("key") };
  return (await fetch(`/api/photo/${about.get("photo")}`, { headers })).json();
}"""
"""What was read of the photograph that the page shows."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


def pictures_of(pack: Pack, folder: Path | None) -> dict[str, Path]:
    """The pictures of a pack's tiles and animal tiles in a folder; without one, the pack's own. Animals that
    are figures, and no tiles, are not photographed so."""
    names = (*pack.designs, *(f"token-{animal}" for animal in pack.tokens))
    if folder is None:
        return {name: path for name in names if (path := pack.art_path(name)) is not None}
    return {name: path for name in names if (path := next(folder.glob(f"{name}.*"), None)) is not None}


def board_of(game: str) -> tuple[Path, Mapping[tuple[int, int], str], Any]:
    """A photograph of a board: its tiles by cell, or what its squares show."""
    kit = kit_of(game)
    if kit.pack in ANOTHER_DRAWING:
        session = ANOTHER_DRAWING[kit.pack].parent
        lines = [json.loads(line) for line in (session / "truth.game.jsonl").read_text("utf-8").splitlines()]
        start = {cell: design.id for cell, design in load_pack(kit.pack).start_designs}
        laid = {(line["cell"][0], line["cell"][1]): line["tile"] for line in lines if "tile" in line}
        return sorted((session / "frames").glob("*.jpg"))[-1], {**start, **laid}, None
    photo = kit.photo
    truth = kit.truth_of(photo)
    return photo, {tuple(one["cell"]): one["tile"] for one in truth.get("tiles", [])}, truth.get("board")


@pytest.mark.parametrize("game", GAMES)
def test_the_box_of_a_game_is_taught_and_corrected_by_touch(
    browser: sync_api.Browser, tmp_path: Path, game: str
) -> None:
    deck = load_pack(kit_of(game).pack)
    box = box_of(deck)
    assert box.id != deck.id and box.id in pack_ids()
    taught = Taught(box, pictures_of(deck, ANOTHER_DRAWING.get(deck.id)))
    photo, tiles, board = board_of(game)
    document = taught_and_read(browser, tmp_path, box, taught, photo)
    if board is not None:  # the page of photographs scores no board of squares, so the command reads it
        command = [sys.executable, "-m", "tilesight.app", "photo", str(photo), "--pack", box.id, "--json"]
        home = {**os.environ, "TILESIGHT_HOME": str(tmp_path)}
        told = subprocess.run(command, env=home, capture_output=True, check=True, text=True)
        assert json.loads(told.stdout)["board"]["terrain"] == board["terrain"]
    else:
        assert right(document, tiles) >= READ * len(tiles)
    assert not (tmp_path / "galleries" / f"{deck.id}.gallery").exists(), "the house deck is hidden"


@pytest.mark.skipif(not SECOND_EDITION.is_dir(), reason="other people's pictures do not ship")
def test_a_printed_edition_is_taught_and_corrected_by_touch(
    browser: sync_api.Browser, tmp_path: Path
) -> None:
    pack = load_pack("carcassonne")
    truth = json.loads((SECOND_BOARDS / "truth.json").read_text("utf-8"))[0]
    tiles = {tuple(one["cell"]): one["tile"] for one in truth["tiles"]}
    photo = SECOND_BOARDS / truth["file"]
    taught = Taught(pack, pictures_of(pack, SECOND_EDITION))
    document = taught_and_read(browser, tmp_path, pack, taught, photo)
    assert right(document, tiles) >= READ * len(tiles)


def right(document: Mapping[str, Any], tiles: Mapping[tuple[int, int], str]) -> int:
    """Number of tiles that are named rightly; the photograph may be another way round than the truth."""
    read = sorted(one["tile"] or "" for one in document["tiles"])
    left = list(tiles.values())
    for name in read:
        if name in left:
            left.remove(name)
    return len(tiles) - len(left)


def taught_and_read(
    browser: sync_api.Browser, home: Path, box: Pack, taught: Taught, photo: Path
) -> dict[str, Any]:
    """Teach a box, correct a picture of it, and read a photograph of a board; what was read."""
    with lobby(home) as address, Evening(browser, PHONE, "en-GB", f"box-{box.id}", looks=False) as evening:
        taps = Taps(evening)
        page = photographed(evening, address, box.id, taught.photographs(home / "photographs"))
        named(page, taught)
        evening.seen("box", page)
        saved(evening, page)
        needed = taps.number
        print(f"{box.id}: {len(taught.faces)} names with {needed} taps")
        assert needed <= TAPS_PER_NAME * len(taught.faces)
        corrected(evening, address, box.id)
        return read(evening, address, box.id, photo)


def corrected(evening: Evening, address: str, pack: str) -> None:
    """On the page of the saved box, a picture is turned by two quick taps, and back by undoing both."""
    page = evening.page
    page.goto("about:blank")
    page.goto(f"{address}&enrol={pack}")
    evening.tap("enrol.box")
    expect(page.locator(".enrol-way a.main")).to_be_visible(timeout=LOOK_MS)
    with page.context.expect_page() as opened:
        page.locator(".enrol-way a.main").click()
    box = opened.value
    box.bring_to_front()
    cell = box.locator('.box-cell[data-state="known"]').first
    cell.click()
    image = box.locator(".design-face img").first
    before = image.get_attribute("style")
    turn = box.locator(".design-face .turn").first
    at = turn.bounding_box()
    assert at is not None
    for _ in range(2):
        box.touchscreen.tap(at["x"] + at["width"] / 2, at["y"] + at["height"] / 2)
    expect(image).to_have_attribute("style", "transform: rotate(-180deg);")
    box.locator("#design").get_by_role("button", name=evening.words("page.close")).click()
    for _ in range(2):
        box.locator("#undo").click()
    cell.click()
    expect(image).to_have_attribute("style", before or "")
    box.locator("#design").get_by_role("button", name=evening.words("page.close")).click()
    saved(evening, box)


def read(evening: Evening, address: str, pack: str, photo: Path) -> dict[str, Any]:
    """Read a photograph of a board with the taught box on the page of photographs."""
    page = evening.page
    page.goto("about:blank")
    page.goto(address.replace("/#", "/photo#"))
    page.locator("#edition").select_option(pack)
    page.locator("#files").set_input_files(str(photo))
    expect(page).to_have_url(re.compile("photo="), timeout=LOOK_MS)
    return dict(page.evaluate(DOCUMENT))
