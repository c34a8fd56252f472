"""Records of Tricky Safari: the golden games, headers, strict reading, and what holds in every game."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.game import IllegalTurn, OpenGame
from engine.games import game_named, game_names, tile_game_named
from engine.record import Record, RecordError, check, read_record, write_record
from engine.tricky_safari.board import PLACE, SQUARES, Animal, Facing, Terrain, square_at, turned
from engine.tricky_safari.game import TRICKY_SAFARI
from engine.tricky_safari.rules import AT_HOME, SPECIES
from engine.tricky_safari.state import Move, TrickyState
from engine.tricky_safari.walk import walks
from tests.engine.tricky_safari.lab import GOLDEN, header, rows
from tests.fuzz import assert_answered
from tilesight.simulation.open_games import random_open_game

GAMES = sorted(GOLDEN.glob("*.game.jsonl"))
ILLEGAL = GOLDEN / "illegal.jsonl"
CODES = {
    "after the end": "game_over",
    "diagonal in the first turn": "first_turn_diagonal",
    "neither to nor pass": "no_move",
    "not in a line": "not_in_line",
    "off the board": "off_board",
    "onto an animal": "on_animal",
    "onto an animal, first turn": "on_animal",
    "onto forest": "on_forest",
    "onto lake": "on_lake",
    "onto the other camera": "on_camera",
    "pass with open spaces": "may_not_pass",
    "stays where it is": "not_moved",
    "the other player's turn": "wrong_player",
    "through an animal": "through_animal",
    "through an animal, first turn": "through_animal",
    "through forest": "through_forest",
    "through lake": "through_lake",
    "to and pass": "move_and_pass",
}


def played(*lines: Any, **changes: Any) -> Record:
    return read_record("\n".join(json.dumps(line) for line in (header(**changes), *lines)))


def random_record(seed: int, turns: int | None = None) -> Record:
    return random_open_game(TRICKY_SAFARI, 2, seed, turns=turns, greedy=0.5, expect=True)


# --- the golden games ----------------------------------------------------------------------------------


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.name)
def test_a_golden_game_checks_with_every_expectation(path: Path) -> None:
    record = read_record(path)
    result = check(record)
    assert (result.faults, result.unmet) == ((), ())
    assert result.turns == len(record.lines) - 1
    assert result.state is not None and result.state.over
    assert read_record(write_record(record)).lines == record.lines


def test_every_illegal_record_is_refused_at_its_last_line_with_the_right_code() -> None:
    for text in ILLEGAL.read_text("utf-8").splitlines():
        item = json.loads(text)
        result = check(read_record("\n".join(json.dumps(row) for row in item["record"])))
        assert result.line == len(item["record"]), item["illegal"]
        assert CODES[item["illegal"]] in {fault.code for fault in result.faults}, item["illegal"]


# --- headers -------------------------------------------------------------------------------------------


def test_a_legal_header_needs_no_start_and_no_pack_on_the_disk() -> None:
    """docs/rulings.md, 'Board and header': `start` is optional, default yellow a1, red j10."""
    result = check(played())
    assert result.valid
    assert isinstance(result.state, TrickyState)
    assert result.state.cameras == {"yellow": "a1", "red": "j10"}
    assert result.to_json() == {
        "valid": True, "turns": 0, "winner": None, "photos": {"yellow": 0, "red": 0}, "events": [],
    }  # fmt: skip


def having(number: int, **changes: str) -> list[dict[str, str]]:
    """The animals of a legal header, one of them changed."""
    found: list[dict[str, str]] = header()["animals"]
    found[number] = {**found[number], **changes}
    return found


@pytest.mark.rule("tricky-safari-online", "Object of the game")
@pytest.mark.parametrize(
    ("changes", "codes"),
    [
        ({"players": ["red", "yellow"]}, ["players_order"]),
        ({"players": ["yellow"]}, ["players_number"]),
        ({"players": ["yellow", "yellow"]}, ["players_twice"]),
        ({"players": ["yellow", "blue"]}, ["unknown_player"]),
        ({"players": ["yellow", "red", "blue"]}, ["players_number", "unknown_player"]),
        ({"animals": header()["animals"][1:]}, ["species_missing"]),
        ({"animals": []}, ["species_missing"] * 10),
        ({"animals": having(0, species="lion")}, ["species_twice", "species_missing"]),
        ({"animals": having(0, species="cow")}, ["unknown_species", "species_missing"]),
        ({"animals": having(0, cell="k3")}, ["off_board"]),
        ({"animals": having(0, cell=header()["animals"][1]["cell"])}, ["square_taken"]),
        ({"animals": having(0, cell="a1")}, ["square_taken"]),
        ({"animals": having(1, cell="d4")}, ["animal_on_forest"]),
        ({"animals": having(1, cell="h7")}, ["animal_on_lake"]),
        ({"animals": having(8, cell="d4")}, ["animal_on_forest"]),
        ({"animals": having(6, cell="h7")}, ["animal_on_lake"]),
        ({"start": {"yellow": "d4"}}, ["camera_on_forest"]),
        ({"start": {"yellow": "h7", "red": "h7"}}, ["square_taken", "camera_on_lake", "camera_on_lake"]),
        ({"start": {"yellow": "j10"}}, ["square_taken"]),
        ({"start": {"yellow": "z9"}}, ["off_board"]),
        ({"start": {"blue": "j1"}}, ["unknown_player"]),
    ],
)
def test_a_header_at_fault_is_illegal_at_line_1(changes: dict[str, Any], codes: list[str]) -> None:
    """docs/rulings.md, 'Board and header': ten distinct species, one piece on a cell, cameras on ground."""
    result = check(played(**changes))
    assert result.line == 1
    assert sorted(fault.code for fault in result.faults) == sorted(codes)


@pytest.mark.rule("tricky-safari-online", "Object of the game")
@pytest.mark.parametrize(("number", "cell"), [(6, "d4"), (7, "d4"), (8, "h7"), (9, "h7")])
def test_exempt_species_may_start_on_their_terrain(number: int, cell: str) -> None:
    """docs/rulings.md, 'Board and header'."""
    assert SPECIES[number] in AT_HOME
    assert check(played(animals=having(number, cell=cell))).valid


# --- reading -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"terrain": None}, "terrain"),
        ({"terrain": ["." * 10] * 9}, "terrain"),
        ({"terrain": ["." * 10] * 9 + ["." * 9]}, "terrain[9]"),
        ({"terrain": ["........x."] + ["." * 10] * 9}, "terrain[0]"),
        ({"terrain": [[]] * 10}, "terrain[0]"),
        ({"animals": {}}, "animals"),
        ({"animals": ["lion"]}, "animals[0]"),
        ({"animals": [{"species": "lion", "cell": "b2"}]}, "animals[0].facing"),
        ({"animals": [{"species": "lion", "cell": "b2", "facing": "x"}]}, "animals[0].facing"),
        ({"animals": [{"species": "lion", "cell": "b2", "facing": ["n"]}]}, "animals[0].facing"),
        ({"animals": [{"species": "lion", "cell": [1, 2], "facing": "n"}]}, "animals[0].cell"),
        ({"animals": [{"species": 5, "cell": "b2", "facing": "n"}]}, "animals[0].species"),
        ({"animals": [{"species": "lion", "cell": "b2", "facing": "n", "x": 1}]}, "animals[0].x"),
        ({"start": ["a1"]}, "start"),
        ({"start": {"yellow": 1}}, "start.yellow"),
        ({"hands": {}}, "hands"),
        ({"rules": "mine"}, "rules"),
        ({"pack": "nowhere"}, "pack"),
        ({"pack": "savanna"}, "pack"),
    ],
)
def test_a_header_that_cannot_be_read_is_said_with_its_field(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(RecordError) as error:
        check(played(**changes))
    assert (error.value.line, error.value.field) == (1, field)


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ({"player": "yellow", "to": 5}, "to"),
        ({"player": "yellow", "to": ""}, "to"),
        ({"player": "yellow", "pass": "yes"}, "pass"),
        ({"player": None, "to": "a2"}, "player"),
        ({"to": "a2"}, "player"),
        ({"player": "yellow", "to": "a2", "rot": 0}, "rot"),
        ({"unplaceable": "a2"}, "unplaceable"),
        ({"player": "yellow", "to": "a2", "expect": {"scores": {}}}, "expect.scores"),
        ({"player": "yellow", "to": "a2", "expect": {"moves": "3"}}, "expect.moves"),
        ({"player": "yellow", "to": "a2", "expect": {"photos": {"red": "ape"}}}, "expect.photos.red"),
        ({"player": "yellow", "to": "a2", "expect": {"animals": [1]}}, "expect.animals[0]"),
        ({"end": True, "expect": {"winner": 1}}, "expect.winner"),
    ],
)
def test_a_line_that_cannot_be_read_is_said_with_its_field(line: dict[str, Any], field: str) -> None:
    with pytest.raises(RecordError) as error:
        played(line)
    assert (error.value.line, error.value.field) == (2, field)


def test_unmet_expectations_are_all_told() -> None:
    expect = {"moves": 99, "photos": {"yellow": ["ape"], "red": []}, "animals": [], "winner": "red"}
    end = {"end": True, "expect": {"winner": "red", "photos": {"yellow": 1, "red": 0}}}
    value = check(played({"player": "yellow", "pass": True, "expect": expect}, end)).to_json()
    assert value["valid"] is False
    assert [(item["line"], item["key"]) for item in value["expect_failed"]] == [
        (2, "moves"), (2, "photos"), (2, "animals"), (2, "winner"), (3, "winner"), (3, "photos"),
    ]  # fmt: skip
    assert check(played(expect={"photos": {"yellow": [], "red": []}})).valid
    assert not check(played(expect={"photos": {"yellow": ["ape"], "red": []}})).valid


def test_expected_animals_have_no_order() -> None:
    assert check(played(expect={"animals": header()["animals"][::-1]})).valid


def test_an_unfinished_game_has_no_winner() -> None:
    """docs/rulings.md, 'End (Tricky Safari)': `{"end":true}` before the end is valid, without a winner."""
    record = random_record(3, turns=9)
    value = check(record).to_json()
    assert (value["valid"], value["turns"], value["winner"]) == (True, 9, None)


def test_the_registry_knows_the_game_and_that_it_is_no_tile_game() -> None:
    assert "tricky-safari" in game_names()
    assert isinstance(game_named("tricky-safari"), OpenGame)
    assert not isinstance(game_named("safari"), OpenGame)
    with pytest.raises(ValueError, match="no tile game"):
        tile_game_named("tricky-safari")


def test_the_same_game_may_stand_between_others_in_one_text() -> None:
    text = write_record(random_record(1, turns=4))
    with pytest.raises(RecordError, match="second header"):
        read_record(text + text)


# --- what holds in every game --------------------------------------------------------------------------

few = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
seeds = st.integers(0, 10_000)


def positions(record: Record) -> list[TrickyState]:
    state = TRICKY_SAFARI.start(record.header, None)  # type: ignore[arg-type]
    found = [state]
    for line in record.lines:
        if isinstance(line.event, Move):
            state = state.apply(line.event).state
            found.append(state)
    return found


@few
@given(seeds)
def test_a_random_game_checks_and_reads_back(seed: int) -> None:
    record = random_record(seed)
    result = check(record)
    assert result.valid, result
    assert result.turns % 2 == 0 and 0 < result.turns <= 80
    again = read_record(write_record(record))
    assert (again.header, again.lines) == (record.header, record.lines)


@few
@given(seeds)
def test_pieces_keep_to_their_squares_in_every_position(seed: int) -> None:
    """Ten species, no two pieces on one square, cameras on ground, animals never on terrain closed to them;
    photos are never lost."""
    before: TrickyState | None = None
    for state in positions(random_record(seed)):
        squares = [*(animal.square for animal in state.animals), *state.cameras.values()]
        assert len(set(squares)) == 12 and set(squares) <= set(PLACE)
        assert [animal.species for animal in state.animals] == list(SPECIES)
        assert not state.landscape.rough & set(state.cameras.values())
        for animal in state.animals:
            assert animal.square not in state.landscape.closed[animal.species]
        if before is not None:
            assert all(before.photos[player] <= state.photos[player] for player in state.players)
        before = state


@few
@given(seeds, st.data())
def test_faults_and_listing_agree(seed: int, data: st.DataObject) -> None:
    """A move is legal exactly if it is listed, and every illegal one has a fault."""
    state = data.draw(st.sampled_from(positions(random_record(seed, turns=12))))
    legal = set(state.turns())
    turns = [Move(state.player, square) for square in SQUARES] + [Move(state.player, passes=True)]
    for turn in turns:
        faults = state.faults(turn)
        assert (turn in legal) == (not faults)
        assert len(set(faults)) == len(faults)


def quarter(square: str) -> str:
    """The square on a board turned clockwise by 90°."""
    column, row = PLACE[square]
    found = square_at(row - 1, 10 - column)
    assert found is not None
    return found


def mirrored(square: str) -> str:
    """The square on a board seen in a mirror, east and west exchanged."""
    column, row = PLACE[square]
    found = square_at(9 - column, row)
    assert found is not None
    return found


TURNED: Mapping[Facing, Facing] = {"n": "e", "e": "s", "s": "w", "w": "n"}
MIRRORED: Mapping[Facing, Facing] = {"n": "n", "e": "w", "s": "s", "w": "e"}


def moved(state: TrickyState, place: Any, facing: Mapping[Facing, Facing]) -> TrickyState:
    terrain = {place(square): kind for square, kind in state.landscape.terrain.items()}
    signs = "".join(terrain[square] for square in SQUARES)
    return replace(
        state,
        landscape=Terrain.of([signs[i : i + 10] for i in range(0, 100, 10)]),
        animals=tuple(Animal(a.species, place(a.square), facing[a.facing]) for a in state.animals),
        cameras={player: place(square) for player, square in state.cameras.items()},
    )


@few
@given(seeds, st.integers(0, 11), st.booleans())
def test_moves_and_photos_do_not_know_where_north_is(seed: int, number: int, mirror: bool) -> None:
    """Turning or mirroring the board turns or mirrors moves and photos."""
    state = positions(random_record(seed, turns=number))[-1]
    place = mirrored if mirror else quarter
    facing = MIRRORED if mirror else TURNED
    other = moved(state, place, facing)
    assert set(other.moves()) == {place(square) for square in state.moves()}
    for square in state.moves():
        turn, twin = Move(state.player, square), Move(state.player, place(square))
        mine = {event.species for event in state.apply(turn).events if event.after == "move"}
        assert mine == {event.species for event in other.apply(twin).events if event.after == "move"}


@few
@given(seeds, st.integers(0, 11))
def test_one_animals_step_does_not_know_where_north_is(seed: int, number: int) -> None:
    """Turning the board turns what an animal does alone; the order of a step depends on north, and left and
    right on the mirror, so nothing more is said."""
    state = positions(random_record(seed, turns=number))[-1]
    other = moved(state, quarter, TURNED)
    for i, animal in enumerate(state.animals):
        held = [a.square for a in state.animals if a is not animal] + list(state.cameras.values())
        (mine,) = walks(state.landscape, [animal], held)
        (turned_one,) = walks(other.landscape, [other.animals[i]], [quarter(square) for square in held])
        after = mine.after
        assert turned_one.after == Animal(after.species, quarter(after.square), turned(after.facing, 1))
        assert turned_one.case == mine.case


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=5,
)
KEYS = ["player", "to", "pass", "expect", "moves", "photos", "animals", "winner", "end", "species", "cell",
        "facing", "terrain", "start", "players", "rules", "pack", "frame", "game", "tilesight"]  # fmt: skip
EXAMPLE = [json.loads(line) for line in write_record(random_record(5, turns=8)).splitlines()]


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A legal record in which one value anywhere is replaced, removed, or given another name."""
    lines: Any = json.loads(json.dumps(EXAMPLE))
    here = lines
    while isinstance(here, dict | list) and here:
        key = draw(st.sampled_from(list(here) if isinstance(here, dict) else list(range(len(here)))))
        inner = here[key]
        if isinstance(inner, dict | list) and inner and draw(st.integers(0, 3)):
            here = inner
            continue
        match draw(st.sampled_from(["replace", "remove", "rename"])):
            case "replace":
                here[key] = draw(json_values | st.sampled_from([*SQUARES[:9], "yellow", "red", "lion", "n"]))
            case "rename" if isinstance(here, dict):
                here[draw(st.sampled_from(KEYS) | st.text(max_size=5))] = here.pop(key)
            case _:
                here.pop(key)
        break
    return "\n".join(json.dumps(line) for line in lines)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(damaged() | json_values.map(lambda value: f"{json.dumps(EXAMPLE[0])}\n{json.dumps(value)}"))
def test_no_input_raises_anything_but_a_record_error(text: str) -> None:
    assert_answered(text)


def test_a_random_game_says_what_it_cannot_play() -> None:
    for players in (-1, 0, 1, 3):
        with pytest.raises(ValueError, match=r"2 players|at most 2"):
            random_open_game(TRICKY_SAFARI, players)
    with pytest.raises(ValueError, match="no rules"):
        random_open_game(TRICKY_SAFARI, 2, rules="mine")


def test_a_landscape_of_another_shape_is_refused() -> None:
    with pytest.raises(ValueError, match="10 rows of 10"):
        Terrain.of(["." * 10] * 9)
    assert Terrain.of(rows("a1", "j10")).rows == rows("a1", "j10")


def test_a_start_at_fault_raises() -> None:
    record = played(players=["red", "yellow"])
    with pytest.raises(IllegalTurn, match="yellow moves first"):
        TRICKY_SAFARI.start(record.header, None)  # type: ignore[arg-type]
