"""Final scores: a doubt counts only if it changes them, and those of one turn exclude each other."""

from __future__ import annotations

from typing import cast

import pytest

from tilesight.inference.stories.final_scores import final_sure
from tilesight.inference.stories.moves import Move
from tilesight.inference.stories.outcomes import Outcomes
from tilesight.inference.stories.pool import Doubt, Doubts
from tilesight.inference.stories.story import Story

TOLD = tuple(Move((x, 0), "BC-V", 0) for x in range(4))
SAME, OTHER = Move((0, 1), "BC-U", 0), Move((0, 1), "BC-W", 0)
"""Moves in a turn's place that leave the final scores as they are, and that do not."""


class Scored:
    """Stands for `Outcomes`: any move `OTHER` changes the final scores."""

    def final(self, moves: tuple[Move, ...]) -> dict[str, int]:
        return {"red": sum(move is OTHER for move in moves)}


def doubt(odds: float, **changes: Move) -> Doubt:
    return Doubt(odds, odds, frozenset((int(name[1:]), move) for name, move in changes.items()))


def told(*doubts: Doubt) -> float:
    """Return the probability with these doubts, each noted at every turn that it changes."""
    by_turn: list[Doubts] = [{} for _ in TOLD]
    for one in doubts:
        for number, move in one.changes:
            by_turn[number][move] = one
    return final_sure(cast("Outcomes", Scored()), Story(TOLD), by_turn)


@pytest.mark.parametrize(
    ("doubts", "sure"),
    [
        ((), 1.0),
        ((doubt(0.25, t0=OTHER),), 1 / 1.25),
        ((doubt(0.25, t0=SAME),), 1.0),
        ((doubt(0.25, t0=OTHER, t1=SAME),), 1 / 1.25),
        ((doubt(0.25, t0=OTHER), doubt(0.5, t0=SAME)), 1.5 / 1.75),
        ((doubt(0.25, t0=OTHER), doubt(0.5, t2=OTHER)), 1 / 1.25 / 1.5),
        ((doubt(0.25, t0=OTHER), doubt(0.5, t2=SAME), doubt(0.125, t0=SAME, t2=OTHER)), 1.5 / 1.875),
    ],
    ids=["none", "one", "same scores", "of two turns", "of one turn", "independent", "joined by a third"],
)
def test_doubts_about_the_final_scores(doubts: tuple[Doubt, ...], sure: float) -> None:
    assert told(*doubts) == pytest.approx(sure)
