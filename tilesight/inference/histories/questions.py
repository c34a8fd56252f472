"""Doubts: open turns about which people are asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.tiles.turn import UNKNOWN, Turn
from tilesight.inference.histories.beam import Beam
from tilesight.inference.histories.history import Node
from tilesight.inference.histories.look import Look
from tilesight.inference.histories.params import PARAMS
from tilesight.inference.histories.posterior import Posterior
from tilesight.inference.understanding import Doubt

OPTIONS_AT_MOST = 4
"""Number of answers offered with a question."""


class Doubting:
    """Delays a question until the doubt has lasted for some pictures and seconds."""

    def __init__(self) -> None:
        self._number = 0  # of the turn in doubt
        self._since_s = 0.0
        self._looks = 0

    def question(self, beam: Beam, settled: int, look: Look) -> Doubt | None:
        """The first turn after ``settled`` ones that stays open between a few while the table rests."""
        leader = beam.leader()
        posterior = Posterior(beam, there=True)
        place = _first_open(posterior, leader)
        # While a piece is still on its way, home or to its place, there is nothing to ask yet.
        if place is None:
            self._number = 0
            return None
        number = settled + place + 1
        t_s = look.observation.t_s
        if self._number != number:
            self._number, self._since_s, self._looks = number, t_s, 0
        self._looks += 1
        if self._looks < PARAMS.ask_after or t_s - self._since_s < PARAMS.ask_after_s:
            return None
        likely = posterior.turns(place + 1)[:OPTIONS_AT_MOST]
        options = tuple((turn, share) for turn, share in likely if share >= PARAMS.option_least)
        if not options:
            return None
        cells = tuple(sorted({turn.cell for turn, _ in options}))
        index = look.observation.frame_index
        return Doubt(number, options, cells, index, _how_they_differ([turn for turn, _ in options]))


def _first_open(posterior: Posterior, leader: Node) -> int | None:
    """Place on the way to ``leader`` of the first turn that may have been another one; None where that would
    change nothing but the order in which turns with the same end were played."""
    for place, node in enumerate(leader.path()):
        assert node.turn is not None
        if posterior.probability(place + 1, node.turn) >= PARAMS.ask_below:
            continue
        if posterior.same_end(place + 1) < PARAMS.ask_below:
            return place
    return None


def _how_they_differ(turns: Sequence[Turn]) -> str:
    """The difference between some turns, in words for people."""
    first, *others = turns
    if any(turn.cell != first.cell for turn in others):
        return "the tiles may have been laid in another order"
    if any(turn.tile != first.tile for turn in others):
        return "the tile's face is not clear"
    if any(turn.rot != first.rot for turn in others):
        return "which way round the tile lies is not clear"
    if all(_but_animals(turn) == _but_animals(first) for turn in others):
        return "which animal is on the animal tile is not clear"
    return "which pieces were put down is not clear"


def _but_animals(turn: Turn) -> Turn:
    """A turn without what its animal tiles show."""
    action = turn.action
    if action is not None:
        action = action.showing(UNKNOWN)
    bonus = tuple(replace(one, animal=UNKNOWN) for one in turn.bonus)
    return replace(turn, action=action, bonus=bonus)
