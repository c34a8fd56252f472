"""Album of a live table: the latest picture, the last one at rest, and crops around some cells."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Generic, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.geometry import Cell
from vision.framing.params import PARAMS as FRAMING
from vision.framing.picture_check import check_picture
from vision.image.decode import decode_image
from vision.observation import Frame, Image, Sight
from web.table.pictures import Framing, Picture, PicturePiece, PictureTile

SENT_PX = 1280
"""Maximum width, in pixels, of pictures that are kept and sent."""
CROP_PX = 640
"""Maximum length, in pixels, of a crop's longer side."""
CROP_MARGIN = 0.45
"""Margin around the cells of a crop, in tile sides. Pieces stand up and reach beyond their cell."""
PIECE_SURE = 0.5
"""Minimum probability of a piece for its mark on the picture."""
QUALITY = 85
"""JPEG quality, 0 to 100."""
ADVISED_EVERY_S = 10.0
"""Seconds between two checks of the framing during a game. Each takes about 50 ms of a core."""
BOARD_AT = "H_px_from_board"
"""Key of an entry with a picture: the homography from the board to it, nine numbers by rows."""
FRAME, BEFORE = "frame", "before"
"""Names of an entry's pictures: the one that decided it, and the last one of the table at rest before that
one."""
BEFORE_AT = f"{BEFORE}_{BOARD_AT}"
"""Key of the homography (nine numbers by rows) from the board to the picture named `BEFORE`."""

Homography = NDArray[np.float64]
SeenT = TypeVar("SeenT")
MARK_BGR, RIM_BGR = (70, 190, 255), (20, 30, 45)
"""Colours of the marks on a crop, and of their rims."""
_CORNERS = ((0, 0), (1, 0), (1, 1), (0, 1))


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """A picture of the table.

    ``H_px_from_board`` (3 × 3) maps the game's frame of reference, with cell (x, y) at [x, x+1] × [y, y+1],
    to its pixels. It is None if the board was not found in the picture.
    """

    image: Image
    H_px_from_board: Homography | None

    def to_keep(self, at: str = BOARD_AT) -> tuple[bytes, dict[str, Any]]:
        """Return the picture as JPEG, at most `SENT_PX` wide, and data for its log entry.

        The data has the homography from the board to that JPEG at the key ``at``; it is empty if the board
        was not found.
        """
        if self.H_px_from_board is None:
            return jpeg_of(self.image), {}
        scale = min(1.0, SENT_PX / self.image.shape[1])
        H = np.diag([scale, scale, 1.0]) @ self.H_px_from_board
        return jpeg_of(self.image), {at: numbers_of(H)}

    @staticmethod
    def kept(jpeg: bytes, entry: Mapping[str, Any], at: str = BOARD_AT) -> Shot:
        """Return the picture that was kept with a log entry; ``entry`` is the entry's data.

        The key ``at`` has its homography. Raises FrameError if ``jpeg`` cannot be decoded.
        """
        board_at = entry.get(at)
        H = None if board_at is None else np.array(board_at, np.float64).reshape(3, 3)
        return Shot(decode_image(jpeg), H)


@dataclass(frozen=True, slots=True, eq=False)
class RecognisedPicture(Generic[SeenT]):
    """One picture, what was recognised in it (``seen``), and the pose of the board.

    The type of ``seen`` depends on the kind of board. ``H_px_from_board`` is as in `Shot`.
    """

    frame: Frame
    seen: SeenT
    H_px_from_board: Homography | None

    @property
    def shot(self) -> Shot:
        """The picture with the place of the board."""
        return Shot(self.frame.image, self.H_px_from_board)

    @property
    def scale(self) -> float:
        """Pixels of the sent picture per pixel of the frame, at most 1."""
        return min(1.0, SENT_PX / int(self.frame.image.shape[1]))

    def picture(self, tiles: tuple[PictureTile, ...], pieces: tuple[PicturePiece, ...]) -> Picture:
        """Return the picture as sent to phones, with an overlay in pixels of the sent picture.

        The picture is encoded as JPEG only when a client asks for it.
        """
        height, width = self.frame.image.shape[:2]
        return Picture(
            frame=self.frame.index,
            size_wh=(round(width * self.scale), round(height * self.scale)),
            jpeg=cache(lambda: jpeg_of(self.frame.image)),
            tiles=tiles,
            pieces=pieces,
        )


