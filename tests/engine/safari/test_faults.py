"""Carcassonne Safari, what may not be: every fault has its code, and all of a turn's come at once."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine.games import tile_game_named
from engine.geometry import CORNERS
from engine.record import check, read_record
from engine.safari.actions import Bonus, Dig, Expand, MoveRanger
from engine.tiles.actions import Meeple
from engine.tiles.game import GameError, Header, IllegalTurn
from engine.tiles.turn import Turn
from tests.engine.lab import GOLDEN, Table, animals, lab_pack, parts

ILLEGAL = GOLDEN / "safari" / "illegal.jsonl"

CODES = {
    "bonus animal already on the feature": "bonus_printed",
    "bonus animal not in hand": "animal_not_in_hand",
    "bonus by a player who does not score there (has a meeple there)": "bonus_not_scoring",
    "bonus by a player who does not score there": "bonus_not_scoring",
    "bonus on an unfinished feature": "bonus_unfinished",
    "cell taken": "cell_taken",
    "cell touches a tile by a corner only": "not_adjacent",
    "cell touches no tile": "not_adjacent",
    "dig beside a token": "dig_touches",
    "dig on a corner with a token": "corner_taken",
    "dig on a corner with bush": "corner_not_open",
    "dig where no tile lies": "no_tile",
    "dig with an animal not in hand": "animal_not_in_hand",
    "dig without a meeple in the supply": "no_meeple",
    "displaced ranger not put back": "ranger_not_put_back",
    "displaced ranger put on a tile": "ranger_on_tile",
    "displaced ranger put on the other ranger's space": "ranger_on_ranger",
    "drawn animal of which none is in the supply": "none_left_to_draw",
    "expand diagonally across a token": "expand_touches_nothing",
    "expand where no token lies": "expand_touches_nothing",
    "expand with an animal already at the point": "animal_repeated",
    "expand with an animal not in hand": "animal_not_in_hand",
    "expand with the animal of the diagonal token": "animal_repeated",
    "meeple on a feature the tile does not have": "no_such_feature",
    "meeple on a feature with a meeple": "feature_occupied",
    "meeple without one in the supply": "no_meeple",
    "more of a design than exist": "tile_exhausted",
    "more tiles drawn than due": "draws_wrong_number",
    "player not on turn": "wrong_player",
    "ranger move although one was displaced": "ranger_after_displacement",
    "ranger moved from where none stands": "no_ranger",
    "ranger moved onto a tile": "ranger_on_tile",
    "ranger moved onto its own space": "ranger_same_space",
    "ranger moved onto the other's space": "ranger_on_ranger",
    "ranger moved to a space that touches tiles by a corner only": "ranger_not_adjacent",
    "ranger_to without a displaced ranger": "ranger_not_displaced",
    "second bonus tile of one player on one feature": "bonus_twice",
    "tile's edges do not match": "edge_mismatch",
    "tiles drawn without a baobab": "draws_wrong_number",
    "unplaceable although it fits": "tile_fits",
}


def test_every_golden_illegal_game_is_refused_at_its_last_line_with_the_right_code() -> None:
    seen = set()
    for text in ILLEGAL.read_text("utf-8").splitlines():
        item: dict[str, Any] = json.loads(text)
        result = check(read_record("\n".join(json.dumps(line) for line in item["record"])))
        assert result.line == len(item["record"]), item["illegal"]
        assert CODES[item["illegal"]] in {fault.code for fault in result.faults}
        seen.add(item["illegal"])
    assert seen == set(CODES)


@pytest.mark.rule("safari-zman-2018", "Gameplay")
def test_all_faults_of_a_turn_come_at_once() -> None:
    """DESIGN, 'Engine': all reasons at once."""
    table = Table(hands={"red": "LL", "blue": "EE"})
    turn = Turn(
        "blue",
        "PLAIN",
        (1, 0),
        0,
        Dig((0, 0), "se", "zebra"),
        parts(
            displaced_to=(5, 5),
            bonus=(Bonus("pink", (0, 0), "t0", "lion"), Bonus("red", (0, 0), "q", "zebra")),
            draws={"green": ("tiger",)},
        ),
    )
    codes = sorted(fault.code for fault in table.state.faults(turn))
    assert codes == sorted(
        [
            "wrong_player",
            "edge_mismatch",
            "corner_not_open",
            "animal_not_in_hand",
            "ranger_not_displaced",
            "unknown_player",
            "animal_not_in_hand",
            "no_such_feature",
            "unknown_player",
            "unknown_animal",
        ]
    )
    with pytest.raises(IllegalTurn) as error:
        table.state.apply(turn)
    assert len(error.value.faults) == len(codes)


def test_a_fault_says_where_and_why() -> None:
    table = Table()
    (fault,) = table.state.faults(table.turn("PLAIN", (1, 0)))
    assert (fault.code, fault.cell, fault.edge) == ("edge_mismatch", (1, 0), "w")
    assert fault.message == "the west edge at [1, 0] is savanna, but the tile beyond has trail there"


@pytest.mark.rule("safari-zman-2018", "Placing a meeple on an animal trail")
def test_a_meeple_may_not_join_one_that_is_there() -> None:
    """'only if no other meeples are present along the entire trail'."""
    table = Table()
    table.play("TRAIL-E", (1, 0), action=Meeple("t0"))
    assert table.codes("TRAIL-E", (2, 0), 0, Meeple("t0")) == ["feature_occupied"]


@pytest.mark.rule("safari-zman-2018", "Components and setup")
def test_a_seventh_meeple_is_refused_and_not_offered() -> None:
    """'six meeples'; docs/rulings.md, 'Meeple (Safari)': it comes from the supply before any returns."""
    table = Table()
    table.fill()
    for k in range(6):
        table.play("TREE", (-1 - k, -1), 0, Meeple("baobab"), by="red")
    table.fill(by="blue")
    assert table.codes("END-E", (1, 0), 0, Meeple("t0")) == ["no_meeple"]
    assert table.state.actions("END-E", (1, 0), 0) == ()
    assert not any(
        isinstance(turn.action, Meeple | Dig) for turn in table.state.turns_for("END-E", (1, 0), 0)
    )


@pytest.mark.rule("safari-zman-2018", "The Ranger")
def test_a_ranger_may_not_be_moved_besides_one_displaced() -> None:
    """'If you displaced a ranger with your tile (1b), you may not move a ranger instead'."""
    table = Table()
    action = MoveRanger((-1, 1), (0, -1))
    assert table.codes("PLAIN", (-2, 0), 0, action, displaced_to=(-3, 0)) == ["ranger_after_displacement"]


@pytest.mark.rule("safari-zman-2018", "Dig a watering hole")
def test_digging_and_expanding_go_with_a_displaced_ranger() -> None:
    """docs/rulings.md, 'Watering hole': dig and expand are allowed in a turn that displaced a ranger."""
    table = Table(hands={"red": "LL", "blue": "EE"})
    assert table.codes("PLAIN", (-2, 0), 0, Dig((0, 0), "nw", "lion"), displaced_to=(-3, 0)) == []


@pytest.mark.rule("safari-zman-2018", "Expanding a watering hole")
def test_an_expansion_differs_from_all_tiles_there() -> None:
    """'You must use an animal tile depicting a different animal than the animals already present'."""
    table = Table(hands={"red": "LZ", "blue": "LG"})
    table.lay(("PLAIN", (0, -1), 0), ("PLAIN", (-1, -1), 0))
    table.fill(Dig((0, 0), "nw", "lion"))
    expand = Expand((-1, 0), "ne", "lion")
    assert table.codes("PLAIN", (1, -1), 0, expand) == ["animal_repeated"]
    assert table.codes("PLAIN", (1, -1), 0, Expand((-1, -1), "se", "giraffe")) == ["expand_touches_nothing"]
    assert table.codes("PLAIN", (1, -1), 0, Dig((-1, 0), "ne", "giraffe")) == ["dig_touches"]
    assert table.codes("PLAIN", (1, -1), 0, Dig((-1, -1), "se", "lion")) == []


@pytest.mark.rule("safari-zman-2018", "Placing additional animals")
def test_a_bonus_tile_needs_the_majority_a_new_animal_and_a_place_of_its_own() -> None:
    """'all scoring players may add a different animal'; docs/rulings.md, 'Bonus tiles': one
    tile per feature."""
    table = Table("red", "blue", "green", hands={"red": "LZ", "blue": "LL", "green": "EE"})
    table.play("HEDGE-0", (0, 1), 0, Meeple("b0"), by="red")
    table.lay(("PLAIN", (1, 1), 0))
    table.play("BIRDS-L", (1, 2), 270, Meeple("b0"), by="red")
    table.lay(("PLAIN", (1, 3), 0))
    table.play("BUSH-M", (0, 3), 0, Meeple("b0"), by="blue")

    def codes(*bonus: tuple[str, str], cell: tuple[int, int] = (0, 2)) -> list[str]:
        items = tuple(Bonus(player, cell, "b0", animal) for player, animal in bonus)
        return table.codes("CROSS-0", (0, 2), 0, bonus=items)

    assert codes(("red", "zebra")) == []
    assert codes(("red", "lion")) == ["bonus_printed"]
    assert codes(("blue", "lion")) == ["bonus_not_scoring", "bonus_printed"]
    assert codes(("green", "elephant")) == ["bonus_not_scoring", "bonus_printed"]
    assert codes(("red", "zebra"), ("red", "zebra")) == ["animal_not_in_hand", "bonus_twice"]
    assert codes(("red", "zebra"), cell=(5, 5)) == ["no_tile"]
    assert codes(("red", "tiger")) == ["unknown_animal"]


@pytest.mark.rule("safari-zman-2018", "Placing additional animals")
def test_one_animal_tile_is_not_offered_for_two_features() -> None:
    """docs/rulings.md, 'Bonus tiles': one tile per feature, in hand when scoring starts."""
    table = Table(hands={"red": "LZ", "blue": "EE"})
    table.fill()
    table.play("END-0", (1, -1), 180, Meeple("t0"), by="red")
    table.lay(("PLAIN", (1, -2), 0), ("PLAIN", (2, -2), 0), ("PLAIN", (3, -2), 0))
    table.play("END-0", (3, -1), 0, Meeple("t0"), by="red")
    table.fill(by="blue")
    listed = [
        turn.parts_of(Bonus) for turn in table.state.turns_for("TWO-00", (2, -1), 0) if turn.action is None
    ]
    assert sorted(sorted(item.animal for item in bonus) for bonus in listed) == [
        [], ["lion"], ["lion"], ["lion", "zebra"], ["lion", "zebra"], ["zebra"], ["zebra"],
    ]  # fmt: skip


@pytest.mark.rule("safari-zman-2018", "Dig a watering hole")
def test_a_corner_is_open_beside_a_trail_but_not_beside_bush() -> None:
    """'A corner is open if it depicts only savanna (no bush)'; docs/rulings.md, 'Watering hole': trails do
    not matter."""
    table = Table(hands={"red": "LZ", "blue": "EE"})
    codes = {corner: table.codes("PLAIN", (0, -1), 0, Dig((0, 0), corner, "lion")) for corner in CORNERS}
    assert codes == {"nw": [], "ne": [], "se": ["corner_not_open"], "sw": ["corner_not_open"]}


@pytest.mark.rule("safari-zman-2018", "The Ranger")
@pytest.mark.parametrize(
    ("to", "code"),
    [
        ((0, 0), "ranger_on_tile"),
        ((-1, 1), "ranger_on_ranger"),
        ((-2, 0), "ranger_same_space"),
        ((-2, 1), "ranger_not_adjacent"),
        ((9, 9), "ranger_not_adjacent"),
    ],
)
def test_a_ranger_moves_to_an_empty_space_beside_a_tile(to: tuple[int, int], code: str) -> None:
    """'to an empty space next to one or more land tiles'; 'never occupy the same space!'"""
    table = Table()
    assert table.codes("PLAIN", (0, -1), 0, MoveRanger((-2, 0), to)) == [code]
    if code != "ranger_same_space":
        assert table.codes("PLAIN", (-2, 0), 0, displaced_to=to) == (
            [] if to == (-2, 1) else [code]  # beside the tile just laid it is a space
        )


def test_unseen_tiles_are_legal_until_they_cannot_be() -> None:
    """docs/formats.md, 'Turn of a tile game': '?' is legal; docs/rulings.md, 'Records (Safari)':
    an animal of which none can be left is a fault."""
    table = Table("red", "blue", hands={"red": "LL", "blue": "LL"})
    table.play("TREE", (0, -1), 0, Meeple("baobab"), draws={"red": ("lion", "lion")})
    table.play("TREE", (0, -2), 0, Meeple("baobab"), draws={"blue": ("lion", "lion")})
    table.play("TREE", (0, -3), 0, Meeple("baobab"), draws={"red": ("?", "lion")})
    assert table.codes("TREE", (0, -4), 0, Meeple("baobab"), draws={"blue": ("lion", "lion")}) == [
        "none_left_to_draw"
    ]
    assert table.codes("TREE", (0, -4), 0, Meeple("baobab"), draws={"blue": ("lion",)}) == [
        "draws_wrong_number"
    ]
    table.play("TREE", (0, -4), 0, Meeple("baobab"))
    assert table.state.hands["blue"] == (*animals("LLLL"), "?", "?")
    table.play("PLAIN", (0, -5), 0, Dig((0, 0), "nw", "zebra"))
    assert table.state.hands["red"] == ("lion",) * 5


@pytest.mark.rule("safari-zman-2018", "The Baobab Tree")
def test_the_discards_are_shuffled_in_when_a_tile_must_be_drawn_and_none_is_left() -> None:
    """docs/rulings.md, 'Supply of animal tiles': also in the middle of a draw; take what there is."""
    table = Table("red", "blue", "green", "black", "yellow", hands=dict.fromkeys(
        ("red", "blue", "green", "black", "yellow"), "LL"
    ))  # fmt: skip
    table.fill()
    for k in range(20):  # all forty others are drawn, and nobody sees them
        table.play("TREE", (1 + k % 10, -1 - k // 10), 0, Meeple("baobab"))
    assert sum(len(hand) for hand in table.state.hands.values()) == 50
    player = table.state.player
    table.play("END-0", (1, 0), 0, Meeple("t0"), bonus=(Bonus(player, (1, 0), "t0", "lion"),))
    player = table.state.player
    where = ((11, -1), 0)
    assert table.codes("TREE", *where, Meeple("baobab"), draws={player: ("lion", "?")}) == [
        "draws_wrong_number"
    ]
    assert table.codes("TREE", *where, Meeple("baobab"), draws={player: ("zebra",)}) == ["none_left_to_draw"]
    table.play("TREE", *where, Meeple("baobab"), draws={player: ("lion",)})
    assert sum(len(hand) for hand in table.state.hands.values()) == 50


@pytest.mark.rule("safari-zman-2018", "Summary")
@pytest.mark.rule("safari-wiki-2018, safari-wiki-2020", "Placing a tile")
def test_a_tile_that_fits_nowhere_goes_to_the_box_and_the_same_player_draws_again() -> None:
    """'If you are unable to place the tile you drew, return it to the box and draw a new one.'"""
    table = Table()
    player = table.state.player
    (fault,) = table.state.unplaceable_faults("PLAIN")
    assert fault.code == "tile_fits"
    table.lay(("END-0", (1, 0), 0), ("BUSH-0", (0, 1), 0))
    bag = table.state.bag
    assert table.state.placements("THICKET-M") == ()
    after = table.state.unplaceable("THICKET-M")
    assert after.player == player == table.state.player
    assert after.bag["THICKET-M"] == bag["THICKET-M"] - 1
    assert [fault.code for fault in after.unplaceable_faults("NOTHING")] == ["unknown_tile"]


@pytest.mark.rule("safari-zman-2018", "Components and setup")
@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"players": ("red",)}, "players_number"),
        ({"players": ("red", "red")}, "players_twice"),
        ({"players": ("red", "pink")}, "unknown_player"),
        ({"hands": {"red": ("lion",)}}, "hand_wrong_number"),
        ({"hands": {"red": ("lion", "tiger")}}, "unknown_animal"),
        ({"hands": {"green": ("lion", "lion")}}, "unknown_player"),
        ({"rangers": ((-2, 0),)}, "rangers_number"),
        ({"rangers": ((0, 0), (-2, 0))}, "ranger_on_tile"),
        ({"rangers": ((5, 5), (-2, 0))}, "ranger_not_adjacent"),
        ({"river": "c1"}, "no_river"),
    ],
)
def test_a_header_at_fault_says_why(changes: dict[str, Any], code: str) -> None:
    header = Header(**({"game": "safari", "pack": "lab", "players": ("red", "blue")} | changes))
    faults = tile_game_named("safari").header_faults(header, lab_pack())
    assert code in {fault.code for fault in faults}
    with pytest.raises(IllegalTurn):
        tile_game_named("safari").start(header, lab_pack())


def test_a_game_or_edition_that_is_not_there_is_said() -> None:
    with pytest.raises(GameError, match="known: safari"):
        tile_game_named("chess")
    with pytest.raises(GameError, match="zman"):
        tile_game_named("safari").start(Header("safari", "lab", ("red", "blue"), "mine"), lab_pack())
