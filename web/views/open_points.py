"""Points that hang on what is not sure: what each player would have if another turn was played."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.game import GameError
from engine.tiles.game import GameState
from engine.tiles.turn import Turn
from web.table.doubts import is_doubtful
from web.table.question import Question
from web.table.view import TableView

LOOKED_AT = 40
"""Number of other turns whose scores are worked out, at most: a bound on work, some 100 ms."""


@dataclass(frozen=True)
class Hanging:
    """Points that hang on open questions and doubtful turns: ``may_be`` are by colour the other scores, the
    lowest first, ``worth`` by a question's id or a turn's number the most that a score may change."""

    may_be: Mapping[str, list[dict[str, Any]]]
    worth: Mapping[str | int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class _Other:
    """Another turn: number ``turn_no`` may have been ``turn``, the ``option`` of a ``question`` where that
    is asked."""

    turn_no: int
    turn: Turn
    question: str | None = None
    option: str | None = None


def open_points(view: TableView, questions: Sequence[Question]) -> Hanging:
    """The points that hang on open questions, and on turns that are not sure and not asked about. Later turns
    count where they stay legal."""
    now = _scores(view.state, view)
    found: dict[str, dict[int, dict[str, Any]]] = {color: {} for color in now}
    worth: dict[str | int, int] = {}
    for other in [*_asked(questions), *_doubted(view, questions)][:LOOKED_AT]:
        about = other.question or other.turn_no
        after = _with(view, other.turn_no, other.turn)
        if after is None:
            continue
        worth.setdefault(about, 0)
        for color, score in _scores(after, view).items():
            if score != now[color]:
                worth[about] = max(worth[about], abs(score - now[color]))
                told = {"question": other.question, "option": other.option, "turn": other.turn_no}
                found[color].setdefault(score, {"score": score, **told, "line": other.turn.to_json()})
    may_be = {color: [others[score] for score in sorted(others)] for color, others in found.items()}
    return Hanging(may_be, worth)


def _asked(questions: Sequence[Question]) -> Iterator[_Other]:
    for question in questions:
        for option in question.options:
            if option.turn is not None and question.turn_no is not None:
                yield _Other(question.turn_no, option.turn, question.id, option.id)


def _doubted(view: TableView, questions: Sequence[Question]) -> Iterator[_Other]:
    """Other turns that doubtful ones may have been, those of the latest turns first."""
    asked = {question.turn_no for question in questions}
    for turn_no in range(len(view.played), 0, -1):
        played = view.played[turn_no - 1]
        if turn_no not in asked and is_doubtful(played.confidence):
            for other in played.alternatives:
                yield _Other(turn_no, other.turn)


def _with(view: TableView, turn_no: int, turn: Turn) -> GameState | None:
    """The position now if turn ``turn_no`` (from 1) had been ``turn``; None where the rules refuse it, or it
    is what was told."""
    if turn_no > len(view.played) + 1 or (told := _told(view, turn_no)) == turn:
        return None
    state = view.start if turn_no == 1 else view.played[turn_no - 2].after
    later = [one.turn for one in view.played[turn_no:]] if told is not None else []
    try:
        state = state.apply(turn).state
    except GameError:
        return None
    for one in _legal(state, later):
        state = one
    return state


def _told(view: TableView, turn_no: int) -> Turn | None:
    return view.played[turn_no - 1].turn if turn_no <= len(view.played) else None


def _legal(state: GameState, turns: Sequence[Turn]) -> Iterator[GameState]:
    for turn in turns:
        try:
            state = state.apply(turn).state
        except GameError:
            continue
        yield state


def _scores(state: GameState, view: TableView) -> Mapping[str, int]:
    """Scores as the page shows them: those of the final scoring once that stands."""
    scores = state.scores if view.final is None else state.final().scores
    return {color: points + view.by_hand.get(color, 0) for color, points in scores.items()}
