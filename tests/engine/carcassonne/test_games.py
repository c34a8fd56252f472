"""Carcassonne, whole games: the golden ones, and what holds in every one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.carcassonne.rules import MEEPLES, PRESETS
from engine.carcassonne.state import CarcassonneState
from engine.games import tile_game_named
from engine.geometry import Cell
from engine.pack import load_pack
from engine.record import Record, check, read_record, write_record
from engine.tiles.actions import Meeple
from engine.tiles.game import ScoreEvent
from engine.tiles.record import Unplaceable
from engine.tiles.turn import Turn
from tests.engine.carcassonne.flood import final_points, finished_points
from tests.engine.lab import GOLDEN
from tests.engine.symmetry import (
    assert_renaming_keeps_scores,
    assert_turning_keeps_scores,
    assert_undo_keeps_positions,
    steps,
)
from tests.tile_records import header_of, start_of
from tilesight.simulation.tile_games import Style, random_game

PACK = load_pack("carcassonne")
GAME = tile_game_named("carcassonne")
FOLDER = GOLDEN / "carcassonne"
GAMES = sorted(FOLDER.glob("*.game.jsonl"))
ILLEGAL = [json.loads(line) for line in (FOLDER / "illegal.jsonl").read_text("utf-8").splitlines()]
few = settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.too_slow])
seeds = st.integers(0, 10_000)


def some_game(seed: int, *, turns: int | None = None, expect: bool = False, river: bool = True) -> Record:
    """A game by any edition, with a river or without, a few turns of it greedy."""
    style = Style(greedy=0.15 * (seed % 3), idle=0.05)
    opening = {"river": ("c1", "c3")[seed % 2]} if river and seed % 3 else {}
    rules = list(PRESETS)[seed % len(PRESETS)]
    return random_game(
        PACK, 2 + seed % 4, seed, turns=turns, rules=rules, style=style, expect=expect, opening=opening
    )


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.name)
def test_a_golden_game_checks_with_every_expectation(path: Path) -> None:
    """games/README.md: 'a second scorer and two other engines that agree turn by turn'."""
    record = read_record(path)
    result = check(record)
    assert (result.faults, result.unmet) == ((), ())
    assert result.turns == len(record.turns)


@pytest.mark.rule("rulings-carcassonne", "Turn (Carcassonne)")
@pytest.mark.parametrize("case", ILLEGAL, ids=lambda case: case["illegal"][:40])
def test_an_illegal_record_is_refused_at_its_last_line_with_its_codes(
    case: dict[str, list[object]],
) -> None:
    result = check(read_record("\n".join(map(json.dumps, case["record"]))))
    assert result.line == len(case["record"])
    assert {fault.code for fault in result.faults} == set(case["codes"])


def test_every_turn_of_a_golden_game_is_among_those_listed() -> None:
    for path in GAMES[1:3]:
        record = read_record(path)
        state = start_of(record, PACK)
        for line in record.lines:
            if isinstance(turn := line.event, Turn):
                assert (turn.cell, turn.rot) in state.placements(turn.tile)
                assert turn in state.turns_for(turn.tile, turn.cell, turn.rot)
                state = state.apply(turn).state
            elif isinstance(line.event, Unplaceable):
                state = state.unplaceable(line.event.tile)


@few
@given(seeds)
def test_a_random_game_checks_as_expected(seed: int) -> None:
    record = some_game(seed, expect=True)
    again = read_record(write_record(record))
    assert (again.header, again.lines) == (record.header, record.lines)
    result = check(again)
    assert (result.faults, result.unmet) == ((), ())
    drawn = Counter(line.event.tile for line in record.lines if isinstance(line.event, Turn | Unplaceable))
    assert result.state is not None and drawn == cast(CarcassonneState, result.state).whole_bag
    assert sum(drawn.values()) == (71 if header_of(record).river is None else 82)


@few
@given(seeds)
def test_meeples_and_points_are_conserved(seed: int) -> None:
    for before, step in steps(some_game(seed), PACK):
        state = cast(CarcassonneState, step.state)
        pieces = Counter(piece.color for piece in state.standing)
        assert all(state.supply[player] + pieces[player] == MEEPLES for player in state.players)
        on_regions = Counter(
            (color, place)
            for region in (*state.landscape.regions, *state.closed)
            for color, place in region.meeples
        )
        monks = Counter((p.color or "", (p.cell, p.feature or "")) for p in state.standing)
        assert on_regions <= monks and all(place[1] == "m0" for _, place in (monks - on_regions))
        assert Counter(step.state.standing) - Counter(step.laid) == Counter()  # nothing appears by scoring
        gained = sum(event.points for event in step.events)
        assert sum(state.scores.values()) == sum(before.scores.values()) + gained


@pytest.mark.rule("rulings-carcassonne", "Meeple (Carcassonne)")
@few
@given(seeds)
def test_no_feature_is_shared_but_by_joining(seed: int) -> None:
    """docs/rulings.md, 'Meeple (Carcassonne)': two meeples on one feature came by two tiles."""
    for before, step in steps(some_game(seed, turns=40), PACK):
        state = cast(CarcassonneState, step.state)
        places = [place for r in (*state.landscape.regions, *state.closed) for place in r.places]
        assert len(places) == len(set(places))  # no part of a tile belongs to two features
        new = {(p.cell, p.feature) for p in step.laid} - {(p.cell, p.feature) for p in before.standing}
        for region in state.landscape.regions:
            here = [place for _, place in region.meeples if place in new]
            assert not here or len(region.meeples) == 1


@few
@given(seeds)
def test_undo_is_keeping_the_old_position(seed: int) -> None:
    assert_undo_keeps_positions(some_game(seed, turns=30), PACK)


@pytest.mark.rule("rulings-carcassonne", "Placing (Carcassonne)")
@few
@given(seeds)
def test_a_turn_is_legal_exactly_if_it_is_listed(seed: int) -> None:
    *_, (_, step) = steps(some_game(seed, turns=3 + seed % 30), PACK)
    state = cast(CarcassonneState, step.state)
    for design_id in islice(state.bag, seed % 3, None, 4):
        listed_places = state.placements(design_id)
        for cell in state.grid.spaces:
            for rot in (0, 90, 180, 270):
                legal = state.faults(Turn(state.player, design_id, cell, rot)) == ()
                assert legal == ((cell, rot) in listed_places)
        for cell, rot in listed_places[:3]:
            turns = list(state.turns_for(design_id, cell, rot))
            assert turns[0].action is None and len(set(map(str, turns))) == len(turns)
            listed = {turn.action for turn in turns}
            for feature in PACK.designs[design_id].tile.features:
                turn = Turn(state.player, design_id, cell, rot, Meeple(feature.id))
                assert (state.faults(turn) == ()) == (turn.action in listed)


@few
@given(seeds)
def test_turning_the_whole_board_keeps_every_score(seed: int) -> None:
    assert_turning_keeps_scores(some_game(seed, river=False), PACK)


@few
@given(seeds)
def test_renaming_the_colours_keeps_every_score(seed: int) -> None:
    assert_renaming_keeps_scores(some_game(seed), GAME.colors)


@few
@given(seeds)
def test_a_bare_board_is_worth_what_the_final_scoring_gives(seed: int) -> None:
    record = some_game(seed)
    *_, (_, step) = steps(record, PACK)
    state = step.state
    seen = GAME.final_seen(PACK, state.board, state.standing, record.header.rules)
    ended = state.final().events
    assert _paid(seen.events) == _paid(ended)
    points = Counter[str]()
    for event in ended:
        points[event.player] += event.points
    assert {player: seen.scores.get(player, 0) for player in state.players} == {
        player: points[player] for player in state.players
    }


def _paid(events: Iterable[ScoreEvent]) -> Counter[tuple[str, int, str, str, frozenset[Cell]]]:
    return Counter((one.player, one.points, one.kind, one.why, frozenset(one.cells)) for one in events)


@pytest.mark.rule("rulings-carcassonne", "End (Carcassonne)")
@few
@given(seeds)
def test_a_slow_scorer_that_floods_the_board_agrees(seed: int) -> None:
    """The features that grow turn by turn are those found anew on the bare table."""
    record = some_game(seed)
    rules = PRESETS[record.header.rules or "third"]
    for number, (_, step) in enumerate(steps(record, PACK)):
        if step.events or number % 9 == 0:
            cell = list(step.state.board)[-1]
            got: Counter[str] = Counter()
            for event in step.events:
                got[event.player] += event.points
            assert got == finished_points(step.state.board, cell, step.laid, small=rules.small_city)
    ended: Counter[str] = Counter()
    for event in step.state.final().events:
        ended[event.player] += event.points
    assert +ended == +final_points(step.state.board, step.state.standing, rules.field_scoring)


@few
@given(seeds)
def test_points_of_all_features_if_ended_now_add_up_to_the_final_scoring(seed: int) -> None:
    *_, (_, step) = steps(some_game(seed, turns=50), PACK)
    told: Counter[str] = Counter()
    for spot in step.state.spots():
        told.update({color: points for color, points in spot.if_ended.items() if points})
        assert set(spot.if_ended) == set(spot.meeples)
    ended: Counter[str] = Counter()
    for event in step.state.final().events:
        ended[event.player] += event.points
    assert told == +ended
