"""Draws of a board have the solver's probabilities, and their tiles fit each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.geometry import neighbour
from engine.pack import Pack, load_pack
from engine.tiles.board import Laid
from tests.vision.joint.test_belief_propagation import random_board, readings_of, redrawn
from vision.geometry.lattice_frame import LatticeFrame
from vision.joint.belief_propagation import Face, joint_posterior
from vision.joint.board_samples import sample_board


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack("savanna")


def test_draws_have_the_probabilities_of_the_solver_and_fit_each_other(pack: Pack) -> None:
    designs = tuple(pack.designs)
    row = {cell: laid for cell, laid in random_board(pack, 30, seed=3).items() if cell[1] == 0}
    readings = readings_of(row, designs, LatticeFrame((0, 0), 0), n_rivals=3, seed=3)
    joint = joint_posterior(readings, designs, pack, {})
    solved = joint.solved(designs)
    assert sum(one.confidence < 0.9 for one in solved.values()) >= 3, "the readings should be doubtful"
    draws = sample_board(joint, designs, 600, np.random.default_rng(1))
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
    draws = sample_board(
        joint_posterior(readings, designs, pack, {cell: face}), designs, 20, np.random.default_rng(1)
    )
    assert all(draw[cell] == face for draw in draws)


def test_draws_leave_a_tile_of_another_set_unexplained_as_often_as_the_solver(pack: Pack) -> None:
    designs = tuple(pack.designs)
    board = random_board(pack, 12, 2)
    readings = readings_of(board, designs, LatticeFrame((0, 0), 0), n_rivals=0, seed=2)
    start = {cell for cell, _ in pack.start_designs}
    cell = next(cell for cell in board if cell not in start)
    asked = {**readings, cell: replace(redrawn(readings, board, cell, pack), log_tile=-2.0)}
    joint = joint_posterior(asked, designs, pack, {})
    told = joint.solved(designs)[cell].unexplained
    draws = sample_board(joint, designs, 600, np.random.default_rng(1))
    assert np.mean([draw[cell] is None for draw in draws]) == pytest.approx(told, abs=0.06)
