"""A session's pictures that were cut to the board and lie in a log beside it: put back into whole pictures.

`tilesight report-problem` writes such sessions. The whole pictures are made when the session is first read,
and kept in the user's cache.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import cv2
import numpy as np

from engine import jsonvalue as jv
from tilesight.sessions.picture_cache import made_once
from tilesight.table_log.event_store import StoreError, TableStore
from vision.image.decode import decode_image
from vision.image.jpeg_structure import is_cheap_jpeg

KEPT_LOG = "problem.table"
"""Name of the log that holds the pictures of a session."""
LARGEST_PX = 4096
"""Maximum width and height of a whole picture, in pixels; a log keeps none that are larger."""
QUALITY = 95
"""JPEG quality of the whole pictures."""


class PlacedError(ValueError):
    """A cut picture cannot be put back, or the whole one cannot be kept; the message is one line."""


@dataclass(frozen=True, slots=True)
class Place:
    """Place of a cut picture in the whole one.

    ``at_px`` is its left upper corner, ``of_wh`` the size of the whole picture, ``fill_bgr`` the colour that
    stands for what was left out.
    """

    at_px: tuple[int, int]
    of_wh: tuple[int, int]
    fill_bgr: tuple[int, int, int]

    def to_json(self) -> dict[str, Any]:
        """Return the fields of a frame in a session's file."""
        return {"at_px": list(self.at_px), "of_wh": list(self.of_wh), "fill_bgr": list(self.fill_bgr)}

    @classmethod
    def from_json(cls, frame: Mapping[str, Any], at: str) -> Self:
        """Read the fields of a frame, which is ``at`` this path. Raises jsonvalue.FieldError."""
        x, y = _numbers(frame, "at_px", at, 2, LARGEST_PX)
        width, height = _numbers(frame, "of_wh", at, 2, LARGEST_PX)
        blue, green, red = _numbers(frame, "fill_bgr", at, 3, 255)
        return cls((x, y), (width, height), (blue, green, red))


def _numbers(frame: Mapping[str, Any], key: str, at: str, count: int, most: int) -> list[int]:
    """Return ``count`` whole numbers from 0 to ``most``. Raises jsonvalue.FieldError."""
    values = jv.list_at(jv.get(frame, key, at), f"{at}.{key}")
    numbers = [jv.integer_at(value, f"{at}.{key}[{i}]", least=0) for i, value in enumerate(values)]
    if len(numbers) != count or max(numbers) > most:
        raise jv.FieldError(f"{at}.{key}", f"must be {count} numbers from 0 to {most}")
    return numbers


def whole_pictures(folder: Path, frames: Sequence[Mapping[str, Any]]) -> Path:
    """Return the cache folder with the whole pictures of ``frames``; the first call makes them.

    ``frames`` are those of the session's file in ``folder``; each names its ``file``, its ``entry`` of
    `KEPT_LOG`, its ``picture`` in it, and its place. Raises PlacedError or jsonvalue.FieldError.
    """
    log = folder / KEPT_LOG
    try:
        source = log.read_bytes() + json.dumps(list(frames)).encode()
        return made_once("reports", source, lambda out: _put_back(log, frames, out))
    except (OSError, StoreError) as error:
        raise PlacedError(f"the pictures of {log.name} cannot be kept ({error})") from None


def _put_back(log: Path, frames: Sequence[Mapping[str, Any]], out: Path) -> None:
    """Write the whole picture of each frame into ``out``."""
    with TableStore(log, read_only=True) as store:
        for i, frame in enumerate(frames):
            at = f"frames[{i}]"
            place = Place.from_json(frame, at)
            entry = jv.integer_at(jv.get(frame, "entry", at), f"{at}.entry", least=1)
            jpeg = store.picture(entry, jv.text_at(jv.get(frame, "picture", at), f"{at}.picture"))
            if jpeg is None or not is_cheap_jpeg(jpeg):  # the log may be a stranger's
                raise PlacedError(f"{log.name} does not hold the picture of {at}")
            path = out / jv.text_at(jv.get(frame, "file", at), f"{at}.file")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(_whole(decode_image(jpeg), place, at))


def _whole(part: np.ndarray[Any, Any], place: Place, at: str) -> bytes:
    """Return the whole picture as JPEG. Raises PlacedError if the part lies outside of it."""
    width, height = place.of_wh
    (x, y), (rows, columns) = place.at_px, part.shape[:2]
    if x + columns > width or y + rows > height:
        raise PlacedError(f"{at}: the picture does not fit at {list(place.at_px)} in {list(place.of_wh)}")
    whole = np.full((height, width, 3), place.fill_bgr, np.uint8)
    whole[y : y + rows, x : x + columns] = part
    return bytes(cv2.imencode(".jpg", whole, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1].tobytes())
