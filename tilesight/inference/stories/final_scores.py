"""Final scores: the probability that they are right, by the doubts about all turns."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tilesight.inference.stories.moves import Move
from tilesight.inference.stories.outcomes import Outcomes
from tilesight.inference.stories.pool import Doubt, Doubts
from tilesight.inference.stories.story import Story


def final_sure(outcomes: Outcomes, story: Story, doubted: Sequence[Doubts]) -> float:
    """Return the probability that the final scores are those of ``story``.

    ``doubted`` are its doubts, by turn. Those that share a turn exclude each other; others are independent.
    """
    doubts = {one.changes: one for turn in doubted for one in turn.values()}
    final, sure = outcomes.final(story.moves), 1.0
    for cluster in _clusters(list(doubts.values())):
        same = 1.0 + math.fsum(
            one.odds for one in cluster if outcomes.final(_changed(story.moves, one)) == final
        )
        sure *= same / (1.0 + math.fsum(one.odds for one in cluster))
    return sure


def _clusters(doubts: list[Doubt]) -> list[list[Doubt]]:
    """Return the doubts grouped such that those of different groups have no turn in common."""
    found: list[tuple[set[int], list[Doubt]]] = []
    for doubt in doubts:
        turns, together = {number for number, _ in doubt.changes}, [doubt]
        for group in [group for group in found if group[0] & turns]:
            found.remove(group)
            turns |= group[0]
            together += group[1]
        found.append((turns, together))
    return [group for _, group in found]


def _changed(moves: tuple[Move, ...], doubt: Doubt) -> tuple[Move, ...]:
    """Return a story's moves with those of a doubt."""
    changed = list(moves)
    for number, move in doubt.changes:
        changed[number] = move
    return tuple(changed)
