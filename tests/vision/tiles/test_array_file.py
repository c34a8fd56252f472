"""Files of arrays that lie about their size are refused before anything large is made of them."""

from __future__ import annotations

import io
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vision.tiles import array_file as arrayfile
from vision.tiles.array_file import ArrayFileError, read_arrays


def stored(**arrays: Any) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def packed() -> bytes:
    """A gigabyte of nothing in a megabyte."""
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file,
        file.open("a.npy", "w") as part,
    ):
        np.lib.format.write_array_header_1_0(
            part, {"descr": "|u1", "fortran_order": False, "shape": (1 << 28,)}
        )
        for _ in range(256):
            part.write(bytes(1 << 20))
    return buffer.getvalue()


def claiming(shape: tuple[int, ...], descr: str = "|u1") -> Callable[[], bytes]:
    """Bytes of a file whose array is said to be larger than it is."""

    def made() -> bytes:
        part = io.BytesIO()
        np.lib.format.write_array_header_1_0(part, {"descr": descr, "fortran_order": False, "shape": shape})
        part.write(bytes(64))
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as file:
            file.writestr("a.npy", part.getvalue())
        return buffer.getvalue()

    return made


def test_arrays_come_back_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "some.npz"
    wanted = {
        "one": np.array(7),
        "text": np.array("wörter"),
        "none": np.zeros((0, 4), np.float32),
        "by_column": np.asfortranarray(np.arange(6).reshape(2, 3)),
    }
    path.write_bytes(stored(**wanted, other=np.zeros(3)))
    found = read_arrays(path, (*wanted, "missing"))
    assert set(found) == set(wanted)
    for name, array in wanted.items():
        assert np.array_equal(found[name], array) and found[name].dtype == array.dtype


@pytest.mark.parametrize(
    "made",
    [
        pytest.param(packed, id="inflates"),
        claiming((1 << 40,)),
        claiming((64, 0, 3)),
        claiming((-8, -8)),
        claiming((1,), "<U1000000000"),
        claiming((8,), "|O"),
        lambda: stored(a=np.array([{}], object)),
        lambda: b"",
        lambda: stored(a=np.zeros(9))[:60],
    ],
)
def test_a_lying_or_damaged_array_file_is_refused_with_little_memory(
    made: Callable[[], bytes], tmp_path: Path
) -> None:
    path = tmp_path / "some.npz"
    path.write_bytes(made())
    tracemalloc.start()
    try:
        with pytest.raises(ArrayFileError):
            read_arrays(path, ("a",))
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


def test_a_file_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrayfile, "MOST_BYTES", 1000)
    path = tmp_path / "some.npz"
    path.write_bytes(stored(a=np.zeros(999)))
    with pytest.raises(ArrayFileError, match="larger than"):
        read_arrays(path, ("a",))
    with pytest.raises(OSError):
        read_arrays(tmp_path / "none.npz", ("a",))
    with pytest.raises(OSError):
        read_arrays(tmp_path, ("a",))
