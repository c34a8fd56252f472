"""`tilesight keys`: invites tables, workers and referees to a club, and revokes their keys."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from tilesight.club.credentials import CredentialError, KeyRing, Role
from tilesight.club.invitation import Invitation, LinkPlace
from tilesight.club.nats_server import PORT, NatsServer, ServerSettings
from tilesight.home import home_folder, write_privately
from tilesight.server.dashboard import lan_address
from tilesight.table_log.log_files import checked_key
from web.qr import qr_text
from web.table.access import new_key

HUB_PORT = 8780
"""Port of the hub's page."""
SECRET_LENGTH = 26
"""Characters of a secret of the hub's own: 128 bits."""
Folder = Annotated[Path | None, typer.Option(help="the club's folder [default: club in Tilesight's home]")]
Database = Annotated[
    str | None,
    typer.Option(metavar="URL", help="the hub's database [default: hub.db in the club's folder]"),
]
Invited = Annotated[Role, typer.Option("--role", help="what the key is for")]

keys_app = typer.Typer(
    help="Invite tables, workers and referees to a club, and end their rights.",
    no_args_is_help=True,
    add_completion=False,
)


def club_folder() -> Path:
    """Return the folder of the club on this computer."""
    return home_folder() / "club"


def key_ring(folder: Path) -> KeyRing:
    """Return the key ring of a club's folder."""
    return KeyRing(folder / "keys.json")


def own_secret(path: Path) -> str:
    """Return the secret in a file of the club's folder; create it if missing."""
    try:
        return checked_key(path.read_text("ascii").strip())
    except (OSError, ValueError):
        secret = new_key(SECRET_LENGTH)
        write_privately(path, secret)
        return secret


@keys_app.command("new")
def new_command(
    name: Annotated[str, typer.Argument(help="such as hall-3: small letters, digits, hyphens")],
    role: Invited = Role.TABLE,
    hub: Annotated[str | None, typer.Option(metavar="URL", help="the hub's page as others reach it")] = None,
    nats: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT",
            help="the NATS server as others reach it (for a table: instead of the hub)",
        ),
    ] = None,
    folder: Folder = None,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Make a key and show its invitation, once: as a QR code and as one line."""
    if role is Role.HUB:
        raise CredentialError("the hub makes its own key")
    folder = folder or club_folder()
    ring, settings, place = key_ring(folder), ServerSettings.of(folder), LinkPlace.of(folder)
    known = settings is not None
    if role is Role.TABLE and nats is None:
        known = place is not None
        place = LinkPlace.at(hub or f"http://127.0.0.1:{HUB_PORT}") if hub or place is None else place
        seed = ring.create(name, role)[1]
        told = _applied(settings, ring) or place.answers()
        of = Invitation(place.hub, place.server, role, name, seed, place.fingerprint, link=True)
    else:
        seed = ring.create(name, role)[1]
        told = _applied(settings, ring)
        of = _through_nats(settings, hub, nats, (role, name, seed))
    url = of.url
    if as_json:
        print(json.dumps({"tilesight": 1, "key": {"name": name, "role": role, "url": url, "served": told}}))
        return
    out = Console(file=sys.stdout, highlight=False)
    out.print(qr_text(url), soft_wrap=True)
    out.print("It is shown this once; whoever has it may speak for this name.")
    if not known:
        out.print("No hub has run here yet: this is for one that only this computer reaches.")
        out.print("For others start the hub first, with --host: the invitation tells its certificate.")
    elif not told:
        out.print("The club's server does not run; it knows the key when it starts.")
    if role is not Role.TABLE and not told:
        out.print("Start the hub again: it starts its NATS server for workers with their first key.")
    print(url)


def _through_nats(
    settings: ServerSettings | None, hub: str | None, nats: str | None, who: tuple[Role, str, str]
) -> Invitation:
    """Return an invitation to the NATS server: of a worker or referee, or of a table whose server is
    named."""
    certificate = settings.certificate if settings is not None else None
    address = lan_address() if certificate is not None else "127.0.0.1"
    server = nats or f"{address}:{PORT if settings is None else settings.port}"
    page = hub or f"http://{address}:{HUB_PORT}"
    fingerprint = None if certificate is None else certificate.fingerprint.replace(":", "")
    return Invitation(page.rstrip("/"), server, *who, fingerprint)


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
    folder = folder or club_folder()
    ring, settings = key_ring(folder), ServerSettings.of(folder)
    ring.revoke(name, role)
    place = LinkPlace.of(folder) if role is Role.TABLE else None
    running = _applied(settings, ring) or (place is not None and place.answers())
    print(f"{role} {name}: {'cut off' if running else 'ended; the server does not run'}")


def _applied(settings: ServerSettings | None, ring: KeyRing) -> bool:
    """Apply the keys at the server. Return True if it is running."""
    if settings is None:
        return False
    server = NatsServer(settings)
    if server.monitored() is None:
        return False
    server.apply(ring.valid())
    return True


def minute(at_s: float | None) -> str:
    """Return a time (seconds since 1970) as listed; "" for None."""
    return "" if at_s is None else time.strftime("%Y-%m-%d %H:%M", time.localtime(at_s))
