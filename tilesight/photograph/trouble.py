"""Trouble with a photograph: why no board can be read in it, what to do, and what hides a part of one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from engine.message import Message
from tilesight.photograph.edition import hardly_named
from tilesight.photograph.params import PARAMS as RANGES
from vision.board import SolvedBoard
from vision.framing.params import PARAMS as FRAMING
from vision.framing.picture_check import check_picture
from vision.geometry.lattice import cell_quad
from vision.image.mapping import flipped
from vision.locate.locator import HasFaces, Locator, count_known_faces
from vision.locate.print_likelihood import print_nats
from vision.locate.sift_matches import is_plain
from vision.observation import Image, Sight
from vision.pipeline_params import PARAMS
from vision.probability import sigmoid

Trouble = Literal["plain", "small", "blurred", "pattern"]
"""Reason why no board can be read: nothing is in the picture, its tiles are too small or too blurred, or its
squares are no tiles."""
MIRRORED_FACES = 2
"""Minimum number of known faces in a mirrored picture; one may be a false match."""
REACH = 2
"""Number of cells from the board's tiles up to which cells are compared, diagonals included."""
CROP_PX = 16
"""Side, in pixels, of the crops whose colours are compared."""
FEWEST = 8
"""Number of cells from which the table's colours are known."""
ROUNDS = 15
"""Number of rounds of the robust fit."""
FAR = 3.0
"""Deviation from the table, in its spreads, from which a cell hardly counts in the fit."""


def trouble_at_once(sight: Sight) -> Trouble | None:
    """Return why a picture is not worth reading, by its size and its detail alone; None if it is."""
    if min(sight.size_wh) < PARAMS.least_picture_tiles * PARAMS.least_tile_px:
        return "small"
    return "plain" if is_plain(sight) else None


def trouble_of(sight: Sight, board: SolvedBoard) -> Trouble | None:
    """Return why the tiles read in a picture are none, or why there are none; None if nothing is known.

    Tiles of which enough are surely named are always tiles.
    """
    quads = np.array([tile.corners_px for tile in board.tiles], np.float64).reshape(-1, 4, 2)
    if len(quads) and not hardly_named(board, len(quads)):
        return None
    seen = check_picture(sight, quads)
    if len(quads) and seen.side_px < PARAMS.least_tile_px:
        return "small"
    if len(quads) and print_nats(sight, quads) > 0:
        return None
    if seen.blur > PARAMS.blurred:
        return "blurred"
    return "pattern" if len(quads) else None


def told_trouble(trouble: Trouble, size_wh: tuple[int, int]) -> Message:
    """Return why no board can be read, with a remedy; ``size_wh`` are the picture's width and height in
    pixels."""
    wide, high = size_wh
    advice: Mapping[Trouble, Message] = {
        "plain": Message("it shows hardly any detail: check the light, and photograph the tiles from above"),
        "small": Message(
            "{wide} × {high} px are too small to read: take the picture as large as the camera makes it, "
            "from so near that a tile is at least {side} px wide",
            wide=wide,
            high=high,
            side=round(FRAMING.side_px),
        ),
        "blurred": Message(
            "it is too blurred to read: hold the camera still, let it focus, and take it again"
        ),
        "pattern": Message(
            "its squares show no printed tiles: photograph the tiles from above, to fill the picture"
        ),
    }
    return advice[trouble]


def shows_mirrored_faces(image: Image, galleries: Iterable[HasFaces]) -> bool:
    """Whether the mirror image of a picture shows faces of one of the galleries."""
    sight = Sight(flipped(image))
    return any(count_known_faces(sight, Locator.load(), faces) >= MIRRORED_FACES for faces in galleries)


def hidden_cells(sight: Sight, board: SolvedBoard) -> dict[Cell, float]:
    """Return the probability of a hidden tile for cells around a board, if a tile lies beside that cell.

    ``sight`` is that of the board's photograph. Cells are in the game's frame; those without a notable
    probability are left out. Empty without tiles, or if too little of the table is in sight.

    Such cells look unlike the table, which the other cells around the board show: its colours are a plane
    over the picture, as light falls off evenly. What hides them covers tiles beside them, too.
    """
    seen, frame = board.observation, board.frame
    tiles = [tile.cell for tile in board.tiles]
    around = sorted({cell for tile in tiles for cell in _near(tile, REACH)} - set(tiles))
    if seen is None or seen.pose is None or not around:
        return {}
    pose, read = seen.pose, seen.cells
    quads = np.array([cell_quad(pose, frame.lattice_cell(cell)) for cell in around], np.float64)
    inside = np.flatnonzero(((quads >= 0) & (quads < np.array(sight.size_wh))).all(axis=(1, 2)))
    if len(inside) < FEWEST:
        return {}
    quads, cells = quads[inside], [around[at] for at in inside]
    covered = {cell: read[at].covered if (at := frame.lattice_cell(cell)) in read else 1.0 for cell in tiles}
    beside = [max((covered.get(near, 0.0) for near in _near(cell, 1)), default=0.0) for cell in cells]
    unlike = np.log(_unlike_table(sight.crops(quads, CROP_PX), quads.mean(axis=1)) + 0.5)
    odds = RANGES.hidden_bias + RANGES.hidden_unlike * unlike + RANGES.hidden_beside * np.array(beside)
    chances = sigmoid(odds)
    return {cell: float(p) for cell, p in zip(cells, chances, strict=True) if p > RANGES.hidden_least}


def _near(cell: Cell, reach: int) -> list[Cell]:
    """Return the cells around a cell up to ``reach``, diagonals included, and itself."""
    x, y = cell
    steps = range(-reach, reach + 1)
    return [(x + dx, y + dy) for dx in steps for dy in steps]


def _unlike_table(crops: NDArray[np.uint8], places_px: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far the mean colours of crops [n, s, s, 3] (BGR) are from the table's, in its spreads.
    ``places_px`` [n, 2] are their centres. Most crops must show the table."""
    scaled = crops.astype(np.float32).reshape(-1, crops.shape[2], 3) / 255
    colors = cv2.cvtColor(scaled, cv2.COLOR_BGR2LAB).reshape(len(crops), -1, 3).mean(axis=1)
    plane = np.column_stack([np.ones(len(crops)), places_px / np.abs(places_px).max()])
    weights = np.ones((len(crops), 1))
    unlike = np.zeros(len(crops))
    for _ in range(ROUNDS):
        fitted = np.linalg.lstsq(plane * np.sqrt(weights), colors * np.sqrt(weights), rcond=None)[0]
        rest = colors - plane @ fitted
        spread = 1.0 + 1.4826 * np.median(np.abs(rest), axis=0)  # of a normal distribution
        unlike = np.linalg.norm(rest / spread, axis=1)
        weights = 1.0 / (1.0 + (unlike[:, None] / FAR) ** 2)
    return unlike
