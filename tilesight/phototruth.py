"""Photographs with reference answers: a folder of images and one ``truth.json`` (FORMATS).

Only code that compares afterwards reads these files; nothing that recognises does.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell

COUNTED_IN_FRAME = 1.0
COUNTED_VISIBLE = 0.6
COUNTED_SIDE_PX = 36.0
PIECE_VISIBLE = 0.5


class TruthError(ValueError):
    """A reference file that cannot be used; one line for the user."""


@dataclass(frozen=True, slots=True, eq=False)
class TrueTile:
    """One tile as it really lies; ``corners_px`` (4, 2) is the tile's own nw, ne, se, sw."""

    tile: str | None
    cell: Cell
    rot: int
    corners_px: NDArray[np.float64]
    counted: bool

    @property
    def side_px(self) -> float:
        """Mean side of its outline."""
        return mean_side_px(self.corners_px)


@dataclass(frozen=True, slots=True)
class TruePiece:
    """One piece as it really stands; ``cell`` None lies beside the board."""

    kind: str
    color: str | None
    pose: str | None
    cell: Cell | None
    feature: str | None
    point_px: tuple[float, float]
    visible: float


@dataclass(frozen=True, slots=True, eq=False)
class TruePhoto:
    """One image and what is on it."""

    path: Path
    pack: str | None
    tiles: tuple[TrueTile, ...]
    pieces: tuple[TruePiece, ...]


def mean_side_px(corners_px: NDArray[np.floating[Any]]) -> float:
    """Mean length of the four sides of a (4, 2) outline."""
    return float(np.linalg.norm(corners_px - np.roll(corners_px, -1, axis=0), axis=1).mean())


def read_photo_folder(folder: Path) -> tuple[TruePhoto, ...]:
    """Every photograph of a folder; TruthError names the file and field that is wrong."""
    path = folder / "truth.json"
    try:
        entries = json.loads(path.read_text("utf-8"))
    except OSError:
        raise TruthError(f"{folder}: holds no truth.json") from None
    except ValueError as error:
        raise TruthError(f"{path}: is not JSON ({error})") from None
    if not isinstance(entries, list) or not entries:
        raise TruthError(f"{path}: a list with one entry per image is expected")
    photos = []
    for i, entry in enumerate(entries):
        try:
            photos.append(_photo(entry, folder))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise TruthError(f"{path}: entry {i}: {error!r}") from None
    return tuple(photos)


def _photo(entry: dict[str, Any], folder: Path) -> TruePhoto:
    tiles = []
    for item in entry["tiles"]:
        corners = np.asarray(item["corners_px"], dtype=np.float64).reshape(4, 2)
        counted = (
            item.get("in_frame", 1.0) >= COUNTED_IN_FRAME
            and item.get("visible", 1.0) >= COUNTED_VISIBLE
            and mean_side_px(corners) >= COUNTED_SIDE_PX
        )
        x, y = item["cell"]
        tiles.append(TrueTile(item["tile"], (x, y), int(item.get("rot") or 0), corners, counted))
    pieces = []
    for item in entry.get("pieces", []):
        cell = item.get("cell")
        pieces.append(
            TruePiece(
                kind=item["kind"],
                color=item.get("color"),
                pose=item.get("pose"),
                cell=None if cell is None else (cell[0], cell[1]),
                feature=item.get("feature"),
                point_px=(item["point_px"][0], item["point_px"][1]),
                visible=float(item.get("visible", 1.0)),
            )
        )
    return TruePhoto(folder / entry["file"], entry.get("pack"), tuple(tiles), tuple(pieces))
