"""Faults of Hunters and Gatherers; each test names its section of hunters-gatherers-2020."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.games import tile_game_named
from engine.geometry import ROTS, Cell
from engine.hunters_gatherers.actions import Hut
from engine.hunters_gatherers.rules import HUTS, MEEPLES
from engine.hunters_gatherers.state import HuntersState
from engine.pack import load_pack
from engine.safari.actions import Bonus, Dig, MoveRanger
from engine.tiles.actions import Action, Meeple
from engine.tiles.game import GameError, Header, IllegalTurn
from engine.tiles.turn import FeatureRef, Turn
from tests.engine.hunters_gatherers.lab import Valley, hunters_pack
from tests.engine.lab import parts

GAME = tile_game_named("hunters-gatherers")


@pytest.mark.rule("hunters-gatherers-2020", "Contents & Setup")
def test_the_box_holds_78_regular_and_16_menhir_tiles() -> None:
    """'Contents & Setup': 1 starting, 78 regular and 16 menhir tiles, one of each face."""
    pack = load_pack("hunters-gatherers-2020")
    state = GAME.start(Header("hunters-gatherers", pack.id, ("red", "blue")), pack)
    assert sum(state.bag.values()) == 78
    assert len(pack.bag) == 94
    assert [(cell, design.id) for cell, design in pack.start_designs] == [((0, 0), "HG56")]
    assert state.supply == {"red": 5, "blue": 5}
    assert (MEEPLES, HUTS) == (5, 3)
    assert pack.designs["HG85"].animals == {}  # docs/rulings.md, 'Printed tiger of HG85'


@pytest.mark.rule("hunters-gatherers-2020", "Contents & Setup")
@pytest.mark.parametrize(
    ("players", "codes"),
    [
        (("red",), ["players_number"]),
        (("red", "blue", "green", "yellow", "violet", "red"), ["players_number", "players_twice"]),
        (("red", "black"), ["unknown_player"]),
    ],
)
def test_two_to_five_players_of_five_colours(players: tuple[str, ...], codes: list[str]) -> None:
    """'Contents & Setup': yellow, red, green, blue and violet; 'A clever game for 2-5 players'."""
    faults = GAME.header_faults(Header("hunters-gatherers", "hunters-lab", players), hunters_pack())
    assert sorted(fault.code for fault in faults) == codes


def test_hands_and_rangers_are_another_games() -> None:
    """docs/formats.md, 'Header': those header fields are Safari's."""
    header = Header("hunters-gatherers", "hunters-lab", ("red", "blue"), None, {"red": ()}, ((0, 1),))
    with pytest.raises(IllegalTurn) as error:
        GAME.start(header, hunters_pack())
    assert [fault.code for fault in error.value.faults] == ["no_animal_tiles", "no_rangers"]
    with pytest.raises(GameError, match="known: 2020"):
        GAME.start(replace(header, rules="1999"), hunters_pack())
    with pytest.raises(GameError, match="not for"):
        GAME.start(replace(header, hands=None, rangers=None), load_pack("savanna"))


@pytest.mark.rule("hunters-gatherers-2020", "Place a land tile")
def test_tiles_continue_the_landscape() -> None:
    """'1. Place a land tile': it 'continues the landscape' and 'connects to 1 or more tiles'."""
    table = Valley()
    assert table.codes("GRASS-0", (1, 0)) == ["edge_mismatch"]
    assert table.codes("WOOD", (0, 1)) == []
    assert table.codes("WOOD", (0, 1), 180) == ["edge_mismatch"]
    assert table.codes("GRASS-0", (1, 1)) == ["not_adjacent"]
    assert table.codes("GRASS-0", (0, 0)) == ["cell_taken"]
    assert table.codes("START", (0, 1)) == ["unknown_tile"]
    assert table.codes("HG00", (0, 1), action=Meeple("m0")) == ["unknown_tile"]


@pytest.mark.rule("hunters-gatherers-2020", "Contents & Setup")
def test_there_is_one_of_each_tile() -> None:
    """'Contents & Setup', the numbers of tiles."""
    table = Valley(pack=hunters_pack(count=1))
    table.play("GRASS-0", (0, 1))
    assert table.codes("GRASS-0", (0, 2)) == ["tile_exhausted"]


