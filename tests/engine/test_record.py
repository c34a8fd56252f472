"""Records: golden games, strict parsing, expectations, and damaged files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.pack import load_pack
from engine.record import (
    HEADER_KEYS,
    LINE_KEYS,
    MAX_LINE_CHARS,
    MAX_LINES,
    End,
    Line,
    Record,
    RecordError,
    Unplaceable,
    check,
    read_record,
    read_records,
    write_record,
)
from engine.safari.actions import Dig, Drawn, MoveRanger, RangerBack
from engine.tiles.actions import Meeple
from engine.tiles.game import Header
from engine.tiles.turn import Turn, turn_keys
from tests.engine.lab import GOLDEN
from tests.fuzz import assert_answered
from tests.tile_records import start_of
from tilesight.simulation.tile_games import random_game

GAMES = sorted((GOLDEN / "safari").glob("*.game.jsonl"))
HEADER = '{"tilesight":1,"game":"safari","pack":"savanna","rules":"zman","players":["red","blue"]}'
TURN = '{"player":"red","tile":"CS20-M","cell":[-1,1],"rot":270,"action":{"type":"meeple","feature":"b0"}}'


def game(*lines: str) -> Record:
    return read_record("\n".join((HEADER, *lines)))


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.name)
def test_a_golden_game_checks_with_every_expectation(path: Path) -> None:
    result = check(read_record(path))
    assert (result.faults, result.unmet) == ((), ())
    assert result.turns == 72
    assert result.state is not None
    assert result.state.over


def test_every_turn_of_a_golden_game_is_among_those_listed() -> None:
    record = read_record(GAMES[0])
    state = start_of(record, load_pack("savanna"))
    for turn in record.turns:
        plain = Turn(turn.player, turn.tile, turn.cell, turn.rot, turn.action, turn.parts_of(RangerBack))
        assert (turn.cell, turn.rot) in state.placements(turn.tile)
        assert plain in state.turns_for(turn.tile, turn.cell, turn.rot)
        state = state.apply(turn).state


def test_a_record_reads_back_as_it_was_written() -> None:
    record = random_game(load_pack("savanna"), 3, seed=5, turns=30, expect=True)
    text = write_record(record)
    again = read_record(text)
    assert again.header == record.header
    assert again.lines == record.lines
    assert write_record(again) == text


def test_a_record_from_the_formats_text_is_read_whole() -> None:
    """docs/formats.md, 'Game record': every kind of line and field."""
    record = read_record(
        '{"tilesight":1,"game":"safari","pack":"savanna","rules":"zman","players":["red","blue"],'
        '"hands":{"red":["lion","zebra"],"blue":["?","?"]},"rangers":[[-2,0],[2,0]]}\n'
        '{"player":"blue","tile":"CS3-Z","cell":[1,1],"rot":0,'
        '"action":{"type":"ranger","from":[2,0],"to":[0,2]},"frame":12}\n'
        '{"player":"red","tile":"CS21-E","cell":[1,2],"rot":180,'
        '"action":{"type":"dig","cell":[0,1],"corner":"se","animal":"lion"}}\n'
        '{"player":"blue","tile":"CS7-L","cell":[0,2],"rot":0,'
        '"action":{"type":"expand","cell":[1,1],"corner":"sw","animal":"zebra"},"ranger_to":[3,3],'
        '"bonus":[{"player":"red","cell":[0,1],"feature":"t0","animal":"zebra"}],'
        '"draws":{"red":["monkey","?"]}}\n'
        '{"unplaceable":"CS5-L"}\n{"end":true}\n'
    )
    assert record.header == Header(
        "safari",
        "savanna",
        ("red", "blue"),
        "zman",
        {"red": ("lion", "zebra"), "blue": ("?", "?")},
        ((-2, 0), (2, 0)),
    )
    events = [line.event for line in record.lines]
    assert [line.number for line in record.lines] == [2, 3, 4, 5, 6]
    assert record.lines[0].frame == 12
    assert isinstance(events[0], Turn) and events[0].action == MoveRanger((2, 0), (0, 2))
    assert isinstance(events[1], Turn) and events[1].action == Dig((0, 1), "se", "lion")
    assert isinstance(events[2], Turn) and events[2].parts_of(Drawn) == (Drawn("red", ("monkey", "?")),)
    assert events[3:] == [Unplaceable("CS5-L"), End()]


def test_points_set_by_hand_count_in_all_scores() -> None:
    lines = (TURN, '{"by_hand":{"red":3,"blue":-1},"expect":{"scores":{"red":6,"blue":-1}}}')
    result = check(game(*lines, '{"end":true}'))
    plain = check(game(TURN, '{"end":true}'))
    assert result.valid
    given = {"red": 3, "blue": -1}
    assert dict(result.final) == {color: n + given[color] for color, n in plain.final.items()}
    assert [(event.player, event.points) for event in result.events if event.kind == "by_hand"] == [
        *given.items()
    ]
    assert read_record(write_record(game(*lines))).lines == game(*lines).lines


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ('{"by_hand":3}', "by_hand"),
        ('{"by_hand":{"red":"3"}}', "by_hand.red"),
        ('{"by_hand":{},"to":1}', "to"),
    ],
)
def test_points_set_by_hand_that_make_no_sense_are_refused(line: str, field: str) -> None:
    with pytest.raises(RecordError) as told:
        game(TURN, line)
    assert (told.value.line, told.value.field) == (3, field)


def test_points_for_a_stranger_are_illegal() -> None:
    result = check(game('{"by_hand":{"pink":3}}'))
    assert (result.line, [fault.code for fault in result.faults]) == (2, ["unknown_player"])


def test_several_records_in_one_text_are_told_apart_and_one_broken_spoils_no_other() -> None:
    text = "\n".join((HEADER, TURN, HEADER, '{"player":3}', TURN, "", HEADER))
    first, second, third = read_records(text, "here")
    assert isinstance(first, Record) and len(first.lines) == 1
    assert isinstance(second, RecordError) and (second.line, second.field) == (4, "player")
    assert isinstance(third, Record) and third.first_line == 7


def test_a_record_longer_than_any_game_is_refused() -> None:
    long = HEADER + '\n{"unplaceable":"CS5-L"}' * (MAX_LINES + 1)
    [error] = read_records(long)
    assert isinstance(error, RecordError) and error.line == MAX_LINES + 2
    [error] = read_records(HEADER + "\n" + " " * MAX_LINE_CHARS + "{}")
    assert isinstance(error, RecordError) and (error.line, error.message[:11]) == (2, "is too long")


@pytest.mark.parametrize(
    ("text", "line", "field"),
    [
        ("", None, ""),
        ("hello", 1, ""),
        ("[1]", 1, ""),
        (TURN, 1, ""),
        ('{"tilesight":2,"game":"safari"}', 1, "tilesight"),
        ('{"tilesight":true,"game":"safari"}', 1, "tilesight"),
        (HEADER.replace('"players":["red","blue"]', '"players":"red"'), 1, "players"),
        (HEADER.replace('["red","blue"]', '["red",5]'), 1, "players[1]"),
        (HEADER.replace("}", ',"rangers":[[1]]}'), 1, "rangers[0]"),
        (HEADER.replace("}", ',"raangers":[]}'), 1, "raangers"),
        (HEADER + "\n" + TURN[:-3], 2, ""),
        (HEADER + "\n" + TURN.replace("270", "45"), 2, "rot"),
        (HEADER + "\n" + TURN.replace("270", "1e999"), 2, "rot"),
        (HEADER + "\n" + TURN.replace("270", "NaN"), 2, ""),
        (HEADER + "\n" + TURN.replace("[-1,1]", "[-1,1.5]"), 2, "cell"),
        (HEADER + "\n" + TURN.replace("[-1,1]", "[-1,100000000000]"), 2, "cell"),
        (HEADER + "\n" + TURN.replace('"player":"red",', ""), 2, "player"),
        (HEADER + "\n" + TURN.replace('"meeple"', '"fly"'), 2, "action.type"),
        (HEADER + "\n" + TURN.replace('"feature"', '"feture"'), 2, "action.feture"),
        (HEADER + "\n" + TURN.replace('"action"', '"acton"'), 2, "acton"),
        (HEADER + "\n" + TURN[:-1] + ',"bonus":[{"player":"red"}]}', 2, "bonus[0].cell"),
        (HEADER + "\n" + TURN[:-1] + ',"expect":{"score":{}}}', 2, "expect.score"),
        (HEADER + "\n" + TURN[:-1] + ',"expect":{"scores":{"red":"3"}}}', 2, "expect.scores.red"),
        (HEADER + "\n" + '{"end":1}', 2, "end"),
        (HEADER + '\n{"end":true}\n' + TURN, 3, ""),
        (HEADER + "\n" + TURN + "\n" + HEADER, 3, ""),
        (HEADER + "\n" + "[" * 100_000, 2, ""),
        (HEADER + "\n" + TURN.replace("red", "re\\u0000d"), 2, "player"),
        (HEADER + "\n" + TURN[:-1] + ',"draws":{"\\ud800":[]}}', 2, "draws"),
    ],
)
def test_an_unreadable_record_gives_its_line_and_field(text: str, line: int | None, field: str) -> None:
    """docs/formats.md: an error names file, line and field, and nothing is half-applied."""
    with pytest.raises(RecordError) as error:
        read_record(text)
    assert (error.value.line, error.value.field) == (line, field)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [('"safari"', '"chess"', "game"), ('"savanna"', '"nowhere"', "pack"), ('"zman"', '"mine"', "rules")],
)
def test_a_header_that_names_something_unknown_cannot_be_checked(old: str, new: str, field: str) -> None:
    with pytest.raises(RecordError) as error:
        check(read_record(HEADER.replace(old, new)))
    assert (error.value.line, error.value.field) == (1, field)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.game.jsonl"
    path.write_bytes(HEADER.encode() + b"\n\xff\xfe\n")
    with pytest.raises(RecordError) as error:
        read_record(path)
    assert error.value.line == 2
    for missing in (tmp_path / "nothing", tmp_path):
        with pytest.raises(RecordError, match="cannot be read"):
            read_record(missing)


def test_an_illegal_line_is_told_with_every_fault() -> None:
    result = check(game(TURN, TURN))
    value = result.to_json()
    assert (value["valid"], value["line"]) == (False, 3)
    assert [fault["code"] for fault in value["faults"]] == ["wrong_player", "cell_taken"]


def test_a_header_at_fault_is_illegal_at_line_1() -> None:
    result = check(read_record(HEADER.replace('"blue"', '"red"')))
    assert (result.valid, result.line) == (False, 1)


def test_unmet_expectations_are_all_told() -> None:
    expect = '"expect":{"scores":{"red":1,"blue":0},"placements":7,"actions":[]}}'
    value = check(game(TURN[:-1] + "," + expect, '{"end":true,"expect":{"final":{"red":9}}}')).to_json()
    assert value["valid"] is False
    assert [(item["line"], item["key"]) for item in value["expect_failed"]] == [
        (2, "scores"),
        (2, "placements"),
        (2, "actions"),
        (3, "final"),
    ]


def test_an_expectation_of_actions_has_no_order() -> None:
    turn = '{"player":"red","tile":"CS22-L","cell":[-1,1],"rot":270,"action":null,"expect":{"actions":%s}}'
    options = [{"type": "meeple", "feature": "b1"}, {"feature": "b0", "type": "meeple"}]
    assert check(game(turn % json.dumps(options))).valid
    assert not check(game(turn % json.dumps(options[:1]))).valid


@pytest.mark.rule("safari-zman-2018", "Animal tiles")
def test_a_game_may_end_after_any_turn() -> None:
    """docs/formats.md, 'End line': {"end":true} after any turn is valid and scores the game."""
    result = check(game(TURN, '{"end":true}'))
    assert result.valid
    assert result.final == {"red": 3 + 2, "blue": 2}  # elephant and monkey at once; the hands
    assert [event.kind for event in result.events] == ["bush", "hand", "hand"]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
KEYS = sorted(HEADER_KEYS | LINE_KEYS | turn_keys() | {"type", "feature", "from", "to", "corner", "animal"})
EXAMPLE = [
    json.loads(line) for line in write_record(random_game(load_pack("savanna"), 2, 11, turns=12)).splitlines()
]


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A legal record in which one value anywhere is replaced, removed, or given another name."""
    lines: list[Any] = json.loads(json.dumps(EXAMPLE))
    here: Any = lines
    while isinstance(here, dict | list) and here:
        keys = list(here) if isinstance(here, dict) else list(range(len(here)))
        key = draw(st.sampled_from(keys))
        inner = here[key]
        if not isinstance(inner, dict | list) or not inner or draw(st.integers(0, 3)) == 0:
            kind = draw(st.sampled_from(["replace", "remove", "rename"]))
            if kind == "replace":
                here[key] = draw(json_values)
            else:
                value = here.pop(key)
                if kind == "rename" and isinstance(here, dict):
                    here[draw(st.sampled_from(KEYS) | st.text(max_size=5))] = value
            break
        here = inner
    return "\n".join(json.dumps(line) for line in lines)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(damaged() | st.text(max_size=60) | json_values.map(lambda value: f"{HEADER}\n{json.dumps(value)}"))
def test_no_input_raises_anything_but_a_record_error(text: str) -> None:
    assert_answered(text)


def test_a_line_keeps_its_frame_and_expectation() -> None:
    record = Record(
        Header("safari", "savanna", ("red", "blue")),
        (Line(2, Turn("red", "CS1", (0, -1), 0, Meeple("baobab")), {"placements": 4}, 3), Line(3, End())),
    )
    assert read_record(write_record(record)).lines == record.lines


def test_another_games_action_is_a_fault_in_a_fresh_process() -> None:
    """A process that has read nothing yet knows the actions of all games."""
    header = '{"tilesight":1,"game":"carcassonne","pack":"carcassonne","players":["red","blue"]}'
    turn = '{"player":"red","tile":"BC-R","cell":[0,1],"rot":0,"action":{"type":"hut","feature":"f0"}}'
    code = "import sys, engine.record as r; print(r.check(r.read_record(sys.argv[1])).line)"
    done = subprocess.run(
        [sys.executable, "-c", code, f"{header}\n{turn}"], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("2\n", "")
