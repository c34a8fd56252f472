"""Foreign tiles: the effect of a description on the board, points and records."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine.games import tile_game_named
from engine.jsonvalue import FieldError
from engine.notation import read_position, read_turn, write_position, write_turn
from engine.pack import load_pack
from engine.record import check, read_record
from engine.tiles.foreign import MARK, Foreign, ForeignError, foreign_design
from engine.tiles.game import GameState, Header, IllegalTurn
from engine.tiles.turn import Turn
from tests.engine.carcassonne.lab import PACK, Town

STRAIGHT = Foreign(("city", "road", "field", "road"), joins=(("e", "w"),))
CROSSING = Foreign(("city", "road", "road", "road"), meets=(("e", "s", "w"),))


def ends(foreign: Foreign) -> set[tuple[str, ...]]:
    """Each feature as its kind and the sides that it reaches, an edge and a number clockwise each."""
    tile = foreign_design(PACK, foreign.name).tile
    found: dict[str, list[str]] = {feature.id: [feature.kind] for feature in tile.features}
    for edge, names in tile.sides.items():
        for slot, name in enumerate(names):
            found[name].append(f"{edge}{slot}")
    return {tuple(parts) for parts in found.values()}


def test_joined_edges_are_one_feature_and_part_the_land() -> None:
    assert ends(STRAIGHT) == {
        ("city", "n0"),
        ("road", "e1", "w1"),
        ("field", "e0", "w2"),
        ("field", "e2", "s0", "w0"),
    }


def test_features_that_meet_end_there_and_part_the_land() -> None:
    roads = {part for part in ends(CROSSING) if part[0] == "road"}
    assert roads == {("road", "e1"), ("road", "s1"), ("road", "w1")}
    assert {part for part in ends(CROSSING) if part[0] == "field"} == {
        ("field", "e0", "w2"),
        ("field", "e2", "s0"),
        ("field", "s2", "w0"),
    }


def test_a_field_adjoins_what_nothing_parts_from_it() -> None:
    tile = foreign_design(PACK, STRAIGHT.name).tile
    adjoins = {f.edges: {name[0] for name in f.extra["adjoins"]} for f in tile.features if f.kind == "field"}
    assert adjoins == {("e", "w"): {"c", "r"}, ("e", "s", "w"): {"r"}}


@pytest.mark.parametrize(
    "foreign", [Foreign(), STRAIGHT, CROSSING, Foreign(("field", "?", "?", "road"), inside=("monastery",))]
)
def test_a_description_is_read_as_it_was_written(foreign: Foreign) -> None:
    assert Foreign.of(foreign.name) == foreign
    assert Foreign.from_json(json.loads(json.dumps(foreign.to_json())), "foreign") == foreign
    turn = Turn("red", foreign.name, (1, 0), 90)
    assert Turn.from_json(turn.to_json()) == turn
    assert turn.to_json()["tile"] is None
    assert read_turn("carcassonne", write_turn("carcassonne", turn)) == turn


@pytest.mark.parametrize(
    "foreign",
    [
        Foreign(("sea", "road", "field", "road")),
        Foreign(("city", "road", "field", "road"), joins=(("n", "e"),)),
        Foreign(("city", "road", "field", "road"), joins=(("s", "w"),)),
        Foreign(("road", "road", "road", "road"), joins=(("n", "e"), ("e", "w"))),
        Foreign(("city", "road", "field", "road"), inside=("city",)),
    ],
)
def test_a_description_of_no_tile_is_refused(foreign: Foreign) -> None:
    with pytest.raises(ForeignError):
        foreign_design(PACK, foreign.name)
    town = Town()
    assert "bad_foreign" in [f.code for f in town.state.faults(Turn("red", foreign.name, (1, 0), 0))]


@pytest.mark.parametrize(
    "value",
    [
        [],
        {"edges": {"x": "road"}},
        {"edges": {"n": 3}},
        {"joins": [["n"]]},
        {"joins": [["n", "n"]]},
        {"inside": "x"},
    ],
)
def test_a_description_of_wrong_types_names_its_field(value: Any) -> None:
    with pytest.raises(FieldError, match="foreign"):
        Foreign.from_json(value, "foreign")


def test_a_described_tile_fits_and_scores_like_any_other() -> None:
    town = Town()
    bag = dict(town.state.bag)
    road = Foreign(("field", "road", "field", "road")).name  # two roads that end on it
    with pytest.raises(IllegalTurn):
        town.put("red", Foreign(("city", "city", "city", "city")).name, (1, 0))
    step = town.put("red", road, (1, 0), feature="r1")
    assert dict(town.state.bag) == bag
    assert step.events == ()
    step = town.put("blue", road, (-1, 0))
    assert [(e.player, e.points, e.kind) for e in step.events] == [("red", 3, "road")]
    assert town.meeples_home("red")


def test_a_feature_that_runs_into_an_unknown_tile_stays_open() -> None:
    town = Town()
    town.put("red", MARK, (0, -1))
    cities = [spot for spot in town.state.spots() if spot.kind == "city"]
    assert [spot.open_edges for spot in cities] == [1]
    assert town.state.grid.faults(PACK.designs["BC-R"], (1, -1), 0) == ()
    assert len([1 for cell, _ in town.state.placements("BC-R") if cell == (0, -2)]) == 4


def test_farmers_score_the_cities_of_foreign_fields() -> None:
    town = Town()
    town.put("red", Foreign(("field", "field", "city", "field")).name, (0, -1), feature="f0")
    assert town.ended("field") == {"red": 3}


def a_game(described: dict[str, Any] | None) -> str:
    header = {"tilesight": 1, "game": "carcassonne", "pack": "carcassonne", "players": ["red", "blue"]}
    turn: dict[str, Any] = {"player": "red", "tile": None, "cell": [1, 0], "rot": 0, "action": None}
    if described is not None:
        turn |= {"foreign": described, "action": {"type": "meeple", "feature": "r1"}}
    return "\n".join(map(json.dumps, (header, turn, {"end": True})))


def test_a_record_holds_foreign_tiles() -> None:
    assert check(read_record(a_game(None))).final == {"red": 0, "blue": 0}
    described = {"edges": {"n": "field", "e": "road", "s": "field", "w": "road"}}
    assert check(read_record(a_game(described))).final == {"red": 2, "blue": 0}
    result = check(read_record(a_game({"edges": {"w": "sea"}})))
    assert (result.line, result.faults[0].code) == (2, "bad_foreign")


def test_a_position_holds_foreign_tiles() -> None:
    town = Town()
    town.put("red", STRAIGHT.name, (1, 0))
    line = write_position("carcassonne", town.state)
    assert STRAIGHT.name in line
    again = read_position(line)
    assert write_position("carcassonne", again) == line


@pytest.mark.parametrize(("pack_id", "edges"), [("savanna", "trail"), ("taiga", "river")])
def test_the_other_tile_games_take_them_too(pack_id: str, edges: str) -> None:
    pack = load_pack(pack_id)
    game = tile_game_named(str(pack.game))
    state: GameState = game.start(Header(game.name, pack.id, ("red", "blue")), pack)
    cells = [cell for cell, _ in state.placements(next(iter(state.bag)))]
    for name in (MARK, Foreign((edges, "?", edges, "?"), joins=(("n", "s"),)).name):
        cell, rot = next(place for place in state.placements(name) if place[0] in cells)
        state = state.apply([*state.turns_for(name, cell, rot)][-1]).state
    assert len(state.board) == len(pack.start_designs) + 2
