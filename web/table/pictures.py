"""Pictures of the camera with what was recognised in them, and how well they can be read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.geometry import Cell


@dataclass(frozen=True)
class PictureTile:
    """A tile in a picture.

    ``corners_px`` are the corners of its cell (nw, ne, se, sw in the game's frame). ``read`` is the
    recognised face with its confidence (0 to 1). ``known`` is the face that the game has there, None if none.
    """

    cell: Cell
    corners_px: tuple[tuple[float, float], ...]
    read: str | None
    confidence: float
    known: str | None


@dataclass(frozen=True)
class PicturePiece:
    """A piece in a picture. ``point_px`` is the point where it touches the board."""

    kind: str
    color: str | None
    animal: str | None
    point_px: tuple[float, float]
    confidence: float


@dataclass(frozen=True)
class Framing:
    """Quality of a picture.

    It says whether the picture shows a board, the number of tiles, and the side of the smallest tile and the
    wanted side (camera pixels). ``faults`` are the faults to correct, the most important first (docs/http.md,
    'Framing'). ``glare_at`` is the part of the picture with a reflection; ``cut_off`` are the picture's edges
    that cut off the board.
    """

    board: bool
    tiles: int
    side_px: float
    wanted_px: float
    faults: tuple[str, ...] = ()
    glare_at: str = "middle"
    cut_off: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Picture:
    """The camera's latest picture and what was recognised in it.

    Points and ``size_wh`` are in pixels of the JPEG that ``jpeg()`` returns. ``framing`` is None if it
    was not checked.
    """

    frame: int
    size_wh: tuple[int, int]
    jpeg: Callable[[], bytes]
    tiles: tuple[PictureTile, ...] = ()
    pieces: tuple[PicturePiece, ...] = ()
    framing: Framing | None = None
