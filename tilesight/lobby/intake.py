"""Import into the library: logs uploaded one by one or in the zip file of an export.

Uploads are untrusted. A log is accepted only if its file holds exactly the tables of a log and its entries
fold to a game. It is stored without the keys and addresses of the sender's table: new keys are made when the
game is resumed.
"""

from __future__ import annotations

import contextlib
import math
import os
import re
import shutil
import sqlite3
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from engine.message import Message
from tilesight.home import tables_folder
from tilesight.lobby.past import UNREADABLE, past_table
from tilesight.table_log.backup import back_up
from tilesight.table_log.event_fold import without_keys
from tilesight.table_log.event_store import DAMAGE, SUFFIX, Entry, StoreError, TableStore, format_of
from tilesight.table_log.log_files import numbered
from web.library import IMPORT_LIMIT_BYTES, ImportResult
from web.table.refusal import Refusal

LOGS_AT_MOST = 2000
"""Logs in one zip file at most."""
SPARE_BYTES = 256 * 1024 * 1024
"""Bytes that stay free on the disk."""
PIECE_BYTES = 1024 * 1024
"""Bytes that are copied at a time."""
NAME = re.compile(r"\w[\w.-]{0,99}\Z")
"""Name of a log without its ending: never a path."""
LOG_PARTS = frozenset({"entries", "pictures", "sqlite_autoindex_pictures_1"})
"""Names of all that the database of a log has."""
FORBIDDEN_WORDS = re.compile(r"\b(VIRTUAL|GENERATED|AS|CHECK|TRIGGER|VIEW)\b", re.IGNORECASE)
"""Words that the definitions of a log's tables never have: they would compute something."""
NOT_A_GAME = (
    *UNREADABLE,
    *DAMAGE,
    ValueError,
    LookupError,
    ArithmeticError,
    AttributeError,
    RecursionError,
    OSError,
)
"""Errors of a file that is no log of a game."""


def import_file(file: Path, name: str) -> ImportResult:
    """Import the log, or all logs of the zip file, in ``file``; ``name`` is its original file name.

    Raises Refusal if there is nothing to import.
    """
    folder = tables_folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    brought = here = refused = 0
    with tempfile.TemporaryDirectory(dir=folder, prefix=".coming-") as scratch:
        stored = Path(scratch) / f"stored{SUFFIX}"
        for stem, copy in _logs_in(file, name, Path(scratch)):
            entries = _entries_of(copy)
            if entries is None:
                refused += 1
            elif (place := _place_for(folder, stem, entries)) is None:
                here += 1
            else:
                back_up(copy, stored)
                os.utime(stored, (entries[-1].at_s, entries[-1].at_s))
                stored.replace(place)
                brought += 1
            copy.unlink(missing_ok=True)
    if not brought and not here:
        raise Refusal("no_games", Message("there is no game of Tilesight in this file"))
    return ImportResult(brought, here, refused)


def _logs_in(file: Path, name: str, scratch: Path) -> Iterator[tuple[str, Path]]:
    """Yield copies of candidate logs, each with its name."""
    copy = scratch / f"one{SUFFIX}"
    if not zipfile.is_zipfile(file):
        _must_have_room(scratch, file.stat().st_size)
        with file.open("rb") as source:
            _copied(source, copy, IMPORT_LIMIT_BYTES)
        yield _stem(name), copy
        return
    try:
        with zipfile.ZipFile(file) as packed:
            members = [one for one in packed.infolist() if not one.is_dir()]
            size = sum(one.file_size for one in members)
            if len(members) > LOGS_AT_MOST or size > IMPORT_LIMIT_BYTES:
                raise Refusal("too_large", Message("there is too much in this file"))
            _must_have_room(scratch, size)
            for one in members:
                if one.filename.endswith(SUFFIX) and NAME.match(one.filename.removesuffix(SUFFIX)):
                    with packed.open(one) as source:
                        _copied(source, copy, one.file_size)
                    yield one.filename.removesuffix(SUFFIX), copy
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, RuntimeError, EOFError, OSError):
        raise Refusal("no_games", Message("this zip file cannot be read")) from None


def _copied(source: IO[bytes], copy: Path, most: int) -> None:
    """Copy a stream to a file, at most ``most`` bytes, whatever size it claims."""
    left = most
    with os.fdopen(os.open(copy, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "wb") as target:
        while piece := source.read(PIECE_BYTES):
            left -= len(piece)
            if left < 0:
                raise Refusal("too_large", Message("there is too much in this file"))
            target.write(piece)


def _must_have_room(folder: Path, size: int) -> None:
    """Raise Refusal if the disk of a folder has no room for ``size`` bytes."""
    if shutil.disk_usage(folder).free < size + SPARE_BYTES:
        raise Refusal("no_room", Message("this computer's disk has no room for it"))


def _stem(name: str) -> str:
    """Return a name for a log that was uploaded alone."""
    stem = Path(name).name.removesuffix(SUFFIX)
    return stem if NAME.match(stem) else time.strftime("imported-%Y%m%d-%H%M%S")


def _entries_of(path: Path) -> tuple[Entry, ...] | None:
    """Return the entries of an undamaged log of a game that has begun; None otherwise."""
    try:
        if format_of(path) is None or not _has_only_its_tables(path):
            return None
        with TableStore(path, read_only=True) as store:
            entries = store.entries()
            if not all(map(_is_sound, entries)):
                return None
            past_table(store)
            return entries
    except NOT_A_GAME:
        return None


def _is_sound(entry: Entry) -> bool:
    """Whether an entry has a finite time and names its pack, if any, by a name: a stranger's log may not name
    a folder of this computer."""
    header = entry.data.get("header")
    pack = header.get("pack", "") if isinstance(header, dict) else None
    return math.isfinite(entry.at_s) and (pack is None or NAME.match(str(pack)) is not None)


def _has_only_its_tables(path: Path) -> bool:
    """Whether the database has exactly the tables of a log, and nothing that runs code when it is read."""
    address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    with contextlib.closing(sqlite3.connect(address, uri=True)) as base:
        base.execute("PRAGMA trusted_schema = OFF")
        rows = base.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
    return {name for _, name, _ in rows} == LOG_PARTS and not any(
        kind not in ("table", "index") or FORBIDDEN_WORDS.search(sql or "") for kind, _, sql in rows
    )


def _place_for(folder: Path, stem: str, entries: tuple[Entry, ...]) -> Path | None:
    """Return a free path for a log; None if the same game is there already."""
    for name in numbered(stem):
        path = folder / f"{name}{SUFFIX}"
        if not path.exists():
            return path
        with contextlib.suppress(StoreError), TableStore(path, read_only=True) as store:
            if tuple(map(without_keys, store.entries())) == tuple(map(without_keys, entries)):
                return None
    raise AssertionError("names never end")
