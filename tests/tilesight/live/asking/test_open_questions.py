"""A question lives until it is answered, settled or moot, and says which."""

from __future__ import annotations

from dataclasses import replace

from engine.message import Message
from engine.tiles.turn import Turn
from tilesight.live.asking.open_questions import CLOSED_KEPT, OpenQuestions
from web.table.question import Option, Question

TURNS = [Turn.from_json({"player": "red", "tile": "CS01-AB", "cell": [x, 0], "rot": 0}) for x in range(6)]
OTHER = replace(TURNS[1], rot=90)
NONE = Option("other", Message("none of these"))
ASKED = Question(
    "turn-2-7",
    Message("why"),
    (Option("0", Message(""), TURNS[1]), Option("1", Message(""), OTHER), NONE),
    frame=7,
    turn_no=2,
)


def opened(*questions: Question) -> OpenQuestions:
    asking = OpenQuestions()
    assert asking.ask(questions, TURNS[:1], (), ()) == ()
    return asking


def test_a_question_outlives_the_turns_that_follow_while_its_own_is_doubtful() -> None:
    asking = opened(ASKED)
    assert asking.ask((), TURNS[:5], {2}, ()) == ()
    [question] = asking.open
    assert question.id == ASKED.id and asking.kept == {ASKED.id}
    assert NONE not in question.options, "one of the turns was played, or another that people enter"


def test_it_says_why_it_is_closed() -> None:
    for why, told, sure, people in (
        ("settled", TURNS[:5], (), False),
        ("answered", TURNS[:5], {2}, True),
        ("moot", TURNS[:1], (), False),
        ("moot", [TURNS[0], TURNS[4]], (), True),
    ):
        asking = opened(ASKED)
        [closed] = asking.ask((), told, (), sure, by_people=people)
        assert (closed.id, closed.turn_no, closed.why) == (ASKED.id, 2, why)
        assert asking.closed == (closed,) and asking.open == ()


def test_none_of_these_is_an_answer_though_no_turn_is_named() -> None:
    [closed] = opened(ASKED).ask((), TURNS[:1], (), (), by_people=True, answered=ASKED.id)
    assert closed.why == "answered"


def test_the_same_question_asked_again_stays_what_phones_show() -> None:
    asking = opened(ASKED)
    again = replace(ASKED, id="turn-2-9", frame=9, options=(ASKED.options[1], ASKED.options[0], NONE))
    assert asking.ask((again,), TURNS[:1], (), ()) == () and asking.open == (ASKED,)


def test_other_answers_to_the_same_question_take_its_place() -> None:
    asking = opened(ASKED)
    other = replace(
        ASKED, id="turn-2-9", options=(ASKED.options[0], Option("1", Message(""), TURNS[3]), NONE)
    )
    assert asking.ask((other,), TURNS[:1], (), ()) == () and asking.open == (other,)


def test_a_question_about_an_order_lives_as_long_as_one_of_its_turns_is_doubtful() -> None:
    asking = opened(replace(ASKED, order=(2, 3, 4)))
    assert asking.ask((), TURNS[:5], {4}, ()) == () and len(asking.open) == 1
    [closed] = asking.ask((), TURNS[:5], (), ())
    assert closed.why == "settled"


def test_the_end_of_the_game_closes_all_and_only_the_last_are_told() -> None:
    asking = opened(*(replace(ASKED, id=f"q{number}", turn_no=number) for number in range(1, 9)))
    assert {closed.why for closed in asking.close()} == {"moot"}
    assert [closed.id for closed in asking.closed] == ["q8", "q7", "q6", "q5", "q4"]
    assert len(asking.closed) == CLOSED_KEPT and asking.open == ()


def test_pictures_of_open_questions_are_kept_however_many_came_since() -> None:
    asking = opened(ASKED)
    asking.keep_pictures(None)
    for number in range(10):
        asking.ask((ASKED, replace(ASKED, id=f"q{number}", turn_no=7 + number)), TURNS[:1], (), ())
        asking.keep_pictures(None)
    assert ASKED.id in asking.pictures and "q9" in asking.pictures and "q2" not in asking.pictures
