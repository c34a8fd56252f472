"""Faces of an enrolment that are turned or named wrongly are told by the land on their sides."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from calibration.face_sides import OtherSides, other_sides
from engine.pack import Pack, load_pack
from tests.vision.joint.test_sides import SIDE, picture_of
from vision.joint.sides import FEWEST

NAMES = [f"BC-{letter}" for letter in "ADEFIJKLNOPSUVW"]


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack("carcassonne")


def faces_of(pack: Pack, names: list[str], quarters: Mapping[str, int] | None = None) -> list[np.ndarray]:
    """Faces of one view each, those in ``quarters`` rotated by clockwise quarter turns."""
    row = picture_of(pack, names)
    upright = {name: row[:, at * SIDE : (at + 1) * SIDE] for at, name in enumerate(names)}
    return [np.rot90(face, -(quarters or {}).get(name, 0))[None] for name, face in upright.items()]


def test_nothing_is_told_of_faces_that_are_named_and_turned_rightly(pack: Pack) -> None:
    assert other_sides(faces_of(pack, NAMES), NAMES, pack) == ()


@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_a_wrong_turn_is_told_with_the_turn_that_fits(pack: Pack, quarters: int) -> None:
    [told] = other_sides(faces_of(pack, NAMES, {"BC-K": quarters}), NAMES, pack)
    assert told == OtherSides(NAMES.index("BC-K"), "BC-K", turn=4 - quarters)


def test_many_wrong_turns_are_told_at_once(pack: Pack) -> None:
    quarters = {"BC-D": 1, "BC-J": 2, "BC-L": 3, "BC-V": 1}
    told = other_sides(faces_of(pack, NAMES, quarters), NAMES, pack)
    assert {one.design: 4 - one.turn for one in told} == quarters


def test_another_designs_sides_are_told_with_the_designs_that_have_them(pack: Pack) -> None:
    names = ["BC-W" if name == "BC-K" else name for name in NAMES]
    [told] = other_sides(faces_of(pack, NAMES), names, pack)
    assert (told.number, told.design, told.picture, told.turn) == (NAMES.index("BC-K"), "BC-W", 1, 0)
    assert "BC-K" in told.fits and "BC-W" not in told.fits


def test_pictures_of_one_design_do_not_confirm_each_other(pack: Pack) -> None:
    """All three pictures of BC-V are turned alike."""
    faces = faces_of(pack, NAMES, {"BC-V": 1})
    more = [faces[NAMES.index("BC-V")]] * 2
    told = other_sides([*faces, *more], [*NAMES, "BC-V", "BC-V"], pack)
    assert [(one.design, one.picture, one.turn) for one in told] == [("BC-V", n, 3) for n in (1, 2, 3)]


def test_few_designs_tell_nothing(pack: Pack) -> None:
    names = NAMES[: FEWEST - 1]
    faces = faces_of(pack, names, {"BC-D": 1})
    assert other_sides([*faces, *faces], [*names, *names], pack) == ()


@pytest.mark.parametrize(
    ("told", "line"),
    [
        (OtherSides(3, "BC-K", turn=1), "BC-K: its sides fit after a quarter turn clockwise"),
        (
            OtherSides(3, "BC-K", 2, turn=3),
            "BC-K, picture 2: its sides fit after a quarter turn anticlockwise",
        ),
        (OtherSides(3, "BC-K", fits=("BC-J",)), "BC-K: its sides are those of BC-J"),
        (OtherSides(3, "BC-K", fits=tuple("ABCDE")), "BC-K: its sides are those of A, B, C or 2 more"),
    ],
)
def test_a_line_says_what_fits(told: OtherSides, line: str) -> None:
    assert str(told) == line
    assert told.to_json()["line"] == line
