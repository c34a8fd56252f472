"""Moves, photos and the end of Tricky Safari. Source: tricky-safari-online, by section, and the rulings."""

from __future__ import annotations

import pytest

from engine.game import IllegalTurn
from engine.tricky_safari.board import FACINGS, SQUARES, Facing
from engine.tricky_safari.rules import SPECIES, Rules
from engine.tricky_safari.state import Move, TrickyState
from tests.engine.tricky_safari.lab import all_but, beside, position

FULL = frozenset(SPECIES)


def codes(state: TrickyState, turn: Move) -> list[str]:
    return [fault.code for fault in state.faults(turn)]


def go(state: TrickyState, *turns: str) -> TrickyState:
    """'yellow b1', 'red -' (a pass)."""
    for text in turns:
        player, to = text.split()
        state = state.apply(Move(player, passes=True) if to == "-" else Move(player, to)).state
    return state


# --- moves ---------------------------------------------------------------------------------------------


@pytest.mark.rule("tricky-safari-online", "Start of the game")
def test_the_first_turn_is_a_rook_move() -> None:
    """'Start of the game': horizontal or vertical, not diagonal, not on or through forest or lake; animals
    stop it too (rulings)."""
    state = position("lion a4 n", forest="d1", turn_no=0)
    assert sorted(state.moves()) == ["a2", "a3", "b1", "c1"]
    assert codes(state, Move("yellow", "b2")) == ["first_turn_diagonal"]
    assert codes(state, Move("yellow", "e1")) == ["through_forest"]
    assert codes(state, Move("yellow", "a4")) == ["on_animal"]
    assert codes(state, Move("yellow", "a5")) == ["through_animal"]


@pytest.mark.rule("tricky-safari-online", "Start of the game")
def test_a_pass_is_free_in_each_players_own_first_turn() -> None:
    """'Start of the game': 'Or you pass, to stay at your start space!' Each player's own first turn, even if
    passed (rulings)."""
    state = go(position(turn_no=0), "yellow -")
    assert state.cameras["yellow"] == "a1"
    assert codes(state, Move("red", passes=True)) == []
    assert codes(state, Move("red", "i9")) == ["first_turn_diagonal"]
    state = go(state, "red -")
    assert codes(state, Move("yellow", passes=True)) == ["may_not_pass"]
    assert codes(state, Move("yellow", "b2")) == []


@pytest.mark.rule("tricky-safari-online", "Search for the animals")
def test_later_turns_are_queen_moves_of_any_length() -> None:
    """'Search for the animals': orthogonal or diagonal, as far as you want."""
    state = position(yellow="e5", red="a10")
    assert len(state.moves()) == 9 + 9 + 8 + 9
    assert {"e10", "e1", "a5", "j5", "j10", "a1", "b8", "a9", "i1"} <= set(state.moves())


@pytest.mark.rule("tricky-safari-online", "Search for the animals")
@pytest.mark.parametrize("facing", FACINGS)
def test_forest_lake_and_animals_stop_a_camera_in_all_directions(facing: Facing) -> None:
    """'Search for the animals': 'not on or through spaces with forest, lake or an animal'."""
    straight, diagonal = beside("e5", facing, ahead=2), beside("e5", facing, ahead=2, right=2)
    state = position(
        f"lion {beside('e5', facing, right=-2)} n", forest=straight, lake=diagonal, yellow="e5", red="a10"
    )
    reached = set(state.moves())
    for ahead, right in ((1, 0), (1, 1), (0, -1)):
        assert beside("e5", facing, ahead, right) in reached
        assert not reached & {beside("e5", facing, n * ahead, n * right) for n in (2, 3)}
    assert codes(state, Move("yellow", straight)) == ["on_forest"]
    assert codes(state, Move("yellow", diagonal)) == ["on_lake"]
    assert codes(state, Move("yellow", beside("e5", facing, right=-2))) == ["on_animal"]
    assert codes(state, Move("yellow", beside("e5", facing, 3, 3))) == ["through_lake"]
    assert codes(state, Move("yellow", beside("e5", facing, 3))) == ["through_forest"]
    assert codes(state, Move("yellow", beside("e5", facing, right=-3))) == ["through_animal"]


@pytest.mark.rule("tricky-safari-online", "Search for the animals")
def test_a_diagonal_slips_between_two_blocked_cells() -> None:
    """docs/rulings.md, 'Moves'."""
    state = position("lion e6 n", forest="f5", yellow="e5")
    assert {"f6", "g7", "i9"} <= set(state.moves())


@pytest.mark.rule("tricky-safari-online", "Search for the animals")
def test_the_other_camera_is_passed_through_but_never_ended_on() -> None:
    """'Search for the animals': 'You can move through the space occupied by the other player, but cannot end
    in that space.'"""
    state = position(yellow="a1", red="c1")
    assert "c1" not in state.moves()
    assert {"b1", "d1", "j1"} <= set(state.moves())
    assert codes(state, Move("yellow", "c1")) == ["on_camera"]


