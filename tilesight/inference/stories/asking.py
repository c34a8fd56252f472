"""Asking: which doubtful turn people are asked about, once the doubt has lasted."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace

from engine.message import Message
from engine.tiles.turn import UNKNOWN, Turn
from tilesight.inference.params import QUESTIONS
from tilesight.inference.stories.search import SearchedTurn
from tilesight.inference.understanding import Doubt
from vision.observation import Observation

Outcome = Callable[[int, Turn], Hashable]
"""Table after a turn with a number, from 1."""
Answers = tuple[tuple[Turn, float], ...]
"""Turns with their probabilities, likeliest first."""


class Asking:
    """Debounces questions: a doubt must last for some pictures and seconds before it is asked.

    ``outcome(number, turn)`` is the table after ``turn`` as turn ``number``, equal for turns that nobody need
    tell apart.
    """

    def __init__(self, outcome: Outcome) -> None:
        self._outcome = outcome
        self._since: dict[int, tuple[float, int]] = {}  # time and number of pictures by doubtful turn
        self._frame_index = 0
        self._pictures = 0
        self.alike = frozenset[int]()
        """Numbers of the doubtful turns whose likely answers leave the same table."""

    def doubt(self, turns: Sequence[SearchedTurn], observation: Observation) -> Doubt | None:
        """Return the question about the first turn on which the table or the points hang, once it is due.

        A piece of the last turn that may still come is no reason to ask.
        """
        self._pictures += 1
        self._frame_index = observation.frame_index
        now = (observation.t_s, self._pictures)
        self._since = {number: self._since.get(number, now) for number in _doubtful(turns)}
        number, answers = self._first(turns)
        if number is None:
            return None
        since_s, pictures = self._since[number]
        if now[1] - pictures + 1 < QUESTIONS.ask_after or now[0] - since_s < QUESTIONS.ask_after_s:
            return None
        return self._doubt(number, answers)

    def drop(self, after: int) -> None:
        """Forget since when turns after the first ``after`` ones have been in doubt."""
        self._since = {number: since for number, since in self._since.items() if number <= after}

    def last(self, turns: Sequence[SearchedTurn]) -> Doubt | None:
        """Return the question that is left after the last picture, if there is one."""
        number, answers = self._first(turns)
        return None if number is None else self._doubt(number, answers)

    def _first(self, turns: Sequence[SearchedTurn]) -> tuple[int | None, Answers]:
        """Return the first turn to ask about, with its likely answers; (None, ()) if there is none."""
        alike = set[int]()
        first: tuple[int | None, Answers] = (None, ())
        for number in _doubtful(turns):
            answers = self._answers(turns[number - 1], number)
            if answers and answers[0][1] >= QUESTIONS.ask_below:
                alike.add(number)
            elif first[0] is None:
                first = (number, answers)
        self.alike = frozenset(alike)
        return first

    def _answers(self, one: SearchedTurn, number: int) -> Answers:
        """Return the likely answers to what turn ``number`` was.

        Those that leave the same table are one, with the probability of all.
        """
        likely = dict[Hashable, tuple[Turn, float]]()
        for turn, share in ((one.turn, one.sure), *one.others):
            if share >= QUESTIONS.option_least:
                outcome = self._outcome(number, turn)
                first, before = likely.get(outcome, (turn, 0.0))
                likely[outcome] = (first, before + share)
        return tuple(likely.values())

    def _doubt(self, number: int, answers: Answers) -> Doubt | None:
        """Return the question about turn ``number``; None if only one answer is likely."""
        options = answers[: QUESTIONS.options]
        if len(options) < 2:
            return None
        cells = tuple(sorted({turn.cell for turn, _ in options}))
        text = difference_text([turn for turn, _ in options])
        return Doubt(number, options, cells, self._frame_index, text)


def _doubtful(turns: Sequence[SearchedTurn]) -> list[int]:
    """Return the numbers (from 1) of the turns to ask about."""
    return [
        number
        for number, one in enumerate(turns, 1)
        if one.told < QUESTIONS.ask_below and (number < len(turns) or one.look is not None)
    ]


def difference_text(turns: Sequence[Turn]) -> Message:
    """Return a message with the first part in which ``turns`` (at least two) differ.

    The parts are, in this order: order of tiles, face, rotation, pieces; only the animal on an animal tile,
    if all else is equal.
    """
    first, *others = turns
    if any(turn.cell != first.cell for turn in others):
        return Message("the tiles may have been laid in another order")
    if any(turn.tile != first.tile for turn in others):
        return Message("the tile's face is not clear")
    if any(turn.rot != first.rot for turn in others):
        return Message("which way round the tile lies is not clear")
    if all(_without_animals(turn) == _without_animals(first) for turn in others):
        return Message("which animal is on the animal tile is not clear")
    return Message("which pieces were put down is not clear")


def _without_animals(turn: Turn) -> Turn:
    """Return a turn in which every animal tile shows `UNKNOWN` instead of an animal."""
    action = None if turn.action is None else turn.action.showing(UNKNOWN)
    return replace(turn, action=action, parts=tuple(part.showing(UNKNOWN) for part in turn.parts))
