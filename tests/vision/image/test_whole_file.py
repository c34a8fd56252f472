"""Files are replaced as a whole, and what killed processes left beside them goes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from vision.image.whole_file import ENDING, write_whole

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows does not say whether one runs")


def test_a_file_is_created_with_its_folder_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "new" / "one.gallery"
    write_whole(path, b"old")
    write_whole(path, b"new", mode=0o600)
    assert path.read_bytes() == b"new" and path.stat().st_mode & 0o777 == 0o600
    assert list(path.parent.iterdir()) == [path]


def test_leftovers_of_killed_processes_are_removed_and_others_stay(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    left, running = (tmp_path / f".a*b.{number}{ENDING}" for number in (gone.pid, os.getppid()))
    other = tmp_path / f".a*b.c.{gone.pid}{ENDING}"
    for path in (left, running, other):
        path.write_bytes(b"a part")
    write_whole(tmp_path / "a*b", b"whole")
    assert not left.exists() and running.exists() and other.exists()
    assert (tmp_path / "a*b").read_bytes() == b"whole"


def test_where_a_file_cannot_be_written_the_old_one_stays_alone(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "kept").touch()
    with pytest.raises(OSError):
        write_whole(tmp_path / "one", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["one"]
