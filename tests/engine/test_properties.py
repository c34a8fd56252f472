"""Properties of every game: nothing is lost, undo is exact, names and the compass do not matter."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.games import tile_game_named
from engine.pack import load_pack
from engine.record import Record, Unplaceable, check, read_record, write_record
from engine.safari.rules import MEEPLES
from engine.safari.state import SafariState
from tests.engine.symmetry import (
    assert_renaming_keeps_scores,
    assert_turning_keeps_scores,
    assert_undo_keeps_positions,
    steps,
)
from tilesight.simulation.tile_games import Style, random_game

PACK = load_pack("savanna")
SAFARI = tile_game_named("safari")
few = settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
seeds = st.integers(0, 10_000)


def some_game(seed: int, *, turns: int | None = None, expect: bool = False, seen: bool = True) -> Record:
    """A game with every kind of action, more or less greedy, in either edition."""
    style = Style(greedy=(seed % 3) / 4, idle=0.05)
    rules = ("zman", "hig")[seed % 2]
    return random_game(
        PACK, 2 + seed % 4, seed, turns=turns, rules=rules, style=style, expect=expect, hands_seen=seen
    )


@few
@given(seeds, st.booleans())
def test_a_random_game_checks_as_expected(seed: int, seen: bool) -> None:
    record = some_game(seed, expect=True, seen=seen)
    result = check(read_record(write_record(record)))
    assert (result.faults, result.unmet) == ((), ())
    assert result.turns + sum(isinstance(line.event, Unplaceable) for line in record.lines) == 72


@few
@given(seeds)
def test_meeples_animal_tiles_and_rangers_are_conserved(seed: int) -> None:
    for _, step in steps(some_game(seed), PACK):
        state = cast(SafariState, step.state)
        pieces = Counter((piece.kind, piece.color) for piece in state.standing)
        for player in state.players:
            assert state.supply[player] + pieces["meeple", player] == MEEPLES
        assert pieces["ranger", "white"] == 2
        assert len({piece.cell for piece in state.standing if piece.kind == "ranger"}) == 2
        in_hand = sum(len(hand) for hand in state.hands.values())
        tokens = pieces["token", None]
        assert state.animals.stock + sum(state.animals.discards.values()) + in_hand + tokens == 50
        assert sum(state.animals.hidden.values()) == state.animals.stock  # every hand was seen


@few
@given(seeds)
def test_undo_is_keeping_the_old_position(seed: int) -> None:
    assert_undo_keeps_positions(some_game(seed, turns=25), PACK)


@few
@given(seeds)
def test_every_turn_listed_is_legal_and_listed_once(seed: int) -> None:
    record = some_game(seed, turns=20, seen=seed % 2 == 0)
    *_, (_, step) = steps(record, PACK)
    state = step.state
    for design_id in islice(state.bag, seed % 7, None, 9):
        for cell, rot in state.placements(design_id)[:3]:
            turns = list(islice(state.turns_for(design_id, cell, rot), 150))
            assert turns[0].action is None
            assert all(state.faults(turn) == () for turn in turns)
            assert len({str(turn.to_json()) for turn in turns}) == len(turns)


@pytest.mark.long
@few
@given(seeds)
def test_the_table_in_mid_turn_is_the_table_at_rest_but_for_what_goes_home(seed: int) -> None:
    for _, step in steps(some_game(seed), PACK):
        gone = Counter(step.laid) - Counter(step.state.standing)
        come = Counter(step.state.standing) - Counter(step.laid)
        assert {piece.kind for piece in come} <= {"ranger"}  # only a displaced ranger comes back
        assert {piece.kind for piece in gone} <= {"meeple", "token"}
        assert gone.keys() <= set(step.laid) and (step.events or not gone)


@few
@given(seeds)
def test_turning_the_whole_board_keeps_every_score(seed: int) -> None:
    assert_turning_keeps_scores(some_game(seed), PACK, rangers=((0, -2), (0, 2)))


@few
@given(seeds)
def test_renaming_the_colours_keeps_every_score(seed: int) -> None:
    assert_renaming_keeps_scores(some_game(seed), SAFARI.colors)


@pytest.mark.parametrize("seed", range(3))
def test_a_game_within_a_span_stays_there(seed: int) -> None:
    style = Style(allow=("meeple", "ranger"), span=(8, 6))
    record = random_game(PACK, ("red", "blue"), seed, turns=24, style=style, hands_seen=False)
    *_, (_, step) = steps(record, PACK)
    cells = [*step.state.board, *(piece.cell for piece in step.state.standing)]
    for axis, size in ((0, 8), (1, 6)):
        along = [cell[axis] for cell in cells]
        assert max(along) - min(along) < size
