"""Trellis: layers of states joined by steps; its likeliest path, and the likeliest with each step of a layer.

Max-product forward-backward algorithm with a beam (Rabiner, 'A tutorial on hidden Markov models', 1989).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

StateT = TypeVar("StateT", bound=Hashable)
StepT = TypeVar("StepT", bound=Hashable)


class Edge(NamedTuple, Generic[StateT, StepT]):
    """A step from one state to another, and its log-probability in nats."""

    before: StateT
    step: StepT
    after: StateT
    nats: float


Best = tuple[float, Edge[StateT, StepT] | None]
"""Nats of the likeliest path to a state, or from it, and its edge next to the state; None at an end."""


class Trellis(Generic[StateT, StepT]):
    """Layers of states that begin with one, each joined to the next by edges."""

    def __init__(self, start: StateT) -> None:
        self._start = start
        self._to: list[dict[StateT, Best[StateT, StepT]]] = [{start: (0.0, None)}]
        self._from: list[dict[StateT, Best[StateT, StepT]]] = []
        self._edges: list[list[Edge[StateT, StepT]]] = []

    @property
    def states(self) -> Collection[StateT]:
        """The states of the last layer."""
        return self._to[-1].keys()

    def grow(
        self, edges: Sequence[Edge[StateT, StepT]], ahead: Callable[[StateT], float], width: int
    ) -> None:
        """Add a layer: the ``width`` best states to which ``edges`` lead, by nats so far and ``ahead``."""
        before, grown = self._to[-1], dict[StateT, Best[StateT, StepT]]()
        for edge in edges:
            nats = before[edge.before][0] + edge.nats
            if edge.after not in grown or grown[edge.after][0] < nats:
                grown[edge.after] = (nats, edge)
        kept = sorted(grown, key=lambda one: -grown[one][0] - ahead(one))[:width]
        self._to.append({one: grown[one] for one in kept})
        self._edges.append([edge for edge in edges if edge.after in self._to[-1]])

    def paths(
        self, ends: Callable[[StateT], float], layers: Collection[int], within_nats: float
    ) -> list[tuple[StepT, ...]]:
        """Return the likeliest path, then the likeliest with each other step of some ``layers``, best first.

        ``ends`` are the nats of ending in a state. Paths more than ``within_nats`` below the best are left
        out.
        """
        self._from = [{one: (ends(one), None) for one in self.states}]
        for edges in reversed(self._edges):
            rest: dict[StateT, Best[StateT, StepT]] = {}
            for edge in edges:
                if edge.after in self._from[-1]:
                    nats = edge.nats + self._from[-1][edge.after][0]
                    if edge.before not in rest or rest[edge.before][0] < nats:
                        rest[edge.before] = (nats, edge)
            self._from.append(rest)
        self._from.reverse()
        best_nats, first = self._from[0][self._start]
        found = {self._path(0, first) if first is not None else (): best_nats}
        for layer in layers:
            for nats, edge in self._best_of_steps(layer):
                if nats >= best_nats - within_nats:
                    found[self._path(layer, edge)] = nats
        return sorted(found, key=lambda path: -found[path])

    def _best_of_steps(self, layer: int) -> Iterator[tuple[float, Edge[StateT, StepT]]]:
        """Yield the nats of the likeliest path with each step of a layer, and that path's edge there."""
        best: dict[StepT, tuple[float, Edge[StateT, StepT]]] = {}
        for edge in self._edges[layer]:
            if edge.after in self._from[layer + 1]:
                nats = self._to[layer][edge.before][0] + edge.nats + self._from[layer + 1][edge.after][0]
                if edge.step not in best or best[edge.step][0] < nats:
                    best[edge.step] = (nats, edge)
        yield from best.values()

    def _path(self, layer: int, edge: Edge[StateT, StepT]) -> tuple[StepT, ...]:
        """Return the steps of the likeliest path through an edge of a layer."""
        steps = [edge.step]
        last = self._to[layer][edge.before][1]
        while last is not None:
            steps.insert(0, last.step)
            last = self._to[layer - len(steps) + 1][last.before][1]
        following = self._from[layer + 1][edge.after][1]
        while following is not None:
            steps.append(following.step)
            following = self._from[len(steps)][following.after][1]
        return tuple(steps)
