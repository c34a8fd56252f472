"""Input and output of vision: `Frame` with its `Sight`, and `Observation`.

Frames of reference (docs/formats.md, 'Frame of reference'):

* *image*: pixels from the top left of the image as read, x right, y down.
* *lattice*: the board's own grid in units of one tile; cell ``(x, y)`` covers
  ``[x, x + 1] × [y, y + 1]``, x to the east, y to the south. Before the start tile is read, the
  lattice may be shifted and rotated by quarter turns against the game's frame.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar, TypeVarTuple, cast

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.geometry import Cell, Edge, cell_of
from engine.tiles.pieces import OTHER, PieceKind, Pose, Sort

Image = NDArray[np.uint8]
"""BGR, shape (height, width, 3)."""
Mark = tuple[int, str]
"""Persistent position of a picture in a source of files: (modification time in ns, name). Marks grow with
time and survive a restart."""
Quad = NDArray[np.float32]
"""Shape (4, 2), image pixels, the cell's corners nw, ne, se, sw in the lattice frame."""


Arguments = TypeVarTuple("Arguments")
Derived = TypeVar("Derived")

_SQUARE = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
_BEFORE = np.array([3, 0, 1, 2])
"""Index of each corner's counter-clockwise neighbour."""


def mean_sides_px(quads: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the mean side length (...) of quads (..., 4, 2) in pixels, at least 1e-6."""
    along = quads - quads[..., _BEFORE, :]
    sides = np.sqrt((along * along).sum(axis=-1))
    return np.asarray(np.maximum(sides.sum(axis=-1) / 4, 1e-6), np.float64)


def size_of(image: Image) -> tuple[int, int]:
    """Return width and height of a picture in pixels."""
    return image.shape[1], image.shape[0]


class Sight:
    """One picture for all stages of recognition, with the pictures derived from it.

    ``image`` is uint8 (h, w, 3) BGR and read-only, ``size_wh`` its width and height in pixels. Whatever is
    derived is computed on first use and released with the sight. Threads may share one: at worst two of them
    compute the same.
    """

    def __init__(self, image: Image) -> None:
        self.image = image.view()
        self.image.setflags(write=False)
        self.size_wh = size_of(image)
        self._derived: dict[tuple[object, ...], object] = {}

    def once(self, make: Callable[[Sight, *Arguments], Derived], *args: *Arguments) -> Derived:
        """Return ``make(self, *args)``, computed once for these arguments, which are hashable.
        The result is shared: do not modify it."""
        key = (make, *args)
        if key not in self._derived:
            self._derived[key] = make(self, *args)
        return cast(Derived, self._derived[key])

    def shrunk(self, factor: int) -> Image:
        """Return the picture shrunk by an integer factor, by area averaging; the picture itself for 1.
        An incomplete last row and column are cut, one pixel is left at least."""
        return self.once(_by_area, factor) if factor > 1 else self.image

    def scaled(self, width_px: int) -> Image:
        """Return the picture scaled to ``width_px`` pixels of width, by area averaging."""
        return self.once(_to_width, width_px)

    def crops(self, quads: ArrayLike, size_px: int) -> NDArray[np.uint8]:
        """Rectify ``quads`` (n, 4, 2) px, corners nw, ne, se, sw, to crops uint8 (n, size_px, size_px, 3).

        A quad's corners become the outer corners of the crop's corner pixels. Pixels outside the picture
        replicate its border. Quads much larger than the crop are taken from a shrunk picture, to avoid
        aliasing.
        """
        corners = np.asarray(quads, np.float64).reshape(-1, 4, 2)
        crops = np.empty((len(corners), size_px, size_px, 3), np.uint8)
        target = _SQUARE * size_px - np.float32(0.5)
        halvings = np.maximum(0, np.floor(np.log2(np.maximum(mean_sides_px(corners), 1) / size_px)))
        for quad, factor, crop in zip(corners, 2 ** halvings.astype(int), crops, strict=True):
            to_crop = cv2.getPerspectiveTransform(((quad + 0.5) / factor - 0.5).astype(np.float32), target)
            cv2.warpPerspective(
                self.shrunk(int(factor)), to_crop, (size_px, size_px), dst=crop,
                flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE,
            )  # fmt: skip
        return crops


def _to_width(sight: Sight, width_px: int) -> Image:
    """Return the sight's picture shrunk to ``width_px``, with the same proportions.
    A picture shrunk by a power of two, which others need as well, is the source if it is twice as wide."""
    width, height = sight.size_wh
    size_wh = (width_px, max(round(height * width_px / width), 1))
    source = sight.shrunk(2 ** max(int(np.log2(width / width_px)) - 1, 0))
    return np.asarray(cv2.resize(source, size_wh, interpolation=cv2.INTER_AREA), np.uint8)


def fitted(sight: Sight, factor: float) -> tuple[Image, NDArray[np.float64]]:
    """Return the sight's picture scaled by ``factor`` by area averaging, and the map (3, 3) to its pixels."""
    scaled = sight.image
    if factor != 1.0:
        scaled = np.asarray(cv2.resize(scaled, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA))
    fx, fy = np.divide(size_of(scaled), sight.size_wh)
    return scaled, np.array([[fx, 0, (fx - 1) / 2], [0, fy, (fy - 1) / 2], [0, 0, 1.0]])


def _by_area(sight: Sight, factor: int) -> Image:
    """Return the sight's picture shrunk by averaging squares of ``factor`` pixels a side."""
    width, height = (max(1, side // factor) for side in sight.size_wh)
    whole = sight.image[: height * factor, : width * factor]
    return np.asarray(cv2.resize(whole, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture with its time.

    ``t_s`` is in seconds since the source began; ``source`` names it for people (a file, a camera), ``index``
    is its number in the source. ``mark`` identifies it after a restart, if the source stores its pictures.
    ``sight`` is the picture as all stages of recognition share it.
    """

    image: Image
    t_s: float = 0.0
    source: str = ""
    index: int = 0
    mark: Mark | None = None
    sight: Sight = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Make ``sight``, which wraps the picture."""
        object.__setattr__(self, "sight", Sight(self.image))


@dataclass(frozen=True, slots=True, eq=False)
class BoardPose:
    """Pose of the board's lattice in one image.

    ``H_px_from_lattice`` is the 3 × 3 homography from lattice units to pixels, accurate to a fraction of a
    tile everywhere on the board. ``quads`` are the corners of each tile's face, refined tile by tile because
    hand-laid tiles deviate from the lattice. ``confidence`` is 0..1 for the lattice as a whole.
    """

    H_px_from_lattice: NDArray[np.float64]
    quads: Mapping[Cell, Quad]
    image_size_wh: tuple[int, int]
    confidence: float
    occupied: Mapping[Cell, float] = field(default_factory=dict)
    """Probability of a tile, for the cells of ``quads`` and their neighbours."""

    @property
    def tile_side_px(self) -> float:
        """Mean side of the tiles in pixels; 0 without tiles."""
        if not self.quads:
            return 0.0
        return float(mean_sides_px(np.stack(list(self.quads.values()))).mean())

    def shows_cell(self, cell: Cell, rim_sides: float = 0.0) -> bool:
        """Whether a lattice cell, shrunk by a rim of ``rim_sides`` tile sides, lies inside the picture."""
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

    ``log_probs`` (designs, 4) are log-probabilities over design × rotation, given that there is a tile; index
    r is a rotation by 90·r° clockwise *in this lattice frame*; the probabilities sum to one. ``log_tile`` are
    the log-odds of a tile against bare table. ``covered`` is the occluded share of the face, 0..1; ``hidden``
    is its mask, bool (g, g), row 0 along the lattice's north (empty if not measured). ``print_known`` is the
    probability of the likeliest face or one with nearly the same print (0 if not measured): twins leave the
    name open, but the print suffices for corners and expected appearance. ``sides`` (4, kinds) are the
    log-likelihood ratios of each kind of land to any kind on the cell's sides n e s w, kinds as in
    `vision.joint.edge_kinds` without seams (empty if not read).
    """

    cell: Cell
    corners_px: Quad
    log_probs: NDArray[np.float32]
    log_tile: float
    covered: float = 0.0
    hidden: NDArray[np.bool_] = field(default_factory=lambda: np.zeros((0, 0), np.bool_))
    print_known: float = 0.0
    sides: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0), np.float32))

    def turned(self, quarters: int) -> CellReading:
        """Return the reading in a lattice of which this one's north is turned clockwise by quarter turns.
        Its cell and corners are left as they are."""
        return replace(
            self,
            log_probs=np.roll(self.log_probs, quarters, axis=1),
            hidden=np.rot90(self.hidden, -quarters),
            sides=np.roll(self.sides, quarters, axis=0),
        )


@dataclass(frozen=True, slots=True, eq=False)
class PieceReading:
    """A piece on or beside the board.

    ``kind`` and ``pose`` are among `engine.tiles.pieces.SORTS`. ``point_px`` is its contact point with the
    board in the image, ``lattice_xy`` the same point in lattice units. ``color_probs`` are the probabilities
    of its colours; ``animal`` is the likeliest animal of a token, ``animal_probs`` are the probabilities of
    all (both may be missing); ``facing`` is the lattice direction that an animal with a front faces.
    ``sort_probs`` are the probabilities of the sorts of a piece that is no token. All sum to one. ``since_s``
    is the time, in seconds, since which its place has looked the same; None if not watched.
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
        """The lattice cell of the contact point."""
        return cell_of(self.lattice_xy)

    def among(self, kinds: Collection[PieceKind]) -> PieceReading | None:
        """Return the reading if its kind is one of ``kinds``. A piece of no known kind is returned as the
        likeliest of them, with the confidence of that; None if it is none of them."""
        if self.kind in kinds:
            return self
        shares = {sort: share for sort, share in self.sort_probs.items() if sort[0] in kinds}
        known = sum(shares.values())
        strange = self.sort_probs.get((self.kind, self.pose), 0.0)
        if self.kind != OTHER or known <= 0 or strange <= 0:
            return None
        kind, pose = max(shares, key=lambda sort: shares[sort])
        shares = {sort: share / known for sort, share in shares.items()}
        sure = self.confidence / strange * known
        return replace(self, kind=kind, pose=pose, sort_probs=shares, confidence=sure)


@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """Everything that vision reads from one frame.

    ``pose`` is None if no board was found (then ``cells`` and ``pieces`` are empty). ``designs`` names the
    rows of every reading's ``log_probs``. ``motion`` is 0..1, the share of the board's area that changed
    since the previous frame (1 for the first frame); ``unsettled`` is the area, in tile areas, that changed
    recently and has not been stable for long. ``timing_ms`` is by stage. ``hints`` are pieces with a
    probability below one half. ``unknown`` is the probability of a tile in each cell that shows no face of
    the gallery. ``out_of_sight`` are cells inside the picture that something hides.
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
    out_of_sight: frozenset[Cell] = frozenset()

    def shows_cell(self, cell: Cell, rim_sides: float = 0.0) -> bool:
        """Whether a lattice cell, shrunk by a rim of ``rim_sides`` tile sides, is in sight."""
        pose = self.pose
        return pose is not None and cell not in self.out_of_sight and pose.shows_cell(cell, rim_sides)
