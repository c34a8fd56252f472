"""Scores that depend on uncertain turns: each player's score for the other turns that are possible."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from engine.game import GameError
from engine.tiles.game import GameState
from engine.tiles.turn import Turn
from web.table.doubts import is_doubtful
from web.table.question import Question
from web.table.view import TableView

VARIANTS_AT_MOST = 40
"""Maximum number of variants that are scored. They take about 100 ms."""


@dataclass(frozen=True)
class OpenPoints:
    """Scores that depend on open questions and doubtful turns.

    ``may_be`` has each player's other possible scores, lowest first, as JSON
    (`web.api.shapes.OtherScoreShape`); ``at_stake`` has the largest change of a score, by a question's id
    or a turn's number.
    """

    may_be: Mapping[str, list[dict[str, Any]]]
    at_stake: Mapping[str | int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class _Variant:
    """Another turn that may have been played as number ``turn_no``.

    If a question is open about it, ``option`` is the answer that stands for it.
    """

    turn_no: int
    turn: Turn
    question: str | None = None
    option: str | None = None


def open_points(view: TableView, questions: Sequence[Question]) -> OpenPoints:
    """Return the scores that depend on open questions, and on doubtful turns without a question.

    For each variant, later turns are applied as far as they are still legal.
    """
    now = _scores(view.state, view)
    found: dict[str, dict[int, dict[str, Any]]] = {color: {} for color in now}
    at_stake: dict[str | int, int] = {}
    for other in [*_question_variants(questions), *_doubt_variants(view, questions)][:VARIANTS_AT_MOST]:
        about = other.question or other.turn_no
        after = _state_with(view, other.turn_no, other.turn)
        if after is None:
            continue
        at_stake.setdefault(about, 0)
        for color, score in _scores(after, view).items():
            if score != now[color]:
                at_stake[about] = max(at_stake[about], abs(score - now[color]))
                variant = {"question": other.question, "option": other.option, "turn": other.turn_no}
                found[color].setdefault(score, {"score": score, **variant, "line": other.turn.to_json()})
    may_be = {color: [others[score] for score in sorted(others)] for color, others in found.items()}
    return OpenPoints(may_be, at_stake)


def _question_variants(questions: Sequence[Question]) -> Iterator[_Variant]:
    """Yield the turns that the options of open questions stand for."""
    for question in questions:
        for option in question.options:
            if option.turn is not None and question.turn_no is not None:
                yield _Variant(question.turn_no, option.turn, question.id, option.id)


def _doubt_variants(view: TableView, questions: Sequence[Question]) -> Iterator[_Variant]:
    """Yield the alternatives of doubtful turns without a question, latest turns first."""
    asked = {question.turn_no for question in questions}
    for turn_no in range(len(view.played), 0, -1):
        played = view.played[turn_no - 1]
        if turn_no not in asked and is_doubtful(played.confidence):
            for other in played.alternatives:
                yield _Variant(turn_no, other.turn)


def _state_with(view: TableView, turn_no: int, turn: Turn) -> GameState | None:
    """Return the position that results if turn ``turn_no`` (from 1) is replaced by ``turn``.

    None if that is illegal, or if ``turn`` is the recorded turn.
    """
    if turn_no > len(view.played) + 1 or (recorded := _recorded_turn(view, turn_no)) == turn:
        return None
    state = view.start if turn_no == 1 else view.played[turn_no - 2].after
    later = [one.turn for one in view.played[turn_no:]] if recorded is not None else []
    try:
        state = state.apply(turn).state
    except GameError:
        return None
    for one in later:
        with suppress(GameError):
            state = state.apply(one).state
    return state


def _recorded_turn(view: TableView, turn_no: int) -> Turn | None:
    """Return the recorded turn with this number; None if it is the next turn."""
    return view.played[turn_no - 1].turn if turn_no <= len(view.played) else None


def _scores(state: GameState, view: TableView) -> Mapping[str, int]:
    """Return the scores as the page shows them, with the points added by hand.

    They are the final scores if the game is over.
    """
    scores = state.scores if view.final is None else state.final().scores
    return {color: points + view.by_hand.get(color, 0) for color, points in scores.items()}
