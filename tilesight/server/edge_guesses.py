"""Guesses by edges: designs of unnamed faces, guessed from the edges of named ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.geometry import Edge
from engine.pack import Pack

F32 = NDArray[np.float32]
EDGES: tuple[Edge, ...] = ("n", "e", "s", "w")
"""Edges of a tile, clockwise."""
NAMED_AT_LEAST = 3
"""Minimum number of named faces for guesses."""
GUESSES = 4
"""Maximum number of guesses per face."""
STRIP = 0.14
"""Depth of an edge's strip, in tile sides."""
RIM = 0.03
"""Outermost part of the strip, in tile sides. It is ignored, because it may show a cut or a shadow."""
PARTS = 5
"""Number of parts along an edge whose mean colours are compared. A road crosses the middle part."""
UNKNOWN = 1.5
"""Distance to a kind of edge that no named face has, in typical distances between edges of different
kinds."""


def edge_colours(face: NDArray[np.uint8]) -> F32:
    """Return the mean colours along a face's edges: Lab, float32, shape (4, PARTS, 3).

    The edges are in the order of `EDGES`, each read clockwise. ``face`` is a square BGR picture (uint8).
    """
    side = face.shape[0]
    lab = np.asarray(cv2.cvtColor(np.ascontiguousarray(face), cv2.COLOR_BGR2LAB), np.float32)
    strips = []
    for turn in range(4):  # the edge in question on top, read from left to right
        strip = np.rot90(lab, turn)[round(RIM * side) : round(STRIP * side)]
        strips.append([part.reshape(-1, 3).mean(axis=0) for part in np.array_split(strip, PARTS, axis=1)])
    return np.asarray(strips, np.float32)


class EdgeGuesses:
    """Guesses for unnamed faces, from the edges of named faces and the number of pictures of each face."""

    def __init__(self, pack: Pack, faces: Sequence[NDArray[np.uint8]], views: Sequence[int]) -> None:
        """``faces`` are square BGR pictures, one per face; ``views`` is the number of pictures of each."""
        self._colours = (
            np.stack([edge_colours(face) for face in faces]) if faces else np.zeros((0, 4, PARTS, 3))
        )
        self._views = tuple(views)
        self._designs = {
            name: [design.tile.edges[edge] for edge in EDGES] for name, design in pack.designs.items()
        }
        self._counts = {name: design.count for name, design in pack.designs.items()}

    def of(self, named: Mapping[int, tuple[str, int]]) -> Mapping[int, tuple[tuple[str, int], ...]]:
        """Return guesses for each face not in ``named``, likeliest first; empty until enough faces are named.

        A guess is (design, quarter turns clockwise). ``named`` maps face numbers to such pairs.
        """
        if len(named) < NAMED_AT_LEAST:
            return {}
        known: dict[str, list[F32]] = {}
        used: dict[str, int] = {}
        for number, (design, turn) in named.items():
            used[design] = used.get(design, 0) + self._views[number]
            for at, kind in enumerate(self._designs[design]):
                known.setdefault(kind, []).append(self._colours[number, (at + turn) % 4])
        exemplars = {kind: np.stack(edges) for kind, edges in known.items()}
        far = self._typical(exemplars)
        return {
            number: self._ranked(number, exemplars, used, far)
            for number in range(len(self._colours))
            if number not in named
        }

    @staticmethod
    def _typical(exemplars: Mapping[str, F32]) -> float:
        """Return the median distance between the mean edges of two kinds, at least 1."""
        means = [edges.mean(axis=0) for edges in exemplars.values()]
        apart = [_distance(one, other[None]) for i, one in enumerate(means) for other in means[:i]]
        return max(float(np.median(apart)) if apart else 20.0, 1.0)

    def _ranked(
        self, number: int, exemplars: Mapping[str, F32], used: Mapping[str, int], far: float
    ) -> tuple[tuple[str, int], ...]:
        """Return the guesses for one face, likeliest first."""
        edges = self._colours[number]
        to_kind = {kind: [_distance(edge, some) for edge in edges] for kind, some in exemplars.items()}
        rated = []
        for design, kinds in self._designs.items():
            if self._counts[design] - used.get(design, 0) < 1:
                continue  # all of its tiles have been named
            ways = [
                sum(
                    to_kind[kind][(at + turn) % 4] if kind in to_kind else UNKNOWN * far
                    for at, kind in enumerate(kinds)
                )
                for turn in range(4)
            ]
            turn = int(np.argmin(ways))
            # A design is less likely if the face has more pictures than the set has tiles left of the design.
            surplus = max(0, self._views[number] - self._counts[design] + used.get(design, 0))
            rated.append((ways[turn] + 0.5 * far * surplus, design, turn))
        return tuple((design, turn) for _, design, turn in sorted(rated)[:GUESSES])


def _distance(edge: F32, some: F32) -> float:
    """Return the distance of an edge's colours (PARTS, 3) to the nearest of ``some`` (n, PARTS, 3)."""
    return float(np.linalg.norm(some - edge, axis=2).mean(axis=1).min())