@pytest.mark.rule("tricky-safari-online", "Search for the animals")
def test_a_pass_is_for_those_who_can_reach_nothing() -> None:
    """'Search for the animals': 'you must move, unless no open spaces are available'. The other camera's
    space is not open, a space beyond it is (rulings)."""
    stuck = position(lake="a2 b2", yellow="a1", red="b1", forest="c1")
    assert stuck.moves() == ()
    assert [turn.to_json() for turn in stuck.turns()] == [{"player": "yellow", "pass": True}]
    assert codes(stuck, Move("yellow", passes=True)) == []
    beyond = position(lake="a2 b2", yellow="a1", red="b1", forest="d1")
    assert beyond.moves() == ("c1",)
    assert codes(beyond, Move("yellow", passes=True)) == ["may_not_pass"]


def test_every_fault_of_a_turn_is_told_at_once() -> None:
    """docs/formats.md, 'Output of check': every fault of a line. The move is judged from that player's own
    camera."""
    state = position("lion c3 n", forest="b2", lake="e5", turn_no=3)
    assert codes(state, Move("yellow", "e5")) == [
        "wrong_player", "on_lake", "through_forest", "through_animal",
    ]  # fmt: skip
    faults = state.faults(Move("yellow", "e5"))
    assert [fault.to_json().get("cell") for fault in faults] == [None, "e5", "b2", "c3"]
    assert all(fault.message for fault in faults)


@pytest.mark.parametrize(
    ("turn", "code"),
    [
        (Move("yellow"), "no_move"),
        (Move("yellow", "b2", passes=True), "move_and_pass"),
        (Move("yellow", "a1"), "not_moved"),
        (Move("yellow", "k3"), "off_board"),
        (Move("yellow", "a0"), "off_board"),
        (Move("yellow", "b3"), "not_in_line"),
        (Move("green", "b2"), "unknown_player"),
        (Move("red", "j9"), "wrong_player"),
    ],
)
def test_other_turns_that_are_refused(turn: Move, code: str) -> None:
    state = position()
    assert codes(state, turn) == [code]
    with pytest.raises(IllegalTurn) as error:
        state.apply(turn)
    assert error.value.faults == state.faults(turn)


def test_an_ape_in_the_forest_is_two_reasons() -> None:
    state = position("ape c1 n", forest="c1")
    assert codes(state, Move("yellow", "c1")) == ["on_forest", "on_animal"]


# --- photos --------------------------------------------------------------------------------------------


@pytest.mark.rule("tricky-safari-online", "How to take photos?")
@pytest.mark.parametrize("facing", FACINGS)
def test_an_animal_is_photographed_from_its_front_and_sides_only(facing: Facing) -> None:
    """'How to take photos?': at a side or front, not at the backside; only the four squares next to it."""
    views = {beside("e5", facing, *side) for side in ((1, 0), (0, 1), (0, -1))}
    taken = set()
    for square in set(SQUARES) - {"e5"}:
        state = position(f"lion e5 {facing}", yellow=square, turn_no=0)
        if state.apply(Move("yellow", passes=True)).events:
            taken.add(square)
    assert taken == views


@pytest.mark.rule("tricky-safari-online", "How to take photos?")
def test_several_animals_are_photographed_at_once_and_each_once() -> None:
    """'How to take photos?': 'You can photograph several animals at the same time'; the flash shows a new
    one."""
    state = position("lion b3 w", "tiger a4 s", "zebra b4 s", photos={"yellow": frozenset({"tiger"})})
    step = state.apply(Move("yellow", "a3"))
    assert [(photo.species, photo.after, photo.turn) for photo in step.events] == [("lion", "move", 3)]
    assert step.state.photos["yellow"] == {"lion", "tiger"}


@pytest.mark.rule("tricky-safari-online", "How to take photos?")
def test_nothing_is_photographed_during_a_move_or_by_the_other_player() -> None:
    """'How to take photos?': at the end of your move, not during it. At a move's end only the mover
    photographs (rulings)."""
    state = position("lion b5 e", "tiger i10 s", yellow="a1", red="j10")
    assert state.apply(Move("yellow", "a9")).events == ()


def test_animals_in_forest_or_lake_are_photographed() -> None:
    """docs/rulings.md, 'Photographs'."""
    state = position("ape b3 n", "turtle a4 s", forest="b3", lake="a4")
    assert go(state, "yellow a3").photos["yellow"] == {"ape", "turtle"}


@pytest.mark.rule("tricky-safari-online", "How to take photos?")
def test_after_the_step_both_players_photograph_what_then_faces_them() -> None:
    """'How to take photos?': also after the animals moved."""
    # The lion comes to d5, beside c5; the tiger comes to i9 and looks at red on i8.
    state = position("lion d6 s", "tiger i10 s", yellow="c5", red="i7", turn_no=3)
    step = state.apply(Move("red", "i8"))
    assert [(photo.player, photo.species, photo.after) for photo in step.events] == [
        ("yellow", "lion", "step"),
        ("red", "tiger", "step"),
    ]
    assert [walk.after.square for walk in step.walks] == ["i9", "d5"]


