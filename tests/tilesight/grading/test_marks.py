"""Marks against reference answers: what counts as found, exact and right."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tilesight.bench.report import VisionReport
from tilesight.bench.vision import vision_figures
from tilesight.grading.marks import Marks, mark_photo
from tilesight.grading.truth import TruePhoto, TrueTile
from vision.board import SeenTile, SolvedBoard
from vision.geometry.lattice_frame import LatticeFrame
from vision.joint.belief_propagation import Face
from vision.observation import BoardPose, CellReading, Observation

DESIGNS = ("A", "B")
SIDE_PX = 100.0


def outline(cell: tuple[int, int], rot: int) -> np.ndarray:
    """The tile's own corners on a table seen straight from above."""
    x, y = cell
    lattice = SIDE_PX * np.array([[x, y], [x + 1, y], [x + 1, y + 1], [x, y + 1]], dtype=np.float64)
    return np.roll(lattice, -(rot // 90), axis=0)


TRUE = {(0, 0): ("A", 0), (1, 0): ("B", 90), (1, 1): ("A", 180)}


def photo() -> TruePhoto:
    tiles = tuple(TrueTile(name, cell, rot, outline(cell, rot), True) for cell, (name, rot) in TRUE.items())
    return TruePhoto(Path("x.jpg"), "toy", tiles, ())


def reading(
    seen: dict[tuple[int, int], tuple[str, int]], quarter_turns: int = 0
) -> tuple[Observation, SolvedBoard]:
    """A reading of the toy board whose frame is turned and shifted against the truth's."""
    frame = LatticeFrame((0, 0), quarter_turns)
    tiles, cells = [], {}
    for cell, (name, rot) in seen.items():
        corners = outline(cell, rot).astype(np.float32)
        tiles.append(SeenTile(frame.cell(cell), Face(name, frame.rot(rot)), 0.99, corners))
        logs = np.full((2, 4), -9.0, np.float32)
        logs[DESIGNS.index(name), rot // 90] = 0.0
        cells[cell] = CellReading(cell, corners, logs, 5.0)
    pose = BoardPose(np.eye(3), {cell: one.corners_px for cell, one in cells.items()}, (640, 480), 1.0)
    return Observation(0, 0.0, pose, DESIGNS, cells, ()), SolvedBoard(tuple(tiles), (), frame)


@pytest.mark.parametrize("turns", range(4))
def test_a_right_board_is_right_in_any_frame(turns: int) -> None:
    marks = mark_photo(photo(), *reading(TRUE, turns))
    assert marks.located
    assert marks.board_right
    assert (marks.single_exact, marks.solved_exact) == (3, 3)
    assert vision_figures([marks])["boards_right"] == 1.0


def test_a_wrong_design_and_a_wrong_turn_are_not_exact() -> None:
    marks = mark_photo(photo(), *reading({**TRUE, (1, 0): ("A", 90), (1, 1): ("A", 90)}))
    assert marks.located, "the corners lie right whatever is printed between them"
    assert marks.solved_exact == marks.single_exact == 1
    assert not marks.board_right


def test_a_missed_tile_and_a_phantom() -> None:
    missed = mark_photo(photo(), *reading({cell: TRUE[cell] for cell in [(0, 0), (1, 0)]}))
    assert not missed.located
    assert missed.matched == 2
    phantom = mark_photo(photo(), *reading({**TRUE, (2, 2): ("B", 0)}))
    assert phantom.solved_exact == 3
    assert not phantom.board_right


def test_corner_errors_are_shares_of_a_side() -> None:
    observation, board = reading(TRUE)
    board.tiles[0].corners_px[0, 0] += 4.0
    marks = mark_photo(photo(), observation, board)
    assert max(marks.corner_errors) == pytest.approx(0.04)
    assert not marks.located
    assert mark_photo(photo(), observation, board, corner_tolerance=0.05).located


def test_the_report_is_one_page_that_names_every_failure(tmp_path: Path) -> None:
    board, image = SolvedBoard((), (), LatticeFrame((0, 0), 0)), np.zeros((120, 160, 3), np.uint8)
    marks = Marks(tiles=1, named=1, told=[(0.6, False)], confused=[("A", "B")], wrong=["<A> not found"])
    report = VisionReport("a folder", None)
    report.failure(photo(), image, board, marks)
    report.write(tmp_path / "page.html", vision_figures([marks]), [marks])
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "&lt;A&gt; not found" in page and "A read as B: 1" in page
    assert 'src="data:image/jpeg' in page and "http" not in page


def test_a_tile_of_another_set_counts_for_finding_only() -> None:
    real = photo()
    foreign = replace(real, tiles=(replace(real.tiles[0], tile=None), *real.tiles[1:]))
    read = {**TRUE, (0, 0): ("B", 270)}
    marks = mark_photo(foreign, *reading(read))
    assert (marks.tiles, marks.named, marks.solved_exact) == (3, 2, 2)
    assert marks.board_right
    missed = mark_photo(foreign, *reading({cell: TRUE[cell] for cell in [(1, 0), (1, 1)]}))
    assert not missed.board_right


def test_a_design_that_looks_the_same_is_right_at_any_rotation() -> None:
    real = photo()
    alike = replace(real, tiles=(replace(real.tiles[0], alike=frozenset({"B"})), *real.tiles[1:]))
    marks = mark_photo(alike, *reading({**TRUE, (0, 0): ("B", 270)}))
    assert marks.board_right
    assert marks.single_exact == 3
