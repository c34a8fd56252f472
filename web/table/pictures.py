"""Pictures of the camera with what was recognised in them, and whether they can be read well."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.geometry import Cell


@dataclass(frozen=True)
class PictureTile:
    """A tile as the camera sees it: ``corners_px`` nw, ne, se, sw of its cell in the game's frame, what it
    was read as, how sure that is (0 to 1), and the face that lies there in the game (None: none)."""

    cell: Cell
    corners_px: tuple[tuple[float, float], ...]
    read: str | None
    confidence: float
    known: str | None


@dataclass(frozen=True)
class PicturePiece:
    """A piece as the camera sees it; ``point_px`` is where it touches the board."""

    kind: str
    color: str | None
    animal: str | None
    point_px: tuple[float, float]
    confidence: float


@dataclass(frozen=True)
class Framing:
    """Whether a picture can be read well: the tiles seen and the side of the smallest in the camera's pixels,
    the side that is wanted, and ``faults``, what to see to first in front (docs/http.md, 'Framing').
    ``glare_at`` is the part of the picture with a reflection, ``cut_off`` the edges near the board."""

    board: bool
    tiles: int
    side_px: float
    wanted_px: float
    faults: tuple[str, ...] = ()
    glare_at: str = "middle"
    cut_off: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Picture:
    """The camera's latest picture with what was recognised in it; ``size_wh`` and all points are those of
    the JPEG that ``jpeg()`` makes (or made already). ``framing`` is None where nobody checked it."""

    frame: int
    size_wh: tuple[int, int]
    jpeg: Callable[[], bytes]
    tiles: tuple[PictureTile, ...] = ()
    pieces: tuple[PicturePiece, ...] = ()
    framing: Framing | None = None
