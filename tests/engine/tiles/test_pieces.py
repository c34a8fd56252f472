"""Kinds of piece, and the features that take them in each game."""

from __future__ import annotations

import pytest

from engine.games import tile_game_named, tile_game_names
from engine.pack import load_pack, pack_ids
from engine.tiles.pieces import ANY_FEATURE, OUTSIDE, OWNED, SORTS, TRAITS, features_take


def test_every_kind_is_found_in_some_pose() -> None:
    assert {kind for kind, _ in SORTS} == set(TRAITS)


@pytest.mark.parametrize("name", tile_game_names())
def test_a_game_says_what_every_feature_of_its_packs_takes(name: str) -> None:
    game = tile_game_named(name)
    packs = [pack for pack in map(load_pack, pack_ids()) if pack.game == name]
    printed = {f.kind for pack in packs for tile in (*pack.tiles, *pack.start) for f in tile.features}
    assert set(game.takes) == printed
    taken = {kind for sorts in game.takes.values() for kind, _ in sorts}
    assert taken == {piece.kind for piece in game.pieces} - OUTSIDE
    assert all(sorts <= set(SORTS) for sorts in game.takes.values())


@pytest.mark.parametrize("name", tile_game_names())
def test_unowned_pieces_have_no_player_s_colour(name: str) -> None:
    game = tile_game_named(name)
    for piece in game.pieces:
        assert (piece.color in game.colors) == (piece.kind in OWNED)


def test_a_feature_of_which_no_game_says_anything_takes_a_meeple() -> None:
    assert features_take({}, "road") == ANY_FEATURE
