"""Re-scoring of a small archive by a Dask cluster, one of whose workers is killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tests.club.archive import make_sessions

SCHEDULER = ("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
WORKER = ("distributed.cli.dask_worker", "--nthreads", "1", "--no-dashboard", "--no-nanny")
NICE = 5
"""It gives way to the tables: a hall scores its archive when there is time."""
WITHIN_S = 600.0
"""Seconds for all of it."""


def rescored(folder: Path, number: int) -> tuple[dict[str, Any], list[str]]:
    """What came of so many sessions while a worker of two was killed, and what is wrong with it."""
    source, store, about = folder / "sessions", folder / "scores", folder / "scheduler.json"
    make_sessions(source, number)
    began = time.monotonic()
    with ExitStack() as stack:
        _started(stack, folder, SCHEDULER, about)
        workers = [_started(stack, folder, (*WORKER, "--name", f"w{n}"), about) for n in range(2)]
        _until(about.exists)
        address = json.loads(about.read_text("utf-8"))["address"]
        score = ("tilesight.app", "archive", "score", str(source), "--store", str(store), "--json")
        client = _started(stack, folder, (*score, "--cluster", address), None)
        _until(lambda: len(_results(store)) >= number // 3 or client.poll() is not None)
        first = _results(store)
        workers[0].kill()
        out, _ = client.communicate(timeout=WITHIN_S)
    told = json.loads(out)["archive"] if client.returncode == 0 else {"sessions": 0, "failed": out.decode()}
    results = _results(store)
    twice = sum(results.get(path) != known for path, known in first.items())
    wrong = []
    if told["sessions"] != number or told["failed"] or len(results) != number or twice:
        wrong.append(f"rescoring: {told['sessions']} of {number} sessions, {twice} twice: {told['failed']}")
    took_s = round(time.monotonic() - began, 1)
    return {"sessions": number, "workers_killed": 1, "done_twice": twice, "took_s": took_s}, wrong


def _started(
    stack: ExitStack, folder: Path, words: Sequence[str], about: Path | None
) -> subprocess.Popen[bytes]:
    more = () if about is None else ("--scheduler-file", str(about))
    environ = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    with (folder / "dask.log").open("ab") as log:
        process = subprocess.Popen(
            ["nice", "-n", str(NICE), sys.executable, "-m", *words, *more],
            stdout=subprocess.PIPE if about is None else log,
            stderr=log,
            env=environ,
        )
    stack.callback(process.wait)
    stack.callback(process.kill)
    return process


def _results(store: Path) -> dict[Path, tuple[int, int]]:
    """Every result, and which file it is."""
    found = {path: path.stat() for path in store.glob("results/*/*.json")}
    return {path: (stat.st_mtime_ns, stat.st_ino) for path, stat in found.items()}


def _until(true: Any) -> None:
    until = time.monotonic() + WITHIN_S
    while not true():
        assert time.monotonic() < until, "the cluster does not work"
        time.sleep(0.1)
