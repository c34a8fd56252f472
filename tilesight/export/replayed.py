"""Log of a recorded session, made by watching it as a live table does."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.notation import write_position
from engine.pack import Pack
from engine.record import header_to_json
from tilesight.live.sources import SessionSource
from tilesight.live.squares.table import SquaresTable
from tilesight.live.tiles.table import TileTable
from tilesight.live.watching import Observer, watch
from tilesight.recordings.command import read_any_session
from tilesight.recordings.squares_replay import start_of_squares
from tilesight.recordings.tile_replay import WithPeople, start_of
from tilesight.sessions.session import Session
from tilesight.sessions.squares_session import SquareSession
from tilesight.table_log.event_fold import EntryKind
from tilesight.table_log.event_store import TableStore
from tilesight.table_log.log_pack import kept_pack


def write_log_of(folder: Path, store: TableStore, gallery: Path | None, *observers: Observer[Any]) -> None:
    """Recognise the session in ``folder`` and write its game into an empty log; call ``observers`` for each
    picture. Raises SessionError, PackError or GalleryError."""
    session = read_any_session(folder)
    source = SessionSource(session, "fast", strict=True)
    if isinstance(session, SquareSession):
        pack, observe = start_of_squares(session, gallery)
        session = session.played_with(pack)
        opening = session.header
        header = {"tilesight": 1, "game": opening.game, "pack": opening.pack, "players": list(session.names)}
        _open(store, {**header, "rules": opening.rules}, session, pack)
        table = SquaresTable(session.game, pack, opening, session.names, store)
        watch(source, observe, table.game, observers)
        table.game.close_with_source()
        return
    start, observe = start_of(session, gallery)
    session = session.played_with(start.pack)
    header = header_to_json(session.header)
    if session.turns_before:  # the log begins with the position after them
        kept = ("tilesight", "game", "pack", "rules", "players")
        line = write_position(session.header.game, start)
        header = {**{key: header[key] for key in kept if key in header}, "position": line}
    _open(store, header, session, start.pack)
    tiles = TileTable(start, session.names, store, title=session.title, game=session.header.game)
    watch(source, observe, WithPeople(tiles.game, session.said), observers)
    tiles.game.close_with_source()


def _open(store: TableStore, header: Mapping[str, Any], session: Session | SquareSession, pack: Pack) -> None:
    store.append(EntryKind.OPENED, {"header": dict(header), "names": dict(session.names), **kept_pack(pack)})
