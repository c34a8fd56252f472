"""Values that vision takes and gives: a `Frame` comes in, an `Observation` goes out.

Frames of reference (docs/formats.md, 'Frame of reference'):

* *image*: pixels from the top left of the image as read, x right, y down.
* *lattice*: the board's own grid in units of one tile; cell ``(x, y)`` covers
  ``[x, x + 1] × [y, y + 1]``, x to the east, y to the south. Which cell is the start tile and
  which way is north is not known to vision until the start tile is read; a lattice from one photo
  may be shifted and quarter-turned against the game's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell, Edge, cell_of
from engine.tiles.pieces import PieceKind, Pose, Sort

Image = NDArray[np.uint8]
"""BGR, shape (height, width, 3)."""
Mark = tuple[int, str]
"""Place of a picture in a source that keeps its pictures: marks grow with time, and a restart knows them
again. A file's time (nanoseconds) and name."""
Quad = NDArray[np.float32]
"""Shape (4, 2), image pixels, the cell's corners nw, ne, se, sw in the lattice frame."""


_BEFORE = np.array([3, 0, 1, 2])
"""Index of each corner's neighbour, counter-clockwise."""


def mean_sides_px(quads: NDArray[np.floating]) -> NDArray[np.float64]:
    """The mean side of each quad (..., 4, 2), never quite nothing: (...)."""
    along = quads - quads[..., _BEFORE, :]
    sides = np.sqrt((along * along).sum(axis=-1))
    return np.asarray(np.maximum(sides.sum(axis=-1) / 4, 1e-6), np.float64)


def size_of(image: Image) -> tuple[int, int]:
    """Width and height in pixels."""
    return image.shape[1], image.shape[0]


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture and when it was taken.

    ``t_s`` is seconds since the source began; ``source`` is what a person calls it (a file name,
    a camera), ``index`` its place in the source. ``mark`` is what it is known by after a restart, where
    the source keeps its pictures.
    """

    image: Image
    t_s: float = 0.0
    source: str = ""
    index: int = 0
    mark: Mark | None = None


@dataclass(frozen=True, slots=True, eq=False)
class BoardPose:
    """Pose of the board's lattice in one image.

    ``H_px_from_lattice`` is the 3 × 3 homography from lattice units to pixels, good to a fraction
    of a tile everywhere on the board. ``quads`` holds, for each cell believed to carry a tile, the
    corners of that tile's own face, refined by themselves because tiles lie by hand.
    ``confidence`` is 0..1 for the lattice as a whole.
    """

    H_px_from_lattice: NDArray[np.float64]
    quads: Mapping[Cell, Quad]
    image_size_wh: tuple[int, int]
    confidence: float
    occupied: Mapping[Cell, float] = field(default_factory=dict)
    """Probability that a cell carries a tile, for cells of ``quads`` and their neighbours."""

    @property
    def tile_side_px(self) -> float:
        """Mean side of the tiles in pixels."""
        if not self.quads:
            return 0.0
        return float(mean_sides_px(np.stack(list(self.quads.values()))).mean())

    def shows_cell(self, cell: Cell, rim_sides: float = 0.0) -> bool:
        """Whether a lattice cell, but for a rim that is so many tile sides wide, lies inside the picture."""
        (x, y), near, far = cell, rim_sides, 1.0 - rim_sides
        corners = np.array(
            [(x + near, y + near, 1), (x + far, y + near, 1), (x + far, y + far, 1), (x + near, y + far, 1)],
            dtype=np.float64,
        )
        px = corners @ self.H_px_from_lattice.T
        if np.any(px[:, 2] <= 0):
            return False
        px = px[:, :2] / px[:, 2:]
        width, height = self.image_size_wh
        return bool(np.all(px >= 0) and np.all(px[:, 0] <= width) and np.all(px[:, 1] <= height))


@dataclass(frozen=True, slots=True, eq=False)
class CellReading:
    """Reading of one cell.

    ``log_probs`` has shape (designs, 4), log-probabilities over design × rotation (index r is a
    turn of 90·r° clockwise from the pack's drawing *in this lattice frame*), given that a tile
    lies here; they sum to one. ``log_tile`` is the log-odds that a tile lies here at all against
    bare table; ``covered`` is the share of the face, 0..1, that something hides, ``hidden`` bool (g, g)
    where it does, row 0 along the lattice's north (none where nothing looked at parts of it).
    ``print_known`` is the probability that the likeliest face, or one with nearly the same print, lies
    there: enough to know corners and print by, where twins leave the name open (0 where nobody looked).
    """

    cell: Cell
    corners_px: Quad
    log_probs: NDArray[np.float32]
    log_tile: float
    covered: float = 0.0
    hidden: NDArray[np.bool_] = field(default_factory=lambda: np.zeros((0, 0), np.bool_))
    print_known: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class PieceReading:
    """A piece standing or lying on or beside the board.

    ``kind`` and ``pose`` are among `engine.tiles.pieces.SORTS`.
    ``point_px`` is where it touches the board, ``lattice_xy`` the same point in lattice units, so
    its cell is the floor of it. ``color_probs`` runs over the colours named in it and sums to one;
    ``animal`` is the likeliest on a token, ``animal_probs`` the same for the animals (both may be missing);
    ``facing`` is the side of the lattice to which an animal with a front looks. ``sort_probs`` runs over the
    sorts that a piece other than a token may be and sums to one. ``since_s`` is when, in seconds, the
    camera first saw its place look as it does; None where nothing watched it.
    """

    kind: PieceKind
    color: str | None
    pose: Pose
    point_px: tuple[float, float]
    lattice_xy: tuple[float, float]
    confidence: float
    color_probs: Mapping[str, float] = field(default_factory=dict)
    animal: str | None = None
    animal_probs: Mapping[str, float] = field(default_factory=dict)
    facing: Edge | None = None
    sort_probs: Mapping[Sort, float] = field(default_factory=dict)
    since_s: float | None = None

    @property
    def cell(self) -> Cell:
        """The lattice cell that the contact point lies in."""
        return cell_of(self.lattice_xy)


@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """All that one frame says about the table; the only thing vision hands on.

    ``pose`` is None where no board was found (then ``cells`` and ``pieces`` are empty).
    ``designs`` names the rows of every reading's ``log_probs``. ``motion`` is 0..1, the share
    of the board's area that changed against the frame before (1 for the first frame);
    ``unsettled`` is how much of the picture, in areas of a tile, looks as it did not before and not yet for
    long. ``timing_ms`` is by stage. ``hints`` are pieces that are less likely than not by this frame alone.
    ``unknown`` is the probability that a tile lies in a cell that shows no face of the gallery.
    """

    frame_index: int
    t_s: float
    pose: BoardPose | None
    designs: tuple[str, ...]
    cells: Mapping[Cell, CellReading]
    pieces: tuple[PieceReading, ...]
    motion: float = 1.0
    timing_ms: Mapping[str, float] = field(default_factory=dict)
    hints: tuple[PieceReading, ...] = ()
    unsettled: float = 0.0
    unknown: Mapping[Cell, float] = field(default_factory=dict)
