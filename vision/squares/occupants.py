"""Occupants of the squares: animals with a facing, and pawns.

The board is rectified so that a square has the size of a tile for the piece detector. Where the picture
differs from the known print there is an animal; what differs from print and animals is a pawn or a hand.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from engine.pack import Pack
from models import OnnxModel
from vision.geometry.homography import apply_homography
from vision.geometry.ortho import CELL_PX, MARGIN_CELLS, Ortho, ortho_view
from vision.observation import PieceReading, Sight
from vision.pieces.detector import COLORS, PieceCandidate, candidates
from vision.squares.facings import FrontReader, FrontReading, Fronts
from vision.squares.params import PARAMS
from vision.squares.parts import ACROSS, FoundParts
from vision.tiles.reprojection import ExpectedFace, LaidPrint, against_print

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class SquaresRead:
    """Reading of the squares; the points of ``pieces`` are in the parts' lattice.
    ``unexplained`` (rows, columns) is the share of each square, 0..1, that differs from print and animals."""

    pieces: tuple[PieceReading, ...]
    unexplained: F32


class SquareReader:
    """Reads the squares of one table's board."""

    def __init__(self, pack: Pack, faces: NDArray[np.uint8], pieces: OnnxModel) -> None:
        """``faces`` are the parts' pictures, uint8 (n, s, s, 3), in the order of the parts' designs."""
        self.across = len(next(iter(pack.quarters.values())))
        fronts = Fronts.of(pack, self.across)
        self._fronts = FrontReader(fronts) if fronts is not None else None
        self._faces = faces
        self._pieces = pieces
        self._laid = LaidPrint()

    def read(self, sight: Sight, found: FoundParts, colors: Collection[str] | None) -> SquaresRead:
        """Read the animals and pawns on a located board.
        ``colors`` are the pawns' colours, one pawn of each is reported at most; None for any."""
        scale = np.diag([1.0 / self.across, 1.0 / self.across, 1.0])
        h = np.asarray(found.pose.H_px_from_lattice @ scale, np.float64)
        count = ACROSS * self.across
        squares = [(x, y) for y in range(count) for x in range(count)]
        view = ortho_view(sight, h, squares, found.pose.tile_side_px / self.across)
        expected, known = self._laid.view(view, h, found.pose.quads, self._expected(found))
        said = against_print(view.image, expected, known)
        corner = (MARGIN_CELLS * CELL_PX, MARGIN_CELLS * CELL_PX)
        animals: tuple[FrontReading, ...] = ()
        if self._fronts is not None:
            animals = self._fronts.read(said[..., :3], np.abs(said[..., 3:6]).mean(axis=2), corner, squares)
            said = self._fronts.explained(animals, said)
        pawns = self._pawns(view, said, h, found, colors)
        left = _unexplained_shares(said, count)
        readings = [self._animal(one, view, h) for one in animals]
        readings += [self._pawn(one, h) for one in pawns]
        return SquaresRead(tuple(readings), left)

    def _expected(self, found: FoundParts) -> Mapping[Cell, ExpectedFace]:
        """The expected faces of the parts, by cell."""
        return {
            cell: ExpectedFace(self._faces[face], turn)
            for cell, (face, turn) in ((cell, found.face(cell)) for cell in found.cells)
        }

    def _pawns(
        self, view: Ortho, said: F32, h: F64, found: FoundParts, colors: Collection[str] | None
    ) -> list[tuple[PieceCandidate, str]]:
        """Return the likeliest candidate of each colour that has any, with the colour.
        ``view`` is the board from above, ``said`` its channels of `against_print`, ``h`` maps squares to
        pixels. ``colors`` limits the colours; None for all."""
        wanted = [color for color in COLORS if colors is None or color in colors]
        count = ACROSS * self.across
        best: dict[str, tuple[float, PieceCandidate]] = {}
        for one in candidates(view, said, h, found.pose.image_size_wh, self._pieces, PARAMS.least_pawn):
            x, y = one.lattice_xy
            if one.token or not (0 <= x < count and 0 <= y < count):
                continue
            shares = {color: float(one.colors[COLORS.index(color)]) for color in wanted}
            color = max(shares, key=lambda name: shares[name])
            worth = one.value * shares[color]
            if color not in best or worth > best[color][0]:
                best[color] = (worth, one)
        return [(one, color) for color, (_, one) in best.items()]

    def _animal(self, one: FrontReading, view: Ortho, h: F64) -> PieceReading:
        """Convert an animal to a `PieceReading`, with its point in the parts' lattice.
        ``h`` maps squares to pixels."""
        at = view.lattice_of(np.array([one.middle_px]))[0]
        assert self._fronts is not None
        names = self._fronts.fronts.names
        species = one.odds.sum(axis=1)
        return PieceReading(
            kind="token",
            color=None,
            pose="lying",
            point_px=_px(h, at),
            lattice_xy=(float(at[0]) / self.across, float(at[1]) / self.across),
            confidence=one.confidence,
            animal=names[one.species],
            animal_probs={name: float(p) for name, p in zip(names, species, strict=True)},
            facing=one.facing,
        )

    def _pawn(self, pawn: tuple[PieceCandidate, str], h: F64) -> PieceReading:
        """Convert a pawn (detection, colour) to a `PieceReading`, with its point in the parts' lattice.
        ``h`` maps squares to pixels."""
        one, color = pawn
        at = np.array(one.lattice_xy)
        return PieceReading(
            kind="meeple",
            color=color,
            pose="standing",
            point_px=_px(h, at),
            lattice_xy=(float(at[0]) / self.across, float(at[1]) / self.across),
            confidence=one.value,
            color_probs={name: float(p) for name, p in zip(COLORS, one.colors, strict=True)},
        )


def _px(h: F64, lattice: F64) -> tuple[float, float]:
    """Map one lattice point (2,) to pixels by the homography ``h`` (3, 3)."""
    x, y = apply_homography(h, lattice[None])[0]
    return (float(x), float(y))


def _unexplained_shares(said: F32, count: int) -> F32:
    """Return the share (count, count), 0..1, of each square that differs from print and animals.
    ``said`` are the channels of `against_print`, ``count`` is the number of squares per side."""
    edge = round(MARGIN_CELLS * CELL_PX)
    board = np.abs(said[edge : edge + count * CELL_PX, edge : edge + count * CELL_PX, 3:6]).mean(axis=2)
    strange = (board > PARAMS.unexplained_level).reshape(count, CELL_PX, count, CELL_PX)
    return np.asarray(strange.mean(axis=(1, 3)), np.float32)
