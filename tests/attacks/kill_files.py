"""Writers killed at random moments, and on a full disk: every kind of file is the old one or the new one.

    python -m tests.attacks.kill_files [--kills 50] [--seed 1] [--kind overlay ...]

Each kill forks this process, which has imported and prepared everything, so that SIGKILL meets the writing:
every other one before a random call into the system, the others at a random time. After every fifth kill the
same is written where the disk takes only a random part of it. A writer that ended well must have left the new
content. At the end it is written once more, and nothing may lie about.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from tests.attacks.outcome import Outcome

MODULES = ("posix", "_io", "sqlite3")
"""Modules of the functions and types whose calls are counted."""
CALLS = (
    *("open", "write", "flush", "close", "truncate", "fsync", "chmod", "chown", "mkdir", "rmdir", "unlink"),
    *("rename", "replace", "link", "__exit__"),
    *("execute", "executemany", "executescript", "commit", "connect"),
)
"""Names of the calls that are counted: those that change what is on a disk."""
FULL_EVERY = 5
ENDED, FAILED = 0, 3
"""Exit statuses of a writer."""


def tree(place: Path) -> object:
    """Return the content of a file, or of all files of a folder by name; None if there is nothing."""
    if place.is_dir():
        files = sorted(one for one in place.rglob("*") if one.is_file())
        return {str(one.relative_to(place)): one.read_bytes() for one in files}
    return place.read_bytes() if place.exists() else None


@dataclass
class Kind:
    """A kind of file. ``write`` writes version 0 or 1 to ``place``; equal versions have equal ``content``.

    A ``fresh`` one is not there before. With ``may_be_gone`` a kill can leave none. ``before`` prepares what
    is there before version 0 or 1 is written.
    """

    name: str
    place: Path
    write: Callable[[int], object]
    content: Callable[[Path], object] = tree
    fresh: bool = False
    may_be_gone: bool = False
    before: Callable[[], object] = field(default=lambda: None)


class FileKills:
    """One kind of file, written in forks of this process."""

    def __init__(self, kind: Kind, seed: int) -> None:
        self._kind, self._rng = kind, random.Random(f"{kind.name} {seed}")
        self.outcome = Outcome()
        kind.place.parent.mkdir(parents=True, exist_ok=True)
        self._contents: list[object] = []
        self._calls = self._longest_s = 0.0
        for which in (1, 0):
            self._clear()
            began_s = time.monotonic()
            self._calls = max(self._calls, self._counted(which))
            self._longest_s = time.monotonic() - began_s
            self._contents.insert(0, kind.content(kind.place))
        self._names = _names(kind.place.parent)
        self._largest = max(one.stat().st_size for one in kind.place.parent.rglob("*") if one.is_file())
        self._now: object = self._contents[0]
        assert self._contents[0] != self._contents[1] and None not in self._contents, kind.name

    def run(self, kills: int) -> Outcome:
        """Kill so often, then write to the end."""
        for number in range(kills):
            which = int(self._now == self._contents[0])
            at_call = self._rng.randint(1, int(self._calls)) if number % 2 else 0
            self._try(which, f"kill {number + 1}{f' before call {at_call}' if at_call else ''}", at_call, 0)
            if number % FULL_EVERY == 0:
                limit = self._rng.randint(1, self._largest)
                self._try(which, f"full disk at {limit} bytes", 0, limit)
        self._clear()
        if self._forked(0, 0, 0) != ENDED or self._kind.content(self._kind.place) != self._contents[0]:
            self.outcome.wrong.append(f"{self._kind.name}: the end: it is not what was written")
        if (rest := _names(self._kind.place.parent)) != self._names:
            self.outcome.wrong.append(f"{self._kind.name}: left behind are {sorted(rest - self._names)}")
        return self.outcome

    def _try(self, which: int, when: str, at_call: int, limit: int) -> None:
        """Write a version, killed meanwhile or on a full disk, and look at what is there."""
        kind = self._kind
        self._clear()
        before, names = kind.content(kind.place), _names(kind.place.parent)
        ended = self._forked(which, at_call, limit, timed=not at_call and not limit)
        found = kind.content(kind.place)
        how = "full disk" if limit else "kill"
        self.outcome.kills[how] += 1
        self.outcome.answered[how] += ended == ENDED
        self.outcome.cut_off[how] += ended != ENDED
        allowed = [self._contents[which]] if ended == ENDED else [before, self._contents[which]]
        if kind.may_be_gone and ended != ENDED:
            allowed.append(None)
        if found not in allowed:
            self.outcome.wrong.append(f"{kind.name}: {when}: it is half written, or not what was told")
        if limit and ended != ENDED and (rest := _names(kind.place.parent) - names):
            self.outcome.wrong.append(f"{kind.name}: {when}: left behind are {sorted(rest)}")
        self._now = found

    def _clear(self) -> None:
        """Put what is there before the writing."""
        if self._kind.fresh:
            shutil.rmtree(self._kind.place, ignore_errors=True)
            with contextlib.suppress(OSError):
                self._kind.place.unlink()
        self._kind.before()

    def _counted(self, which: int) -> int:
        """Write a version to the end in a fork; return the number of its calls."""
        told, tell = os.pipe()
        pid = os.fork()
        if not pid:
            calls = _Calls(0)
            status = self._writer(which, calls)
            os.write(tell, str(calls.count).encode())
            os._exit(status)
        os.close(tell)
        with os.fdopen(told) as answer:
            counted = int(answer.read())
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == ENDED, self._kind.name
        return counted

    def _forked(self, which: int, at_call: int, limit: int, *, timed: bool = False) -> int:
        """Write a version in a fork, and return how it ended: `ENDED`, `FAILED` or minus its signal."""
        ready, tell = os.pipe()
        pid = os.fork()
        if not pid:
            if limit:
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            os.write(tell, b".")
            os._exit(self._writer(which, _Calls(at_call) if at_call else None, full=limit > 0))
        os.close(tell)
        os.read(ready, 1)
        os.close(ready)
        if timed:
            time.sleep(self._rng.uniform(0.0, 1.2 * self._longest_s))
            os.kill(pid, signal.SIGKILL)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    def _writer(self, which: int, calls: _Calls | None, *, full: bool = False) -> int:
        """Write in the forked process; return its exit status."""
        with Path(os.devnull).open("w") as silent:  # noqa: PLW1514 - nothing is written
            os.dup2(silent.fileno(), 1)
        try:
            if calls is not None:
                threading.setprofile(calls)
                sys.setprofile(calls)
            self._kind.write(which)
        except Exception as error:
            sys.setprofile(None)
            if not full:
                print(f"{self._kind.name}: {error!r}", file=sys.stderr)
            return FAILED
        finally:
            sys.setprofile(None)
        return ENDED


class _Calls:
    """A profile function that counts calls into the system, and kills its process before one of them."""

    def __init__(self, at: int) -> None:
        self._at, self.count = at, 0

    def __call__(self, frame: FrameType, event: str, function: Any) -> None:
        own = getattr(function, "__self__", None)
        if event != "c_call" or function.__name__ not in CALLS or isinstance(own, (io.BytesIO, io.StringIO)):
            return
        if (getattr(function, "__module__", None) or type(own).__module__) in MODULES:
            self.count += 1
            if self.count == self._at:
                os.kill(os.getpid(), signal.SIGKILL)


def _names(folder: Path) -> set[str]:
    """Return the names of all files and folders in a folder, but for those that every open log has."""
    names = {str(path.relative_to(folder)) for path in folder.rglob("*")}
    return {name for name in names if not name.endswith(("-wal", "-shm", "-lock"))}


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", action="append", help="only these kinds")
    args = parser.parse_args()
    total = Outcome()
    with tempfile.TemporaryDirectory(prefix="tilesight-") as scratch:
        os.environ["TILESIGHT_HOME"] = scratch  # no kill touches the user's own data
        os.chdir(scratch)
        import cv2  # late, as the kinds: `--help` needs neither

        from tests.attacks.written_files import KINDS

        cv2.setNumThreads(1)  # its threads do not survive a fork
        for name in args.kind or KINDS:
            kind = KINDS[name](Path(scratch) / name)
            began_s = time.monotonic()
            outcome = FileKills(kind, args.seed).run(args.kills)
            kills, full = outcome.kills["kill"], outcome.kills["full disk"]
            cut = f"{outcome.cut_off['kill']} of {kills} kills and {outcome.cut_off['full disk']} of {full}"
            took = f"{time.monotonic() - began_s:.0f} s"
            print(f"{name}: {cut} full disks cut it off, {len(outcome.wrong)} faults, {took}", flush=True)
            total.add(outcome)
    print(json.dumps(vars(total), indent=1))
    return 1 if total.wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
