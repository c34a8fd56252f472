"""Final scores: the probability that they are right, by the stories that were weighed."""

from __future__ import annotations

import math
from collections.abc import Iterable

from tilesight.inference.params import SEARCH
from tilesight.inference.stories.outcomes import Outcomes
from tilesight.inference.stories.story import Story


def final_sure(outcomes: Outcomes, story: Story, others: Iterable[Story]) -> float | None:
    """Return the probability that the final scores are those of ``story``.

    ``others`` are the stories that were weighed. Those that differ from it in the same turn exclude each
    other, and so do chains of them; others are independent. None if the rules forbid the story.
    """
    final = outcomes.final(story.moves)
    if final is None:
        return None
    near = [one for one in others if -SEARCH.within_nats < one.score - story.score and one is not story]
    sure = 1.0
    for group in _groups(story, near):
        odds = [(math.exp(min(one.score - story.score, 0.0)), outcomes.final(one.moves)) for one in group]
        same = math.fsum(share for share, scores in odds if scores == final)
        sure *= (1.0 + same) / (1.0 + math.fsum(share for share, _ in odds))
    return sure


def _groups(story: Story, others: Iterable[Story]) -> list[list[Story]]:
    """Return stories in groups such that those of different groups differ from ``story`` in other turns."""
    found: list[tuple[set[int], list[Story]]] = []
    for one in others:
        turns, together = _differing(story, one), [one]
        for group in [group for group in found if group[0] & turns]:
            found.remove(group)
            turns |= group[0]
            together += group[1]
        found.append((turns, together))
    return [group for _, group in found]


def _differing(story: Story, other: Story) -> set[int]:
    """Return the turns in which two stories differ: all after the first one if one has more turns."""
    moves = zip(story.moves, other.moves, strict=False)
    turns = {number for number, (own, its) in enumerate(moves) if own is not its}
    if len(story.moves) != len(other.moves):
        shorter, longer = sorted((len(story.moves), len(other.moves)))
        turns |= set(range(min(turns, default=shorter), longer))
    return turns
