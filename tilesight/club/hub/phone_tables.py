"""Tables of a hub that have a phone and no computer: kept in the database, run by workers."""

from __future__ import annotations

import re
import threading
import time
import unicodedata
from collections.abc import Callable, Collection, Sequence
from typing import Protocol

from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from engine.games import game_named, game_names
from engine.message import Message
from engine.pack import load_pack
from engine.record import header_from_json
from engine.squares_game import SquareGame
from engine.tiles.common_rules import MAX_PLAYERS, MIN_PLAYERS
from tilesight.club.database.models import PhoneTableRow, Table
from tilesight.club.messages import FRAME_BYTES
from web.club.phone_tables import NewPhoneTable, PhoneGame, PhoneTable
from web.club.views import ClubPlayer, ClubTable
from web.table.access import LONG_KEY, new_key
from web.table.refusal import Refusal

ID_LENGTH = 32
"""Characters of a table's id at most."""
Shown = Callable[[ClubTable], None]
"""Hears of a table that was made or closed: its card until a game of its own begins."""


class Workers(Protocol):
    """The workers that run the tables. Methods may be called from any thread."""

    def push(self, table: str, jpeg: bytes) -> None:
        """Forward a picture to the table's worker, if it has one."""

    def worker_of(self, table: str) -> str | None:
        """Return the name of the worker that has a table, or None."""


class PhoneTables:
    """The tables of a hub without a computer (web.club.phone_tables.PhoneTables).

    ``invited`` returns names of tables that have a computer. Methods raise SQLAlchemyError if the database
    fails.
    """

    picture_bytes = FRAME_BYTES

    def __init__(self, engine: Engine, invited: Callable[[], Collection[str]] = tuple) -> None:
        self._engine = engine
        self._invited = invited
        self._shown: Shown = lambda table: None
        self._lock = threading.Lock()
        self._workers: Workers | None = None
        with Session(engine) as session:
            self._rows = {row.id: row for row in session.scalars(select(PhoneTableRow))}

    # -- what the pages ask (web.club.phone_tables.PhoneTables)

    def games(self) -> Sequence[PhoneGame]:
        """Return the games that such a table may play."""
        return [_game(name) for name in game_names()]

    def open_tables(self) -> Sequence[PhoneTable]:
        """Return the open tables, by id."""
        rows = sorted(self._rows.items())
        return [_table(row) for _, row in rows if row.closed_s is None]

    def begin(self, asked: NewPhoneTable) -> PhoneTable:
        """Create a table. Raises Refusal."""
        _check_players(asked)
        name = id_of(asked.name)
        players = ",".join(f"{color}={called}" for color, called in asked.players)
        with self._lock:
            self._check_free(name)
            row = PhoneTableRow(
                id=name, game=asked.game, players=players, key=new_key(LONG_KEY), made_s=time.time()
            )
            self._keep(row)
        return _table(row)

    def end(self, table: str) -> None:
        """Close a table: its worker stops, and its players' names are deleted. Raises Refusal."""
        with self._lock:
            row = self._rows.get(table)
            if row is None or row.closed_s is not None:
                raise Refusal("unknown_table", Message("there is no such table"))
            nobody = {"game": row.game, "players": "", "key": "", "made_s": row.made_s}
            self._keep(PhoneTableRow(id=table, closed_s=time.time(), **nobody))

    def key_of(self, table: str) -> str | None:
        """Return the key of an open table, None for any other."""
        row = self._rows.get(table)
        return row.key if row is not None and row.closed_s is None else None

    def push_picture(self, table: str, jpeg: bytes) -> None:
        """Forward a picture to the table's worker; without one it is dropped."""
        if self._workers is not None:
            self._workers.push(table, jpeg)

    def _check_free(self, name: str) -> None:
        """Raise Refusal if a table of that name exists."""
        row = self._rows.get(name)
        is_ending = self._workers is not None and self._workers.worker_of(name) is not None
        if row is not None and row.closed_s is not None and not is_ending:
            return  # the same name on another evening
        with Session(self._engine) as session:
            has_computer = session.get(Table, name) is not None or name in self._invited()
        if row is not None or has_computer:
            raise Refusal("name_taken", Message("there is a table {name} already", name=name))

    def _keep(self, row: PhoneTableRow) -> None:
        """Store a row and publish its card."""
        with Session(self._engine, expire_on_commit=False) as session, session.begin():
            session.merge(row)
        self._rows = {**self._rows, row.id: row}
        self._shown(_card(row))

    # -- what the hub does with them

    def attach(self, shown: Shown, workers: Workers) -> None:
        """Call ``shown`` for all tables ever created, and for each change from now on; forward pictures to
        ``workers``."""
        with self._lock:
            self._shown, self._workers = shown, workers
            for row in self._rows.values():
                shown(_card(row))


def id_of(name: str) -> str:
    """Return the id of a table's name: "Table 7" is ``table-7``. Raises Refusal."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    found = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:ID_LENGTH].strip("-")
    if not found:
        raise Refusal("no_name", Message("the table's name needs a letter from a to z or a digit"))
    return found


def _game(name: str) -> PhoneGame:
    game = game_named(name)
    if isinstance(game, SquareGame):
        return PhoneGame(name, game.colors, len(game.colors), len(game.colors))
    return PhoneGame(name, game.colors, MIN_PLAYERS, min(MAX_PLAYERS, len(game.colors)))


def _check_players(asked: NewPhoneTable) -> None:
    """Raise Refusal if the engine does not allow these players in the game."""
    if asked.game not in game_names():
        raise Refusal("unknown_game", Message("there is no such game (known: {known})", known=game_names()))
    game, colors = game_named(asked.game), [color for color, _ in asked.players]
    if any("," in name for _, name in asked.players):
        raise Refusal("names", Message("names without commas, please"))
    if len(set(colors)) < len(colors) or not set(colors) <= set(game.colors):
        raise Refusal("colors", Message("every player needs a colour of the game, and one of their own"))
    if isinstance(game, SquareGame):
        if set(colors) != set(game.colors):
            message = Message("{game} is played by {player}", game=game.name, player=game.colors)
            raise Refusal("players_number", message)
        return
    pack = load_pack(game.default_pack)
    header = header_from_json({"tilesight": 1, "game": game.name, "pack": pack.id, "players": colors})
    for fault in game.header_faults(header, pack):
        raise Refusal("players_number", fault.message)


def _players(row: PhoneTableRow) -> tuple[tuple[str, str], ...]:
    """Return colours and names of a table's players, in turn order; none once it is closed."""
    parts = (part.partition("=") for part in row.players.split(",") if part)
    return tuple((color, name) for color, _, name in parts)


def _table(row: PhoneTableRow) -> PhoneTable:
    return PhoneTable(row.id, row.game, _players(row), row.key, row.made_s)


def _card(row: PhoneTableRow) -> ClubTable:
    """Return the card of a table without a game."""
    return ClubTable(
        id=row.id,
        log="",
        game=row.game,
        pack=game_named(row.game).default_pack,
        players=tuple(ClubPlayer(color, name, None) for color, name in _players(row)),
        changed_s=round(row.made_s, 3),
        phone="open" if row.closed_s is None else "closed",
    )
