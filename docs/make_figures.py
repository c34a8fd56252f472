"""Figures of the README, measured at one commit: `make figures` runs every command and writes the table.

The documents that the commands print are kept in `docs/figures.json` with their commit, date and machine; the
table between the README's two markers is made from them. Only data that ship are read. Figures of other data,
and those that take hours, are in docs/measuring.md.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from docs.marked_part import with_part
from docs.provenance import ROOT, head, machine, same_code, today

README = ROOT / "README.md"
KEPT = ROOT / "docs" / "figures.json"
BEGIN, END = "<!-- figures: make figures -->", "<!-- end of figures -->"
Document = Mapping[str, Any]


@dataclass(frozen=True)
class Figure:
    """One row of the table: its data in words, the command without `tilesight` and `--json`, and the function
    that makes words of the command's document. ``timed`` figures depend on what else the machine does: each
    is measured alone, the others as many at a time as there are cores."""

    what: str
    data: str
    command: str
    words: Callable[[Document], str]
    timed: bool = False


def percent(share: float) -> str:
    """A share (0..1) as a percentage with one decimal; only all is 100 % and only nothing 0 %."""
    shown = 100 * share if share in (0, 1) else min(max(100 * share, 0.1), 99.9)
    return f"{shown:.1f}".removesuffix(".0") + " %"


def of_tiles(document: Document) -> str:
    """Tiles, boards, corners, pieces and time of `bench vision` on boards of tiles."""
    one = document["vision"]
    return (
        f"{percent(one['tiles_solved'])} of the tiles right, {of_boards(one)}; corners within "
        f"{percent(one['corner_p50'])} of a side (median), {percent(one['corner_p95'])} (95 %); "
        f"pieces {percent(one['pieces_found'])} found, "
        f"{percent(one['pieces_false'])} false, kind and colour {percent(one['kind_color'])}, "
        f"feature {percent(one['feature'])}"
    )


def of_squares(document: Document) -> str:
    """Squares, animals, pawns and time of `bench vision` on boards of squares."""
    one = document["vision"]
    return (
        f"terrain {percent(one['terrain'])}, animals and facings {percent(one['animals'])}, pawns "
        f"{percent(one['pieces_found'])}, {of_boards(one)}"
    )


def of_boards(one: Document) -> str:
    """Number of boards without a fault of `bench vision`."""
    return f"{round(one['boards_right'] * one['images'])} of {one['images']} boards without a fault"


def of_time(document: Document) -> str:
    """Time and memory of `bench vision`."""
    one = document["vision"]
    return (
        f"median {one['photo_ms_p50'] / 1000:.1f} s a photograph, {one['live_ms_p50']:.0f} ms a still frame; "
        f"{one['rss_mb']:.0f} MB"
    )


def of_sessions(document: Document) -> str:
    """Turns, finals and questions of `bench sessions`; ways that differ are told one by one."""
    said: dict[str, list[str]] = {}
    for one in document["sessions"]:
        asked = f"{len(one['asked'])} asked" if one["asked"] else "nothing asked"
        final = "final score exact" if one["final_exact"] else "final score wrong"
        text = f"{one['turns_exact']} of {one['turns']} turns exact, {final}, {asked}"
        said.setdefault(text, []).append(one["way"])
    if len(said) == 1:
        return f"{next(iter(said))}, in all {len(document['sessions'])} ways"
    return "; ".join(f"{text} ({', '.join(ways)})" for text, ways in said.items())


def of_replay(document: Document) -> str:
    """Comparison of `replay` with the record of a game on squares."""
    one, alarms = document["compare"], len(document.get("alarms", ()))
    set_up = "set-up exact" if one.get("setup_exact") else "set-up wrong"
    false = f"{alarms} false alarms" if alarms else "no false alarm"
    return f"{set_up}, {one['turns_exact']} of {one['turns']} moves exact, {false}"


def of_engine(document: Document) -> str:
    """Games a second of each game, by `bench engine`."""
    games = document["engine"]
    paces = ", ".join(f"{name} {one['games_per_s']:.0f}" for name, one in games.items())
    listing = max(one["listing_ms_p95"] for one in games.values())
    return f"{paces} games a second of processor time; listing placements {listing:.2f} ms at most (95 %)"


HOUSE, TRICKY = "bench vision samples/house-boards", "bench vision samples/tricky-boards"
BUSY = 0.5
"""Load of the machine from which it is too busy for times to be told."""

FIGURES = (
    Figure("photographs, Safari", "40 boards, 920 tiles", HOUSE, of_tiles),
    Figure(
        "photographs, Hunters and Gatherers",
        "20 boards of 4 to 48 tiles",
        "bench vision samples/taiga-boards",
        of_tiles,
    ),
    Figure(
        "photographs, Carcassonne",
        "20 boards, 494 tiles, 321 meeples, 141 of them lying",
        "bench vision samples/bastide-boards",
        of_tiles,
    ),
    Figure("photographs, Tricky Safari", "40 boards", TRICKY, of_squares),
    Figure("time of a photograph", "the 40 boards of Safari", HOUSE, of_time, timed=True),
    Figure("time of a photograph", "the 40 boards of Tricky Safari", TRICKY, of_time, timed=True),
    Figure("a game of Safari", "25 turns", "bench sessions samples/first-light", of_sessions),
    Figure("Safari with animal tiles", "31 turns", "bench sessions samples/water-and-baobab", of_sessions),
    Figure(
        "Hunters and Gatherers",
        "33 turns, huts, menhir turns, a pit trap",
        "bench sessions samples/menhir-creek",
        of_sessions,
    ),
    Figure("Carcassonne", "24 turns, five farmers", "bench sessions samples/hill-town", of_sessions),
    Figure("The River", "20 turns", "bench sessions samples/mill-stream", of_sessions),
    Figure("Tricky Safari", "20 moves, set-up read", "replay samples/camera-hunt", of_replay),
    Figure("rules engine", "random games, one core", "bench engine", of_engine, timed=True),
)


def load() -> float:
    """Mean number of processes that wanted a core in the last minute; 0 where the system does not tell."""
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else 0.0


def commit() -> str:
    """Short hash of the commit that is measured. SystemExit where what is measured was changed since."""
    if not same_code("HEAD"):
        raise SystemExit("figures: commit the changes of the packages first, a figure names its commit")
    return head()


def measured(command: str) -> Document:
    """The document of a figure's command, without its reliability bins. SystemExit where it fails."""
    print(f"tilesight {command}", file=sys.stderr, flush=True)
    program = [sys.executable, "-m", "tilesight.app", *shlex.split(command), "--json"]
    path = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, env=path, check=False)
    if done.returncode:
        raise SystemExit(f"figures: tilesight {command} failed: {done.stderr.strip()[-300:]}")
    document: dict[str, Any] = json.loads(done.stdout)
    kept = ("vision", "sessions", "engine", "compare", "alarms")
    return {key: document[key] for key in kept if key in document}


