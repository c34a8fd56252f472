"""Trouble with a photograph: why no board can be read in it, what to do, and whether it is mirrored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

import numpy as np

from tilesight.photograph.edition import hardly_named
from vision.board import SolvedBoard
from vision.framing.params import PARAMS as FRAMING
from vision.framing.picture_check import check_picture
from vision.image.mapping import flipped
from vision.locate.locator import HasFaces, Locator, count_known_faces
from vision.locate.print_likelihood import print_nats
from vision.locate.sift_matches import is_plain
from vision.observation import Image, Sight
from vision.pipeline_params import PARAMS

Trouble = Literal["plain", "small", "blurred", "pattern"]
"""Reason why no board can be read: nothing is in the picture, its tiles are too small or too blurred, or its
squares are no tiles."""
ADVICE: Mapping[Trouble, str] = {
    "plain": "it shows hardly any detail: check the light, and photograph the tiles from above",
    "small": "{wide} × {high} px are too small to read: take the picture as large as the camera makes it, "
    f"from so near that a tile is at least {FRAMING.side_px:.0f} px wide",
    "blurred": "it is too blurred to read: hold the camera still, let it focus, and take it again",
    "pattern": "its squares show no printed tiles: photograph the tiles from above, to fill the picture",
}
"""Text for the user after "no board found in FILE: "."""
MIRRORED_FACES = 2
"""Minimum number of known faces in a mirrored picture; one may be a false match."""


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


def told_trouble(trouble: Trouble, size_wh: tuple[int, int]) -> str:
    """Return the advice about a trouble, with the picture's width and height in pixels."""
    return ADVICE[trouble].format(wide=size_wh[0], high=size_wh[1])


def shows_mirrored_faces(image: Image, galleries: Iterable[HasFaces]) -> bool:
    """Whether the mirror image of a picture shows faces of one of the galleries."""
    sight = Sight(flipped(image))
    return any(count_known_faces(sight, Locator.load(), faces) >= MIRRORED_FACES for faces in galleries)
