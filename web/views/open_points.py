"""Points that hang on an open question: what each player would have if another answer were the right one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engine.game import GameError
from engine.tiles.game import GameState
from engine.tiles.turn import Turn
from web.views.table import Question, TableView


def open_points(view: TableView, questions: Sequence[Question]) -> dict[str, list[dict[str, Any]]]:
    """By colour, the other scores that an answer to an open question would give, lowest first, each with the
    question and the option that gives it. Later turns count where they stay legal."""
    now = _scores(view.state, view)
    found: dict[str, dict[int, dict[str, Any]]] = {color: {} for color in now}
    for question in questions:
        for option in question.options:
            if option.turn is None or question.turn_no is None:
                continue
            after = _with(view, question.turn_no, option.turn)
            if after is None:
                continue
            for color, score in _scores(after, view).items():
                if score != now[color]:
                    about = {"score": score, "question": question.id, "option": option.id}
                    found[color].setdefault(score, about)
    return {color: [others[score] for score in sorted(others)] for color, others in found.items()}


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
