"""What holds in every game: nothing is lost, undo is exact, names and the compass do not matter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.game import GameState, Step, game_named
from engine.geometry import turned_cell, turned_corner, turned_edge
from engine.pack import Design, Pack, Tile, load_pack
from engine.record import Line, Record, Unplaceable, check, read_record, write_record
from engine.safari.rules import MEEPLES
from engine.safari.state import SafariState
from engine.turn import Action, Dig, Expand, Meeple, MoveRanger, Turn
from tilesight.play import Style, random_game

PACK = load_pack("savanna")
SAFARI = game_named("safari")
few = settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
seeds = st.integers(0, 10_000)


def some_game(seed: int, *, turns: int | None = None, expect: bool = False, seen: bool = True) -> Record:
    """A game with every kind of action, more or less greedy, in either edition."""
    style = Style(greedy=(seed % 3) / 4, idle=0.05)
    rules = ("zman", "hig")[seed % 2]
    return random_game(
        PACK, 2 + seed % 4, seed, turns=turns, rules=rules, style=style, expect=expect, hands_seen=seen
    )


def steps(record: Record, pack: Pack = PACK) -> Iterator[tuple[GameState, Step]]:
    """Each turn's position before it and what it did."""
    state = SAFARI.start(record.header, pack)
    for line in record.lines:
        if isinstance(line.event, Turn):
            step = state.apply(line.event)
            yield state, step
            state = step.state
        elif isinstance(line.event, Unplaceable):
            state = state.unplaceable(line.event.tile)


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
    for _, step in steps(some_game(seed)):
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
    """Positions kept while a game went on are equal to those of a fresh start."""
    record = some_game(seed, turns=25)
    kept = [(before, step) for before, step in steps(record)]
    for (before, step), (fresh_before, fresh_step) in zip(kept, steps(record), strict=True):
        assert before == fresh_before
        assert step == fresh_step
        assert before != step.state


@few
@given(seeds)
def test_every_turn_listed_is_legal_and_listed_once(seed: int) -> None:
    record = some_game(seed, turns=20, seen=seed % 2 == 0)
    *_, (_, step) = steps(record)
    state = step.state
    for design_id in islice(state.bag, seed % 7, None, 9):
        for cell, rot in state.placements(design_id)[:3]:
            turns = list(islice(state.turns_for(design_id, cell, rot), 150))
            assert turns[0].action is None
            assert all(state.faults(turn) == () for turn in turns)
            assert len({str(turn.to_json()) for turn in turns}) == len(turns)


@few
@given(seeds)
def test_the_table_in_mid_turn_is_the_table_at_rest_but_for_what_goes_home(seed: int) -> None:
    for _, step in steps(some_game(seed)):
        gone = Counter(step.laid) - Counter(step.state.standing)
        come = Counter(step.state.standing) - Counter(step.laid)
        assert {piece.kind for piece in come} <= {"ranger"}  # only a displaced ranger comes back
        assert {piece.kind for piece in gone} <= {"meeple", "token"}
        assert gone.keys() <= set(step.laid) and (step.events or not gone)


def turned_action(action: Action | None) -> Action | None:
    match action:
        case MoveRanger(start, to):
            return MoveRanger(turned_cell(start, 90), turned_cell(to, 90))
        case Dig() | Expand():
            return replace(action, cell=turned_cell(action.cell, 90), corner=turned_corner(action.corner, 90))
        case Meeple() | None:
            return action


def turned_turn(turn: Turn) -> Turn:
    return replace(
        turn,
        cell=turned_cell(turn.cell, 90),
        rot=(turn.rot + 90) % 360,
        action=turned_action(turn.action),
        ranger_to=None if turn.ranger_to is None else turned_cell(turn.ranger_to, 90),
        bonus=tuple(replace(item, cell=turned_cell(item.cell, 90)) for item in turn.bonus),
    )


def pack_with_turned_start(pack: Pack) -> Pack:
    """The pack whose start tile lies a quarter turn further."""
    start, designs = [], dict(pack.designs)
    for cell, design in pack.start_designs:
        old = design.tile
        tile = Tile(
            old.id,
            {turned_edge(edge, 90): kind for edge, kind in old.edges.items()},
            tuple(
                replace(feature, edges=tuple(turned_edge(edge, 90) for edge in feature.edges))
                for feature in old.features
            ),
            {turned_edge(edge, 90): side for edge, side in old.sides.items()},
            turned_cell(cell, 90),
        )
        start.append(tile)
        designs[design.id] = Design(design.id, tile, design.count, design.animals)
    return replace(pack, start=tuple(start), designs=designs)


@few
@given(seeds)
def test_turning_the_whole_board_keeps_every_score(seed: int) -> None:
    record = some_game(seed)
    header = replace(record.header, rangers=((0, -2), (0, 2)))
    lines = tuple(
        replace(line, event=turned_turn(line.event)) if isinstance(line.event, Turn) else line
        for line in record.lines
    )
    turned = check(Record(header, lines), pack_with_turned_start(PACK))
    straight = check(record)
    assert turned.faults == ()
    assert turned.final == straight.final
    assert [(e.turn, e.player, e.points, e.kind) for e in turned.events if not e.at_end] == [
        (e.turn, e.player, e.points, e.kind) for e in straight.events if not e.at_end
    ]


def renamed(record: Record, names: dict[str, str]) -> Record:
    def line(old: Line) -> Line:
        if not isinstance(old.event, Turn):
            return old
        turn = old.event
        return replace(
            old,
            event=replace(
                turn,
                player=names[turn.player],
                bonus=tuple(replace(item, player=names[item.player]) for item in turn.bonus),
                draws={names[player]: animals for player, animals in turn.draws.items()},
            ),
        )

    hands = {names[player]: hand for player, hand in (record.header.hands or {}).items()}
    header = replace(record.header, players=tuple(names[p] for p in record.header.players), hands=hands)
    return Record(header, tuple(line(old) for old in record.lines))


@few
@given(seeds)
def test_renaming_the_colours_keeps_every_score(seed: int) -> None:
    record = some_game(seed)
    colors = SAFARI.colors
    names = dict(zip(colors, (*colors[2:], *colors[:2]), strict=True))
    result, other = check(record), check(renamed(record, names))
    assert other.faults == ()
    assert {names[player]: points for player, points in result.final.items()} == other.final


@pytest.mark.parametrize("seed", range(3))
def test_a_game_within_a_span_stays_there(seed: int) -> None:
    style = Style(allow=("meeple", "ranger"), span=(8, 6))
    record = random_game(PACK, ("red", "blue"), seed, turns=24, style=style, hands_seen=False)
    *_, (_, step) = steps(record)
    cells = [*step.state.board, *(piece.cell for piece in step.state.standing)]
    for axis, size in ((0, 8), (1, 6)):
        along = [cell[axis] for cell in cells]
        assert max(along) - min(along) < size
