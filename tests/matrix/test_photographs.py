"""Photographs of every game by taps alone: from the first page to the score, and on from there as a game.

``TILESIGHT_TURNS=N`` plays N turns after the photograph. With ``TILESIGHT_SCREENSHOTS=DIR`` every screen is
kept as pictures.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import pytest
from playwright import sync_api

from engine.games import tile_game_names
from tests.matrix.evening import ASKED_TURNS, Evening, lobby, sized
from tests.matrix.games import ROOT, Kit, kit_of
from tests.web.browser import PHONE, chromium, tap_point

pytestmark = [pytest.mark.browser, pytest.mark.long]
expect = sync_api.expect
BEFORE = 4
"""Turns on the table when the photograph is taken."""
AFTER = int(ASKED_TURNS or "2")
"""Turns that are played afterwards."""
READ_MS = 60_000
"""Longest wait for a photograph to be read, and for a table to start: the machine may be busy."""
TURN_S = 40.0
"""Longest time that a turn may take on a busy machine."""
SHOWN = """() => Object.fromEntries([...document.querySelectorAll(".photo-player")].map((row) =>
  [row.dataset.color, Number(row.querySelector(".photo-points").textContent)]))"""
"""The points that the page shows."""
GAMES = tile_game_names()
SHARED = ROOT.parent / "shared"
"""Other people's photographs; they do not ship."""
NEAR_PX = 25.0
"""Distance within which a piece is the one of the truth."""
REAL_SCORES = {
    "c1_02.jpg": {"green": 34, "yellow": 19, "red": 33, "black": 17, "blue": 24},
    "c1_32.jpg": {"blue": 28, "green": 2},
    "c1_55.jpg": {"blue": 77, "red": 26},
}
"""Points of the labelled boards by the rules, if the game ended now."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


def score_of(evening: Evening) -> dict[str, int]:
    """The points that the page shows, by colour, once they are those of the lobby's document."""
    shown: dict[str, int] = {}
    for _ in range(50):
        shown = dict(evening.page.evaluate(SHOWN))
        if shown == document(evening)["if_ended_now"]:
            break
        evening.page.wait_for_timeout(100)
    return shown


def photographed(evening: Evening, address: str, *photographs: Path) -> dict[str, Any]:
    """From the first page to the score of photographs; the document that is shown."""
    page = evening.page
    page.goto(address)
    evening.tap("lobby.photo")
    expect(page.locator("#take")).to_be_visible()
    evening.seen("take")
    page.locator("#files").set_input_files([str(path) for path in photographs])
    expect(page.locator("#result")).to_be_visible(timeout=READ_MS)
    expect(page.locator(".photo-tabs button")).to_have_count(0 if len(photographs) < 2 else len(photographs))
    evening.seen("result")
    return document(evening)


def document(evening: Evening) -> dict[str, Any]:
    """The document as the lobby tells it, once the page is done with showing it."""
    evening.page.wait_for_function("() => new URLSearchParams(location.hash.slice(1)).has('photo')")
    return dict(
        evening.page.evaluate(
            """async () => {
              const at = new URLSearchParams(location.hash.slice(1));
              const how = { headers: { "X-Table-Key": at.get("key") } };
              return (await fetch(`/api/photo/${at.get("photo")}`, how)).json();
            }"""
        )
    )


@sized(GAMES)
def test_a_photograph_is_scored_corrected_shared_and_kept(
    browser: sync_api.Browser, name: str, size_wh: tuple[int, int], locale: str, tmp_path: Path
) -> None:
    kit = kit_of(name)
    with lobby(tmp_path) as address:
        evening = Evening(browser, size_wh, locale, f"photo-{name}-{size_wh[0]}-{locale[:2]}")
        with evening:
            read = photographed(evening, address, kit.photo)
            # By names: the frame of reference of a photograph is arbitrary.
            truth = Counter(one["tile"] for one in kit.truth_of(kit.photo)["tiles"])
            assert Counter(one["tile"] for one in read["tiles"]) == truth
            two_places_are_put_right(evening, read)
            shared(evening)
            kept(evening)


@pytest.mark.parametrize("game", GAMES)
def test_two_photographs_of_one_board_are_joined(
    browser: sync_api.Browser, game: str, tmp_path: Path
) -> None:
    kit = kit_of(game)
    photograph = max(kit.boards.glob("*.jpg"), key=lambda path: len(kit.truth_of(path)["tiles"]))
    truth = kit.truth_of(photograph)["tiles"]
    with lobby(tmp_path) as address:
        # The screens are those of one photograph, which are looked at above.
        with Evening(browser, PHONE, "de-DE", f"photo-joined-{game}", looks=False) as evening:
            photographed(evening, address, photograph)
            whole = score_of(evening)
        with Evening(browser, PHONE, "de-DE", f"photo-joined-{game}", looks=False) as evening:
            read = photographed(evening, address, *halves(photograph, truth, tmp_path))
            assert Counter(one["tile"] for one in read["tiles"]) == Counter(one["tile"] for one in truth)
            # A piece of doubt that only the halves show moves no points.
            assert {c: n for c, n in score_of(evening).items() if n} == {c: n for c, n in whole.items() if n}


