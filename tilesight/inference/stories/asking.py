"""Asking: which doubtful turn people are asked about, once the doubt has lasted."""

from __future__ import annotations

from collections.abc import Sequence

from tilesight.inference.candidates import difference_text
from tilesight.inference.params import PARAMS
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
        number = next((n for n, one in enumerate(turns, 1) if one.told < PARAMS.ask_below), 0)
        if number == len(turns) and number and turns[-1].look is None:
            number = 0
        t_s = observation.t_s
        if not number:
            self._number = 0
            return None
        if self._number != number:
            self._number, self._since_s, self._pictures = number, t_s, 0
        self._pictures += 1
        if self._pictures < PARAMS.ask_after or t_s - self._since_s < PARAMS.ask_after_s:
            return None
        one = turns[number - 1]
        likely = [(one.turn, one.sure), *one.others][:OPTIONS_AT_MOST]
        options = tuple((turn, share) for turn, share in likely if share >= PARAMS.option_least)
        if len(options) < 2:
            return None
        cells = tuple(sorted({turn.cell for turn, _ in options}))
        why = difference_text([turn for turn, _ in options])
        return Doubt(number, options, cells, observation.frame_index, why)
