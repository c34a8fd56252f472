"""Array files: safe reader of untrusted `numpy.savez` files.

Members must be stored uncompressed, so that nothing is larger than the file. Arrays whose header claims more
bytes than the member has are refused before allocation.
"""

from __future__ import annotations

import errno
import io
import math
import os
import stat
import zipfile
import zlib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_BYTES = 512 * 2**20
"""Maximum size of a file in bytes; a gallery of a thousand pictures has a third of it."""

DAMAGE = (
    ValueError, LookupError, TypeError, EOFError, OSError, AttributeError, ArithmeticError, MemoryError,
    NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip
"""The exceptions that zipfile and numpy raise on damaged files."""


class ArrayFileError(ValueError):
    """A damaged or oversized array file; the message does not name the file."""


def read_arrays(path: Path, wanted: Collection[str]) -> Mapping[str, NDArray[Any]]:
    """Return those of the ``wanted`` arrays that a file has, by name, read-only.

    Raises OSError if the file cannot be read, ArrayFileError if it is no array file or too large.
    """
    state = path.stat()
    if stat.S_ISDIR(state.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(state.st_mode):
        raise ArrayFileError("it is no plain file")  # a pipe or device may block or never end
    if state.st_size > MOST_BYTES:
        raise ArrayFileError(f"it is larger than {MOST_BYTES >> 20} MB")
    with path.open("rb") as file:
        try:
            with zipfile.ZipFile(file) as parts:
                found = {info.filename.removesuffix(".npy"): info for info in parts.infolist()}
                return {name: _array(_part(parts, info)) for name, info in found.items() if name in wanted}
        except DAMAGE:
            raise ArrayFileError("its parts do not hold together") from None


def _part(parts: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """Return the bytes of a member of the file. Raises ValueError if it is compressed."""
    if info.compress_type != zipfile.ZIP_STORED:
        raise ValueError("a part is packed")
    return parts.read(info)


def _array(part: bytes) -> NDArray[Any]:
    """Parse the ``.npy`` data of one array.
    Raises ValueError if its size does not match its header, or another of `DAMAGE` if it has none."""
    source = io.BytesIO(part)
    version = np.lib.format.read_magic(source)
    read_header = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    shape, by_column, dtype = read_header[version](source)
    count = math.prod(shape)
    if dtype.hasobject or not dtype.itemsize or count * dtype.itemsize != len(part) - source.tell():
        raise ValueError("an array is not as large as it says")
    if not count:
        return np.zeros(shape, dtype)
    values = np.frombuffer(part, dtype, count, source.tell())
    return values.reshape(shape, order="F" if by_column else "C")
