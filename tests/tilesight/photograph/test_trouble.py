"""Pictures in which no board can be read: each is told why, and no tile is invented."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.tilesight.photograph.no_boards import photographed
from tests.vision.toy_boards import toy_board
from tilesight.photograph.document import photo_document
from tilesight.photograph.reading import ReadingOptions, read_photographs
from tilesight.photograph.score import PhotoScore
from tilesight.photograph.trouble import told_trouble, trouble_at_once, trouble_of
from vision.board import SeenTile, SolvedBoard
from vision.geometry.lattice_frame import LatticeFrame
from vision.image.decode import read_frame
from vision.observation import Image, Quad, Sight

CELLS = [(x, y) for y in range(3) for x in range(4)]
ROOT = Path(__file__).resolve().parents[3]


def located(quads: dict[tuple[int, int], Quad]) -> SolvedBoard:
    """A board of which no tile has a name."""
    tiles = tuple(SeenTile(cell, None, 0.9, quad.astype(np.float32)) for cell, quad in quads.items())
    return SolvedBoard(tiles, (), LatticeFrame((0, 0), 0))


def grid_of(size_wh: tuple[int, int], side: int) -> SolvedBoard:
    """Squares of ``side`` px that fill a picture, as if they were tiles."""
    square = np.array([[0, 0], [side, 0], [side, side], [0, side]])
    cells = [(x, y) for x in range(size_wh[0] // side) for y in range(size_wh[1] // side)]
    return located({cell: (square + side * np.array(cell)).astype(np.float32) for cell in cells})


def test_a_blank_picture_is_told_before_anything_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for needless in ("PackChooser", "load_ahead", "Pipeline"):
        monkeypatch.setattr(f"tilesight.photograph.reading.{needless}", None)
    for name in ("blank", "gradient"):
        cv2.imwrite(str(tmp_path / "none.jpg"), photographed(name, 1))
        reading = read_photographs([tmp_path / "none.jpg"], ReadingOptions())
        assert reading.trouble == "plain" and not reading.board.tiles
        document = photo_document(reading, reading.board, (), PhotoScore())
        assert document["trouble"]["code"] == "plain" and "check the light" in document["trouble"]["message"]
        assert document["trouble"]["said"]["template"] == document["trouble"]["message"]


def test_a_thumbnail_is_told_its_size() -> None:
    small = np.asarray(
        cv2.resize(toy_board(11, CELLS).image, (64, 64), interpolation=cv2.INTER_AREA), np.uint8
    )
    assert trouble_at_once(Sight(small)) == "small"
    assert "64 × 64 px" in told_trouble("small", (64, 64))


def test_tiles_too_small_for_a_name_are_told() -> None:
    assert trouble_of(Sight(photographed("noise", 1)), grid_of((120, 120), 10)) == "small"


@pytest.mark.parametrize(
    "name", ["brick_wall", "calendar", "chess_board", "crossword", "keyboard", "tiled_floor"]
)
def test_squares_of_a_pattern_are_no_tiles(name: str) -> None:
    for seed in (1, 2):
        sight = Sight(photographed(name, seed))
        assert trouble_of(sight, grid_of(sight.size_wh, 90)) == "pattern"


@pytest.mark.parametrize("board", ["boards/board-02", "bastide-boards/bastide-04", "taiga-boards/taiga-03"])
def test_printed_tiles_without_a_name_are_tiles(board: str) -> None:
    folder, name = board.split("/")
    truth = json.loads((ROOT / "samples" / folder / "truth.json").read_text())
    tiles = next(one["tiles"] for one in truth if one["file"] == f"{name}.jpg")
    quads = {tuple(tile["cell"]): np.array(tile["corners_px"], np.float32) for tile in tiles}
    image = read_frame(ROOT / "samples" / folder / f"{name}.jpg").image
    dark: Image = np.asarray(cv2.convertScaleAbs(image, alpha=0.3), np.uint8)
    for picture in (image, dark):
        assert trouble_of(Sight(picture), located(quads)) is None


def test_a_blurred_picture_is_told_as_blurred() -> None:
    board = toy_board(11, CELLS)
    soft: Image = np.asarray(cv2.GaussianBlur(board.image, (0, 0), 25), np.uint8)
    assert trouble_of(Sight(soft), located({})) == "blurred"


@pytest.mark.long
@pytest.mark.parametrize("name", ["calendar", "crossword", "noise", "shelf_of_boxes"])
def test_a_picture_of_no_board_gives_no_tile(name: str, tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "none.jpg"), photographed(name, 1))
    assert not read_photographs([tmp_path / "none.jpg"], ReadingOptions()).board.tiles
