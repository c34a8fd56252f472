"""Candidate turns: one is played of those that differ only in an animal or in a space beside the tiles."""

from __future__ import annotations

import math
import random

import pytest

from engine.games import tile_game_named
from engine.geometry import CORNERS, Cell
from engine.pack import load_pack
from engine.safari.actions import Bonus
from engine.tiles.game import GameState, Header
from engine.tiles.turn import Turn
from tests.tilesight.synthetic import CLEAN, Camera
from tilesight.inference.candidates import LegalTurns, TurnOutcome, key_without_choices, outcome_of
from tilesight.inference.params import PARAMS
from tilesight.inference.view import ReadingHistory, view_of
from vision.geometry.lattice_frame import LatticeFrame


@pytest.mark.parametrize("seed", range(3))
def test_the_outcome_of_a_variant_is_that_of_the_turn_played(seed: int) -> None:
    dice = random.Random(seed)
    state = tile_game_named("safari").start(
        Header("safari", "savanna", ("blue", "red")), load_pack("savanna")
    )
    with_swapped = 0
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
            key = key_without_choices(turn)
            with_swapped += key in played
            if key is not None:
                played.add(key)
        state = state.apply(_eager(dice, turns)).state
    assert with_swapped > 20


def test_each_kind_of_action_is_likelier_than_none_in_an_unseen_turn() -> None:
    pack = load_pack("savanna")
    state = tile_game_named("safari").start(Header("safari", "savanna", ("blue", "red")), pack)
    design = next(name for name in sorted(state.bag) if state.placements(name))
    cell, rot = next(place for place in state.placements(design) if place[0] not in ranger_cells(state))
    placed = LegalTurns(state, frozenset(state.standing)).turns((cell, design, rot))
    shares: dict[str, float] = {}
    for candidate in placed.without_corners():
        kind = "" if candidate.turn.action is None else candidate.turn.action.type
        shares[kind] = shares.get(kind, 0.0) + math.exp(placed.prior(candidate.turn))
    assert sum(shares.values()) == pytest.approx(1.0)
    assert {"", "meeple", "ranger"} == set(shares)
    assert shares["ranger"] == pytest.approx(PARAMS.action_odds * shares[""])


def test_a_tile_laid_unseen_may_have_taken_the_place_of_a_ranger() -> None:
    pack = load_pack("savanna")
    state = tile_game_named("safari").start(Header("safari", "savanna", ("blue", "red")), pack)
    design = next(name for name in sorted(state.bag) if state.placements(name))
    cell, rot = next(place for place in state.placements(design) if place[0] not in ranger_cells(state))
    legal = LegalTurns(state, frozenset(state.standing))
    after = state.apply(next(iter(state.turns_for(design, cell, rot, ())))).state
    second = next(name for name in sorted(after.bag) if after.placements(name))
    there, turned = next(place for place in after.placements(second) if place[0] not in ranger_cells(state))
    last = after.apply(next(iter(after.turns_for(second, there, turned, ())))).state
    picture = Camera(state, CLEAN, 3).frame(last.board, last.standing)
    view = view_of(picture, LatticeFrame((0, 0), 0), state.board, state.players, ReadingHistory())
    for unseen in (False, True):
        ready = legal.waiting((cell, design, rot)).ready(view.signs, unseen=unseen)
        moved = {
            one.turn.action.put.cell
            for one in ready
            if one.turn.action is not None
            and one.turn.action.type == "ranger"
            and one.turn.action.put is not None
        }
        assert (there in moved) is unseen


def ranger_cells(state: GameState) -> set[Cell]:
    return {piece.cell for piece in state.standing if piece.kind == "ranger"}


def _shown(outcome: TurnOutcome) -> tuple[object, ...]:
    stages = outcome.stages
    return (stages.bare, set(stages.mid), stages.rest, stages.scored_away, outcome.board, outcome.step)


def _eager(dice: random.Random, turns: list[Turn]) -> Turn:
    """A turn that puts a piece down, or adds bonus tiles, where there is one."""
    return dice.choice([turn for turn in turns if turn.action is not None or turn.parts_of(Bonus)] or turns)