@pytest.mark.rule("hunters-gatherers-2020", "Playing the Game")
def test_every_reason_is_told_at_once() -> None:
    """All faults are reported, as a camera also sees illegal positions."""
    table = Valley()
    keys: dict[str, Any] = {
        "player": "blue",
        "tile": "MENHIR-STRIP",
        "cell": (0, 1),
        "rot": 0,
        "action": Meeple("f9"),
    }
    assert table.faulty(**keys) == ["edge_mismatch", "no_such_feature", "wrong_deck", "wrong_player"]
    keys |= {"player": "green", "action": Hut("m0"), "sent_home": ((0, 0), "m3")}
    assert table.faulty(**keys) == [
        "edge_mismatch", "hut_not_on_water", "no_shaman", "shaman_no_meeple", "unknown_player", "wrong_deck",
    ]  # fmt: skip


@pytest.mark.rule("hunters-gatherers-2020", "Menhirs")
@pytest.mark.rule("hunters-gatherers-2020", "Menhir tiles")
def test_a_menhir_tile_waits_for_its_turn() -> None:
    """'Contents & Setup': 'Separate the regular land tiles from the menhir tiles'; 'Menhirs': the extra turn
    takes 'one of the set-aside menhir tiles'."""
    table = Valley()
    assert table.codes("MENHIR-0", (0, 1)) == ["wrong_deck"]
    assert [fault.code for fault in table.state.unplaceable_faults("MENHIR-0")] == ["wrong_deck"]
    table.play("STONE", (0, -1))
    assert table.codes("GRASS-0", (0, 1)) == ["wrong_deck"]
    assert list(table.state.turns_for("GRASS-0", (0, 1), 0)) == []
    assert table.codes("MENHIR-0", (0, 1)) == []
    assert table.faulty(player="blue", tile="MENHIR-0", cell=(0, 1), rot=0) == ["wrong_player"]


@pytest.mark.rule("hunters-gatherers-2020", "Place a meeple as a fisher on a river")
@pytest.mark.rule("hunters-gatherers-2020", "Place a meeple as a gatherer on a forest")
def test_a_meeple_needs_an_empty_feature() -> None:
    """'2a. Place a meeple as a fisher': 'only if no other meeples are present on the same river'."""
    table = Valley()
    table.play("RIVER", (1, 0), action=Meeple("r1"))
    assert table.codes("POND-0", (2, 0), action=Meeple("r1")) == ["feature_occupied"]
    assert table.codes("POND-0", (2, 0), action=Meeple("r3")) == []
    assert table.codes("POND-0", (2, 0), action=Meeple("l8")) == ["meeple_on_lake"]
    assert table.codes("POND-0", (2, 0), action=Meeple("f1")) == ["no_such_feature"]
    assert Meeple("r1") not in table.state.actions("POND-0", (2, 0), 0)


@pytest.mark.rule("hunters-gatherers-2020", "Place a meeple as a fisher on a river")
@pytest.mark.rule("hunters-gatherers-2020", "Place a meeple or a hut")
def test_meeples_and_huts_run_out() -> None:
    """'Give each player 5 meeples and 3 huts'."""
    table = Valley()
    table.state = replace(table.state, supply={"red": 0, "blue": 5}, hut_supply={"red": 0, "blue": 3})
    assert table.codes("POND-0", (1, 0), action=Meeple("r3")) == ["no_meeple"]
    assert table.codes("POND-0", (1, 0), action=Hut("l8")) == ["no_hut"]
    assert table.state.actions("POND-0", (1, 0), 0) == ()


@pytest.mark.rule("hunters-gatherers-2020", "Place a hut on a river or lake")
def test_a_hut_needs_water_and_an_empty_river_system() -> None:
    """'2b. Place a hut on a river or lake': 'only if no other huts are present on the same river system';
    'You can place a hut on a river where a meeple is already present.'"""
    table = Valley()
    table.play("RIVER", (1, 0), action=Meeple("r1"))
    assert table.codes("RIVER", (2, 0), action=Hut("m0")) == ["hut_not_on_water"]
    table.play("RIVER", (2, 0), action=Hut("r1"))
    assert table.codes("POND-0", (3, 0), action=Hut("l8")) == ["system_has_hut"]
    assert table.codes("POND-0", (3, 0), action=Hut("r3")) == ["system_has_hut"]
    assert [action for action in table.state.actions("POND-0", (3, 0), 0) if isinstance(action, Hut)] == []


