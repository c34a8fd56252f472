"""The detector's peaks and candidates."""

from __future__ import annotations

import numpy as np

from vision.geometry.ortho import Ortho
from vision.pieces.detector import STRIDE, network_inputs, peaks, seen_mirrored


def test_the_strongest_comes_first() -> None:
    heat = np.zeros((2, 9, 9), np.float32)
    heat[0, 2, 2], heat[0, 6, 6], heat[1, 2, 6] = 0.5, 0.9, 0.7
    assert [p[:3] for p in peaks(heat, 0.3)] == [(False, 6, 6), (True, 2, 6), (False, 2, 2)]


def test_places_are_found_again_in_the_mirrored_picture() -> None:
    """A detector that detects bright places, with more of the piece to the right."""
    image = np.zeros((96, 144, 3), np.uint8)
    image[24:28, 100:104] = 255
    view = Ortho(image, np.full(image.shape[:2], 255, np.uint8), (0.0, 0.0))
    leans: list[float] = []

    def bright(picture: np.ndarray, context: np.ndarray) -> tuple[np.ndarray, ...]:
        leans.append(float(context[0, 0].mean()))
        h, w = context.shape[2:]
        heat = picture[0, 0].reshape(h, STRIDE, w, STRIDE).mean(axis=(1, 3)) / 2 + 0.5
        return (np.stack([heat, 0 * heat])[None],)

    tilted = np.array([[60.0, 8, 100], [4, 50, 90], [0.02, 0.05, 1]])
    said = np.zeros((96, 144, 7), np.float32)
    places = np.array([[102 / 48, 26 / 48], [42 / 48, 26 / 48], [9.0, -3.0]])
    values = seen_mirrored(view, said, tilted, (640, 480), bright, places)  # type: ignore[arg-type]
    np.testing.assert_allclose(values, [1.0, 0.0, 0.0], atol=1e-6)
    lean = network_inputs(view, said, tilted, (640, 480))[1][0, 0].mean()
    assert leans == [-lean] != [0.0]
