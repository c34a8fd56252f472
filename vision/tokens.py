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
from vision.expected import DARKEST, ExpectedFace, line_of_light
from vision.observation import BoardPose, CellReading, Image, PieceReading
from vision.ortho import uv_in_quad
from vision.rectify import SQUARE

Floats = NDArray[np.float32]
SIDE_PX = 24
TURN_STEP_DEG = 15
LAID_TURNS_DEG = (-6, 0, 6)
"""How far one that is flush with a corner may be turned from where its water lies at the corner."""
CORNERS_DEG = {(1, 1): 0, (0, 1): 90, (0, 0): 180, (1, 0): 270}
"""Clockwise turn of one flush with the corner (east, south) of a tile: its own south-east is its water."""
FLUSH = 0.12
"""One whose middle is seen this near to where it would lie flush, in tile sides, does."""
SHIFTS = (-0.16, -0.08, 0.0, 0.08, 0.16)
"""How far the tile may lie beside where the piece reader saw its middle, in its own sides."""
OFF_LEVELS = 75.0
"""A pixel that is off by so many grey levels, all colours together, is hidden and says nothing."""
SHARPNESS = 60.0
"""Nats by which two animals differ of which one fits everywhere and the other nowhere."""
LIGHT_PX = 32
LIGHT_NEAR = 0.35
"""The light on an animal tile is that of the print around it: deviation of what counts, in tile sides."""
ARTWORK = 4
"""The pictures are turned at so many times their size."""
SAME_PLACE = 0.05
"""A token seen this near to where one was, in tile sides, is that one."""
Light = tuple[Floats, Floats]
"""Gain and base (3,) of each colour: a photograph shows the print's value times gain plus base."""


@dataclass(frozen=True, slots=True, eq=False)
class TokenFaces:
    """A pack's animal tiles: ``pictures`` float32 [turns, animals, SIDE_PX, SIDE_PX, 4], BGR and how much of
    a pixel is tile, for each of ``turns_deg`` clockwise; ``side`` is the side of one in tile sides."""

    animals: tuple[str, ...]
    turns_deg: tuple[int, ...]
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
            image = None if path is None else cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
            if image is None:
                return None
            pictures.append(_with_cover(np.asarray(image, np.uint8)))
        laid = {corner + turn for corner in CORNERS_DEG.values() for turn in LAID_TURNS_DEG}
        turns = tuple(sorted({turn % 360 for turn in laid} | set(range(0, 360, TURN_STEP_DEG))))
        turned = np.stack([[_turned(picture, turn) for picture in pictures] for turn in turns])
        return cls(tuple(animal for animal, _ in files), turns, turned, pack.token_mm / pack.tile_mm)


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
        prints: Mapping[Cell, ExpectedFace],
    ) -> tuple[PieceReading, ...]:
        """The pieces, with ``animal`` and ``animal_probs`` on the tokens that lie on a tile of ``pose``.
        ``cells`` are the readings of the same picture, ``prints`` the faces that are known: they tell how
        the light is."""
        before, self._known = self._known, []
        read = []
        for piece in pieces:
            cell = cells.get(piece.cell)
            if piece.kind == "token" and cell is not None and piece.cell in pose.quads:
                odds = _as_before(before, cell, piece.lattice_xy) or self._odds(
                    image, pose, piece, prints.get(piece.cell)
                )
                self._known.append(_Known(cell, piece.lattice_xy, odds))
                piece = replace(piece, animal=max(odds, key=lambda name: odds[name]), animal_probs=odds)
            read.append(piece)
        return tuple(read)

    def _odds(
        self, image: Image, pose: BoardPose, piece: PieceReading, print_: ExpectedFace | None
    ) -> Mapping[str, float]:
        quad = np.asarray(pose.quads[piece.cell], np.float32)
        uv = uv_in_quad(quad, np.asarray(piece.point_px, np.float64))
        light = light_at(image, quad, uv, print_) if print_ is not None else None
        misfits = misfits_at(image, quad, uv, self._faces, light)
        weights = np.exp(-SHARPNESS * (misfits - misfits.min()))
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


def light_at(image: Image, quad: Floats, uv: tuple[float, float], print_: ExpectedFace) -> Light:
    """The light around ``uv`` of the tile at ``quad``, from its known print; what does not agree with it,
    pieces above all, counts little."""
    box = (SQUARE * LIGHT_PX - 0.5).astype(np.float32)
    to_square = cv2.getPerspectiveTransform(quad, box)
    square = cv2.warpPerspective(image, to_square, (LIGHT_PX, LIGHT_PX))
    seen = np.asarray(square, np.float32).reshape(-1, 3)
    small = cv2.resize(print_.picture, (LIGHT_PX, LIGHT_PX), interpolation=cv2.INTER_AREA)
    told = np.rot90(np.asarray(small, np.float32), -print_.turn).reshape(-1, 3)
    at = (np.stack(np.meshgrid(*2 * [np.arange(LIGHT_PX)]), axis=-1).reshape(-1, 2) + 0.5) / LIGHT_PX
    near = np.exp(-((at - np.array(uv)) ** 2).sum(axis=1) / (2 * LIGHT_NEAR**2)).astype(np.float32)
    return line_of_light(told, seen, near)


