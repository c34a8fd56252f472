"""Photographs of real boards with invisible noise: no part of a board is lost."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from tilesight.photograph.reading import ReadingOptions, read_photographs

SHARED = Path(__file__).resolve().parents[4] / "shared"
BOARDS = SHARED / "photos" / "real" / "boards"
SEEDS = range(3)


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The gallery of the printed edition on these boards."""
    path = tmp_path_factory.mktemp("enrolled") / "printed.gallery"
    scans = str(SHARED / "art" / "carcassonne-c1")
    words = ("enrol", "--pack", "carcassonne", "--images", scans, "--yes", "--out", str(path))
    subprocess.run([sys.executable, "-m", "tilesight.app", *words], check=True, capture_output=True)
    return path


@pytest.mark.long
@pytest.mark.skipif(not BOARDS.is_dir(), reason="the photographs of real boards do not ship: ../shared")
@pytest.mark.parametrize("name", ["c1_10.jpg", "c1_13.jpg", "c1_61.jpg"])
def test_noise_of_a_grey_level_loses_no_tile(name: str, gallery: Path, tmp_path: Path) -> None:
    truth = next(e for e in json.loads((BOARDS / "truth.json").read_text("utf-8")) if e["file"] == name)
    picture = cv2.imread(str(BOARDS / name))
    assert picture is not None
    for seed in SEEDS:
        noise = np.random.default_rng(seed).integers(-1, 2, picture.shape)
        path = tmp_path / f"{seed}.jpg"
        cv2.imwrite(
            str(path), np.clip(picture + noise, 0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 97]
        )
        read = read_photographs([path], ReadingOptions(gallery=gallery))
        assert read.board is not None
        assert len(read.board.tiles) >= len(truth["tiles"]) - 3, seed
