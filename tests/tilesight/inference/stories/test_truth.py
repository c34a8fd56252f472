"""The game as it was played is never impossible, and seldom unlikely, over a thousand simulated games."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from engine.tiles.turn import Turn
from tilesight.bench.inference.camera import SimulatedCamera
from tilesight.bench.inference.command import log_score
from tilesight.bench.inference.game import SEEDS_APART, SimulationTask, drawn_game
from tilesight.bench.inference.scenario import picture_times, play
from tilesight.inference.board_registration import fit_lattice
from tilesight.inference.stories.search import Search

SEED, TURNS, GAMES = 7, 2, 100


def searched(number: int) -> tuple[Search, Sequence[Turn]]:
    """Return the search after all pictures of simulated game ``number``, and the turns played."""
    task, own = SimulationTask(number, SEED, turns=TURNS), SEEDS_APART * SEED + number
    rng = np.random.default_rng(own)
    start, turns, _ = drawn_game(task.name, own, number, TURNS)
    played = play(start, turns, rng)
    camera, search, lattice = SimulatedCamera(start, rng), Search(start), None
    for moment in played.moments(picture_times(played, rng, task.chosen_pace)):
        board = (played.steps[moment.turns - 1].state if moment.turns else start).board
        seen = camera.picture(moment.t_s, board, moment.standing, moment.hand)
        found = None if seen.pose is None else fit_lattice(seen, search.board, lattice)
        if found is not None:
            lattice = found
            search.see(seen, found)
    search.finish()
    return search, [turn.seen for turn in turns]


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, 1000, GAMES))
def test_the_true_story_is_possible_and_ranks_high(first: int) -> None:
    gaps, ranks, told = [], [], []
    for number in range(first, first + GAMES):
        search, turns = searched(number)
        truth = search._scales.weigh(tuple(search._moves.of(turn) for turn in turns))
        gaps.append(search.best.score - truth.score)
        ranks.append(sum(story.score > truth.score + 1e-6 for story in search._pool.stories.values()))
        told += [(one.sure, one.turn == turn) for one, turn in zip(search.turns, turns, strict=False)]
    assert all(map(math.isfinite, gaps))
    assert np.mean(np.array(ranks) == 0) >= 0.65, "the truth is the best story in most games"
    assert np.mean(np.array(gaps) < 8.0) >= 0.98, "the truth is within reach of the search"
    assert log_score(told) >= -0.4
