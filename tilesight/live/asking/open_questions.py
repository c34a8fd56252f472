"""Questions of a live table: open until they are answered, settled or moot."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from tilesight.live.album import Shot
from web.table.question import ClosedQuestion, ClosedWhy, Question

CLOSED_KEPT = 5
"""Number of closed questions that are told of, the latest ones."""
PICTURES_KEPT = 6
"""Number of questions, the latest ones, of which the picture is kept: a phone may ask after the answer."""


class OpenQuestions:
    """The open questions, and the last closed ones, latest first.

    The tracker asks about one turn at a time and drops the question when another is more urgent. A question
    about a turn that is still doubtful stays open then; ``kept`` are the ids of such questions.
    """

    def __init__(self) -> None:
        self.open: tuple[Question, ...] = ()
        self.closed: tuple[ClosedQuestion, ...] = ()
        self.kept: frozenset[str] = frozenset()
        self.pictures: dict[str, tuple[Question, Shot | None]] = {}
        """The questions that were asked last, by their ids, each with the picture in which it arose."""

    def ask(
        self,
        asked: Sequence[Question],
        told: Sequence[Any],
        doubts: Collection[int],
        sure: Collection[int],
        *,
        people: bool = False,
        answered: str = "",
    ) -> tuple[ClosedQuestion, ...]:
        """Replace the open questions by those ``asked`` now, and return the questions that this closes.

        ``told`` are the reported turns, ``doubts`` the numbers of doubtful ones, ``sure`` the numbers of
        turns that people confirmed. ``people`` is true if a command of people caused the change; ``answered``
        is the id of the question that it answered.
        """
        remaining, kept = list(asked), set[str]()
        still: list[Question] = []
        closed: list[ClosedQuestion] = []
        for question in self.open:
            same = next((one for one in remaining if _is_same(one, question)), None)
            if same is not None:
                # Phones that show it go on showing it, and an answer under way is still one to it.
                remaining.remove(same)
                still.append(same if same.id == question.id else question)
            elif question.id == answered or not _is_replaced(question, remaining):
                named = question.id == answered
                why = "answered" if named else _why(question, told, doubts, sure, people=people)
                if why is None:
                    kept.add(question.id)
                    still.append(_turns_only(question))
                else:
                    closed.append(ClosedQuestion(question.id, question.text, question.turn_no, why))
        self.open = (*still, *remaining)
        self.kept = frozenset(kept)
        self.closed = (*reversed(closed), *self.closed)[:CLOSED_KEPT]
        return tuple(closed)

    def close(self) -> tuple[ClosedQuestion, ...]:
        """Close all questions as moot, because the game is over. Return the closed questions."""
        closed = tuple(ClosedQuestion(one.id, one.text, one.turn_no, "moot") for one in self.open)
        self.open, self.kept = (), frozenset()
        self.closed = (*reversed(closed), *self.closed)[:CLOSED_KEPT]
        return closed

    def keep_pictures(self, shot: Shot | None) -> None:
        """Keep the picture of each new open question, and of the latest closed ones."""
        known = dict(self.pictures)  # phones read the old one meanwhile
        for question in self.open:
            known.setdefault(question.id, (question, shot))
        spare = [name for name in known if name not in {question.id for question in self.open}]
        for name in spare[: max(0, len(known) - PICTURES_KEPT)]:
            del known[name]
        self.pictures = known


def _why(
    question: Question,
    told: Sequence[Any],
    doubts: Collection[int],
    sure: Collection[int],
    *,
    people: bool,
) -> ClosedWhy | None:
    """Return why a question that is no longer asked is closed; None if it stays open."""
    number = question.turn_no
    if number is None:
        return "answered" if people else "settled"
    if number in sure:
        return "answered"
    if number > len(told):
        return "moot"
    if people and told[number - 1] not in [option.turn for option in question.options]:
        return "moot"
    return None if any(one in doubts for one in (number, *question.order)) else "settled"


def _is_same(one: Question, other: Question) -> bool:
    """Whether two questions are about the same turns and have the same answers."""
    if one.id == other.id:
        return True
    if one.turn_no is None or (one.turn_no, one.order) != (other.turn_no, other.order):
        return False
    turns, others = (
        [option.turn for option in question.options if option.turn is not None] for question in (one, other)
    )
    return len(turns) == len(others) and all(turn in others for turn in turns)


def _is_replaced(question: Question, asked: Sequence[Question]) -> bool:
    """Whether ``asked`` has a question about the same turn with other answers."""
    return question.turn_no is not None and any(one.turn_no == question.turn_no for one in asked)


def _turns_only(question: Question) -> Question:
    """Return the question without its answer "none of these".

    Further turns followed, so one of the offered turns was played, or people will correct it.
    """
    return replace(question, options=tuple(option for option in question.options if option.turn is not None))
