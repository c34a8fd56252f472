"""Search for an animal tile at one place: flush with a corner, or at any angle.

The pose is found by descriptors (`vision.tokens.templates`) or by the difference from the print
(`vision.tokens.pose_search`). A network decides on presence and animal (`choose`): it compares the photograph
with the expected picture of each animal and of the bare print, and was trained to choose the best match even
if little is visible.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell, Point
from models import OnnxModel
from vision.geometry.ortho import uv_in_quad
from vision.observation import PieceReading, Quad, Sight
from vision.tiles.reprojection import ExpectedFace
from vision.tokens.candidates import CORNERS_DEG, hidden_share
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
from vision.tokens.params import PARAMS
from vision.tokens.pose_search import SearchArea, TokenPose, TokenShapes, likely_poses
from vision.tokens.templates import TURNS_DEG, TokenFaces

STEP, NEAR_STEPS, FAR_STEPS = 0.15, 1, 3
"""Step of the search grid, in sides of an animal tile, and steps each way: near, and far for doubtful
ones."""
CLIMBS = 3
"""Maximum number of hill-climbing steps for a token that is not well visible."""
TRAINED_ODDS = 1.2
"""Prior odds of an animal tile in the network's training data."""
_QUARTERS = (None, cv2.ROTATE_90_CLOCKWISE, cv2.ROTATE_180, cv2.ROTATE_90_COUNTERCLOCKWISE)
"""OpenCV's codes of clockwise quarter turns."""


@dataclass(frozen=True, slots=True)
class TokenChoice:
    """Reading of a place: the log-odds of an animal tile by the picture alone.
    ``odds`` is each animal's probability given that there is one."""

    there_nats: float
    odds: Mapping[str, float]


@dataclass(slots=True, eq=False)
class BoardPhoto:
    """One photograph of a board with its tiles' ``quads``, their known ``faces`` and the mean tile side.
    The light is measured on first use."""

    sight: Sight
    quads: Mapping[Cell, Quad]
    faces: Mapping[Cell, ExpectedFace]
    side_px: float
    _light: BoardLight | None = field(default=None, init=False)
    _turned: dict[Cell, U8] = field(default_factory=dict, init=False)

    @property
    def light(self) -> BoardLight:
        """The light on the board, measured on first use."""
        if self._light is None:
            prints = {cell: self.print_at(cell) for cell in self.faces if cell in self.quads}
            known = {cell: face for cell, face in prints.items() if face is not None}
            self._light = BoardLight.of(self.sight.crops([self.quads[c] for c in known], LIGHT_PX), known)
        return self._light

    def view(
        self, cell: Cell, corners: NDArray[np.float64], size_px: int
    ) -> tuple[F32, U8, NDArray[np.bool_]]:
        """Return a square of a tile: the relit photograph, the print, and the mask of its known pixels.

        ``corners`` (4, 2) are the square's, in the tile's coordinates. The photograph is (size_px, size_px,
        3), under the light of the gallery's pictures.
        """
        (seen,) = self.sight.crops(on_tile(self.quads[cell], corners), size_px)
        return self.light.whitened(seen, cell), *print_square(self.print_at(cell), corners, size_px)

    def print_at(self, cell: Cell) -> U8 | None:
        """Return the print of a cell, its upper left at the quad's first corner; None if unknown."""
        face = self.faces.get(cell)
        if face is not None and cell not in self._turned:
            quarter = _QUARTERS[face.turn % 4]
            turned = face.picture if quarter is None else cv2.rotate(face.picture, quarter)
            self._turned[cell] = np.asarray(turned, np.uint8)
        return self._turned.get(cell)


def choose(
    table: BoardPhoto, cell: Cell, uvs: Sequence[Point], turn_deg: float, faces: TokenFaces, model: OnnxModel
) -> list[TokenChoice]:
    """Classify an animal tile at each of ``uvs`` (points in the tile), one choice for each.
    The animal tile is rotated clockwise by ``turn_deg`` against the tile's quad. ``model`` is the token
    network."""
    squares = [corners_at(uv, turn_deg, faces.side) for uv in uvs]
    pictures = [expectations(*table.view(cell, corners, SIDE_PX), faces.pictures) for corners in squares]
    (agreement,) = model(np.concatenate(pictures))
    return [_choice(each, faces) for each in agreement.reshape(len(uvs), -1).astype(np.float64)]


