"""Mirrored photographs are told, and read as if they were not mirrored."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision.toy_boards import toy_board, toy_faces
from tilesight.photograph.reading import ReadingOptions, read_photographs
from tilesight.photograph.trouble import shows_mirrored_faces
from vision.image.mapping import flipped

CELLS = [(x, y) for y in range(2) for x in range(3)]
PHOTO = Path(__file__).resolve().parents[3] / "samples/bastide-boards/bastide-04.jpg"


@dataclass(frozen=True, eq=False)
class Faces:
    firsts: NDArray[np.uint8]


def test_faces_of_a_mirrored_board_are_known_flipped_only() -> None:
    board = toy_board(11, CELLS)
    galleries = [Faces(toy_faces(99, 6)), Faces(board.faces)]
    assert shows_mirrored_faces(flipped(board.image), galleries)
    assert not shows_mirrored_faces(board.image, galleries)
    assert not shows_mirrored_faces(flipped(board.image), galleries[:1])


@pytest.mark.long
@pytest.mark.parametrize("asked", [ReadingOptions(), ReadingOptions(pack="bastide")], ids=["any", "named"])
def test_a_mirrored_photograph_is_read_as_the_one_it_mirrors(asked: ReadingOptions, tmp_path: Path) -> None:
    picture = flipped(np.asarray(cv2.imread(str(PHOTO)), np.uint8))
    cv2.imwrite(str(tmp_path / "mirrored.png"), picture)
    reading = read_photographs([tmp_path / "mirrored.png"], asked)
    plain = read_photographs([PHOTO], asked)
    assert reading.mirrored and not plain.mirrored
    wanted = {tile.cell: tile for tile in plain.board.tiles}
    assert {tile.cell: tile.face for tile in reading.board.tiles} == {c: t.face for c, t in wanted.items()}
    width = picture.shape[1]
    for tile in reading.board.tiles:
        back = tile.corners_px * np.array([-1, 1]) + np.array([width - 1, 0])
        assert np.abs(back - wanted[tile.cell].corners_px).max() < 2.0
        quad = reading.quad(0, tile.cell)
        assert quad is not None and np.abs((quad - tile.corners_px).mean(axis=0)).max() < 8.0
