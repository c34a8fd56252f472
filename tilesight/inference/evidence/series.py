"""Series: what the looks tell about one place, and the cost of contradicting them in closed form.

A look gives a place ``x`` nats for presence (positive) or absence (negative). A supposed interval of
presence is charged for the looks that contradict it. Looks of one sign in a row are one appearance: errors
repeat, so the n-th of them adds ``1 / (1 + rho (n - 1))`` of the first one's cost. With s1 = sum of abs(x),
s2 = sum of x^2, the effective number n = s1^2 / s2 and the mean m = s2 / s1, their cost is
``m (1 + ln(1 + rho (n - 1)) / rho)``. Runs that the other sign interrupts are independent. Running sums give
the cost of any interval in constant time (docs/inference.md, 'Evidence over intervals').
"""

from __future__ import annotations

import math
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


class Costs:
    """Costs of the looks of a series; ``sums`` and ``squares`` are per look, ``rho`` is as in the module."""

    __slots__ = ("_looks", "_rho", "_run", "_s1", "_s2", "_signs", "_starts", "_whole")

    def __init__(self, sums: list[float], squares: list[float], rho: float) -> None:
        self._looks, self._rho = len(sums), rho
        self._s1 = [0.0, *accumulate(map(abs, sums))]
        self._s2 = [0.0, *accumulate(squares)]
        self._run: list[int] = []
        self._signs: list[int] = []
        self._starts: list[int] = []
        for look, nats in enumerate(sums):
            if nats and (not self._signs or (nats > 0) != (self._signs[-1] > 0)):
                self._signs.append(1 if nats > 0 else -1)
                self._starts.append(look)
            self._run.append(max(len(self._signs) - 1, 0))
        self._starts.append(self._looks)
        self._whole: dict[int, list[float]] = {1: [0.0], -1: [0.0]}
        for number, sign in enumerate(self._signs):
            cost = self._part(self._starts[number], self._starts[number + 1])
            for other, told in self._whole.items():
                told.append(told[-1] + cost * (other == sign))

    def _part(self, first: int, end: int) -> float:
        """Return the cost of the looks [first, end), which are of one run."""
        s1 = self._s1[end] - self._s1[first]
        if s1 <= 1e-9:
            return 0.0
        s2 = self._s2[end] - self._s2[first]
        number = s1 * s1 / s2
        if number <= 1.0:
            return s1
        return s2 / s1 * (1.0 + math.log1p(self._rho * (number - 1.0)) / self._rho)

    def cost(self, first: int, end: int, sign: int) -> float:
        """Return the cost in nats of the looks of ``sign`` (1 or -1) in [first, end) if they are wrong."""
        if end <= first or not self._signs:
            return 0.0
        a, b = self._run[first], self._run[end - 1]
        signs = self._signs
        if a == b:
            return self._part(first, end) if signs[a] == sign else 0.0
        total = self._whole[sign][b] - self._whole[sign][a + 1]
        if signs[a] == sign:
            total += self._part(first, self._starts[a + 1])
        if signs[b] == sign:
            total += self._part(self._starts[b], end)
        return total

    def stay(self, first: int, end: int) -> float:
        """Return the log-likelihood ratio of presence in exactly [first, end) against none at all."""
        looks = self._looks
        return (
            self.cost(0, looks, 1)
            - self.cost(0, first, 1)
            - self.cost(end, looks, 1)
            - self.cost(first, end, -1)
        )

    def run_before(self, look: int, sign: int) -> int | None:
        """Return the first look of the run that goes on up to ``look``; None if it has another sign."""
        if not look or not self._signs or self._signs[self._run[look - 1]] != sign:
            return None
        return self._starts[self._run[look - 1]]

    def passing(self) -> float:
        """Return the least cost in nats of the looks if something was there for one run, and left."""
        return min(
            (
                self.cost(0, self._looks, 1) - self._part(first, end)
                for sign, first, end in zip(self._signs, self._starts, self._starts[1:], strict=False)
                if sign > 0 and end < self._looks
            ),
            default=math.inf,
        )

    def arrivals(self, passing_nats: float = math.inf) -> Vector:
        """Return the log-likelihood ratio (looks + 1,) of presence since each look against none; last: 0.

        Something that was there for a while and left is none, too, and costs ``passing_nats``.
        """
        looks = self._looks
        if not self._signs:
            return np.zeros(looks + 1)
        run, starts = np.array(self._run), np.array(self._starts)
        present, absent = np.array(self._whole[1]), np.array(self._whole[-1])
        signs, at = np.array(self._signs), np.arange(looks)
        # [0, k) if it was present only later, for k = 1 ..., and [k, looks) if it was absent, for k = 0 ...
        before = present[run] + np.where(signs[run] > 0, self._parts(starts[run], at + 1), 0.0)
        after = np.where(signs[run] < 0, self._parts(at, starts[run + 1]), 0.0) + absent[-1] - absent[run + 1]
        never = min(float(present[-1]), passing_nats + self.passing())
        told = never - np.append(0.0, before) - np.append(after, 0.0)
        told[-1] = 0.0
        return np.asarray(told, np.float64)

    def _parts(self, first: NDArray[np.int64], end: NDArray[np.int64]) -> Vector:
        """Return the costs of the looks [first, end) of one run each, as `_part`."""
        sum1, sum2 = np.array(self._s1), np.array(self._s2)
        s1 = np.where(end > first, sum1[end] - sum1[first], 0.0)
        s2 = np.maximum(sum2[end] - sum2[first], 1e-12)
        number = np.maximum(s1 * s1 / s2, 1.0)
        many = s2 / np.maximum(s1, 1e-12) * (1.0 + np.log1p(self._rho * (number - 1.0)) / self._rho)
        return np.asarray(np.where(s1 <= 1e-9, 0.0, np.where(number <= 1.0, s1, many)), np.float64)


class Series:
    """Nats of each look for presence or absence at one place; 0 where a look does not tell.

    ``sign`` is that of the last look that tells (0 before it), ``most`` the highest nats of one picture.
    """

    __slots__ = ("_known", "_squares", "_sums", "most", "sign")

    def __init__(self) -> None:
        self._sums: list[float] = []
        self._squares: list[float] = []
        self._known: tuple[int, Costs] | None = None
        self.sign = 0
        self.most = -math.inf

    def contradicts(self, nats: float) -> bool:
        """Whether a picture tells the opposite of the last one that told something."""
        return nats * self.sign < 0

    def add(self, look: int, nats: float, pictures: int = 1) -> None:
        """Add equal pictures to a look, which is the last one so far or a later one."""
        if len(self._sums) <= look:
            missing = [0.0] * (look + 1 - len(self._sums))
            self._sums += missing
            self._squares += missing
        self._sums[look] += nats * pictures
        self._squares[look] += nats * nats * pictures
        self._known = None
        if nats:
            self.sign = 1 if nats > 0 else -1
            self.most = max(self.most, nats)

    def at(self, look: int) -> float:
        """Return the sum of a look's nats."""
        return self._sums[look] if look < len(self._sums) else 0.0

    @property
    def shown(self) -> list[int]:
        """The looks that tell of presence."""
        return [look for look, nats in enumerate(self._sums) if nats > 0]

    def costs(self, looks: int, rho: float) -> Costs:
        """Return the costs of the first ``looks`` looks."""
        if self._known is None or self._known[0] != looks:
            rest = [0.0] * (looks - len(self._sums))
            self._known = (looks, Costs(self._sums + rest, self._squares + rest, rho))
        return self._known[1]
