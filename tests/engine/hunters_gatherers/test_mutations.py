"""Hunters and Gatherers: random games with one illegal change each, which is refused with its code.

These changes need a certain position; the plain ones are in test_games.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import cast

import pytest

from engine.hunters_gatherers.actions import Hut, SentHome
from engine.hunters_gatherers.state import HuntersState
from engine.hunters_gatherers.water import water_laid, waters
from engine.pack import load_pack
from engine.safari.actions import Dig, MoveRanger
from engine.tiles.actions import Meeple
from engine.tiles.board import Laid
from engine.tiles.turn import Turn
from tests.engine.lab import changed
from tests.engine.symmetry import steps
from tilesight.simulation.tile_games import Style, random_game

PACK = load_pack("hunters-gatherers-2020")
GAMES = 4


@lru_cache
def some_game(seed: int) -> list[tuple[HuntersState, Turn]]:
    """Every turn of a game and the position before it."""
    record = random_game(PACK, 2 + seed % 2, seed, style=Style(greedy=0.05 * seed, idle=0.0))
    turns = iter(record.turns)
    return [(cast(HuntersState, before), next(turns)) for before, _ in steps(record, PACK)]


Changed = Iterator[Turn]


def _features(turn: Turn, *kinds: str) -> list[str]:
    return [item.id for item in PACK.designs[turn.tile].tile.features if item.kind in kinds]


def _bare(turn: Turn, action: Meeple | Hut) -> Turn:
    return changed(turn, action=action, sent_home=None)


def _sixth_meeple(state: HuntersState, turn: Turn) -> Changed:
    if not state.supply[turn.player]:
        yield from (_bare(turn, Meeple(name)) for name in _features(turn, "forest", "river", "grassland"))


def _fourth_hut(state: HuntersState, turn: Turn) -> Changed:
    if not state.hut_supply[turn.player]:
        yield from (_bare(turn, Hut(name)) for name in _features(turn, "river", "lake"))


def _second_hut(state: HuntersState, turn: Turn) -> Changed:
    laid = Laid(PACK.designs[turn.tile], turn.rot)
    water = water_laid(laid)
    if water is not None:
        _, systems = state.systems.lay(turn.cell, water)
        for name, system in waters(laid.design.tile).system_of.items():
            if systems[system].meeples:
                yield _bare(turn, Hut(name))


def _fisher_on_a_lake(_: HuntersState, turn: Turn) -> Changed:
    yield from (_bare(turn, Meeple(name)) for name in _features(turn, "lake"))


def _occupied(state: HuntersState, turn: Turn) -> Changed:
    _, mine = state.landscape.lay(turn.cell, Laid(PACK.designs[turn.tile], turn.rot))
    yield from (_bare(turn, Meeple(name)) for name, region in mine.items() if region.meeples)


def _shaman_of_another(state: HuntersState, turn: Turn) -> Changed:
    for place, piece in state.meeples.items():
        if piece.color != turn.player:
            yield changed(turn, sent_home=place)


def _shaman_without_shaman(state: HuntersState, turn: Turn) -> Changed:
    if not turn.parts_of(SentHome) and turn.tile != "HG88":
        own = (place for place, piece in state.meeples.items() if piece.color == turn.player)
        yield from (changed(turn, sent_home=place) for place in own)


def _of_another_game(_: HuntersState, turn: Turn) -> Changed:
    yield replace(turn, action=MoveRanger((2, 0), (0, 2)))
    yield replace(turn, action=Dig((0, 0), "ne", "lion"))


def _out_of_turn(state: HuntersState, turn: Turn) -> Changed:
    if state.extra:  # the extra turn is the same player's
        following = state.players[(state.seat + 1) % len(state.players)]
        yield changed(turn, player=following, sent_home=None)


MUTATIONS: dict[str, Callable[[HuntersState, Turn], Changed]] = {
    "no_meeple": _sixth_meeple,
    "no_hut": _fourth_hut,
    "system_has_hut": _second_hut,
    "meeple_on_lake": _fisher_on_a_lake,
    "feature_occupied": _occupied,
    "shaman_no_meeple": _shaman_of_another,
    "no_shaman": _shaman_without_shaman,
    "unknown_action": _of_another_game,
    "wrong_player": _out_of_turn,
}


@pytest.mark.parametrize("code", MUTATIONS)
def test_a_turn_changed_against_the_rules_is_refused_with_its_code(code: str) -> None:
    """Any single change that breaks a rule is refused, and the code says which."""
    tried = 0
    for seed in range(GAMES):
        for before, turn in some_game(seed):
            assert before.faults(turn) == ()
            for other in MUTATIONS[code](before, turn):
                assert code in [fault.code for fault in before.faults(other)], other
                tried += 1
    assert tried >= 4
