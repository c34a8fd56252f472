"""Sightings on a board of squares: where each piece was seen, how steadily, and hands over the board."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from engine.geometry import Edge
from tilesight.inference.squares.params import PARAMS
from vision.squares.reading import SeenFigure

FigurePlace = tuple[str, Edge | None]
"""A square, and the edge that a figure with a front faces."""


@dataclass(slots=True)
class FigureSight:
    """The place where one piece was read last.

    ``count`` is how steadily it was read there, ``since`` the first picture there (index, seconds), ``age``
    the number of pictures since that did not show it.
    """

    where: FigurePlace
    count: int
    since: tuple[int, float]
    confidence: float
    age: int = 0


@dataclass(slots=True)
class Sights:
    """The last sight of each piece by kind and name, and the sights that people overruled.

    An overruled sight is ignored until it changes.
    """

    _last: dict[tuple[str, str], FigureSight] = field(default_factory=dict)
    _overruled: dict[tuple[str, str], FigurePlace] = field(default_factory=dict)

    def note(self, read: Iterable[SeenFigure], since: tuple[int, float], calm: bool) -> None:
        """Add one picture's readings. Those of a table at rest (``calm``) count for more.

        ``since`` is the picture's (index, seconds).
        """
        for sight in self._last.values():
            sight.age += 1
        weight = PARAMS.steady_pictures if calm else 1
        for one in read:
            figure, confidence = one.figure, one.reading.confidence
            where: FigurePlace = (figure.square, figure.facing)
            known = self._last.get((figure.kind, figure.name))
            if known is not None and known.where == where:
                known.count += weight
                known.age = 0
                known.confidence = max(known.confidence, confidence)
            else:
                self._last[figure.kind, figure.name] = FigureSight(where, weight, since, confidence)

    def __getitem__(self, key: tuple[str, str]) -> FigureSight:
        """Return the last sight of a piece by (kind, name). Raises KeyError if it was never seen."""
        return self._last[key]

    def get(self, kind: str, name: str) -> FigureSight | None:
        """Return the last sight of a piece, None if it was never seen."""
        return self._last.get((kind, name))

    def steady(self, kind: str, known: Mapping[str, FigurePlace]) -> tuple[dict[str, FigurePlace], set[str]]:
        """Return the places, by name, of the pieces of a kind that the latest picture shows steadily.

        Also the names of overruled pieces that have moved since; they are overruled no more. An overruled
        piece keeps its place from ``known``.
        """
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

    def unsteady(self, kind: str) -> bool:
        """Whether the latest picture shows a piece of that kind at a place where it is not steady yet."""
        return any(
            what == kind and sight.age == 0 and sight.count < PARAMS.steady_pictures
            for (what, _), sight in self._last.items()
        )

    def overrule(self, kind: str, name: str, where: FigurePlace) -> None:
        """Ignore sights of a piece at ``where`` until it is seen steadily elsewhere."""
        self._overruled[kind, name] = where

    def trust(self, kind: str) -> None:
        """Overrule no piece of that kind any more."""
        self._overruled = {key: where for key, where in self._overruled.items() if key[0] != kind}

    def clear(self) -> None:
        """Forget all sights; overruled places stay."""
        self._last.clear()


@dataclass(slots=True)
class Hand:
    """Detects a hand over the board, moving or at rest."""

    _least_covered: float = 1.0
    _since_s: float | None = None

    def over(self, covered: float, t_s: float) -> bool:
        """Whether a hand hides the board in a picture taken at ``t_s`` seconds.

        ``covered`` is the share (0..1) of the board that is hidden by no piece. What hides the board for
        ``hand_at_most_s`` counts as part of the scene from then on.
        """
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
