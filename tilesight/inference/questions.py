"""Questions about turns that the pictures leave open, and reports of tables that no legal turn explains."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from engine.tiles.turn import UNKNOWN, Turn
from tilesight.inference.hypothesis import Hypothesis
from tilesight.inference.hypothesis_tree import HypothesisTree, touches
from tilesight.inference.params import PARAMS
from tilesight.inference.understanding import Doubt, Unclear
from tilesight.inference.view import View
from tilesight.inference.view_params import PARAMS as VIEW

OPTIONS_AT_MOST = 4
"""Number of answers offered with a question."""


class Doubting:
    """Delays a question until the doubt has lasted for some pictures and seconds."""

    def __init__(self) -> None:
        self._number = 0  # of the turn in doubt
        self._since_s = 0.0
        self._looks = 0

    def question(self, tree: HypothesisTree, settled: int, view: View) -> Doubt | None:
        """The first turn after ``settled`` ones that stays open between a few while the table rests."""
        leader = tree.leader()
        path = leader.path()
        place = next((i for i, hypothesis in enumerate(path) if not _sure(tree, hypothesis)), None)
        # While a piece is still on its way, home or to its place, there is nothing to ask yet.
        if place is None or (path[place] is leader and leader.rest.nats < leader.best):
            self._number = 0
            return None
        number = settled + place + 1
        t_s = view.observation.t_s
        if self._number != number:
            self._number, self._since_s, self._looks = number, t_s, 0
        self._looks += 1
        if self._looks < PARAMS.ask_after or t_s - self._since_s < PARAMS.ask_after_s:
            return None
        hypothesis = path[place]
        assert hypothesis.parent is not None
        options = _options(tree, hypothesis.parent)
        if not options:
            return None
        cells = tuple(sorted({turn.cell for turn, _ in options}))
        index = view.observation.frame_index
        return Doubt(number, options, cells, index, _how_they_differ([turn for turn, _ in options]))


def what_is_unclear(tree: HypothesisTree, view: View) -> Unclear | None:
    """A tile at rest beside the board that no hypothesis explains."""
    state = tree.leader().state
    for cell, reading in view.cells.items():
        if view.log_tile[cell] <= 0 or reading.covered > VIEW.hand_share:
            continue
        if cell in state.board or not touches(state.board, cell):
            continue
        _, design, rot = view.faces(cell, 0.0)[0]
        faults = state.faults(Turn(state.player, design, cell, rot))
        why = "; ".join(fault.message for fault in faults) or "no turn explains what is seen"
        return Unclear(f"{design} at [{cell[0]}, {cell[1]}]: {why}", (cell,), faults)
    return None


def _sure(tree: HypothesisTree, hypothesis: Hypothesis) -> bool:
    """Whether nothing that is on the table now speaks for another turn."""
    parent = hypothesis.parent
    assert parent is not None
    rivals = [tree.reach(child) for child in parent.children if child is not hypothesis and _is_there(child)]
    lead = tree.reach(hypothesis) - max([tree.weight(parent), *rivals])
    return lead >= math.log(PARAMS.ask_below / (1 - PARAMS.ask_below))


def _options(tree: HypothesisTree, parent: Hypothesis) -> tuple[tuple[Turn, float], ...]:
    """The turns that may follow ``parent``, with probabilities against each other and against none."""
    weights = {child: tree.reach(child) for child in parent.children if _is_there(child)}
    top = max([tree.weight(parent), *weights.values()])
    odds = {child: math.exp(weight - top) for child, weight in weights.items()}
    total = sum(odds.values()) + math.exp(tree.weight(parent) - top)
    ranked = sorted(odds, key=lambda child: odds[child], reverse=True)
    return tuple(
        (child.turn, odds[child] / total)
        for child in ranked[:OPTIONS_AT_MOST]
        if child.turn is not None and odds[child] / total >= PARAMS.option_least
    )


def _is_there(hypothesis: Hypothesis) -> bool:
    """Whether all that a turn lays is on the table by now; a piece that may still come is nothing to ask
    about."""
    return (
        bool(hypothesis.laid)
        or hypothesis.bare.nats < hypothesis.best
        or hypothesis.stages.bare in (hypothesis.stages.rest, *hypothesis.stages.mid)
    )


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