def lacking(kept: Document, *, timed: bool) -> list[str]:
    """Commands that ``kept`` has no document of; ``timed``: those that a timed figure is made from."""
    alone = {one.command for one in FIGURES if one.timed}
    commands = dict.fromkeys(one.command for one in FIGURES if (one.command in alone) is timed)
    return [command for command in commands if command not in kept["documents"]]


def keep(kept: Document) -> None:
    """Write what is measured so far: who stops the program goes on from there."""
    KEPT.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


def table(kept: Document) -> str:
    """The table of the README, between its markers, from what `docs/figures.json` holds."""
    known, busy = kept["documents"], kept["load"] >= BUSY
    rows = [
        f"| {one.what} | {one.data} | `tilesight {one.command}` | {one.words(known[one.command])} |"
        for one in FIGURES
        if one.command in known and not (one.timed and busy)
    ]
    source = f"Measured at commit {kept['commit']} ({kept['date']}): {kept['machine']}."
    if busy:
        source += f" Times are left out: the machine had other work (load {kept['load']})."
    head = ["| what | data | command | figure |", "|---|---|---|---|"]
    return "\n".join([BEGIN, source, "", *head, *rows, END])


def with_table(text: str, kept: Document) -> str:
    """The text of the README with its table as it should be. ValueError where it has no markers."""
    return with_part(text, "README.md", table(kept), BEGIN, END)


def main(args: Sequence[str] | None = None) -> None:
    """Measure what this commit lacks, keep it, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", action="store_true", help="write the table from docs/figures.json alone")
    asked = parser.parse_args(args)
    kept: dict[str, Any] = json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {}
    if not asked.table:
        now = commit()
        if kept and same_code(kept["commit"]):
            kept["commit"] = now
        else:
            kept = {"commit": now, "date": today(), "machine": machine(), "load": load(), "documents": {}}
        keep(kept)
        for timed, at_once in ((True, 1), (False, os.cpu_count() or 1)):
            commands = lacking(kept, timed=timed)
            with ThreadPoolExecutor(at_once) as pool:
                for command, document in zip(commands, pool.map(measured, commands), strict=True):
                    kept["documents"][command] = document
                    keep(kept)
    README.write_text(with_table(README.read_text("utf-8"), kept), "utf-8")


if __name__ == "__main__":
    main()
