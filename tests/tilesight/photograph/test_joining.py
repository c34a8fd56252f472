"""Several photographs of one board, joined: cut from one, and turned."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from tilesight.photograph.joining import JoinError
from tilesight.photograph.reading import PhotoReading, ReadingOptions, read_photographs
from vision.geometry.homography import apply_homography

SAMPLES = Path(__file__).parents[3] / "samples"
BOARD = SAMPLES / "bastide-boards" / "bastide-12.jpg"
ASKED = ReadingOptions(pack="bastide")


def parts(folder: Path) -> tuple[Path, Path]:
    """The left part of a photograph, and the right one turned by a quarter."""
    picture = cv2.imread(str(BOARD))
    assert picture is not None
    width = picture.shape[1]
    left, right = folder / "left.png", folder / "right.png"
    cv2.imwrite(str(left), picture[:, : int(0.62 * width)])
    cv2.imwrite(str(right), cv2.rotate(picture[:, int(0.38 * width) :], cv2.ROTATE_90_CLOCKWISE))
    return left, right


def layout(reading: PhotoReading) -> set[tuple[int, int, str]]:
    """The board without its place: every tile by its cell from the corner of the board."""
    named = [(*tile.cell, tile.face.design) for tile in reading.board.tiles if tile.face is not None]
    left, top = min(x for x, _, _ in named), min(y for _, y, _ in named)
    return {(x - left, y - top, design) for x, y, design in named}


def test_two_parts_of_a_board_make_the_whole(tmp_path: Path) -> None:
    whole = read_photographs([BOARD], ASKED)
    joined = read_photographs(parts(tmp_path), ASKED)
    turned = [{(-y, x, design) for x, y, design in layout(joined)}]
    for _ in range(3):
        turned.append({(-y, x, design) for x, y, design in turned[-1]})

    def moved(board: set[tuple[int, int, str]]) -> set[tuple[int, int, str]]:
        left, top = min(x for x, _, _ in board), min(y for _, y, _ in board)
        return {(x - left, y - top, design) for x, y, design in board}

    assert layout(whole) in [moved(board) for board in turned]
    colors = sorted(p.reading.color or "" for p in whole.board.pieces if p.cell is not None)
    assert sorted(p.reading.color or "" for p in joined.board.pieces if p.cell is not None) == colors
    # Each photograph shows the tiles where it has them.
    for number in (0, 1):
        pose = joined.looks[number].observation.pose
        assert pose is not None
        for cell, quad in pose.quads.items():
            seen = joined.quad(number, joined.looks[number].frame.cell(cell))
            assert seen is not None
            np.testing.assert_allclose(seen, quad)
        middle = joined.looks[number].frame.lattice_point((0.5, 0.5))
        at = joined.point(number, (0.5, 0.5))
        assert at is not None
        np.testing.assert_allclose(at, apply_homography(pose.H_px_from_lattice, np.array([middle]))[0])


def test_photographs_of_two_boards_are_refused() -> None:
    other = SAMPLES / "bastide-boards" / "bastide-05.jpg"
    with pytest.raises(JoinError, match="photograph 2 does not show the same board"):
        read_photographs([BOARD, other], ASKED)