class Album(Generic[SeenT]):
    """The latest picture, and the last one of the table at rest.

    One thread writes, any thread may read. ``latest`` is None before the first picture.
    """

    def __init__(self) -> None:
        self.latest: RecognisedPicture[SeenT] | None = None
        self._before: RecognisedPicture[SeenT] | None = None
        self._framing: tuple[RecognisedPicture[SeenT], Framing] | None = None
        self._rested: RecognisedPicture[SeenT] | None = None

    def look(self, look: RecognisedPicture[SeenT]) -> None:
        """Make ``look`` the latest picture."""
        self._before, self.latest = self.latest, look

    def framed(self, look: RecognisedPicture[SeenT], picture: Picture) -> Picture:
        """Return ``picture`` with its framing, which is measured once per ``look`` and cached.

        ``look`` is the recognised picture from which ``picture`` was made.
        """
        known = self._framing
        if known is None or known[0] is not look:
            before = self._before
            sight = before.frame.sight if before is not None and before is not look else None
            quads = np.array([tile.corners_px for tile in picture.tiles], np.float64) / look.scale
            board = look.H_px_from_board is not None
            known = (look, framing_of(look.frame.sight, quads.reshape(-1, 4, 2), sight, board=board))
            self._framing = known
        return replace(picture, framing=known[1])

    def rest(self) -> None:
        """Mark the latest picture as one of the table at rest.

        The next log entry may keep it as the picture `BEFORE`.
        """
        self._rested = self.latest

    def keep_rest(self) -> None:
        """Make the last picture of the table at rest the latest one: it shows the finished board."""
        if self._rested is not None:
            self.latest = self._rested

    @property
    def frame_index(self) -> int | None:
        """The index of the latest picture; None before the first."""
        return self.latest.frame.index if self.latest is not None else None

    def to_keep(self, *, before: bool) -> tuple[Mapping[str, bytes], Mapping[str, Any]]:
        """Return the pictures for a log entry (JPEG by name), and the entry's data about them.

        The latest picture is named `FRAME`. With ``before``, the last picture at rest before it is added as
        `BEFORE`. Both mappings are empty before the first picture.
        """
        if self.latest is None:
            return {}, {}
        jpeg, about = self.latest.shot.to_keep()
        if before and self._rested is not None:
            rested, about_rested = self._rested.shot.to_keep(BEFORE_AT)
            return {BEFORE: rested, FRAME: jpeg}, {**about, **about_rested}
        return {FRAME: jpeg}, about


def framing_of(
    sight: Sight, quads: NDArray[np.float64], before: Sight | None = None, *, board: bool = False
) -> Framing:
    """Return the framing of a picture: its quality and its faults.

    ``quads`` (n, 4, 2) are the tiles seen in it, in pixels. ``before`` is the camera's previous picture, by
    which motion is found. ``board`` is true if a board that consists of no tiles is seen.
    """
    check = check_picture(sight, quads, before)
    seen = board or check.tiles > 0
    faults = tuple(fault for fault in check.faults if fault != "no_tiles" or not seen)
    return Framing(seen, check.tiles, check.side_px, FRAMING.side_px, faults, check.glare_at, check.cut_off)


class FramingAdvice:
    """Advice on the camera during a game: the faults that two successive checks found.

    A missing board is left out, because the camera's status reports it already.
    """

    def __init__(self) -> None:
        self._after_s = 0.0
        self._before: frozenset[str] = frozenset()

    @property
    def due(self) -> bool:
        """Whether `ADVISED_EVERY_S` seconds have passed since the last check."""
        return time.monotonic() >= self._after_s

    def weigh(self, framing: Framing) -> Framing | None:
        """Record a check, and return it with only the faults that the previous check also found.

        None if there are none. A missing board is ignored.
        """
        self._after_s = time.monotonic() + ADVISED_EVERY_S
        found = tuple(fault for fault in framing.faults if fault != "no_tiles")
        lasting = tuple(fault for fault in found if fault in self._before)
        self._before = frozenset(found)
        return replace(framing, faults=lasting) if lasting else None


def numbers_of(H: Homography) -> list[float]:
    """Return a homography (3 × 3) as log entries store it: nine numbers by rows, with 1 as the last."""
    return [float(f"{number:.6g}") for number in (H / H[2, 2]).flat]


