"""Restores a table's log from the stream, so that another worker can continue the game."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from nats.js.api import RawStreamMsg
from nats.js.client import JetStreamContext
from nats.js.errors import NotFoundError

from tilesight.club.messages import ENTRY_BYTES, FORGOTTEN, LogEntry, PhoneTable, read_message
from tilesight.club.subjects import STREAM, log_id, log_subject
from tilesight.table_log.event_fold import EntryKind
from tilesight.table_log.event_store import SUFFIX, StoreError, TableStore
from web.table.access import Access

VOID = ".void"
"""Mark in the name of a log with which another worker's went apart."""


class RestoreError(ValueError):
    """The stream does not have a complete log; the message is one line."""


async def latest_game(stream: JetStreamContext, table: str, since_s: float) -> tuple[LogEntry, ...]:
    """Return the entries of a table's latest game, finished or not; none if none started since ``since_s`` or
    the hub removed it.

    Raises NATS's errors if it does not answer, RestoreError or MessageError if the log is incomplete or
    invalid.
    """
    try:
        # With a number the subject is asked for by the request's body, where it may name any game.
        last = await stream.get_msg(STREAM, 1, log_subject(table, "*"), direct=True)
    except NotFoundError:
        return ()
    entries: list[LogEntry] = []
    message = await _next(stream, last.subject or "", 1)
    if message is None or message.time is None or message.time.timestamp() < since_s:
        return ()
    while message is not None:
        entries.append(read_message(LogEntry, message.data or b"", ENTRY_BYTES))
        if entries[-1].kind == FORGOTTEN:
            return ()
        if entries[-1].number != len(entries):
            raise RestoreError(f"table {table}: entry {len(entries)} of its game is missing at the hub")
        message = await _next(stream, last.subject or "", (message.seq or 0) + 1)
    return tuple(entries)


async def _next(stream: JetStreamContext, subject: str, first: int) -> RawStreamMsg | None:
    """Return the next message of a subject from sequence ``first`` on, or None."""
    try:
        return await stream.get_msg(STREAM, first, subject, direct=True, next=True)
    except NotFoundError:
        return None


def restored(folder: Path, table: str, told: Sequence[LogEntry], of: PhoneTable) -> Path:
    """Return the log file in which a game of the stream continues: our own, with its pictures, if we have it,
    else a new one.

    A file of ours that has diverged from the stream is put aside. Raises StoreError if none can be written.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    access = Access(player=of.key)
    if told:
        for path in sorted(folder.glob(f"{table}-*{SUFFIX}")):
            if VOID not in path.name and _goes_on(path, told, access):
                return path
    path = folder / f"{table}-{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}{SUFFIX}"
    if told:
        with TableStore(path) as store:
            _append(store, told, access)
    return path


def _goes_on(path: Path, told: Sequence[LogEntry], access: Access) -> bool:
    """Whether a file holds this game, after adding the stream's entries; entries that the stream lacks are
    kept."""
    try:
        with TableStore(path) as store:
            own = [LogEntry.of(entry) for entry in store.entries()]
            if not own or log_id(own[0].entry()) != log_id(told[0].entry()):
                return False
            same = min(len(own), len(told))
            if own[:same] == list(told[:same]):
                _append(store, told[same:], access)
                return True
    except StoreError:  # open in another process, which is stopped perhaps; or damaged
        return False
    path.rename(path.with_name(f"{path.name.removesuffix(SUFFIX)}{VOID}{SUFFIX}"))
    return False


def _append(store: TableStore, told: Sequence[LogEntry], access: Access) -> None:
    """Write entries unchanged, with the keys that never left their table."""
    for entry in told:
        data = entry.data
        if entry.kind == EntryKind.KEYED:
            seen = data.get("spectators_see_camera") is not False
            data = replace(access, spectators_see_camera=seen).to_json()
        store.append(entry.kind, data, at_s=entry.at_s)
