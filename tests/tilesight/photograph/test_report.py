"""Report of a photograph: names, winner, and the picture to share."""

from __future__ import annotations

import io

import cv2
import numpy as np
import pytest
from PIL import Image

from engine.pack import load_pack
from tests.tilesight.photograph.test_score import board, meeple, tile
from tilesight.photograph.reading import PhotoReading
from tilesight.photograph.report import photo_report, points_ranges, shared_picture
from tilesight.photograph.score import PhotoScore
from vision import overlay
from web.report.page import Report
from web.report.words import Language

PACK = load_pack("carcassonne")
JPEG = cv2.imencode(".jpg", np.full((300, 400, 3), 90, np.uint8))[1].tobytes()
SEEN = board(tile("BC-D"), meeple("red", "c0"), meeple("blue", "r0"))


def reported(
    ranges: dict[str, tuple[int, int]], names: dict[str, str] | None = None, lang: Language = "en"
) -> Report:
    points = {color: least for color, (least, _) in ranges.items()}
    reading = PhotoReading((), SEEN, PACK)
    return photo_report(reading, SEEN, PhotoScore(points, ranges), JPEG, names or {}, lang)


def test_the_winner_is_not_announced_while_the_points_are_a_range() -> None:
    open_ = reported({"red": (32, 36), "blue": (34, 34)}, {"red": "Ana", "blue": "Bo"})
    assert open_.outcome == "It is still open who wins,"
    assert open_.note == "Not sure: Ana 32 to 36."
    sure = reported({"red": (32, 36), "blue": (20, 20)}, {"red": "Ana", "blue": "Bo"})
    assert sure.outcome.startswith("Ana would win")


@pytest.mark.parametrize(("lang", "called"), [("en", "Yellow"), ("de", "Gelb"), ("fr", "Jaune")])
def test_a_player_without_a_name_is_the_colour_in_words(lang: Language, called: str) -> None:
    assert reported({"yellow": (3, 3)}, {}, lang).names == {"yellow": called}
    assert reported({"yellow": (3, 3)}, {"yellow": "yellow"}, lang).names == {"yellow": called}


def test_the_shared_picture_has_no_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    monkeypatch.setattr(overlay, "_label", lambda _, text, *rest: written.append(text))
    made = reported({"red": (32, 36), "blue": (34, 34)}, {"red": "🦁", "blue": "李雷"})
    ranges = points_ranges(PhotoScore(made.scores, {"red": (32, 36)}), made.scores, {})
    assert ranges == {"red": (32, 36), "blue": (34, 34)}
    with Image.open(io.BytesIO(shared_picture(JPEG, SEEN, made, ranges))) as picture:
        assert picture.width == 1600
    assert written == []
    overlay.draw_overlay(np.zeros((300, 400, 3), np.uint8), SEEN)
    assert "BC-D" in written, "the overlay of the command names tiles"
