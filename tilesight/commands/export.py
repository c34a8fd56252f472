"""`tilesight export`: a table log's game, written as a session for `tilesight replay`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import track

from engine.game import OpenGame
from engine.games import game_named
from engine.jsonvalue import FieldError
from engine.record import End, Line, Record, header_from_json, write_record
from engine.tiles.game import GameState
from tilesight.home import tables_folder
from tilesight.sessions.session import REFERENCE_FILE, SESSION_FILE
from tilesight.settings import known_pack, pack_by_id
from tilesight.table_log.event_fold import EntryKind, GameLedger, empty_ledger
from tilesight.table_log.event_store import SUFFIX, Entry, StoreError, TableStore
from tilesight.table_log.log_pack import pack_of
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


def export_command(
    table: Annotated[str, typer.Argument(metavar="TABLE", help="a table's file, its name, or 'last'")],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="the folder to write, new or empty")],
    gallery: Annotated[
        Path | None, typer.Option(help="the gallery that the game was played with, if only it has the pack")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Write a table's game as a session: pictures, players' corrections, game record."""
    path = table_path(table)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise StoreError(f"{out}: exists already and is not empty")
    with TableStore(path, read_only=True) as store:
        pictures, ledger = write_session(store, out, gallery, quiet=as_json)
    if as_json:
        told = {"tilesight": 1, "session": str(out), "frames": pictures, "turns": len(ledger.turns)}
        print(json.dumps(told))
    else:
        print(f"{out}: {len(ledger.turns)} turns, {pictures} pictures")


def table_path(text: str) -> Path:
    """Return the file that ``TABLE`` names. Raises StoreError if there is none."""
    if text == "last":
        tables = sorted(tables_folder().glob(f"*{SUFFIX}"), key=lambda p: p.stat().st_mtime)
        if not tables:
            raise StoreError(f"{tables_folder()}: no table is kept there")
        return tables[-1]
    for path in (Path(text), tables_folder() / text, tables_folder() / f"{text}{SUFFIX}"):
        if path.is_file():
            return path
    raise StoreError(f"{text}: no such table (their files are in {tables_folder()})")


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


def opening_of(ledger: GameLedger[Any], gallery: Path | None = None) -> tuple[Any, Any]:
    """Return the header and the position before turn 1 of a log's game.

    The pack is the one that the log names: shipped, from ``gallery``, enrolled, or from the log itself.
    """
    game = game_named(str(ledger.header["game"]))
    if not isinstance(game, OpenGame):
        header = header_from_json(dict(ledger.header))
        known = pack_by_id if gallery is None else partial(known_pack, gallery=gallery)
        return header, game.start(header, pack_of(ledger, known))
    try:
        header = header_from_json(dict(ledger.set_up or {}))
    except FieldError as error:
        raise StoreError(f"the set-up of this game cannot be read: {error}") from None
    return header, game.start(header, None)


def record_of(ledger: GameLedger[Any], gallery: Path | None = None) -> Record:
    """Return the game as a record, with the points set by hand and the scores; ``gallery`` is as in
    `opening_of`."""
    state: Any
    header, state = opening_of(ledger, gallery)
    game = game_named(header.game)
    expected: Callable[[Any, Any, Any], dict[str, Any]]
    expected = game.expected if isinstance(game, OpenGame) else _expected
    lines = []
    for number, event in enumerate(ledger.record_lines, 2):
        before, (state, _) = state, game.records.play(state, event)
        lines.append(Line(number, event, expected(event, before, state)))
    return Record(header, (*lines, Line(len(lines) + 2, End(), expected(None, state, state))))


def _expected(turn: Any, before: GameState, after: GameState) -> dict[str, Any]:
    """Return what a record of a tile game expects after a turn, or at the end (None)."""
    return {"final": dict(after.final().scores)} if turn is None else {"scores": dict(after.scores)}
