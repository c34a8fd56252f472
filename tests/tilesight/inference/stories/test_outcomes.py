"""Outcomes: answers that leave the same table are one answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.games import tile_game_named, tile_game_names
from engine.pack import load_pack
from engine.tiles.actions import Meeple
from engine.tiles.game import GameState, Header
from engine.tiles.turn import Turn
from tests.tilesight.synthetic import CLEAN, Camera, film
from tilesight.inference.params import QUESTIONS
from tilesight.inference.stories.asking import Asking
from tilesight.inference.stories.outcomes import table_after
from tilesight.inference.stories.search import SearchedTurn
from tilesight.simulation.tile_games import random_game

PACK = load_pack("bastide")
START = tile_game_named("carcassonne").start(Header("carcassonne", PACK.id, ("red", "blue")), PACK)
ROAD = Turn("red", "BC-U", (1, 0), 0)
"""A straight road with a field on either side, right of the start tile."""


def meeple(turn: Turn, feature: str) -> Turn:
    return replace(turn, action=Meeple(feature))


def same(one: Turn, other: Turn, state: GameState = START) -> bool:
    return table_after(state, one) == table_after(state, other)


def test_a_tile_that_equals_itself_turned_leaves_the_same_table() -> None:
    turned = replace(ROAD, rot=180)
    assert same(ROAD, turned)
    assert same(meeple(ROAD, "r0"), meeple(turned, "r0"))
    assert same(meeple(ROAD, "f0"), meeple(turned, "f1")) != same(meeple(ROAD, "f0"), meeple(turned, "f0"))
    assert not same(ROAD, meeple(ROAD, "r0"))
    assert not same(meeple(ROAD, "f0"), meeple(ROAD, "f1"))


def test_a_coat_of_arms_is_another_table() -> None:
    assert not same(Turn("red", "BC-M", (0, -1), 180), Turn("red", "BC-N", (0, -1), 180))
    assert not same(Turn("red", "BC-H", (0, -1), 0), Turn("red", "BC-G", (0, -1), 0))


def test_two_parts_of_one_field_are_one_place() -> None:
    """The road ends at a monastery: the fields on either side of it are one."""
    road = Turn("blue", "BC-U", (-1, 0), 0)
    state = START.apply(Turn("red", "BC-A", (1, 0), 90)).state
    assert same(meeple(road, "f0"), meeple(road, "f1"), state)
    assert not same(meeple(road, "f0"), meeple(road, "r0"), state)


@pytest.mark.parametrize("game", sorted(tile_game_names()))
def test_legal_turns_with_other_scores_or_supplies_are_never_one(game: str) -> None:
    """In every game, turns with one outcome have the same points, supplies and places to lay a tile."""
    rules = tile_game_named(game)
    pack = load_pack({"carcassonne": "bastide", "hunters-gatherers": "taiga"}.get(game, rules.default_pack))
    record = random_game(pack, 2, 5, turns=14, hands_seen=False)
    state = rules.start(record.header, pack)  # type: ignore[arg-type]
    for turn in record.turns:
        outcomes: dict[object, GameState] = {}
        for design in sorted(state.bag)[:6]:
            for cell, rot in state.placements(design)[:3]:
                for other in list(state.turns_for(design, cell, rot))[:6]:
                    after = state.apply(other).state
                    first = outcomes.setdefault(table_after(state, other), after)
                    assert first.supply == after.supply
                    assert dict(first.final().scores) == dict(after.final().scores)
                    assert first.grid.spaces == after.grid.spaces
        state = state.apply(turn).state


def test_no_question_is_asked_if_all_answers_leave_the_same_table() -> None:
    seen = [look for _, look in film(START, (ROAD,), replace(CLEAN, frames=8), 1, Camera(START, CLEAN, 1))][
        -1
    ]
    asking = Asking(lambda _, turn: table_after(START, turn))

    def asked(*others: Turn) -> int:
        share = 0.9 / (1 + len(others))
        searched = SearchedTurn(ROAD, share, share, tuple((turn, share) for turn in others), (), 1)
        for number in range(QUESTIONS.ask_after + 2):
            late = replace(seen, t_s=seen.t_s + 60.0 * number)
            doubt = asking.doubt([searched], late)
        asking.drop(0)
        return 0 if doubt is None else len(doubt.options)

    assert asked(replace(ROAD, rot=180)) == 0 and asking.alike == {1}
    assert asked(replace(ROAD, rot=180), meeple(ROAD, "r0")) == 2


def test_a_turn_that_need_not_be_asked_about_does_not_keep_later_ones_from_it() -> None:
    asking = Asking(lambda number, turn: table_after(START, turn) if number == 1 else turn)
    other = Turn("blue", "BC-V", (-1, 0), 0)
    alike = SearchedTurn(ROAD, 0.5, 0.5, ((replace(ROAD, rot=180), 0.45),), (), 1)
    open_turn = SearchedTurn(other, 0.5, 0.5, ((replace(other, rot=90), 0.45),), (), 1)
    doubt = asking.last([alike, open_turn])
    assert doubt is not None and doubt.number == 2
