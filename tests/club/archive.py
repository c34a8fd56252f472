"""Archive of many sessions scored again, on this machine: ``python -m tests.club.archive --sessions 200``.

One worker and two by turns, chunk for chunk, so that a machine that slows down slows both; then all sessions
by two workers that are killed at random; then all once more by their rules alone. Exit 1 where two workers
are not 1.8 times one, where something was done twice or not at all, or where rules alone are not 20 times as
fast.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import Executor
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import Any

from tilesight.archive.scoring import Workers, processes, scored
from tilesight.archive.task import Task

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
FRAMES = (3, 4, 5, 6)
"""Numbers of pictures of a session: a staged one has played a turn by the sixth."""
CHUNK = 30
"""Sessions that one worker scores before two have their turn."""
SEED = 7


def make_sessions(folder: Path, number: int) -> list[Path]:
    """So many sessions, each the beginning of a staged one under names of its own."""
    sources = sorted(path.parent for path in (SAMPLES / "staged").glob("*/session.json"))
    return [_beginning(sources[n % len(sources)], folder / f"evening-{n:04}", n) for n in range(number)]


def _beginning(source: Path, folder: Path, number: int) -> Path:
    manifest = json.loads((source / "session.json").read_text("utf-8"))
    frames = manifest["frames"][: FRAMES[number % len(FRAMES)]]
    for frame in frames:
        path = folder / frame["file"]
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(source / frame["file"], path)
        except OSError:  # another disk
            shutil.copyfile(source / frame["file"], path)
    players = [{**one, "name": f"{one['name']} {number}"} for one in manifest["players"]]
    told = {**manifest, "frames": frames, "players": players, "title": f"Evening {number}"}
    (folder / "session.json").write_text(json.dumps(told), "utf-8")
    return folder


def in_turns(sessions: Sequence[Path], folder: Path) -> dict[str, Any]:
    """Seconds that one worker took for the sessions, and two for the same, chunk by chunk."""
    with ExitStack() as stack:
        pools = {}
        for number in (1, 2):
            workers = processes(number)
            pool = stack.enter_context(workers.new())
            pools[number] = _staying(pool, workers.at_once)
            _scored(sessions[: 2 * number], folder / f"warm-{number}", pools[number])
        took_s = {1: 0.0, 2: 0.0}
        for turn, at in enumerate(range(0, len(sessions), CHUNK)):
            for number in (1, 2) if turn % 2 else (2, 1):
                took_s[number] += _scored(sessions[at : at + CHUNK], folder / f"by-{number}", pools[number])
    return {
        "sessions_each": len(sessions),
        "one_worker_s": round(took_s[1], 1),
        "two_workers_s": round(took_s[2], 1),
        "times": round(took_s[1] / took_s[2], 2),
    }


def _staying(pool: Executor, at_once: int | None) -> Workers:
    """The same workers for every chunk: what one does once in its life is not measured."""
    return Workers(lambda: nullcontext(pool), at_once)


def _scored(sessions: Sequence[Path], store: Path, workers: Workers) -> float:
    began = time.monotonic()
    ends = list(scored([Task(one, None, store) for one in sessions], workers))
    assert all(end.failed is None for end in ends), [end.failed for end in ends if end.failed]
    return time.monotonic() - began


def _command(source: Path, store: Path, *more: str) -> subprocess.Popen[str]:
    words = ("archive", "score", str(source), "--store", str(store), "--workers", "2", "--json", *more)
    return subprocess.Popen(
        [sys.executable, "-m", "tilesight.app", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _ended(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, err = process.communicate()
    assert process.returncode == 0, err + out
    found: dict[str, Any] = json.loads(out)["archive"]
    return found


def workers_of(pid: int) -> list[int]:
    """The processes that a command spawned to work, oldest first (Linux)."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
    return [int(one) for one in children if b"spawn_main" in Path(f"/proc/{one}/cmdline").read_bytes()]


def with_kills(source: Path, number: int, store: Path, kills: int) -> dict[str, Any]:
    """What comes of all sessions when that many workers are killed at random."""
    chance, began = random.Random(SEED), time.monotonic()
    at = sorted(chance.sample(range(1, number), kills))  # by how much is finished
    process, killed, twice = _command(source, store), 0, 0
    written: dict[Path, tuple[int, int]] = {}
    while process.poll() is None:
        time.sleep(0.05)
        for path in store.glob("results/*/*.json"):
            now = (path.stat().st_mtime_ns, path.stat().st_ino)
            twice += written.setdefault(path, now) != now
            written[path] = now
        if killed < kills and len(written) >= at[killed] and (workers := workers_of(process.pid)):
            os.kill(chance.choice(workers), signal.SIGKILL)
            killed += 1
    found = _ended(process)
    return {
        "sessions": found["sessions"],
        "from": found["from"],
        "failed": found["failed"],
        "killed": killed,
        "results": len(list(store.glob("results/*/*.json"))),
        "done_twice": twice,
        "took_s": round(time.monotonic() - began, 1),
    }


def by_rules(source: Path, store: Path) -> dict[str, Any]:
    """Seconds of work for all sessions by their rules alone, against those of looking at them."""
    looked_s = sum(json.loads(path.read_text("utf-8"))["took_s"] for path in store.glob("results/*/*.json"))
    began = time.monotonic()
    found = _ended(_command(source, store, "--rules-only"))
    wall_s = time.monotonic() - began
    rules = store.glob("results/*/*.rules.json")
    ruled_s = sum(json.loads(path.read_text("utf-8"))["took_s"] for path in rules)
    return {
        "sessions": found["sessions"],
        "from": found["from"],
        "changed": found["changed"],
        "work_before_s": round(looked_s, 2),
        "work_s": round(ruled_s, 2),
        "wall_s": round(wall_s, 1),
        "times": round(looked_s / ruled_s, 1),
    }


def measured(folder: Path, number: int, each: int, kills: int) -> dict[str, Any]:
    """All of it, with ``each`` of the sessions scored by turns."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as `tilesight` itself does
    sessions = make_sessions(folder / "sessions", number)
    told: dict[str, Any] = {"sessions": number, "cores": len(os.sched_getaffinity(0))}
    told["in_turns"] = in_turns(sessions[:each], folder)
    told["killed"] = with_kills(folder / "sessions", number, folder / "store", kills)
    told["by_rules"] = by_rules(folder / "sessions", folder / "store")
    looking_s = number * told["in_turns"]["two_workers_s"] / told["in_turns"]["sessions_each"]
    told["by_rules"]["times_with_start"] = round(looking_s / told["by_rules"]["wall_s"], 1)
    return told


def main() -> int:
    """Measure, print one JSON document."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--sessions", type=int, default=200)
    ask.add_argument("--each", type=int, default=60, help="of them, scored by one worker and by two")
    ask.add_argument("--kills", type=int, default=4)
    asked = ask.parse_args()
    with tempfile.TemporaryDirectory(prefix="tilesight-archive-") as folder:
        told = measured(Path(folder), asked.sessions, min(asked.each, asked.sessions), asked.kills)
    killed, rules = told["killed"], told["by_rules"]
    wrong = [
        *(["two workers are not 1.8 times one"] if told["in_turns"]["times"] < 1.8 else []),
        *(["sessions failed"] if killed["failed"] or killed["killed"] != asked.kills else []),
        *(["not every session once"] if killed["done_twice"] or killed["results"] != asked.sessions else []),
        *(["rules alone are not 20 times as fast"] if rules["times"] < 20 else []),
        *(["rules alone tell something else"] if rules["changed"] else []),
    ]
    print(json.dumps({**told, "wrong": wrong}, indent=1))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