def crop_jpeg(shot: Shot, cells: Iterable[Cell]) -> bytes:
    """Return the part of a picture around ``cells`` as JPEG, its longer side at most `CROP_PX`.

    The cells are outlined, and an arrow points to the board's north. If the board was not found in the
    picture, or if the cells are outside of it, the whole picture is returned without marks.
    """
    image, H, cells = shot.image, shot.H_px_from_board, list(cells)
    box = None
    if H is not None and cells:
        points = np.array([
            (x + u + (2 * u - 1) * CROP_MARGIN, y + v + (2 * v - 1) * CROP_MARGIN)
            for x, y in cells
            for u, v in _CORNERS
        ])  # fmt: skip
        box = _box(_project(H, points), image.shape[1], image.shape[0])
    if H is None or box is None:
        scale = min(1.0, CROP_PX / max(image.shape[:2]))
        return jpeg_of(image, round(image.shape[1] * scale))
    x0, y0, x1, y1 = box
    scale = min(1.0, CROP_PX / max(x1 - x0, y1 - y0))
    size_wh = max(1, round((x1 - x0) * scale)), max(1, round((y1 - y0) * scale))
    part = np.asarray(cv2.resize(image[y0:y1, x0:x1], size_wh, interpolation=cv2.INTER_AREA), np.uint8)
    H_part = np.diag([scale, scale, 1.0]) @ np.array([[1, 0, -x0], [0, 1, -y0], [0, 0, 1]]) @ H
    _mark(part, H_part, cells)
    return jpeg_of(part, size_wh[0])


def _mark(part: Image, H_px_from_board: Homography, cells: Iterable[Cell]) -> None:
    """Outline cells in ``part``, in place, and draw an arrow to the board's north in its corner."""
    cells = list(cells)
    side = max(part.shape[:2])
    thick = max(1, round(side / 160))
    quads = [_project(H_px_from_board, np.array([(x + u, y + v) for u, v in _CORNERS])) for x, y in cells]
    for color, width in ((RIM_BGR, 3 * thick), (MARK_BGR, thick)):
        cv2.polylines(
            part, [np.rint(quad).astype(np.int32) for quad in quads], True, color, width, cv2.LINE_AA
        )
    middle = np.mean(cells, axis=0) + 0.5
    south, north = _project(H_px_from_board, np.array([middle, middle - (0.0, 0.5)]))
    way = (north - south) / max(float(np.hypot(*(north - south))), 1e-6)
    reach = side / 18
    at = np.full(2, 1.35 * reach)
    tail, tip = (tuple(np.rint(at + sign * reach * way).astype(int).tolist()) for sign in (-0.75, 0.75))
    cv2.circle(part, tuple(np.rint(at).astype(int).tolist()), round(1.15 * reach), RIM_BGR, -1, cv2.LINE_AA)
    cv2.arrowedLine(part, tail, tip, MARK_BGR, 2 * thick, cv2.LINE_AA, tipLength=0.45)


def jpeg_of(image: Image, width_px: int = SENT_PX) -> bytes:
    """Return a picture as JPEG, at most ``width_px`` wide."""
    scale = width_px / image.shape[1]
    if scale < 1.0:
        small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        image = np.asarray(small, np.uint8)
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1].tobytes())


def _project(H_px_from_board: Homography, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return points (n, 2) of the board in pixels, shape (n, 2); NaN for those behind the camera."""
    homogeneous = np.c_[points, np.ones(len(points))] @ H_px_from_board.T
    # A homography has an arbitrary sign: points in front of the camera have the sign of the middle.
    w = homogeneous[:, 2] * np.sign(H_px_from_board[2, 2])
    w = np.where(w > 0, w, np.nan) * np.sign(H_px_from_board[2, 2])
    return np.asarray(homogeneous[:, :2] / w[:, None], np.float64)


def _box(points_px: NDArray[np.float64], width: int, height: int) -> tuple[int, int, int, int] | None:
    """Return the box (left, top, right, bottom) of points within the picture, in whole pixels.

    None if a point is NaN or a side of the box is shorter than 8 pixels.
    """
    if np.isnan(points_px).any():
        return None
    low = np.clip(np.floor(points_px.min(axis=0)), 0, (width, height)).astype(int)
    high = np.clip(np.ceil(points_px.max(axis=0)), 0, (width, height)).astype(int)
    if (high - low).min() < 8:
        return None
    return int(low[0]), int(low[1]), int(high[0]), int(high[1])
