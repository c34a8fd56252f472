"""Loose tile finder: detects and measures tiles in any rotation without known faces.

It is used for enrolment, where the tiles of an edition are laid out and photographed. There is no lattice,
but all tiles are squares of one size in one plane. Tiles are proposed by outlines (`vision.locate.heatmap`)
and measured by their sides (`vision.locate.cell_networks`). The common shape rejects half tiles, double
tiles and gaps, and predicts tiles without an outline. Then all are measured again as squares of the common
size, so that lines in the print are not taken for sides.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.geometry.homography import apply_homography, square_to_quads
from vision.locate.background import CELL_PX, print_likeness
from vision.locate.cell_networks import (
    corners_from_sides,
    read_sides,
    side_points,
    tile_chances,
)
from vision.locate.corner_fit import INWARD, fit_squares
from vision.locate.heatmap import Heat, look
from vision.locate.locator import Locator
from vision.locate.params import PARAMS as LOCATING
from vision.loose.params import PARAMS
from vision.loose.table_plane import rigid_squares
from vision.loose.tile_shape import LEAST_CHANCE, TileShape, clockwise, root_of
from vision.observation import Sight
from vision.probability import with_evidence

F64 = NDArray[np.float64]

ROUNDS, SETTLINGS = 3, 4
"""Iterations of measuring squares by their sides: each by itself, and as tiles of the common shape."""
PARTS, OVERLAP = 2, 0.15
"""Number of parts of the photograph per axis, and their overlap on each side as a fraction of a part."""
ASKED = 24
"""Maximum number of places at which tiles without an outline are searched."""
ANGLES = 6
"""Number of rotations tried at such a place."""
BARE_SPOTS = 14
"""Number of places per axis at which the table's appearance is sampled."""


@dataclass(frozen=True, slots=True, eq=False)
class LooseTiles:
    """Detected tiles.
    ``quads`` are float64 (n, 4, 2) image pixels, clockwise from any corner; ``sure`` (n,) their
    probabilities."""

    quads: F64
    sure: F64

    def faces(self, sight: Sight, size_px: int) -> NDArray[np.uint8]:
        """Rectify the tiles: uint8 (n, size_px, size_px, 3)."""
        return sight.crops(self.quads, size_px)


def find_loose_tiles(sight: Sight, locator: Locator) -> LooseTiles:
    """Find all tiles in a picture, separate or adjacent, in reading order (row by row from the top).
    The result is empty if there are none."""
    heats = _looks(sight, locator)
    proposed = _distinct(clockwise(np.concatenate([heat.proposed[0] for heat in heats])))
    quads, chance = _measured(sight, proposed, locator)
    shape = TileShape.agreed(quads, chance)
    if shape is None:
        return LooseTiles(np.zeros((0, 4, 2)), np.zeros(0))
    likely = quads[(shape.strangeness(quads) < PARAMS.roughly) & (chance >= PARAMS.faint_chance)]
    start = _distinct(np.concatenate([likely, proposed]))
    quads, chance = _settled(sight, start, shape, locator, growing=True)
    shape = TileShape.agreed(quads, chance) or shape
    quads = _distinct(quads[np.argsort(-chance)][: (chance >= PARAMS.faint_chance).sum()])
    quads, chance = _sound(*_settled(sight, quads, shape, locator), shape)
    more = _unseen(sight, quads[chance >= PARAMS.sure_chance], heats, shape)
    if len(more):
        more, more_chance = _settled(sight, more, shape, locator)
        quads, chance = np.concatenate([quads, more]), np.concatenate([chance, more_chance])
        quads, chance = _sound(quads, chance, shape)
    # Refit the shape to the remaining squares, which are tiles.
    shape = TileShape.agreed(quads, chance) or shape
    quads, chance = _sound(*_settled(sight, quads, shape, locator), shape)
    chance = _against_table(sight, quads, chance, heats, shape)
    quads, chance = quads[chance >= LEAST_CHANCE], chance[chance >= LEAST_CHANCE]
    quads = rigid_squares(quads, chance)
    order = _reading_order(quads, shape)
    return LooseTiles(quads[order], chance[order])


def _looks(sight: Sight, locator: Locator) -> list[Heat]:
    """Return heat maps of the whole photograph and, if tiles are small in it, of its parts.
    If they are large, a view from twice as far is added."""
    heat = sight.once(look, locator.heat)
    width, height = sight.size_wh
    quads, scores = heat.proposed
    side = _shown_side(heat, quads[scores >= np.median(scores)]) if len(quads) else 0.0
    heats = [heat]
    if side < PARAMS.small_px:
        for row in range(PARTS):
            for column in range(PARTS):
                x0, y0 = (column / PARTS - OVERLAP) * width, (row / PARTS - OVERLAP) * height
                x1, y1 = ((column + 1) / PARTS + OVERLAP) * width, ((row + 1) / PARTS + OVERLAP) * height
                box = (max(x0, 0.0), max(y0, 0.0), min(x1, float(width)), min(y1, float(height)))
                heats.append(sight.once(look, locator.heat, box))
    if side > PARAMS.large_px:
        far = (-width / 2, -height / 2, 1.5 * width, 1.5 * height)
        heats.append(sight.once(look, locator.heat, far))
    return heats


