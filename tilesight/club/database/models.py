"""Tables of the database as classes. `migrations/` has their history; a test compares both."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Double,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Text,
    UniqueConstraint,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}
"""Names of constraints: a later migration changes them by name."""
KEY = BigInteger().with_variant(Integer, "sqlite")
"""Type of a number that the database gives out."""


class Base(DeclarativeBase):
    """Base class of all rows."""

    metadata = MetaData(naming_convention=NAMES)


class Table(Base):
    """A table of the club. Times are seconds since 1970.

    ``log_id`` is the game that the table itself named last as the one in play; None before.
    """

    __tablename__ = "tables"

    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    name: Mapped[str] = mapped_column(String(100), default="")
    joined_s: Mapped[float] = mapped_column(Double)
    log_id: Mapped[str | None] = mapped_column(String(64), default=None)


class Game(Base):
    """One game of a table: its log's id, and the fold of its entries so far.

    ``entries`` is the number of the last entry. Until it is folded, the fold's fields are None: ``game`` and
    ``pack`` are names, ``state`` the JSON of `GET /api/state`, ``scores`` points by colour, ``names``
    people's names by colour in turn order, ``folded`` the last entry included. ``heard_s`` is when the last
    entry arrived by the hub's clock, because a table's clock may be wrong.
    """

    __tablename__ = "games"
    __table_args__ = (UniqueConstraint("table_id", "log_id"),)

    id: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=True)
    table_id: Mapped[str] = mapped_column(ForeignKey("tables.id"), index=True)
    log_id: Mapped[str] = mapped_column(String(64))
    began_s: Mapped[float] = mapped_column(Double)
    changed_s: Mapped[float] = mapped_column(Double)
    heard_s: Mapped[float | None] = mapped_column(Double, default=None)
    entries: Mapped[int] = mapped_column(Integer, default=0)
    folded: Mapped[int] = mapped_column(Integer, default=0)
    fault: Mapped[str | None] = mapped_column(Text, default=None)
    game: Mapped[str | None] = mapped_column(String(60), default=None)
    pack: Mapped[str | None] = mapped_column(String(60), default=None)
    turns: Mapped[int] = mapped_column(Integer, default=0)
    over: Mapped[bool] = mapped_column(default=False)
    scores: Mapped[dict[str, int] | None] = mapped_column(JSON, default=None)
    names: Mapped[list[list[str]] | None] = mapped_column(JSON, default=None)
    state: Mapped[dict[str, Any] | None] = mapped_column(JSON, default=None)


class GameSize(Base):
    """The size of a game: the ``bytes`` of all its entries; a ``full`` game takes no more."""

    __tablename__ = "game_sizes"

    game_id: Mapped[int] = mapped_column(ForeignKey("games.id"), primary_key=True)
    bytes: Mapped[int] = mapped_column(BigInteger, default=0)
    full: Mapped[bool] = mapped_column(default=False)


class LoggedEntry(Base):
    """An entry of a game's log, stored once. ``data`` is its JSON as received; ``at_s`` is the table's
    clock."""

    __tablename__ = "entries"

    game_id: Mapped[int] = mapped_column(ForeignKey("games.id"), primary_key=True)
    number: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    kind: Mapped[str] = mapped_column(String(40))
    at_s: Mapped[float] = mapped_column(Double)
    data: Mapped[str] = mapped_column(Text)


class Forgotten(Base):
    """A removed game, without names: further entries of it are rejected.

    ``is_shown`` is true if a running hub may still show it.
    """

    __tablename__ = "forgotten"

    table_id: Mapped[str] = mapped_column(String(64), primary_key=True)
    log_id: Mapped[str] = mapped_column(String(64), primary_key=True)
    at_s: Mapped[float] = mapped_column(Double)
    is_shown: Mapped[bool] = mapped_column(default=True)


class TournamentRow(Base):
    """A tournament of the club."""

    __tablename__ = "tournaments"

    id: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=True)
    name: Mapped[str] = mapped_column(String(60))
    began_s: Mapped[float] = mapped_column(Double)


class TournamentChange(Base):
    """A change of a tournament (tilesight.club.tournament.ledger), numbered from 1."""

    __tablename__ = "tournament_changes"

    tournament_id: Mapped[int] = mapped_column(ForeignKey("tournaments.id"), primary_key=True)
    number: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    at_s: Mapped[float] = mapped_column(Double)
    data: Mapped[dict[str, Any]] = mapped_column(JSON)


class PhoneTableRow(Base):
    """A table without a computer.

    ``players`` is text as for `tilesight live --players`, ``key`` the table's own key; both are "" once it is
    closed. ``made_s`` and ``closed_s`` are seconds since 1970; ``closed_s`` is None while it is open.
    """

    __tablename__ = "phone_tables"

    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    game: Mapped[str] = mapped_column(String(60))
    players: Mapped[str] = mapped_column(String(400))
    key: Mapped[str] = mapped_column(String(64))
    made_s: Mapped[float] = mapped_column(Double)
    closed_s: Mapped[float | None] = mapped_column(Double, default=None)


class AccountRow(Base):
    """An account of a host or referee.

    ``folded`` is the normalised name for look-ups, ``password`` its hash (Argon2), ``session`` the number in
    the tokens of its sessions.
    """

    __tablename__ = "accounts"

    id: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=True)
    name: Mapped[str] = mapped_column(String(60))
    folded: Mapped[str] = mapped_column(String(120), unique=True)
    role: Mapped[str] = mapped_column(String(20))
    password: Mapped[str] = mapped_column(String(300))
    session: Mapped[int] = mapped_column(BigInteger)
    made_s: Mapped[float] = mapped_column(Double)


class ActRow(Base):
    """Something done at the hub (web.club.accounts.Act) by an account with this name at the time."""

    __tablename__ = "acts"

    id: Mapped[int] = mapped_column(KEY, primary_key=True, autoincrement=True)
    at_s: Mapped[float] = mapped_column(Double)
    account: Mapped[str | None] = mapped_column(String(60))
    table: Mapped[str] = mapped_column(String(64))
    path: Mapped[str] = mapped_column(String(200))
