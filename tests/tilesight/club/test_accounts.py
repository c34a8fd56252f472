"""Accounts in the hub's database: passwords, sessions that end, and what was done."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("pwdlib", reason="the extra club is not installed: make dev")

from itsdangerous import TimestampSigner
from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from tilesight.club.database.engine import open_database
from tilesight.club.database.models import AccountRow
from tilesight.club.hub import accounts as module
from tilesight.club.hub.accounts import Accounts
from web.club.accounts import SESSION_S
from web.table.refusal import Refusal

PASSWORD = "correct horse"


def quick(rounds: int = 1) -> PasswordHash:
    """A hasher of the same kind that takes no time."""
    return PasswordHash((Argon2Hasher(time_cost=rounds, memory_cost=8, parallelism=1),))


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = open_database(tmp_path / "hub.db")
    yield engine
    engine.dispose()


@pytest.fixture
def accounts(engine: Engine) -> Accounts:
    made = Accounts(engine, "secret", quick())
    made.add("Ana  María", "host", PASSWORD)
    made.add("Bo", "referee", PASSWORD)
    return made


def token_of(accounts: Accounts, name: str = "Bo", password: str = PASSWORD) -> str:
    found = accounts.login(name, password)
    assert found is not None
    return found[1]


def test_name_and_password_open_a_session(accounts: Accounts) -> None:
    account = accounts.account_of(token_of(accounts, " ANA marI\N{COMBINING ACUTE ACCENT}a"))
    assert account is not None and (account.name, account.role) == ("Ana María", "host")
    assert accounts.login("Bo", "wrong password") is None
    assert accounts.login("nobody", PASSWORD) is None


def test_passwords_are_kept_as_hashes_alone(accounts: Accounts, engine: Engine) -> None:
    with Session(engine) as session:
        kept = [row.password for row in session.scalars(select(AccountRow))]
    assert all(one.startswith("$argon2id$") for one in kept) and len(set(kept)) == 2


def test_a_session_ends_by_logging_out_a_new_password_or_removal(accounts: Accounts) -> None:
    first, second = token_of(accounts), token_of(accounts)
    accounts.log_out("Bo")
    assert accounts.account_of(first) is accounts.account_of(second) is None
    third = token_of(accounts)
    accounts.change_password("bo", "another one")
    assert accounts.account_of(third) is None and accounts.login("Bo", PASSWORD) is None
    fourth = token_of(accounts, "Bo", "another one")
    accounts.remove("BO")
    assert accounts.account_of(fourth) is None
    accounts.add("Bo", "host", PASSWORD)  # perhaps with the same id
    assert accounts.account_of(fourth) is None


def test_a_token_is_good_for_its_time_and_from_this_hub_alone(
    accounts: Accounts, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = token_of(accounts)
    assert Accounts(engine, "secret", quick()).account_of(token) is not None  # the hub was started again
    assert Accounts(engine, "another", quick()).account_of(token) is None
    for odd in ("", "x", token[:-1], f"{token}x", "e30.x.y"):
        assert accounts.account_of(odd) is None
    later_s = int(time.time()) + SESSION_S + 2
    monkeypatch.setattr(TimestampSigner, "get_timestamp", lambda signer: later_s)
    assert accounts.account_of(token) is None


def test_a_hash_with_older_parameters_is_renewed(accounts: Accounts, engine: Engine) -> None:
    newer = Accounts(engine, "secret", quick(rounds=2))
    token_of(newer)
    with Session(engine) as session:
        row = session.scalar(select(AccountRow).where(AccountRow.folded == "bo"))
        assert row is not None and ",t=2," in row.password
    token_of(newer)


@pytest.mark.parametrize(
    ("name", "password", "code"),
    [
        ("BO", PASSWORD, "account_there"),
        ("Cy", "too short", "bad_password"),
        ("Cy", "x" * 201, "bad_password"),
        ("", PASSWORD, "bad_name"),
        ("..", PASSWORD, "bad_name"),
        ("a/b", PASSWORD, "bad_name"),
        ("a\x1bb", PASSWORD, "bad_name"),
        ("x" * 31, PASSWORD, "bad_name"),
    ],
)
def test_odd_names_and_passwords_are_refused(accounts: Accounts, name: str, password: str, code: str) -> None:
    with pytest.raises(Refusal) as refused:
        accounts.add(name, "referee", password)
    assert refused.value.code == code
    assert [one.name for one in accounts.all()] == ["Ana María", "Bo"]


def test_acts_are_told_newest_first_and_forgotten_at_last(
    accounts: Accounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ACTS_KEPT", 3)
    for path in "abcde":
        accounts.note("Bo" if path > "c" else None, "hall-1", path)
    told = [(one.account, one.table, one.path) for one in accounts.acts()]
    assert told == [("Bo", "hall-1", "e"), ("Bo", "hall-1", "d"), (None, "hall-1", "c")]
