"""QR codes: a reader reads the text back, from a page's picture and from a terminal."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.pictures import as_uint8
from web.qr import qr_text
from web.uncached import qr_response

ADDRESS = "http://192.168.1.20:8765/#key=3f9a-kß"


def read(dark: np.ndarray) -> str:
    """The text of a code (h, w), True where it is dark, on a light ground."""
    picture = np.pad(np.where(dark, 0, 255).astype(np.uint8), 8, constant_values=255)
    large = cv2.resize(picture, None, fx=6, fy=6, interpolation=cv2.INTER_NEAREST)
    return cv2.QRCodeDetectorAruco().detectAndDecode(as_uint8(large))[0]


def test_the_code_of_a_page() -> None:
    resvg = pytest.importorskip("resvg_py", reason="drawing needs resvg-py (extra 'art')")
    answer = qr_response(ADDRESS)
    assert answer.headers["cache-control"] == "no-store"
    drawn = bytes(resvg.svg_to_bytes(svg_string=bytes(answer.body).decode(), width=200))
    grey = cv2.imdecode(np.frombuffer(drawn, np.uint8), cv2.IMREAD_GRAYSCALE)
    assert grey is not None and read(grey < 128) == ADDRESS


def test_the_code_of_a_terminal() -> None:
    upper, lower = "▄ ", "▀ "  # where each half of a character is dark
    lines = qr_text(ADDRESS).split("\n")
    rows = [[sign in half for sign in line] for line in lines for half in (upper, lower)]
    assert read(np.array(rows)) == ADDRESS
