"""Accounts of hosts and referees in the hub's database: passwords, sessions, and what each did.

A session is a signed token with the account's id and its session number. Another number ends all sessions of
the account: after a log-out, or with a new password.
"""

from __future__ import annotations

import secrets
import time
import unicodedata
from collections.abc import Sequence

from itsdangerous import BadData, URLSafeTimedSerializer
from pwdlib import PasswordHash
from sqlalchemy import Engine, delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from tilesight.club.database import AccountRow, ActRow
from web.club.accounts import NAME_LENGTH, PASSWORD_LENGTHS, SESSION_S, Account, Act
from web.club.rights import Role
from web.views.table import Refusal

SESSION_SECRET = "session.secret"
"""File in the club's folder with what signs sessions: without it all are over."""
ACTS_KEPT = 10_000
"""Acts that are kept; older ones are forgotten."""
ACTS_SHOWN = 100
"""Acts that are told at a time."""


class Accounts:
    """The accounts of a hub (web.club.accounts.Accounts). SQLAlchemyError where the database does not
    answer."""

    def __init__(self, engine: Engine, secret: str, hasher: PasswordHash | None = None) -> None:
        """``secret`` signs sessions; ``hasher`` makes and checks the hashes of passwords."""
        self._engine = engine
        self._signer = URLSafeTimedSerializer(secret, salt="session")
        self._hasher = hasher or PasswordHash.recommended()
        self._nobodys = self._hasher.hash(secrets.token_hex())

    def login(self, name: str, password: str) -> tuple[Account, str] | None:
        """The account with a token for its session; None where name and password do not belong together.
        Takes as long for a name that nobody has."""
        with Session(self._engine) as session, session.begin():
            row = session.scalar(select(AccountRow).where(AccountRow.folded == _folded(name)))
            kept = self._nobodys if row is None else row.password
            right, renewed = self._hasher.verify_and_update(_normal(password), kept)
            if row is None or not right:
                return None
            if renewed is not None:  # the library's parameters have grown
                row.password = renewed
            return _account(row), self._signer.dumps([row.id, row.session])

    def account_of(self, token: str) -> Account | None:
        """The account whose session a token stands for; None where it is over."""
        try:
            number, session_number = self._signer.loads(token, max_age=SESSION_S)
        except BadData:
            return None
        with Session(self._engine) as session:
            row = session.get(AccountRow, number)
            return _account(row) if row is not None and row.session == session_number else None

    def log_out(self, name: str) -> None:
        """End every session of an account. Raises Refusal."""
        with Session(self._engine) as session, session.begin():
            _row(session, name).session = _session_number()

    def all(self) -> Sequence[Account]:
        """All accounts, by name."""
        with Session(self._engine) as session:
            return [_account(row) for row in session.scalars(select(AccountRow).order_by(AccountRow.folded))]

    def add(self, name: str, role: Role, password: str) -> None:
        """Make an account. Raises Refusal."""
        name = checked_name(name)
        row = AccountRow(
            name=name,
            folded=_folded(name),
            role=role,
            password=self._hasher.hash(_normal(checked_password(password))),
            session=_session_number(),
            made_s=time.time(),
        )
        try:
            with Session(self._engine) as session, session.begin():
                session.add(row)
        except IntegrityError:
            raise Refusal("account_there", f"there is an account of the name {name} already") from None

    def change_password(self, name: str, password: str) -> None:
        """Give an account another password, and end its sessions. Raises Refusal."""
        hashed = self._hasher.hash(_normal(checked_password(password)))
        with Session(self._engine) as session, session.begin():
            row = _row(session, name)
            row.password, row.session = hashed, _session_number()

    def remove(self, name: str) -> None:
        """Remove an account and end its sessions; what it did stays noted. Raises Refusal."""
        with Session(self._engine) as session, session.begin():
            session.delete(_row(session, name))

    def note(self, account: str | None, table: str, path: str) -> None:
        """Keep that something was done; the oldest is forgotten where there is too much."""
        with Session(self._engine) as session, session.begin():
            row = ActRow(at_s=time.time(), account=account, table=table[:64], path=path[:200])
            session.add(row)
            session.flush()
            session.execute(delete(ActRow).where(ActRow.id <= row.id - ACTS_KEPT))

    def acts(self) -> Sequence[Act]:
        """The latest acts, newest first."""
        with Session(self._engine) as session:
            rows = session.scalars(select(ActRow).order_by(ActRow.id.desc()).limit(ACTS_SHOWN))
            return [Act(row.at_s, row.account, row.table, row.path) for row in rows]


def checked_name(name: str) -> str:
    """A name as accounts have it. Raises Refusal."""
    name = " ".join(_normal(name).split())
    if len(name) > NAME_LENGTH or not name.isprintable() or "/" in name or not any(map(str.isalnum, name)):
        raise Refusal("bad_name", f"a name has letters, {NAME_LENGTH} characters at most, and no slash")
    return name


def checked_password(password: str) -> str:
    """A password that is neither too short nor too long. Raises Refusal."""
    shortest, longest = PASSWORD_LENGTHS
    if not shortest <= len(password) <= longest:
        raise Refusal("bad_password", f"a password has {shortest} to {longest} characters")
    return password


def _row(session: Session, name: str) -> AccountRow:
    row = session.scalar(select(AccountRow).where(AccountRow.folded == _folded(name)))
    if row is None:
        raise Refusal("unknown_account", "there is no account of that name")
    return row


def _account(row: AccountRow) -> Account:
    return Account(row.name, "host" if row.role == "host" else "referee", row.made_s)


def _session_number() -> int:
    """A number that no token has: it is not counted, or an account made anew would take up old sessions."""
    return secrets.randbits(31)


def _normal(text: str) -> str:
    """Text as every keyboard means it."""
    return unicodedata.normalize("NFC", text)


def _folded(name: str) -> str:
    """A name as it is looked for: a phone begins with a capital letter."""
    return " ".join(_normal(name).split()).casefold()
