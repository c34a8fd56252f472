"""Faults of Carcassonne: each by its code, ruling by ruling."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.carcassonne.river import AHEAD, RIGHT, River
from engine.carcassonne.rules import MEEPLES, PRESETS
from engine.carcassonne.state import CarcassonneState
from engine.fault import Fault
from engine.games import tile_game_named
from engine.hunters_gatherers.actions import Hut
from engine.safari.actions import Bonus, MoveRanger
from engine.tiles.actions import Meeple
from engine.tiles.game import GameError, Header, IllegalTurn
from tests.engine.carcassonne.lab import PACK, Town
from tests.engine.lab import changed, lab_pack

GAME = tile_game_named("carcassonne")


@pytest.mark.rule("rulings-carcassonne", "Turn (Carcassonne)")
def test_there_are_72_tiles_and_twelve_of_the_river() -> None:
    """docs/rulings.md, 'Turn (Carcassonne)', 'The River'."""
    assert sum(Town().state.bag.values()) == 71
    for edition, ends in (("c1", {"BR-A", "BR-L"}), ("c3", {"BR-A3", "BR-L3"})):
        state = Town(river=edition).state
        assert state.board[0, 0].design.id in ends
        assert [sum(stack.values()) for stack in state.stacks] == [10, 1, 71]
        assert set(state.stacks[1]) <= ends


@pytest.mark.rule("rulings-carcassonne", "Turn (Carcassonne)")
@pytest.mark.parametrize(
    ("fields", "codes"),
    [
        ({"players": ("red",)}, ["players_number"]),
        ({"players": ("red", "red")}, ["players_twice"]),
        ({"players": ("red", "violet")}, ["unknown_player"]),
        ({"river": "c2"}, ["unknown_river"]),
        ({"hands": {}, "rangers": ()}, ["no_animal_tiles", "no_rangers"]),
        ({"river": "c1"}, []),
    ],
)
def test_a_header_at_fault_says_why(fields: dict[str, object], codes: list[str]) -> None:
    assert Town().header_codes(**fields) == codes


def test_a_game_needs_its_rules_and_its_pack() -> None:
    header = Header("carcassonne", "carcassonne", ("red", "blue"), "fourth")
    with pytest.raises(GameError, match="known: third, second, first"):
        GAME.start(header, PACK)
    with pytest.raises(GameError, match="is not for carcassonne"):
        GAME.start(replace(header, rules=None), lab_pack())
    tiles = {name: design for name, design in PACK.designs.items() if not name.startswith("BR")}
    with pytest.raises(IllegalTurn, match="has no river"):
        GAME.start(replace(header, rules=None, river="c1"), replace(PACK, designs=tiles))


@pytest.mark.rule("rulings-carcassonne", "Turn (Carcassonne)")
def test_all_faults_of_a_turn_come_at_once() -> None:
    table = Town("red", "blue")
    turn = changed(
        table.turn("BC-B", (5, 5), 0, Hut("m0")),
        player="blue",
        displaced_to=(1, 1),
        bonus=(Bonus("red", (0, 0), "f0", "lion"),),
        draws={"red": ("lion",)},
        sent_home=((0, 0), "f0"),
    )
    assert sorted(fault.code for fault in table.state.faults(turn)) == [
        "no_animal_tiles", "no_animal_tiles", "no_rangers", "no_shaman", "not_adjacent", "unknown_action",
        "wrong_player",
    ]  # fmt: skip
    assert table.codes("BC-B", (0, 0), 0, MoveRanger((0, 0), (0, 1))) == ["cell_taken", "unknown_action"]


@pytest.mark.rule("rulings-carcassonne", "Meeple (Carcassonne)")
def test_a_meeple_needs_a_free_feature_of_the_tile() -> None:
    """docs/rulings.md, 'Meeple (Carcassonne)'."""
    table = Town()
    table.put("red", "BC-U", (1, 0), 0, "r0")
    assert table.codes("BC-U", (-1, 0), 0, Meeple("r0")) == ["feature_occupied"]
    assert table.codes("BC-U", (-1, 0), 0, Meeple("r1")) == ["no_such_feature"]
    assert table.codes("BC-U", (-1, 0), 0, Meeple("f0")) == []
    table.state = replace(table.state, supply={"red": 0, "blue": 0})
    assert table.codes("BC-U", (-1, 0), 0, Meeple("f0")) == ["no_meeple"]
    assert table.state.actions("BC-U", (-1, 0), 0) == ()


@pytest.mark.rule("rulings-carcassonne", "Meeple (Carcassonne)")
def test_a_meeple_comes_from_the_supply_before_one_returns() -> None:
    """docs/rulings.md, 'Meeple (Carcassonne)': 'with none left nobody is placed'."""
    table = Town()
    table.put("red", "BC-U", (1, 0), 0, "f1")
    assert table.state.supply["red"] == MEEPLES - 1
    table.put("red", "BC-E", (0, -1), 180, "c0")
    assert table.state.supply["red"] == MEEPLES - 1
    table.state = replace(table.state, supply={"red": 0, "blue": 0})
    assert "no_meeple" in table.codes("BC-B", (0, 1), 0, Meeple("m0"))


@pytest.mark.rule("rulings-carcassonne", "Tile that fits nowhere (Carcassonne)")
def test_a_tile_that_fits_is_not_put_aside_and_one_that_does_not_leaves_the_turn() -> None:
    """docs/rulings.md, 'Tile that fits nowhere (Carcassonne)'."""
    table = Town()
    assert [fault.code for fault in table.state.unplaceable_faults("BC-B")] == ["tile_fits"]
    with pytest.raises(IllegalTurn):
        table.state.unplaceable("BR-B")
    state = replace(table.state, stacks=({"BC-X": 1},))
    blocked = replace(state, grid=replace(state.grid, spaces={}))
    after = blocked.unplaceable("BC-X")
    assert after.over and after.player == state.player
    assert [fault.code for fault in after.unplaceable_faults("BC-X")] == ["game_over"]


@pytest.mark.rule("rulings-carcassonne", "The River")
def test_the_river_comes_first_and_its_lake_last_of_it() -> None:
    """docs/rulings.md, 'The River': 'Ten river tiles are drawn, then the lake, then the 71 others'."""
    table = Town(river="c1")
    assert table.codes("BC-B", (1, 0), 0) == ["wrong_deck"]
    assert table.codes("BR-L", (0, 1), 0) == ["wrong_deck"]
    assert table.codes("BR-L3", (0, 1), 0) == ["unknown_tile"]
    assert table.codes("BR-A", (0, 1), 180) == ["unknown_tile"]
    assert Town().codes("BR-D", (1, 0), 0) == ["unknown_tile"]
    table.put("red", "BR-D", (0, 1), 0)
    assert "tile_exhausted" in table.codes("BR-D", (0, 2), 0)
    with pytest.raises(GameError, match="no tile to draw in this game"):
        table.state.placements("BR-L3")


@pytest.mark.rule("rulings-carcassonne", "The River")
def test_a_river_tile_must_continue_the_river() -> None:
    """docs/rulings.md, 'The River': 'must continue the river, not only fit'."""
    table = Town(river="c1")
    assert table.codes("BR-D", (1, 0), 0) == ["river_not_joined"]
    assert table.codes("BR-D", (0, 1), 90) == ["edge_mismatch"]
    assert set(table.state.placements("BR-D")) == {((0, 1), 0), ((0, 1), 180)}
    assert list(table.state.turns_for("BR-D", (1, 0), 0)) == []


def codes(faults: tuple[Fault, ...]) -> list[str]:
    return [fault.code for fault in faults]


@pytest.mark.rule("rulings-carcassonne", "The River")
def test_the_river_does_not_turn_the_same_way_on_two_tiles_in_a_row() -> None:
    """docs/rulings.md, 'The River', No U-turn: 'with a straight tile between them they may'."""
    table = Town(river="c1")
    table.put("red", "BR-G", (0, 1), 0)
    river = table.state.river
    assert river is not None and river.bend == RIGHT
    assert codes(table.state.faults(table.turn("BR-J", (-1, 1), 270))) == ["river_u_turn"]
    assert table.state.faults(table.turn("BR-J", (-1, 1), 0)) == ()
    assert codes(table.state.faults(table.turn("BR-J", (-1, 1), 90))) == ["edge_mismatch"]
    third = PRESETS["third"]
    for rules, bend in ((third, AHEAD), (replace(third, river_bends="successive"), RIGHT)):
        after = river.after(PACK.designs["BR-D"].tile, 90, rules)
        assert after == River((-2, 1), "e", bend)


@pytest.mark.rule("rulings-carcassonne", "The River")
def test_nothing_stands_on_the_river() -> None:
    """docs/rulings.md, 'The River': 'never on the river'."""
    table = Town(river="c3")
    assert table.codes("BR-D", (0, 1), 0, Meeple("w0")) == ["meeple_on_river"]
    assert Meeple("w0") not in table.state.actions("BR-D", (0, 1), 0)


def test_the_same_tile_is_drawn_as_often_as_it_is_there() -> None:
    table = Town()
    table.put("red", "BC-X", (1, 0), 0)
    assert table.codes("BC-X", (-1, 0), 0) == ["tile_exhausted"]
    assert isinstance(table.state, CarcassonneState) and "BC-X" not in table.state.bag
