"""A table's log: reported turns are on disk, even if the program is killed."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tilesight.table_log.backup import back_up
from tilesight.table_log.event_store import StoreError, TableStore

WRITER = """
import sys
from pathlib import Path
from tilesight.table_log.event_store import TableStore
with TableStore(Path(sys.argv[1])) as store:
    for number in range(100000):
        entry = store.append("seen", {"number": number}, {"frame": bytes(3000)})
        print(entry.number, flush=True)
"""


def test_entries_come_back_in_order_with_their_pictures(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "one.table"
    with TableStore(path) as store:
        store.append("table", {"names": {"red": "Žofie"}})
        second = store.append("seen", {"keep": 0}, {"frame": b"jpeg"})
    with TableStore(path) as store:
        assert [(e.number, e.kind) for e in store.entries()] == [(1, "table"), (2, "seen")]
        assert store.entries()[0].data == {"names": {"red": "Žofie"}}
        assert store.picture(second.number, "frame") == b"jpeg"
        assert store.picture(second.number, "crop") is None


@pytest.mark.parametrize("wait_s", [0.0, 0.05, 0.1])
def test_a_killed_writer_loses_nothing_that_was_told(tmp_path: Path, wait_s: float) -> None:
    path = tmp_path / "killed.table"
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    told = [int(writer.stdout.readline())]
    time.sleep(wait_s)
    os.kill(writer.pid, signal.SIGKILL)
    told += [int(line) for line in writer.stdout]
    writer.wait()
    writer.stdout.close()
    with TableStore(path) as store:
        entries = store.entries()
    assert [e.number for e in entries] == list(range(1, len(entries) + 1))
    assert len(told) <= len(entries) <= len(told) + 1, "at most the entry that was being written"


def test_one_program_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "one.table"
    with TableStore(path) as store:
        store.append("table", {})
        with pytest.raises(StoreError, match="another Tilesight"):
            TableStore(path)


def test_a_table_can_be_read_while_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "one.table"
    with TableStore(path) as store:
        store.append("table", {})
        with TableStore(path, read_only=True) as reader:
            store.append("seen", {"keep": 0}, {"frame": b"jpeg"})
            assert len(reader.entries()) == 2 and reader.picture(2, "frame") == b"jpeg"
    with TableStore(path) as store:  # the right to write it was given back
        assert len(store.entries()) == 2


def test_backup_of_a_table_that_is_being_written(tmp_path: Path) -> None:
    path, copy = tmp_path / "one.table", tmp_path / "backups" / "copy.table"
    with TableStore(path) as store:
        store.append("table", {"names": {"red": "Ana"}})
        store.append("seen", {"keep": 0}, {"frame": b"jpeg" * 9000})
        assert back_up(path, copy) == 2
        store.append("seen", {"keep": 0})
    with TableStore(copy) as copied, TableStore(path) as store:
        assert copied.entries() == store.entries()[:2]
        assert copied.picture(2, "frame") == b"jpeg" * 9000
    assert copy.stat().st_mode & 0o077 == 0
    with pytest.raises(StoreError, match="there already"):
        back_up(path, copy)
    damaged = tmp_path / "damaged.table"
    damaged.write_bytes(path.read_bytes()[:9000])
    with pytest.raises(StoreError):
        back_up(damaged, tmp_path / "none.table")
    assert not list(tmp_path.glob("none*"))


def test_a_file_that_is_no_log_or_of_a_newer_format_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.table"
    other.write_bytes(b"not a database at all, and long enough to be looked at" * 20)
    with pytest.raises(StoreError, match=r"other\.table: this is no table's log"):
        TableStore(other)
    newer = tmp_path / "newer.table"
    with sqlite3.connect(newer) as base:
        base.execute("PRAGMA user_version = 7")
    base.close()
    with pytest.raises(StoreError, match="format 7"):
        TableStore(newer)
