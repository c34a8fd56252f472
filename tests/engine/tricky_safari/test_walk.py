"""The animals' step: every blocking case for all four facings.

Source: tricky-safari-online, 'The animals move too' and 'How do the animals move through the landscape?'
(called 'the landscape' below), with the rulings on the step.
"""

from __future__ import annotations

from itertools import product

import pytest

from engine.tricky_safari.board import FACINGS, Animal, Facing, turned
from engine.tricky_safari.walk import walks
from tests.engine.tricky_safari.lab import MIDDLE, animal, animals, beside, landscape, walked

AHEAD, RIGHT, BEHIND, LEFT = (1, 0), (0, 1), (-1, 0), (0, -1)
THINGS = ("forest", "lake", "animal", "camera")
all_facings = pytest.mark.parametrize("facing", FACINGS)


FENCE = ((1, 1), (1, -1), (-1, 1), (-1, -1), (2, 0), (-2, 0), (0, 2), (0, -2))


def step(species: str, facing: Facing, things: dict[tuple[int, int], str]) -> Animal:
    """One step of an animal on e5 with those things around it; 'forest+animal' are both. Lakes around the
    neighbours keep animals there from leaving before it is judged."""
    at = {beside(MIDDLE, facing, *side): thing for side, thing in things.items()}

    def having(kind: str) -> list[str]:
        return [square for square, thing in at.items() if kind in thing.split("+")]

    fence = [beside(MIDDLE, facing, *place) for place in FENCE] if having("animal") else []
    others = [Animal("lion" if i else "tiger", at, facing) for i, at in enumerate(having("animal"))]
    board = landscape(" ".join(having("forest")), " ".join(having("lake") + fence))
    walker = Animal(species, MIDDLE, facing)
    done = walks(board, (walker, *others), having("camera"))
    return next(walk.after for walk in done if walk.before is walker)


def went(facing: Facing, side: tuple[int, int], quarters: int) -> Animal:
    return Animal("lion", beside(MIDDLE, facing, *side), turned(facing, quarters))


@pytest.mark.rule("tricky-safari-online", "How do the animals move through the landscape?")
@all_facings
def test_an_open_way_ahead_is_taken(facing: Facing) -> None:
    """The landscape: 'When an animal isn't blocked: It moves 1 space forward.'"""
    assert step("lion", facing, {}) == went(facing, AHEAD, 0)
    around = dict.fromkeys((RIGHT, BEHIND, LEFT), "lake")
    assert step("lion", facing, around) == went(facing, AHEAD, 0)


@pytest.mark.rule("tricky-safari-online", "How do the animals move through the landscape?")
@all_facings
@pytest.mark.parametrize(("ahead", "side"), [*product(THINGS, THINGS)])
def test_blocked_ahead_and_on_one_side_it_turns_to_the_other(facing: Facing, ahead: str, side: str) -> None:
    """The landscape: 'blocked ahead and to its left OR its right: It turns one quarter and moves to the free
    space.' Forest ahead makes no difference then."""
    assert step("lion", facing, {AHEAD: ahead, LEFT: side}) == went(facing, RIGHT, 1)
    assert step("lion", facing, {AHEAD: ahead, RIGHT: side}) == went(facing, LEFT, 3)
    assert step("lion", facing, {AHEAD: ahead, RIGHT: side, BEHIND: side}) == went(facing, LEFT, 3)


@pytest.mark.rule("tricky-safari-online", "How do the animals move through the landscape?")
@all_facings
@pytest.mark.parametrize("thing", THINGS)
def test_blocked_but_behind_it_goes_back(facing: Facing, thing: str) -> None:
    """The landscape: 'blocked in all directions except behind it: It turns around and moves.'"""
    assert step("lion", facing, dict.fromkeys((AHEAD, LEFT, RIGHT), thing)) == went(facing, BEHIND, 2)


