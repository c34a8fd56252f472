"""Album of a live table for games on squares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import cv2
import numpy as np

from engine.grid_game import SquareGame, square_place
from engine.pack import Pack
from tilesight.live.album import PIECE_SURE, SENT_PX, Homography, Shot, crop_jpeg, jpeg_of
from tilesight.table_log.event_store import Entry, TableStore
from vision.grid.reading import SeenSquares, see_squares
from vision.image.decode import decode_image
from vision.observation import Frame, Observation
from web.tables.table import Picture, PicturePiece

BOARD_AT = "H_px_from_board"
"""In an entry with a picture: where the board lies in it, the nine numbers of the homography by rows."""
KEPT_OF_A_RECORDING = 400
"""So many pictures of a recording are held in memory."""


class SquareAlbum:
    """The latest picture, and those that turns were made from: in the table's log, or, where a recording is
    shown, in memory."""

    def __init__(self, store: TableStore | None) -> None:
        self._store = store
        self._seen: tuple[Frame, SeenSquares | None] | None = None
        self._made: tuple[object, Picture] | None = None
        self._rested: Frame | None = None
        self._kept: dict[int, tuple[Mapping[str, Any], bytes]] = {}
        self._entries = 0

    @property
    def frame_index(self) -> int | None:
        """The number of the latest picture."""
        return self._seen[0].index if self._seen is not None else None

    def look(self, frame: Frame, observation: Observation, pack: Pack, game: SquareGame) -> None:
        """A new picture, and what was seen in it."""
        self._seen = (frame, see_squares(observation, pack, game.walker, game.pawn))

    def rest(self) -> None:
        """The latest picture shows the table at rest: it goes with the next entry as what was before."""
        self._rested = self._seen[0] if self._seen is not None else None

    def picture(self) -> Picture | None:
        """The latest picture with its overlay, made when first asked for."""
        seen, made = self._seen, self._made
        if seen is None:
            return None
        if made is None or made[0] is not seen:
            made = (seen, _picture(*seen))
            self._made = made
        return made[1]

    def to_keep(self) -> tuple[Mapping[str, bytes], Mapping[str, Any]]:
        """The pictures for an entry, the latest and the table at rest before it, and what the entry should
        say about the latest."""
        if self._seen is None:
            return {}, {}
        frame, seen = self._seen
        about: dict[str, Any] = {}
        if seen is not None:
            scale = min(1.0, SENT_PX / frame.image.shape[1])
            H = np.diag([scale, scale, 1.0]) @ _board_to_px(seen)
            about[BOARD_AT] = [float(f"{number:.6g}") for number in (H / H[2, 2]).flat]
        pictures = {"frame": jpeg_of(frame.image)}
        if self._rested is not None:
            pictures["before"] = jpeg_of(self._rested.image)
        return pictures, about

    def keep(self, kind: str, data: Mapping[str, Any], pictures: Mapping[str, bytes]) -> Entry:
        """An entry of a recording, which has no log."""
        self._entries += 1
        if "frame" in pictures:
            self._kept[self._entries] = (data, pictures["frame"])
            for number in list(self._kept)[:-KEPT_OF_A_RECORDING]:
                del self._kept[number]
        return Entry(self._entries, kind, 0.0, dict(data))

    def crop(self, entry_number: int, squares: Sequence[str], across: int) -> bytes | None:
        """The part of the picture kept with an entry that shows some squares of a board with ``across`` to a
        side, as JPEG; None where none is kept."""
        data, jpeg = self._kept.get(entry_number, ({}, None))
        if self._store is not None:
            entry = self._store.entry(entry_number)
            data = entry.data if entry is not None else {}
            jpeg = self._store.picture(entry_number, "frame")
        if jpeg is None:
            return None
        at = data.get(BOARD_AT)
        H = None if at is None else np.array(at, np.float64).reshape(3, 3)
        # With the squares around them: what a figure stands beside tells where it stands.
        around = [
            (x + dx, y + dy)
            for x, y in (square_place(name, across) for name in squares)
            for dx in (-1, 0, 1)
            for dy in (-1, 0, 1)
        ]
        return crop_jpeg(Shot(decode_image(jpeg), H), around)


def _board_to_px(seen: SeenSquares) -> Homography:
    """The homography (3 × 3) from the board, a square [x, x+1] × [y, y+1] from the north-west, to pixels."""
    n = float(seen.squares)
    board = np.array([[0, 0], [n, 0], [n, n], [0, n]], np.float32)
    corners = np.asarray(seen.corners_px, np.float32)
    return np.asarray(cv2.getPerspectiveTransform(board, corners), np.float64)


def _picture(frame: Frame, seen: SeenSquares | None) -> Picture:
    height, width = frame.image.shape[:2]
    scale = min(1.0, SENT_PX / width)
    figures = [] if seen is None else [f for f in seen.figures if f.reading.confidence >= PIECE_SURE]
    pieces = []
    for one in figures:
        figure, (x, y) = one.figure, one.reading.point_px
        walks = figure.facing is not None
        pieces.append(
            PicturePiece(
                figure.kind,
                None if walks else figure.name,
                figure.name if walks else None,
                (x * scale, y * scale),
                one.reading.confidence,
            )
        )
    return Picture(
        frame=frame.index,
        size_wh=(round(width * scale), round(height * scale)),
        jpeg=cache(lambda: jpeg_of(frame.image)),
        pieces=tuple(pieces),
    )
