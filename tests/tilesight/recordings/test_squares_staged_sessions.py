"""Twenty staged tables: one animal was moved or turned wrongly in its step, and the camera names it."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from engine.geometry import EDGES
from engine.squares_game import Figure, square_name, square_place
from engine.tricky_safari.game import TRICKY_SAFARI
from tests.tilesight.square_scenes import PACK, played, scene
from tilesight.inference.squares.tracker import SquareTracker
from tilesight.inference.squares.understanding import SquaresUnderstood
from tilesight.settings import open_pack
from vision.observation import Frame
from vision.pipeline import Pipeline

pytestmark = pytest.mark.long

CASES = 20


def wrongly_put(right: tuple[Figure, ...], before: set[Figure], case: int) -> tuple[tuple[Figure, ...], str]:
    """The table with one animal turned (even cases) or on a free square beside (odd), and its name. One that
    stands as ``before`` the step would only be late."""
    chance = random.Random(case)
    animals = [figure for figure in right if figure.facing is not None]
    taken = {figure.square for figure in right}
    for animal in chance.sample(animals, len(animals)):
        assert animal.facing is not None
        if case % 2 == 0:
            other = EDGES[(EDGES.index(animal.facing) + chance.choice((1, 2, 3))) % 4]
            wrong = replace(animal, facing=other)
        else:
            column, row = square_place(animal.square, 10)
            around = [(column + dx, row + dy) for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1))]
            free = [square_name(x, y, 10) for x, y in around if 0 <= x < 10 and 0 <= y < 10]
            free = [square for square in free if square not in taken]
            if not free:
                continue
            wrong = replace(animal, square=chance.choice(free))
        if wrong in before:
            continue
        return tuple(wrong if one == animal else one for one in right), animal.name
    raise AssertionError("no animal can be moved")


@pytest.fixture(scope="module")
def gallery() -> object:
    return open_pack(PACK.id, None)[1]


def understood_after_step(gallery: object, case: int, *, wrong: bool) -> tuple[SquaresUnderstood, str]:
    """The table after a round whose step was carried out, wrongly or not."""
    chance = random.Random(100 + case)
    table = scene(case % 4)
    opening = table.opening(chance)
    tracker = SquareTracker(TRICKY_SAFARI, PACK, opening)
    turns = played(opening, chance, 2 * chance.randint(1, 4))
    fixed = tracker.fix(turns)
    assert fixed.state is not None
    figures, name = fixed.state.figures, ""
    if wrong:
        figures, name = wrongly_put(figures, {guide.errand.before for guide in fixed.guide}, case)
    observe = Pipeline(gallery, PACK).observe  # type: ignore[arg-type]
    picture = table.picture(figures, case)
    tracker.see(observe(Frame(picture, 0.0, index=0)))
    return tracker.see(observe(Frame(picture, 0.4, index=1))), name


@pytest.mark.parametrize("case", range(CASES))
def test_an_animal_put_wrongly_is_named_and_no_other(gallery: object, case: int) -> None:
    understood, name = understood_after_step(gallery, case, wrong=True)
    assert [one.expected.name for one in understood.misplaced] == [name], understood.messages
    assert name in understood.messages[0]


def test_tables_put_right_raise_no_alarm(gallery: object) -> None:
    for case in (0, 3):
        understood, _ = understood_after_step(gallery, case, wrong=False)
        assert understood.messages == ()
        assert understood.guide == ()
