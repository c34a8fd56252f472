"""Records that begin with a position: they continue exactly, and invalid positions are reported."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.games import game_named, game_names
from engine.notation import write_position
from engine.record import Record, check, header_from_json, header_to_json, read_record, write_record
from tests.engine.test_notation import pack_of, positions, some_game

LINE = (
    "safari/zman pack=savanna players=red:4,blue:0 to=blue "
    "rangers=-2,0;2,0 hands=red:?,?;blue:?,? CS7-G@0,-1w"
)
HEADER = {"tilesight": 1, "game": "safari", "pack": "savanna", "players": ["red", "blue"]}
OPENING = ("hands", "rangers", "river", "terrain", "animals", "start")
few = settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def stated(header: dict[str, Any], line: str) -> dict[str, Any]:
    """A header that states a position in place of its own opening."""
    return {**{key: value for key, value in header.items() if key not in OPENING}, "position": line}


@pytest.mark.parametrize("game", game_names())
@few
@given(seed=st.integers(0, 10_000))
def test_a_record_cut_anywhere_goes_on_from_its_position(game: str, seed: int) -> None:
    record, pack = some_game(game, seed), pack_of(game)
    whole = check(record, pack)
    found = list(positions(game, record))
    number = seed % len(found)
    value = stated(header_to_json(record.header), write_position(game, found[number]))
    header = header_from_json(value)
    rest = read_record(write_record(Record(header, record.lines[number:])))
    assert rest.header == header and header_to_json(header) == value
    result = check(rest, pack)
    assert result.valid
    assert (result.state, result.turns, result.outcome) == (whole.state, whole.turns, whole.outcome)
    played = found[number].turn_no
    assert result.events == tuple(event for event in whole.events if event.turn > played or event.at_end)


@pytest.mark.parametrize(
    ("changes", "code", "said"),
    [
        ({"position": "safari/zman"}, "bad_position", "pack= is missing"),
        ({"position": LINE.replace("-1w", "-1n")}, "bad_position", "column 95: the south edge"),
        ({"position": LINE.replace("to=blue", "to=red")}, "bad_position", "it is blue's turn"),
        ({"rules": "hig"}, "position_disagrees", "of the edition zman, the header of hig"),
        ({"players": ["red", "green"]}, "position_disagrees", "in the position red, blue"),
        ({"hands": {"red": ["?", "?"]}}, "position_disagrees", "hands stand in the position already"),
        (
            {"position": "tricky-safari/online to=red"},
            "position_disagrees",
            "of tricky-safari, not of safari",
        ),
    ],
)
def test_a_position_that_cannot_be_is_told_with_its_code(
    changes: dict[str, Any], code: str, said: str
) -> None:
    header = header_from_json({**HEADER, "position": LINE, **changes})
    result = check(Record(header, ()), pack_of("safari"))
    assert [fault.code for fault in result.faults] == [code] and result.line == 1
    assert said in result.faults[0].message and "\n" not in result.faults[0].message


def test_the_players_of_a_position_may_sit_as_the_header_says_from_another_one_on() -> None:
    header = header_from_json({**HEADER, "players": ["blue", "red"], "position": LINE})
    state = game_named("safari").start(header, pack_of("safari"))
    assert state.players == ("red", "blue") and state.player == "blue"
