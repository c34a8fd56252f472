"""Pictures of tile games: the board's place in them, the overlay, the cells of a turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from engine.geometry import Cell
from engine.tiles.board import Laid
from engine.tiles.foreign import MARK, is_foreign
from engine.tiles.turn import Turn
from tilesight.live.album import PIECE_SURE, Homography, RecognisedPicture
from vision.geometry.lattice_frame import LatticeFrame
from vision.observation import CellReading, Observation, PieceReading
from vision.unknown_tiles import LIKELIER
from web.table.pictures import Picture, PicturePiece, PictureTile


@dataclass(frozen=True, slots=True, eq=False)
class SeenTiles:
    """Tiles and pieces recognised in a picture.

    ``lattice`` maps the observation's lattice to the game's frame of reference; None if the board was not
    found.
    """

    observation: Observation
    lattice: LatticeFrame | None


def board_to_px(observation: Observation, lattice: LatticeFrame | None) -> Homography | None:
    """Return the homography (3 × 3) from the game's frame to the picture's pixels.

    None if the board was not found.
    """
    if observation.pose is None or lattice is None:
        return None
    middle = np.array([[1, 0, -0.5], [0, 1, -0.5], [0, 0, 1]])
    quarter = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    x, y = lattice.origin
    back = np.array([[1, 0, x + 0.5], [0, 1, y + 0.5], [0, 0, 1]])
    turn = np.linalg.matrix_power(quarter, lattice.quarter_turns % 4)
    return np.asarray(observation.pose.H_px_from_lattice @ back @ turn @ middle, np.float64)


def cells_of(turn: Turn) -> tuple[Cell, ...]:
    """Return every cell that a turn touches, first that of its tile."""
    return tuple(dict.fromkeys([turn.cell, *(cell for use in turn.uses for cell in use.cells)]))


def picture_of(look: RecognisedPicture[SeenTiles], board: Mapping[Cell, Laid]) -> Picture:
    """Return the picture with its overlay: pieces, and every tile as it was read and as ``board`` has it."""
    observation, lattice = look.seen.observation, look.seen.lattice
    tiles: tuple[PictureTile, ...] = ()
    if lattice is not None:
        tiles = tuple(
            _tile(reading, observation, lattice, board, look.scale)
            for cell, reading in observation.cells.items()
            if reading.log_tile > 0 or observation.unknown.get(cell, 0.0) > LIKELIER
        )
    sure = [piece for piece in observation.pieces if piece.confidence >= PIECE_SURE]
    return look.picture(tiles, tuple(_piece(piece, look.scale) for piece in sure))


def _tile(
    reading: CellReading,
    observation: Observation,
    lattice: LatticeFrame,
    board: Mapping[Cell, Laid],
    scale: float,
) -> PictureTile:
    """Return a tile of the overlay as it was read and as ``board`` has it; ``scale`` is as in `_piece`.

    A tile that no known face explains is marked as foreign.
    """
    row, _ = np.unravel_index(int(reading.log_probs.argmax()), reading.log_probs.shape)
    read, confidence = observation.designs[int(row)], float(np.exp(reading.log_probs.max()))
    if reading.log_tile <= 0:
        read, confidence = MARK, observation.unknown[reading.cell]
    corners = np.roll(reading.corners_px, -lattice.quarter_turns, axis=0) * scale
    cell = lattice.cell(reading.cell)
    laid = board.get(cell)
    return PictureTile(
        cell=cell,
        corners_px=tuple((float(x), float(y)) for x, y in corners),
        read=read,
        confidence=confidence,
        known=None if laid is None else MARK if is_foreign(laid.design.id) else laid.design.id,
    )


def _piece(piece: PieceReading, scale: float) -> PicturePiece:
    """Return a piece of the overlay; ``scale`` is the pixels of the sent picture per pixel of the frame."""
    x, y = piece.point_px
    return PicturePiece(piece.kind, piece.color, piece.animal, (x * scale, y * scale), piece.confidence)
