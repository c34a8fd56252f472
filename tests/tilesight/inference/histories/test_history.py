"""Prior probabilities of turns."""

from __future__ import annotations

import math

import pytest

from engine.games import tile_game_named
from engine.pack import load_pack
from engine.safari.actions import Bonus, Dig
from engine.tiles.game import GameState, Header
from tests.tile_records import start_of
from tilesight.inference.candidates import LegalTurns, kind_of
from tilesight.inference.histories.history import action_prior
from tilesight.inference.histories.params import PARAMS
from tilesight.simulation.tile_games import Style, random_game


def opening_of(pack_id: str) -> GameState:
    pack = load_pack(pack_id)
    return tile_game_named(str(pack.game)).start(Header(str(pack.game), pack_id, ("blue", "red")), pack)


def test_huts_are_put_down_more_rarely_than_meeples_of_which_more_are_left() -> None:
    state = opening_of("taiga")
    left = state.pieces_left("hut")["blue"] / state.pieces_left("meeple")["blue"]
    legal, compared = LegalTurns(state, frozenset(state.standing)), 0
    for design in sorted(state.bag):
        for cell, rot in state.placements(design):
            placed = legal.turns((cell, design, rot))
            odds = {
                kind: math.fsum(
                    math.exp(action_prior(state, placed, one.turn))
                    for one in placed.without_corners()
                    if kind_of(one.turn) == kind
                )
                / min(placed.kinds[kind] ** 0.5, 2.0)
                for kind in ("hut", "meeple")
                if placed.kinds[kind]
            }
            if len(odds) == 2:
                compared += 1
                assert odds["hut"] / odds["meeple"] == pytest.approx(left)
    assert left < 1 and compared > 10


def test_the_animals_that_an_animal_tile_may_show_share_the_probability_of_its_turn() -> None:
    pack = load_pack("savanna")
    record = random_game(pack, 2, 4, turns=12, style=Style(allow=("dig",), greedy=0.0, idle=0.0))
    state = start_of(record, pack, hands_known=False)
    turn = next(turn for turn in record.turns if isinstance(turn.action, Dig) and not turn.parts_of(Bonus))
    for before in record.turns[: record.turns.index(turn)]:
        state = state.apply(before).state
    placed = LegalTurns(state, frozenset(state.standing)).turns((turn.cell, turn.tile, turn.rot))
    meeples, spaces = placed.kinds["meeple"], placed.kinds[""]
    kinds = 1.0 + PARAMS.action_odds * math.sqrt(meeples / spaces) + PARAMS.action_odds
    chance = PARAMS.action_odds / kinds / spaces / len(pack.tokens)
    assert set(placed.kinds) == {"", "meeple"} and spaces > 1, "a ranger is displaced"
    assert action_prior(state, placed, turn) == pytest.approx(math.log(chance))
