"""`tilesight hub`: runs the club's hub on this computer, with its NATS server."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from tilesight.club.connection import Address
from tilesight.club.credentials import Role, hub_seed
from tilesight.club.database.hub_lock import only_hub
from tilesight.club.hub.accounts import SESSION_SECRET, Accounts
from tilesight.club.hub.broadcast import Broadcast
from tilesight.club.hub.hub import Hub
from tilesight.club.hub.phone_tables import PhoneTables
from tilesight.club.hub.tournaments import Tournaments
from tilesight.club.invitation import pinned
from tilesight.club.inviting import (
    HUB_PORT,
    Inviter,
    PageInvitations,
    keep_page_address,
    key_ring,
)
from tilesight.club.keys_command import Folder, club_folder, own_secret
from tilesight.club.nats_server import MONITOR_PORT, PORT, NatsServer, ServerSettings
from tilesight.home import certificates_folder
from tilesight.server.certificate import certificate_for
from tilesight.server.connections import ConnectionLimiter, max_connections
from tilesight.server.dashboard import DEFAULT_HOST, page_address, reached_at
from tilesight.server.page_server import Encrypted, serve_page
from tilesight.server.reverse_proxy import ReverseProxy, reverse_proxy
from tilesight.server.service_manager import ServiceManager
from tilesight.table_log.log_files import checked_key
from web.club.app import create_club_app
from web.club.phone_tables import Addresses
from web.qr import qr_text

SECURE_PORT = 8783
"""Port of the page over HTTPS."""
PLACES = 4800
"""Connections at a time: half of them may be spectators' event streams (tilesight.server.connections)."""
LOOPBACK = ("127.0.0.1", "::1", "localhost")
"""Addresses that no other computer reaches, and on which a browser has a camera without HTTPS."""
SWITCH_S = 0.0005
"""Seconds for which a thread that computes holds up another. After each answer of the database the intake
waits for the thread that folds: with Python's own 5 ms it took a quarter as many entries meanwhile."""
CERTIFIED = "tilesight-club"
"""Name in the certificate of the NATS server."""


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
    nats: Annotated[
        str | None,
        typer.Option(metavar="URL", help="a NATS server without keys, such as nats://127.0.0.1:4222"),
    ] = None,
    nats_port: Annotated[int, typer.Option(help="port of the NATS server that is started")] = PORT,
    monitor_port: Annotated[int, typer.Option(help="port at which that one is monitored")] = MONITOR_PORT,
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
        tournaments = Tournaments(engine, lambda: hub.tables(), lambda *asked: hub.command(*asked))
        phones = PhoneTables(engine, lambda: _invited(folder))
        settings = _settings(folder, host, nats_port, monitor_port)
        address = stack.enter_context(_nats_server(nats, settings))
        hub = stack.enter_context(Hub(engine, address, tournaments.heard, phones, keep_days))
        if spectators is not None:
            stack.enter_context(Broadcast(hub, spectators))
        accounts = Accounts(engine, own_secret(folder / SESSION_SECRET))
        encrypted = _encrypted(host, secure_port, before)
        addresses = _addresses(host, port, before, encrypted)
        more: dict[str, Any] = {"phones": phones, "invitations": _invitations(folder, nats)}
        app = create_club_app(hub, tournaments, key=known, accounts=accounts, addresses=addresses, **more)
        keep_page_address(folder, addresses.url)
        limiter = ConnectionLimiter(
            max_connections(PLACES), proxies=before.addresses, knows_key=app.state.knows_key
        )
        serve_page(app, host, port, lambda url, _: _ready(url, known, as_json), before, encrypted, limiter)


def _encrypted(host: str, port: int, before: ReverseProxy) -> Encrypted | None:
    """Return the HTTPS port for phone cameras, if the page is open to the network and no proxy provides
    HTTPS."""
    if host in LOOPBACK or before.secure:
        return None
    return Encrypted(port, certificate_for(reached_at(host), certificates_folder()))


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


def _invitations(folder: Path, nats: str | None) -> PageInvitations | None:
    """Return the invitations that the page makes; None for a NATS server without keys."""
    return PageInvitations(Inviter(folder)) if nats is None else None


def _invited(folder: Path) -> set[str]:
    """Return the names of the tables that have a credential."""
    return {one.name for one in key_ring(folder).valid() if one.role is Role.TABLE}


def _settings(folder: Path, host: str, port: int, monitor_port: int) -> ServerSettings:
    """Return the server's settings; encrypted if other computers can reach it."""
    if host in LOOPBACK:
        return ServerSettings(folder, port=port, monitor_port=monitor_port)
    # Not for the address, which may be another tomorrow: a table knows the certificate by its fingerprint.
    certificate = certificate_for(CERTIFIED, folder / "https", lasting=True)
    return ServerSettings(folder, host, port, monitor_port, certificate=certificate)


@contextmanager
def _nats_server(url: str | None, settings: ServerSettings) -> Iterator[Address]:
    """Yield the address of the named server, or run one of our own."""
    if url is not None:
        yield Address((url,))
        return
    ring = key_ring(settings.folder)
    seed = hub_seed(settings.folder, ring)
    with NatsServer(settings).kept(ring.valid):
        place = "{}:{}".format(*settings.here)
        if settings.certificate is None:
            yield Address((f"nats://{place}",), seed)
        else:
            tls = asyncio.run(pinned(place, settings.certificate.fingerprint))
            yield Address((f"tls://{place}",), seed, tls=tls)
