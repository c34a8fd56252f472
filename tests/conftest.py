"""Surroundings of every test process: one thread, a home of its own, a cache that all processes share."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest

# The processes of `pytest -n` share the cores; the libraries read these when they are imported.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "OPENCV_FOR_THREADS_NUM"):
    os.environ.setdefault(variable, "1")

_HOME = pytest.StashKey[Path]()


def pytest_configure(config: pytest.Config) -> None:
    """Give tests, and the commands that they start, a home folder of their own."""
    home = config.stash[_HOME] = Path(tempfile.mkdtemp(prefix="tilesight-tests-"))
    os.environ["TILESIGHT_HOME"] = str(home)
    # Galleries are built once and kept between runs; their files are named by content and replaced whole.
    cache = config.cache.mkdir("tilesight") if config.cache else home / "cache"
    os.environ["XDG_CACHE_HOME"] = str(cache)


def pytest_unconfigure(config: pytest.Config) -> None:
    shutil.rmtree(config.stash[_HOME], ignore_errors=True)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of each folder, `make test` opens a browser for the first test that is not long; the others are."""
    opened = set[Path]()
    for item in items:
        in_browser = "browser" in getattr(item, "fixturenames", ()) or item.get_closest_marker("browser")
        if not in_browser or item.get_closest_marker("long"):
            continue
        if item.path.parent in opened:
            item.add_marker(pytest.mark.long)
        opened.add(item.path.parent)
