"""Calibration of piece colours, from pictures in which all pieces have one colour."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from calibration.cameras import CalibrationError
from calibration.params import PARAMS
from vision.image.color_profile import PieceColors
from vision.image.mapping import Observe
from vision.observation import Frame
from vision.pieces.detector import COLORS


def learn_colors(shown: Mapping[str, Iterable[Frame]], observe: Observe) -> PieceColors:
    """Learn the network's outputs for the pieces of each colour.
    ``shown[colour]`` are frames of a board on which all pieces have that colour, ``observe`` reads them.
    Raises CalibrationError for an unknown colour, or one without a detected piece."""
    readings: dict[str, list[Mapping[str, float]]] = {}
    for color, frames in shown.items():
        if color not in COLORS:
            raise CalibrationError(f"no pieces are {color!r} (known: {', '.join(COLORS)})")
        seen = [
            piece.color_probs
            for frame in frames
            for piece in observe(frame).pieces
            if piece.color_probs and piece.confidence >= PARAMS.learned_piece
        ]
        if not seen:
            raise CalibrationError(
                f"no piece is seen where the {color} ones are shown: stand them on tiles of the game"
            )
        readings[color] = seen
    return PieceColors.learned(readings)
