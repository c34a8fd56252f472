"""Forced turns: what a table has accepted is played, and legal turns come out as without force."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from engine.pack import load_pack
from engine.tiles.actions import Put
from engine.tiles.game import GameState
from engine.tiles.turn import Turn
from tests.engine.symmetry import steps
from tilesight.simulation.tile_games import random_game

GAMES = [
    ("savanna", {}),
    ("hunters-gatherers-2020", {}),
    ("carcassonne", {}),
    ("carcassonne", {"river": "c1"}),
]
each_game = pytest.mark.parametrize(
    ("name", "opening"), GAMES, ids=("safari", "hunters", "carcassonne", "river")
)


def unscored(state: GameState, scores: dict[str, int]) -> GameState:
    return replace(state, scores=scores)


@each_game
def test_a_legal_turn_has_the_same_result_but_for_its_points(name: str, opening: dict[str, str]) -> None:
    pack = load_pack(name)
    record = random_game(pack, 3, seed=7, turns=40, opening=opening)
    turns = [line.event for line in record.lines if isinstance(line.event, Turn)]
    for turn, (state, step) in zip(turns, steps(record, pack), strict=False):
        forced, faults = state.forced(turn.seen)
        strict = state.apply(turn.seen)
        assert (faults, forced.events) == ((), ())
        assert unscored(forced.state, {}) == unscored(strict.state, {})
        assert forced.state.scores == state.scores
        assert forced.laid == strict.laid
        assert step.state.board.keys() == forced.state.board.keys()


@each_game
def test_any_turn_is_played_and_its_faults_told(name: str, opening: dict[str, str]) -> None:
    """Random tiles and pieces anywhere: nothing raises, and strict rules find faults in the same turns."""
    pack, rng = load_pack(name), random.Random(3)
    record = random_game(pack, 3, seed=11, turns=30, opening=opening)
    *_, (state, _) = steps(record, pack)
    animals = list(pack.tokens) or [""]
    for _ in range(400):
        x, y = rng.choice(list(state.board))
        cell = (x + rng.randint(-2, 2), y + rng.randint(-2, 2))
        turn = Turn(state.player, rng.choice(list(state.whole_bag)), cell, 90 * rng.randrange(4))
        laid_board = state.board.get(cell)
        uses = [use.action for use in state.feature_uses(cell, laid_board)] if laid_board else []
        for piece in (Put("ranger", cell), Put("token", (x, y), "ne", rng.choice(animals))):
            uses += state.actions_putting(turn, piece)
        if uses:
            turn = replace(turn, action=rng.choice(uses))
        step, faults = state.forced(turn)
        assert bool(state.faults(turn)) == bool(faults)
        assert (cell in step.state.board) and step.state.scores == state.scores
        if rng.random() < 0.5 and not step.state.over:
            state = step.state
