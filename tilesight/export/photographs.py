"""Labels of photographs: what is read in each, one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np

from engine.pack import Pack
from tilesight.export.labels import (
    SQUARE_SIDES,
    Label,
    LabelledPicture,
    corners_inside,
    piece_corners,
)
from tilesight.grading.squares_photo import seen_squares
from tilesight.photograph.reading import ReadingOptions, read_photographs
from vision.board import SeenPiece, SeenTile
from vision.image.decode import read_frame
from vision.observation import Image, mean_sides_px, size_of
from vision.squares.reading import SeenSquares

QUALITY = 95
"""JPEG quality of exported photographs, 0 to 100."""
UNKNOWN = "unknown tile"
"""Name of a tile that no known face explains."""
PICTURES = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".gif", ".webp", ".tif", ".tiff", ".avif"})
"""Endings of files that count as photographs in a folder."""


def photographs_in(path: Path) -> list[Path]:
    """Return a photograph, or those in a folder by name; [] if there are none."""
    if path.is_file():
        return [path]
    return sorted(one for one in path.iterdir() if one.suffix.lower() in PICTURES and one.is_file())


def read_pictures(paths: Sequence[Path], asked: ReadingOptions) -> Iterator[LabelledPicture]:
    """Read photographs and yield each with its labels; names that repeat get a number.

    The pictures are encoded anew, so they hold neither a place nor the name of a camera. Raises the errors of
    `read_photographs`.
    """
    names: set[str] = set()
    for number, path in enumerate(paths, 1):
        reading = read_photographs([path], asked)
        image = read_frame(path).image
        size_wh = size_of(image)
        if reading.pack is not None and reading.pack.quarters:
            seen = seen_squares(reading.observation, reading.pack)
            labels = () if seen is None else tuple(labels_of_squares(seen, size_wh))
        else:
            tiles = {tile.cell: tile for tile in reading.board.tiles}
            read = (
                *(tile_label(tile, size_wh) for tile in tiles.values()),
                *(piece_label(piece, tiles, reading.pack, size_wh) for piece in reading.board.pieces),
            )
            labels = tuple(label for label in read if label is not None)
        name = f"{path.stem}.jpg" if path.stem not in names else f"{path.stem}-{number}.jpg"
        names.add(path.stem)
        yield LabelledPicture(name, encoded(image), size_wh, labels)


def encoded(image: Image) -> bytes:
    """Return a picture as JPEG without any metadata."""
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1].tobytes())


def tile_label(tile: SeenTile, size_wh: tuple[int, int]) -> Label | None:
    """Return the label of a tile as it was read; None if it lies outside of the picture."""
    corners = corners_inside(tile.corners_px, size_wh)
    if corners is None:
        return None
    face = tile.face
    about = {"cell": list(tile.cell), "rot": face.rot if face else 0}
    return Label("tile", face.design if face else UNKNOWN, corners, tile.confidence, about)


def piece_label(
    piece: SeenPiece, tiles: dict[tuple[int, int], SeenTile], pack: Pack | None, size_wh: tuple[int, int]
) -> Label | None:
    """Return the label of a piece as it was read; None if it lies beside the board."""
    if piece.cell is None or not tiles:
        return None
    x, y = piece.cell
    near = min(tiles.values(), key=lambda tile: abs(tile.cell[0] - x) + abs(tile.cell[1] - y))
    side_px = float(mean_sides_px(np.asarray(near.corners_px)[None])[0])
    reading = piece.reading
    corners = piece_corners(reading.kind, reading.point_px, side_px, size_wh)
    if corners is None:
        return None
    face = tiles[piece.cell].face if piece.cell in tiles else None
    design = face.design if face is not None else None
    about = {"cell": [x, y], "pose": reading.pose, **role_of(piece.feature, design, pack)}
    name = piece_name(reading.kind, reading.color, reading.animal)
    return Label("piece", name, corners, reading.confidence, about, reading.color_probs)


def role_of(feature: str | None, design: str | None, pack: Pack | None) -> dict[str, str]:
    """Return the ``feature`` on which a piece stands and its kind as ``role``, as far as they are known."""
    if feature is None:
        return {}
    face_known = pack.designs.get(design) if pack is not None and design is not None else None
    known = None if face_known is None else face_known.tile.feature(feature)
    return {"feature": feature, **({} if known is None else {"role": known.kind})}


def piece_name(kind: str, color: str | None, animal: str | None = None) -> str:
    """Return the name of a kind of piece for labels: its colour or animal, and the kind."""
    return f"{animal or color or 'unknown'} {kind}"


def labels_of_squares(seen: SeenSquares, size_wh: tuple[int, int]) -> Iterator[Label]:
    """Yield the labels of a board of squares as it was read: its parts, then its figures."""
    for part in seen.parts:
        corners = corners_inside(part.corners_px, size_wh)
        if corners is not None:
            about = {"cell": list(part.cell), "rot": part.rot}
            yield Label("tile", part.design, corners, part.confidence, about)
    side_px = float(mean_sides_px(np.asarray(seen.corners_px)[None])[0]) / seen.squares * SQUARE_SIDES
    for one in seen.figures:
        corners = piece_corners(one.figure.kind, one.reading.point_px, side_px, size_wh)
        if corners is not None:
            figure = one.figure
            facing = {} if figure.facing is None else {"facing": figure.facing}
            about = {"square": figure.square, "pose": one.reading.pose, **facing}
            name = f"{figure.name} {figure.kind}"
            yield Label("piece", name, corners, one.reading.confidence, about, one.reading.color_probs)
