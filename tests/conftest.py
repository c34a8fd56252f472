"""Surroundings of every test process: one thread, a home of its own, a cache that all processes share."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import certifi
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
    _trust_one_authority(home)


def _trust_one_authority(folder: Path) -> None:
    """Let clients of httpx read one authority instead of all 140, which takes each of them 50 ms.

    Tests ask servers on this machine alone, none of which has a certificate of any.
    """
    end = "-----END CERTIFICATE-----\n"
    only = folder / "authority.pem"
    only.write_text(Path(certifi.where()).read_text("utf-8").partition(end)[0] + end, "utf-8")
    certifi.where = lambda: str(only)


def pytest_unconfigure(config: pytest.Config) -> None:
    shutil.rmtree(config.stash[_HOME], ignore_errors=True)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Let the garbage collector pass over all that importing and collecting the tests leaves.

    These are 600 000 objects that live to the end: looking at them again and again took a tenth of the time.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


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
    items[:] = _long_first(items, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))


def _long_first(items: list[pytest.Item], processes: int) -> list[pytest.Item]:
    """Return the tests with the modules that have long ones first in the share of each process.

    pytest-xdist gives each process an equal part of the list, and moves tests from the end of one part to a
    process that is done. Short tests at the end keep all processes at work until the last one.
    """
    slow = {item.path for item in items if item.get_closest_marker("long")}
    shares = [len(items) * number // processes for number in range(processes + 1)]
    return [
        item
        for begin, end in pairwise(shares)
        for item in sorted(items[begin:end], key=lambda item: item.path not in slow)
    ]
