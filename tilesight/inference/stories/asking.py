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

OPTIONS_AT_MOST = 4
"""Number of answers offered with a question."""


class Asking:
    """Debounces questions: a doubt must last for some pictures and seconds before it is asked."""

    def __init__(self) -> None:
        self._number = 0  # of the turn in doubt
        self._since_s = 0.0
        self._pictures = 0

    def doubt(self, turns: Sequence[SearchedTurn], observation: Observation) -> Doubt | None:
        """Return the question about the first turn on which the table or the points hang, once it is due.

        A piece of the last turn that may still come is no reason to ask.
        """
        number = next((n for n, one in enumerate(turns, 1) if one.told < QUESTIONS.ask_below), 0)
        if number == len(turns) and number and turns[-1].look is None:
            number = 0
        t_s = observation.t_s
        if not number:
            self._number = 0
            return None
        if self._number != number:
            self._number, self._since_s, self._pictures = number, t_s, 0
        self._pictures += 1
        if self._pictures < QUESTIONS.ask_after or t_s - self._since_s < QUESTIONS.ask_after_s:
            return None
        one = turns[number - 1]
        likely = [(one.turn, one.sure), *one.others][:OPTIONS_AT_MOST]
        options = tuple((turn, share) for turn, share in likely if share >= QUESTIONS.option_least)
        if len(options) < 2:
            return None
        cells = tuple(sorted({turn.cell for turn, _ in options}))
        why = difference_text([turn for turn, _ in options])
        return Doubt(number, options, cells, observation.frame_index, why)


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
