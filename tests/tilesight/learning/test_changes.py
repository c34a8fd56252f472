"""Kept changes can be taken back; files that have changed since are left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilesight.learning.changes import ChangeError, keep, undo


def test_changes_are_undone_one_by_one_the_latest_first(tmp_path: Path) -> None:
    changes, old, new = tmp_path / "changes", tmp_path / "a.gallery", tmp_path / "b.camera.json"
    old.write_bytes(b"first")
    keep(changes, {old: b"second", new: b"colours"}, [{"lesson": "look"}])
    keep(changes, {old: b"third"}, [])
    assert (old.read_bytes(), new.read_bytes()) == (b"third", b"colours")
    assert undo(changes) == [old]
    assert old.read_bytes() == b"second"
    assert sorted(undo(changes)) == [old, new]
    assert old.read_bytes() == b"first" and not new.exists()
    with pytest.raises(ChangeError, match="nothing"):
        undo(changes)


def test_a_file_that_was_changed_since_is_left(tmp_path: Path) -> None:
    changes, path, other = tmp_path / "changes", tmp_path / "a.gallery", tmp_path / "b.gallery"
    other.write_bytes(b"before")
    keep(changes, {other: b"learned", path: b"learned"}, [])
    path.write_bytes(b"enrolled anew")
    with pytest.raises(ChangeError, match=r"a\.gallery: was changed since"):
        undo(changes)
    assert (path.read_bytes(), other.read_bytes()) == (b"enrolled anew", b"learned")


def test_a_crash_before_the_files_were_written_can_be_undone(tmp_path: Path) -> None:
    changes, path = tmp_path / "changes", tmp_path / "a.gallery"
    path.write_bytes(b"first")
    keep(changes, {path: b"second"}, [])
    path.write_bytes(b"first")  # as if the crash had come in between
    undo(changes)
    assert path.read_bytes() == b"first"


def test_a_crash_before_the_record_was_written_stops_no_later_change(tmp_path: Path) -> None:
    changes, path = tmp_path / "changes", tmp_path / "a.gallery"
    keep(changes, {path: b"first"}, [])
    (changes / "0002").mkdir()  # as if the crash had come before its record
    keep(changes, {path: b"second"}, [])
    undo(changes)
    assert path.read_bytes() == b"first"


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(ChangeError, match="cannot be written"):
        keep(tmp_path / "changes", {tmp_path / "file" / "a.gallery": b"x"}, [])
