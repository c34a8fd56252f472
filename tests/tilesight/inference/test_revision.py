"""An animal tile hidden behind a meeple is known once the meeple has gone home."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from engine.pack import Pack, load_pack
from engine.safari.actions import Dig, Expand
from engine.tiles.board import Standing
from engine.tiles.game import GameState
from engine.tiles.turn import Turn
from tests.tile_records import start_of
from tests.tilesight.synthetic import CLEAN, Camera
from tilesight.inference.board_registration import fit_lattice
from tilesight.inference.candidates import Stages
from tilesight.inference.hypothesis import Hypothesis
from tilesight.inference.hypothesis_tree import root_at
from tilesight.inference.params import PARAMS
from tilesight.inference.revision import search_circle, with_revealed_animals, with_revealed_token
from tilesight.inference.tracker import TurnTracker
from tilesight.inference.understanding import UnderstoodTurn
from tilesight.inference.view import ReadingHistory, View, view_of
from tilesight.simulation.tile_games import Style, random_game

LATER_S = 100.0


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack("savanna")


def dug_game(pack: Pack) -> tuple[GameState, list[Turn], Standing]:
    """A position, a turn that digs with a meeple on the animal tile and some more, and that animal tile."""
    record = random_game(pack, 2, 4, turns=20, style=Style(allow=("dig",), greedy=0.0, idle=0.0))
    state = start_of(record, pack, hands_known=False)
    turns = [turn.seen for turn in record.turns]
    while not (isinstance(turns[0].action, Dig) and not turns[0].parts):
        state = state.apply(turns.pop(0)).state
    after = state.apply(turns[0]).state
    token = next(piece for piece in set(after.standing) - set(state.standing) if piece.kind == "token")
    return state, turns, token


def other_animal(pack: Pack, token: Standing) -> str:
    return next(name for name in pack.tokens if name != token.animal)


def told(start: GameState, turns: list[Turn], confidence: float) -> list[UnderstoodTurn]:
    found, state = [], start
    for number, turn in enumerate(turns):
        step = state.apply(turn)
        sure = {0: confidence, 1: 0.7}.get(number, 1.0)
        found.append(UnderstoodTurn(turn, step, number, float(number), sure))
        state = step.state
    return found


def look(state: GameState, hidden_by: bool, token: Standing, since_s: float, shown: str) -> View:
    """The table with the animal tile that now shows another animal, in sight or under a meeple."""
    standing = [piece for piece in state.standing if piece.kind != "meeple" and piece != token]
    standing.append(token._replace(animal=shown))
    if hidden_by:
        standing.append(Standing("meeple", "red", token.cell, corner=token.corner))
    seen = Camera(state, CLEAN, 3).frame(state.board, standing)
    pieces = tuple(replace(piece, since_s=since_s) for piece in seen.pieces)
    seen = replace(seen, pieces=pieces, t_s=LATER_S)
    lattice = fit_lattice(seen, state.board)
    assert lattice is not None
    return view_of(seen, lattice, state.board, state.players, ReadingHistory())


@pytest.mark.parametrize(
    ("confidence", "hidden_by", "since_s", "known"),
    [
        (0.6, False, 90.0, True),
        (0.6, True, 90.0, False),  # a meeple still hides it
        (0.6, False, -1.0, False),  # it looked so when it was laid: that counted then
        (0.6, False, LATER_S - 0.2, False),  # a hand may have moved it a moment ago
        (PARAMS.sure_turn, False, 90.0, False),  # it was seen well enough, or somebody said so
    ],
)
def test_an_animal_that_comes_to_light_is_told(
    pack: Pack, confidence: float, hidden_by: bool, since_s: float, known: bool
) -> None:
    start, turns, token = dug_game(pack)
    settled = told(start, turns[:4], confidence)
    shown = other_animal(pack, token)
    view = look(settled[-1].step.state, hidden_by, token, since_s, shown)
    after = with_revealed_animals(start, settled, view)
    if not known:
        assert after is None
        return
    assert after is not None
    action = after[0].turn.action
    assert isinstance(action, Dig) and action.animal == shown
    assert [one.turn for one in after[1:]] == turns[1:4]
    assert [one.confidence for one in after[1:]] == [0.7, 1.0, 1.0], "it says nothing of later turns"
    assert with_revealed_animals(start, after, view) is None, "it is told once"
    assert token._replace(animal=shown) in after[-1].step.state.standing


def test_the_game_goes_on_after_it_with_what_was_seen_since(pack: Pack) -> None:
    start, turns, token = dug_game(pack)
    turns = turns[: PARAMS.open_turns + 2]
    camera, tracker = Camera(start, CLEAN, 5), TurnTracker(start)
    for _ in range(3):
        tracker.see(camera.frame(start.board, start.standing))
    state = start
    for turn in turns:
        state = state.apply(turn).state
        for _ in range(4):
            hidden = [piece for piece in state.standing if piece != token]
            understood = tracker.see(camera.frame(state.board, hidden))
    guess = understood.turns[0].turn.action
    assert (
        understood.settled >= 1
        and isinstance(guess, Dig)
        and understood.turns[0].confidence < PARAMS.sure_turn
    )
    token = token._replace(animal=guess.animal)
    shown = other_animal(pack, token)
    standing = [p for p in state.standing if (p.cell, p.corner) != (token.cell, token.corner)]
    seen = camera.frame(state.board, [*standing, token._replace(animal=shown)])
    seen = replace(seen, pieces=tuple(replace(piece, since_s=seen.t_s - 5.0) for piece in seen.pieces))
    after = tracker.see(seen)
    action = after.turns[0].turn.action
    assert isinstance(action, Dig) and action.animal == shown
    assert understood.turns[0].turn in after.turns[0].alternatives
    assert [one.turn for one in after.turns[1:]] == [one.turn for one in understood.turns[1:]]
    assert [one.turn for one in tracker.finish().turns][1:] == turns[1:]


def expanded_game(pack: Pack) -> tuple[GameState, list[Turn], int, Standing, Standing]:
    """A position and turns that nobody has told of an animal tile that one of them laid, its number, the
    animal tile, and a meeple that hides it."""
    record = random_game(pack, 2, 6, turns=30, style=Style(allow=("dig", "expand"), idle=0.3))
    start = start_of(record, pack, hands_known=False)
    turns = [turn.seen for turn in record.turns]
    number = next(i for i, turn in enumerate(turns) if isinstance(turn.action, Expand))
    state = start
    for turn in turns[: number + 1]:
        before, state = state, state.apply(turn).state
    (token,) = set(state.standing) - set(before.standing) - {p for p in state.standing if p.kind == "ranger"}
    at, _ = search_circle(token, state)
    hider = min(
        (p for p in state.standing if p.kind == "meeple"),
        key=lambda p: math.dist(search_circle(p, state)[0], at),
    )
    turns[number] = replace(turns[number], action=None)
    return start, turns[: number + 3], number, token, hider


@pytest.mark.parametrize(
    ("gone", "looks", "confidence", "known"),
    [
        (True, 2, 0.9, True),
        (False, 2, 0.9, False),  # the meeple still stands there: it was not what hid the tile
        (True, 1, 0.9, False),  # one look is not enough
        (True, 2, 1.0, False),  # somebody said that nothing was laid
    ],
)
def test_an_animal_tile_that_comes_to_light_was_laid_in_an_idle_turn(
    pack: Pack, gone: bool, looks: int, confidence: float, known: bool
) -> None:
    start, turns, number, token, hider = expanded_game(pack)
    settled = [replace(one, confidence=1.0) for one in told(start, turns, 1.0)]
    settled[number] = replace(settled[number], confidence=confidence)
    state = settled[-1].step.state
    rest = frozenset(state.standing) - ({hider} if gone else set())
    now = Hypothesis(state, root_at(state), stages=Stages(rest=rest))
    camera, acquaintance = Camera(state, CLEAN, 3), ReadingHistory()
    for _ in range(looks):
        seen = camera.frame(state.board, [*rest, token])
        seen = replace(seen, pieces=tuple(replace(piece, confidence=0.97) for piece in seen.pieces))
        lattice = fit_lattice(seen, state.board)
        assert lattice is not None
        view = view_of(seen, lattice, state.board, state.players, acquaintance)
        acquaintance.note(view, (), state.board)
    after = with_revealed_token(start, settled, view, now)
    if not known:
        assert after is None
        return
    assert after is not None
    assert token.corner is not None and token.animal is not None
    assert after[number].turn.action == Expand(token.cell, token.corner, token.animal)
    assert turns[number] in after[number].alternatives
    others = [(one.turn, one.confidence) for i, one in enumerate(after) if i != number]
    assert others == [(one.turn, one.confidence) for i, one in enumerate(settled) if i != number]
    assert token in after[-1].step.state.standing
