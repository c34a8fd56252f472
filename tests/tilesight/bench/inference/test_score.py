"""Differences between turns understood and played, and their causes."""

from __future__ import annotations

from dataclasses import replace

from engine.pack import load_pack
from engine.tiles.game import GameState
from engine.tiles.turn import Turn
from tests.tilesight.synthetic import plain_game
from tilesight.bench.inference.score import Watched, difference, wrong_turns
from tilesight.inference.understanding import UnderstoodTurn


def told(start: GameState, turns: tuple[Turn, ...], confidence: float = 0.95) -> list[UnderstoodTurn]:
    understood, state = [], start
    for turn in turns:
        step = state.apply(turn)
        understood.append(UnderstoodTurn(turn, step, 0, 0.0, confidence))
        state = step.state
    return understood


def test_the_difference_has_a_name() -> None:
    _, turns = plain_game(load_pack("bastide"), 4, 8)
    turn = next(one for one in turns if one.action is not None)
    assert difference(None, turn, turns) == "not told"
    assert difference(turn, None, turns) == "one turn too many"
    assert difference(replace(turn, action=None), turn, turns) == "piece lacking"
    assert difference(turn, replace(turn, action=None), turns) == "piece too many"
    assert difference(replace(turn, rot=(turn.rot + 90) % 360), turn, turns) == "turned"
    assert difference(replace(turn, cell=(99, 99)), turn, turns) == "cell"
    assert difference(replace(turn, player="nobody"), turn, turns) == "player"
    assert difference(turns[0], turns[1], turns) == "order"


def test_a_wrong_turn_is_silent_unless_it_was_asked_about_and_left_out_unless_it_was_offered() -> None:
    start, turns = plain_game(load_pack("bastide"), 4, 8)
    number = next(n for n, one in enumerate(turns, 1) if one.action is not None)
    bare = replace(turns[number - 1], action=None)
    understood = told(start, (*turns[: number - 1], bare))
    notes = [{"piece 9 s late"} for _ in turns]
    faults = {bare.cell: {"red meeple missed"}, (99, 99): {"elsewhere"}}
    seen = Watched(understood, (), {})
    one, *rest = wrong_turns(seen, turns, {number}, notes, faults)
    assert (one.number, one.silent, one.left_out, one.in_gap, one.follows) == (
        number,
        True,
        True,
        True,
        False,
    )
    assert one.how == "piece lacking" and one.cause == "late piece and piece missed"
    assert "red meeple missed" in str(one)
    assert len(rest) == len(turns) - number
    assert all(other.how == "not told" and other.follows for other in rest)
    asked = Watched(understood, {number}, {number: [turns[number - 1]]})
    one, *_ = wrong_turns(asked, turns, (), notes, faults)
    assert not one.silent and not one.left_out


def test_a_game_followed_rightly_has_nothing_wrong() -> None:
    start, turns = plain_game(load_pack("bastide"), 4, 8)
    assert wrong_turns(Watched(told(start, turns), (), {}), turns, (), [()] * 8, {}) == ()
