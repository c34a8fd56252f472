"""Sightings on a board of squares: places of pieces over time, their steadiness, hands over the board."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from engine.geometry import Edge
from tilesight.inference.squares.params import PARAMS
from vision.squares.reading import SeenFigure

Where = tuple[str, Edge | None]
"""A square, and the edge that a figure with a front looks to."""


@dataclass(slots=True)
class Sight:
    """Place at which one thing was read last, how steadily, since which picture (index, seconds);
    ``age`` pictures have not shown it since."""

    where: Where
    count: int
    since: tuple[int, float]
    confidence: float
    age: int = 0


@dataclass(slots=True)
class Sights:
    """The last sight of each thing, by kind and name, and which sights people said are wrong, or took back:
    they count again once they change."""

    _last: dict[tuple[str, str], Sight] = field(default_factory=dict)
    _overruled: dict[tuple[str, str], Where] = field(default_factory=dict)

    def note(self, read: Iterable[SeenFigure], since: tuple[int, float], calm: bool) -> None:
        """Take one picture's readings into account; ``calm`` ones, of a table at rest, count for more."""
        for sight in self._last.values():
            sight.age += 1
        weight = PARAMS.steady_pictures if calm else 1
        for one in read:
            figure, confidence = one.figure, one.reading.confidence
            where: Where = (figure.square, figure.facing)
            known = self._last.get((figure.kind, figure.name))
            if known is not None and known.where == where:
                known.count += weight
                known.age = 0
                known.confidence = max(known.confidence, confidence)
            else:
                self._last[figure.kind, figure.name] = Sight(where, weight, since, confidence)

    def __getitem__(self, key: tuple[str, str]) -> Sight:
        """The last sight of a thing that was seen, by kind and name."""
        return self._last[key]

    def get(self, kind: str, name: str) -> Sight | None:
        """The last sight of a thing, None where it was never seen."""
        return self._last.get((kind, name))

    def steady(self, kind: str, known: Mapping[str, Where]) -> tuple[dict[str, Where], set[str]]:
        """Places of things of a kind seen steadily now, those overruled as they are ``known``; and the names
        of those that were overruled and have gone on since."""
        found = {
            name: sight.where
            for (what, name), sight in self._last.items()
            if what == kind and sight.count >= PARAMS.steady_pictures and sight.age == 0
        }
        gone_on = set()
        for name, where in found.items():
            if self._overruled.get((kind, name)) == where and name in known:
                found[name] = known[name]
            elif self._overruled.pop((kind, name), None) is not None:
                gone_on.add(name)
        return found, gone_on

    def restless(self, kind: str) -> bool:
        """Whether a thing of that kind is seen where it was not seen steadily yet."""
        return any(
            what == kind and sight.age == 0 and sight.count < PARAMS.steady_pictures
            for (what, _), sight in self._last.items()
        )

    def overrule(self, kind: str, name: str, where: Where) -> None:
        """Overrule the sights of that thing at ``where``: it is not there, whatever is seen."""
        self._overruled[kind, name] = where

    def trust(self, kind: str) -> None:
        """Overrule no sight of that kind any more."""
        self._overruled = {key: where for key, where in self._overruled.items() if key[0] != kind}

    def clear(self) -> None:
        """Forget all sights."""
        self._last.clear()


@dataclass(slots=True)
class Hand:
    """Whether a hand is over the board, moving or at rest."""

    _least_covered: float = 1.0
    _since_s: float | None = None

    def over(self, covered: float, t_s: float) -> bool:
        """Whether a hand hides the board now, ``covered`` being the share of it that nothing explains."""
        if covered <= self._least_covered + PARAMS.hand_covered:
            self._least_covered = min(self._least_covered, covered)
            self._since_s = None
            return False
        if self._since_s is None:
            self._since_s = t_s
        if t_s - self._since_s < PARAMS.hand_at_most_s:
            return True
        self._least_covered, self._since_s = covered, None
        return False
