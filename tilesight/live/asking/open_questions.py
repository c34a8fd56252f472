"""Questions of a live table: open until they are answered, settled or moot."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from tilesight.live.album import Shot
from web.table.question import ClosedQuestion, ClosedWhy, Question

CLOSED_KEPT = 5
"""Number of latest closed questions that the view shows."""
PICTURES_KEPT = 6
"""Number of latest questions whose pictures are kept. A phone may ask for one after the answer."""


class OpenQuestions:
    """The open questions, and the last closed ones, latest first.

    The tracker asks about one turn at a time. If another question becomes more urgent, it drops the first,
    which stays open here while its turn is doubtful. ``kept`` are the ids of such questions.
    """

    def __init__(self) -> None:
        self.open: tuple[Question, ...] = ()
        self.closed: tuple[ClosedQuestion, ...] = ()
        self.kept: frozenset[str] = frozenset()
        self.pictures: dict[str, tuple[Question, Shot | None]] = {}
        """The latest questions by id, each with the picture in which it arose."""

    def ask(
        self,
        asked: Sequence[Question],
        turns: Sequence[Any],
        doubts: Collection[int],
        confirmed: Collection[int],
        *,
        by_people: bool = False,
        answered: str = "",
    ) -> tuple[ClosedQuestion, ...]:
        """Take over the tracker's questions ``asked``; return the questions that this closes, with reasons.

        An open question that is not asked again stays open while its turn is doubtful. A question that is
        replaced by another one about its turn is dropped, and not returned. ``turns`` are the reported turns,
        ``doubts`` the numbers of doubtful ones, ``confirmed`` the numbers of those that people confirmed.
        ``by_people`` is true if a command caused the change; ``answered`` is the id of the question that it
        answered.
        """
        remaining, kept = list(asked), set[str]()
        still: list[Question] = []
        closed: list[ClosedQuestion] = []
        for question in self.open:
            same = next((one for one in remaining if _is_same(one, question)), None)
            if same is not None:
                # The question keeps its id, so that phones still show it and an answer on its way counts.
                remaining.remove(same)
                still.append(same if same.id == question.id else question)
            elif question.id == answered or not _is_replaced(question, remaining):
                named = question.id == answered
                why = "answered" if named else _why(question, turns, doubts, confirmed, by_people=by_people)
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
        """Close all questions as moot, because the game is over.

        Return the closed questions, oldest first.
        """
        closed = tuple(ClosedQuestion(one.id, one.text, one.turn_no, "moot") for one in self.open)
        self.open, self.kept = (), frozenset()
        self.closed = (*reversed(closed), *self.closed)[:CLOSED_KEPT]
        return closed

    def keep_pictures(self, shot: Shot | None) -> None:
        """Keep ``shot`` in ``self.pictures`` for each open question that has no picture yet.

        The latest closed questions keep theirs too, up to `PICTURES_KEPT` in all.
        """
        known = dict(self.pictures)  # a copy, because other threads read the old dictionary meanwhile
        for question in self.open:
            known.setdefault(question.id, (question, shot))
        spare = [name for name in known if name not in {question.id for question in self.open}]
        for name in spare[: max(0, len(known) - PICTURES_KEPT)]:
            del known[name]
        self.pictures = known


def _why(
    question: Question,
    turns: Sequence[Any],
    doubts: Collection[int],
    confirmed: Collection[int],
    *,
    by_people: bool,
) -> ClosedWhy | None:
    """Return why a question that is no longer asked is closed; None if it stays open.

    The arguments are those of `OpenQuestions.ask`.
    """
    number = question.turn_no
    if number is None:
        return "answered" if by_people else "settled"
    if number in confirmed:
        return "answered"
    if number > len(turns):
        return "moot"
    if by_people and turns[number - 1] not in [option.turn for option in question.options]:
        return "moot"
    return None if any(one in doubts for one in (number, *question.order)) else "settled"


def _is_same(one: Question, other: Question) -> bool:
    """Whether two questions have the same id, or concern the same turns and have the same answers."""
    if one.id == other.id:
        return True
    if one.turn_no is None or (one.turn_no, one.order) != (other.turn_no, other.order):
        return False
    turns, others = (
        [option.turn for option in question.options if option.turn is not None] for question in (one, other)
    )
    return len(turns) == len(others) and all(turn in others for turn in turns)


def _is_replaced(question: Question, asked: Sequence[Question]) -> bool:
    """Whether ``asked`` has a question about the same turn."""
    return question.turn_no is not None and any(one.turn_no == question.turn_no for one in asked)


def _turns_only(question: Question) -> Question:
    """Return the question without its answer "none of these".

    Further turns followed, so one of the offered turns was played, or people will correct it.
    """
    return replace(question, options=tuple(option for option in question.options if option.turn is not None))
