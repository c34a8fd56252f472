"""JSON document of a photograph's reading (docs/formats.md, 'Output of photo')."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.fault import Fault
from tilesight.photograph.reading import PhotoReading
from tilesight.photograph.score import PhotoScore
from tilesight.photograph.trouble import told_trouble
from vision.board import SeenPiece, SeenTile, SolvedBoard, reported_alternatives


def photo_document(
    reading: PhotoReading, board: SolvedBoard, faults: Sequence[Fault], score: PhotoScore
) -> dict[str, Any]:
    """Return the document of a reading (docs/formats.md, 'Output of photo').

    ``board`` is the reading's board, or its corrected copy; ``faults`` and ``score`` are that board's.
    """
    pack = reading.pack
    return {
        "tilesight": 1,
        "game": pack.game if pack is not None else None,
        "pack": pack.id if pack is not None else None,
        "image": {"size_wh": list(reading.size_wh)},
        "tiles": [tile_json(tile) for tile in board.tiles],
        "pieces": [piece_json(piece) for piece in board.pieces],
        "faults": [fault.to_json() for fault in faults],
        **score.to_json(),
        "timing_ms": {name: round(ms, 1) for name, ms in reading.timing_ms.items()},
        **about_reading(reading),
    }


def about_reading(reading: PhotoReading) -> dict[str, Any]:
    """Return the document's fields about the reading as a whole: why there is no board, whether the picture
    is mirrored, and, unless the pack was named and is right, whether it was recognised, and all scores."""
    trouble, choice = reading.trouble, reading.choice
    value: dict[str, Any] = {"trouble": None, "mirrored": reading.mirrored}
    if trouble is not None:
        message = told_trouble(trouble, reading.size_wh)
        value["trouble"] = {"code": trouble, "message": message, "said": message.to_json()}
    if choice is None:
        return value | ({} if reading.other_edition is None else {"pack_recognised": False})
    return value | {
        "pack_chosen": True,
        "pack_recognised": choice.recognised,
        "packs_tried": [{"pack": name, "score": round(score, 4)} for name, score in choice.scores.items()],
    }


def tile_json(tile: SeenTile) -> dict[str, Any]:
    """Return the JSON object of one tile, with its alternatives, if it has any."""
    value: dict[str, Any] = {
        "tile": tile.face.design if tile.face else None,
        "cell": list(tile.cell),
        "rot": tile.face.rot if tile.face else 0,
        "confidence": round(tile.confidence, 4),
        "corners_px": np.round(tile.corners_px.astype(float), 2).tolist(),
    }
    if others := reported_alternatives(tile):
        value["alternatives"] = [
            {"tile": face.design, "rot": face.rot, "confidence": round(share, 4)} for face, share in others
        ]
    return value


def piece_json(piece: SeenPiece) -> dict[str, Any]:
    """Return the JSON object of one piece."""
    reading = piece.reading
    value: dict[str, Any] = {
        "kind": reading.kind,
        "color": reading.color,
        "pose": reading.pose,
        "cell": list(piece.cell) if piece.cell is not None else None,
        "feature": piece.feature,
        "point_px": [round(reading.point_px[0], 1), round(reading.point_px[1], 1)],
        "confidence": round(reading.confidence, 4),
    }
    if reading.color_probs:
        value["color_confidence"] = round(piece.color_confidence, 4)
    if reading.sort_probs:
        value["pose_confidence"] = round(piece.pose_confidence, 4)
    if reading.animal is not None:
        value["animal"] = reading.animal
    if piece.corner is not None:
        value["corner"] = piece.corner
    return value
