"""Album of a live table: the latest picture, and the cuts that show a turn or a question."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from engine.tiles.board import Laid
from engine.tiles.turn import Dig, Expand, MoveRanger, Turn
from tilesight.sessions.session import Session
from vision.geometry.lattice_frame import LatticeFrame
from vision.observation import CellReading, Frame, Image, Observation, PieceReading
from web.tables.table import Picture, PicturePiece, PictureTile

SENT_PX = 1280
"""Width at most of the pictures that are kept and sent."""
CROP_PX = 640
"""Longest side at most of a part that is sent."""
CROP_MARGIN = 0.45
"""Kept around the cells of a crop, in tile sides: pieces stand up and lean out of their cell."""
PIECE_SURE = 0.5
QUALITY = 85

Homography = NDArray[np.float64]
_CORNERS = ((0, 0), (1, 0), (1, 1), (0, 1))


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """A picture of the table. ``H_px_from_board`` (3 × 3) maps the game's frame, cell (x, y) at
    [x, x+1] × [y, y+1], to its pixels; None where the board was not found in it."""

    image: Image
    H_px_from_board: Homography | None


class Album(Protocol):
    """Where a table's pictures are found."""

    def picture(self, board: Mapping[Cell, Laid]) -> Picture | None:
        """The latest picture, and how what was seen in it agrees with ``board``."""

    def turn_shot(self, number: int) -> Shot | None:
        """The picture that decided turn ``number`` (from 1); None where none is kept."""

    def question_shot(self, question_id: str) -> Shot | None:
        """The picture that an open question is about."""


class Lookout:
    """The latest picture with what was seen in it. One thread looks, any may ask."""

    def __init__(self) -> None:
        # One tuple, swapped as a whole, and so is what was made of it.
        self._seen: tuple[Frame, Observation, LatticeFrame | None] | None = None
        self._made: tuple[object, object, Picture] | None = None

    def look(self, frame: Frame, observation: Observation, lattice: LatticeFrame | None) -> None:
        """A new picture; ``lattice`` is where the game's board lies in the observation's lattice."""
        self._seen = (frame, observation, lattice)

    def shot(self) -> Shot | None:
        """The latest picture alone."""
        if self._seen is None:
            return None
        frame, observation, lattice = self._seen
        return Shot(frame.image, board_to_px(observation, lattice))

    def picture(self, board: Mapping[Cell, Laid]) -> Picture | None:
        """The latest picture with its overlay, made when first asked for."""
        seen, made = self._seen, self._made
        if seen is None:
            return None
        if made is None or made[0] is not seen or made[1] is not board:
            made = (seen, board, _picture(*seen, board))
            self._made = made
        return made[2]


class SessionAlbum:
    """The pictures of a recorded session; those that decided turns are read from its folder again."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._lookout = Lookout()
        self._boards: dict[int, Homography | None] = {}
        self._frames: tuple[int | None, ...] = ()

    def look(self, frame: Frame, observation: Observation, lattice: LatticeFrame | None) -> None:
        """One more picture of the session."""
        self._lookout.look(frame, observation, lattice)
        self._boards[frame.index] = board_to_px(observation, lattice)

    def decided(self, frames: Iterable[int | None]) -> None:
        """Which picture decided each turn so far."""
        self._frames = tuple(frames)

    def picture(self, board: Mapping[Cell, Laid]) -> Picture | None:
        """The latest picture with its overlay."""
        return self._lookout.picture(board)

    def turn_shot(self, number: int) -> Shot | None:
        """The picture that decided a turn."""
        index = self._frames[number - 1] if 0 < number <= len(self._frames) else None
        if index is None or index not in self._boards:
            return None
        return Shot(self._session.frames[index].read().image, self._boards[index])

    def question_shot(self, question_id: str) -> Shot | None:
        """A recording asks nothing."""
        return None


def board_to_px(observation: Observation, lattice: LatticeFrame | None) -> Homography | None:
    """The homography (3 × 3) from the game's frame to the picture's pixels."""
    if observation.pose is None or lattice is None:
        return None
    middle = np.array([[1, 0, -0.5], [0, 1, -0.5], [0, 0, 1]])
    quarter = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    x, y = lattice.origin
    back = np.array([[1, 0, x + 0.5], [0, 1, y + 0.5], [0, 0, 1]])
    turn = np.linalg.matrix_power(quarter, lattice.quarter_turns % 4)
    return np.asarray(observation.pose.H_px_from_lattice @ back @ turn @ middle, np.float64)


def cells_of(turn: Turn) -> tuple[Cell, ...]:
    """Every cell that a turn touches: its tile's first."""
    cells = [turn.cell]
    match turn.action:
        case MoveRanger(start, to):
            cells += [start, to]
        case Dig(cell, _, _) | Expand(cell, _, _):
            cells.append(cell)
        case _:
            pass
    if turn.ranger_to is not None:
        cells.append(turn.ranger_to)
    cells += [bonus.cell for bonus in turn.bonus]
    return tuple(dict.fromkeys(cells))


