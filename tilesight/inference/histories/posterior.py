"""Posterior: probabilities of turns by all histories of a beam, and open questions about them."""

from __future__ import annotations

import math

from tilesight.inference.histories.beam import Beam
from tilesight.inference.histories.history import Node, shares_of
from tilesight.inference.params import PARAMS as INFERENCE
from tilesight.inference.questions import NEGLIGIBLE, TurnShares

MATTERS_NATS = 9.0
"""Nats below the likeliest within which it is looked into whether a history's pieces are there."""


class Posterior(TurnShares[Node]):
    """Probabilities of the turns after the root, numbered from 1, by all histories together.

    What was dropped from the beam stays in the denominator: ``rest`` is its probability. With ``there`` no
    piece is still to come: one that may come yet is nothing to ask about.
    """

    def __init__(self, beam: Beam, *, there: bool = False) -> None:
        levels = list(beam.root.levels())
        nodes = [node for level in levels for node in level]
        weights = [node.weight for node in nodes]
        if there:
            floor, now = max(weights) - MATTERS_NATS, len(beam.seen.times) - 1
            weights = [
                node.closed(beam.pieces, now) if node.weight > floor else node.weight for node in nodes
            ]
        top = max(weights)
        odds = [math.exp(weight - top) for weight in weights]
        self.rest = beam.lost
        share = (1.0 - self.rest) / math.fsum(odds)
        ends = {node: odd * share for node, odd in zip(nodes, odds, strict=True)}
        super().__init__(levels, ends, shares_of, lambda node: node.position)

    def same_end(self, number: int) -> float:
        """Share of the turns with this number that lead to the same position as the likeliest one after the
        same turns: what those leave open is an order."""
        same = total = 0.0
        for parent in self._levels[number - 1]:
            if self._passing[parent] < NEGLIGIBLE:
                continue
            likeliest = self._end(parent).position
            for node in parent.children:
                total += self._passing[node]
                if self._passing[node] >= NEGLIGIBLE and self._end(node).position == likeliest:
                    same += self._passing[node]
        return same / total if total else 1.0

    def _end(self, node: Node) -> Node:
        """The end of the likeliest history through a node."""
        below = node.walk()
        below += [one for guest in below if guest.host is not None for one in guest.host.walk()]
        return max(below, key=lambda one: self.ends[one])


def open_place(posterior: Posterior, leader: Node) -> int | None:
    """Place on the way to ``leader`` of the first turn that may have been another one; None where that would
    change nothing but the order in which turns with the same end were played."""
    for place, node in enumerate(leader.path()):
        assert node.turn is not None
        if posterior.probability(place + 1, node.turn) >= INFERENCE.ask_below:
            continue
        if posterior.same_end(place + 1) < INFERENCE.ask_below:
            return place
    return None