@pytest.mark.rule("tricky-safari-online", "How do the animals move through the landscape?")
@all_facings
@pytest.mark.parametrize("thing", THINGS)
def test_blocked_on_all_sides_it_turns_around_and_stays(facing: Facing, thing: str) -> None:
    """The landscape: 'all 4 spaces around an animal are blocked: It turns around (180 degrees) but doesn't
    move.' Players block on every side (rulings)."""
    around = dict.fromkeys((AHEAD, LEFT, RIGHT, BEHIND), thing)
    assert step("lion", facing, around) == Animal("lion", MIDDLE, turned(facing, 2))


@pytest.mark.rule("tricky-safari-online", "How do the animals move through the landscape?")
@all_facings
def test_forest_ahead_and_both_sides_open_it_goes_left(facing: Facing) -> None:
    """The landscape: 'blocked by forest and both side spaces are open: It turns and moves leftward.'
    Even with an animal in the forest (rulings)."""
    for thing in ("forest", "forest+animal"):
        assert step("lion", facing, {AHEAD: thing}) == went(facing, LEFT, 3)
        assert step("lion", facing, {AHEAD: thing, BEHIND: "lake"}) == went(facing, LEFT, 3)


@pytest.mark.rule("tricky-safari-online", "How do the animals move through the landscape?")
@all_facings
@pytest.mark.parametrize("thing", ["lake", "animal", "camera", "lake+animal"])
def test_anything_else_ahead_and_both_sides_open_it_goes_right(facing: Facing, thing: str) -> None:
    """The landscape: 'blocked by anything else (and not by forest) and both side spaces are open: It turns
    and moves rightward.'"""
    assert step("lion", facing, {AHEAD: thing}) == went(facing, RIGHT, 1)


@pytest.mark.parametrize(("square", "facing"), [("e10", "n"), ("j5", "e"), ("e1", "s"), ("a5", "w")])
def test_the_edge_blocks_like_anything_else(square: str, facing: Facing) -> None:
    """The landscape: 'they get blocked by … the edge of the landscape'; so both sides open: right."""
    walker = Animal("lion", square, facing)
    assert walked(walker) == Animal("lion", beside(square, facing, right=1), turned(facing, 1))
    left = beside(square, facing, right=-1)
    assert walked(walker, cameras=beside(square, facing, right=1)) == Animal("lion", left, turned(facing, 3))
    sides = f"{left} {beside(square, facing, right=1)}"
    assert walked(walker, lake=sides) == Animal("lion", beside(square, facing, ahead=-1), turned(facing, 2))


@pytest.mark.parametrize(
    ("square", "facing", "to", "then"),
    [
        ("a10", "n", "b10", "e"), ("j10", "e", "j9", "s"), ("j1", "s", "i1", "w"), ("a1", "w", "a2", "n"),
        ("j10", "n", "i10", "w"), ("j1", "e", "j2", "n"), ("a1", "s", "b1", "e"), ("a10", "w", "a9", "s"),
    ],
)  # fmt: skip
def test_in_a_corner_only_one_side_is_open(square: str, facing: Facing, to: str, then: Facing) -> None:
    """The landscape: the edge ahead and at one side."""
    assert walked(Animal("lion", square, facing)) == Animal("lion", to, then)


HOMES = [("ape", "forest"), ("squirrel", "forest"), ("crocodile", "lake"), ("turtle", "lake")]


@pytest.mark.rule("tricky-safari-online", "How do the animals move through the landscape?")
@all_facings
@pytest.mark.parametrize(("species", "home"), HOMES)
def test_exempt_species_take_their_terrain_for_ground(facing: Facing, species: str, home: str) -> None:
    """The landscape, 'Exceptions': turtle and crocodile are not blocked by lakes, squirrel and ape not by
    forest; open on every side (rulings)."""
    foreign = "lake" if home == "forest" else "forest"
    at = {side: beside(MIDDLE, facing, *side) for side in (AHEAD, RIGHT, BEHIND, LEFT)}
    around = dict.fromkeys(at, home)
    assert step(species, facing, around) == Animal(species, at[AHEAD], facing)
    shut = {**around, AHEAD: foreign}
    goes_left = foreign == "forest"
    assert step(species, facing, shut) == Animal(
        species, at[LEFT if goes_left else RIGHT], turned(facing, 3 if goes_left else 1)
    )
    assert step(species, facing, {**shut, LEFT: foreign}) == Animal(species, at[RIGHT], turned(facing, 1))
    assert step(species, facing, {**shut, RIGHT: foreign}) == Animal(species, at[LEFT], turned(facing, 3))
    back = {**shut, LEFT: foreign, RIGHT: foreign}
    assert step(species, facing, back) == Animal(species, at[BEHIND], turned(facing, 2))
    assert step(species, facing, dict.fromkeys(at, foreign)) == Animal(species, MIDDLE, turned(facing, 2))