def crop_jpeg(shot: Shot, cells: Iterable[Cell]) -> bytes:
    """The part of a picture that shows ``cells`` with a margin, upright as the camera saw it, as JPEG; the
    whole picture where the board was not found in it or lies outside."""
    image = shot.image
    if shot.H_px_from_board is not None:
        points = np.array([
            (x + u + (2 * u - 1) * CROP_MARGIN, y + v + (2 * v - 1) * CROP_MARGIN)
            for x, y in cells
            for u, v in _CORNERS
        ])  # fmt: skip
        box = _box(_project(shot.H_px_from_board, points), image.shape[1], image.shape[0])
        if box is not None:
            x0, y0, x1, y1 = box
            image = image[y0:y1, x0:x1]
    scale = min(1.0, CROP_PX / max(image.shape[:2]))
    return jpeg_of(image, round(image.shape[1] * scale))


def jpeg_of(image: Image, width_px: int = SENT_PX) -> bytes:
    """A picture as JPEG, at most ``width_px`` wide."""
    scale = width_px / image.shape[1]
    if scale < 1.0:
        small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        image = np.asarray(small, np.uint8)
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1].tobytes())


def _project(H_px_from_board: Homography, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points of the board in pixels, shape (n, 2); those behind the camera are not a number."""
    homogeneous = np.c_[points, np.ones(len(points))] @ H_px_from_board.T
    # The sign of the scale is the homography's own: what lies before the camera has that of the middle.
    w = homogeneous[:, 2] * np.sign(H_px_from_board[2, 2])
    w = np.where(w > 0, w, np.nan) * np.sign(H_px_from_board[2, 2])
    return np.asarray(homogeneous[:, :2] / w[:, None], np.float64)


def _box(points_px: NDArray[np.float64], width: int, height: int) -> tuple[int, int, int, int] | None:
    if np.isnan(points_px).any():
        return None
    low = np.clip(np.floor(points_px.min(axis=0)), 0, (width, height)).astype(int)
    high = np.clip(np.ceil(points_px.max(axis=0)), 0, (width, height)).astype(int)
    if (high - low).min() < 8:
        return None
    return int(low[0]), int(low[1]), int(high[0]), int(high[1])


def _picture(
    frame: Frame, observation: Observation, lattice: LatticeFrame | None, board: Mapping[Cell, Laid]
) -> Picture:
    height, width = frame.image.shape[:2]
    scale = min(1.0, SENT_PX / width)
    tiles: tuple[PictureTile, ...] = ()
    if lattice is not None:
        readings = [reading for reading in observation.cells.values() if reading.log_tile > 0]
        tiles = tuple(_tile(reading, observation.designs, lattice, board, scale) for reading in readings)
    pieces = tuple(_piece(p, scale) for p in observation.pieces if p.confidence >= PIECE_SURE)
    return Picture(
        frame=frame.index,
        size_wh=(round(width * scale), round(height * scale)),
        jpeg=cache(lambda: jpeg_of(frame.image)),
        tiles=tiles,
        pieces=pieces,
    )


def _tile(
    reading: CellReading,
    designs: tuple[str, ...],
    lattice: LatticeFrame,
    board: Mapping[Cell, Laid],
    scale: float,
) -> PictureTile:
    row, _ = np.unravel_index(int(reading.log_probs.argmax()), reading.log_probs.shape)
    corners = np.roll(reading.corners_px, -lattice.quarter_turns, axis=0) * scale
    cell = lattice.cell(reading.cell)
    laid = board.get(cell)
    return PictureTile(
        cell=cell,
        corners_px=tuple((float(x), float(y)) for x, y in corners),
        read=designs[int(row)],
        confidence=float(np.exp(reading.log_probs.max())),
        known=laid.design.id if laid is not None else None,
    )


def _piece(piece: PieceReading, scale: float) -> PicturePiece:
    x, y = piece.point_px
    return PicturePiece(piece.kind, piece.color, piece.animal, (x * scale, y * scale), piece.confidence)