def halves(photograph: Path, tiles: list[dict[str, Any]], folder: Path) -> tuple[Path, Path]:
    """Two photographs of a board, each without a fifth of it; the second is turned by a quarter."""
    picture = cv2.imread(str(photograph))
    assert picture is not None
    middles = sorted(middle(one["corners_px"])[0] for one in tiles)
    first = picture[:, : int(middles[-len(middles) // 5])]
    second = cv2.rotate(picture[:, int(middles[len(middles) // 5]) :], cv2.ROTATE_90_CLOCKWISE)
    paths = folder / "first.jpg", folder / "second.jpg"
    for path, half in zip(paths, (first, second), strict=True):
        cv2.imwrite(str(path), half, [cv2.IMWRITE_JPEG_QUALITY, 95])
    return paths


@pytest.fixture(scope="module")
def enrolled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home of Tilesight's with the gallery of the printed edition on the real photographs."""
    home = tmp_path_factory.mktemp("home")
    args = ("enrol", "--pack", "carcassonne", "--images", str(SHARED / "art" / "carcassonne-c1"), "--yes")
    env = {**os.environ, "TILESIGHT_HOME": str(home)}
    subprocess.run([sys.executable, "-m", "tilesight.app", *args], env=env, check=True, capture_output=True)
    return home


@pytest.mark.skipif(not SHARED.exists(), reason="the photographs of real tables do not ship: ../shared")
@sized(list(REAL_SCORES))
def test_a_real_table_comes_to_the_right_score_in_few_taps(
    browser: sync_api.Browser, name: str, size_wh: tuple[int, int], locale: str, enrolled: Path
) -> None:
    boards = SHARED / "photos" / "real" / "boards"
    told = next(e for e in json.loads((boards / "truth.json").read_text("utf-8")) if e["file"] == name)
    with (
        lobby(enrolled) as address,
        Evening(browser, size_wh, locale, f"photo-{name[:-4]}-{size_wh[0]}-{locale[:2]}") as evening,
    ):
        read = photographed(evening, address, boards / name)
        taps = 0
        for piece in told["pieces"]:
            at = nearest(read, piece["point_px"])
            if at is None or read["pieces"][at]["color"] == piece["color"]:
                continue
            tap_px(evening, read["pictures"][0]["pieces"][at])
            colors = evening.page.locator("dialog.sheet .photo-colors button")
            colors.filter(has=evening.page.locator(f".ink-{piece['color']}")).click()
            expect(evening.page.locator("dialog.sheet")).to_have_count(0)
            taps += 2
        assert {color: points for color, points in score_of(evening).items() if points} == REAL_SCORES[name]
        assert taps <= 5


def nearest(read: dict[str, Any], point: list[float]) -> int | None:
    """The piece that was read within NEAR_PX of a point of the photograph."""
    off = {
        i: math.dist(one["point_px"], point)
        for i, one in enumerate(read["pieces"])
        if one["cell"] and one["kind"] == "meeple"
    }
    best = min(off, key=lambda i: off[i])
    return best if off[best] < NEAR_PX else None


def two_places_are_put_right(evening: Evening, read: dict[str, Any]) -> None:
    """A tile that was taken away is put back with two or three taps on the photograph."""
    page = evening.page
    right = score_of(evening)
    quads = read["pictures"][0]["tiles"]
    marks = [point for point in read["pictures"][0]["pieces"] if point]
    lone = max(
        range(len(quads)),
        key=lambda i: min((math.dist(middle(quads[i]), at) for at in marks), default=0),
    )
    tile = read["tiles"][lone]
    tap_at(evening, quads[lone])
    evening.seen("tile")
    evening.tap("photo.noTile", page.locator("dialog.sheet"))
    expect(page.locator("dialog.sheet")).to_have_count(0)
    # The sheet closes before the answer to the correction is there.
    expect(page.locator(".photo-actions")).to_contain_text(evening.words("photo.undo"))
    # Tap the hole, tap the face; where several turns of it fit, tap the turn.
    wrong = document(evening)
    free = wrong["pictures"][0]["free"]
    tap_at(evening, next(one["corners_px"] for one in free if one["cell"] == tile["cell"]))
    sheet = page.locator("dialog.sheet")
    sheet.locator(".search").fill(tile["tile"])
    sheet.locator(".face").first.click()
    expect(sheet.locator(".rot").or_(page.locator("body:not(:has(dialog.sheet))"))).not_to_have_count(0)
    if sheet.count():
        evening.seen("turn")
        sheet.locator(".rot").first.click()
    expect(sheet).to_have_count(0)
    evening.tap("photo.undo")
    evening.tap("photo.undo")
    expect(page.locator(".photo-actions")).not_to_contain_text(evening.words("photo.undo"))
    assert score_of(evening) == right


def middle(corners: list[list[float]]) -> list[float]:
    """The middle of a quad."""
    return [sum(corner[i] for corner in corners) / 4 for i in (0, 1)]


def tap_at(evening: Evening, corners: list[list[float]]) -> None:
    """Tap the middle of a quad of the photograph."""
    tap_px(evening, middle(corners))


def tap_px(evening: Evening, point: list[float]) -> None:
    """Tap a point of the photograph."""
    x, y = evening.page.evaluate(
        """([x, y]) => {
          const at = document.querySelector("#stage > g").getScreenCTM();
          return [x * at.a + at.e, y * at.d + at.f];
        }""",
        point,
    )
    tap_point(evening.page, x, y)


def shared(evening: Evening) -> None:
    """The score as a picture, on paper and as a page."""
    starts = {"photo.asPicture": b"\xff\xd8", "photo.asPdf": b"%PDF", "photo.asPage": b"<!doctype html>"}
    for words, start in starts.items():
        assert evening.saved(evening.button(words)).startswith(start)


def kept(evening: Evening) -> None:
    """Kept on request, the game is in the library with its photograph."""
    page = evening.page
    scores = score_of(evening)
    evening.tap("photo.keep")
    sheet = page.locator("dialog.sheet")
    while sheet.locator(".photo-seat").count() < 2:
        sheet.locator(".photo-colors button").first.click()
    sheet.get_by_label(evening.words("labels.keep")).check()
    evening.seen("keep")
    sheet.locator("[type=submit]").click()
    expect(page.locator(".photo-kept")).to_contain_text(evening.words("photo.kept"))
    expect(evening.button("photo.keep")).to_have_count(0)
    page.locator("#panel input[data-name]").first.fill("Cleo")
    evening.tap("photo.keep")  # again, with another name: it is one game
    sheet.locator("[type=submit]").click()
    expect(sheet.locator(".photo-problem")).not_to_be_empty()
    sheet.locator("[type=submit]").click()
    expect(sheet).to_have_count(0)
    page.locator("#home").click()
    expect(page.locator("#library-open")).to_be_enabled()
    page.locator("#library-open").click()
    card = page.locator("#library .library-card")
    expect(card).to_have_count(1)
    expect(card).to_contain_text("Cleo")
    for points in scores.values():
        expect(card).to_contain_text(str(points))
    expect(card.locator("img")).to_be_visible()
    evening.seen("library")


def later_pictures(kit: Kit, folder: Path, turns: int) -> Path:
    """The session after the photograph, as a camera's folder."""
    header = kit.header
    first = kit.lines[BEFORE]["frame"] - 1
    last = kit.lines[BEFORE + turns - 1]["frame"] + 2
    header["frames"] = header["frames"][first : last + 1]
    folder.mkdir()
    (folder / "frames").symlink_to(kit.session / "frames")
    (folder / "session.json").write_text(json.dumps(header), "utf-8")
    return folder


@pytest.mark.parametrize("game", GAMES)
def test_a_game_goes_on_from_a_photograph(browser: sync_api.Browser, game: str, tmp_path: Path) -> None:
    kit = kit_of(game)
    photograph = kit.session / kit.header["frames"][kit.lines[BEFORE - 1]["frame"]]["file"]
    camera = later_pictures(kit, tmp_path / "camera", AFTER)
    with lobby(tmp_path) as address:
        evening = Evening(browser, PHONE, "en-GB", f"photo-on-{game}", looks=game == GAMES[0])
        with evening:
            photographed(evening, address, photograph)
            page = evening.page
            evening.tap("photo.goOn")
            sheet = page.locator("dialog.sheet")
            for color in kit.colors:
                if not sheet.locator(f".photo-seat .ink-{color}").count():
                    sheet.locator(f".photo-colors button:has(.ink-{color})").click()
            for at, color in enumerate(kit.colors):  # everybody to their place
                while sheet.locator(".photo-seat").nth(at).locator(f".ink-{color}").count() == 0:
                    seat = sheet.locator(f".photo-seat:has(.ink-{color})")
                    seat.get_by_role("button").first.click()
            sheet.locator(".photo-turn input").nth(BEFORE % len(kit.colors)).check()
            sheet.get_by_label(evening.words("lobby.where")).fill(str(camera))
            evening.seen("go-on")
            sheet.locator("[type=submit]").click()
            expect(page.locator('#connection[data-link="live"]')).to_be_visible(timeout=READ_MS)
            until_s = time.monotonic() + AFTER * TURN_S
            while len(evening.state()["turns"]) < AFTER and time.monotonic() < until_s:
                page.wait_for_timeout(500)
            evening.seen("table")
            turns = evening.state()["turns"]
            really = kit.lines[BEFORE : BEFORE + AFTER]
            assert [(one["player"], one["tile"], one["cell"]) for one in turns] == [
                (one["player"], one["tile"], one["cell"]) for one in really
            ]
