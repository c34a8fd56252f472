"""Confirmation of a doubtful turn of a live tile game by people."""

from __future__ import annotations

from collections.abc import Sequence

from engine.tiles.turn import Turn
from tilesight.inference.protocols import Tracker
from tilesight.inference.understanding import Understanding


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
