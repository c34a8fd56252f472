"""Posterior: probabilities of turns by all histories of a beam, and open questions about them."""

from __future__ import annotations

import math

from engine.tiles.turn import Turn
from tilesight.inference.candidates import TurnKey, how_they_differ, turn_key
from tilesight.inference.histories.beam import Beam
from tilesight.inference.histories.history import Node, shares_of
from tilesight.inference.histories.look import Look
from tilesight.inference.histories.params import PARAMS
from tilesight.inference.questions import OPTIONS_AT_MOST
from tilesight.inference.understanding import Doubt

NEGLIGIBLE = 1e-3
"""Probability below which it is not looked into what a history says: a bound on work."""
MATTERS_NATS = 9.0
"""Nats below the likeliest within which it is looked into whether a history's pieces are there."""


class Posterior:
    """Probabilities of the turns after the root, numbered from 1, by all histories together.

    What was dropped from the beam stays in the denominator: ``rest`` is its probability. With ``there`` no
    piece is still to come: one that may come yet is nothing to ask about.
    """

    def __init__(self, beam: Beam, *, there: bool = False) -> None:
        self._levels = list(beam.root.levels())
        nodes = [node for level in self._levels for node in level]
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
        self.ends = {node: odd * share for node, odd in zip(nodes, odds, strict=True)}
        """Probability that a node is the last turn by now."""
        self._passing = dict(self.ends)
        self._turns = self._summed()

    def _summed(self) -> list[dict[TurnKey, tuple[Turn, float]]]:
        """The turns of each number with their probabilities."""
        passing = self._passing
        turns: list[dict[TurnKey, tuple[Turn, float]]] = []
        for level in reversed(self._levels[1:]):
            here: dict[TurnKey, tuple[Turn, float]] = {}
            for node in level:
                share = passing[node]
                if share <= 0.0 or node.turn is None or node.parent is None:
                    continue
                key = turn_key(node.turn)
                here[key] = (node.turn, share + here[key][1] if key in here else share)
                for before, part in shares_of(node.parent):
                    passing[before] += part * share
            turns.append(here)
        return turns[::-1]

    @property
    def numbers(self) -> int:
        """Number of turns of the longest history."""
        return len(self._turns)

    def probability(self, number: int, turn: Turn) -> float:
        """Probability that ``turn`` was played as ``number``."""
        known = self._turns[number - 1].get(turn_key(turn)) if number <= len(self._turns) else None
        return 0.0 if known is None else known[1]

    def passing(self, node: Node) -> float:
        """Probability that the game went through a node."""
        return self._passing[node]

    def same_position(self, number: int, node: Node) -> float:
        """Probability that the position after turn ``number`` is that of ``node``."""
        return math.fsum(
            self._passing[other]
            for other in self._levels[number]
            if other is node or (self._passing[other] >= NEGLIGIBLE and other.position == node.position)
        )

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

    def turns(self, number: int) -> list[tuple[Turn, float]]:
        """The turns that may have been played as ``number``, with their probabilities, best first."""
        known = self._turns[number - 1].values() if number <= len(self._turns) else ()
        return sorted(known, key=lambda item: item[1], reverse=True)


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
        return Doubt(number, options, cells, index, how_they_differ([turn for turn, _ in options]))


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
