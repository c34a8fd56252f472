"""A table and a lobby under attack, one of each for a file's tests, and a limit on each test's time."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator

import pytest

from tests.attacks.targets import Target, lobby_in, table_in

LONGEST_S = 120
"""Seconds that one attack may take; a machine under load takes its time."""


@pytest.fixture(autouse=True)
def bounded_time() -> Iterator[None]:
    """End a test with TimeoutError if it takes longer than `LONGEST_S`."""
    if sys.platform == "win32":
        yield
        return

    def expire(*_: object) -> None:
        raise TimeoutError(f"the attack took more than {LONGEST_S} s")

    before = signal.signal(signal.SIGALRM, expire)
    signal.alarm(LONGEST_S)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    """A live table, shared by a file's tests."""
    with table_in(tmp_path_factory.mktemp("table")) as running:
        yield running


@pytest.fixture(scope="module")
def lobby(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    """A lobby without tables, shared by a file's tests."""
    with lobby_in(tmp_path_factory.mktemp("lobby") / "home") as running:
        yield running
