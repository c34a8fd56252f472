"""Of turns that differ in an animal or in a space beside the tiles alone, one is played."""

from __future__ import annotations

import random

import pytest

from engine.games import tile_game_named
from engine.geometry import CORNERS
from engine.pack import load_pack
from engine.tiles.game import Header
from engine.tiles.turn import Turn
from tilesight.inference.candidates import LegalTurns, Outcome, but_choices, outcome_of


@pytest.mark.parametrize("seed", range(3))
def test_the_outcome_of_a_variant_is_that_of_the_turn_played(seed: int) -> None:
    dice = random.Random(seed)
    state = tile_game_named("safari").start(
        Header("safari", "savanna", ("blue", "red")), load_pack("savanna")
    )
    exchanged = 0
    for _ in range(12):
        design = dice.choice(sorted(state.bag))
        spaces = state.placements(design)
        if not spaces:
            continue
        cell, rot = dice.choice(spaces)
        turns = list(state.turns_for(design, cell, rot))
        everywhere = [(at, corner) for at in (*state.board, cell) for corner in CORNERS]
        plain, on_corners = (list(state.turns_for(design, cell, rot, at)) for at in ((), everywhere))
        assert plain + on_corners == turns
        standing = frozenset(state.standing)
        placed = LegalTurns(state, standing).turns((cell, design, rot))
        played: set[tuple[object, ...]] = set()
        for turn in dice.sample(turns, min(60, len(turns))):
            alone, shared = outcome_of(state, standing, turn), placed.outcome(turn)
            assert _shown(shared) == _shown(alone)
            key = but_choices(turn)
            exchanged += key in played
            if key is not None:
                played.add(key)
        state = state.apply(_eager(dice, turns)).state
    assert exchanged > 20


def _shown(outcome: Outcome) -> tuple[object, ...]:
    stages = outcome.stages
    return (stages.bare, set(stages.mid), stages.rest, stages.scored_away, outcome.board, outcome.step)


def _eager(dice: random.Random, turns: list[Turn]) -> Turn:
    """A turn that puts a piece down, or adds bonus tiles, where there is one."""
    return dice.choice([turn for turn in turns if turn.action is not None or turn.bonus] or turns)
