"""Hunters and Gatherers, whole games: the golden ones, and what holds in every one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.games import tile_game_named
from engine.geometry import ROTS, neighbour
from engine.hunters_gatherers.actions import Hut
from engine.hunters_gatherers.rules import HUNTING_TRAP, HUTS, MEEPLES
from engine.hunters_gatherers.state import HuntersState
from engine.hunters_gatherers.water import power_on
from engine.pack import load_pack
from engine.record import Record, check, read_record, write_record
from engine.tiles.actions import Meeple
from engine.tiles.game import GameState
from engine.tiles.record import Unplaceable
from engine.tiles.turn import Turn
from tests.engine.hunters_gatherers.flood import final_points, finished_points
from tests.engine.hunters_gatherers.lab import Valley
from tests.engine.lab import GOLDEN, changed
from tests.engine.symmetry import (
    assert_renaming_keeps_scores,
    assert_turning_keeps_scores,
    assert_undo_keeps_positions,
    steps,
)
from tests.tile_records import start_of
from tilesight.simulation.tile_games import Style, random_game

PACK = load_pack("hunters-gatherers-2020")
GAME = tile_game_named("hunters-gatherers")
FOLDER = GOLDEN / "hunters-gatherers"
GAMES = sorted(FOLDER.glob("*.game.jsonl"))
few = settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
seeds = st.integers(0, 10_000)


def some_game(seed: int, *, turns: int | None = None, expect: bool = False) -> Record:
    """A game with every kind of action, a few turns of it greedy."""
    style = Style(greedy=0.1 * (seed % 2), idle=0.05)
    return random_game(PACK, 2 + seed % 4, seed, turns=turns, style=style, expect=expect)


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.name)
def test_a_golden_game_checks_with_every_expectation(path: Path) -> None:
    """games/README.md: 'several independent engines and an own rescorer agree'."""
    record = read_record(path)
    result = check(record)
    assert (result.faults, result.unmet) == ((), ())
    assert result.turns == len(record.turns) >= 78
    assert result.state is not None and result.state.over


def test_every_turn_of_a_golden_game_is_among_those_listed() -> None:
    for path in GAMES[1:3]:
        record = read_record(path)
        state = start_of(record, PACK)
        for turn in record.turns:
            assert (turn.cell, turn.rot) in state.placements(turn.tile)
            assert turn in state.turns_for(turn.tile, turn.cell, turn.rot)
            state = state.apply(turn).state


def test_a_turn_draws_nothing_in_a_game_without_hands() -> None:
    """The dashboard and ``replay --json`` ask of every turn what was drawn in it."""
    record = some_game(3, turns=12)
    before = start_of(record, PACK)
    for turn in record.turns:
        after = before.apply(turn).state
        assert before.drawn(turn, after) == {}
        before = after


@few
@given(seeds)
def test_a_random_game_checks_as_expected(seed: int) -> None:
    record = some_game(seed, expect=True)
    again = read_record(write_record(record))
    assert again.lines == record.lines
    result = check(again)
    assert (result.faults, result.unmet) == ((), ())
    drawn = [line.event.tile for line in record.lines if isinstance(line.event, Turn | Unplaceable)]
    regular = [tile for tile in drawn if PACK.designs[tile].tile.deck == "regular"]
    assert len(regular) == len(set(regular)) == 78


def test_records_count_placements_near_the_start_tile() -> None:
    """docs/rulings.md, 'Records (Hunters and Gatherers)': x and y within -12 to 12; tiles may lie beyond."""
    table = Valley()
    for y in range(1, 13):
        table.play("GRASS-0" if y < 9 else "GRASS-D", (0, y))
    turn = table.turn("GRASS-A", (0, 13))
    inside = [cell for cell, _ in table.state.placements("GRASS-A") if cell != (0, 13)]
    assert GAME.records.expected(turn, table.state)["placements"] == len(inside)
    assert table.state.faults(turn) == ()


@few
@given(seeds)
def test_meeples_and_huts_are_conserved(seed: int) -> None:
    for before, step in steps(some_game(seed), PACK):
        state = cast(HuntersState, step.state)
        pieces = Counter((piece.kind, piece.color) for piece in state.standing)
        for player in state.players:
            assert state.supply[player] + pieces["meeple", player] == MEEPLES
            assert state.hut_supply[player] + pieces["hut", player] == HUTS
        on_regions = Counter(
            (color, place)
            for region in (*state.landscape.regions, *state.systems.regions, *state.closed)
            for color, place in region.meeples
        )
        on_table = Counter((piece.color, (piece.cell, piece.feature)) for piece in state.standing)
        assert on_regions == on_table
        assert Counter(step.state.standing) - Counter(step.laid) == Counter()  # nothing appears by scoring
        gained = sum(event.points for event in step.events)
        assert sum(state.scores.values()) == sum(before.scores.values()) + gained


@few
@given(seeds)
def test_undo_is_keeping_the_old_position(seed: int) -> None:
    assert_undo_keeps_positions(some_game(seed, turns=30), PACK)


@pytest.mark.rule("hunters-gatherers-2020", "Playing the Game")
@few
@given(seeds)
def test_a_turn_is_legal_exactly_if_it_is_listed(seed: int) -> None:
    *_, (_, step) = steps(some_game(seed, turns=30), PACK)
    state = cast(HuntersState, step.state)
    everything = {**state.stacks[0], "HG88": 1, "HG93": 1}  # as if these menhir tiles were regular ones
    state = replace(state, extra=False, stacks=(everything, {}))
    for design_id in ["HG88", *islice(everything, seed % 7, None, 11)]:
        design = PACK.designs[design_id]
        for cell, rot in state.placements(design_id)[:4]:
            turns = list(state.turns_for(design_id, cell, rot))
            assert turns[0].action is None
            assert all(state.faults(turn) == () for turn in turns)
            assert len({str(turn.to_json()) for turn in turns}) == len(turns)
            listed = {turn.action for turn in turns if not turn.parts}
            for feature in design.tile.features:
                for action in (Meeple(feature.id), Hut(feature.id)):
                    turn = Turn(state.player, design_id, cell, rot, action)
                    lake = feature.extra.get("lake")
                    named = Hut(lake) if isinstance(action, Hut) and lake else action
                    assert (state.faults(turn) == ()) == (named in listed)


@few
@given(seeds)
def test_turning_the_whole_board_keeps_every_score(seed: int) -> None:
    assert_turning_keeps_scores(some_game(seed), PACK)


@few
@given(seeds)
def test_renaming_the_colours_keeps_every_score(seed: int) -> None:
    assert_renaming_keeps_scores(some_game(seed), GAME.colors)


@few
@given(seeds)
def test_a_bare_board_is_worth_what_the_final_scoring_gives(seed: int) -> None:
    """``final_seen`` sees no covering markers and takes what a trap has in reach for covered, also what
    came after it; without the hunting trap it must agree."""
    *_, (_, step) = steps(some_game(seed), PACK)
    state = step.state
    powers = [power_on(laid.design.tile) for laid in state.board.values()]
    if any(power is not None and power[0] == HUNTING_TRAP for power in powers):
        return
    seen = GAME.final_seen(PACK, state.board, state.standing).scores
    ended = dict.fromkeys(state.players, 0)
    for event in state.final().events:
        ended[event.player] += event.points
    assert {player: seen.get(player, 0) for player in state.players} == ended


@pytest.mark.rule("hunters-gatherers-2020", "Final scoring")
@few
@given(seeds)
def test_a_slow_scorer_that_floods_the_board_agrees(seed: int) -> None:
    """The features that grow turn by turn are those found anew on the bare table."""
    for _, step in steps(some_game(seed), PACK):
        if step.events:
            cell = list(step.state.board)[-1]
            got: Counter[tuple[str, str]] = Counter()
            for event in step.events:
                if event.kind in ("forest", "river"):
                    got[event.player, event.kind] += event.points
            assert got == finished_points(step.state.board, cell, step.laid)
    state = cast(HuntersState, step.state)
    ended: Counter[str] = Counter()
    for event in state.final().events:
        ended[event.player] += event.points
    assert ended == final_points(state.board, state.standing, state.covered)


Mutation = Callable[[GameState, Turn], Turn]


def _elsewhere(state: GameState, turn: Turn) -> Turn:
    x, y = max(state.board)
    return replace(turn, cell=(x + 2, y))


def _wrong_rot(state: GameState, turn: Turn) -> Turn:
    fitting = {rot for cell, rot in state.placements(turn.tile) if cell == turn.cell}
    return replace(turn, rot=next((rot for rot in ROTS if rot not in fitting), turn.rot))


def _occupied(state: GameState, turn: Turn) -> Turn:
    free = {
        item.feature for item in state.actions(turn.tile, turn.cell, turn.rot) if isinstance(item, Meeple)
    }
    features = PACK.designs[turn.tile].tile.features
    taken = (item.id for item in features if item.kind != "lake" and item.id not in free)
    feature = next(taken, None) if free else None
    return turn if feature is None else changed(turn, action=Meeple(feature), sent_home=None)


def _drawn_before(state: GameState, turn: Turn) -> Turn:
    drawn = (laid.design.id for laid in state.board.values() if laid.design.id in PACK.bag)
    return replace(turn, tile=next(drawn, turn.tile))


def _other_stack(state: GameState, turn: Turn) -> Turn:
    position = cast(HuntersState, state)
    return replace(turn, tile=next(iter(position.stacks[not position.extra])))


def _hunting_hut(_: GameState, turn: Turn) -> Turn:
    there = PACK.designs[turn.tile].tile.feature("m0") is not None
    return replace(turn, action=Hut("m0")) if there else turn


def _idle_shaman(_: GameState, turn: Turn) -> Turn:
    return turn if turn.tile == "HG88" else changed(turn, sent_home=((0, 0), "m0"))


MUTATIONS: dict[str, Mutation] = {
    "wrong_player": lambda state, turn: replace(
        turn, player=next(player for player in state.players if player != turn.player)
    ),
    "unknown_player": lambda _, turn: replace(turn, player="black"),
    "unknown_tile": lambda _, turn: replace(turn, tile="HG56"),
    "tile_exhausted": _drawn_before,
    "wrong_deck": _other_stack,
    "cell_taken": lambda _, turn: replace(turn, cell=(0, 0)),
    "not_adjacent": _elsewhere,
    "edge_mismatch": _wrong_rot,
    "no_such_feature": lambda _, turn: replace(turn, action=Meeple("f9")),
    "feature_occupied": _occupied,
    "hut_not_on_water": _hunting_hut,
    "no_shaman": _idle_shaman,
    "no_rangers": lambda _, turn: changed(turn, displaced_to=neighbour(turn.cell, "n")),
    "no_animal_tiles": lambda _, turn: changed(turn, draws={turn.player: ("lion",)}),
}


@pytest.mark.rule("hunters-gatherers-2020", "Playing the Game")
@pytest.mark.parametrize("code", MUTATIONS)
def test_a_turn_changed_against_the_rules_is_refused_with_its_code(code: str) -> None:
    """Any single change that breaks a rule is refused, and the code says which."""
    tried = 0
    for before, turn in _turns(some_game(4, turns=60)):
        changed = MUTATIONS[code](before, turn)
        if changed != turn:
            assert code in [fault.code for fault in before.faults(changed)]
            tried += 1
    assert tried > 5


def _turns(record: Record) -> list[tuple[GameState, Turn]]:
    turns = iter(record.turns)
    return [(before, next(turns)) for before, _ in steps(record, PACK)]
