"""Boards drawn from the posterior of a photographed board."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.pack import load_pack
from engine.tiles.board import board_faults
from engine.tiles.pieces import Sort
from tilesight.photograph import sampling
from tilesight.photograph.params import PARAMS
from tilesight.photograph.sampling import sampled_boards
from vision.board import SeenPiece, SolvedBoard, see_board
from vision.geometry.lattice_frame import LatticeFrame
from vision.observation import BoardPose, CellReading, Observation, PieceReading

PACK = load_pack("carcassonne")
DESIGNS = tuple(PACK.designs)
DRAWS = 400
QUAD = np.array([(0, 0), (60, 0), (60, 60), (0, 60)], np.float32)


def reading(x: int, shares: dict[tuple[str, int], float], covered: float = 0.0) -> CellReading:
    """The reading of cell (x, 0), by the probabilities of its faces (design, rotation)."""
    logs = np.full((len(DESIGNS), 4), -30.0, np.float32)
    for (design, rot), share in shares.items():
        copies = PACK.designs[design].count
        logs[DESIGNS.index(design), rot // 90] = np.log(share / copies)  # the solver multiplies them
    corners = QUAD + np.array([60 * x, 0], np.float32)
    return CellReading((x, 0), corners, logs, 16.0, covered, print_known=1.0)


def seen(*cells: CellReading, pieces: tuple[PieceReading, ...] = ()) -> SolvedBoard:
    pose = BoardPose(np.diag([60.0, 60.0, 1.0]), {one.cell: one.corners_px for one in cells}, (640, 480), 1.0)
    return see_board(Observation(0, 0.0, pose, DESIGNS, {one.cell: one for one in cells}, pieces), PACK)


def meeple(x: float, sure: float, **colors: float) -> PieceReading:
    color = max(colors, key=lambda name: colors[name])
    return PieceReading("meeple", color, "standing", (60 * x, 30.0), (x, 0.5), sure, colors)


def drawn(board: SolvedBoard) -> list[SolvedBoard]:
    return list(sampled_boards(board, PACK, DRAWS, np.random.default_rng(5)))


def test_faces_of_neighbours_are_drawn_together() -> None:
    """Each of two tiles is a road from west to east, or the same road from north to south."""
    ways = {("BC-U", 0): 0.5, ("BC-U", 90): 0.5}
    boards = drawn(seen(reading(0, ways), reading(1, ways)))
    faces = [tuple(tile.face.rot % 180 if tile.face else None for tile in one.tiles) for one in boards]
    fitting = np.mean([left == right for left, right in faces])
    assert fitting > 0.97, "a road of one tile ends at the other's field"
    assert 0.35 < np.mean([face == (0, 0) for face in faces]) < 0.65


def test_a_corrected_tile_keeps_its_face_and_decides_its_neighbours() -> None:
    ways = {("BC-U", 0): 0.5, ("BC-U", 90): 0.5}
    board = seen(reading(0, ways), reading(1, ways))
    tile = board.tiles[0]
    assert tile.face is not None
    for rot in (0, 90):
        face = replace(tile.face, rot=rot)
        said = board.with_tile(replace(tile, face=face, confidence=1.0), PACK)
        turns = [[one.face.rot % 180 if one.face else None for one in each.tiles] for each in drawn(said)]
        assert {left for left, _ in turns} == {rot}
        assert np.mean([right == rot for _, right in turns]) > 0.97


def test_a_colour_of_its_own_is_the_less_likely_the_more_pieces_there_are() -> None:
    sure = {("BC-U", 0): 1.0}
    doubtful = meeple(0.5, 1.0, red=0.75, blue=0.25)
    others = tuple(meeple(0.1 + 0.1 * k, 1.0, red=1.0) for k in range(8))
    boards = drawn(seen(reading(0, sure), pieces=(doubtful, *others)))
    blue = [any(piece.reading.color == "blue" for piece in one.pieces) for one in boards]
    assert 0.0 < np.mean(blue) < 0.1


def test_pieces_are_drawn_with_their_probabilities() -> None:
    sure = {("BC-U", 0): 1.0}
    board = seen(reading(0, sure), pieces=(meeple(0.5, 0.8, red=0.75, blue=0.25),))
    there = [one.pieces for one in drawn(board) if one.pieces]
    assert len(there) / DRAWS == pytest.approx(0.8, abs=0.06)
    blue = [pieces[0].reading.color == "blue" for pieces in there]
    assert np.mean(blue) == pytest.approx(0.25, abs=0.07)


def test_a_feature_is_drawn_by_its_joint_probability() -> None:
    standing: Sort = ("meeple", "standing")
    told = SeenPiece(
        meeple(0.5, 1.0, red=1.0), (0, 0), "r0", options={(standing, "r0"): 0.7, (standing, "f0"): 0.3}
    )
    board = replace(seen(reading(0, {("BC-U", 0): 1.0})), pieces=(told,))
    fields = [one.pieces[0].feature == "f0" for one in drawn(board)]
    assert np.mean(fields) == pytest.approx(0.3, abs=0.07)


def test_pieces_may_be_unseen_where_something_hides_a_tile(monkeypatch: pytest.MonkeyPatch) -> None:
    sure = {("BC-U", 0): 1.0}
    half = reading(1, sure, covered=0.7)
    board = seen(reading(0, sure), half, pieces=(meeple(0.5, 1.0, red=1.0),))
    unseen = [len(one.pieces) - 1 for one in drawn(board)]
    rate = 0.5 * (PARAMS.unseen_piece + 0.7**PARAMS.unseen_power)  # half a piece per tile
    assert np.mean(unseen) == pytest.approx(rate, abs=0.05)
    monkeypatch.setattr(sampling, "PARAMS", replace(PARAMS, unseen_piece=0.0, unseen_power=100.0))
    assert all(len(one.pieces) == 1 for one in drawn(board))


def test_colours_are_drawn_together() -> None:
    """Pieces that may be violet are rather all violet or all those of the player whose others are red."""
    sure = {("BC-U", 0): 1.0}
    doubtful = tuple(meeple(0.1 * k, 1.0, violet=0.6, red=0.4) for k in range(1, 4))
    known = tuple(meeple(0.9, 1.0, red=1.0) for _ in range(6))
    boards = drawn(seen(reading(0, sure), pieces=(*doubtful, *known)))
    numbers = [sum(piece.reading.color == "violet" for piece in one.pieces) for one in boards]
    assert np.mean([number == 0 for number in numbers]) > 2.5 * 0.4**3, "drawn one by one"


def test_a_hand_may_hide_a_tile_that_fits_with_a_piece_on_it() -> None:
    sure = {("BC-U", 90): 1.0}  # a road from west to east
    board = replace(seen(reading(0, sure), pieces=(meeple(0.5, 1.0, red=1.0),)), hidden={})
    x, y = board.tiles[0].cell
    assert all(len(one.tiles) == 1 for one in drawn(board))
    hidden = {(x + 1, y): 0.5, (x + 2, y): 0.5, (x + 9, y): 1.0}
    boards = drawn(replace(board, hidden=hidden))
    beside = [[tile for tile in one.tiles if tile.cell == (x + 1, y)] for one in boards]
    assert np.mean([bool(tiles) for tiles in beside]) == pytest.approx(0.5, abs=0.07)
    for one in boards:
        assert not board_faults(PACK, one.laid(PACK)), "the tile does not fit"
        cells = {tile.cell for tile in one.tiles}
        assert (x + 2, y) not in cells or (x + 1, y) in cells
        assert (x + 9, y) not in cells, "a tile beside none"
    assert np.mean([len(one.pieces) > 1 for one in boards]) > 0.3


def test_a_board_without_an_observation_keeps_its_faces() -> None:
    assert drawn(SolvedBoard((), (), LatticeFrame((0, 0), 0)))[0].tiles == ()
