"""Calibration files of cameras: one validated JSON document (`Camera`) each.

``{"tilesight":1,"camera":"0","lens":{"size_wh":[w,h],"K":[[…]×3],"dist":[k1,k2,p1,p2,k3],"error_px":0.3},
"colors":{"red":{"shown":4,"named":{"red":0.9,"violet":0.1}}}}``; lens and colors may be missing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from engine import jsonvalue as jv
from vision.image.camera_profile import Camera
from vision.image.color_profile import PieceColors
from vision.image.lens import Lens
from vision.image.whole_file import write_whole

SUFFIX = ".camera.json"


class CalibrationError(ValueError):
    """A calibration that cannot be made, read or written; the message is one line for the user."""


def camera_file(folder: Path, name: str) -> Path:
    """Return the path of a camera's calibration file in ``folder``.
    The name is reduced to at most 60 lower-case letters, digits and dashes."""
    plain = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower() or "camera"
    return folder / f"{plain[:60]}{SUFFIX}"


def write_camera(path: Path, camera: Camera) -> None:
    """Write a calibration atomically. Raises CalibrationError if it cannot be written."""
    try:
        write_whole(path, camera_to_bytes(camera))
    except OSError as error:
        raise CalibrationError(f"{path}: the calibration cannot be written ({error.strerror})") from None


def camera_to_bytes(camera: Camera) -> bytes:
    """Return a calibration as the bytes of its file."""
    value: dict[str, Any] = {"tilesight": 1, "camera": camera.name}
    if camera.lens is not None:
        value["lens"] = {
            "size_wh": list(camera.lens.size_wh),
            "K": np.round(camera.lens.K, 4).tolist(),
            "dist": np.round(camera.lens.dist, 7).tolist(),
            "error_px": round(camera.lens.error_px, 3),
        }
    if camera.colors is not None:
        value["colors"] = {
            color: {
                "shown": camera.colors.shown[color],
                "named": {name: round(share, 5) for name, share in named.items()},
            }
            for color, named in camera.colors.named.items()
        }
    return f"{json.dumps(value, indent=1)}\n".encode()


def read_camera(path: Path) -> Camera:
    """Read a calibration. Raises CalibrationError, with the file and the field at fault, if it is invalid."""
    try:
        source = jv.object_at(jv.parse(path.read_text("utf-8")), "")
        if source.get("tilesight") != 1:
            raise jv.FieldError("tilesight", f"must be 1, is {jv.shown(source.get('tilesight'))}")
        return Camera(
            jv.text_at(source.get("camera", path.name), "camera"),
            _lens(jv.object_at(source["lens"], "lens")) if source.get("lens") is not None else None,
            _colors(jv.object_at(source["colors"], "colors")) if source.get("colors") is not None else None,
        )
    except UnicodeDecodeError:
        raise CalibrationError(f"{path}: is not UTF-8 text") from None
    except OSError as error:
        raise CalibrationError(f"{path}: cannot be read ({error.strerror})") from None
    except jv.FieldError as error:
        raise CalibrationError(f"{path}: {error}") from None


def _lens(source: Mapping[str, Any]) -> Lens:
    """Read a lens from its JSON object. Raises FieldError if a value is missing or implausible."""
    wide, tall = (
        jv.integer_at(side, "lens.size_wh", least=64)
        for side in jv.list_at(jv.get(source, "size_wh", "lens"), "lens.size_wh", 2)
    )
    rows = jv.list_at(jv.get(source, "K", "lens"), "lens.K", 3)
    K = np.array([[jv.number_at(v, "lens.K") for v in jv.list_at(row, "lens.K", 3)] for row in rows])
    longest = max(wide, tall)
    focal_px = (K[0, 0], K[1, 1])
    if not all(0.1 * longest < f < 100 * longest for f in focal_px) or not np.array_equal(K[2], [0, 0, 1]):
        raise jv.FieldError("lens.K", "is no camera of such pictures")
    dist = np.array(
        [jv.number_at(v, "lens.dist") for v in jv.list_at(jv.get(source, "dist", "lens"), "lens.dist", 5)]
    )
    if np.abs(dist).max() > 100:
        raise jv.FieldError("lens.dist", "bends more than any lens")
    return Lens((wide, tall), K, dist, jv.number_at(source.get("error_px", 0.0), "lens.error_px"))


def _colors(source: Mapping[str, Any]) -> PieceColors:
    """Read piece colours from their JSON object. Raises FieldError if a value is missing or invalid."""
    named: dict[str, dict[str, float]] = {}
    shown: dict[str, int] = {}
    for color, item in source.items():
        at = f"colors.{color}"
        entry = jv.object_at(item, at)
        shares = jv.object_at(jv.get(entry, "named", at), f"{at}.named")
        named[color] = {name: _share(value, f"{at}.named.{name}") for name, value in shares.items()}
        shown[color] = jv.integer_at(jv.get(entry, "shown", at), f"{at}.shown", least=1)
    return PieceColors(named, shown)


def _share(value: object, at: str) -> float:
    """Return a JSON number between 0 and 1. Raises FieldError, which names ``at``, for anything else."""
    share = jv.number_at(value, at)
    if not 0.0 <= share <= 1.0:
        raise jv.FieldError(at, f"must be between 0 and 1, is {jv.shown(value)}")
    return share
