"""Questions and confidences after several turns that no picture shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from engine.pack import Pack, load_pack
from engine.tiles.board import Laid
from engine.tiles.game import GameState
from engine.tiles.turn import Turn
from tests.tilesight.synthetic import CLEAN, Camera, film, plain_game
from tilesight.inference.params import QUESTIONS
from tilesight.inference.stories.tracker import StoryTracker
from tilesight.inference.understanding import Understanding

QUIET = replace(CLEAN, hand=0.0)


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack("savanna")


def with_a_hole(
    start: GameState, turns: Sequence[Turn], first: int, lost: int, seed: int
) -> tuple[Understanding, set[int]]:
    """What is understood at the end where no picture shows the tables before the last of ``lost`` turns is
    finished, the first of them number ``first``; and the turns that were asked about."""
    tracker, asked = StoryTracker(start), set[int]()
    for done, seen in film(start, turns, QUIET, seed):
        if first <= done < first + lost - 1:
            continue
        understood = tracker.see(seen)
        if understood.doubt is not None:
            asked.add(understood.doubt.number)
            assert understood.doubt.number <= len(understood.turns) + 1
    return tracker.finish(), asked


def without_pieces(pack: Pack, number: int) -> tuple[GameState, tuple[Turn, ...]]:
    """A game without pieces."""
    start, turns = plain_game(pack, 8, number)
    state, plain = start, list[Turn]()
    for turn in turns:
        bare = replace(turn, action=None, parts=())
        legal = next(t for t in state.turns_for(bare.tile, bare.cell, bare.rot, ()) if t.action is None)
        plain.append(legal)
        state = state.apply(legal).state
    return start, tuple(plain)


def test_the_order_of_unseen_turns_is_told_as_unsure_and_not_asked_about(pack: Pack) -> None:
    start, turns = without_pieces(pack, 10)
    understood, asked = with_a_hole(start, turns, 5, 3, 8)
    told = [turn.turn for turn in understood.turns]
    assert len(told) == len(turns)
    assert {(turn.tile, turn.cell, turn.rot) for turn in told} == {(t.tile, t.cell, t.rot) for t in turns}
    for number, (turn, played) in enumerate(zip(understood.turns, turns, strict=True), 1):
        if turn.turn != played:
            assert turn.confidence < QUESTIONS.sure, number
    # Two tiles that touched the board before may have come in any order.
    assert min(turn.confidence for turn in understood.turns[4:7]) < QUESTIONS.sure
    assert all(turn.confidence >= QUESTIONS.sure for turn in understood.turns[7:9])
    assert understood.state.final().scores == state_after(start, turns).final().scores
    assert not asked  # no point hangs on it


@pytest.mark.parametrize(
    ("seed", "lost"), [(1, 2), *(pytest.param(lost - 1, lost, marks=pytest.mark.long) for lost in (3, 4, 5))]
)
def test_nothing_wrong_is_told_surely_after_a_hole(pack: Pack, seed: int, lost: int) -> None:
    start, turns = plain_game(pack, seed, 16)
    understood, asked = with_a_hole(start, turns, 6, lost, seed)
    assert len(understood.turns) == len(turns)
    silent = [
        number
        for number, (told, played) in enumerate(zip(understood.turns, turns, strict=True), 1)
        if told.turn != played and told.confidence >= QUESTIONS.sure and number not in asked
    ]
    assert silent == []


def state_after(start: GameState, turns: Sequence[Turn]) -> GameState:
    state = start
    for turn in turns:
        state = state.apply(turn).state
    return state


def test_tiles_that_no_turn_explains_are_counted_after_two_looks(pack: Pack) -> None:
    start, _ = plain_game(pack, 6, 1)
    camera, tracker = Camera(start, replace(QUIET, tile_nats=5.0), 9), StoryTracker(start)
    for _ in range(2):
        assert tracker.see(camera.frame(start.board, start.standing)).unclear is None
    name, wrong, rot = next(
        (name, cell, rot)
        for name in start.bag
        for cell, _ in start.placements(name)
        for rot in (0, 90, 180, 270)
        if "edge_mismatch" in {fault.code for fault in start.faults(Turn(start.player, name, cell, rot))}
    )
    far = [(wrong[0] + 7, wrong[1]), (wrong[0] + 8, wrong[1])]
    board = {**start.board, **{cell: Laid(pack.designs[name], rot) for cell in (wrong, *far)}}
    first = tracker.see(camera.frame(board, start.standing))
    assert first.unclear is None
    second = tracker.see(camera.frame(board, start.standing))
    assert second.unclear is not None
    assert second.unclear.message == "3 tiles are not in the game"
    assert set(second.unclear.cells) == {wrong, *far}
