"""Simulated play: tables over time, and pictures of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.pack import load_pack
from tests.tilesight.synthetic import plain_game
from tilesight.bench.inference.params import PARAMS
from tilesight.bench.inference.scenario import PACES, PicturePace, Play, picture_times, play, turns_in_gaps


def played(seed: int, turns: int = 20, pack: str = "bastide", **habits: float) -> Play:
    params = replace(PARAMS, **habits)
    return play(*plain_game(load_pack(pack), seed, turns), np.random.default_rng(seed), params)


@pytest.mark.parametrize("pack", ["bastide", "savanna", "taiga"])
def test_in_the_end_the_table_is_as_the_engine_says(pack: str) -> None:
    for seed in range(3):
        one = played(seed, pack=pack)
        last = list(one.moments([0.0, one.end_s]))[-1]
        assert last.turns == len(one.turns)
        assert sorted(last.standing, key=str) == sorted(one.steps[-1].state.standing, key=str)


@pytest.mark.parametrize("pace", PACES)
def test_pictures_are_in_order_and_show_the_end(pace: PicturePace) -> None:
    one = played(4)
    times = picture_times(one, np.random.default_rng(1), pace)
    assert times == sorted(times) and times[0] == 0.0
    assert times[-1] >= max(one.placed)


def test_one_picture_a_turn_of_orderly_play_leaves_no_turn_in_a_gap() -> None:
    one = played(5, pair=0.0, late=0.0, hole=0.0, skipped=0.0)
    times = picture_times(one, np.random.default_rng(1), "turn")
    shown = [moment.turns for moment in one.moments(times)]
    assert turns_in_gaps(shown, len(one.turns)) == frozenset()


def test_while_the_camera_looks_away_turns_are_in_gaps() -> None:
    one = played(6, hole=1.0)
    times = picture_times(one, np.random.default_rng(1), "film")
    gaps = turns_in_gaps([moment.turns for moment in one.moments(times)], len(one.turns))
    away = {n for n, notes in enumerate(one.notes, 1) if any("away for" in note for note in notes)}
    assert gaps and gaps <= away | {n + 1 for n in away}


def test_turns_between_two_pictures_that_show_others_are_in_a_gap() -> None:
    assert turns_in_gaps([0, 1, 1, 4, 5], 6) == {2, 3, 4, 6}


def test_forgotten_pieces_stand_for_some_turns() -> None:
    one = played(7, turns=30, forgotten=1.0, late=0.0)
    noted = [n for n, notes in enumerate(one.notes, 1) if any("stay" in note for note in notes)]
    assert noted
    between = [(one.placed[n - 1] + 5.0) for n in noted if n < len(one.turns)]
    more = [
        set(moment.standing) - set(one.steps[moment.turns - 1].state.standing)
        for moment in one.moments(sorted(between))
    ]
    assert any(more)


def test_a_piece_that_scores_in_its_own_turn_is_noted_as_seen_or_unseen() -> None:
    one = played(8, turns=30)
    assert one.fleeting
    picture_times(one, np.random.default_rng(1), "turn")
    words = [{"scores at once", "comes and goes unseen"} & one.notes[number] for number in one.fleeting]
    assert all(len(word) == 1 for word in words)
    last = max(one.fleeting)
    came_s, home_s = one.fleeting[last]
    cell = one.turns[last].cell
    during, after = one.moments([(came_s + home_s) / 2, one.end_s])
    assert len([p for p in during.standing if p.cell == cell]) > len(
        [p for p in after.standing if p.cell == cell]
    )