@pytest.mark.rule("hunters-gatherers-2020", "Place a hut on a river or lake")
def test_a_hut_on_a_river_that_ends_in_a_lake_stands_at_the_lake() -> None:
    """docs/rulings.md, 'Records (Hunters and Gatherers)': offered once, as a hut on the lake."""
    table = Valley()
    huts = [action for action in table.state.actions("POND-0", (1, 0), 0) if isinstance(action, Hut)]
    assert huts == [Hut("l8")]
    at_lake = table.state.apply(table.turn("POND-0", (1, 0), action=Hut("l8"))).state
    at_river = table.state.apply(table.turn("POND-0", (1, 0), action=Hut("r1"))).state
    assert at_lake == at_river


@pytest.mark.rule("hunters-gatherers-2020", "Place a hut on a river or lake")
def test_two_systems_of_one_tile_may_be_one_already() -> None:
    """'A river system consists of all rivers connected to each other, including through lakes.'"""
    table = Valley()
    table.play("RIVER", (1, 0), action=Hut("r1"))
    for cell, rot in (((2, 0), 180), ((2, 1), 270)):
        table.play("BEND", cell, rot)
    assert table.codes("POND-0", (1, 1), action=Hut("l8")) == ["system_has_hut"]


@pytest.mark.rule("hunters-gatherers-2020", "Menhir tiles with immediate actions")
def test_the_shaman_sends_home_only_a_meeple_of_the_player() -> None:
    """'When you place the shaman, you may immediately return 1 of your meeples'."""
    table = Valley()
    table.play("GRASS-0", (0, 1), action=Meeple("m0"))
    red, none = ((0, 1), "m0"), ((0, 0), "m0")
    assert table.codes("SHAMAN", (0, 2), sent_home=red) == ["shaman_no_meeple"]
    assert table.codes("SHAMAN", (0, 2), sent_home=none) == ["shaman_no_meeple"]
    table.play("RIVER", (1, 0), action=Hut("r1"))
    assert table.codes("GRASS-0", (0, 2), sent_home=red) == ["no_shaman"]
    assert table.codes("SHAMAN", (0, 2), sent_home=red) == []
    assert table.codes("SHAMAN", (0, 2), sent_home=((1, 0), "r1")) == ["shaman_no_meeple"]
    choices = {turn.parts for turn in table.state.turns_for("SHAMAN", (0, 2), 0)}
    assert choices == {(), parts(sent_home=red)}


def test_the_last_meeple_may_come_back_and_go_out_again() -> None:
    """'immediately': before a meeple is placed."""
    table = Valley()
    table.play("GRASS-0", (0, 1), action=Meeple("m0"))
    table.state = replace(table.state, seat=0, supply={"red": 0, "blue": 5})
    assert table.codes("SHAMAN", (0, 2), action=Meeple("m0")) == ["feature_occupied", "no_meeple"]
    home: dict[str, Any] = {
        "tile": "SHAMAN",
        "cell": (0, 2),
        "rot": 0,
        "action": Meeple("m0"),
        "sent_home": ((0, 1), "m0"),
    }
    assert table.faulty(player="red", **home) == []
    table.state = replace(table.state, seat=1)
    assert table.faulty(player="red", **home) == ["wrong_player"]


def test_pieces_of_other_games_are_refused() -> None:
    """docs/formats.md, 'Turn of a tile game': rangers, animal tiles and draws are Safari's."""
    table = Valley()
    codes = table.codes(
        "GRASS-0",
        (0, 1),
        action=MoveRanger((0, 2), (0, 3)),
        displaced_to=(5, 5),
        bonus=(Bonus("red", (0, 0), "m3", "lion"),),
        draws={"red": ("lion",)},
    )
    assert codes == ["no_animal_tiles", "no_animal_tiles", "no_rangers", "unknown_action"]


@pytest.mark.rule("hunters-gatherers-2020", "Summary")
def test_a_tile_that_fits_is_not_put_aside() -> None:
    """'In the rare event that you are unable to place the tile you drew, return that tile to the box'."""
    table = Valley()
    assert [fault.code for fault in table.state.unplaceable_faults("GRASS-0")] == ["tile_fits"]
    assert table.state.unplaceable_faults("MENHIR-THREE")[0].code == "wrong_deck"
    with pytest.raises(IllegalTurn):
        table.state.unplaceable("GRASS-0")


