"""The tone of a piece is that of its paint, whatever the print around it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from vision.pieces.piece_classifier import FOOT_PX, SIDE_PX
from vision.pieces.piece_reader import Weights
from vision.pieces.tone import DARK, tones

FOOT = np.array([FOOT_PX])


def look(bgr: tuple[float, float, float], known: float = 1.0) -> np.ndarray:
    """A look (1, 10, S, S) at a piece of a colour on green print, in the light of the gallery's pictures."""
    seen = np.broadcast_to(np.array([60.0, 150.0, 110.0])[:, None, None], (3, SIDE_PX, SIDE_PX)).copy()
    print_ = seen.copy()
    x, y = (round(v) for v in FOOT_PX)
    seen[:, y - 20 : y + 2, x - 9 : x + 9] = np.array(bgr)[:, None, None]
    mask = np.full((1, SIDE_PX, SIDE_PX), known)
    parts = seen / 127.5 - 1, seen / 127.5 - 1, known * (seen - print_) / 127.5, mask
    return np.concatenate(parts)[None].astype(np.float32)


@pytest.mark.parametrize("known", [0.0, 1.0])
def test_level_and_chroma_are_those_of_the_paint(known: float) -> None:
    (grey,) = tones(look((140, 140, 140), known), FOOT)
    assert grey == pytest.approx([math.log(140 + DARK), 0.0], abs=0.01)
    (blue,) = tones(look((150, 60, 30), known), FOOT)
    assert blue == pytest.approx([math.log(80 + DARK), 1.2], abs=0.01)


def test_without_print_and_without_a_piece_there_is_no_tone() -> None:
    assert np.isnan(tones(look((60, 150, 110)), FOOT)).all(), "nothing differs from the print"
    dark = look((140, 140, 140), 0.0)
    dark[:, 3:] = 0.0
    assert np.isnan(tones(dark, FOOT)).all(), "nothing tells the light"


def test_a_light_colourless_piece_that_looks_black_is_grey() -> None:
    weights = Weights(grey=(2.5, -2.4, 0.1, 0.36, -11.9))

    def share(level: float, chroma: float, black: float) -> float:
        return weights.grey_share(np.array([math.log(level + DARK), chroma], np.float32), black)

    assert share(140, 0.08, 0.99) > 0.5
    assert share(30, 0.08, 0.99) < 0.2, "dark: black"
    assert share(140, 1.0, 0.99) < 0.2, "coloured"
    assert share(140, 0.08, 1e-9) < 0.1, "no network calls it black"
    assert weights.grey_share(np.full(2, np.nan, np.float32), 0.9) == 0.0
    assert Weights().grey_share(np.array([5.0, 0.0], np.float32), 1.0) == pytest.approx(0.0)
