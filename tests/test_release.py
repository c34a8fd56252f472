"""Sizes that everybody downloads, and what a release on PyPI needs."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]

ROOT = Path(__file__).resolve().parents[1]
LARGEST_TREE = 140_000_000
"""Bytes of all files of a clone, without git's own."""
LARGEST_PICTURES = {".webp": 120_000, ".png": 120_000}
"""Bytes of a picture in a pack, which every page and every wheel carries."""


def files_of_the_tree() -> list[Path]:
    """The files that git knows."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("no clone")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    return [ROOT / name for name in listed.decode().split("\0") if name and (ROOT / name).is_file()]


def test_the_tree_is_small() -> None:
    assert sum(path.stat().st_size for path in files_of_the_tree()) < LARGEST_TREE


def test_the_tree_holds_no_film() -> None:
    """Films are made when a wheel or an sdist is built."""
    films = {".avif", ".mp4", ".webm", ".mkv", ".mov", ".avi"}
    assert [path.name for path in files_of_the_tree() if path.suffix in films] == []


def test_pictures_of_packs_are_small() -> None:
    for path in (ROOT / "engine" / "packs").rglob("*"):
        assert path.suffix != ".jpg", f"{path.name}: WebP takes half the bytes"
        if path.suffix in LARGEST_PICTURES:
            assert path.stat().st_size < LARGEST_PICTURES[path.suffix], path.name


def test_the_metadata_say_what_pypi_shows() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert {"description", "readme", "license", "authors", "keywords", "classifiers"} <= set(project)
    assert not [one for one in project["classifiers"] if one.startswith("License ::")]
    for pattern in project["license-files"]:
        assert list(ROOT.glob(pattern)), pattern


def test_a_release_names_the_repository_and_has_no_relative_links(tmp_path: Path) -> None:
    for name in ("README.md", "pyproject.toml"):
        shutil.copyfile(ROOT / name, tmp_path / name)
    words = [sys.executable, str(ROOT / ".ci" / "for-pypi"), "https://host.example/owner/name", "v1.2.3"]
    subprocess.run(words, cwd=tmp_path, check=True)
    urls = tomllib.loads((tmp_path / "pyproject.toml").read_text("utf-8"))["project"]["urls"]
    assert urls["Source"] == "https://host.example/owner/name"
    links = re.findall(r"\]\(([^)\s]+)\)", (tmp_path / "README.md").read_text("utf-8"))
    assert len(links) > 10 and not [link for link in links if not link.startswith("https://")]
    assert "https://host.example/owner/name/raw/v1.2.3/docs/dashboard.jpg" in links


def test_a_release_is_published_without_a_password() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8"))
    build, publish = workflow["jobs"]["build"], workflow["jobs"]["publish"]
    assert publish["permissions"] == {"id-token": "write"} and publish["needs"] == "build"
    assert publish["steps"][-1]["uses"].startswith("pypa/gh-action-pypi-publish@")
    assert "secrets." not in str(workflow)
    assert workflow["jobs"]["page"]["permissions"] == {"contents": "write"}
    commands = " ".join(step.get("run", "") for step in build["steps"])
    for named in re.findall(r"\.ci/[\w-]+", commands):
        assert (ROOT / named).is_file()
    assert "make dist" in commands and "dist" in (ROOT / "Makefile").read_text("utf-8")
