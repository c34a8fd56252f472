"""`tilesight hub`: runs the club's hub on this computer."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from tilesight.club.credentials import Role
from tilesight.club.database.hub_lock import only_hub
from tilesight.club.hub.accounts import SESSION_SECRET, Accounts
from tilesight.club.hub.broadcast import Broadcast
from tilesight.club.hub.hub import Hub
from tilesight.club.hub.phone_tables import PhoneTables
from tilesight.club.hub.tournaments import Tournaments
from tilesight.club.invitation import CERTIFIED, LinkPlace
from tilesight.club.inviting import HUB_PORT, Inviter, PageInvitations, key_ring
from tilesight.club.keys_command import Folder, club_folder, own_secret
from tilesight.home import certificates_folder
from tilesight.server.addresses import DEFAULT_HOST, page_address, reached_at
from tilesight.server.certificate import Certificate, certificate_for
from tilesight.server.connections import ConnectionLimiter, max_connections
from tilesight.server.page_server import Encrypted, serve_page
from tilesight.server.reverse_proxy import ReverseProxy, reverse_proxy
from tilesight.server.service_manager import ServiceManager
from tilesight.table_log.log_files import checked_key
from web.club.app import add_link, create_club_app
from web.club.phone_tables import Addresses
from web.qr import qr_text

SECURE_PORT = 8783
"""Port of the page over HTTPS."""
PLACES = 4800
"""Connections at a time: half of them may be spectators' event streams (tilesight.server.connections)."""
LOOPBACK = ("127.0.0.1", "::1", "localhost")
"""Addresses that no other computer reaches, and on which a browser has a camera without HTTPS."""
SWITCH_S = 0.0005
"""Seconds for which a thread that computes holds up another. After each answer of the database the
thread that stores waits for the one that folds: with Python's own 5 ms it stored a quarter as much."""


def hub_command(
    host: Annotated[str, typer.Option(help="address to serve on")] = DEFAULT_HOST,
    port: Annotated[int, typer.Option(help="port of the page")] = HUB_PORT,
    secure_port: Annotated[
        int, typer.Option(help="port of the page over HTTPS, where other computers reach it")
    ] = SECURE_PORT,
    key: Annotated[str | None, typer.Option(help="the hub's key; its own if not given")] = None,
    database: Annotated[
        str | None,
        typer.Option(metavar="URL", help="postgresql://… or a file [default: hub.db in the club's folder]"),
    ] = None,
    spectators: Annotated[
        str | None,
        typer.Option(metavar="URL", help="where nginx with Nchan takes events: http://127.0.0.1:8782/pub"),
    ] = None,
    public_url: Annotated[
        str | None, typer.Option(metavar="URL", help="the page's address where nginx or a proxy serves it")
    ] = None,
    proxy: Annotated[
        list[str] | None,
        typer.Option(metavar="ADDRESS", help="address or network of nginx, who says who asks"),
    ] = None,
    keep_days: Annotated[
        int | None,
        typer.Option(min=1, help="days after which games and names are removed [default: never]"),
    ] = None,
    folder: Folder = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON Lines on stdout")] = False,
) -> None:
    """Run the hub of a club: all its tables on one page, live."""
    before = reverse_proxy(public_url, proxy or ())
    sys.setswitchinterval(SWITCH_S)
    folder = folder or club_folder()
    with ExitStack() as stack:
        engine = stack.enter_context(only_hub(folder, database or folder / "hub.db"))
        known = own_secret(folder / "hub.key") if key is None else checked_key(key)
        encrypted = _encrypted(host, secure_port, before, folder)
        _link_place(host, port, before, encrypted).keep(folder)
        tournaments = Tournaments(engine, lambda: hub.tables(), lambda *asked: hub.command(*asked))
        phones = PhoneTables(engine, lambda: _invited(folder))
        hub = Hub(engine, key_ring(folder), tournaments.heard, phones, keep_days)
        stack.enter_context(hub)  # tournaments ask it from its start on
        if spectators is not None:
            stack.enter_context(Broadcast(hub, spectators))
        accounts = Accounts(engine, own_secret(folder / SESSION_SECRET))
        addresses = _addresses(host, port, before, encrypted)
        more: dict[str, Any] = {"phones": phones, "invitations": PageInvitations(Inviter(folder))}
        app = create_club_app(hub, tournaments, key=known, accounts=accounts, addresses=addresses, **more)
        add_link(app, hub.sockets.serve)
        limiter = ConnectionLimiter(
            max_connections(PLACES), proxies=before.addresses, knows_key=app.state.knows_key
        )
        serve_page(app, host, port, lambda url, _: _ready(url, known, as_json), before, encrypted, limiter)


def _encrypted(host: str, port: int, before: ReverseProxy, folder: Path) -> Encrypted | None:
    """Return the HTTPS port for phone cameras and tables, if the page is open to the network and no proxy
    provides HTTPS."""
    if host in LOOPBACK or before.secure:
        return None
    certificate = certificate_for(reached_at(host), certificates_folder())
    return Encrypted(port, certificate, {CERTIFIED: _club_certificate(folder)})


def _club_certificate(folder: Path) -> Certificate:
    """Return the certificate that tables and workers know by its fingerprint, whatever the address is."""
    return certificate_for(CERTIFIED, folder / "https", lasting=True)


def _link_place(host: str, port: int, before: ReverseProxy, encrypted: Encrypted | None) -> LinkPlace:
    """Return where tables and workers reach the hub: encrypted at its HTTPS port, otherwise at its page."""
    page = before.url or page_address(host, port)
    if encrypted is None:
        return LinkPlace.at(page)
    fingerprint = encrypted.named[CERTIFIED].fingerprint.replace(":", "")
    return replace(LinkPlace.at(page_address(host, encrypted.port)), hub=page, fingerprint=fingerprint)


def _addresses(host: str, port: int, before: ReverseProxy, encrypted: Encrypted | None) -> Addresses:
    """Return the addresses that the pages show to phones."""
    url = before.url or page_address(host, port)
    if encrypted is None:
        return Addresses(url, url if before.secure else "")
    return Addresses(url, page_address(host, encrypted.port, "https"))


def _ready(url: str, key: str, as_json: bool) -> None:
    """Print the page's addresses, and notify the service manager."""
    ServiceManager().ready(f"The hub's page: {url}")
    if as_json:
        print(json.dumps({"ready": True, "url": url, "key": key}), flush=True)
        return
    address = f"{url}/#key={key}"
    out = Console(file=sys.stdout, highlight=False)
    out.print(qr_text(address), soft_wrap=True)
    out.print(f"The club's page for its host and referees: {address}", soft_wrap=True)
    out.print(f"For everybody, to look at: {url}", soft_wrap=True)
    out.print("A table joins with what `tilesight keys new NAME` says.", soft_wrap=True)
    print(f"ready {url}", flush=True)


def _invited(folder: Path) -> set[str]:
    """Return the names of the tables that have a credential."""
    return {one.name for one in key_ring(folder).valid() if one.role is Role.TABLE}
