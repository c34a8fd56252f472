"""Evidence of a table: equal pictures are one look, and every picture counts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.geometry import Cell
from engine.pack import load_pack
from engine.tiles.board import Laid, Standing
from engine.tiles.game import GameState
from engine.tiles.turn import Turn
from tests.tilesight.synthetic import CLEAN, Camera, plain_game
from tilesight.inference.board_registration import fit_lattice, in_sight
from tilesight.inference.evidence.table_evidence import Evidence
from vision.observation import Observation


@pytest.fixture(scope="module")
def game() -> tuple[GameState, Turn, GameState]:
    """A start, a turn, and the position after it."""
    start, turns = plain_game(load_pack("bastide"), 3, 1)
    return start, turns[0], start.apply(turns[0]).state


def noted(evidence: Evidence, start: GameState, observation: Observation) -> bool:
    lattice = fit_lattice(observation, start.board)
    assert lattice is not None
    return evidence.note(observation, lattice, start.board)


def picture(start: GameState, state: GameState, seed: int = 3) -> Observation:
    return Camera(start, CLEAN, seed).frame(state.board, state.standing)


def test_half_an_hour_of_equal_pictures_is_one_look(game: tuple[GameState, Turn, GameState]) -> None:
    start, turn, after = game
    evidence, seen = Evidence(start), picture(start, after)
    assert noted(evidence, start, seen)
    for number in range(1, 1800):
        assert not noted(evidence, start, replace(seen, t_s=float(number)))
    [look] = evidence.looks
    assert (look.pictures, look.first_s, look.last_s) == (1800, seen.t_s, 1799.0)
    assert evidence.arrival(turn.cell).first == 0
    assert evidence.faces(turn.cell) is not None


def test_a_tile_that_comes_begins_a_look_and_is_dated_by_it(game: tuple[GameState, Turn, GameState]) -> None:
    start, turn, after = game
    evidence = Evidence(start)
    for number, state in enumerate((start, start, after, after)):
        changed = noted(evidence, start, replace(picture(start, state), t_s=float(number)))
        assert changed == (number in (0, 2))
    assert evidence.arrival(turn.cell).first == 1
    assert evidence.arrival(turn.cell).most > 5.0
    assert evidence.likeliest_face(turn.cell) == (turn.tile, turn.rot)


def test_a_cell_out_of_sight_says_nothing(game: tuple[GameState, Turn, GameState]) -> None:
    start, turn, _ = game
    evidence = Evidence(start)
    noted(evidence, start, replace(picture(start, start), out_of_sight=frozenset({turn.cell})))
    assert turn.cell not in evidence.cells


def test_in_sight_agrees_with_the_picture_cell_by_cell(game: tuple[GameState, Turn, GameState]) -> None:
    start, _, after = game
    seen = picture(start, after)
    lattice = fit_lattice(seen, start.board)
    assert lattice is not None
    cells: list[Cell] = [(x, y) for x in range(-20, 20) for y in range(-12, 12)]
    shown = [cell for cell in cells if seen.shows_cell(lattice.lattice_cell(cell), 0.2)]
    assert 0 < len(shown) < len(cells)
    assert in_sight(seen, lattice, cells, 0.2) == shown


def test_a_look_with_a_piece_on_the_tile_tells_less_of_its_face(
    game: tuple[GameState, Turn, GameState],
) -> None:
    start, turn, after = game
    logs = []
    for standing in (after.standing, (*after.standing, *_meeple_on(turn, after))):
        evidence = Evidence(start)
        noted(evidence, start, Camera(start, CLEAN, 3).frame(after.board, standing))
        found = evidence.faces(turn.cell)
        assert found is not None
        logs.append(found)
    bare, occupied = (np.sort(one, axis=None)[-2] for one in logs)
    assert occupied >= bare


def _meeple_on(turn: Turn, state: GameState) -> list[Standing]:
    laid: Laid = state.board[turn.cell]
    use = state.feature_uses((turn.cell[0] + 50, turn.cell[1]), laid)[0]

    return [Standing("meeple", state.players[0], turn.cell, use.feature, pose=use.sort[1])]
