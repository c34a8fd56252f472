"""Pictures are thinned, games are not; a short disk gets no pictures."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest

from tilesight.live.journal import Journal
from tilesight.table_log import retention
from tilesight.table_log.event_fold import EntryKind, Ledger
from tilesight.table_log.event_store import TableStore
from tilesight.table_log.retention import keeps_pictures, short_of_room, thin

PICTURE_BYTES = 60_000


def pictures(seed: int) -> dict[str, bytes]:
    """Two pictures that no other seed has."""
    rng = Random(seed)
    return {name: rng.randbytes(PICTURE_BYTES) for name in ("frame", "before")}


def table(path: Path, days_old: float) -> Path:
    with TableStore(path) as store:
        store.append(EntryKind.OPENED, {"header": {"game": "safari"}, "names": {}})
        for number in range(5):
            store.append(EntryKind.LOOKED, {}, pictures(number))
    then = time.time() - days_old * retention.DAY_S
    os.utime(path, (then, then))
    return path


def test_the_oldest_pictures_go_first_and_every_entry_stays(tmp_path: Path) -> None:
    old, older, new = (table(tmp_path / f"{n}.table", days) for n, days in enumerate((40, 50, 3)))
    (tmp_path / "none.table").write_bytes(b"no table at all" * 100)
    os.utime(tmp_path / "none.table", (0, 0))
    freed = thin(tmp_path, 30, keep_bytes=1_500_000)
    assert list(freed) == [older] and freed[older] > 500_000
    assert list(thin(tmp_path, 30)) == [old]
    for path in (old, older, new):
        with TableStore(path, read_only=True) as store:
            assert len(store.entries()) == 6
            assert (store.picture(3, "frame") is None) == (path is not new)


def test_a_table_that_is_open_is_spared(tmp_path: Path) -> None:
    path = table(tmp_path / "a.table", 40)
    with TableStore(path) as store:
        assert thin(tmp_path, 30) == {}
        assert store.picture(3, "frame") is not None


def test_where_the_disk_gets_short_turns_are_kept_without_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = [2 * retention.SHORT_BYTES]
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=free[0]))
    path = table(tmp_path / "a.table", 0)
    with TableStore(path) as store:
        journal = Journal(Ledger(), store)
        for room in (2 * retention.SHORT_BYTES, retention.FREE_BYTES - 1, retention.FREE_BYTES):
            free[0] = room
            journal.write(EntryKind.LOOKED, {}, pictures(room))
        assert [store.picture(n, "frame") is not None for n in (7, 8, 9)] == [True, False, True]
    assert "200 MB are free" in (short_of_room(tmp_path) or "")
    free[0] = retention.SHORT_BYTES
    assert short_of_room(tmp_path) is None
    monkeypatch.setattr(retention, "TABLE_BYTES", path.stat().st_size - 1)
    assert not keeps_pictures(path)
