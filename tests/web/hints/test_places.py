"""Tiles left and best places of a position."""

from __future__ import annotations

import pytest

from engine.games import tile_game_named
from engine.pack import load_pack
from engine.safari.actions import Bonus
from engine.tiles.game import GameError, GameState, Header
from tests.web.fake_table import FakeTable
from web.hints.places import best_places, tiles_left


def position(turns: int, seed: int = 1) -> GameState:
    table = FakeTable(seed=seed)
    table.play(turns)
    return table.view.state


def test_the_chances_of_the_tiles_left_add_up() -> None:
    state = position(20)
    left = tiles_left(state)
    assert sum(one.chance for one in left) == pytest.approx(1)
    assert {one.tile: one.left for one in left} == dict(state.bag)
    assert [one.left for one in left] == sorted(state.bag.values(), reverse=True)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_best_place_gains_what_it_says_and_no_other_turn_there_more(seed: int) -> None:
    state = position(16, seed)
    gained = 0
    for tile in list(state.bag)[:8]:
        places = best_places(state, tile)
        assert places.fits == len({cell for cell, _ in state.placements(tile)})
        assert [one.points for one in places.best] == sorted(
            (one.points for one in places.best), reverse=True
        )
        for one in places.best:
            after = state.apply(one.turn).state
            assert after.scores[state.player] - state.scores[state.player] == one.points > 0
            plain = [
                turn
                for cell, rot in state.placements(tile)
                if cell == one.turn.cell
                for turn in state.turns_for(tile, cell, rot, corners=())
                if not turn.parts_of(Bonus)
            ]
            rises = [state.apply(turn).state.scores[state.player] for turn in plain]
            assert max(rises) - state.scores[state.player] == one.points
            gained += 1
    assert gained > 8


def test_where_nothing_is_gained_no_place_is_told() -> None:
    pack = load_pack("bastide")
    game = tile_game_named("carcassonne")
    start = game.start(Header("carcassonne", pack.id, ("red", "blue")), pack)
    places = [best_places(start, tile) for tile in start.bag]
    assert any(one.fits and not one.best for one in places)


def test_a_tile_that_the_game_has_not_is_an_error() -> None:
    with pytest.raises(GameError):
        best_places(position(1), "no-such-tile")
