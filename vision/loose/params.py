"""Tuned parameters of `vision.loose`."""

from __future__ import annotations

from dataclasses import dataclass

from vision.params import param


@dataclass(frozen=True)
class LooseParams:
    """Parameters that separate loose tiles from parts of tiles and from the table."""

    shape_chance: float = param(
        0.88,
        unit="probability",
        raising="fewer quads contribute to the common shape of the tiles",
    )
    sure_chance: float = param(
        0.95,
        unit="probability",
        raising="the network is run again at more places where a tile is already known",
    )
    faint_chance: float = param(
        0.3,
        unit="probability",
        raising="fewer quads are looked at again",
    )
    sure_corner: float = param(
        0.3,
        unit="probability",
        raising="fewer corners are moved to the network's refined point",
    )
    roughly: float = param(
        0.45,
        unit="relative difference of shapes",
        raising="quads of a less similar shape contribute to the first estimate of the common shape; half"
        " a tile differs by 0.5",
    )
    closely: float = param(
        0.25,
        unit="relative difference of shapes",
        raising="quads of a less similar shape are accepted once the common shape is known",
    )
    least_slant: float = param(
        0.5,
        unit="shortest side over longest",
        raising="fewer tiles are read at a low camera angle",
    )
    small_px: float = param(
        60.0,
        unit="pixels of the network's picture",
        raising="boards of larger tiles are also searched in crops of the photograph: slower",
    )
    large_px: float = param(
        30.0,
        unit="pixels of the network's picture",
        raising="only boards of larger tiles are also searched in a reduced picture: faster",
    )
    apart_sides: float = param(
        0.72,
        unit="tile sides",
        raising="quads farther apart count as the same tile",
    )
    same_sides: float = param(
        0.15,
        unit="tile sides",
        raising="fewer of several nearly equal quads are measured",
    )
    least_face: float = param(
        0.35,
        unit="probability",
        raising="tiles without an outline are searched for in fewer places, and bare table is sampled in "
        "more",
    )
    least_growth: float = param(
        0.75,
        unit="1",
        raising="a tile's own size deviates less from the size that few tiles agree on",
    )
    off_plane_sides: float = param(
        0.02,
        unit="tile sides",
        raising="less accurate corners count for more in fitting the table plane",
    )
    least_flat_sides: float = param(
        0.06,
        unit="tile sides",
        raising="tiles that agree less on a plane are still made squares of one size",
    )
    polish_sides: float = param(
        0.06,
        unit="tile sides",
        raising="a refined corner can lie farther from its square",
    )


PARAMS = LooseParams()
