"""No picture makes a game shorter: all that happens at a table besides turns, in every game of tiles."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from engine.geometry import Cell
from engine.pack import load_pack
from engine.tiles.board import Laid
from engine.tiles.game import GameState
from engine.tiles.turn import Turn
from tests.tilesight.synthetic import CLEAN, Camera, plain_game
from tilesight.inference.scenes.scene import Change
from tilesight.inference.scenes.steady_tracker import SteadyTracker
from tilesight.inference.stories.tracker import StoryTracker
from vision.observation import Observation

TURNS = 7
Picture = Callable[[Camera, GameState], Observation]


def first(number: int) -> Callable[[Mapping[Cell, Laid]], list[Cell]]:
    return lambda board: list(board)[:number]


def hidden(cells: Callable[[Mapping[Cell, Laid]], list[Cell]]) -> Picture:
    """Some tiles are not read, nor is what stands on them."""

    def picture(camera: Camera, state: GameState) -> Observation:
        gone = cells(state.board)
        seen = camera.frame(state.board, [one for one in state.standing if one.cell not in gone])
        return replace(seen, cells={at: one for at, one in seen.cells.items() if at not in gone})

    return picture


def taken(number: int) -> Picture:
    """The last tiles are taken away."""

    def picture(camera: Camera, state: GameState) -> Observation:
        board = dict(list(state.board.items())[: len(state.board) - number])
        return camera.frame(board, [one for one in state.standing if one.cell in board])

    return picture


def exchanged(camera: Camera, state: GameState) -> Observation:
    """Another table: other tiles in the same places."""
    faces = list(state.board.values())
    return camera.frame(dict(zip(state.board, faces[2:] + faces[:2], strict=True)), ())


def nothing(camera: Camera, state: GameState) -> Observation:
    return replace(camera.frame(state.board, ()), pose=None, cells={}, pieces=())


def turned(camera: Camera, state: GameState) -> Observation:
    """The camera numbers the cells otherwise."""
    camera.noise = replace(CLEAN, renumbered=1.0)
    return camera.frame(state.board, state.standing)


SCENES: dict[str, Picture] = {
    "one tile covered": hidden(lambda board: list(board)[2:3]),
    "three tiles covered": hidden(lambda board: list(board)[2:5]),
    "half covered": hidden(lambda board: list(board)[::2]),
    "last tile covered": hidden(lambda board: list(board)[-1:]),
    "most covered": hidden(lambda board: list(board)[2:]),
    "last tile taken": taken(1),
    "three tiles taken": taken(3),
    "all but the start taken": taken(TURNS),
    "another table": exchanged,
    "no board": nothing,
    "camera turned": turned,
}


def play(tracker: SteadyTracker, camera: Camera, state: GameState, turn: Turn) -> GameState:
    step = state.apply(turn)
    for standing in (step.laid, step.state.standing):
        for _ in range(3):
            tracker.see(camera.frame(step.state.board, tuple(standing)))
    return step.state


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("pack", ["savanna", "bastide", "taiga"])
def test_the_turns_stay_and_the_game_goes_on(pack: str, name: str) -> None:
    start, turns = plain_game(load_pack(pack), 5, TURNS + 1)
    camera, tracker, state = Camera(start, CLEAN, 5), SteadyTracker(start, StoryTracker), start
    for _ in range(3):
        tracker.see(camera.frame(start.board, start.standing))
    for turn in turns[:TURNS]:
        state = play(tracker, camera, state, turn)
    told = [turn.turn for turn in tracker.see(camera.frame(state.board, state.standing)).turns]
    assert told == list(turns[:TURNS])
    for _ in range(24):
        understood = tracker.see(SCENES[name](camera, state))
        assert [turn.turn for turn in understood.turns] == told
    if name != "camera turned":
        assert understood.scene is not None
    for _ in range(3):
        understood = tracker.see(camera.frame(state.board, state.standing))
    assert understood.scene is None and [turn.turn for turn in understood.turns] == told
    play(tracker, camera, state, turns[TURNS])
    assert [turn.turn for turn in tracker.finish().turns] == list(turns)


def test_a_last_tile_that_is_moved_gives_the_turn_another_place() -> None:
    start, turns = plain_game(load_pack("bastide"), 5, 3)
    camera, tracker, state = Camera(start, CLEAN, 5), SteadyTracker(start, StoryTracker), start
    for _ in range(3):
        tracker.see(camera.frame(start.board, start.standing))
    for turn in turns[:2]:
        state = play(tracker, camera, state, turn)
    cell, rot = next(place for place in state.placements(turns[2].tile) if place[0] != turns[2].cell)
    elsewhere = Turn(turns[2].player, turns[2].tile, cell, rot)
    play(tracker, camera, state, turns[2])
    for _ in range(8):
        understood = tracker.see(camera.frame(state.board, state.standing))
    assert len(understood.turns) == 3  # the tile is in a hand
    assert understood.scene is not None and understood.scene.change == Change.LAST_GONE
    play(tracker, camera, state, elsewhere)
    assert [turn.turn for turn in tracker.finish().turns] == [*turns[:2], elsewhere]


def test_people_take_a_turn_back_that_is_gone_from_the_table() -> None:
    start, turns = plain_game(load_pack("bastide"), 5, 3)
    camera, tracker, state = Camera(start, CLEAN, 5), SteadyTracker(start, StoryTracker), start
    for _ in range(3):
        tracker.see(camera.frame(start.board, start.standing))
    for turn in turns[:2]:
        state = play(tracker, camera, state, turn)
    play(tracker, camera, state, turns[2])
    tracker.fix(turns[:2], [turns[2]])
    for _ in range(3):
        understood = tracker.see(camera.frame(state.board, state.standing))
    assert understood.scene is None and len(understood.turns) == 2
    play(tracker, camera, state, turns[2])  # refused only while its tile lay there
    assert [turn.turn for turn in tracker.finish().turns] == list(turns)


def test_an_answer_leaves_the_other_options_tile_for_the_next_turn() -> None:
    start, turns = plain_game(load_pack("bastide"), 5, 2)
    camera, tracker = Camera(start, CLEAN, 5), SteadyTracker(start, StoryTracker)
    state = start
    for turn in turns:
        state = state.apply(turn).state
    for _ in range(4):
        tracker.see(camera.frame(start.board, start.standing))
    other = Turn(turns[0].player, turns[1].tile, turns[1].cell, turns[1].rot)
    tracker.fix(turns[:1], [other])
    for _ in range(6):
        tracker.see(camera.frame(state.board, state.standing))
    assert [turn.turn for turn in tracker.finish().turns] == list(turns)
