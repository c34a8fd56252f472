"""The parts of pictures that decisions were made from."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from engine.safari.actions import Dig, MoveRanger
from engine.tiles.turn import Turn
from tilesight.live import album
from tilesight.live.album import CROP_MARGIN, FramingAdvice, RecognisedPicture, Shot, crop_jpeg
from tilesight.live.tiles.pictures import SeenTiles, board_to_px, cells_of, picture_of
from vision.geometry.lattice_frame import LatticeFrame
from vision.observation import BoardPose, CellReading, Frame, Observation
from web.table.pictures import Framing

SIDE_PX = 50.0
TO_PX = np.array([[SIDE_PX, 0, 400], [0, SIDE_PX, 300], [0, 0, 1]])
"""The lattice in the picture: 50 px a cell, [0, 0] at (400, 300)."""
SEEN_CELL = (2, 1)


def seen(log_tile: float = 5.0) -> Observation:
    """One tile, in the lattice's cell [2, 1]."""
    corners = np.array([(500, 350), (550, 350), (550, 400), (500, 400)], np.float32)
    reading = CellReading(SEEN_CELL, corners, np.log(np.full((1, 4), 0.25, np.float32)), log_tile)
    pose = BoardPose(TO_PX, {SEEN_CELL: corners}, (800, 600), 1.0)
    return Observation(7, 0.0, pose, ("CS1",), {SEEN_CELL: reading}, ())


@pytest.mark.parametrize(
    "lattice", [LatticeFrame((0, 0), 0), LatticeFrame((3, -1), 1), LatticeFrame((0, 2), 3)]
)
def test_the_board_is_found_in_the_picture_however_its_lattice_is_numbered(lattice: LatticeFrame) -> None:
    H = board_to_px(seen(), lattice)
    assert H is not None
    x, y = lattice.cell(SEEN_CELL)
    middle = H @ (x + 0.5, y + 0.5, 1.0)
    assert middle[:2] / middle[2] == pytest.approx((525, 375))
    # The cell's own north-west corner in the game's frame comes first in the overlay.
    corner = H @ (x, y, 1.0)
    frame = Frame(np.zeros((600, 800, 3), np.uint8), index=7)
    look = RecognisedPicture(frame, SeenTiles(seen(), lattice), board_to_px(seen(), lattice))
    picture = picture_of(look, {})
    assert picture.frame == 7 and picture.tiles[0].cell == (x, y)
    assert picture.tiles[0].corners_px[0] == pytest.approx(tuple(corner[:2] / corner[2]))
    assert picture.tiles[0].read == "CS1" and picture.tiles[0].known is None


def test_a_crop_shows_its_cells_with_a_margin() -> None:
    image = np.zeros((600, 800, 3), np.uint8)
    image[350:400, 500:550] = 255
    crop = cv2.imdecode(np.frombuffer(crop_jpeg(Shot(image, TO_PX), [SEEN_CELL]), np.uint8), cv2.IMREAD_COLOR)
    assert crop is not None
    side = round(SIDE_PX * (1 + 2 * CROP_MARGIN))
    assert crop.shape[:2] == pytest.approx((side, side), abs=2)
    assert crop[side // 2, side // 2].min() > 200 and crop[3, 3].max() < 60


@pytest.mark.parametrize("quarters", range(4))
def test_a_crop_outlines_its_cell_and_points_north(quarters: int) -> None:
    turn = np.array([[0.0, -1.0], [1.0, 0.0]])
    H = np.eye(3)
    H[:2, :2] = SIDE_PX * np.linalg.matrix_power(turn, quarters)
    H[:2, 2] = 400, 300
    cut = crop_jpeg(Shot(np.full((600, 800, 3), 90, np.uint8), H), [SEEN_CELL])
    crop = cv2.imdecode(np.frombuffer(cut, np.uint8), cv2.IMREAD_COLOR)
    assert crop is not None
    marked = np.abs(crop.astype(int) - 90).max(axis=2) > 60
    side, edge = crop.shape[0], round(SIDE_PX * CROP_MARGIN)
    middle = slice(side // 2 - 3, side // 2 + 3)
    for at in (edge, side - edge):
        assert marked[at - 2 : at + 3, middle].any() and marked[middle, at - 2 : at + 3].any()
    assert not marked[middle, middle].any(), "the tile itself stays as it is"
    bright = np.argwhere(crop[: side // 6, : side // 6, 2] > 180) - 1.35 * side / 18
    way = -np.linalg.matrix_power(turn, quarters)[:, 1]  # of north, as (x, y)
    head = bright[np.abs(bright).max(axis=1) < side / 18].mean(axis=0)[::-1]
    assert head @ way > 0, "the arrow's head, its larger end, lies to the north"


def test_without_a_board_the_whole_picture_is_shown() -> None:
    image = np.zeros((600, 800, 3), np.uint8)
    for shot, cells in ((Shot(image, None), [(0, 0)]), (Shot(image, TO_PX), [(500, 500)])):
        crop = cv2.imdecode(np.frombuffer(crop_jpeg(shot, cells), np.uint8), cv2.IMREAD_COLOR)
        assert crop is not None and crop.shape == (480, 640, 3)


def test_a_turn_touches_its_tile_and_where_its_pieces_go() -> None:
    moved = Turn("red", "CS1", (1, 1), 0, MoveRanger((2, 0), (0, 3)))
    assert cells_of(moved) == ((1, 1), (2, 0), (0, 3))
    assert cells_of(Turn("red", "CS1", (1, 1), 0, Dig((1, 1), "se", "lion"))) == ((1, 1),)


def test_advice_is_what_two_checks_in_a_row_find(monkeypatch: pytest.MonkeyPatch) -> None:
    advice = FramingAdvice()
    assert advice.due
    shaken = Framing(True, 4, 40.0, 30.0, ("moves", "glare"), "left")
    assert advice.weigh(shaken) is None, "once is no fault"
    assert not advice.due
    glare = Framing(True, 4, 40.0, 30.0, ("glare",), "left")
    assert advice.weigh(glare) == glare
    assert advice.weigh(Framing(True, 4, 40.0, 30.0)) is None
    unseen = Framing(False, 0, 0.0, 30.0, ("dark", "no_tiles"))
    advice.weigh(unseen)
    told = advice.weigh(unseen)
    assert told is not None and told.faults == ("dark",), "the camera's state says that no board is seen"
    monkeypatch.setattr(album, "ADVISED_EVERY_S", 0.0)
    advice.weigh(glare)
    assert advice.due
