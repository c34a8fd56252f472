"""What every piece's feature consists of, in random games of all tile games."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import pytest

from engine.games import tile_game_named, tile_game_names
from engine.pack import load_pack
from engine.tiles.board import Standing
from engine.tiles.game import GameState, Header, ScoreEvent, Spot

OWNED = ("meeple", "hut")
GAMES = [(name, rules) for name in sorted(tile_game_names()) for rules in tile_game_named(name).presets]


def positions(name: str, rules: str, turns: int) -> Iterator[tuple[GameState, tuple[ScoreEvent, ...]]]:
    """The positions of a random game with pieces in most turns, and the events of each turn."""
    game, rng = tile_game_named(name), random.Random(f"{name} {rules}")
    pack = load_pack(game.default_pack)
    state = game.start(Header(name, pack.id, game.colors[:3], rules), pack)
    for _ in range(turns):
        while True:
            design = rng.choice(sorted(state.bag))
            if places := state.placements(design):
                break
        near = sorted(places, key=lambda place: abs(place[0][0]) + abs(place[0][1]))
        turns_here = list(state.turns_for(design, *rng.choice(near[:4])))
        step = state.apply(rng.choice([turn for turn in turns_here if turn.action] or turns_here))
        state = step.state
        yield state, step.events


def spot_under(piece: Standing, spots: tuple[Spot, ...]) -> Spot:
    """The only spot on which a piece stands."""
    place = piece.feature if piece.corner is None else piece.corner
    kinds = [spot for spot in spots if (piece.cell, place) in spot.of.places and spot.piece == piece.kind]
    [spot] = kinds
    return spot


@pytest.mark.parametrize(("name", "rules"), GAMES)
def test_every_piece_stands_on_one_feature_that_says_what_it_consists_of(name: str, rules: str) -> None:
    """The points that the features give at the end of the game are those of the final scoring."""
    seen = Counter[str]()
    for state, _ in positions(name, rules, 40):
        spots, final = state.spots(), state.final()
        for piece in state.standing:
            if piece.kind not in OWNED or piece.color is None:
                continue
            spot = spot_under(piece, spots)
            seen[spot.kind] += 1
            assert spot.meeples[piece.color] and spot.of.why and piece.cell in spot.of.cells
        by_spots = Counter(dict(state.scores))
        for spot in spots:
            by_spots.update(spot.if_ended)
        hands = {event.player: event.points for event in final.events if event.kind == "hand"}
        assert {color: by_spots[color] + hands.get(color, 0) for color in state.players} == final.scores
    assert len(seen) >= 2


@pytest.mark.parametrize(("name", "rules"), GAMES)
def test_a_seen_board_has_the_same_features(name: str, rules: str) -> None:
    """The features of a photograph are those of the table, with the same words and points."""
    game = tile_game_named(name)
    *_, (state, _) = positions(name, rules, 40)
    seen = game.final_seen(state.pack, state.board, state.standing, rules)
    told = {(spot.kind, frozenset(spot.of.places)): spot for spot in state.spots() if spot.meeples}
    assert seen.spots
    for spot in seen.spots:
        same = told[spot.kind, frozenset(spot.of.places)]
        assert (spot.meeples, spot.open_edges) == (same.meeples, same.open_edges)
        assert set(spot.of.cells) == set(same.of.cells)
        if rules in ("first", "second") and spot.at_end:
            continue  # a city pays one of several fields, whichever comes first
        assert (spot.of.why, set(spot.of.paid_by)) == (same.of.why, set(same.of.paid_by))
        assert spot.if_ended == same.if_ended
    assert len(seen.spots) == len(told)


@pytest.mark.parametrize(("name", "rules"), GAMES)
def test_a_scored_feature_is_named_on_its_first_cell(name: str, rules: str) -> None:
    """The page follows the feature from there; the turn that closes it may call it otherwise."""
    for state, events in positions(name, rules, 40):
        for event in events:
            if event.feature is None or (
                state.pack.tokens and event.kind in ("dig", "expand", "watering_hole")
            ):
                continue
            assert state.board[event.of.places[0][0]].design.tile.feature(event.feature) is not None
            assert {cell for cell, _ in event.of.places} <= set(event.cells)
