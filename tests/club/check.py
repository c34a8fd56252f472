"""Comparison of the hub's database with the logs at the tables."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, func, select
from sqlalchemy.engine import make_url
from sqlalchemy.orm import Session

from engine.pack import load_pack
from engine.record import Line, Record, check, header_from_json
from tests.club.games import PACK, told
from tests.club.hostile import HOSTILE, WITNESS
from tests.club.tables import log_path
from tilesight.club.database.models import Game, LoggedEntry
from tilesight.club.log_ids import log_id
from tilesight.table_log.event_fold import Ledger, folded
from tilesight.table_log.event_store import Entry, TableStore


def compared(folder: Path, tables: int, database: str) -> tuple[list[str], dict[str, Any]]:
    """What differs between the logs and the database, and how much there is."""
    url = make_url(database if "://" in database else f"sqlite:///{database}")
    if url.drivername == "postgresql":
        url = url.set(drivername="postgresql+psycopg")
    engine = create_engine(url)
    wrong: list[str] = []
    entries, last_s = 0, 0.0
    with Session(engine) as session:
        for number in range(tables):
            kept, at_table = _kept(session, f"t{number}"), _written(log_path(folder, number))
            entries += len(at_table)
            last_s = max(last_s, at_table[-1].at_s if at_table else 0.0)
            wrong += (f"t{number}: {what}" for what in _differences(number, kept, at_table))
            games = session.scalars(select(Game).where(Game.table_id == f"t{number}"))
            wrong += (f"t{number}: {what}" for game in games for what in _misfolded(number, game))
        of_tables = select(func.count()).select_from(LoggedEntry).join(Game, Game.id == LoggedEntry.game_id)
        total = session.scalar(of_tables.where(Game.table_id.not_in((HOSTILE, WITNESS))))
    engine.dispose()
    if total != entries:
        wrong.append(f"the database has {total} entries, the tables {entries}")
    return wrong, {"entries": entries, "kept": total, "last_s": last_s}


def _written(path: Path) -> tuple[Entry, ...]:
    with TableStore(path, read_only=True) as store:
        return store.entries()


def _kept(session: Session, table: str) -> dict[str, list[Entry]]:
    rows = session.execute(
        select(Game.log_id, LoggedEntry)
        .join(LoggedEntry, LoggedEntry.game_id == Game.id)
        .where(Game.table_id == table)
        .order_by(Game.id, LoggedEntry.number)
    )
    kept: dict[str, list[Entry]] = {}
    for log, row in rows:
        kept.setdefault(log, []).append(Entry(row.number, row.kind, row.at_s, json.loads(row.data)))
    return kept


def _differences(number: int, kept: dict[str, list[Entry]], at_table: tuple[Entry, ...]) -> list[str]:
    game = told(number)
    if len(at_table) != len(game.entries):
        return [f"{len(at_table)} of {len(game.entries)} entries were written"]
    if list(kept) != [log_id(at_table[0])]:
        return [f"{len(kept)} games at the hub"]
    [entries] = kept.values()
    if entries != list(at_table):
        return [f"{len(entries)} of {len(at_table)} entries, or others"]
    if final(entries) != dict(game.final):
        return ["other scores"]
    return []


def misshown(number: int, cards: Mapping[str, Any]) -> list[str]:
    """What is wrong with a finished table's card, as the hub shows it by the table's id."""
    card = cards.get(f"t{number}")
    if card is None:
        return ["no card"]
    scores = {one["color"]: one["score"] for one in card["players"]}
    if card["phase"] != "over" or scores != dict(told(number).final):
        return [f"{card['phase']}, {scores}; the table says {dict(told(number).final)}"]
    return []


def _misfolded(number: int, game: Game) -> list[str]:
    """Differences between the hub's scores and the table's."""
    if game.folded != game.entries or game.fault is not None:
        return [f"{game.folded} of {game.entries} entries are folded ({game.fault})"]
    if game.scores != dict(told(number).final) or not game.over:
        return [f"the hub says {game.scores}, the table {dict(told(number).final)}"]
    return []


def final(entries: list[Entry]) -> dict[str, int]:
    """The final scores that entries come to."""
    ledger = folded(Ledger(), entries)
    lines = tuple(Line(n, turn) for n, turn in enumerate(ledger.turns, 2))
    return dict(check(Record(header_from_json(ledger.header), lines), load_pack(PACK)).final)
