"""Token classifier: classifies the animal tile at a place, or none.

A network compares the photograph with the expected picture of each animal and of the bare print. It was
trained to choose the best match even if little is visible.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell, Point
from models import OnnxModel
from vision.observation import Quad, Sight
from vision.tiles.reprojection import ExpectedFace
from vision.tokens.crops import (
    F32,
    LIGHT_PX,
    SIDE_PX,
    U8,
    BoardLight,
    corners_at,
    expectations,
    on_tile,
    print_square,
)
from vision.tokens.templates import TokenFaces

TRAINED_ODDS = 1.2
"""Prior odds of an animal tile in the network's training data."""
_QUARTERS = (None, cv2.ROTATE_90_CLOCKWISE, cv2.ROTATE_180, cv2.ROTATE_90_COUNTERCLOCKWISE)
"""OpenCV's codes of clockwise quarter turns."""


@dataclass(frozen=True, slots=True)
class TokenChoice:
    """Reading of a place: the log-odds of an animal tile by the picture alone, and each animal's probability
    given that there is one."""

    there_nats: float
    odds: Mapping[str, float]


@dataclass(slots=True, eq=False)
class BoardPhoto:
    """One photograph of a board with its tiles' ``quads``, their known ``faces`` and the mean tile side. The
    light is measured on first use."""

    sight: Sight
    quads: Mapping[Cell, Quad]
    faces: Mapping[Cell, ExpectedFace]
    side_px: float
    _light: BoardLight | None = field(default=None, init=False)
    _turned: dict[Cell, U8] = field(default_factory=dict, init=False)

    @property
    def light(self) -> BoardLight:
        """The light on the board."""
        if self._light is None:
            prints = {cell: self.print_at(cell) for cell in self.faces if cell in self.quads}
            known = {cell: face for cell, face in prints.items() if face is not None}
            self._light = BoardLight.of(self.sight.crops([self.quads[c] for c in known], LIGHT_PX), known)
        return self._light

    def view(
        self, cell: Cell, corners: NDArray[np.float64], size_px: int
    ) -> tuple[F32, U8, NDArray[np.bool_]]:
        """A square of a tile, with ``corners`` (4, 2) in its coordinates: the photograph under the light of
        the gallery's pictures (size_px, size_px, 3), the print, and the mask of its known pixels."""
        (seen,) = self.sight.crops(on_tile(self.quads[cell], corners), size_px)
        return self.light.whitened(seen, cell), *print_square(self.print_at(cell), corners, size_px)

    def print_at(self, cell: Cell) -> U8 | None:
        """The print of a cell, rotated so that the quad's first corner is at its upper left; None if
        unknown."""
        face = self.faces.get(cell)
        if face is not None and cell not in self._turned:
            quarter = _QUARTERS[face.turn % 4]
            turned = face.picture if quarter is None else cv2.rotate(face.picture, quarter)
            self._turned[cell] = np.asarray(turned, np.uint8)
        return self._turned.get(cell)


def choose(
    table: BoardPhoto, cell: Cell, uvs: Sequence[Point], turn_deg: float, faces: TokenFaces, model: OnnxModel
) -> list[TokenChoice]:
    """Classify an animal tile at each of ``uvs`` of a tile, rotated clockwise by ``turn_deg`` against the
    quad."""
    squares = [corners_at(uv, turn_deg, faces.side) for uv in uvs]
    pictures = [expectations(*table.view(cell, corners, SIDE_PX), faces.pictures) for corners in squares]
    (agreement,) = model(np.concatenate(pictures))
    return [_choice(each, faces) for each in agreement.reshape(len(uvs), -1).astype(np.float64)]


def _choice(agreement: NDArray[np.float64], faces: TokenFaces) -> TokenChoice:
    """Convert the network's agreement [1 + animals], of the bare print and each animal, to a
    `TokenChoice`."""
    bare, animals = agreement[0], agreement[1:]
    top = animals.max()
    shares = np.exp(animals - top)
    there_nats = top + np.log(shares.sum()) - bare - np.log(TRAINED_ODDS)
    odds = dict(zip(faces.animals, (float(share) for share in shares / shares.sum()), strict=True))
    return TokenChoice(float(there_nats), odds)