def misfits_at(
    image: Image, quad: Floats, uv: tuple[float, float], faces: TokenFaces, light: Light | None
) -> Floats:
    """How badly each animal explains the picture of a token whose middle is near ``uv`` of the tile at
    ``quad``, 0..1 of its pixels; float32 [animals]. Without a ``light`` it is taken from the token."""
    half = faces.side / 2
    corner = (int(uv[0] > 0.5), int(uv[1] > 0.5))
    flush = np.abs(np.array(corner) - half)
    if math.dist(flush, uv) < FLUSH:
        turns = {(CORNERS_DEG[corner] + turn) % 360 for turn in LAID_TURNS_DEG}
        uv = tuple((flush + uv) / 2)
    else:
        turns = set(range(0, 360, TURN_STEP_DEG))
    pictures = faces.pictures[[turn in turns for turn in faces.turns_deg]]
    crops = _crops(image, quad, uv, faces.side)
    if light is None:
        paper = pictures[pictures[..., 3] > 0.5]
        gain = np.full(3, np.median(crops) / np.median(paper[:, :3]), np.float32)
        light = (gain, np.zeros(3, np.float32))
    seen = (crops - light[1]) / np.maximum(light[0], DARKEST)
    misfit = np.empty((*pictures.shape[:2], len(seen)), np.float32)
    for turn, animals in enumerate(pictures):
        for animal, picture in enumerate(animals):
            off = np.abs(seen - picture[..., :3]).sum(axis=3) / OFF_LEVELS
            cover = picture[..., 3]
            misfit[turn, animal] = (np.minimum(off, 1.0) * cover).sum(axis=(1, 2)) / cover.sum()
    return np.asarray(misfit.min(axis=(0, 2)), np.float32)


def _crops(image: Image, quad: Floats, uv: tuple[float, float], side: float) -> Floats:
    """The token's picture at each place where it may lie, [shifts², SIDE_PX, SIDE_PX, 3]."""
    reach = max(SHIFTS)
    wide = 1 + 2 * reach
    size = round(SIDE_PX * wide)
    to_px = cv2.getPerspectiveTransform(SQUARE.astype(np.float32), quad)
    corners = (SQUARE - 0.5) * side * wide + np.array(uv)
    px = cv2.perspectiveTransform(corners[None].astype(np.float64), to_px).reshape(4, 2)
    box = (SQUARE * 2 * size - 0.5).astype(np.float32)
    to_crop = cv2.getPerspectiveTransform(px.astype(np.float32), box)
    fine = cv2.warpPerspective(image, to_crop, (2 * size, 2 * size), borderMode=cv2.BORDER_REPLICATE)
    crop = np.asarray(cv2.resize(fine, (size, size), interpolation=cv2.INTER_AREA), np.float32)
    starts = [round((shift + reach) * SIDE_PX) for shift in SHIFTS]
    return np.stack([crop[y : y + SIDE_PX, x : x + SIDE_PX] for y in starts for x in starts])


def _with_cover(picture: NDArray[np.uint8]) -> Floats:
    """A picture with or without transparency as float32 (s, s, 4): colours times cover, and cover 0..1."""
    size = (SIDE_PX * ARTWORK, SIDE_PX * ARTWORK)
    small = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.float32)
    if small.shape[2] == 3:
        return np.concatenate([small, np.ones_like(small[..., :1])], axis=2)
    cover = small[..., 3:] / 255
    return np.concatenate([small[..., :3] * cover, cover], axis=2)


def _turned(picture: Floats, turn_deg: float) -> Floats:
    """A picture turned clockwise, [SIDE_PX, SIDE_PX, 4], as soft as a camera sees it."""
    middle = (len(picture) - 1) / 2
    turn = cv2.getRotationMatrix2D((middle, middle), -turn_deg, 1.0)
    turned = cv2.warpAffine(picture, turn, (len(picture), len(picture)))
    small = cv2.resize(turned, (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_AREA)
    soft = np.asarray(cv2.GaussianBlur(small, (0, 0), 0.5), np.float32)
    soft[..., :3] /= np.maximum(soft[..., 3:], 0.05)
    return soft
