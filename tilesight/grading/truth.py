"""Photographs with reference answers: a folder of images and one ``truth.json``.

The format: docs/formats.md, 'Photographs with truth'.

Only code that compares afterwards reads these files; nothing that recognises does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine import jsonvalue as jv
from engine.geometry import Cell
from tilesight.grading.squares_truth import TrueSquares, read_squares
from vision.observation import mean_sides_px

COUNTED_IN_FRAME = 1.0
COUNTED_VISIBLE = 0.6
COUNTED_SIDE_PX = 36.0
PIECE_VISIBLE = 0.5


class TruthError(ValueError):
    """A reference file that cannot be used; one line for the user."""


@dataclass(frozen=True, slots=True, eq=False)
class TrueTile:
    """One tile as it really lies; ``corners_px`` (4, 2) is the tile's own nw, ne, se, sw.

    ``tile`` is None if the tile is of another set; ``counted`` is false if it is too small, hidden or cut off
    to be marked; ``alike`` are other designs that look the same.
    """

    tile: str | None
    cell: Cell
    rot: int
    corners_px: NDArray[np.float64]
    counted: bool
    alike: frozenset[str] = frozenset()

    @property
    def side_px(self) -> float:
        """Mean side of its outline in pixels."""
        return mean_side_px(self.corners_px)


@dataclass(frozen=True, slots=True)
class TruePiece:
    """One true piece; ``cell`` is None beside the board.

    ``on`` is the kind of its feature (city, road, field, monastery) if ``feature`` is not given.
    """

    kind: str
    color: str | None
    pose: str | None
    cell: Cell | None
    feature: str | None
    point_px: tuple[float, float]
    visible: float
    on: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class TruePhoto:
    """One image with its true tiles and pieces."""

    path: Path
    pack: str | None
    tiles: tuple[TrueTile, ...]
    pieces: tuple[TruePiece, ...]
    squares: TrueSquares | None = None
    """Truth of a board of squares; such a photograph has no tiles and pieces."""


def mean_side_px(corners_px: NDArray[np.floating[Any]]) -> float:
    """Return the mean length of the four sides of a (4, 2) outline, in its units."""
    return float(mean_sides_px(corners_px))


def read_photo_folder(folder: Path) -> tuple[TruePhoto, ...]:
    """Return every photograph that the ``truth.json`` of a folder lists.

    Raises TruthError, which names the file and field, if it is missing or invalid.
    """
    path = folder / "truth.json"
    try:
        entries = jv.list_at(jv.parse(path.read_text("utf-8")), "")
        if not entries:
            raise jv.FieldError("", "is empty: one entry per image is expected")
        return tuple(_photo(entry, f"[{i}]", folder) for i, entry in enumerate(entries))
    except OSError:
        raise TruthError(f"{folder}: holds no truth.json") from None
    except UnicodeDecodeError:
        raise TruthError(f"{path}: is not UTF-8 text") from None
    except jv.FieldError as error:
        raise TruthError(f"{path}: {error}") from None


def pack_of(photos: tuple[TruePhoto, ...]) -> str | None:
    """Return the pack that the photographs name; None if they name several or none."""
    named = {photo.pack for photo in photos}
    return named.pop() if len(named) == 1 else None


def _photo(value: object, at: str, folder: Path) -> TruePhoto:
    entry = jv.object_at(value, at)
    squares = read_squares(entry, at, PIECE_VISIBLE) if "board" in entry else None
    if squares is not None:
        entry = {**entry, "tiles": [], "pieces": []}
    tiles = jv.list_at(jv.get(entry, "tiles", at), f"{at}.tiles")
    pieces = jv.list_at(entry.get("pieces", []), f"{at}.pieces")
    name = jv.text_at(jv.get(entry, "file", at), f"{at}.file")
    if not (folder / name).is_file():
        raise jv.FieldError(f"{at}.file", f"there is no {jv.shown(name)} in the folder")
    return TruePhoto(
        folder / name,
        _text(entry, "pack", at),
        tuple(_tile(item, f"{at}.tiles[{i}]") for i, item in enumerate(tiles)),
        tuple(_piece(item, f"{at}.pieces[{i}]") for i, item in enumerate(pieces)),
        squares,
    )


def _tile(value: object, at: str) -> TrueTile:
    item = jv.object_at(value, at)
    corners = [
        jv.point_at(point, f"{at}.corners_px[{i}]")
        for i, point in enumerate(jv.list_at(jv.get(item, "corners_px", at), f"{at}.corners_px", 4))
    ]
    corners_px = np.array(corners, dtype=np.float64)
    counted = (
        _share(item, "in_frame", at) >= COUNTED_IN_FRAME
        and _share(item, "visible", at) >= COUNTED_VISIBLE
        and mean_side_px(corners_px) >= COUNTED_SIDE_PX
    )
    cell = jv.cell_at(jv.get(item, "cell", at), f"{at}.cell")
    rot = jv.rot_at(item.get("rot") or 0, f"{at}.rot")
    alike = frozenset(_texts(item, "same_art", at) + _texts(item, "same_print", at))
    return TrueTile(_text(item, "tile", at), cell, rot, corners_px, counted, alike)


def _piece(value: object, at: str) -> TruePiece:
    item = jv.object_at(value, at)
    cell = item.get("cell")
    return TruePiece(
        kind=jv.text_at(jv.get(item, "kind", at), f"{at}.kind"),
        color=_text(item, "color", at),
        pose=_text(item, "pose", at),
        cell=None if cell is None else jv.cell_at(cell, f"{at}.cell"),
        feature=_text(item, "feature", at),
        point_px=jv.point_at(jv.get(item, "point_px", at), f"{at}.point_px"),
        visible=_share(item, "visible", at),
        on=_text(item, "on", at),
    )


def _text(item: Mapping[str, Any], key: str, at: str) -> str | None:
    value = item.get(key)
    return None if value is None else jv.text_at(value, f"{at}.{key}")


def _texts(item: Mapping[str, Any], key: str, at: str) -> list[str]:
    listed = jv.list_at(item.get(key, []), f"{at}.{key}")
    return [jv.text_at(one, f"{at}.{key}[{i}]") for i, one in enumerate(listed)]


def _share(item: Mapping[str, Any], key: str, at: str) -> float:
    return jv.number_at(item.get(key, 1.0), f"{at}.{key}")
