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
        raising="lets fewer squares speak for the shape of all tiles",
    )
    sure_chance: float = param(
        0.95,
        unit="probability",
        raising="asks again at more places where a tile is known already",
    )
    faint_chance: float = param(
        0.3,
        unit="probability",
        raising="looks again at fewer squares",
    )
    sure_corner: float = param(
        0.3,
        unit="probability",
        raising="leaves more corners where they were",
    )
    roughly: float = param(
        0.45,
        unit="relative difference of shapes",
        raising="lets stranger squares speak for the shape at first; half a tile is 0.5 off",
    )
    closely: float = param(
        0.25,
        unit="relative difference of shapes",
        raising="takes stranger squares for tiles once the shape is known",
    )
    least_slant: float = param(
        0.5,
        unit="shortest over longest side",
        raising="reads fewer tiles that are seen flat",
    )
    small_px: float = param(
        60.0,
        unit="pixels of the network's picture",
        raising="looks at parts of the photograph for larger tiles too: slower",
    )
    large_px: float = param(
        30.0,
        unit="pixels of the network's picture",
        raising="looks from farther away only at larger tiles: faster",
    )
    apart_sides: float = param(
        0.72,
        unit="tile sides",
        raising="takes more pairs of squares for one tile",
    )
    same_sides: float = param(
        0.15,
        unit="tile sides",
        raising="measures fewer of the squares that lie nearly alike",
    )
    least_face: float = param(
        0.35,
        unit="probability",
        raising="looks in fewer places for tiles without an outline, in more for bare table",
    )
    least_growth: float = param(
        0.75,
        unit="1",
        raising="lets a tile's own size differ less from what few tiles agreed on",
    )
    off_plane_sides: float = param(
        0.02,
        unit="tile sides",
        raising="lets stranger corners speak for the plane that all tiles lie in",
    )
    least_flat_sides: float = param(
        0.06,
        unit="tile sides",
        raising="makes squares of one size of tiles that agree less on a plane",
    )
    polish_sides: float = param(
        0.06,
        unit="tile sides",
        raising="lets a corner lie farther from its square: the camera's nearness bends squares a little",
    )


PARAMS = LooseParams()
