"""The whole-board solve: neighbours, counts and the start tile repair what single tiles leave open."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from engine.geometry import EDGES, Cell, neighbour
from engine.pack import Pack, load_pack
from engine.tiles.board import Laid, TileGrid
from vision.geometry.lattice_frame import LatticeFrame
from vision.observation import BoardPose, CellReading
from vision.tiles.belief_propagation import Face, frame_of_board, sample_board, solve_board

Board = dict[Cell, Laid]


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack("savanna")


def random_board(pack: Pack, n_tiles: int, seed: int) -> Board:
    rng = np.random.default_rng(seed)
    lattice = TileGrid.of({cell: Laid(design, 0) for cell, design in pack.start_designs})
    bag = [name for name, count in pack.bag.items() for _ in range(count)]
    rng.shuffle(bag)
    for name in bag:
        if len(lattice.tiles) == n_tiles:
            break
        options = lattice.placements(pack.designs[name])
        if options:
            cell, rot = options[int(rng.integers(len(options)))]
            lattice = lattice.lay(cell, Laid(pack.designs[name], rot))
    return dict(lattice.tiles)


def readings_of(
    board: Board, designs: tuple[str, ...], frame: LatticeFrame, n_rivals: int, seed: int
) -> dict[Cell, CellReading]:
    """Evidence in which the right face and ``n_rivals`` others lie within a nat or so of each other."""
    rng = np.random.default_rng(seed)
    out = {}
    for cell, laid in board.items():
        logits = np.full((len(designs), 4), -8.0)
        for _ in range(n_rivals):
            logits[rng.integers(len(designs)), rng.integers(4)] = rng.normal(0.0, 1.0)
        turn = (laid.rot // 90 + frame.quarter_turns) % 4
        logits[designs.index(laid.design.id), turn] = 0.5
        logits -= np.log(np.exp(logits).sum())
        at = frame.lattice_cell(cell)
        quad = np.zeros((4, 2), np.float32)
        out[at] = CellReading(at, quad, logits.astype(np.float32), 16.0, print_known=1.0)
    return out


def flat_pose(cells: list[Cell]) -> BoardPose:
    quads = {c: np.zeros((4, 2), np.float32) for c in cells}
    return BoardPose(np.diag([60.0, 60.0, 1.0]), quads, (1280, 720), 1.0)


def test_neighbours_repair_doubtful_tiles(pack: Pack) -> None:
    designs = tuple(pack.designs)
    alone = together = tiles = 0
    for seed in range(6):
        board = random_board(pack, 30, seed)
        frame = LatticeFrame((3, -2), seed % 4)
        readings = readings_of(board, designs, frame, n_rivals=1, seed=seed)
        solved = solve_board(readings, designs, pack)
        assert frame_of_board(flat_pose(list(readings)), solved, solved, pack) == frame
        for cell, laid in board.items():
            at = frame.lattice_cell(cell)
            best = int(readings[at].log_probs.argmax())
            right = (laid.design.id, laid.rot)
            alone += (designs[best // 4], frame.rot(90 * (best % 4))) == right
            together += (solved[at].face.design, frame.rot(solved[at].face.rot)) == right
        tiles += len(board)
    assert alone < 0.80 * tiles, "the evidence of this test should be doubtful"
    assert together > 0.93 * tiles


def test_no_design_is_claimed_more_often_than_it_exists(pack: Pack) -> None:
    designs = tuple(pack.designs)
    board = random_board(pack, 40, seed=9)
    readings = readings_of(board, designs, LatticeFrame((0, 0), 0), n_rivals=12, seed=9)
    claimed = Counter(one.face.design for one in solve_board(readings, designs, pack).values())
    assert all(number <= pack.designs[name].count for name, number in claimed.items())


def test_a_sure_tile_stays_even_where_it_is_laid_wrong(pack: Pack) -> None:
    designs = tuple(pack.designs)
    board = {cell: Laid(design, 0) for cell, design in pack.start_designs}
    wrong = Laid(pack.designs["CS20-M"], 90)  # its bush meets the start tile's savanna
    board[(0, -1)] = wrong
    readings = readings_of(board, designs, LatticeFrame((0, 0), 0), n_rivals=0, seed=0)
    solved = solve_board(readings, designs, pack)
    assert (solved[(0, -1)].face.design, solved[(0, -1)].face.rot) == ("CS20-M", 90)


def test_confidence_and_alternatives(pack: Pack) -> None:
    designs = tuple(pack.designs)
    logits = np.full((len(designs), 4), -9.0)
    logits[designs.index("CS3-E"), 1] = 0.0
    logits[designs.index("CS3-G"), 1] = 0.0
    logits -= np.log(np.exp(logits).sum())
    readings = {(0, 0): CellReading((0, 0), np.zeros((4, 2), np.float32), logits.astype(np.float32), 5.0)}
    one = solve_board(readings, designs, pack)[(0, 0)]
    assert {one.face.design, one.alternatives[0][0].design} == {"CS3-E", "CS3-G"}
    assert 0.4 < one.confidence < 0.75
    assert one.face.design == "CS3-G", "of two equal readings the face with two copies is likelier"


def test_draws_have_the_probabilities_of_the_solver_and_fit_each_other(pack: Pack) -> None:
    designs = tuple(pack.designs)
    row = {cell: laid for cell, laid in random_board(pack, 30, seed=3).items() if cell[1] == 0}
    readings = readings_of(row, designs, LatticeFrame((0, 0), 0), n_rivals=3, seed=3)
    solved = solve_board(readings, designs, pack)
    assert sum(one.confidence < 0.9 for one in solved.values()) >= 3, "the readings should be doubtful"
    draws = sample_board(readings, designs, pack, {}, 600, np.random.default_rng(1))
    for cell, one in solved.items():
        assert np.mean([draw[cell] == one.face for draw in draws]) == pytest.approx(one.confidence, abs=0.07)
    apart = [
        Laid(pack.designs[west.design], west.rot).edge("e")
        != Laid(pack.designs[east.design], east.rot).edge("w")
        for draw in draws
        for cell in row
        if (west := draw[cell]) is not None and (east := draw.get(neighbour(cell, "e"))) is not None
    ]
    assert np.mean(apart) < 0.01, "edges of faces drawn one by one would not meet"


def test_a_known_face_is_in_every_draw(pack: Pack) -> None:
    designs = tuple(pack.designs)
    board = random_board(pack, 12, seed=2)
    readings = readings_of(board, designs, LatticeFrame((0, 0), 0), n_rivals=6, seed=2)
    cell = max(board)
    face = Face(designs[-1], 270)
    draws = sample_board(readings, designs, pack, {cell: face}, 20, np.random.default_rng(1))
    assert all(draw[cell] == face for draw in draws)


@pytest.mark.parametrize("turns", range(4))
def test_lattice_frame_round_trip(turns: int) -> None:
    frame = LatticeFrame((4, -7), turns)
    for cell in [(0, 0), (2, 1), (-3, 5)]:
        assert frame.cell(frame.lattice_cell(cell)) == cell
        x, y = frame.lattice_cell(cell)
        u, v = frame.point((x + 0.5, y + 0.5))
        assert (u, v) == (cell[0] + 0.5, cell[1] + 0.5)


def test_without_a_start_tile_north_is_up_and_origin_is_the_first_tile() -> None:
    turned = np.array([[0.0, -60.0, 600.0], [60.0, 0.0, 60.0], [0.0, 0.0, 1.0]])  # lattice east points down
    pose = BoardPose(turned, {(5, 5): np.zeros((4, 2), np.float32)}, (1280, 720), 1.0)
    frame = frame_of_board(pose, [(5, 5), (5, 6), (6, 5)])
    # North in the image is lattice west; of the tiles the topmost row holds (5, 6), left, and (5, 5).
    assert frame.cell((5, 6)) == (0, 0)
    assert frame.cell((5, 5)) == (1, 0)
    assert frame.cell((6, 5)) == (1, 1)


def test_sure_copies_beyond_the_packs_own_stay_and_push_no_other_tile_aside(pack: Pack) -> None:
    designs = tuple(pack.designs)
    name = next(name for name, count in pack.bag.items() if count == 1)
    twin = next(other for other in pack.bag if other != name)
    board = {(2 * x, 0): Laid(pack.designs[name], 0) for x in range(2)}
    board[(4, 0)] = Laid(pack.designs[twin], 0)
    readings = readings_of(board, designs, LatticeFrame((0, 0), 0), n_rivals=0, seed=0)
    solved = solve_board(readings, designs, pack)
    assert [solved[cell].face.design for cell in sorted(board)] == [name, name, twin]


def test_neighbours_tell_a_weakly_read_face_from_a_tile_of_another_set(pack: Pack) -> None:
    designs = tuple(pack.designs)
    board = random_board(pack, 30, seed=4)
    readings = readings_of(board, designs, LatticeFrame((0, 0), 0), n_rivals=0, seed=4)
    around = {cell: sum(neighbour(cell, edge) in board for edge in EDGES) for cell in board}
    start = {cell for cell, _ in pack.start_designs}
    asked = max((cell for cell in board if cell not in start), key=lambda cell: around[cell])
    weak = replace(readings[asked], log_tile=-5.0, print_known=0.8)
    fits = solve_board({**readings, asked: weak}, designs, pack)
    assert fits[asked].unexplained < 0.5
    assert (fits[asked].face.design, fits[asked].face.rot) == (board[asked].design.id, board[asked].rot)
    # The same reading of faces that fit no neighbour: none of them explains the tile.
    turned = replace(weak, log_probs=np.roll(weak.log_probs, 1, axis=1))
    other = solve_board({**readings, asked: turned}, designs, pack)
    assert other[asked].unexplained > 0.5
    assert all(one.unexplained < 0.1 for cell, one in other.items() if cell != asked)


def test_many_tiles_of_another_set_make_one_more_likelier(pack: Pack) -> None:
    designs = tuple(pack.designs)
    name = next(name for name, count in pack.bag.items() if count > 1)
    row = {(2 * x, 0): Laid(pack.designs[name], 0) for x in range(1)}
    sure = readings_of(row, designs, LatticeFrame((0, 0), 0), n_rivals=0, seed=0)[(0, 0)]
    asked = replace(sure, log_tile=-1.0, print_known=0.9)
    alone = solve_board({(0, 0): asked}, designs, pack)[(0, 0)].unexplained
    strangers = {(2 * x, 0): replace(sure, log_tile=-5.0, print_known=0.1) for x in range(1, 12)}
    among = solve_board({(0, 0): asked, **strangers}, designs, pack)[(0, 0)].unexplained
    assert among > alone + 0.05
