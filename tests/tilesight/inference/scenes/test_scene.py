"""Scenes: what of a picture is evidence of turns, and what else happened at the table."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import pytest

from engine.geometry import Cell
from engine.pack import load_pack
from engine.tiles.game import GameState
from engine.tiles.turn import Turn
from tests.tilesight.synthetic import CLEAN, Camera, plain_game
from tilesight.inference.scenes.scene import Change, SceneLook, SceneMemory
from vision.observation import Observation

TURNS = 7


@dataclass
class Watched:
    """A game whose board was seen once as it is, and the memory of that."""

    camera: Camera
    state: GameState
    last: Turn
    memory: SceneMemory

    def observation(self) -> Observation:
        """The board as it is."""
        return self.camera.frame(self.state.board, self.state.standing)

    def look(self, observation: Observation) -> SceneLook:
        """Compare a picture with the board."""
        return self.memory.look(observation, self.state.board, self.last.cell)

    def without(self, cells: Collection[Cell]) -> Observation:
        """The board with some tiles hidden."""
        seen = self.observation()
        return replace(seen, cells={at: one for at, one in seen.cells.items() if at not in cells})


@pytest.fixture
def watched() -> Watched:
    start, turns = plain_game(load_pack("bastide"), 3, TURNS)
    state = start
    for turn in turns:
        state = state.apply(turn).state
    made = Watched(Camera(start, CLEAN, 3), state, turns[-1], SceneMemory())
    assert made.look(made.observation()).scene is None
    return made


def lasting(watched: Watched, cells: Collection[Cell], looks: int = 6) -> SceneLook:
    """The look at a table that has had these tiles hidden for some seconds."""
    for _ in range(looks - 1):
        watched.look(watched.without(cells))
    return watched.look(watched.without(cells))


def old_cells(watched: Watched) -> list[Cell]:
    """The cells before the last turn's, oldest first."""
    return [cell for cell in watched.state.board if cell != watched.last.cell]


def test_the_board_as_before_is_evidence_as_it_is(watched: Watched) -> None:
    seen = watched.observation()
    look = watched.look(seen)
    assert look.observation is seen and look.scene is None


def test_one_hidden_tile_is_out_of_sight(watched: Watched) -> None:
    cell = old_cells(watched)[2]
    look = lasting(watched, [cell])
    assert look.observation is not None and look.scene is not None
    assert (look.scene.change, look.scene.cells) == (Change.COVERED, (cell,))
    assert not look.observation.shows_cell(cell)


def test_scattered_tiles_that_are_missed_are_out_of_sight_and_nothing_else(watched: Watched) -> None:
    cells = old_cells(watched)
    one, other = next((a, b) for a in cells for b in cells if max(abs(a[0] - b[0]), abs(a[1] - b[1])) > 1)
    look = watched.look(watched.without([one, other]))
    assert look.observation is not None
    assert not any(map(look.observation.shows_cell, (one, other)))


def test_a_picture_with_several_hidden_tiles_says_nothing_until_they_stay_hidden(watched: Watched) -> None:
    cells = old_cells(watched)[:2]
    look = lasting(watched, cells)
    assert look.observation is None and look.scene is not None
    assert (look.scene.change, look.scene.cells) == (Change.COVERED, tuple(sorted(cells)))
    assert lasting(watched, cells, looks=60).observation is not None


def test_a_board_that_is_mostly_gone_never_says_anything(watched: Watched) -> None:
    look = lasting(watched, old_cells(watched)[:-2], looks=80)
    assert look.observation is None and look.scene is not None
    assert look.scene.change == Change.CLEARED


def test_the_tile_of_the_last_turn_alone_may_be_taken_back(watched: Watched) -> None:
    look = lasting(watched, [watched.last.cell])
    assert look.observation is None and look.scene is not None
    assert (look.scene.change, look.scene.cells) == (Change.LAST_GONE, (watched.last.cell,))


def test_a_last_tile_that_lies_elsewhere_now_is_evidence(watched: Watched) -> None:
    laid = watched.state.board[watched.last.cell]
    board = {cell: one for cell, one in watched.state.board.items() if cell != watched.last.cell}
    there = next(
        cell for cell, _ in watched.state.placements(laid.design.id) if cell not in watched.state.board
    )
    look = watched.look(watched.camera.frame({**board, there: laid}, ()))
    assert look.observation is not None and look.scene is None
    assert look.observation.shows_cell(watched.last.cell)


def test_other_tiles_in_the_places_of_most_are_another_table(watched: Watched) -> None:
    faces = list(watched.state.board.values())
    board = dict(zip(watched.state.board, faces[3:] + faces[:3], strict=True))
    board[0, 0] = watched.state.board[0, 0]
    for _ in range(6):
        look = watched.look(watched.camera.frame(board, ()))
    assert look.observation is None and look.scene is not None
    assert look.scene.change == Change.ELSEWHERE


def test_a_look_past_a_hand_does_not_change_how_a_tile_looks(watched: Watched) -> None:
    cells = old_cells(watched)[:3]
    camera, state = watched.camera, watched.state
    watched.look(camera.frame(state.board, state.standing, hand_over=cells))
    look = watched.look(watched.observation())
    assert look.observation is not None and look.scene is None


def test_a_tile_that_was_never_read_is_not_missed(watched: Watched) -> None:
    cell = old_cells(watched)[1]
    memory = SceneMemory()
    watched.memory = memory
    for _ in range(6):
        look = watched.look(watched.without([cell]))
    assert look.observation is not None and look.scene is None
