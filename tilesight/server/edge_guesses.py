"""Guesses by edges: the edges of faces that have names tell what the other faces may be."""

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
"""Named faces from which on others are guessed."""
GUESSES = 4
"""Guesses of a face at most."""
STRIP = 0.14
"""Depth of an edge's strip, tile sides; the outermost part may be a cut or a shadow."""
RIM = 0.03
"""Part of it at the rim that is not looked at, tile sides."""
PARTS = 5
"""Parts along an edge whose colours are compared: a road crosses the middle one."""
UNKNOWN = 1.5
"""Distance to a kind of which no edge is known yet, in typical distances between edges of different kinds."""


def edge_colours(face: NDArray[np.uint8]) -> F32:
    """Return the colours (Lab, float32 (4, PARTS, 3)) along a face's edges, in the order of `EDGES`,
    clockwise.

    ``face`` is a square BGR picture.
    """
    side = face.shape[0]
    lab = np.asarray(cv2.cvtColor(np.ascontiguousarray(face), cv2.COLOR_BGR2LAB), np.float32)
    strips = []
    for turn in range(4):  # the edge in question on top, read from left to right
        strip = np.rot90(lab, turn)[round(RIM * side) : round(STRIP * side)]
        strips.append([part.reshape(-1, 3).mean(axis=0) for part in np.array_split(strip, PARTS, axis=1)])
    return np.asarray(strips, np.float32)


class EdgeGuesses:
    """Guesses for unnamed faces, from the edges of named ones and from the number of each face."""

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
        """Return, for each face not in ``named``, guesses (design, quarter turns clockwise), likeliest first.

        ``named`` maps face numbers to (design, turn). Empty until enough faces are named.
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
        """Return the typical distance between edges of different kinds."""
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
            # More pictures of a face than a set has tiles of the design speak against it.
            surplus = max(0, self._views[number] - self._counts[design] + used.get(design, 0))
            rated.append((ways[turn] + 0.5 * far * surplus, design, turn))
        return tuple((design, turn) for _, design, turn in sorted(rated)[:GUESSES])


def _distance(edge: F32, some: F32) -> float:
    """Return the distance of an edge's colours (PARTS, 3) to the nearest of ``some`` (n, PARTS, 3)."""
    return float(np.linalg.norm(some - edge, axis=2).mean(axis=1).min())
