"""`tilesight archive score` on staged sessions, by processes that are killed and by a Dask cluster."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

STAGED = Path(__file__).resolve().parents[3] / "samples" / "staged"
CODE = "import sys; from tilesight.app import main; sys.argv[0] = 'tilesight'; main()"


def archive_of(root: Path, number: int) -> Path:
    """That many sessions that differ in their titles alone."""
    for n in range(number):
        folder = root / f"evening-{n}"
        shutil.copytree(STAGED / "two-turns-at-once", folder)
        manifest = json.loads((folder / "session.json").read_text("utf-8"))
        (folder / "session.json").write_text(json.dumps({**manifest, "title": f"Evening {n}"}), "utf-8")
    return root


def started(source: Path, store: Path, *more: str) -> subprocess.Popen[str]:
    command = [
        sys.executable,
        "-c",
        CODE,
        "archive",
        "score",
        str(source),
        "--store",
        str(store),
        "--json",
        *more,
    ]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def score(source: Path, store: Path, *more: str) -> dict[str, Any]:
    process = started(source, store, *more)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    found: dict[str, Any] = json.loads(out)["archive"]
    return found


def results(store: Path) -> dict[Path, dict[str, Any]]:
    return {path: json.loads(path.read_text("utf-8")) for path in store.glob("results/*/*.json")}


def test_a_folder_without_sessions_is_one_line(tmp_path: Path) -> None:
    process = started(tmp_path, tmp_path / "store")
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err.count("\n")) == (2, "", 1)


@pytest.mark.long
def test_pictures_are_looked_at_once_and_every_way_tells_the_same(tmp_path: Path) -> None:
    source, store = archive_of(tmp_path / "sessions", 1), tmp_path / "store"
    assert score(source, store)["from"] == {"pictures": 1}
    ((first_path, first),) = results(store).items()
    assert score(source, store)["from"] == {"kept": 1}
    first_path.unlink()  # as if another version had understood it
    again = score(source, store)
    assert again["from"] == {"observations": 1}
    assert results(store)[first_path]["told"] == first["told"]
    by_rules = score(source, store, "--rules-only")
    assert (by_rules["from"], by_rules["compared"], by_rules["changed"]) == ({"turns": 1}, 1, [])
    other = next(result for path, result in results(store).items() if path != first_path)
    assert other["told"] == first["told"]


def workers_of(pid: int) -> list[int]:
    """The processes that were spawned to work, oldest first (Linux)."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
    return [int(one) for one in children if b"spawn_main" in Path(f"/proc/{one}/cmdline").read_bytes()]


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="processes are looked up in /proc")
def test_killed_workers_cost_no_finished_work(tmp_path: Path) -> None:
    source, store = archive_of(tmp_path / "sessions", 6), tmp_path / "store"
    process, killed = started(source, store, "--workers", "2"), 0
    written: dict[Path, int] = {}
    deadline = time.monotonic() + 240
    while process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.2)
        written = {path: path.stat().st_mtime_ns for path in results(store)} | written
        if killed < 2 and len(written) > killed:
            workers = workers_of(process.pid)
            if workers:
                os.kill(workers[0], signal.SIGKILL)
                killed += 1
    out, err = process.communicate(timeout=10)
    assert process.returncode == 0, err
    found = json.loads(out)["archive"]
    assert (killed, found["sessions"], found["failed"]) == (2, 6, [])
    assert found["final_exact"] == 6
    assert {path: path.stat().st_mtime_ns for path in written} == written  # nothing was done twice


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="processes are looked up in /proc")
def test_workers_end_with_a_killed_run(tmp_path: Path) -> None:
    process = started(archive_of(tmp_path / "sessions", 2), tmp_path / "store", "--workers", "2")
    workers: list[int] = []
    deadline = time.monotonic() + 60
    while len(workers) < 2 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.1)
        workers = workers_of(process.pid)
    process.kill()
    process.communicate(timeout=10)
    assert len(workers) == 2
    while any(Path(f"/proc/{one}/cmdline").exists() for one in workers) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not [one for one in workers if Path(f"/proc/{one}/cmdline").exists()]


@contextmanager
def dask(*arguments: str) -> Iterator[None]:
    process = subprocess.Popen(
        [sys.executable, "-m", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait(20)


@pytest.mark.long
def test_a_cluster_of_dask_scores_the_same(tmp_path: Path) -> None:
    source, store, about = (
        archive_of(tmp_path / "sessions", 2),
        tmp_path / "store",
        tmp_path / "scheduler.json",
    )
    scheduler = ("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    worker = ("distributed.cli.dask_worker", "--nthreads", "1", "--no-dashboard")
    at = ("--scheduler-file", str(about))
    with dask(*scheduler, *at), dask(*worker, *at, "--local-directory", str(tmp_path / "dask")):
        while not about.exists():
            time.sleep(0.1)
        found = score(source, store, "--cluster", json.loads(about.read_text("utf-8"))["address"])
    assert (found["from"], found["final_exact"], found["failed"]) == ({"pictures": 2}, 2, [])