def closed_in() -> Valley:
    """A board on which red is to take an extra turn, and no tile with a river edge fits anywhere."""
    table = Valley(pack=hunters_pack(count=2))
    table.play("LAKE-0", (1, 0))
    table.play("GRASS-0", (0, 1))
    table.play("STONE", (0, -1))
    assert table.state.extra
    return table


@pytest.mark.rule("hunters-gatherers-2020", "Summary")
def test_a_menhir_tile_that_fits_nowhere_is_put_aside() -> None:
    """docs/rulings.md, 'Menhir turn': it is put aside, and the next one is drawn; with none left
    the extra turn ends."""
    table = closed_in()
    player, regular = table.state.player, table.state.stacks[0]
    table.state = replace(table.state, stacks=(regular, {"MENHIR-THREE": 1, "MENHIR-0": 1}))
    table.state = table.state.unplaceable("MENHIR-THREE")
    assert table.state.player == player
    assert dict(table.state.bag) == {"MENHIR-0": 1}
    table.state = replace(table.state, stacks=(regular, {"MENHIR-THREE": 1}))
    table.state = table.state.unplaceable("MENHIR-THREE")
    assert not table.state.extra
    assert table.state.player != player
    assert "GRASS-D" in table.state.bag


@pytest.mark.rule("hunters-gatherers-2020", "End of the game, final scoring, and determining the winner")
@pytest.mark.parametrize("menhir_turn", [True, False])
def test_the_game_ends_with_the_last_regular_tile(menhir_turn: bool) -> None:
    """'When the last land tile (not menhir tile) is placed, the game ends at the end of that turn';
    docs/rulings.md, 'Menhir turn': a menhir forest closed by the last regular tile still gives it."""
    table = Valley()
    rules = replace(table.state.rules, last_tile_menhir=menhir_turn)
    table.state = replace(table.state, rules=rules, stacks=({"STONE": 1}, table.state.stacks[1]))
    table.play("STONE", (0, -1))
    assert table.state.over is not menhir_turn
    if menhir_turn:
        assert table.state.player == "red"
        table.play("MENHIR-0", (0, 1))
    assert table.state.over
    assert "game_over" in table.codes("GRASS-0", (-1, 0))
    assert "game_over" in table.codes("MENHIR-0", (-1, 0))
    assert [fault.code for fault in table.state.unplaceable_faults("GRASS-0")] == ["game_over"]
    assert list(table.state.turns_for("GRASS-0", (-1, 0), 0)) == []


def test_an_unknown_face_is_said_to_be_unknown() -> None:
    """The faces that can be drawn are the pack's."""
    with pytest.raises(GameError, match="no tile"):
        Valley().state.placements("CS1")


NAMES = st.sampled_from(
    ["red", "blue", "black", "HG00", "HG56", "HG79", "HG88", "HG93", "HG94", "m0", "r1", "l8", "?"]
)
CELLS = st.tuples(st.integers(-2, 2), st.integers(-2, 2))
PIECES = st.one_of(
    st.none(),
    st.builds(Meeple, NAMES),
    st.builds(Hut, NAMES),
    st.builds(MoveRanger, CELLS, CELLS),
    st.builds(Dig, CELLS, st.just("ne"), NAMES),
)


@settings(max_examples=300, deadline=None)
@given(NAMES, NAMES, CELLS, st.sampled_from(ROTS), PIECES, st.none() | st.tuples(CELLS, NAMES), st.booleans())
def test_faults_and_apply_agree_on_any_turn(
    player: str,
    tile: str,
    cell: Cell,
    rot: int,
    action: Action | None,
    shaman: FeatureRef | None,
    extra: bool,
) -> None:
    """No turn raises anything but the documented errors, and ``faults`` agrees with ``apply``."""
    pack = load_pack("hunters-gatherers-2020")
    state = GAME.start(Header("hunters-gatherers", pack.id, ("red", "blue")), pack)
    assert isinstance(state, HuntersState)
    state = replace(state, extra=extra)
    turn = Turn(player, tile, cell, rot, action, parts(sent_home=shaman))
    faults = state.faults(turn)
    if faults:
        with pytest.raises(IllegalTurn) as error:
            state.apply(turn)
        assert error.value.faults == faults
    else:
        assert state.apply(turn).state.board[cell].design.id == tile
