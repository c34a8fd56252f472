"""Game of a table's log: its file, its position before turn 1, and its record."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from engine.game import OpenGame
from engine.games import game_named
from engine.jsonvalue import FieldError
from engine.record import End, Line, Record, header_from_json
from engine.tiles.game import GameState
from tilesight.home import tables_folder
from tilesight.settings import known_pack, pack_by_id
from tilesight.table_log.event_fold import GameLedger
from tilesight.table_log.event_store import SUFFIX, StoreError
from tilesight.table_log.log_pack import pack_of


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


def opening_of(ledger: GameLedger[Any], gallery: Path | None = None) -> tuple[Any, Any]:
    """Return the header and the position before turn 1 of a log's game.

    The pack is the one that the log names: shipped, from ``gallery``, enrolled, or from the log itself.
    """
    game = game_named(str(ledger.header["game"]))
    if not isinstance(game, OpenGame):
        header = header_from_json(dict(ledger.set_up or ledger.header))
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
