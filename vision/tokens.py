"""Which animal an animal tile shows: its picture against those of the pack, whichever way round it lies."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from engine.pack import Pack
from vision.observation import BoardPose, CellReading, Image, PieceReading
from vision.ortho import uv_in_quad

Floats = NDArray[np.float32]
SIDE_PX = 32
BLOCKS = 8
TURN_STEP_DEG = 10
SHIFTS = (-0.12, -0.06, 0.0, 0.06, 0.12)
"""How far the tile may lie beside where the piece reader saw its middle, in its own sides."""
LEAST_FIT = 0.3
"""A block that fits its picture no better is hidden, by the meeple on the tile for instance."""
SHARPNESS = 60.0
"""Nats by which one tile's animals differ for a whole unit of fit."""


SAME_PLACE = 0.05
"""A token seen this near to where one was, in tile sides, is that one."""


@dataclass(frozen=True, slots=True, eq=False)
class TokenFaces:
    """A pack's animal tiles: ``pictures`` float32 [blocks, values, animals · turns], each block of each
    turned picture with mean 0 and length 1; ``side`` is the side of one in tile sides."""

    animals: tuple[str, ...]
    pictures: Floats
    side: float

    @classmethod
    def of(cls, pack: Pack) -> TokenFaces | None:
        """Those of a pack; None where it has none or ships no pictures of them."""
        files = [(animal, pack.token_art_path(animal)) for animal in pack.tokens]
        if not files or pack.token_mm is None:
            return None
        pictures = []
        for _, path in files:
            image = None if path is None else cv2.imread(str(path), cv2.IMREAD_COLOR)
            if image is None:
                return None
            pictures.append(_turned(np.asarray(image, np.uint8)))
        return cls(
            tuple(animal for animal, _ in files),
            np.ascontiguousarray(_blocks(np.concatenate(pictures)).transpose(1, 2, 0)),
            pack.token_mm / pack.tile_mm,
        )


class TokenReader:
    """Reads animal tiles; one whose tile on the board looks as before is not looked at again."""

    def __init__(self, faces: TokenFaces) -> None:
        self._faces = faces
        self._known: list[_Known] = []

    def read(
        self,
        image: Image,
        pose: BoardPose,
        cells: Mapping[Cell, CellReading],
        pieces: Sequence[PieceReading],
    ) -> tuple[PieceReading, ...]:
        """The pieces, with ``animal`` and ``animal_probs`` on the tokens that lie on a tile of ``pose``.
        ``cells`` are the readings of the same picture."""
        before, self._known = self._known, []
        read = []
        for piece in pieces:
            cell = cells.get(piece.cell)
            if piece.kind == "token" and cell is not None and piece.cell in pose.quads:
                odds = _as_before(before, cell, piece.lattice_xy) or self._odds(image, pose, piece)
                self._known.append(_Known(cell, piece.lattice_xy, odds))
                piece = replace(piece, animal=max(odds, key=lambda name: odds[name]), animal_probs=odds)
            read.append(piece)
        return tuple(read)

    def _odds(self, image: Image, pose: BoardPose, piece: PieceReading) -> Mapping[str, float]:
        quad = np.asarray(pose.quads[piece.cell], np.float32)
        uv = uv_in_quad(quad, np.asarray(piece.point_px, np.float64))
        fits = fits_at(image, quad, uv, self._faces)
        weights = np.exp(SHARPNESS * (fits - fits.max()))
        shares = weights / weights.sum()
        return {animal: float(share) for animal, share in zip(self._faces.animals, shares, strict=True)}


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    cell: CellReading
    lattice_xy: tuple[float, float]
    odds: Mapping[str, float]


def _as_before(
    known: Sequence[_Known], cell: CellReading, lattice_xy: tuple[float, float]
) -> Mapping[str, float] | None:
    """The odds of a token read before on the same reading of its cell: a cell that changes is read anew."""
    for token in known:
        if token.cell is cell and math.dist(token.lattice_xy, lattice_xy) < SAME_PLACE:
            return token.odds
    return None


def fits_at(image: Image, quad: Floats, uv: tuple[float, float], faces: TokenFaces) -> Floats:
    """How well each animal fits the picture of a token whose middle is near ``uv`` of the tile at ``quad``;
    float32 [animals]."""
    crops = _crops(image, quad, uv, faces.side)
    seen = _blocks(crops).transpose(1, 0, 2)
    similar = np.matmul(seen, faces.pictures)
    fit = np.maximum(similar, LEAST_FIT).mean(axis=0)
    return np.asarray(fit.max(axis=0).reshape(len(faces.animals), -1).max(axis=1), np.float32)


def _crops(image: Image, quad: Floats, uv: tuple[float, float], side: float) -> NDArray[np.uint8]:
    """The token's picture at each place where it may lie, [shifts², SIDE_PX, SIDE_PX, 3]."""
    reach = max(SHIFTS)
    wide = 1 + 2 * reach
    size = round(SIDE_PX * wide)
    unit = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32)
    to_px = cv2.getPerspectiveTransform(unit, quad)
    half = side * wide / 2
    corners = np.array([(-half, -half), (half, -half), (half, half), (-half, half)]) + uv
    px = cv2.perspectiveTransform(corners[None].astype(np.float64), to_px).reshape(4, 2)
    box = np.array([(0, 0), (size, 0), (size, size), (0, size)], np.float32) - np.float32(0.5)
    to_crop = cv2.getPerspectiveTransform(px.astype(np.float32), box)
    crop = cv2.warpPerspective(image, to_crop, (size, size), borderMode=cv2.BORDER_REPLICATE)
    starts = [round((shift + reach) * SIDE_PX) for shift in SHIFTS]
    return np.stack([crop[y : y + SIDE_PX, x : x + SIDE_PX] for y in starts for x in starts])


def _turned(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A picture at every turn, [turns, SIDE_PX, SIDE_PX, 3]."""
    small = cv2.resize(picture, (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_AREA)
    middle = (SIDE_PX - 1) / 2
    return np.stack(
        [
            cv2.warpAffine(
                small,
                cv2.getRotationMatrix2D((middle, middle), -turn, 1.0),
                (SIDE_PX, SIDE_PX),
                borderMode=cv2.BORDER_REPLICATE,
            )
            for turn in range(0, 360, TURN_STEP_DEG)
        ]
    )


def _blocks(pictures: NDArray[np.uint8]) -> Floats:
    """Pictures [n, s, s, 3] as blocks [n, blocks², values] of mean 0 and length 1. Colours are taken against
    the whole picture's mean, so that the light does not matter."""
    values = pictures.astype(np.float32)
    values -= values.mean(axis=(1, 2), keepdims=True)
    n = len(values)
    cell = SIDE_PX // BLOCKS
    parts = values.reshape(n, BLOCKS, cell, BLOCKS, cell, 3).transpose(0, 1, 3, 2, 4, 5)
    parts = parts.reshape(n, BLOCKS * BLOCKS, -1)
    length = np.linalg.norm(parts, axis=2, keepdims=True)
    return np.asarray(parts / np.maximum(length, math.sqrt(parts.shape[2]) * 2.0), np.float32)
