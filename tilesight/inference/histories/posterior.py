"""Posterior over the histories of a beam, and the first open question."""

from __future__ import annotations

import math

from tilesight.inference.histories.beam import Beam
from tilesight.inference.histories.history import Node, group_shares
from tilesight.inference.params import PARAMS as INFERENCE
from tilesight.inference.questions import NEGLIGIBLE, TurnShares

MATTERS_NATS = 9.0
"""Nats below the likeliest within which it is looked into whether a history's pieces are there."""


class HistoryPosterior(TurnShares[Node]):
    """Posterior probabilities of the turns after the root, numbered from 1, summed over all histories.

    ``rest`` is the probability of pruned histories, which stay in the denominator. With ``there``,
    likely histories are weighed as if the pieces of their last turn had been placed by now
    (`Node.closed_weight`).
    """

    def __init__(self, beam: Beam, *, there: bool = False) -> None:
        levels = list(beam.root.levels())
        nodes = [node for level in levels for node in level]
        weights = [node.weight for node in nodes]
        if there:
            floor, now = max(weights) - MATTERS_NATS, len(beam.seen.times) - 1
            weights = [
                node.closed_weight(beam.pieces, now) if node.weight > floor else node.weight for node in nodes
            ]
        top = max(weights)
        odds = [math.exp(weight - top) for weight in weights]
        self.rest = beam.lost
        share = (1.0 - self.rest) / math.fsum(odds)
        ends = {node: odd * share for node, odd in zip(nodes, odds, strict=True)}
        super().__init__(levels, ends, group_shares)

    def same_end(self, number: int) -> float:
        """Return the share (0..1) of turns ``number`` after which the game reaches the same position anyway.

        That position is the end of the likeliest history through the turn before: those turns differ only in
        order. 1 if there are no turns of that number.
        """
        same = total = 0.0
        for parent in self._levels[number - 1]:
            if self._passing[parent] < NEGLIGIBLE:
                continue
            likeliest = self._end(parent).position_key
            for node in parent.children:
                total += self._passing[node]
                if self._passing[node] >= NEGLIGIBLE and self._end(node).position_key == likeliest:
                    same += self._passing[node]
        return same / total if total else 1.0

    def _end(self, node: Node) -> Node:
        """Return the end of the likeliest history through a node, also through hosts of nodes below it."""
        below = node.walk()
        below += [one for guest in below if guest.host is not None for one in guest.host.walk()]
        return max(below, key=lambda one: self.ends[one])


def open_turn_index(posterior: HistoryPosterior, leader: Node) -> int | None:
    """Return the index on the path to ``leader`` of the first turn to ask about.

    None if there is none, or if all likely alternatives only change the order of turns that end in the same
    position.
    """
    for place, node in enumerate(leader.path()):
        assert node.turn is not None
        if posterior.probability(place + 1, node.turn) >= INFERENCE.ask_below:
            continue
        if posterior.same_end(place + 1) < INFERENCE.ask_below:
            return place
    return None
