"""Kinds of land on the edges of faces, as arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.geometry import EDGES, neighbour
from engine.pack import Pack

_SEAM = "seam "


def edge_kinds(
    designs: tuple[str, ...], pack: Pack, *, seams: bool
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the kind of land, as an index, on each board edge (n e s w) of each face, (designs · 4, 4).

    A face is a design × clockwise rotation by quarter turns. With ``seams`` each seam inside a start tile of
    several cells is a kind of its own. The second value is a mask (kinds,) of those seams.
    """
    names: dict[str, int] = {}
    inner = _inner_start_edges(pack) if seams else {}
    table = np.zeros((len(designs), 4, 4), dtype=np.int64)
    for row, name in enumerate(designs):
        tile = pack.designs[name].tile
        own = [names.setdefault(inner.get((tile.id, edge), tile.edges[edge]), len(names)) for edge in EDGES]
        for turn in range(4):
            table[row, turn] = np.roll(own, turn)
    is_seam = np.array([name.startswith(_SEAM) for name in names], dtype=np.bool_)
    return table.reshape(-1, 4), is_seam


def nats_of_faces(sides: NDArray[np.floating], kinds: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the log-likelihood ratios (..., faces) of tiles' sides, given each face.

    ``sides`` (..., 4, kinds) are those of each kind of land on the sides n e s w; ``kinds`` (faces, 4) is
    that of `edge_kinds`.
    """
    return np.asarray(sides[..., np.arange(4), kinds].sum(axis=-1), np.float64)


def _inner_start_edges(pack: Pack) -> dict[tuple[str, str], str]:
    """The inner edges of a start tile of several cells, by (tile id, edge), each with a unique land kind."""
    at = {tile.start_cell: tile for tile in pack.start if tile.start_cell is not None}
    seams: dict[tuple[str, str], str] = {}
    for cell, tile in at.items():
        for edge in EDGES:
            other = at.get(neighbour(cell, edge))
            if other is not None:
                seams[(tile.id, edge)] = _SEAM + " ".join(sorted((tile.id, other.id)))
    return seams
