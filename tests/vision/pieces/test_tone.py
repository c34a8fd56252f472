"""The tone of a piece is that of its paint, independent of the print around it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from vision.pieces.detector import COLORS
from vision.pieces.piece_classifier import FOOT_PX, SIDE_PX
from vision.pieces.tone import DARK, TONES, own_pixels, tones
from vision.pieces.weights import ALL_COLORS, BLACK, Weights

FOOT = np.array([FOOT_PX])
LEVEL = 1
"""Index of the median level in a tone."""


def look(bgr: tuple[float, float, float], known: float = 1.0) -> np.ndarray:
    """A look (1, 10, S, S) at a piece of a colour on green print, in the light of the gallery's pictures."""
    seen = np.broadcast_to(np.array([60.0, 150.0, 110.0])[:, None, None], (3, SIDE_PX, SIDE_PX)).copy()
    print_ = seen.copy()
    x, y = (round(v) for v in FOOT_PX)
    seen[:, y - 20 : y + 2, x - 9 : x + 9] = np.array(bgr)[:, None, None]
    mask = np.full((1, SIDE_PX, SIDE_PX), known)
    parts = seen / 127.5 - 1, seen / 127.5 - 1, known * (seen - print_) / 127.5, mask
    return np.concatenate(parts)[None].astype(np.float32)


def tone_of(picture: np.ndarray) -> np.ndarray:
    """The tone (TONES,) of the piece in a look."""
    return np.asarray(tones(picture, own_pixels(picture, FOOT))[0])


@pytest.mark.parametrize("known", [0.0, 1.0])
def test_level_and_chroma_are_those_of_the_paint(known: float) -> None:
    grey = tone_of(look((140, 140, 140), known))
    assert grey == pytest.approx([*[math.log(140 + DARK)] * 3, 0.0], abs=0.01)
    blue = tone_of(look((150, 60, 30), known))
    assert blue == pytest.approx([*[math.log(80 + DARK)] * 3, 1.2], abs=0.01)


def test_the_lit_side_of_a_dark_dye_shows() -> None:
    x, y = (round(v) for v in FOOT_PX)
    picture = look((22, 20, 20))
    for first in (0, 3):  # a quarter of it is lit
        picture[0, first : first + 3, y - 20 : y + 2, x - 9 : x - 4] = (
            np.array([[[120]], [[50]], [[30]]]) / 127.5 - 1
        )
    tone = tone_of(picture)
    assert tone[LEVEL] == pytest.approx(tone[0], abs=0.05)
    assert tone[2] > tone[LEVEL] + 0.5


def test_without_print_and_without_a_piece_there_is_no_tone() -> None:
    assert np.isnan(tone_of(look((60, 150, 110)))).all(), "nothing differs from the print"
    dark = look((140, 140, 140), 0.0)
    dark[:, 3:] = 0.0
    assert np.isnan(tone_of(dark)).all(), "nothing tells the light"


def test_the_tone_tells_grey_and_dark_dyes_from_black() -> None:
    black, grey = np.zeros(TONES + 1), np.zeros(TONES + 1)
    black[[TONES - 1, -1]], grey[[LEVEL, TONES - 1, -1]] = (-8.0, 1.0), (4.0, -8.0, -18.0)
    weights = Weights(color=(0.5, 0.5), tinted=0.5, paint=(tuple(black), tuple(grey)))
    seen = np.full(len(ALL_COLORS), 0.01, np.float32)
    seen[BLACK], seen[-1], seen[COLORS.index("blue")] = 0.5, 0.4, 0.06

    def tints(tone: np.ndarray) -> np.ndarray:
        return np.asarray(weights.tints(seen[None, :-1], seen[None], tone[None])[0])

    def told(bgr: tuple[float, float, float]) -> str:
        return ALL_COLORS[int(tints(tone_of(look(bgr))).argmax())]

    assert told((140, 140, 140)) == "grey"
    assert told((20, 20, 20)) == "black"
    assert told((90, 40, 30)) == "blue"
    unknown = tints(np.full(TONES, np.nan, np.float32))
    assert np.argsort(unknown)[-2:].tolist() == [len(COLORS), BLACK], "without a tone the networks decide"
    dyes = tints(tone_of(look((90, 40, 30))))[: len(COLORS)]
    assert (np.argsort(np.delete(dyes, BLACK)) == np.argsort(np.delete(seen[:-1], BLACK))).all(), "which dye"
