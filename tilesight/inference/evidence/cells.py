"""Cell evidence: what the looks have shown of one cell, whether a tile lies there and which face."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilesight.inference.evidence.series import Series, Vector
from tilesight.inference.params import TILES
from vision.observation import CellReading

LogProbs = NDArray[np.float64]
"""Log-probabilities of faces, shape (designs, 4): index r is a rotation of 90·r° in the game's frame."""


class Arrival(NamedTuple):
    """Times at which the tile on a cell may have come: ``nats`` (looks + 1,) of each first look against none.

    The last is that it never came, 0. ``most`` is the highest, the log-odds that a tile lies there, and
    ``first`` the likeliest first look.
    """

    nats: Vector
    most: float
    first: int


@dataclass(slots=True)
class FaceSum:
    """Readings of a cell's face since a look that first showed a tile: weighted sums."""

    look: int
    logs: LogProbs
    weight: float = 0.0
    quality: float = 0.0

    def add(self, logs: LogProbs, weight: float, quality: float) -> None:
        """Add weighted log-probabilities; there may be more designs than before, such as foreign tiles."""
        if len(self.logs) < len(logs):
            self.logs = np.vstack([self.logs, np.zeros((len(logs) - len(self.logs), 4))])
        self.logs[: len(logs)] += logs
        self.weight += weight
        self.quality += quality

    def denies(self, logs: LogProbs) -> bool:
        """Whether a reading plainly shows another face than these."""
        if self.weight <= 0.0:
            return False
        here, there = self.logs[: len(logs)].argmax(), logs.argmax()
        told = self.logs[: len(logs)].flat
        return bool(
            logs.flat[here] < -TILES.turned_nats
            and (told[there] - told[here]) / self.weight < -TILES.turned_nats
        )


@dataclass(slots=True, eq=False)
class CellEvidence:
    """One cell: nats of a tile, minus the share in sight of looks in which a piece would be seen, its faces.

    ``usual`` is the least share of it that was ever hidden, ``read`` the number of pictures in a row that
    show a tile. ``turned`` are the latest readings in a row of another face than the last of ``faces``.
    """

    tile: Series = field(default_factory=Series)
    shown: Series = field(default_factory=Series)
    faces: list[FaceSum] = field(default_factory=list)
    usual: float = 1.0
    print_known: float = 0.0
    read: int = 0
    turned: list[tuple[LogProbs, float, float]] = field(default_factory=list)

    @property
    def in_view(self) -> float:
        """Share of the cell that is usually in view."""
        return 1.0 - min(self.usual, 1.0) if self.faces else 1.0

    @property
    def is_bare(self) -> bool:
        """Whether the last picture that tells shows no tile."""
        return self.tile.sign < 0

    def is_news(self, nats: float) -> bool:
        """Whether a picture with these nats for a tile tells something else than the last one."""
        return self.tile.contradicts(nats) or (nats > 0 and not self.tile.sign)

    def begin_face(self, look: int, designs: int, nats: float) -> None:
        """Prepare for a reading of the face: one after the cell was bare is of another tile."""
        if not self.faces or (nats > 0 and self.is_bare):
            self.faces.append(FaceSum(look, np.zeros((designs, 4))))
            self.turned.clear()

    def add_face(self, reading: CellReading, logs: LogProbs, *, occupied: bool) -> None:
        """Add a reading of the face; ``logs`` are its log-probabilities less the highest one."""
        quality = min(max(1.0 - 2.4 * (reading.covered - 0.25), 0.2), 1.0)
        weight = quality * quality
        if occupied:  # a piece may hide the difference between similar faces
            weight *= TILES.under_piece
            logs = logs + TILES.twin_share * np.minimum(-logs, TILES.twin_most_nats)
        self.print_known = reading.print_known
        self.turned.append((weight * logs, weight, weight * quality))
        if not self.faces[-1].denies(logs):
            self._take_turned(self.faces[-1])
        elif len(self.turned) >= TILES.turned_pictures:  # the tile was turned, or another laid in its place
            self.faces[-1] = FaceSum(self.faces[-1].look, np.zeros_like(logs))
            self._take_turned(self.faces[-1])

    def _take_turned(self, summed: FaceSum) -> None:
        """Add the latest readings to a sum."""
        for one in self.turned:
            summed.add(*one)
        self.turned.clear()

    def add(self, look: int, nats: float, shown: float, pictures: int = 1) -> None:
        """Add pictures to a look: ``nats`` for a tile, the share ``shown`` in which a piece would be seen."""
        self.read = self.read + (nats > 0) if nats >= 0 else 0
        self.tile.add(look, nats, pictures)
        self.shown.add(look, -shown, pictures)

    def arrival(self, looks: int) -> Arrival:
        """Return when the tile may have come, by the first ``looks`` looks."""
        nats = self.tile.costs(looks, TILES.repeated).arrivals(TILES.moved_nats)
        return Arrival(nats, float(nats.max()), int(nats[:-1].argmax()) if looks else 0)

    def face_logs(self, first: int, designs: int) -> LogProbs | None:
        """Return log-probabilities (designs, 4) of the face, by all looks since ``first``; None if unread."""
        sums = [one for one in self.faces if one.look >= first] or self.faces[-1:]
        last = sums[-1] if sums else None
        if last is not None and last.weight > 0.0:  # another tile may have been laid there since
            mean = last.logs / last.weight
            sums = [one for one in sums if one is last or not one.denies(mean - mean.max())]
        weight = sum(one.weight for one in sums)
        if weight <= 0.0:
            return None
        total = np.zeros((designs, 4))
        for one in sums:
            total[: len(one.logs)] += one.logs
        power = TILES.face_power * sum(one.quality for one in sums) / weight
        logs = np.logaddexp(power * (total - total.max()) / weight, -TILES.face_floor_nats)
        return np.asarray(logs - np.logaddexp.reduce(logs, axis=None), np.float64)
