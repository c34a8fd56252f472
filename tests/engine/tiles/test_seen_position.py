"""Positions from tables in the middle of a game: every table of a legal game has one to continue from."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from engine.games import tile_game_named, tile_game_names
from engine.record import End, Record
from engine.text_span import NotationError
from engine.tiles.board import Standing
from engine.tiles.game import Header
from engine.tiles.seen_position import SeenTable, UnseenState, players_in_turn_order
from tests.engine.test_notation import pack_of, positions, some_game

few = settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def visible(state: Any) -> tuple[object, ...]:
    """All of a position that a table and its players know, whatever came before."""
    tiles = frozenset((cell, laid.design.id, laid.rot) for cell, laid in state.board.items())
    hands = {player: sorted(hand) for player, hand in state.hands.items()}
    return tiles, frozenset(state.standing), dict(state.scores), state.player, hands, dict(state.supply)


def opened(record: Record) -> Header:
    """The header of a tile game's record."""
    assert isinstance(record.header, Header)
    return record.header


@pytest.mark.parametrize("name", tile_game_names())
@few
@given(seed=st.integers(0, 10_000))
@example(seed=789)  # of a thousand tables of Carcassonne, the one with the fewest possible orders
def test_a_game_goes_on_from_any_table_as_it_was_played(name: str, seed: int) -> None:
    game, pack, record = tile_game_named(name), pack_of(name), some_game(name, seed)
    assert pack is not None
    found = list(positions(name, record))
    play: Any = game.records.play
    number = random.Random(seed).randrange(1, len(found))
    true = found[number]
    pieces, tiles = list(true.standing), list(true.board.items())
    random.Random(seed).shuffle(pieces)
    random.Random(seed).shuffle(tiles)
    told = UnseenState(true.player, true.scores, true.hands, getattr(true, "extra", False))
    header = opened(record)
    state = game.position_seen(header, pack, SeenTable(dict(tiles), tuple(pieces)), told)
    assert visible(state) == visible(true)
    for line in record.lines[number : number + 8]:
        if not isinstance(line.event, End):
            state, got = play(state, line.event)
            true, expected = play(true, line.event)
            points = [(event.turn, event.player, event.points, event.kind) for event in got]
            assert points == [(event.turn, event.player, event.points, event.kind) for event in expected]
    assert visible(state) == visible(true)


def test_nothing_told_is_the_first_players_opening_with_unseen_hands() -> None:
    game, pack = tile_game_named("safari"), pack_of("safari")
    assert pack is not None
    start = game.start(opened(some_game("safari", 1)), pack)
    state = game.position_seen(
        opened(some_game("safari", 1)), pack, SeenTable(start.board, start.standing), UnseenState()
    )
    assert set(state.hands.values()) == {("?", "?")} and set(state.scores.values()) == {0}


def test_players_are_told_from_the_one_who_began() -> None:
    assert players_in_turn_order(("red", "blue", "green"), 4, "red") == ("green", "red", "blue")
    assert players_in_turn_order(("red", "blue"), 4, None) == ("red", "blue")


def test_a_table_that_no_game_reaches_is_refused_in_one_line() -> None:
    game, pack, record = tile_game_named("safari"), pack_of("safari"), some_game("safari", 1)
    assert pack is not None
    true = list(positions("safari", record))[9]
    rangers = tuple(piece for piece in true.standing if piece.kind != "ranger")
    with pytest.raises(NotationError, match="there are 2 rangers"):
        game.position_seen(opened(record), pack, SeenTable(true.board, rangers), UnseenState())
    many = tuple(Standing("ranger", "white", piece.cell) for piece in true.standing)
    with pytest.raises(NotationError):
        game.position_seen(opened(record), pack, SeenTable(true.board, many), UnseenState())
