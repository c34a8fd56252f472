"""List of what people should check: open questions and doubtful turns, those with the most points first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.game import Event
from web.table.doubts import is_doubtful
from web.table.question import Question

PointsAtStake = Mapping[str | int, int]
"""Points that depend on an uncertain turn, by a question's id, or by the turn's number if there is no
question."""


def to_check(
    confidences: Sequence[float | None],
    events: Sequence[Event],
    questions: Sequence[Question],
    at_stake: PointsAtStake | None = None,
    strange: Sequence[int] = (),
) -> list[dict[str, Any]]:
    """Return the things that people should check as JSON, most points at stake first.

    They are open questions, doubtful turns without a question, and turns with an undescribed tile of another
    set. ``confidences`` are those of all turns. ``at_stake`` are the points that depend on each question or
    turn; a doubtful turn that is missing there counts with all points that it scored. ``strange`` are the
    numbers of the turns with an undescribed tile.
    """
    at_stake = at_stake or {}
    asked = {number for one in questions for number in (*one.order, one.turn_no) if number is not None}
    gave: dict[int, int] = {}
    for event in events:
        gave[event.turn] = gave.get(event.turn, 0) + abs(event.points)
    found: list[dict[str, Any]] = [
        {
            "question": one.id,
            "turn": one.turn_no,
            "why": "asked",
            "confidence": None,
            "points": at_stake.get(one.id, 0),
        }
        for one in questions
    ]
    for number, confidence in enumerate(confidences, 1):
        doubtful = is_doubtful(confidence)
        if number in asked or not (doubtful or number in strange):
            continue
        points = at_stake.get(number, gave.get(number, 0) if doubtful else 0)
        why = "doubtful" if doubtful else "strange"
        found.append(
            {"question": None, "turn": number, "why": why, "confidence": confidence, "points": points}
        )
    return sorted(found, key=lambda one: (-one["points"], one["question"] is None))