def _choice(agreement: NDArray[np.float64], faces: TokenFaces) -> TokenChoice:
    """Convert the network's agreement [1 + animals] to a `TokenChoice`.
    Its items are the agreement with the bare print and with each animal."""
    bare, animals = agreement[0], agreement[1:]
    top = animals.max()
    shares = np.exp(animals - top)
    there_nats = top + np.log(shares.sum()) - bare - np.log(TRAINED_ODDS)
    odds = dict(zip(faces.animals, (float(share) for share in shares / shares.sum()), strict=True))
    return TokenChoice(float(there_nats), odds)


@dataclass(frozen=True, slots=True)
class TokenLook:
    """Result for one place: each animal's probability, and the log-odds of a token.
    ``uv`` is its position on the tile if it differs from the given one; ``anyhow``: it lies at any angle
    rather than flush with a corner."""

    odds: Mapping[str, float]
    there_nats: float
    uv: tuple[float, float] | None
    anyhow: bool = False


class TokenLooker:
    """Searches animal tiles at single places."""

    def __init__(self, faces: TokenFaces, model: OnnxModel) -> None:
        """``model`` is the network of `choose`."""
        self._faces = faces
        self._model = model

    @cached_property
    def _shapes(self) -> TokenShapes:
        """The animal tiles in each rotation, computed on first use."""
        return TokenShapes.of(self._faces.pictures, self._faces.side)

    def look(
        self, table: BoardPhoto, piece: PieceReading, steps: int, hidden: NDArray[np.bool_]
    ) -> TokenLook:
        """Search a token at the place of ``piece``.
        If none lies flush with a corner, it is searched ``steps`` grid steps around; 0 for a place with
        little evidence. ``hidden`` (g, g) is the mask of the tile's occluded patches."""
        quad = np.asarray(table.quads[piece.cell], np.float32)
        uv = uv_in_quad(quad, np.asarray(piece.point_px, np.float64))
        flush = self._flush(table, piece.cell, uv)
        if flush is not None and (not steps or _plain(flush) or flush.there_nats >= PARAMS.there_most):
            return _looked(flush)
        anyhow, at = self._anyhow(table, piece.cell, uv, steps, hidden_share(hidden, uv, self._faces.side))
        if flush is not None and anyhow.there_nats - PARAMS.any_turn_nats < flush.there_nats:
            return _looked(flush)
        elsewhere = at if anyhow.there_nats > PARAMS.any_turn_nats else None
        return _looked(
            replace(anyhow, there_nats=anyhow.there_nats - PARAMS.any_turn_nats), elsewhere, anyhow=True
        )

    def _anyhow(
        self, table: BoardPhoto, cell: Cell, uv: Point, steps: int, hidden: float
    ) -> tuple[TokenChoice, Point | None]:
        """Classify a token at any angle near ``uv``; also return its position if that may differ, else None.

        Descriptors are tried first, then, if inconclusive and enough of the print is ``hidden`` (0..1), the
        difference from the print. With ``steps`` 0 the order is reversed.
        """
        seen = None
        if steps or hidden < PARAMS.hidden_share / 2:
            seen = self._by_sight(table, cell, uv, steps)
            if _plain(seen[0]) or hidden < PARAMS.hidden_share / 2:
                return seen
        poses = self._poses(table, cell, uv)
        asked = [(pose.uv, pose.turn_deg) for pose in poses if seen is None or pose.gain_px > 0.0]
        other = self._best(table, cell, asked) if asked else None
        if seen is None:
            if other is not None and poses[0].gain_px > 0.0:
                return other
            seen = self._by_sight(table, cell, uv, steps)
        return seen if other is None or other[0].there_nats <= seen[0].there_nats else other

    def _by_sight(
        self, table: BoardPhoto, cell: Cell, uv: Point, steps: int
    ) -> tuple[TokenChoice, Point | None]:
        """Classify a token at the pose near ``uv``, at any angle, that fits best by descriptors.

        The second value is its position, found by hill climbing, if ``steps`` exceeds NEAR_STEPS; else None,
        because the piece reader's position is then reliable.
        """
        quad, far = np.asarray(table.quads[cell], np.float32), steps > NEAR_STEPS
        best = self._faces.fit(table.sight, quad, uv, TURNS_DEG, _around(steps or NEAR_STEPS))
        for _ in range(CLIMBS if far else 0):
            again = self._faces.fit(table.sight, quad, best.uv, TURNS_DEG, _around(NEAR_STEPS))
            if again.mean < best.mean + PARAMS.climb_least:
                break
            best = again
        choice, at = self._best(table, cell, [(best.uv, best.turn_deg)])
        return choice, at if far else None

    def _poses(self, table: BoardPhoto, cell: Cell, uv: Point) -> list[TokenPose]:
        """Search poses near ``uv``; again around the best if that is at the edge of the search area.
        Returns the poses of the last search, largest gain first."""
        area = SearchArea.around(uv, PARAMS.search_sides, self._shapes)
        poses = likely_poses(area, self._shapes, *table.view(cell, area.corners, area.size_px))
        if poses and math.dist(poses[0].uv, uv) > 0.8 * PARAMS.search_sides:
            area = SearchArea.around(poses[0].uv, PARAMS.search_sides, self._shapes)
            return likely_poses(area, self._shapes, *table.view(cell, area.corners, area.size_px))
        return poses

    def _flush(self, table: BoardPhoto, cell: Cell, uv: Point) -> TokenChoice | None:
        """Classify a token flush with the nearest corner; None if its position would not be near ``uv``."""
        corner = (int(uv[0] > 0.5), int(uv[1] > 0.5))
        u, v = (abs(east_or_south - self._faces.side / 2) for east_or_south in corner)
        if math.dist((u, v), uv) >= PARAMS.flush_sides:
            return None
        return self._best(table, cell, [((u, v), CORNERS_DEG[corner])])[0]

    def _best(
        self, table: BoardPhoto, cell: Cell, poses: Sequence[tuple[Point, float]]
    ) -> tuple[TokenChoice, Point]:
        """Classify a token in the best of ``poses`` (place, clockwise degrees); return the place, too.

        Unless conclusive, the choice is refined by four positions around it: the animal is that of the best
        position, the log-odds of a token are the mean over all.
        """
        looks = [choose(table, cell, [uv], turn, self._faces, self._model)[0] for uv, turn in poses]
        first, (uv, turn_deg) = max(zip(looks, poses, strict=True), key=lambda look: look[0].there_nats)
        if _plain(first) or first.there_nats < PARAMS.bare_nats:
            return first, uv
        off = PARAMS.astray_sides
        about = [(uv[0] + u, uv[1] + v) for u, v in ((off, 0.0), (-off, 0.0), (0.0, off), (0.0, -off))]
        others = choose(table, cell, about, turn_deg, self._faces, self._model)
        best = max(first, *others, key=lambda choice: choice.there_nats)
        there_nats = (first.there_nats + sum(choice.there_nats for choice in others)) / (1 + len(others))
        return TokenChoice(there_nats, best.odds), uv


def _plain(choice: TokenChoice) -> bool:
    """Whether a choice is conclusive: there is a token, and its animal is clear."""
    return choice.there_nats >= PARAMS.fits_nats and max(choice.odds.values()) >= PARAMS.plain_share


def _looked(choice: TokenChoice, uv: Point | None = None, *, anyhow: bool = False) -> TokenLook:
    """Convert a choice to a result, with log-odds clipped to `there_least` .. `there_most`.
    ``uv`` and ``anyhow`` are the result's."""
    return TokenLook(
        choice.odds, min(max(choice.there_nats, PARAMS.there_least), PARAMS.there_most), uv, anyhow
    )


def _around(steps: int) -> list[Point]:
    """Return a square grid of offsets, ``steps`` each way, in a token's sides."""
    line = [STEP * step for step in range(-steps, steps + 1)]
    return [(x, y) for y in line for x in line]
