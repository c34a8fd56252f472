"""Actions: every kind round-trips, and a game refuses those that it does not have."""

from __future__ import annotations

import pytest

from engine.games import tile_game_named
from engine.hunters_gatherers.actions import Hut, SentHome
from engine.jsonvalue import FieldError
from engine.notation import read_turn, write_turn
from engine.pack import load_pack
from engine.safari.actions import Bonus, Dig, Drawn, Expand, MoveRanger, RangerBack
from engine.text_span import NotationError, Span
from engine.tiles.actions import (
    Action,
    Meeple,
    Put,
    TurnPart,
    action_from_json,
    action_to_json,
    known_actions,
    known_parts,
)
from engine.tiles.game import Header
from engine.tiles.turn import Turn, described

ACTIONS: tuple[Action, ...] = (
    Meeple("t0"),
    Hut("r1"),
    MoveRanger((2, 0), (0, -2)),
    Dig((0, 1), "se", "lion"),
    Expand((1, 1), "sw", "zebra"),
)


def test_every_kind_of_action_is_known() -> None:
    assert {action.type: action.__class__ for action in ACTIONS} == known_actions()


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.type)
def test_an_action_reads_back_from_records_and_notation(action: Action) -> None:
    assert action_from_json(action_to_json(action)) == action
    assert type(action).from_word(Span.of(action.word())) == action


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.type)
def test_an_action_has_no_field_but_its_own(action: Action) -> None:
    with pytest.raises(FieldError, match="action"):
        action_from_json({**action.to_json(), "color": "red"})
    with pytest.raises(FieldError, match=r'must be .* or .*, is "fly"'):
        action_from_json({**action.to_json(), "type": "fly"})


@pytest.mark.parametrize(
    ("game", "action", "code"),
    [
        ("safari", Hut("r1"), "no_huts"),
        ("hunters-gatherers", MoveRanger((2, 0), (0, 2)), "unknown_action"),
        ("hunters-gatherers", Dig((0, 0), "se", "lion"), "unknown_action"),
    ],
)
def test_a_game_refuses_another_game_s_actions(game: str, action: Action, code: str) -> None:
    rules = tile_game_named(game)
    pack = load_pack(rules.default_pack)
    state = rules.start(Header(game, pack.id, rules.colors[:2]), pack)
    tile = next(name for name in state.bag if state.placements(name))
    cell, rot = state.placements(tile)[0]
    (fault,) = state.faults(Turn(state.player, tile, cell, rot, action))
    assert (fault.code, fault.cell) == (code, cell)


def test_an_action_says_what_it_puts_down_beside_the_tile_just_laid() -> None:
    puts = [action.put for action in ACTIONS]
    assert puts[:2] == [None, None]
    assert puts[2] == Put("ranger", (0, -2))
    assert puts[3] == Put("token", (0, 1), "se", "lion", covered=True)
    assert puts[4] == Put("token", (1, 1), "sw", "zebra")
    assert [action.showing("?") == action for action in ACTIONS] == [True, True, True, False, False]


PARTS: tuple[TurnPart, ...] = (
    RangerBack((3, 3)),
    Bonus("red", (0, 1), "t0", "zebra"),
    Bonus("blue", (0, 1), "t0", "lion"),
    Drawn("red", ("monkey", "?")),
    SentHome(((0, 1), "m0")),
)


def test_every_kind_of_part_is_known_in_the_order_of_a_turn() -> None:
    assert list(known_parts().items()) == list({part.type: type(part) for part in PARTS}.items())


def test_the_parts_of_a_turn_read_back_from_records_and_notation() -> None:
    turn = Turn("red", "CS1", (0, 1), 90, Meeple("baobab"), PARTS)
    line = turn.to_json()
    assert list(line)[5:] == ["ranger_to", "bonus", "draws", "shaman"]
    assert Turn.from_json(line) == turn
    word = write_turn("safari", turn)
    assert word.split("/")[1:3] == ["shaman=m0@0,1", "meeple=baobab"]
    assert read_turn("safari", word) == turn
    for part in ("back=1,1", "draws=red,lion", "shaman=m0@0,0"):
        with pytest.raises(NotationError, match="stands here twice"):
            read_turn("safari", f"{word}/{part}")
    assert turn.seen.parts == (*PARTS[:3], PARTS[4])
    assert [put.kind for put in turn.puts] == ["ranger", "token", "token"]


@pytest.mark.parametrize(
    ("game", "codes"),
    [
        ("safari", {"no_shaman"}),
        ("hunters-gatherers", {"no_rangers", "no_animal_tiles"}),
        ("carcassonne", {"no_rangers", "no_animal_tiles", "no_shaman"}),
    ],
)
def test_a_game_refuses_another_game_s_parts(game: str, codes: set[str]) -> None:
    rules = tile_game_named(game)
    pack = load_pack(rules.default_pack)
    state = rules.start(Header(game, pack.id, rules.colors[:2]), pack)
    tile = next(name for name in state.bag if state.placements(name))
    cell, rot = state.placements(tile)[0]
    faults = state.faults(Turn(state.player, tile, cell, rot, None, PARTS))
    assert {part.refused() for part in PARTS if part.refused().code in codes} <= set(faults)
    assert not {part.refused() for part in PARTS if part.refused().code not in codes} & set(faults)


def test_features_in_words_have_their_kinds_beside_their_ids() -> None:
    pack = load_pack("savanna")
    bonus = (Bonus("red", (5, 5), "b0", "lion"), Bonus("red", (6, 6), "b1", "lion"))
    turn = Turn("red", "CS13-G", (0, 1), 0, Meeple("t0"), bonus)
    assert "meeple on t0, red adds lion to b0 of [5, 5]" in described(turn)
    told = described(turn, pack, {(5, 5): pack.designs["CS13-G"]})
    assert told == (
        "CS13-G at [0, 1] turned 0°, meeple on trail t0, red adds lion to bush b0 of [5, 5], "
        "red adds lion to b1 of [6, 6]"
    )
    foreign = Turn("red", "?city-road-field-road-ew", (0, 1), 0, Meeple("r0"))
    assert described(foreign, load_pack("bastide")).endswith("meeple on road r0")


def test_a_turn_in_words() -> None:
    turn = Turn("red", "CS1", (0, 1), 90, MoveRanger((2, 0), (0, -2)), (RangerBack((3, 3)),))
    assert described(turn) == (
        "CS1 at [0, 1] turned 90°, ranger from [2, 0] to [0, -2], displaced ranger to [3, 3]"
    )
