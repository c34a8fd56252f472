"""Pictures read for tests, with the type that the code takes."""

from __future__ import annotations

import base64
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray


def read_picture(path: Path | None) -> NDArray[np.uint8]:
    """The picture of a file that must be there, BGR uint8 (h, w, 3)."""
    assert path is not None
    return decoded(path.read_bytes())


def decoded(data: bytes, flags: int = cv2.IMREAD_COLOR) -> NDArray[np.uint8]:
    """The picture that some bytes hold, BGR uint8."""
    picture = cv2.imdecode(np.frombuffer(data, np.uint8), flags)
    assert picture is not None
    return as_uint8(picture)


def as_uint8(values: ArrayLike) -> NDArray[np.uint8]:
    """Values rounded down into 0-255."""
    return np.asarray(np.clip(np.asarray(values), 0, 255), np.uint8)


HEIC = base64.b64decode(
    "AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAVZtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAA"
    "ACJpbG9jAAAAAERAAAEAAQAAAAABegABAAAAAAAAAGcAAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABodmMxAAAAAA5waXRt"
    "AAAAAAABAAAA1mlwcnAAAAC3aXBjbwAAAHhodmNDAQNwAAAAkAAAAAAAHvAA/P34+AAADwNgAAEAGEABDAH//wNwAAADAJAAAAMA"
    "AAMAHroCQGEAAQArQgEBA3AAAAMAkAAAAwAAAwAeoBAgYWW6kkprm4CGgwIAAAMAMgAAAwACEGIAAQAHRAHBcrAiQAAAABNjb2xy"
    "bmNseAABAA0ABoAAAAAUaXNwZQAAAAAAAACAAAAAYAAAABBwaXhpAAAAAAMICAgAAAAXaXBtYQAAAAAAAAABAAEEgQIDBAAAAG9t"
    "ZGF0AAAAYygBrxOA5TPAn//wUqP/3Ws8Pwd4rVD0VzB//eeMR/QNY//F5E9s3P/tU+CvaMEgYACAwniURTeI54Qy71yYZ/04mK5E"
    "0lhmweXLJA/s4nDtQwlAQpUbClQvK/bsJsPKcXuLMA=="
)
"""A HEIC photograph of 128 × 96 pixels: red on the left, blue on the right."""
