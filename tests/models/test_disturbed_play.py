"""Mishaps of a rendered game: the plan, and the camera's pictures of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.pack import load_pack
from models.train.disturbed_play import MISHAPS, Telling, as_disturbed, planned, played
from models.train.render_record import start_of
from models.train.table_stage import PLAIN, Push, Stage
from tilesight.simulation.tile_games import Style, random_game

PACK = load_pack("savanna")
RECORD = random_game(PACK, 3, 5, turns=30, style=Style(greedy=0.6), hands_seen=False)
START = start_of(RECORD, PACK)
GAME = played(START, RECORD.turns)


def test_every_mishap_comes_and_the_table_ends_as_it_was_played() -> None:
    rng = np.random.default_rng(2)
    plan = planned(GAME, rng, MISHAPS)
    assert plan.late and plan.pairs and plan.swapped and plan.forgotten and plan.pushes and plan.nudges
    moments = list(Telling(START, rng, 2, MISHAPS, plan).told(GAME))
    end = GAME[-1].step.state
    assert moments[-1].board == end.board
    assert set(end.standing) <= set(moments[-1].standing)
    assert moments[-1].done == len(GAME)
    assert moments[-1].shot.push != Push() and moments[-1].shot.turn_deg
    # A pair's first turn is never seen finished by itself.
    assert set(plan.pairs).isdisjoint(moment.done - 1 for moment in moments)
    index, forgotten = next(iter(plan.forgotten.items()))
    seen = [moment for moment in moments if moment.done == index + 2]
    assert all(set(forgotten) <= set(moment.standing) for moment in seen)


def test_a_third_of_the_pictures_show_a_hand() -> None:
    moments = list(as_disturbed(START, RECORD.turns, np.random.default_rng(3), frames=2, mishaps=MISHAPS))
    hands = sum(moment.frames for moment in moments if moment.shot.hand_at is not None)
    assert hands / sum(moment.frames for moment in moments) == pytest.approx(1 / 3, abs=0.08)


def test_without_mishaps_every_turn_is_seen_by_itself() -> None:
    none = replace(MISHAPS, hands=0.0, late=0, pairs=0, swapped=0, forgotten=0, pushes=0, nudges=0)
    moments = list(as_disturbed(START, RECORD.turns, np.random.default_rng(3), frames=1, mishaps=none))
    assert {moment.done for moment in moments} == set(range(len(GAME) + 1))
    assert {moment.shot.push for moment in moments} == {Push()}


def test_a_pushed_board_lies_elsewhere_in_the_picture() -> None:
    board, standing = GAME[3].step.state.board, GAME[3].step.state.standing
    stage = Stage(PACK, board, 4, (320, 180))
    still, pushed = (
        stage.picture(board, standing, shot) for shot in (PLAIN, replace(PLAIN, push=Push(8.0, 3.0, 2.0)))
    )
    assert np.abs(still.astype(int) - pushed).mean() > 4.0
