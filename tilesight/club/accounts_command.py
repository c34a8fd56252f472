"""`tilesight accounts`: the accounts of hosts and referees at the hub."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from enum import StrEnum
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from tilesight.club.database.engine import open_database
from tilesight.club.hub.accounts import SESSION_SECRET, Accounts, checked_name, checked_password
from tilesight.club.keys_command import Database, Folder, club_folder, minute, own_secret
from tilesight.settings import SettingsError
from web.club.accounts import PASSWORD_LENGTHS

Name = Annotated[str, typer.Argument(help="as the host or referee logs in: Ana")]
FromStdin = Annotated[bool, typer.Option("--password-stdin", help="read the password from a line of stdin")]

accounts_app = typer.Typer(
    help="Give hosts and referees accounts at the hub, and take them away.",
    no_args_is_help=True,
    add_completion=False,
)


class RoleOption(StrEnum):
    """Role of an account (web.club.rights.Role)."""

    HOST = "host"
    REFEREE = "referee"


@accounts_app.command("add")
def add_command(
    name: Name,
    role: Annotated[RoleOption, typer.Option("--role", help="a host may do all that a referee may")],
    from_stdin: FromStdin = False,
    database: Database = None,
    folder: Folder = None,
) -> None:
    """Make an account; its password is asked for."""
    name = checked_name(name)
    with _accounts(database, folder) as accounts:
        accounts.add(name, "host" if role is RoleOption.HOST else "referee", _password(from_stdin))
    print(f"{role} {name}: made")


@accounts_app.command("list")
def list_command(
    database: Database = None,
    folder: Folder = None,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Say who has an account, and since when."""
    with _accounts(database, folder) as accounts:
        known = accounts.all()
    if as_json:
        print(json.dumps({"tilesight": 1, "accounts": [asdict(one) for one in known]}))
        return
    table = Table("name", "role", "made")
    for one in known:
        table.add_row(one.name, one.role, minute(one.made_s))
    Console(highlight=False).print(table)


@accounts_app.command("remove")
def remove_command(name: Name, database: Database = None, folder: Folder = None) -> None:
    """Remove an account; whoever is logged in with it is so no longer."""
    with _accounts(database, folder) as accounts:
        accounts.remove(name)
    print(f"{name}: removed")


@accounts_app.command("password")
def password_command(
    name: Name, from_stdin: FromStdin = False, database: Database = None, folder: Folder = None
) -> None:
    """Give an account another password; whoever is logged in with it has to log in again."""
    with _accounts(database, folder) as accounts:
        accounts.change_password(name, _password(from_stdin))
    print(f"{name}: has another password")


@contextmanager
def _accounts(database: str | None, folder: Folder) -> Iterator[Accounts]:
    """Open the club's accounts."""
    folder = folder or club_folder()
    engine = open_database(database or folder / "hub.db")
    try:
        yield Accounts(engine, own_secret(folder / SESSION_SECRET))
    finally:
        engine.dispose()


def _password(from_stdin: bool) -> str:
    """Return the password that the user types twice, or that a script supplies. Raises Refusal."""
    if from_stdin:
        return checked_password(sys.stdin.readline().rstrip("\r\n"))
    if not sys.stdin.isatty():
        raise SettingsError("there is no terminal to ask for the password: use --password-stdin")
    question = f"Password ({PASSWORD_LENGTHS[0]} characters or more)"
    return checked_password(typer.prompt(question, hide_input=True, confirmation_prompt=True))
