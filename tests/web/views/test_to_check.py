"""The list of things that people should check, and its order."""

from __future__ import annotations

from engine.message import Message
from engine.tiles.game import Composition, ScoreEvent
from web.table.question import Option, Question
from web.views.to_check import to_check


def question(name: str, turn_no: int | None, order: tuple[int, ...] = ()) -> Question:
    return Question(name, Message("?"), (Option("0", Message("")),), turn_no=turn_no, order=order)


def scored(turn: int, points: int) -> ScoreEvent:
    return ScoreEvent(turn, "red", points, "trail", Composition(Message("zebra")))


def test_things_to_check_are_sorted_by_points_and_a_turn_is_listed_once() -> None:
    questions = [question("opening", None), question("q2", 2), question("q6", 6, (6, 7))]
    found = to_check(
        [0.5, 0.5, 0.97, 0.5, 0.5, 0.5, 0.5, None],
        [scored(4, 3), scored(4, 2), scored(5, 9)],
        questions,
        {"q6": 7, 5: 1},
        strange=(3,),
    )
    told = [(one["question"], one["turn"], one["why"], one["points"]) for one in found]
    assert told == [
        ("q6", 6, "asked", 7),
        (None, 4, "doubtful", 5),
        (None, 5, "doubtful", 1),
        ("opening", None, "asked", 0),
        ("q2", 2, "asked", 0),
        (None, 1, "doubtful", 0),
        (None, 3, "strange", 0),
    ]