def _shown_side(heat: Heat, quads: F64) -> float:
    """The median side of squares in the network's picture, in pixels."""
    scale = float(np.sqrt(abs(np.linalg.det(heat.view.A[:, :2]))))
    return float(np.median(_sides(quads))) * scale


def _measured(sight: Sight, quads: F64, locator: Locator) -> tuple[F64, F64]:
    """Measure squares by their sides; return quads, and the probability (n,) that each is a laid tile.
    Squares out of view, tiny or too foreshortened are left out."""
    quads = clockwise(quads)
    for _ in range(ROUNDS):
        quads = quads[_readable(quads, sight)]
        if not len(quads):
            return quads, np.zeros(0)
        corners, sure = corners_from_sides(read_sides(sight, quads, locator.sides))
        moved = apply_homography(square_to_quads(quads), corners)
        quads = np.where((sure > PARAMS.sure_corner)[..., None], moved, quads)
    quads = quads[_readable(quads, sight)]
    if not len(quads):
        return quads, np.zeros(0)
    present = read_sides(sight, quads, locator.sides).present.mean(axis=1)
    return quads, 0.5 * (tile_chances(sight, quads, locator.cells) + present)


def _settled(
    sight: Sight, quads: F64, shape: TileShape, locator: Locator, growing: bool = False
) -> tuple[F64, F64]:
    """Measure squares by their sides as tiles of the common ``shape``.
    Returns their quads, and the probability (n,) that each is one laid tile; those out of view, tiny or too
    foreshortened are left out. With ``growing`` each square's size is estimated as well, for a rough
    shape."""
    at, angles, sizes = quads.mean(axis=1), shape.turns(quads), np.ones(len(quads))
    unit = np.stack([side_points(np.array([[end, 0.0]])) for end in (0.0, 1.0)], axis=1).reshape(4, 2, 2)
    for _ in range(SETTLINGS):
        quads = shape.squares(at, angles, sizes)
        seen = _readable(quads, sight)
        quads, at, angles, sizes = quads[seen], at[seen], angles[seen], sizes[seen]
        if not len(quads):
            return quads, np.zeros(0)
        sides = read_sides(sight, quads, locator.sides)
        points = unit[None] + sides.offsets[..., None] * INWARD[None, :, None]
        pixels = apply_homography(square_to_quads(quads), points.reshape(len(quads), 8, 2))
        flat = shape.flattened(pixels, at) @ np.array([1.0, 1.0j])
        flat *= (np.exp(-1j * angles) / sizes)[:, None]
        local = np.stack([flat.real, flat.imag], axis=-1).reshape(-1, 4, 2, 2) + 0.5
        weights = (sides.sure * sides.present[..., None]) ** 2
        poses = fit_squares(local, weights, np.zeros((len(at), 2)), 0.0)
        step = (poses[:, 0] + 1j * poses[:, 1]) * np.exp(1j * angles) * sizes
        at = at + np.einsum("nij,nj->ni", root_of(shape.spread(at)), np.stack([step.real, step.imag], axis=1))
        angles = angles + poses[:, 2]
        if growing:
            sizes = np.clip(sizes * (1.0 + poses[:, 3]), PARAMS.least_growth, 1.0 / PARAMS.least_growth)
    quads = shape.squares(at, angles, sizes)
    quads = quads[_readable(quads, sight)]
    if not len(quads):
        return quads, np.zeros(0)
    sides = read_sides(sight, quads, locator.sides)
    chance = 0.5 * (tile_chances(sight, quads, locator.cells) + sides.present.mean(axis=1))
    corners, sure = corners_from_sides(sides)
    moved = apply_homography(square_to_quads(quads), corners)
    off = np.linalg.norm(moved - quads, axis=2) / _sides(quads).mean(axis=1)[:, None]
    return np.where(
        ((sure > PARAMS.sure_corner) & (off < PARAMS.polish_sides))[..., None], moved, quads
    ), chance


def _distinct(quads: F64) -> F64:
    """Remove near-duplicates: of squares with nearly the same centre, size and rotation the first is kept."""
    sides = np.roll(quads, -1, axis=1) - quads
    size = np.maximum(np.linalg.norm(sides, axis=2).mean(axis=1), 1.0)
    turn = np.angle(((sides @ np.array([1.0, 1.0j])) ** 4).sum(axis=1)) / (np.pi / 2)
    coarse = 2.0 ** (np.round(np.log2(size) * 2) / 2)
    kinds = np.column_stack(
        [
            quads.mean(axis=1) / (PARAMS.same_sides * coarse[:, None]),
            np.log(size) / PARAMS.same_sides,
            turn * 2,
        ]
    )
    _, first = np.unique(np.round(kinds), axis=0, return_index=True)
    return quads[np.sort(first)]


