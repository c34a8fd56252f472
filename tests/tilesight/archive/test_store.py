"""Store of an archive: what was kept comes back, and a damaged file is as none."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilesight.archive import store as store_module
from tilesight.archive.store import ArchiveStore
from vision.observation import BoardPose, CellReading, Observation, PieceReading

KEY = ("session", "own", "seeing")
QUAD = np.arange(8, dtype=np.float32).reshape(4, 2)


def observation() -> Observation:
    reading = CellReading(
        (1, -2), QUAD, np.full((3, 4), -2.5, np.float32), 4.5, 0.25, np.eye(3, dtype=np.bool_), 0.5
    )
    piece = PieceReading(
        "meeple",
        "red",
        "lying",
        (3.0, 4.0),
        (0.1, -1.5),
        0.75,
        {"red": 1.0},
        sort_probs={("meeple", "lying"): 1.0},
    )
    pose = BoardPose(np.eye(3), {(1, -2): QUAD}, (640, 480), 0.875, {(1, -1): 0.5})
    return Observation(
        7,
        1.5,
        pose,
        ("A", "B", "C"),
        {(1, -2): reading},
        (piece,),
        unknown={(0, 0): 0.125},
        timing_ms={"a": 1.0},
    )


def plain(value: Any) -> Any:
    """A value without arrays, to be compared."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.tolist()
    if hasattr(value, "__dataclass_fields__"):
        return type(value), [plain(getattr(value, one.name)) for one in fields(value)]
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, (list, tuple)) else value


def test_observations_come_back_as_they_were(tmp_path: Path) -> None:
    store, seen = ArchiveStore(tmp_path), [observation(), Observation(8, 2.0, None, (), {}, ())]
    assert store.observations(*KEY) is None
    store.keep_observations(*KEY, seen)
    assert plain(store.observations(*KEY)) == plain(seen)
    assert store.observations("session", "own", "another") is None


@pytest.mark.parametrize("damage", [b"", b"no zlib", b"x\x9c\x03\x00\x00\x00\x00\x01"])
def test_damaged_observations_are_as_none(tmp_path: Path, damage: bytes) -> None:
    store = ArchiveStore(tmp_path)
    store.keep_observations(*KEY, [observation()])
    (path,) = (path for path in tmp_path.rglob("*") if path.is_file())
    path.write_bytes(damage)
    assert store.observations(*KEY) is None


def test_observations_that_inflate_without_end_are_as_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = ArchiveStore(tmp_path)
    store.keep_observations(*KEY, [observation()])
    monkeypatch.setattr(store_module, "LARGEST", 100)
    assert store.observations(*KEY) is None


def test_the_latest_result_of_another_version_is_the_one_before(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    assert store.before("session", "own", "v3") is None
    for version in ("v1", "v2", "v3"):
        store.keep_result("session", "own", version, {"version": version})
    assert store.before("session", "own", "v3") == {"version": "v2"}
    assert store.before("session", "own", "v4") == {"version": "v3"}
    assert store.before("session", "other", "v4") is None
    assert store.result("session", "own", "v1") == {"version": "v1"}


def test_a_result_that_cannot_be_written_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    store = ArchiveStore(tmp_path)
    with pytest.raises(OSError, match="No space"):
        store.keep_result("session", "own", "v1", {})
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
