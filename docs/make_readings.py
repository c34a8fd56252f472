"""Readings of sets that are not shipped, held against floors: `make readings` measures and writes the table.

`../shared/tools/scoreboard.py` reads the sets with this checkout's program. `docs/readings/floors.json` holds
the best figure so far of each; `docs/readings/readings.md` says what each set last gave, at which commit.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from docs.provenance import ROOT, head, machine, same_code, today

SCOREBOARD = ROOT.parent / "shared" / "tools" / "scoreboard.py"
PROGRAM = Path(sys.executable).with_name("tilesight")
KEPT = ROOT / "docs" / "readings"
UNSTEADY = ("second", "steady")
"""Sets that read differently on machines of one class: what one of them reads raises no floor."""
TICK_S = 60
"""Time between two signs of life, in seconds: the longest set takes several minutes."""
PAGE = """# Readings

What the program reads on the sets of real and published boards, which are not shipped. `make readings` writes
this page; [measuring](../measuring.md#readings-that-do-not-fall) explains sets, figures, and the
[floors](floors.json) below which none may fall.

| set | figures | commit | date | machine |
|---|---|---|---|---|
"""
ROW = re.compile(r"^\| (\w+) \| .*\|$", re.MULTILINE)

Figures = dict[str, dict[str, float]]
"""Figures of each set by their names."""


@dataclass(frozen=True)
class Reading:
    """Result of a run of the scoreboard: the figures of each set that it read, the floors as it left them,
    and whether all figures hold theirs."""

    figures: Figures
    floors: Figures
    held: bool


def read(asked: list[str], before: Figures, folder: Path) -> Reading:
    """Run the scoreboard with the options ``asked`` against the floors ``before``; ``folder`` is empty.

    It prints a line for each set, and one for each figure that fell. Galleries and settings are in
    ``folder``: none of another commit is used, nor what games on this machine have taught. SystemExit where
    it breaks off.
    """
    result, floors = folder / "result.json", folder / "floors.json"
    floors.write_text(json.dumps(before), "utf-8")
    command: list[str | Path] = [
        sys.executable,
        SCOREBOARD,
        PROGRAM,
        "--floors",
        floors,
        "--out",
        result,
        *asked,
    ]
    own = {"TILESIGHT_SCOREBOARD": str(folder / "galleries"), "TILESIGHT_HOME": str(folder / "home")}
    began = time.monotonic()
    with subprocess.Popen(command, cwd=ROOT, env={**os.environ, **own}) as running:
        while running.poll() is None:
            try:
                running.wait(TICK_S)
            except subprocess.TimeoutExpired:
                print(f"readings: {(time.monotonic() - began) / 60:.0f} min", file=sys.stderr, flush=True)
    if not result.is_file():
        raise SystemExit(f"readings: the scoreboard told nothing (exit status {running.returncode})")
    figures = json.loads(result.read_text("utf-8"))
    lost = gone(figures, before)
    for line in lost:
        print(f"WORSE {line}")
    return Reading(figures, json.loads(floors.read_text("utf-8")), running.returncode == 0 and not lost)


def gone(figures: Figures, floors: Figures) -> list[str]:
    """Figures that have a floor and were not told, though their set was read."""
    return [
        f"{name}: {figure}, which has a floor, was not told"
        for name, told in figures.items()
        if told
        for figure in floors.get(name, {})
        if figure not in told
    ]


def page(before: str, figures: Figures, source: str) -> str:
    """The page with a row for each set that was read, ``source`` (its last cells) included; the rows that
    ``before`` has of other sets stay."""
    rows = {found[1]: found[0] for found in ROW.finditer(before) if found[1] != "set"}
    for name, told in figures.items():
        words = ", ".join(f"{figure} {value:g}" for figure, value in told.items())
        rows[name] = f"| {name} | {words or 'could not be read'} | {source} |"
    return PAGE + "\n".join(rows.values()) + "\n"


def main(args: Sequence[str] | None = None) -> int:
    """Read the sets, write the page, and with ``--raise`` the floors; 1 where a figure fell, else 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out the sets that take minutes")
    parser.add_argument("--only", metavar="SETS", help="names of sets, separated by commas")
    parser.add_argument("--raise", dest="up", action="store_true", help="raise the floors of better figures")
    asked = parser.parse_args(args)
    if not SCOREBOARD.is_file():
        print("readings: skipped, ../shared/tools/scoreboard.py is not there")
        return 0
    floors, written = KEPT / "floors.json", KEPT / "readings.md"
    before = json.loads(floors.read_text("utf-8"))
    options = ["--quick"] * asked.quick + ["--raise"] * asked.up + ["--only", asked.only] * bool(asked.only)
    # Named before anything is read: people may work on meanwhile.
    code, began = head() if same_code("HEAD") else f"{head()} and changes", time.monotonic()
    with tempfile.TemporaryDirectory(prefix="tilesight-readings-") as folder:
        reading = read(options, before, Path(folder))
    if asked.up:
        kept = reading.floors | {name: before[name] for name in UNSTEADY if name in before}
        floors.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", "utf-8")
    text = written.read_text("utf-8") if written.is_file() else ""
    written.write_text(page(text, reading.figures, f"{code} | {today()} | {machine()}"), "utf-8")
    end = "all hold their floors" if reading.held else "not all hold their floors"
    print(f"readings: {', '.join(reading.figures)} in {time.monotonic() - began:.0f} s, {end}")
    return 0 if reading.held else 1


if __name__ == "__main__":
    sys.exit(main())
