"""Accounts of hosts and referees in the hub's database: passwords, sessions, and an audit log.

A session is a signed token with the account's id and its session number. A new number invalidates all
sessions of the account, after a log-out or a change of password.
"""

from __future__ import annotations

import secrets
import time
import unicodedata
from collections.abc import Sequence
from functools import cache

from itsdangerous import BadData, URLSafeTimedSerializer
from pwdlib import PasswordHash
from sqlalchemy import Engine, delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from engine.message import Message
from tilesight.club.database.models import AccountRow, ActRow
from web.club.accounts import ACCOUNT_NAME_LENGTH, PASSWORD_LENGTHS, SESSION_S, Account, Act
from web.club.rights import Role
from web.table.refusal import Refusal

SESSION_SECRET = "session.secret"
"""File in the club's folder with what signs sessions: without it all are over."""
ACTS_KEPT = 10_000
"""Acts that are kept; older ones are forgotten."""
ACTS_SHOWN = 100
"""Acts that are told at a time."""


@cache
def _recommended() -> PasswordHash:
    """Return the hasher of this process."""
    return PasswordHash.recommended()


@cache
def _nobodys(hasher: PasswordHash) -> str:
    """Return the hash of a password that nobody knows, once for each hasher: it takes as long as a login."""
    return hasher.hash(secrets.token_hex())


class Accounts:
    """The accounts of a hub (web.club.accounts.Accounts). Methods raise SQLAlchemyError if the database
    fails."""

    def __init__(self, engine: Engine, secret: str, hasher: PasswordHash | None = None) -> None:
        """``secret`` signs sessions; ``hasher`` makes and checks the hashes of passwords."""
        self._engine = engine
        self._signer = URLSafeTimedSerializer(secret, salt="session")
        self._hasher = hasher or _recommended()
        self._nobodys = _nobodys(self._hasher)

    def login(self, name: str, password: str) -> tuple[Account, str] | None:
        """Return the account and a session token; None if name and password do not match.

        Takes equally long for unknown names.
        """
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
        """Return the account of a session token; None if the token is not ours or too old, or the session
        has been ended."""
        try:
            number, session_number = self._signer.loads(token, max_age=SESSION_S)
        except BadData:
            return None
        with Session(self._engine) as session:
            row = session.get(AccountRow, number)
            return _account(row) if row is not None and row.session == session_number else None

    def log_out(self, name: str) -> None:
        """End all sessions of an account. Raises Refusal if there is no account of that name."""
        with Session(self._engine) as session, session.begin():
            _row(session, name).session = _session_number()

    def all(self) -> Sequence[Account]:
        """Return all accounts, by name."""
        with Session(self._engine) as session:
            return [_account(row) for row in session.scalars(select(AccountRow).order_by(AccountRow.folded))]

    def add(self, name: str, role: Role, password: str) -> None:
        """Create an account. Raises Refusal if name or password are not allowed, or there is an account of
        that name."""
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
            message = Message("there is an account of the name {name} already", name=name)
            raise Refusal("account_there", message) from None

    def change_password(self, name: str, password: str) -> None:
        """Change an account's password, and end its sessions. Raises Refusal if the password is not allowed
        or there is no account of that name."""
        hashed = self._hasher.hash(_normal(checked_password(password)))
        with Session(self._engine) as session, session.begin():
            row = _row(session, name)
            row.password, row.session = hashed, _session_number()

    def remove(self, name: str) -> None:
        """Remove an account and end its sessions; its acts stay in the audit log. Raises Refusal if there is
        no account of that name."""
        with Session(self._engine) as session, session.begin():
            session.delete(_row(session, name))

    def note(self, account: str | None, table: str, path: str) -> None:
        """Add an act to the audit log; the oldest are dropped above a limit."""
        with Session(self._engine) as session, session.begin():
            row = ActRow(at_s=time.time(), account=account, table=table[:64], path=path[:200])
            session.add(row)
            session.flush()
            session.execute(delete(ActRow).where(ActRow.id <= row.id - ACTS_KEPT))

    def acts(self) -> Sequence[Act]:
        """Return the latest acts, newest first."""
        with Session(self._engine) as session:
            rows = session.scalars(select(ActRow).order_by(ActRow.id.desc()).limit(ACTS_SHOWN))
            return [Act(row.at_s, row.account, row.table, row.path) for row in rows]


def checked_name(name: str) -> str:
    """Return a name in its stored form: Unicode NFC, single spaces. Raises Refusal if it is too long, has no
    letter or digit, or has a slash or characters that are not printable."""
    name = " ".join(_normal(name).split())
    if (
        len(name) > ACCOUNT_NAME_LENGTH
        or not name.isprintable()
        or "/" in name
        or not any(map(str.isalnum, name))
    ):
        message = Message(
            "a name has letters, {most} characters at most, and no slash", most=ACCOUNT_NAME_LENGTH
        )
        raise Refusal("bad_name", message)
    return name


def checked_password(password: str) -> str:
    """Return ``password`` unchanged. Raises Refusal if it is too short or too long (`PASSWORD_LENGTHS`)."""
    shortest, longest = PASSWORD_LENGTHS
    if not shortest <= len(password) <= longest:
        message = Message("a password has {least} to {most} characters", least=shortest, most=longest)
        raise Refusal("bad_password", message)
    return password


def _row(session: Session, name: str) -> AccountRow:
    """Return an account's row. Raises Refusal if there is none."""
    row = session.scalar(select(AccountRow).where(AccountRow.folded == _folded(name)))
    if row is None:
        raise Refusal("unknown_account", Message("there is no account of that name"))
    return row


def _account(row: AccountRow) -> Account:
    return Account(row.name, "host" if row.role == "host" else "referee", row.made_s)


def _session_number() -> int:
    """Return a random session number. A counter would revive old tokens if an account were created anew."""
    return secrets.randbits(31)


def _normal(text: str) -> str:
    """Return text in Unicode normal form, so that all keyboards agree."""
    return unicodedata.normalize("NFC", text)


def _folded(name: str) -> str:
    """Return a name for look-ups, without case: phones capitalise the first letter."""
    return " ".join(_normal(name).split()).casefold()
