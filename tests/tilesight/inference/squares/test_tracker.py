"""Turns and errands on a board of squares, from synthetic observations of figures."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.game import Opening
from engine.geometry import EDGES
from engine.squares_game import Figure
from engine.tricky_safari.game import TRICKY_SAFARI
from engine.tricky_safari.rules import SPECIES
from engine.tricky_safari.state import Move, TrickyState
from tests.tilesight.square_seen import OPENING, PACK, header, observed
from tilesight.inference.scenes.scene import Change
from tilesight.inference.squares.params import PARAMS
from tilesight.inference.squares.tracker import SquareTracker
from tilesight.inference.squares.understanding import SquaresUnderstood


class Table:
    """Shows figures to a tracker, picture after picture."""

    def __init__(self, opening: Opening) -> None:
        self.tracker = SquareTracker(TRICKY_SAFARI, PACK, opening)
        self.index = 0

    def show(self, figures: tuple[Figure, ...], times: int = 3) -> SquaresUnderstood:
        """Show a table at rest in ``times`` pictures, of which the first differs from the last one shown."""
        for i in range(times):
            understood = self.tracker.see(observed(figures, self.index, 0.1 if i == 0 else 0.0))
            self.index += 1
        return understood

    def play(self, to: str | None) -> SquaresUnderstood:
        """Show the table after a pawn moved to ``to`` (None: passed) and the animals did their errands."""
        state = self.tracker.state
        assert isinstance(state, TrickyState)
        after = state.apply(Move(state.player, to, passes=to is None)).state
        moved = replace(state, cameras=after.cameras)
        self.show(moved.figures)
        return self.show(after.figures)


@pytest.fixture
def table() -> Table:
    return Table(header())


def test_a_set_up_is_read_from_the_table_once_it_is_complete() -> None:
    table = Table(OPENING)
    start = TRICKY_SAFARI.start(header())
    understood = table.show(tuple(one for one in start.figures if one.name != "ape"))
    assert understood.state is None
    assert "ape is missing" in understood.missing
    understood = table.show(start.figures)
    assert understood.opening == header()
    assert understood.turns == ()


def test_a_moved_pawn_is_a_turn_and_the_first_picture_of_it_is_kept(table: Table) -> None:
    start = table.show(table.tracker.state.figures)  # type: ignore[union-attr]
    assert isinstance(start.state, TrickyState)
    moved = replace(start.state, cameras={"yellow": "a4", "red": "j10"})
    understood = table.show(moved.figures)
    assert [one.turn for one in understood.turns] == [Move("yellow", "a4")]
    assert understood.turns[0].frame_index == 3
    assert understood.messages == ()


def test_both_moves_and_the_step_at_once_are_two_turns(table: Table) -> None:
    state = TRICKY_SAFARI.start(header())
    after = state.apply(Move("yellow", "a4")).state.apply(Move("red", "j8")).state
    understood = table.show(after.figures)
    assert [one.turn for one in understood.turns] == [Move("yellow", "a4"), Move("red", "j8")]
    assert understood.guide == ()
    assert understood.messages == ()


def test_a_pass_shows_in_the_next_players_move(table: Table) -> None:
    state = TRICKY_SAFARI.start(header())
    after = state.apply(Move("yellow", None, passes=True)).state
    moved = replace(after, cameras={"yellow": "a1", "red": "j8"})
    understood = table.show(moved.figures)
    assert [one.turn.to_json() for one in understood.turns] == [
        {"player": "yellow", "pass": True},
        {"player": "red", "to": "j8"},
    ]


def test_a_move_against_the_rules_is_told_and_forgotten_once_put_right(table: Table) -> None:
    state = TRICKY_SAFARI.start(header())
    understood = table.show(replace(state, cameras={"yellow": "c3", "red": "j10"}).figures)
    assert understood.turns == ()
    assert any("diagonal" in text or "line" in text for text in understood.messages)
    understood = table.show(replace(state, cameras={"yellow": "a4", "red": "j10"}).figures)
    assert len(understood.turns) == 1
    assert understood.messages == ()


def test_a_pawn_put_back_keeps_its_turn_and_a_second_thought_replaces_it(table: Table) -> None:
    state = TRICKY_SAFARI.start(header())
    table.show(replace(state, cameras={"yellow": "a4", "red": "j10"}).figures)
    for _ in range(3):  # several pictures each
        understood = table.show(state.figures)
        assert [one.turn for one in understood.turns] == [Move("yellow", "a4")]
    assert understood.scene is not None and understood.scene.change == Change.LAST_GONE
    understood = table.show(replace(state, cameras={"yellow": "a3", "red": "j10"}).figures)
    assert [one.turn for one in understood.turns] == [Move("yellow", "a3")]


def test_the_step_is_guided_and_what_is_wrong_is_named_until_it_is_right(table: Table) -> None:
    table.play("a4")
    state = table.tracker.state
    assert isinstance(state, TrickyState)
    moved = replace(state, cameras={"yellow": "a4", "red": "j8"})
    understood = table.show(moved.figures)
    assert [guide.done for guide in understood.guide] == [False] * len(SPECIES)
    assert understood.messages == ()
    after = understood.state
    assert after is not None
    lion = next(one for one in after.figures if one.name == "lion")
    assert lion.facing is not None
    turned = replace(lion, facing=EDGES[(EDGES.index(lion.facing) + 1) % 4])
    wrong = tuple(turned if one == lion else one for one in after.figures)
    understood = table.show(wrong)
    assert [one.expected.name for one in understood.misplaced] == ["lion"]
    assert sum(not guide.done for guide in understood.guide) == 1
    understood = table.show(after.figures)
    assert understood.messages == ()
    assert understood.guide == ()
    assert understood.turns[-1].frame_index == table.index - 3


def test_an_animal_forgotten_is_told_once_play_goes_on(table: Table) -> None:
    table.play("a4")
    state = table.tracker.state
    assert isinstance(state, TrickyState)
    before = {one.name: one for one in state.figures}
    after = state.apply(Move("red", "j8")).state
    table.show(replace(state, cameras=after.cameras).figures)
    late = tuple(before[one.name] if one.name == "zebra" else one for one in after.figures)
    assert table.show(late, PARAMS.forgotten_after).messages == ()
    gone_on = tuple(Figure("camera", "yellow", "a5") if one.name == "yellow" else one for one in late)
    understood = table.show(gone_on, PARAMS.forgotten_after + 2)
    assert len(understood.turns) == 2
    assert any("zebra is still on" in text for text in understood.messages)


def test_turns_that_people_say_are_taken_for_certain(table: Table) -> None:
    understood = table.tracker.fix([Move("yellow", "a4")])
    assert [one.turn for one in understood.turns] == [Move("yellow", "a4")]
    assert understood.state is not None
    assert understood.state.player == "red"


def test_under_a_hand_nothing_is_read_however_long_it_rests(table: Table) -> None:
    start = table.show(table.tracker.state.figures)  # type: ignore[union-attr]
    assert isinstance(start.state, TrickyState)
    misread = replace(start.state, cameras={"yellow": "c3", "red": "j10"}).figures
    for i in range(6):
        seen = observed(misread, table.index, 0.1 if i == 0 else 0.0)
        hidden = {at: replace(cell, covered=0.2) for at, cell in seen.cells.items()}
        understood = table.tracker.see(replace(seen, cells=hidden))
        table.index += 1
        assert understood.busy and understood.messages == ()
    assert table.show(misread).messages != ()


def test_an_object_that_covers_the_board_for_long_is_no_hand(table: Table) -> None:
    table.show(table.tracker.state.figures)  # type: ignore[union-attr]
    state = table.tracker.state
    assert isinstance(state, TrickyState)
    moved = replace(state, cameras={"yellow": "a4", "red": "j10"}).figures
    for _ in range(30):
        seen = observed(moved, table.index, 0.0)
        dim = {at: replace(cell, covered=0.2) for at, cell in seen.cells.items()}
        understood = table.tracker.see(replace(seen, cells=dim))
        table.index += 1
    assert [one.turn for one in understood.turns] == [Move("yellow", "a4")]