def _sound(quads: F64, chance: F64, shape: TileShape) -> tuple[F64, F64]:
    """Return the probable squares of the right ``shape`` and their probabilities, of those in ``chance``.
    Of overlapping ones the one of highest probability and best shape is kept (non-maximum suppression)."""
    strange = shape.strangeness(quads)
    keep = (strange < PARAMS.closely) & (chance >= LEAST_CHANCE)
    quads, chance, strange = quads[keep], chance[keep], strange[keep]
    middles = quads.mean(axis=1)
    kept: list[int] = []
    for index in np.argsort(-(chance - strange)):
        if not kept or shape.gaps(middles[kept], middles[index]).min() > PARAMS.apart_sides:
            kept.append(int(index))
    return quads[kept], chance[kept]


def _unseen(sight: Sight, quads: F64, heats: list[Heat], shape: TileShape) -> F64:
    """Propose squares (n, 4, 2), in several rotations, where a heat map sees a face far from ``quads``.
    ``quads`` are the known tiles."""
    width, height = sight.size_wh
    middle = np.array([[width / 2, height / 2]])
    step = 0.3 * float(np.sqrt(np.sqrt(max(np.linalg.det(shape.spread(middle)[0]), 1.0))))
    grid = np.stack(np.meshgrid(np.arange(step / 2, width, step), np.arange(step / 2, height, step)), axis=-1)
    points = grid.reshape(-1, 2)
    face = np.max([heat.face_at(points) for heat in heats], axis=0)
    known = list(quads.mean(axis=1))
    asked: list[F64] = []
    for index in np.argsort(-face):
        if face[index] < PARAMS.least_face or len(asked) >= ASKED:
            break
        point = points[index]
        others = np.array(known + asked).reshape(-1, 2)
        if not len(others) or (
            shape.gaps(others[: len(known)], point).min(initial=9.0) > 0.6
            and shape.gaps(others[len(known) :], point).min(initial=9.0) > 0.3
        ):
            asked.append(point)
    if not asked:
        return np.zeros((0, 4, 2))
    turns = np.pi / 2 * np.arange(ANGLES) / ANGLES
    return shape.squares(np.repeat(np.array(asked), ANGLES, axis=0), np.tile(turns, len(asked)))


def _against_table(sight: Sight, quads: F64, chance: F64, heats: list[Heat], shape: TileShape) -> F64:
    """Return the probabilities ``chance`` (n,), those of doubtful squares updated by their colours.
    The colours are compared with those of sure tiles and of bare table."""
    doubtful = chance < PARAMS.sure_chance
    if not doubtful.any():
        return chance
    width, height = sight.size_wh
    spots = np.stack(
        np.meshgrid(np.linspace(0, width, BARE_SPOTS), np.linspace(0, height, BARE_SPOTS)), axis=-1
    )
    spots = spots.reshape(-1, 2)
    face = np.max([heat.face_at(spots) for heat in heats], axis=0)
    middles = quads.mean(axis=1)
    alone = np.array([shape.gaps(middles, spot).min(initial=9.0) > 1.5 for spot in spots])
    table = shape.squares(spots, np.zeros(len(spots)))[(face < PARAMS.least_face) & alone]
    table = table[_readable(table, sight)]
    every = np.concatenate([quads, table])
    bare = np.arange(len(every)) >= len(quads)
    tiles = np.concatenate([~doubtful, np.zeros(len(table), np.bool_)])
    like = print_likeness(sight.crops(every, CELL_PX), tiles, bare)
    nats = LOCATING.table_nats * like[: len(quads)]
    told = [
        with_evidence(min(float(p), PARAMS.sure_chance), float(more))
        for p, more in zip(chance, nats, strict=True)
    ]
    return np.where(doubtful, told, chance)


def _readable(quads: F64, sight: Sight) -> NDArray[np.bool_]:
    """Mask (n,) of the squares that are inside the photograph, not tiny and not too foreshortened."""
    width, height = sight.size_wh
    sides = _sides(quads)
    x, y = quads[..., 0], quads[..., 1]
    inside = (
        (x.min(axis=1) > -2)
        & (y.min(axis=1) > -2)
        & (x.max(axis=1) < width + 1)
        & (y.max(axis=1) < height + 1)
    )
    return np.asarray(
        inside & (sides.min(axis=1) > 16) & (sides.min(axis=1) > PARAMS.least_slant * sides.max(axis=1))
    )


def _sides(quads: F64) -> F64:
    """The side lengths (n, 4) of quads, in pixels."""
    return np.asarray(np.linalg.norm(quads - np.roll(quads, -1, axis=1), axis=2))


def _reading_order(quads: F64, shape: TileShape) -> NDArray[np.intp]:
    """Indices (n,) in reading order; a tile less than 0.6 sides below the first of a row belongs to it."""
    middles = quads.mean(axis=1)
    tall = np.sqrt(np.maximum(shape.spread(middles)[:, 1, 1], 1.0)) if len(quads) else np.zeros(0)
    rows = np.zeros(len(quads), int)
    row, top = 0, -np.inf
    for index in np.argsort(middles[:, 1]):
        if middles[index, 1] > top + 0.6 * tall[index]:
            row, top = row + 1, middles[index, 1]
        rows[index] = row
    return np.lexsort((middles[:, 0], rows))
