"""Final scores: a story counts only if it changes them; stories that change one turn exclude each other."""

from __future__ import annotations

import math
from typing import cast

import pytest

from tilesight.inference.stories.final_scores import final_sure
from tilesight.inference.stories.moves import Move
from tilesight.inference.stories.outcomes import Outcomes
from tilesight.inference.stories.story import Story

TOLD = tuple(Move((x, 0), "BC-V", 0) for x in range(4))
SAME, OTHER, ILLEGAL = (Move((0, 1), name, 0) for name in ("BC-U", "BC-W", "BC-X"))
"""Moves in a turn's place that leave the final scores as they are, that change them, and an illegal one."""


class Scored:
    """Stands for `Outcomes`: each `OTHER` changes the final scores, and so does another number of turns."""

    def final(self, moves: tuple[Move, ...]) -> dict[str, int] | None:
        if ILLEGAL in moves:
            return None
        return {"red": sum(move is OTHER for move in moves), "blue": len(moves)}


def story(odds: float, *moves: Move) -> Story:
    made = Story(moves)
    made.score = math.log(odds)
    return made


def changed(odds: float, **changes: Move) -> Story:
    moves = [changes.get(f"t{number}", move) for number, move in enumerate(TOLD)]
    return story(odds, *moves)


@pytest.mark.parametrize(
    ("others", "sure"),
    [
        ((), 1.0),
        ((changed(0.25, t0=OTHER),), 1 / 1.25),
        ((changed(0.25, t0=SAME),), 1.0),
        ((changed(0.25, t0=ILLEGAL),), 1 / 1.25),
        ((changed(0.25, t0=OTHER), changed(0.5, t0=SAME)), 1.5 / 1.75),
        ((changed(0.25, t0=OTHER), changed(0.5, t2=OTHER)), 1 / 1.25 / 1.5),
        ((changed(0.25, t0=OTHER), changed(0.5, t2=SAME), changed(0.125, t0=SAME, t2=OTHER)), 1.5 / 1.875),
        ((story(0.25, *TOLD[:-1]), changed(0.5, t3=OTHER), changed(0.5, t0=OTHER)), 1 / 1.75 / 1.5),
        ((story(0.25, *TOLD, SAME),), 1 / 1.25),
        ((changed(1e-9, t0=OTHER),), 1.0),
    ],
    ids=[
        *("none", "one", "same scores", "illegal", "of one turn", "independent", "joined by a third"),
        *("a turn less", "a turn more", "unlikely"),
    ],
)
def test_stories_with_other_final_scores_count_against_them(others: tuple[Story, ...], sure: float) -> None:
    told = story(1.0, *TOLD)
    assert final_sure(cast("Outcomes", Scored()), told, (told, *others)) == pytest.approx(sure)


def test_an_illegal_story_has_no_final_scores() -> None:
    assert final_sure(cast("Outcomes", Scored()), story(1.0, ILLEGAL), ()) is None
