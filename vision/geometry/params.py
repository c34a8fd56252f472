"""Tuned parameters of `vision.geometry`."""

from __future__ import annotations

from dataclasses import dataclass

from vision.params import param


@dataclass(frozen=True)
class GeometryParams:
    """Parameters of rigid tiles: weight of the common plane against each tile's own measurement."""

    lens_tiles: int = param(
        16,
        unit="tiles",
        raising="believes a bent lens only of larger boards: few tiles' disorder bends more",
    )
    to_lattice: float = param(
        0.7,
        unit="share of the way",
        raising="draws an outline that no face can check nearer to its cell",
        fitted="76 own scenes of unknown art: every corner within 6 % of a side in 68 from half way on, in "
        "59 as measured; beyond 0.7 the median corner suffers",
    )
    to_neighbours: float = param(
        0.3,
        unit="share of the way",
        raising="moves a tile laid over its face nearer to where its neighbours expect it",
        fitted="48 own scenes with a gallery: 99 of 100 corners within 2.5 % of a side (2.8 % without); "
        "half of the way costs the median corner",
    )


PARAMS = GeometryParams()
