"""List of what people should look at: open questions and doubtful turns, those with the most points first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.game import Event
from web.table.doubts import is_doubtful
from web.table.question import Question

Worth = Mapping[str | int, int]
"""Points that hang on what may be answered: by a question's id, or by the number of a turn that is not asked
about."""


def to_check(
    confidences: Sequence[float | None],
    events: Sequence[Event],
    questions: Sequence[Question],
    worth: Worth | None = None,
    strange: Sequence[int] = (),
) -> list[dict[str, Any]]:
    """The things that people should look at, those that move the most points first: open questions, and turns
    that are not sure and not asked about.

    ``confidences`` are those of all turns, ``worth`` the points that hang on each; of a turn of which nobody
    knows what else it was all the points hang that it gave. ``strange`` are the numbers of turns with a tile
    of another set of which nobody said what is on it.
    """
    worth = worth or {}
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
            "points": worth.get(one.id, 0),
        }
        for one in questions
    ]
    for number, confidence in enumerate(confidences, 1):
        doubtful = is_doubtful(confidence)
        if number in asked or not (doubtful or number in strange):
            continue
        points = worth.get(number, gave.get(number, 0) if doubtful else 0)
        why = "doubtful" if doubtful else "strange"
        found.append(
            {"question": None, "turn": number, "why": why, "confidence": confidence, "points": points}
        )
    return sorted(found, key=lambda one: (-one["points"], one["question"] is None))
