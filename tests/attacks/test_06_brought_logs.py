"""Attack: bring a log that makes the import hang, fail for good, or use the computer's whole memory.

A second header named a pipe as its pack, which hung the import and all after it; a last time of infinity gave
500; a zip file of 235 kB grew to 7.1 GB as JSON. Held: a process of its own reads what is brought, strictly
and within limits of time and memory, and a log that is not as Tilesight writes it is refused.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from tests.attacks.logs import HEADER, NAMES, change, play, zipped
from tests.attacks.targets import Target
from tilesight.table_log.event_fold import EntryKind
from tilesight.table_log.event_store import TableStore

MOST_MB = 600
"""Memory that the lobby may use at its peak while it imports."""


def _bring(lobby: Target, file: Path) -> tuple[int, str]:
    """Import a file; return the answer's status, and its text."""
    answer = lobby.ask(
        "/api/library/import", key=lobby.key, content=file.read_bytes(), params={"name": file.name}
    )
    return answer.status_code, answer.text


@pytest.mark.skipif(sys.platform == "win32", reason="a folder of Windows holds no pipe")
def test_no_pack_is_opened_by_a_path(lobby: Target, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    trap.mkdir()
    os.mkfifo(trap / "pack.json")
    log = play(tmp_path / "piped.table")
    with TableStore(log) as store:
        store.append(EntryKind.OPENED, {"header": {**HEADER, "pack": str(trap)}, "names": NAMES})
    assert _bring(lobby, log)[0] == 409
    status, told = _bring(lobby, play(tmp_path / "good.table"))
    assert status == 200 and '"brought":1' in told


@pytest.mark.parametrize(
    "values",
    [
        {"at_s": float("inf")},
        {"data": '{"keep": 2, "lines": [], "more": 1e999}'},
        {"data": '{"keep": 2, "lines": [], "more": "\\ud800"}'},
        {"data": '{"keep": 2, "lines": [], "more": ' + "[" * 200 + "]" * 200 + "}"},
        {"kind": "unknown"},
    ],
)
def test_a_log_with_values_that_no_page_shows_is_refused(
    lobby: Target, tmp_path: Path, values: dict[str, object]
) -> None:
    log = play(tmp_path / "strange.table")
    change(log, 5, **values)
    assert _bring(lobby, log)[0] == 409
    assert lobby.ask("/api/library", key=lobby.key).status_code == 200


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_a_log_of_huge_json_takes_little_memory_and_time(lobby: Target, tmp_path: Path) -> None:
    log = play(tmp_path / "huge.table")
    change(log, 5, data='{"keep": 2, "lines": [], "more": [' + "[]," * 20_000_000 + "0]}")
    file = zipped(tmp_path / "huge.zip", huge=log)
    log.unlink()
    assert file.stat().st_size < 300_000
    began_s = time.monotonic()
    assert _bring(lobby, file)[0] == 409
    assert time.monotonic() - began_s < 60
    assert lobby.memory_mb(peak=True) < MOST_MB


def test_a_picture_that_was_shown_twice_comes_along(lobby: Target, tmp_path: Path) -> None:
    log = play(tmp_path / "twice.table")
    with TableStore(log) as store:
        jpeg = store.picture(3, "frame")
        assert jpeg is not None
        store.append("looked", {}, {"frame": jpeg})
    assert _bring(lobby, log)[0] == 200
    with TableStore(lobby.home / "tables" / "twice.table", read_only=True) as store:
        assert store.picture(6, "frame") == jpeg
