"""Kills of `tilesight enrol`: the gallery is the old one or the new one, and nothing lies beside it.

Two sets of flat pictures of one edition are enrolled in turn into one file. Every other SIGKILL comes at a
random moment of the run; the others come while the gallery is written, as soon as a file appears beside it.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

from tests.attacks.outcome import Outcome
from tests.tilesight.kills import ROOT
from tests.tilesight.toy_pack import toy_values, write_pack

WRITTEN_WITHIN_S = 0.004
"""Seconds after the first file beside the gallery within which the run is killed."""
ENDS_WITHIN_S = 60.0
"""Seconds within which a run must have ended by itself."""


class EnrolKills:
    """An edition, its two sets of pictures, and the gallery that is written."""

    def __init__(self, scratch: Path, seed: int) -> None:
        self._rng = random.Random(seed)
        self._home, self._pack = scratch / "home", write_pack(scratch / "toy", toy_values("toy"))
        self._pictures = [write_pack(scratch / f"set-{n}", toy_values("toy"), seed=20 + n) for n in range(2)]
        self._gallery = self._home / "galleries" / "toy.gallery"
        self._longest_s = 1.0
        self.outcome = Outcome()
        self._contents: list[bytes] = []
        for which in range(2):
            self._enrol(which, None)
            self._contents.append(self._gallery.read_bytes())

    def run(self, kills: int) -> Outcome:
        """Kill so often, then enrol to the end."""
        assert self._contents[0] != self._contents[1]
        now = 1
        for number in range(kills):
            which, where = 1 - now, ("anywhere", "while it is written")[number % 2]
            told = self._enrol(which, where)
            self.outcome.kills["enrol"] += 1
            self.outcome.cut_off["enrol"] += not told
            found = self._gallery.read_bytes()
            if found not in self._contents:
                self.outcome.wrong.append(f"kill {number + 1}: the gallery is neither of the two")
            elif told and found != self._contents[which]:
                self.outcome.wrong.append(f"kill {number + 1}: the gallery that was told of is not there")
            now = 1 - now if found == self._contents[1 - now] else now
        self._enrol(0, None)
        if self._gallery.read_bytes() != self._contents[0]:
            self.outcome.wrong.append("the end: the gallery is not the one that was enrolled")
        names = {path.name for path in self._gallery.parent.iterdir()}
        if rest := names - {self._gallery.name, f"{self._gallery.name}.before"}:
            self.outcome.wrong.append(f"left behind are {sorted(rest)}")
        return self.outcome

    def _enrol(self, which: int, where: str | None) -> bool:
        """Enrol one set of pictures, killed meanwhile, or to the end; return whether the run told of its
        gallery."""
        words = [sys.executable, "-m", "tilesight.app", "enrol", "--pack", str(self._pack), "--json"]
        with subprocess.Popen(
            [*words, "--images", str(self._pictures[which])],
            stdout=subprocess.PIPE,
            cwd=ROOT,
            env={**os.environ, "TILESIGHT_HOME": str(self._home)},
        ) as run:
            began_s = time.monotonic()
            assert run.stdout is not None
            if where is None:
                assert run.wait(ENDS_WITHIN_S) == 0
                self._longest_s = time.monotonic() - began_s
            elif where == "anywhere":
                time.sleep(self._rng.uniform(0.0, self._longest_s))
            else:
                before = _changes(self._gallery.parent)
                while run.poll() is None and _changes(self._gallery.parent) == before:
                    pass
                time.sleep(self._rng.uniform(0.0, WRITTEN_WITHIN_S))
            run.kill()
            told = run.stdout.read().endswith(b"\n")
        self.outcome.answered["enrol"] += told
        return told


def _changes(folder: Path) -> set[str]:
    """The files of a folder that are being written."""
    return {path.name for path in folder.glob(".*")}
