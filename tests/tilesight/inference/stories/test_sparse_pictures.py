"""Games of which a picture is taken now and then."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from engine.pack import load_pack
from engine.tiles.board import Standing
from engine.tiles.game import GameState, IllegalTurn
from engine.tiles.turn import Turn
from tests.tile_records import start_of
from tests.tilesight.synthetic import CLEAN, Camera, designs_alike, film, plain_game
from tilesight.inference.params import QUESTIONS
from tilesight.inference.stories.tracker import StoryTracker
from tilesight.inference.understanding import Understanding
from tilesight.simulation.tile_games import Style, random_game
from vision.observation import Observation

RARE = replace(CLEAN, frames=1, hand=0.0, tile_nats=15.0, least_sure=0.97, every_s=20.0)
"""One picture of each table at rest, 20 seconds apart."""


def followed(start: GameState, seen: Iterable[Observation]) -> Understanding:
    tracker = StoryTracker(start)
    for observation in seen:
        tracker.see(observation)
    return tracker.finish()


def game_of(pack_id: str, seed: int, turns: int) -> tuple[GameState, tuple[Turn, ...]]:
    """A game in which pieces are put on the tiles just laid, and go home when they score."""
    pack = load_pack(pack_id)
    record = random_game(pack, 2, seed, turns=turns, style=Style(allow=("meeple",), idle=0.3))
    return start_of(record, pack), record.turns


@pytest.mark.parametrize("pack_id", ["bastide", "taiga"])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_picture_of_each_stage_tells_every_turn(pack_id: str, seed: int) -> None:
    start, turns = game_of(pack_id, seed, 14)
    understood = followed(start, (seen for _, seen in film(start, turns, RARE, seed)))
    assert [turn.turn for turn in understood.turns] == list(turns)


def test_wrong_turns_are_not_told_surely_where_half_of_the_pictures_are_missing() -> None:
    start, turns = game_of("bastide", 3, 16)
    pictures = [seen for _, seen in film(start, turns, RARE, 3)]
    understood = followed(start, pictures[::2])
    surely_wrong = [
        number
        for number, (told, played) in enumerate(zip(understood.turns, turns, strict=False), 1)
        if told.turn != played and told.confidence >= QUESTIONS.sure
    ]
    assert surely_wrong == []


def test_a_picture_that_never_changes_leaves_twins_as_likely_as_they_are() -> None:
    start, turns = plain_game(load_pack("savanna"), 24, 6)
    number = next(n for n, turn in enumerate(turns) if has_twin(start, turn))
    before = start
    for turn in turns[:number]:
        before = before.apply(turn).state
    after = before.apply(turns[number]).state
    camera = Camera(before, replace(RARE, twin_gap_nats=0.4, every_s=1.0), 24)
    first, picture = camera.frame(before.board, before.standing), camera.frame(after.board, after.standing)
    chances = []
    tracker = StoryTracker(before)
    tracker.see(first)
    for look in range(120):
        tracker.see(replace(picture, frame_index=2 + look, t_s=60.0 + look))
        chances.append(tracker._search.turns[0].sure)
    assert max(chances[30:]) - min(chances[30:]) < 0.01
    assert tracker.finish().turns[0].confidence < QUESTIONS.sure


def has_twin(start: GameState, turn: Turn) -> bool:
    return any(designs_alike(start, turn.tile, other) for other in start.pack.designs)


def test_scored_pieces_may_be_forgotten_for_many_turns() -> None:
    pack = load_pack("bastide")
    record = random_game(pack, 2, 16, turns=26, style=Style(allow=("meeple",), greedy=1.0))
    start = state = start_of(record, pack)
    camera = Camera(start, RARE, 5)
    pictures, left = [camera.frame(start.board, start.standing)], list[tuple[int, Standing]]()
    for number, turn in enumerate(record.turns):
        step = state.apply(turn)
        left += [(number + 3, piece) for piece in step.laid if piece not in step.state.standing]
        still_standing = [piece for until, piece in left if until > number]
        pictures.append(camera.frame(step.state.board, (*step.state.standing, *still_standing)))
        state = step.state
    assert len(left) > 2
    assert [turn.turn for turn in followed(start, pictures).turns] == list(record.turns)


def test_a_tile_laid_and_moved_is_one_turn() -> None:
    start, turns = plain_game(load_pack("savanna"), 14, 1)
    turn = turns[0]
    bare = replace(turn, action=None, parts=())
    other = next(
        replace(bare, cell=cell, rot=rot)
        for cell, rot in start.placements(turn.tile)
        if cell != turn.cell and not start.faults(replace(bare, cell=cell, rot=rot))
    )
    camera = Camera(start, RARE, 14)
    states = (start, start.apply(other).state, start.apply(turn).state)
    seen = [camera.frame(state.board, state.standing) for state in states for _ in range(2)]
    assert [told.turn for told in followed(start, seen).turns] == [turn]


def test_a_correction_is_kept_and_the_game_goes_on_from_it() -> None:
    start, turns = game_of("bastide", 7, 12)
    tracker = StoryTracker(start)
    for done, seen in film(start, turns, RARE, 7):
        understood = tracker.see(seen)
        if done == 5 and len(understood.turns) == 5:
            understood = tracker.fix(turns[:5])
            assert understood.settled == 5
    assert [turn.turn for turn in tracker.finish().turns] == list(turns)


def test_a_tile_that_lay_there_when_people_answered_is_the_next_turn() -> None:
    start, turns = game_of("bastide", 7, 2)
    camera, tracker = Camera(start, RARE, 7), StoryTracker(start)
    tracker.see(camera.frame(start.board, start.standing))
    one = start.apply(turns[0]).state
    step = one.apply(turns[1])
    picture = camera.frame(step.state.board, step.laid)
    for look in range(3):
        tracker.see(replace(picture, t_s=60.0 * (look + 1)))
    tracker.fix(turns)
    tracker.fix(turns[:1])  # nothing that was followed goes on from there
    tracker.see(replace(picture, t_s=600.0))
    assert [told.turn for told in tracker.finish().turns] == list(turns)


def test_turns_that_are_no_legal_game_are_refused() -> None:
    start, turns = game_of("bastide", 9, 2)
    with pytest.raises(IllegalTurn):
        StoryTracker(start).fix([turns[1], turns[0]])
