"""`tilesight table`: backs up logs, removes old pictures, and repairs damaged logs."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from engine.game import GameError
from engine.jsonvalue import FieldError
from tilesight.export.game import opening_of, table_path
from tilesight.home import tables_folder
from tilesight.table_log.backup import back_up
from tilesight.table_log.event_fold import EntryKind, GameLedger, empty_ledger
from tilesight.table_log.event_store import DAMAGE, SUFFIX, Entry, StoreError, TableStore, locked
from tilesight.table_log.history import following
from tilesight.table_log.retention import thin
from tilesight.table_log.salvage import SalvagedRow, rows_in, salvaged
from tilesight.table_log.sqlite_log import files_of, reading, referenced
from tilesight.table_log.table_lock import lock_file_of

table_app = typer.Typer(
    help="Back up, repair or thin out tables' logs.", no_args_is_help=True, add_completion=False
)


@table_app.command("repair")
def repair_command(
    table: Annotated[str, typer.Argument(metavar="TABLE", help="a table's file, its name, or 'last'")],
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Recover the undamaged part of a table's log. The damaged file is kept as TABLE.damaged."""
    path = table_path(table)
    kept, lost, ledger = repair(path)
    if as_json:
        told = {"tilesight": 1, "table": str(path), "entries": kept, "lost": lost, "turns": len(ledger.turns)}
        print(json.dumps(told))
    else:
        entries = f"{kept} entries with {len(ledger.turns)} turns are undamaged"
        print(f"{path}: {entries}" + (f"; {lost} entries are lost" if lost else ""))


@table_app.command("backup")
def backup_command(
    table: Annotated[str, typer.Argument(metavar="TABLE", help="a table's file, its name, or 'last'")],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="the file to write, or a folder for it")],
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Copy a table's log, even during its game, to a file that `live --table` can resume."""
    path = table_path(table)
    copy = out / f"{path.stem}-{time.strftime('%Y%m%d-%H%M%S')}{SUFFIX}" if out.is_dir() else out
    entries = back_up(path, copy)
    if as_json:
        print(json.dumps({"tilesight": 1, "table": str(path), "backup": str(copy), "entries": entries}))
    else:
        print(f"{copy}: {entries} entries of {path}")


@table_app.command("thin")
def thin_command(
    older_days: Annotated[
        float, typer.Option(min=0.0, help="skip tables that changed within this many days")
    ] = 30,
    keep_mb: Annotated[
        float | None, typer.Option(min=0.0, help="stop once all tables take at most this many megabytes")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Remove the pictures of old tables, oldest first. Their games are kept."""
    freed = thin(tables_folder(), older_days, None if keep_mb is None else int(1e6 * keep_mb))
    if as_json:
        told = {str(path): given_back for path, given_back in freed.items()}
        print(json.dumps({"tilesight": 1, "freed_bytes": sum(freed.values()), "tables": told}))
    else:
        print(f"pictures of {len(freed)} tables removed; {sum(freed.values()) / 1e6:.1f} MB freed")


def repair(path: Path) -> tuple[int, int, GameLedger[Any]]:
    """Replace a log by its undamaged part.

    Return the number of entries kept, the number lost, and the ledger. Raises StoreError if nothing of a game
    can be read. After an interruption it can be run again with the same result.
    """
    done = path.with_name(f"{path.name}.repaired")
    with locked(path):
        if not done.exists():
            _write_sound(path, done)
        damaged = _swap(path, done)
    with TableStore(path) as store:
        entries = store.entries()
        ledger = _sound(entries)[1]
    return len(entries), max(len(rows_in(damaged)) - len(entries), 0), ledger


def _write_sound(path: Path, done: Path) -> None:
    """Write the undamaged entries of ``path`` as a log, which gets the name ``done`` once it is complete."""
    begun = path.with_name(f"{path.name}.repairing")
    for rest in (*files_of(begun), lock_file_of(begun)):
        rest.unlink(missing_ok=True)
    try:
        base = reading(path)
        try:
            entries, _ = _sound(rows_in(path))
            if not entries or entries[0].kind != EntryKind.OPENED:
                raise StoreError(f"{path}: no part of a game is readable")
            with TableStore(begun) as store:
                for entry in map(_without_consent, entries):
                    store.append(entry.kind, entry.data, dict(_pictures(base, entry.number)), at_s=entry.at_s)
        finally:
            base.close()
    except sqlite3.OperationalError as error:
        busy = "another Tilesight has this table open" if "locked" in str(error) else str(error)
        raise StoreError(f"{path}: {busy}") from None
    except DAMAGE as error:
        raise StoreError(f"{path}: no part of a game is readable ({error})") from None
    begun.replace(done)
    lock_file_of(begun).unlink(missing_ok=True)


def _without_consent(entry: Entry) -> Entry:
    """Return an entry without the consent to keep labels, because a lost entry may have withdrawn it."""
    if entry.kind != EntryKind.KEYED or "keep_labels" not in entry.data:
        return entry
    return replace(entry, data={**entry.data, "keep_labels": False})


def _swap(path: Path, done: Path) -> Path:
    """Move ``done`` to ``path``, and return the name under which the old files are kept."""
    names = (path.with_name(f"{path.name}.damaged{end}") for end in ("", *map(str, range(2, 1000))))
    damaged = next(name for name in names if not name.exists() or name.samefile(path))
    for file, kept in zip(files_of(path), files_of(damaged), strict=True):
        if file.exists() and not kept.exists():
            try:
                os.link(file, kept)
            except OSError:  # some file systems have no links
                shutil.copy2(file, kept)
    for file in files_of(path)[1:]:  # SQLite would read these into the new file
        file.unlink(missing_ok=True)
    done.replace(path)
    return damaged


def _sound(found: Sequence[SalvagedRow]) -> tuple[list[Entry], GameLedger[Any]]:
    """Return the entries that can be kept, and their ledger."""
    return salvaged(found, empty_ledger([entry for entry in found if isinstance(entry, Entry)]), _is_legal)


def _is_legal(ledger: GameLedger[Any]) -> bool:
    """Whether all turns are legal in sequence; also False if the game's pack is not known here."""
    try:
        _, start = opening_of(ledger)
    except (FieldError, GameError, KeyError, TypeError, ValueError):
        return False
    return len(following(start, ledger.turns)) == len(ledger.turns)


def _pictures(base: sqlite3.Connection, entry: int) -> Iterator[tuple[str, bytes]]:
    """Yield the readable pictures (name, JPEG) of an entry, including those stored with an earlier entry."""
    for name, content in _contents(base, entry):
        if (at := referenced(content)) is None:
            yield name, content
        elif (jpeg := dict(_contents(base, at[0])).get(at[1])) is not None and zlib.crc32(jpeg) == at[2]:
            yield name, jpeg


def _contents(base: sqlite3.Connection, entry: int) -> Iterator[tuple[str, bytes]]:
    """Yield the names and undamaged contents of the pictures kept with an entry."""
    try:
        base.execute("PRAGMA writable_schema = ON")  # otherwise a truncated file cannot be read at all
        columns = [name for _, name, *_ in base.execute("PRAGMA table_info(pictures)")]
        checked = "sum" if "sum" in columns else "NULL"
        rows = base.execute(f"SELECT name, jpeg, {checked} FROM pictures WHERE entry = ?", (entry,))
        for name, jpeg, told in rows:
            if isinstance(name, str) and isinstance(jpeg, bytes) and told in (None, zlib.crc32(jpeg)):
                yield name, jpeg
    except DAMAGE:
        return
