"""Whole games through the turn inference, from synthetic observations with the noise of a recogniser."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import replace

import pytest

from engine.pack import Pack, load_pack
from engine.safari.actions import Bonus, Dig, RangerBack
from engine.tiles.board import Standing
from engine.tiles.game import GameState, IllegalTurn
from engine.tiles.pieces import Sort
from engine.tiles.turn import Turn
from tests.engine.lab import displaced_to
from tests.tile_records import start_of
from tests.tilesight.synthetic import CLEAN, Camera, Noise, designs_alike, film, plain_game
from tilesight.inference.evidence.traits import sort_cost
from tilesight.inference.params import PIECES, QUESTIONS
from tilesight.inference.stories.tracker import StoryTracker
from tilesight.inference.understanding import Understanding
from tilesight.simulation.tile_games import Style, random_game
from vision.observation import Observation

ASK_WITHIN = 8
"""Pictures, half a second apart, within which people are asked."""


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack("savanna")


def followed(start: GameState, seen: Iterable[Observation]) -> Understanding:
    tracker = StoryTracker(start)
    for observation in seen:
        tracker.see(observation)
    return tracker.finish()


def assert_exact(understood: Understanding, start: GameState, turns: Sequence[Turn]) -> None:
    assert [turn.turn for turn in understood.turns] == list(turns)
    state = start
    for turn in turns:
        state = state.apply(turn).state
    assert understood.state.scores == state.scores
    assert understood.state.final().scores == state.final().scores


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_a_noisy_game_is_understood_turn_by_turn(pack: Pack, seed: int) -> None:
    start, turns = plain_game(pack, seed, 24, players=2 + seed % 3)
    seen = [observation for _, observation in film(start, turns, Noise(), seed)]
    assert_exact(followed(start, seen), start, turns)


@pytest.mark.long
def test_a_whole_game_to_the_last_tile(pack: Pack) -> None:
    start, turns = plain_game(pack, 5, 72)
    seen = [observation for _, observation in film(start, turns, Noise(), 5)]
    understood = followed(start, seen)
    assert_exact(understood, start, turns)
    assert understood.settled >= 72 - 2 * QUESTIONS.open_turns


@pytest.mark.long
@pytest.mark.parametrize("seed", [11, 12])
def test_one_picture_of_each_table_at_rest_is_enough(pack: Pack, seed: int) -> None:
    start, turns = plain_game(pack, seed, 24)
    noise = replace(CLEAN, frames=1, point_sd=0.03, hand=0.5, renumbered=0.2)
    assert_exact(followed(start, (seen for _, seen in film(start, turns, noise, seed))), start, turns)


@pytest.mark.parametrize("seed", [0, 5])
def test_a_turn_without_a_piece_is_not_crowded_out_by_pieces_that_never_came(seed: int) -> None:
    # Hunters and Gatherers' tiles have more features than lines get children; while a piece may still come
    # they all look alike.
    record = random_game(
        load_pack("hunters-gatherers-2020"), 3, seed, turns=16, style=Style(allow=("meeple",), idle=0.6)
    )
    start = start_of(record, load_pack("hunters-gatherers-2020"))
    seen = [replace(o, t_s=6 * o.t_s) for _, o in film(start, record.turns, replace(CLEAN, frames=1), seed)]
    assert_exact(followed(start, seen), start, record.turns)


def test_the_frame_is_the_first_at_rest_with_everything_gone_home(pack: Pack) -> None:
    start, turns = plain_game(pack, 3, 20)
    pictures = list(film(start, turns, replace(CLEAN, hand=0.0), 3))
    understood = followed(start, [seen for _, seen in pictures])
    first: dict[int, int] = {}
    for done, seen in pictures:
        first.setdefault(done, seen.frame_index)
    assert [turn.frame_index for turn in understood.turns] == [first[n] for n in range(1, 21)]


def test_turns_are_told_while_the_game_goes_on(pack: Pack) -> None:
    start, turns = plain_game(pack, 2, 12)
    tracker = StoryTracker(start)
    most_behind = 0
    for done, seen in film(start, turns, replace(CLEAN, hand=0.5), 2):
        understood = tracker.see(seen)
        told = [turn.turn for turn in understood.turns]
        assert told == list(turns[: len(told)])
        most_behind = max(most_behind, done - len(told))
    assert most_behind <= 1


def test_a_hand_over_the_board_tells_nothing(pack: Pack) -> None:
    start, turns = plain_game(pack, 2, 1)
    camera = Camera(start, CLEAN, 2)
    tracker = StoryTracker(start)
    for _ in range(3):
        tracker.see(camera.frame(start.board, start.standing))
    after = start.apply(turns[0]).state
    hand = [*start.board, turns[0].cell]
    for _ in range(4):
        understood = tracker.see(camera.frame(after.board, after.standing, hand_over=hand))
        assert understood.busy
        assert understood.turns == ()


def test_a_take_back_is_no_turn(pack: Pack) -> None:
    start, turns = plain_game(pack, 4, 1)
    camera = Camera(start, CLEAN, 4)
    tracker = StoryTracker(start)
    after = start.apply(turns[0])
    tables = [(start.board, start.standing), (after.state.board, after.laid), (start.board, start.standing)]
    for (board, standing), pictures in zip(tables, (3, 3, 12), strict=True):
        for _ in range(pictures):
            tracker.see(camera.frame(board, standing))
    assert tracker.finish().turns == ()


def test_two_turns_laid_before_the_camera_looked(pack: Pack) -> None:
    start, turns = plain_game(pack, 6, 6)
    camera = Camera(start, CLEAN, 6)
    states = [start]
    for turn in turns:
        states.append(states[-1].apply(turn).state)
    seen = [camera.frame(states[n].board, states[n].standing) for n in (0, 0, 1, 1, 3, 3, 3, 4, 4, 6, 6, 6)]
    understood = followed(start, seen)
    # Which of two players' tiles came first shows in the colour of a meeple only; the board must agree.
    assert understood.state.board.keys() == states[-1].board.keys()
    assert len(understood.turns) == 6


def test_an_illegal_tile_is_told_with_its_faults_and_waited_for(pack: Pack) -> None:
    start, turns = plain_game(pack, 8, 1)
    turn = turns[0]
    design = pack.designs[turn.tile]
    camera = Camera(start, CLEAN, 8)
    rots = [rot for rot in (0, 90, 180, 270) if start.faults(replace(turn, rot=rot, action=None))]
    after = start.apply(turn).state
    laid = replace(after.board[turn.cell], rot=rots[0])
    assert laid.design is design
    tracker = StoryTracker(start)
    for _ in range(3):
        understood = tracker.see(camera.frame({**after.board, turn.cell: laid}, start.standing))
    assert understood.turns == ()
    assert understood.unclear is not None
    assert understood.unclear.cells == (turn.cell,)
    assert "edge_mismatch" in {fault.code for fault in understood.unclear.faults}


def test_a_picture_without_the_board_changes_nothing(pack: Pack) -> None:
    start, turns = plain_game(pack, 9, 1)
    lost = replace(CLEAN, lost=1.0)
    understood = followed(start, [Camera(start, lost, 9).frame(start.board, start.standing)])
    assert understood.turns == ()
    assert turns


def with_a_meeple(start: GameState, turns: Sequence[Turn]) -> tuple[GameState, Turn]:
    """The first turn that lays a meeple which stays, and the position before it."""
    state = start
    for turn in turns:
        step = state.apply(turn)
        new = set(step.laid) - set(state.standing)
        stays = bool(new) and new <= set(step.state.standing)
        if not turn.parts_of(RangerBack) and stays and all(piece.kind == "meeple" for piece in new):
            return state, turn
        state = step.state
    raise AssertionError("no such turn in this game")


def test_a_meeple_that_comes_late_belongs_to_the_same_turn(pack: Pack) -> None:
    state, turn = with_a_meeple(*plain_game(pack, 13, 20))
    after = state.apply(turn).state
    camera = Camera(state, CLEAN, 13)
    tracker = StoryTracker(state)
    for _ in range(4):
        tracker.see(camera.frame(state.board, state.standing))
    for _ in range(8):
        understood = tracker.see(camera.frame(after.board, state.standing))
    assert [turn.turn.action for turn in understood.turns] == [None]
    for _ in range(4):
        understood = tracker.see(camera.frame(after.board, after.standing))
    assert [turn.turn for turn in understood.turns] == [turn]


def test_a_tile_turned_after_a_second_thought_is_one_turn(pack: Pack) -> None:
    start, turns = plain_game(pack, 14, 1)
    turn = turns[0]
    other = next(
        replace(turn, cell=cell, rot=rot, action=None, parts=())
        for cell, rot in start.placements(turn.tile)
        if cell != turn.cell and not start.faults(replace(turn, cell=cell, rot=rot, action=None, parts=()))
    )
    camera = Camera(start, CLEAN, 14)
    tracker = StoryTracker(start)
    for state in (start, start.apply(other).state, start.apply(turn).state):
        for _ in range(4):
            tracker.see(camera.frame(state.board, state.standing))
    assert [turn.turn for turn in tracker.finish().turns] == [turn]


@pytest.mark.long
def test_doubled_and_missing_frames_change_nothing(pack: Pack) -> None:
    seed = 31
    start, turns = plain_game(pack, seed, 20)
    seen = [observation for _, observation in film(start, turns, Noise(), seed)]
    assert_exact(followed(start, [o for o in seen for _ in range(2)]), start, turns)
    assert_exact(followed(start, [o for i, o in enumerate(seen) if i % 3 != 2]), start, turns)


def test_a_game_goes_on_from_turns_that_are_certain(pack: Pack) -> None:
    start, turns = plain_game(pack, 21, 16)
    seen = [o for done, o in film(start, turns, replace(CLEAN, hand=0.3), 21) if done >= 8]
    tracker = StoryTracker(start)
    assert [turn.turn for turn in tracker.fix(turns[:8]).turns] == list(turns[:8])
    for observation in seen:
        tracker.see(observation)
    assert_exact(tracker.finish(), start, turns)


def test_an_answer_in_the_middle_keeps_what_was_seen_since(pack: Pack) -> None:
    start, turns = plain_game(pack, 22, 10)
    tracker = StoryTracker(start)
    for done, observation in film(start, turns, replace(CLEAN, hand=0.3), 22):
        understood = tracker.see(observation)
        if done and len(understood.turns) == done:
            understood = tracker.fix([turn.turn for turn in understood.turns])
            assert len(understood.turns) == understood.settled == done
            assert understood.turns[-1].frame_index is not None
    assert_exact(tracker.finish(), start, turns)


def test_turns_that_are_no_legal_game_are_refused(pack: Pack) -> None:
    start, turns = plain_game(pack, 21, 2)
    with pytest.raises(IllegalTurn):
        StoryTracker(start).fix([turns[1], turns[0]])


def rest(camera: Camera, tracker: StoryTracker, state: GameState, pictures: int = 4) -> Understanding:
    for _ in range(pictures):
        understood = tracker.see(camera.frame(state.board, state.standing))
    return understood


def test_faces_that_look_alike_are_asked_about_and_the_answer_stands(pack: Pack) -> None:
    start, turns = plain_game(pack, 24, 6)
    twins = replace(CLEAN, twin_gap_nats=0.1)
    number, turn = next(
        (n, turn)
        for n, turn in enumerate(turns)
        if any(designs_alike(start, turn.tile, other) for other in start.pack.designs)
    )
    before = start
    for played in turns[:number]:
        before = before.apply(played).state
    camera = Camera(before, twins, 24)
    tracker = StoryTracker(start)
    tracker.fix(turns[:number])
    rest(camera, tracker, before)
    after = before.apply(turn).state
    understood = rest(camera, tracker, after, ASK_WITHIN)
    doubt = understood.doubt
    assert doubt is not None
    assert doubt.number == number + 1
    assert doubt.cells == (turn.cell,)
    assert turn in [option for option, _ in doubt.options]
    chances = [chance for _, chance in doubt.options]
    assert chances == sorted(chances, reverse=True)
    assert 0.5 < sum(chances) <= 1.0
    answered = tracker.fix([*turns[:number], turn])
    assert answered.doubt is None
    understood = rest(camera, tracker, after)
    assert understood.doubt is None
    assert [played.turn for played in understood.turns] == list(turns[: number + 1])


def test_a_clear_game_asks_nothing(pack: Pack) -> None:
    start, turns = plain_game(pack, 25, 12)
    tracker = StoryTracker(start)
    for _, observation in film(start, turns, CLEAN, 25):
        assert tracker.see(observation).doubt is None


@pytest.mark.parametrize("confirmed", [5, 6])
def test_a_last_turn_that_was_only_seen_may_be_moved_after_a_crash(pack: Pack, confirmed: int) -> None:
    start, turns = plain_game(pack, 24, 6)
    state = start
    for turn in turns[:-1]:
        state = state.apply(turn).state
    last = turns[-1]
    places = state.placements(last.tile)
    cell, rot = next(place for place in places if place[0] != last.cell)
    other = replace(last, cell=cell, rot=rot, action=None, parts=())
    camera = Camera(start, CLEAN, 24)
    tracker = StoryTracker(start)
    tracker.fix(turns, confirmed=confirmed)
    moved = state.apply(other).state
    told = rest(camera, tracker, moved, 8).turns[5].turn
    assert told.cell == (other.cell if confirmed < 6 else turns[-1].cell)


def test_a_meeple_stood_where_it_should_lie_is_no_hut(pack: Pack) -> None:
    # How sure the look was of its kind and pose decides, not that both were misread.
    start, _ = plain_game(pack, 0, 1)
    cell, laid = next(iter(start.board.items()))
    standing = Standing("meeple", "red", cell, feature=laid.design.tile.features[0].id)
    camera = Camera(start, CLEAN, 0)
    reading = camera.frame(start.board, [standing]).pieces[0]
    shares: dict[Sort, float] = {
        ("meeple", "standing"): 0.95,
        ("meeple", "lying"): 0.045,
        ("hut", "standing"): 0.005,
    }
    reading = replace(reading, sort_probs=shares)
    kinds = ("meeple", "hut", "ranger")
    lying = sort_cost(reading, standing._replace(pose="lying"), kinds, PIECES.sort_most_nats)
    hut = sort_cost(reading, standing._replace(kind="hut"), kinds, PIECES.sort_most_nats)
    assert sort_cost(reading, standing, kinds, PIECES.sort_most_nats) == 0.0
    assert lying == pytest.approx(math.log(0.95 / 0.045))
    assert hut == PIECES.sort_most_nats


def test_a_meeple_on_a_corner_tells_of_the_animal_tile_that_it_hides(pack: Pack) -> None:
    record = random_game(pack, 2, 4, turns=12, style=Style(allow=("dig",), greedy=0.0, idle=0.0))
    start = start_of(record, pack, hands_known=False)
    state, turn = start, record.turns[0]
    for turn in record.turns:
        if isinstance(turn.action, Dig) and not turn.parts_of(RangerBack):
            break
        state = state.apply(turn).state
    assert isinstance(turn.action, Dig)
    after = state.apply(turn).state
    dug = set(after.standing) - set(state.standing)
    assert {piece.kind for piece in dug} == {"meeple", "token"}
    hidden = [piece for piece in after.standing if piece.kind != "token" or piece not in dug]
    camera = Camera(state, CLEAN, 5)
    tracker = StoryTracker(state)
    rest(camera, tracker, state)
    for _ in range(ASK_WITHIN):
        understood = tracker.see(camera.frame(after.board, hidden))
    action = tracker.finish().turns[-1].turn.action
    assert isinstance(action, Dig)
    assert (action.cell, action.corner) == (turn.action.cell, turn.action.corner)
    doubt = understood.doubt
    assert doubt is not None, "which animal it is, no camera can tell"
    assert {type(option.action) for option, _ in doubt.options} == {Dig}
    assert "animal" in doubt.why


def test_a_doubt_waits_a_moment(pack: Pack) -> None:
    start, turns = plain_game(pack, 24, 1)
    twins = replace(CLEAN, twin_gap_nats=0.1)
    seed = next(
        n
        for n in range(24, 60)
        if any(designs_alike(start, plain_game(pack, n, 1)[1][0].tile, other) for other in pack.designs)
    )
    start, turns = plain_game(pack, seed, 1)
    camera = Camera(start, twins, seed)
    tracker = StoryTracker(start)
    rest(camera, tracker, start)
    after = start.apply(turns[0]).state
    doubts = [tracker.see(camera.frame(after.board, after.standing)).doubt for _ in range(ASK_WITHIN)]
    assert doubts[0] is None and doubts[1] is None
    assert doubts[-1] is not None


def test_a_displaced_ranger_is_put_down_when_the_added_animal_has_gone_home(pack: Pack) -> None:
    record = random_game(pack, 2, 7000, turns=3, style=Style(greedy=0.6), hands_seen=False)
    start = start_of(record, pack)
    state, turn = start, record.turns[0]
    for turn in record.turns:
        if {type(part) for part in turn.parts} == {RangerBack, Bonus}:
            break
        state = state.apply(turn).state
    assert {type(part) for part in turn.parts} == {RangerBack, Bonus}
    step = state.apply(turn)
    in_hand = [piece for piece in step.laid if piece.kind != "ranger" or piece.cell != displaced_to(turn)]
    assert any(piece.kind == "token" for piece in set(step.laid) - set(step.state.standing))
    camera = Camera(state, CLEAN, 5)
    tracker = StoryTracker(state)
    rest(camera, tracker, state)
    for standing in (in_hand, step.state.standing):
        for _ in range(3):
            tracker.see(camera.frame(step.state.board, standing))
    assert tracker.finish().turns[-1].turn == turn


def test_turns_taken_back_while_their_order_is_open_leave_a_tracker_that_goes_on(pack: Pack) -> None:
    """Several tiles are new at once, so that orders of turns are joined; then people refuse some of them."""
    style = Style(allow=("meeple", "ranger"), greedy=0.6)
    record = random_game(pack, 2, 7, turns=8, style=style, hands_seen=False)
    start = start_of(record, pack)
    tracker, rng = StoryTracker(start), random.Random(1)
    refused = 0
    for observation in [seen for _, seen in film(start, record.turns, Noise(), 3)][::4]:
        turns = [one.turn for one in tracker.see(observation).turns]
        if turns and rng.random() < 0.4:
            keep = rng.randint(0, len(turns) - 1)
            now = tracker.fix(turns[:keep], turns[keep:])
            assert [one.turn for one in now.turns[:keep]] == turns[:keep]
            tracker.see(observation)
            refused += 1
    assert refused > 3
