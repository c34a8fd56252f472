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
        raising="only larger boards are used to estimate lens distortion, which the disorder of few tiles"
        " mimics",
    )
    to_lattice: float = param(
        0.7,
        unit="share of the way",
        raising="an outline without a known face is moved closer to its cell",
        fitted="76 synthetic scenes of unknown art: every corner within 6 % of a side in 68 from 0.5 on,"
        " in 59 without; beyond 0.7 the median corner error grows",
    )
    to_neighbours: float = param(
        0.3,
        unit="share of the way",
        raising="a registered tile is moved closer to where its neighbours predict it",
        fitted="48 synthetic scenes with a gallery: 99 of 100 corners within 2.5 % of a side (2.8 % "
        "without); 0.5 makes the median corner error worse",
    )


PARAMS = GeometryParams()