@all_facings
@pytest.mark.parametrize(("species", "home"), HOMES)
def test_an_animal_in_its_terrain_ahead_is_what_blocks_an_exempt_species(
    facing: Facing, species: str, home: str
) -> None:
    """docs/rulings.md, 'Step of the animals': the animal in the forest blocks an ape or a squirrel: right."""
    found = step(species, facing, {AHEAD: f"{home}+animal"})
    assert found == Animal(species, beside(MIDDLE, facing, right=1), turned(facing, 1))


@pytest.mark.rule("tricky-safari-online", "How do the animals move through the landscape?")
@all_facings
def test_other_species_are_blocked_by_both_terrains(facing: Facing) -> None:
    """The landscape: only the four named species are excepted."""
    for species in ("elephant", "lion", "tiger", "giraffe", "zebra", "buffalo"):
        for thing in ("forest", "lake"):
            assert step(species, facing, {AHEAD: thing}).square != beside(MIDDLE, facing, ahead=1)


@pytest.mark.rule("tricky-safari-online", "The animals move too")
def test_the_upper_row_goes_first_and_the_left_one_in_a_row() -> None:
    """'The animals move too': upper row first, in a row the most left; every animal once."""
    done = walks(
        landscape(), animals("lion e1 n", "tiger c5 e", "zebra a5 n", "ape j10 w", "turtle b10 s"), ()
    )
    assert [walk.before.species for walk in done] == ["turtle", "ape", "zebra", "tiger", "lion"]
    assert done[0].after == animal("turtle b9 s")


@pytest.mark.rule("tricky-safari-online", "The animals move too")
def test_each_animal_is_judged_at_its_own_moment() -> None:
    """docs/rulings.md, 'Step of the animals': an earlier animal has left its square, a later one has not."""
    # b5 leaves before c5 comes in; e5 is still there when d5 wants to go there.
    after = {
        walk.after.species: walk.after
        for walk in walks(landscape(), animals("lion b5 n", "tiger c5 w", "zebra d7 e", "ape e7 n"), ())
    }
    assert after["tiger"] == animal("tiger b5 w")
    assert after["zebra"] == animal("zebra d6 s")
    assert after["ape"] == animal("ape e8 n")


@pytest.mark.rule("tricky-safari-online", "The animals move too")
def test_an_animal_that_walks_into_a_later_row_does_not_walk_again() -> None:
    """docs/rulings.md, 'Step of the animals': once per step."""
    done = walks(landscape(), animals("lion c10 s", "tiger h9 s"), ())
    assert [walk.after for walk in done] == [*animals("lion c9 s", "tiger h8 s")]


@pytest.mark.parametrize(
    ("text", "forest", "lake", "case"),
    [
        ("lion e5 n", "", "", "ahead"),
        ("lion e5 n", "e6 d5", "", "right_only"),
        ("lion e5 n", "e6", "f5", "left_only"),
        ("lion e5 n", "e6", "", "forest"),
        ("lion e5 n", "", "e6", "blocked"),
        ("lion e5 n", "e6 d5 f5", "", "back"),
        ("lion e5 n", "e6 d5 f5 e4", "", "stuck"),
    ],
)
def test_a_walk_says_why(text: str, forest: str, lake: str, case: str) -> None:
    walk = walks(landscape(forest, lake), animals(text), ())[0]
    assert walk.case == case
    assert walk.why
