"""Simulated pictures, read by the product's own registration."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.pack import load_pack
from tests.tilesight.synthetic import plain_game
from tilesight.bench.inference.camera import SimulatedCamera
from tilesight.bench.inference.params import PARAMS
from tilesight.inference.board_registration import fit_lattice


def test_a_picture_without_errors_shows_the_table_in_its_own_lattice() -> None:
    start, turns = plain_game(load_pack("bastide"), 3, 6)
    state = start
    for turn in turns:
        state = state.apply(turn).state
    camera = SimulatedCamera(
        start, np.random.default_rng(1), 0.0, replace(PARAMS, bare_read=0.0, renumbered=1.0)
    )
    picture = camera.picture(0.0, state.board, state.standing)
    lattice = fit_lattice(picture, state.board)
    assert lattice is not None
    assert {lattice.cell(cell) for cell in picture.cells} == state.board.keys()
    for cell, reading in picture.cells.items():
        laid = state.board[lattice.cell(cell)]
        row, quarters = divmod(int(reading.log_probs.argmax()), 4)
        assert (picture.designs[row], lattice.rot(90 * quarters)) == (laid.design.id, laid.rot)
        assert np.isclose(np.exp(reading.log_probs).sum(), 1.0, atol=1e-3)
    assert sorted(p.color or "" for p in picture.pieces) == sorted(p.color or "" for p in state.standing)
    assert camera.faults == {}


def test_a_hand_hides_tiles() -> None:
    start, _ = plain_game(load_pack("bastide"), 3, 1)
    camera = SimulatedCamera(start, np.random.default_rng(1))
    cell = next(iter(start.board))
    picture = camera.picture(0.0, start.board, (), hand=[cell])
    assert picture.cells[cell].covered >= 0.4
    assert picture.pose is not None and picture.pose.quads.keys() == start.board.keys()


def test_a_lost_board_is_no_table() -> None:
    start, _ = plain_game(load_pack("bastide"), 3, 1)
    camera = SimulatedCamera(start, np.random.default_rng(1), params=replace(PARAMS, no_board=1.0))
    picture = camera.picture(0.0, start.board, ())
    assert picture.pose is None and not picture.cells
