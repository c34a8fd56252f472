"""A table log's game, written as a session for `tilesight replay`."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track

from engine.record import Line, Record, header_from_json, write_record
from tilesight.export.game import record_of
from tilesight.live.album import BEFORE, FRAME
from tilesight.sessions.session import REFERENCE_FILE, SESSION_FILE
from tilesight.table_log.event_fold import EntryKind, GameLedger, empty_ledger
from tilesight.table_log.event_store import Entry, StoreError, TableStore
from tilesight.table_log.recoloring import recolored_line
from vision.image.whole_file import folder_beside

BEFORE_FILE = "turns-before.jsonl"
"""Name of the record of the turns before the first picture."""
PAUSE_S = 1.0
"""Minimum seconds between two pictures in the session."""
AGAIN_S = 0.4
"""Seconds after which a picture is repeated in sessions whose reading needs two equal pictures."""


@dataclass(frozen=True, slots=True)
class KeptPicture:
    """A picture of the log: its entry, its name, and its time in seconds."""

    entry: int
    name: str
    t_s: float


@dataclass(frozen=True, slots=True)
class Timeline:
    """A log's game as a session shows it.

    ``before`` are the lines of the turns before the first picture, ``said`` the field of a session's file.
    """

    ledger: GameLedger[Any]
    pictures: tuple[KeptPicture, ...]
    said: list[dict[str, Any]]
    before: list[dict[str, Any]]


def timeline_of(entries: Sequence[Entry], names_of: Callable[[int], Collection[str]]) -> Timeline:
    """Return the timeline of a log; ``names_of`` returns the names of an entry's pictures.

    Turns without pictures count as said by people before the first picture after them. Raises StoreError if
    the entries make no sense.
    """
    kept: list[KeptPicture] = []
    said: list[dict[str, Any]] = []
    first: list[dict[str, Any]] = []
    ledger, missed = empty_ledger(entries), False
    for entry in entries:
        before, ledger = ledger, ledger.with_entry(entry)
        names = names_of(entry.number)
        if colors := before.new_colors(ledger):
            said, first = recolored_line(said, colors), recolored_line(first, colors)
        for picture in _kept_with(entry, names, entries, kept):
            if not kept:
                first = _told(before, 0)["turns"]
            elif missed:
                said.append(_told(before, len(kept) - 1))
            missed = False
            kept.append(picture)
        if entry.kind in (EntryKind.SAID, EntryKind.UNDONE, EntryKind.REDONE) and kept:
            said.append(_told(ledger, len(kept) - 1))
        elif entry.kind == EntryKind.SEEN and not names:
            missed = True
    return Timeline(ledger, tuple(kept), list(_since(first, said)), first)


def _since(first: list[dict[str, Any]], said: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield people's statements with the turns after ``first`` alone; those that change ``first`` are left
    out."""
    for one in said:
        if one["turns"][: len(first)] == first:
            yield {**one, "turns": one["turns"][len(first) :]}


def _told(ledger: GameLedger[Any], frame: int) -> dict[str, Any]:
    """Return the turns of a ledger as people's statement after a session's picture ``frame``."""
    turns, others = ([turn.to_json() for turn in those] for those in (ledger.turns, ledger.not_these))
    return {"frame": frame, "turns": turns, "not_these": others}


def session_head(timeline: Timeline) -> dict[str, Any]:
    """Return the fields of a session's file, without its frames and the turns before them."""
    ledger = timeline.ledger
    names = ledger.names
    players = [{"name": names.get(c, c), "color": c} for c in ledger.header["players"]]
    head = {**ledger.header, "title": ", ".join(p["name"] for p in players), "players": players}
    return {**head, **({"said": timeline.said} if timeline.said else {})}


def write_session(
    store: TableStore, out: Path, gallery: Path | None = None, *, quiet: bool = True
) -> tuple[int, GameLedger[Any]]:
    """Write the game of a log as the session ``out``; return the number of its pictures, and the ledger.

    ``gallery`` supplies the pack if it is not known otherwise. The folder is written as a whole
    (`folder_beside`). Raises StoreError if the log has no game or no pictures.
    """
    timeline = timeline_of(store.entries(), lambda number: store.pictures(number).keys())
    ledger, kept = timeline.ledger, timeline.pictures
    if not ledger.header:
        raise StoreError(f"{store.path}: contains no game")
    if not kept:
        raise StoreError(f"{store.path}: contains no pictures, so there is nothing to replay")
    record = write_record(record_of(ledger, gallery))
    console = Console(stderr=True)
    with folder_beside(out) as folder:
        (folder / "frames").mkdir()
        frames: list[dict[str, Any]] = []
        for i, picture in enumerate(track(kept, description="Writing", console=console, disable=quiet)):
            name = f"frames/{i:04d}.jpg"
            (folder / name).write_bytes(store.picture(picture.entry, picture.name) or b"")
            frames.append({"file": name, "t_s": round(picture.t_s, 2)})
            if ledger.set_up is not None:
                # Boards of squares are read only from steady pictures, so each one is repeated.
                frames.append({"file": name, "t_s": round(picture.t_s + AGAIN_S, 2)})
        session = {**session_head(timeline), **turns_before(timeline, folder)}
        text = json.dumps({**session, "frames": frames}, ensure_ascii=False, indent=1)
        (folder / SESSION_FILE).write_text(text + "\n", encoding="utf-8")
        (folder / REFERENCE_FILE).write_text(record, encoding="utf-8")
    return len(kept), ledger


def turns_before(timeline: Timeline, out: Path) -> dict[str, str]:
    """Write the record of the turns before the first picture into ``out``; return its field of a session's
    file, or {} if there are none."""
    if not timeline.before:
        return {}
    ledger = timeline.ledger
    header = header_from_json(dict(ledger.set_up or ledger.header))
    lines = tuple(Line(i, ledger.read_turn(line), {}) for i, line in enumerate(timeline.before, 2))
    (out / BEFORE_FILE).write_text(write_record(Record(header, lines)), encoding="utf-8")
    return {"record_so_far": BEFORE_FILE}


def _kept_with(
    entry: Entry, names: Collection[str], entries: Sequence[Entry], before: Sequence[KeptPicture]
) -> Iterator[KeptPicture]:
    """Yield the pictures of an entry in the order in which they were taken."""
    t_s = entry.at_s - entries[0].at_s
    last_s = before[-1].t_s if before else -PAUSE_S
    for name in (BEFORE, FRAME):
        if name in names:
            last_s = max(t_s if name == FRAME else t_s - PAUSE_S, last_s + PAUSE_S)
            yield KeptPicture(entry.number, name, last_s)
