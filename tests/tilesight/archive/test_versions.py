"""Versions of what a score depends on."""

from __future__ import annotations

from pathlib import Path

from tilesight.archive.versions import code_versions, session_hash


def folder_with(root: Path, **files: str) -> Path:
    (root / "frames").mkdir(parents=True)
    for name, text in files.items():
        (root / name.replace("__", "/").replace("_", ".")).write_text(text, encoding="utf-8")
    return root


def hash_of(folder: Path) -> str:
    return session_hash(folder, sorted((folder / "frames").iterdir()))


def test_a_session_is_known_by_what_is_in_it_and_not_by_where_it_lies(tmp_path: Path) -> None:
    files = {"session_json": "{}", "frames__1_jpg": "one", "frames__2_jpg": "two"}
    here = hash_of(folder_with(tmp_path / "a", **files))
    assert hash_of(folder_with(tmp_path / "b", **files)) == here
    others = [files | {"frames__2_jpg": "TWO"}, files | {"session_json": "{ }"}, files | {"truth_json": ""}]
    changed = {hash_of(folder_with(tmp_path / f"c{n}", **one)) for n, one in enumerate(others)}
    assert len(changed | {here}) == 4


def test_understanding_depends_on_seeing() -> None:
    versions = code_versions()
    assert versions.seeing != versions.understanding
    assert {len(versions.seeing), len(versions.understanding)} == {16}
