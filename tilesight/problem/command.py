"""`tilesight report-problem`: an archive of a failed game to send, shown before it is written."""

from __future__ import annotations

import json
import sqlite3
import sys
import tempfile
import time
import zipfile
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from tilesight.export.game import table_path
from tilesight.export.session import BEFORE_FILE
from tilesight.problem.environment import settings, versions
from tilesight.problem.excerpt import MOST_BYTES, Excerpt, excerpt_of, lines_of
from tilesight.problem.session import write_session
from tilesight.sessions.placed import KEPT_LOG
from tilesight.sessions.session import SESSION_FILE
from tilesight.table_log.event_store import StoreError, TableStore, write_log
from vision.image.whole_file import file_beside

LOG, PROBLEM, LINES = KEPT_LOG, "problem.json", "log.jsonl"
"""Members of the archive: the log that the library takes, versions and settings, and the log to read."""
WHAT = {
    LOG: "the game's log, with its pictures",
    LINES: "the same log as text, without pictures",
    PROBLEM: "versions of program, models, Python and system; settings",
    SESSION_FILE: "for tilesight replay: the pictures in order, and where each lies in the whole one",
    BEFORE_FILE: "for tilesight replay: the turns before the first picture",
}
"""Words for each member of the archive; the last two are there only if a replay needs them."""


def report_problem_command(
    table: Annotated[str, typer.Argument(metavar="TABLE", help="a table's file, its name, or 'last'")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="the archive to write; default: a new file here")
    ] = None,
    turn: Annotated[
        list[int] | None,
        typer.Option(help="a turn that went wrong, repeatable; default: doubtful and corrected turns"),
    ] = None,
    anonymous: Annotated[bool, typer.Option("--anonymous", help="players' colours instead of names")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="write without asking")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="one JSON document on stdout; writes only with --yes")
    ] = False,
) -> None:
    """Make one archive of a game that went wrong, to send: log, versions, pictures cut to the board."""
    place = out or Path(time.strftime("tilesight-problem-%Y%m%d-%H%M%S.zip"))
    if place.exists():
        raise StoreError(f"{place}: exists already")
    if not place.parent.is_dir():
        raise StoreError(f"{place}: there is no folder {place.parent}")
    with TableStore(table_path(table), read_only=True) as store:
        excerpt = excerpt_of(store, turn or (), anonymous=anonymous)
    with tempfile.TemporaryDirectory(prefix="tilesight-") as scratch:
        folder = Path(scratch)
        problem = _problem(excerpt, anonymous=anonymous)
        _write_members(excerpt, problem, folder)
        sizes = {name: (folder / name).stat().st_size for name in WHAT if (folder / name).is_file()}
        if not as_json:
            _show(excerpt, sizes, anonymous=anonymous)
        written = yes or (not as_json and _agreed(place))
        if written:
            _pack(folder, sizes, place)
    if as_json:
        told = {"tilesight": 1, "out": str(place), "written": written, "members": sizes}
        print(json.dumps({**told, **{key: problem[key] for key in ("turns", "pictures", "anonymous")}}))
    elif written:
        print(f"{place}: written, not sent; docs/report-problem.md says how to look at its pictures")
    if not written:
        raise typer.Exit(1)


def _problem(excerpt: Excerpt, *, anonymous: bool) -> dict[str, Any]:
    """Return the content of ``problem.json``."""
    header = excerpt.ledger.header
    left_out = {
        "of_other_turns": excerpt.too_far,
        "without_board": excerpt.no_board,
        "without_room": excerpt.no_room,
    }
    return {
        "tilesight": 1,
        "versions": versions(),
        "settings": settings(str(header["pack"])),
        "game": {key: header[key] for key in ("game", "pack", "rules", "players") if key in header},
        "turns": list(excerpt.turns),
        "pictures": {"kept": excerpt.pictures, "left_out": left_out},
        "anonymous": anonymous,
    }


def _write_members(excerpt: Excerpt, problem: Mapping[str, Any], folder: Path) -> None:
    """Write the members of the archive into a folder."""
    try:
        write_log(folder / LOG, excerpt.entries)
    except sqlite3.Error as error:
        raise StoreError(f"the excerpt of the log cannot be written ({error})") from None
    lines = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines_of(excerpt))
    (folder / LINES).write_text(lines, encoding="utf-8")
    write_session(excerpt, folder)
    text = json.dumps(problem, ensure_ascii=False, indent=1)
    (folder / PROBLEM).write_text(text + "\n", encoding="utf-8")


def _pack(folder: Path, members: Collection[str], place: Path) -> None:
    """Write the archive of the files ``members`` as a whole. Raises OSError."""
    with file_beside(place) as beside, zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in members:
            packed.write(folder / name, name)


def _show(excerpt: Excerpt, sizes: Mapping[str, int], *, anonymous: bool) -> None:
    """Print what the archive holds, and what it leaves out."""
    for name, size in sizes.items():
        print(f"{name:<18} {max(1, round(size / 1000)):>6} kB  {WHAT[name]}")
    turns = ", ".join(map(str, excerpt.turns))
    why = (
        " (the last ones: nothing was doubtful or corrected; --turn N names others)" if excerpt.latest else ""
    )
    print(f"About turns: {turns}{why}")
    print(f"Pictures: {excerpt.pictures}, each cut to the board and a rim of one tile around it")
    left_out = {
        "of other turns, or equal to another": excerpt.too_far,
        "in which the board was not found": excerpt.no_board,
        f"beyond {MOST_BYTES // 1_000_000} MB": excerpt.no_room,
    }
    if told := ", ".join(f"{count} {where}" for where, count in left_out.items() if count):
        print(f"Pictures left out: {told}")
    ledger = excerpt.ledger
    names = ", ".join(ledger.names.get(color, color) for color in ledger.header["players"])
    print(
        "Names of players: replaced by colours"
        if anonymous
        else f"Names of players: {names} (--anonymous leaves them out)"
    )
    print("Not in it: keys, addresses, names of computers, folders and cameras", flush=True)


def _agreed(place: Path) -> bool:
    """Ask whether to write the archive; without an answer it is not written."""
    try:
        agreed = typer.confirm(f"Write {place}?")
    except typer.Abort:
        print("not written: no answer (--yes writes without asking)", file=sys.stderr)
        return False
    if not agreed:
        print("not written", file=sys.stderr)
    return agreed
