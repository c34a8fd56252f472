"""A table log's game, written as a session for `tilesight replay`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track

from engine.record import write_record
from tilesight.export.game import record_of
from tilesight.sessions.session import REFERENCE_FILE, SESSION_FILE
from tilesight.table_log.event_fold import EntryKind, GameLedger, empty_ledger
from tilesight.table_log.event_store import Entry, StoreError, TableStore
from tilesight.table_log.recoloring import recolored_line

PAUSE_S = 1.0
"""Minimum seconds between two pictures in the session."""
AGAIN_S = 0.4
"""Seconds after which a picture is repeated in sessions whose reading needs two equal pictures."""


@dataclass(frozen=True, slots=True)
class _KeptPicture:
    """A picture of the log: its entry, its name, and its time in seconds."""

    entry: int
    name: str
    t_s: float


def write_session(
    store: TableStore, out: Path, gallery: Path | None = None, *, quiet: bool = True
) -> tuple[int, GameLedger[Any]]:
    """Write the game of a log as a session in ``out``; return the number of its pictures, and the ledger.

    ``gallery`` supplies the pack if it is not known otherwise. Raises StoreError if the log has no game or no
    pictures.
    """
    entries = store.entries()
    kept: list[_KeptPicture] = []
    said: list[dict[str, Any]] = []
    ledger = empty_ledger(entries)
    for entry in entries:
        before, ledger = ledger, ledger.with_entry(entry)
        if colors := _new_colors(entry, before, ledger):
            said = recolored_line(said, colors)
        kept += _kept_with(store, entry, entries, kept)
        if entry.kind in (EntryKind.SAID, EntryKind.UNDONE, EntryKind.REDONE) and kept:
            said.append(
                {
                    "frame": len(kept) - 1,
                    "turns": [turn.to_json() for turn in ledger.turns],
                    "not_these": [turn.to_json() for turn in ledger.not_these],
                }
            )
    if not ledger.header:
        raise StoreError(f"{store.path}: contains no game")
    if not kept:
        raise StoreError(f"{store.path}: contains no pictures, so there is nothing to replay")
    (out / "frames").mkdir(parents=True, exist_ok=True)
    frames: list[dict[str, Any]] = []
    console = Console(stderr=True)
    for i, picture in enumerate(track(kept, description="Writing", console=console, disable=quiet)):
        name = f"frames/{i:04d}.jpg"
        (out / name).write_bytes(store.picture(picture.entry, picture.name) or b"")
        frames.append({"file": name, "t_s": round(picture.t_s, 2)})
        if ledger.set_up is not None:
            # Boards of squares are read only from steady pictures, so each one is repeated.
            frames.append({"file": name, "t_s": round(picture.t_s + AGAIN_S, 2)})
    names = ledger.names
    players = [{"name": names.get(c, c), "color": c} for c in ledger.header["players"]]
    session = {**ledger.header, "title": ", ".join(p["name"] for p in players), "players": players}
    if said:
        session["said"] = said
    text = json.dumps({**session, "frames": frames}, ensure_ascii=False, indent=1)
    (out / SESSION_FILE).write_text(text + "\n", encoding="utf-8")
    (out / REFERENCE_FILE).write_text(write_record(record_of(ledger, gallery)), encoding="utf-8")
    return len(kept), ledger


def _new_colors(entry: Entry, before: GameLedger[Any], after: GameLedger[Any]) -> dict[str, str]:
    """Return the players' new colours by their old ones, if an entry or an undo changed them."""
    if entry.kind not in (EntryKind.RECOLORED, EntryKind.UNDONE, EntryKind.REDONE):
        return {}
    was, now = (list(ledger.header.get("players", ())) for ledger in (before, after))
    colors = dict(zip(was, now, strict=False))
    lines, others = ([turn.to_json() for turn in ledger.turns] for ledger in (before, after))
    same = len(was) == len(now) and recolored_line(lines, colors) == recolored_line(others, {})
    return {one: other for one, other in colors.items() if one != other} if same else {}


def _kept_with(
    store: TableStore, entry: Entry, entries: Sequence[Entry], before: Sequence[_KeptPicture]
) -> Iterator[_KeptPicture]:
    """Yield the pictures of an entry in the order in which they were taken."""
    t_s = entry.at_s - entries[0].at_s
    last_s = before[-1].t_s if before else -PAUSE_S
    for name in ("before", "frame"):
        if store.picture(entry.number, name) is not None:
            last_s = max(t_s if name == "frame" else t_s - PAUSE_S, last_s + PAUSE_S)
            yield _KeptPicture(entry.number, name, last_s)
