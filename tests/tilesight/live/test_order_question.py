"""The question about several turns: asked where their order is open, and for those turns alone."""

from __future__ import annotations

from engine.message import Message
from engine.pack import load_pack
from engine.tiles.turn import Turn
from tests.tilesight.synthetic import plain_game
from tilesight.inference.understanding import Doubt, Understanding, UnderstoodTurn
from tilesight.live.tiles.board import TileBoard
from tilesight.table_log.event_fold import GameLedger


def asked(sure: tuple[float, ...], number: int, *, elsewhere: bool) -> tuple[int, ...]:
    """Numbers of the turns whose order is asked about, where turns are told with these confidences."""
    start, turns = plain_game(load_pack("savanna"), 5, len(sure))
    state, told = start, []
    for turn, confidence in zip(turns, sure, strict=True):
        step = state.apply(turn)
        told.append(UnderstoodTurn(turn, step, None, None, confidence))
        state = step.state
    other = turns[number] if elsewhere else turns[number - 1]
    doubt = Doubt(number, ((turns[number - 1], 0.6), (other, 0.4)), (), 7, Message("why"))
    understood = Understanding(tuple(told), 0, state, True, False, doubt=doubt)
    ledger: GameLedger[Turn] = GameLedger(confirmed=True)
    [question] = TileBoard(start, {}).questions(understood, ledger)
    return question.order


def test_the_order_is_asked_of_all_open_turns_at_once() -> None:
    assert asked((1.0, 0.6, 0.7, 0.6, 1.0), 2, elsewhere=True) == (2, 3, 4)


def test_no_order_is_asked_of_one_turn_or_of_a_piece() -> None:
    assert asked((1.0, 0.6, 1.0), 2, elsewhere=True) == ()
    assert asked((1.0, 0.6, 0.7), 2, elsewhere=False) == ()
