"""Tracks: detections of pieces by place, over all looks."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from engine.geometry import Cell, Point, cell_of
from engine.tiles.pieces import OUTSIDE, OWNED, Sort
from tilesight.inference.evidence.series import Series
from tilesight.inference.params import PIECES
from vision.observation import PieceReading

Named = TypeVar("Named", bound=Hashable)
LEAST_LOG = math.log(0.001)
"""Least log-probability that a reading gives a colour, a sort or an animal."""


@dataclass(frozen=True, slots=True)
class Detection:
    """A piece reading in the game's frame.

    ``xy`` is its contact point in tile sides; ``nats`` are those of its confidence for a piece of that kind.
    """

    reading: PieceReading
    xy: Point
    nats: float

    @classmethod
    def of(cls, reading: PieceReading, xy: Point) -> Detection:
        """Return a reading at ``xy`` as a detection."""
        if reading.kind in OWNED or reading.kind in OUTSIDE:
            nats = float(np.interp(reading.confidence, PIECES.confidences, PIECES.confidence_nats))
        else:
            sure = min(max(reading.confidence, 0.02), 0.985)
            nats = min(math.log(sure / (1.0 - sure)) + 1.0, PIECES.token_most_nats)
        return cls(reading, xy, nats if abs(nats) >= PIECES.least_nats else 0.0)

    @property
    def is_token(self) -> bool:
        """Whether an animal tile was read: it lies under other pieces."""
        return self.reading.kind == "token"

    @property
    def is_outside(self) -> bool:
        """Whether a piece was read that stands beside the tiles."""
        return self.reading.kind in OUTSIDE

    @property
    def is_plain(self) -> bool:
        """Whether it is clear from the reading if the piece stands beside the tiles."""
        probs = self.reading.sort_probs
        outside = sum(share for (kind, _), share in probs.items() if kind in OUTSIDE)
        return not probs or not PIECES.unplain < outside < 1.0 - PIECES.unplain


@dataclass(slots=True, eq=False)
class Mixture:
    """The geometric mean of readings, each weighted by the evidence of its detection."""

    _weight: float = 0.0
    _best: tuple[float, PieceReading | None] = (-1.0, None)
    _colors: dict[str, float] = field(default_factory=dict)
    _sorts: dict[Sort, float] = field(default_factory=dict)
    _animals: dict[str, float] = field(default_factory=dict)

    def add(self, reading: PieceReading, weight: float) -> None:
        """Add a reading with a positive weight."""
        if weight > self._best[0]:
            self._best = (weight, reading)
        animals = reading.animal_probs or ({reading.animal: 1.0} if reading.animal else {})
        _mix(self._colors, reading.color_probs, weight, self._weight)
        _mix(self._sorts, reading.sort_probs or {(reading.kind, reading.pose): 1.0}, weight, self._weight)
        _mix(self._animals, animals, weight, self._weight)
        self._weight += weight

    def mean(self) -> PieceReading:
        """Return the mean, with the place of the clearest reading; there must be one."""
        best = self._best[1]
        assert best is not None
        colors, animals = _shares(self._colors, self._weight), _shares(self._animals, self._weight)
        sorts = _shares(self._sorts, self._weight)
        return PieceReading(
            best.kind, best.color, best.pose, best.point_px, best.lattice_xy, best.confidence, colors,
            animal=max(animals, key=lambda name: animals[name]) if animals else None,
            animal_probs=animals, sort_probs=sorts,
        )  # fmt: skip


def _mix(into: dict[Named, float], probs: Mapping[Named, float], weight: float, before: float) -> None:
    """Add weighted log-probabilities to those of readings with weight ``before``, in place.

    A reading without any says nothing.
    """
    for name in {**into, **probs} if probs else ():
        known = into.get(name, before * LEAST_LOG)
        into[name] = known + weight * max(math.log(max(probs.get(name, 0.0), 1e-9)), LEAST_LOG)


def _shares(sums: Mapping[Named, float], weight: float) -> dict[Named, float]:
    """Return the normalised geometric mean of probabilities, by their weighted sums of logarithms."""
    odds = {name: math.exp(told / weight) for name, told in sums.items()}
    total = sum(odds.values())
    return {name: share / total for name, share in odds.items()}


@dataclass(slots=True, eq=False)
class Track:
    """One place of pieces.

    ``seen`` holds the detections look by look, ``onsets`` the looks in which something appears that was not
    there before, ``traits`` their colours, kinds and animals. ``pictures`` counts them, ``surest`` is their
    highest confidence, ``bare`` the highest weight of one: low for an animal tile that was read only under a
    piece.
    """

    number: int
    xy: Point
    token: bool
    outside: bool
    seen: Series = field(default_factory=Series)
    onsets: list[int] = field(default_factory=list)
    traits: Mixture = field(default_factory=Mixture)
    pictures: int = 0
    surest: float = 0.0
    bare: float = 0.0

    @property
    def worth(self) -> float:
        """Nats of the clearest detection."""
        return self.seen.most

    @property
    def is_on(self) -> bool:
        """Whether the last look that tells shows something."""
        return self.seen.sign > 0

    def put(self, look: int, detection: Detection, weight: float) -> None:
        """Add a detection; ``weight`` is that of its traits: a piece on an animal tile hides them."""
        if detection.nats > 0 and self.seen.sign <= 0:
            self.onsets.append(look)
        self.seen.add(look, detection.nats)
        self.pictures += 1
        share = 1.0 / min(self.pictures, 8)
        (x, y), (to_x, to_y) = self.xy, detection.xy
        self.xy = (x + (to_x - x) * share, y + (to_y - y) * share)
        self.surest = max(self.surest, detection.reading.confidence)
        self.bare = max(self.bare, weight)
        self.traits.add(detection.reading, weight * max(detection.nats, PIECES.least_weight))


class Tracks:
    """All tracks of a table, by cell."""

    def __init__(self) -> None:
        self.all: list[Track] = []
        self._by_cell: dict[Cell, list[Track]] = {}

    def on(self, cell: Cell) -> Sequence[Track]:
        """Return the tracks whose place is on a cell."""
        return self._by_cell.get(cell, ())

    def near(self, cell: Cell) -> list[Track]:
        """Return the tracks on a cell and at most 0.2 tile sides beside it."""
        x, y = cell
        return [
            track
            for at in ((x + i, y + j) for i in (-1, 0, 1) for j in (-1, 0, 1))
            for track in self._by_cell.get(at, ())
            if max(abs(track.xy[0] - x - 0.5), abs(track.xy[1] - y - 0.5)) <= 0.7
        ]

    def matched(self, detections: Sequence[Detection]) -> dict[int, Track]:
        """Return the track of each detection that has one, by the detection's index: the nearest pairs."""
        pairs = sorted(
            (distance, track.number, i, track)
            for i, one in enumerate(detections)
            for track in self._around(one)
            if (distance := math.dist(track.xy, one.xy)) < PIECES.same_place_sides
        )
        found: dict[int, Track] = {}
        taken: set[int] = set()
        for _, number, i, track in pairs:
            if i not in found and number not in taken:
                found[i] = track
                taken.add(number)
        return found

    def _around(self, one: Detection) -> Iterator[Track]:
        """Yield the tracks that may go on with a detection."""
        x, y = one.xy
        reach = PIECES.same_place_sides
        cells = {cell_of((x + i * reach, y + j * reach)) for i in (-1, 1) for j in (-1, 1)}
        for cell in cells:
            for track in self._by_cell.get(cell, ()):
                if track.token != one.is_token:
                    continue
                if track.outside == one.is_outside or (track.is_on and not one.is_plain):
                    yield track

    def found(self, one: Detection) -> Track:
        """Add a track for a detection that has none; the detection is not added to it."""
        track = Track(len(self.all), one.xy, one.is_token, one.is_outside)
        self.all.append(track)
        self._by_cell.setdefault(cell_of(one.xy), []).append(track)
        return track

    def moved(self, track: Track, before: Cell) -> None:
        """List a track under the cell of its present place; ``before`` is the one it is listed under."""
        if (now := cell_of(track.xy)) != before:
            self._by_cell[before].remove(track)
            self._by_cell.setdefault(now, []).append(track)


def trait_weight(one: Detection, owned: Iterable[Point]) -> float:
    """Return the weight of a detection's traits: little for an animal tile under one of ``owned``."""
    if one.is_token and any(math.dist(one.xy, xy) < PIECES.under_sides for xy in owned):
        return PIECES.under_weight
    return 1.0


def missed_nats(track: Track, shown: float, owned: Iterable[Point]) -> float:
    """Return the nats against a track's piece of a picture that shows its place without it.

    ``shown`` is the share of the cell in sight; pieces ``owned`` excuse that an animal tile is missed.
    """
    nats = PIECES.missed_nats * shown
    if track.token:
        near = min((math.dist(track.xy, xy) for xy in owned), default=math.inf)
        if near < PIECES.under_sides:
            nats = min(nats, PIECES.under_nats)
        elif near < PIECES.behind_sides:
            nats = min(nats, PIECES.behind_nats)
    return nats