def test_a_pass_takes_photos_too() -> None:
    """docs/rulings.md, 'Moves': a pass counts as a move, and photos are taken."""
    state = position("lion b1 n", turn_no=0)
    assert state.apply(Move("yellow", passes=True)).state.photos["yellow"] == {"lion"}


@pytest.mark.rule("tricky-safari-online", "The animals move too")
def test_the_animals_step_only_after_both_turns_of_a_round() -> None:
    """'The animals move too': each round, after both players had a turn."""
    state = position("lion e5 n")
    first = state.apply(Move("yellow", "b1"))
    assert first.walks == () and first.state.animals == state.animals
    assert first.state.apply(Move("red", "j9")).state.animals[0].square == "e6"


# --- the end -------------------------------------------------------------------------------------------


@pytest.mark.rule("tricky-safari-online", "End of the game")
def test_the_tenth_species_of_yellow_still_gives_red_a_turn() -> None:
    """'End of the game': both play an equal number of turns; judged at the end of the round (rulings)."""
    state = position("lion b3 w", photos={"yellow": all_but("lion")})
    after = go(state, "yellow a3")
    assert after.photos["yellow"] == FULL
    assert not after.over and after.winner is None
    step = after.apply(Move("red", "j9"))
    assert step.walks == ()
    assert step.state.over and step.state.winner == "yellow"
    assert codes(step.state, Move("yellow", "a4")) == ["game_over"]
    assert step.state.turns() == ()
    assert step.state.moves() == ()


@pytest.mark.rule("tricky-safari-online", "End of the game")
def test_both_in_one_round_is_a_draw() -> None:
    """'End of the game': 'if both players photograph their 10th animal in the same turn, then the game ends
    equal'."""
    photos = {"yellow": all_but("lion"), "red": all_but("tiger")}
    state = go(position("lion b3 w", "tiger i9 e", photos=photos), "yellow a3", "red j9")
    assert (state.over, state.winner) == (True, None)


@pytest.mark.rule("tricky-safari-online", "End of the game")
def test_both_in_one_step_is_a_draw_and_one_alone_wins() -> None:
    """'End of the game': 'It also ends equal if both players photograph their 10th animal when the animals
    move.'"""
    photos = {"yellow": all_but("lion"), "red": all_but("tiger")}
    board = ("lion d6 s", "tiger i10 s")
    both = position(*board, yellow="c5", red="i7", turn_no=3, photos=photos)
    assert (go(both, "red i8").over, go(both, "red i8").winner) == (True, None)
    one = position(*board, yellow="c5", red="i7", turn_no=3, photos={"red": all_but("tiger")})
    assert (go(one, "red i8").over, go(one, "red i8").winner) == (True, "red")


@pytest.mark.rule("tricky-safari-online", "End of the game")
@pytest.mark.parametrize(
    ("yellow", "red", "winner"), [(3, 2, "yellow"), (2, 3, "red"), (4, 4, None), (0, 0, None)]
)
def test_after_forty_moves_each_more_photos_win(yellow: int, red: int, winner: str | None) -> None:
    """'End of the game': 'when both players played 40 moves (the animals do not move after that move)'; no
    photo follows either (rulings)."""
    photos = {"yellow": frozenset(SPECIES[:yellow]), "red": frozenset(SPECIES[:red])}
    state = position("turtle j8 n", yellow="a1", red="i7", turn_no=79, photos=photos)
    step = state.apply(Move("red", "j7"))  # behind the turtle, which would turn to it
    assert step.walks == () and step.events == ()
    assert (step.state.over, step.state.winner) == (True, winner)
    assert not position(turn_no=78).over


def test_the_last_move_itself_takes_photos() -> None:
    """'How to take photos?': at the end of your move; only step and its photos are left out (rulings)."""
    step = position("turtle j8 s", red="i7", turn_no=79).apply(Move("red", "j7"))
    assert [photo.species for photo in step.events] == ["turtle"]
    assert step.state.winner == "red"


def test_the_number_of_moves_is_a_rule() -> None:
    """docs/rulings.md, 'Tricky Safari': what a table may want otherwise is a field of the rules."""
    state = position(rules=Rules(moves=1), turn_no=1).apply(Move("red", "j9")).state
    assert state.over


def test_a_turn_changes_no_position() -> None:
    """Undo is keeping the old value."""
    state = position("lion b3 w", "tiger j8 n", turn_no=3)
    twin = position("lion b3 w", "tiger j8 n", turn_no=3)
    after = state.apply(Move("red", "j9")).state
    assert state == twin and after != state
