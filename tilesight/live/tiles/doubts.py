"""Doubts about the turns of a live tile game, and confirmation of a doubtful turn by people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.tiles.turn import Turn
from tilesight.inference.protocols import Tracker
from tilesight.inference.understanding import Understanding
from tilesight.table_log.doubts import Doubted


def doubted_turns(understood: Understanding) -> Mapping[int, Doubted[Turn]]:
    """Return the doubts about all turns, by number; the turn in question has probabilities of its
    alternatives."""
    doubt = understood.doubt
    found: dict[int, Doubted[Turn]] = {}
    for number, turn in enumerate(understood.turns, 1):
        others: tuple[tuple[Turn, float | None], ...] = tuple((one, None) for one in turn.alternatives)
        if doubt is not None and doubt.number == number:
            others = tuple((one, share) for one, share in doubt.options if one != turn.turn)
        found[number] = Doubted(turn.confidence, others)
    return found


def confirm_turn(
    tracker: Tracker[Understanding], turns: Sequence[Turn], number: int, understood: Understanding
) -> Understanding:
    """Make the tracker take turn ``number`` of ``turns`` as confirmed by people, and return the new
    understanding."""
    if number <= understood.settled:
        return understood
    now = tracker.fix(turns[:number])
    later = [turn.turn for turn in now.turns[: len(turns)]]
    return now if later == list(turns) else tracker.fix(turns)
