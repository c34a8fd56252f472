"""Asking: which doubtful turn people are asked about, once the doubt has lasted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.message import Message
from engine.tiles.turn import UNKNOWN, Turn
from tilesight.inference.params import QUESTIONS
from tilesight.inference.stories.search import SearchedTurn
from tilesight.inference.understanding import Doubt
from vision.observation import Observation


class Asking:
    """Debounces questions: a doubt must last for some pictures and seconds before it is asked."""

    def __init__(self) -> None:
        self._since: dict[int, tuple[float, int]] = {}  # time and number of pictures by doubtful turn
        self._frame_index = 0
        self._pictures = 0

    def doubt(self, turns: Sequence[SearchedTurn], observation: Observation) -> Doubt | None:
        """Return the question about the first turn on which the table or the points hang, once it is due.

        A piece of the last turn that may still come is no reason to ask.
        """
        self._pictures += 1
        self._frame_index = observation.frame_index
        now = (observation.t_s, self._pictures)
        self._since = {number: self._since.get(number, now) for number in _doubtful(turns)}
        number = min(self._since, default=None)
        if number is None:
            return None
        since_s, pictures = self._since[number]
        if now[1] - pictures + 1 < QUESTIONS.ask_after or now[0] - since_s < QUESTIONS.ask_after_s:
            return None
        return _doubt(turns, number, self._frame_index)

    def drop(self, after: int) -> None:
        """Forget since when turns after the first ``after`` ones have been in doubt."""
        self._since = {number: since for number, since in self._since.items() if number <= after}

    def last(self, turns: Sequence[SearchedTurn]) -> Doubt | None:
        """Return the question that is left after the last picture, if there is one."""
        number = min(_doubtful(turns), default=None)
        return None if number is None else _doubt(turns, number, self._frame_index)


def _doubtful(turns: Sequence[SearchedTurn]) -> list[int]:
    """Return the numbers (from 1) of the turns to ask about."""
    return [
        number
        for number, one in enumerate(turns, 1)
        if one.told < QUESTIONS.ask_below and (number < len(turns) or one.look is not None)
    ]


def _doubt(turns: Sequence[SearchedTurn], number: int, frame_index: int) -> Doubt | None:
    """Return the question about turn ``number``; None if only one answer is likely."""
    one = turns[number - 1]
    likely = [(one.turn, one.sure), *one.others][: QUESTIONS.options]
    options = tuple((turn, share) for turn, share in likely if share >= QUESTIONS.option_least)
    if len(options) < 2:
        return None
    cells = tuple(sorted({turn.cell for turn, _ in options}))
    return Doubt(number, options, cells, frame_index, difference_text([turn for turn, _ in options]))


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
