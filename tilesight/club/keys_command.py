"""`tilesight keys`: invites tables and workers to a club, and revokes their keys."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from tilesight.club.credentials import KEY_LENGTH, CredentialError, Role
from tilesight.club.invitation import Invitation
from tilesight.club.invitation_sheet import invitation_pdf
from tilesight.club.inviting import Inviter, key_ring, numbered
from tilesight.home import home_folder, write_privately
from tilesight.output import check_output, write_output
from tilesight.table_log.log_files import checked_key
from web.qr import qr_text
from web.table.access import new_key

Folder = Annotated[Path | None, typer.Option(help="the club's folder [default: club in Tilesight's home]")]
Database = Annotated[
    str | None,
    typer.Option(metavar="URL", help="the hub's database [default: hub.db in the club's folder]"),
]
Invited = Annotated[Role, typer.Option("--role", help="what the key is for")]

keys_app = typer.Typer(
    help="Invite tables and workers to a club, and end their rights.",
    no_args_is_help=True,
    add_completion=False,
)


def club_folder() -> Path:
    """Return the folder of the club on this computer."""
    return home_folder() / "club"


def own_secret(path: Path) -> str:
    """Return the secret in a file of the club's folder; create it if missing."""
    try:
        return checked_key(path.read_text("ascii").strip())
    except (OSError, ValueError):
        secret = new_key(KEY_LENGTH)
        write_privately(path, secret)
        return secret


@keys_app.command("new")
def new_command(
    names: Annotated[
        list[str], typer.Argument(metavar="NAME...", help="such as hall-3: small letters, digits, hyphens")
    ],
    count: Annotated[
        int | None,
        typer.Option(min=1, max=200, help="this many keys: the one name with -1, -2 … at its end"),
    ] = None,
    role: Invited = Role.TABLE,
    pdf: Annotated[
        Path | None, typer.Option(help="write the invitations to this PDF, eight on a page, to cut out")
    ] = None,
    hub: Annotated[
        str | None,
        typer.Option(metavar="URL", help="the hub's page as others reach it [default: as it last ran]"),
    ] = None,
    folder: Folder = None,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Make keys and show their invitations, once: as QR codes and as one line each."""
    if count is not None and len(names) > 1:
        raise CredentialError("--count takes one name")
    if pdf is not None:
        check_output(pdf, "PDF")  # before keys are made that no one would see
    asked = names if count is None else numbered(names[0], count)
    inviter = Inviter(folder or club_folder(), hub)
    made = inviter.invite(asked, role)
    if pdf is not None:
        write_output(pdf, "PDF", invitation_pdf(made))
    _show(inviter, made, pdf, as_json)


def _show(inviter: Inviter, made: list[Invitation], pdf: Path | None, as_json: bool) -> None:
    """Print new invitations, those on paper without their QR codes."""
    served = inviter.runs()
    if as_json:
        keys = [{"name": one.name, "role": one.role, "url": one.url, "served": served} for one in made]
        print(json.dumps({"tilesight": 1, "key": keys[0], "keys": keys}))
        return
    out = Console(file=sys.stdout, highlight=False)
    if pdf is None:
        for one in made:
            out.print(qr_text(one.url), soft_wrap=True)
            out.print(f"{one.role} {one.name}")
    else:
        out.print(f"{pdf}: {len(made)} invitations", soft_wrap=True)
    out.print("They are shown this once; whoever has one may speak for its name.")
    if inviter.place is None:
        out.print("No hub has run here yet: this is for one that only this computer reaches.")
        out.print("For others start the hub first, with --host: the invitation tells its certificate.")
    elif not served:
        out.print("The hub does not run; it knows the keys when it starts.")
    for one in made:
        print(one.url)


@keys_app.command("list")
def list_command(
    folder: Folder = None,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Say who has a key, since when, and whose was ended."""
    known = key_ring(folder or club_folder()).all()
    if as_json:
        keys = [
            {"name": one.name, "role": one.role, "created_s": one.created_s, "revoked_s": one.revoked_s}
            for one in known
        ]
        print(json.dumps({"tilesight": 1, "keys": keys}))
        return
    table = Table("name", "role", "made", "ended")
    for one in known:
        table.add_row(one.name, one.role, minute(one.created_s), minute(one.revoked_s))
    Console(highlight=False).print(table)


@keys_app.command("revoke")
def revoke_command(
    name: Annotated[str, typer.Argument(help="the name it was made for")],
    role: Invited = Role.TABLE,
    folder: Folder = None,
) -> None:
    """End a key: its holder is cut off at once, and refused."""
    inviter = Inviter(folder or club_folder())
    inviter.ring.revoke(name, role)
    print(f"{role} {name}: {'cut off' if inviter.runs() else 'ended; the hub does not run'}")


def minute(at_s: float | None) -> str:
    """Return a time (seconds since 1970) as listed; "" for None."""
    return "" if at_s is None else time.strftime("%Y-%m-%d %H:%M", time.localtime(at_s))
