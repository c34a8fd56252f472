"""`tilesight lobby`, and `tilesight` alone: a page that starts, shows and resumes tables."""

from __future__ import annotations

import json
import os
import sys
import webbrowser
from collections.abc import Callable
from importlib.util import find_spec
from typing import Annotated

import typer
from rich.console import Console

from engine.message import message_of
from engine.pack import Pack
from tilesight.lobby.library import Library
from tilesight.lobby.lobby import TableLobby
from tilesight.lobby.memory import LobbyMemory
from tilesight.outward.options import (
    MqttOption,
    NetworkOption,
    WebhookOption,
    environment_of,
    outward_options,
)
from tilesight.photograph.desk import PhotoDesk
from tilesight.server.addresses import DEFAULT_HOST
from tilesight.server.page_server import serve_page
from tilesight.table_log.log_files import checked_key
from web.lobby_app import create_lobby_app
from web.lobby_club import Membership
from web.lobby_print import PaperName
from web.qr import qr_text
from web.table.refusal import Refusal


def lobby_command(
    host: Annotated[str, typer.Option(help="address to serve on")] = DEFAULT_HOST,
    port: Annotated[int | None, typer.Option(help="port to serve on")] = None,
    key: Annotated[str | None, typer.Option(help="the lobby's key; default: the one used before")] = None,
    webhook: WebhookOption = None,
    webhook_network: NetworkOption = None,
    mqtt: MqttOption = None,
    browser: Annotated[bool, typer.Option(help="open the page in this computer's browser")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="JSON Lines on stdout")] = False,
) -> None:
    """Start, watch and resume tables on a page; the default without a command."""
    outward_options(webhook, webhook_network, mqtt)  # wrong ones are refused here, not at each table
    os.environ.update(environment_of(webhook, webhook_network, mqtt))
    memory = LobbyMemory()
    key = memory.key if key is None else checked_key(key)
    out = Console(file=sys.stdout, highlight=False)

    def ready(url: str, _: Callable[[], None]) -> None:
        address = f"{url}/#key={key}"
        if as_json:
            print(json.dumps({"ready": True, "url": url, "key": key}), flush=True)
            return
        out.print(qr_text(address), soft_wrap=True)
        out.print(f"Scan it with a phone in the same network, or open {address}", soft_wrap=True)
        out.print("Ctrl-C ends it; unfinished games can be resumed.")
        print(f"ready {url}", flush=True)
        if browser and _has_screen():
            webbrowser.open(address)

    with TableLobby(memory, host) as lobby, PhotoDesk() as photographs:
        app = create_lobby_app(
            lobby,
            key=key,
            library=Library(memory),
            cameras=lobby.desk,
            enrolments=lobby.enrolments,
            calibrations=lobby.calibrations,
            membership=_membership(memory),
            photographs=photographs,
            printer=_printed,
        )
        serve_page(app, host, port, ready)


def _printed(pack: Pack, paper: PaperName) -> bytes:
    """Return the PDF of a deck. Raises Refusal if it cannot be printed on this paper."""
    from tilesight.printing.deck import deck_pdf  # late: rarely needed
    from tilesight.printing.plan import SheetsError

    try:
        return deck_pdf(pack, paper)
    except SheetsError as error:
        raise Refusal("no_sheets", message_of(error)) from None


def _membership(memory: LobbyMemory) -> Membership | None:
    """Return the membership in a club; None if the club extra is not installed."""
    if find_spec("sqlalchemy") is None:
        return None
    from tilesight.club.membership import ClubMembership

    return ClubMembership(memory)


def _has_screen() -> bool:
    """Whether there is a screen, so that a browser opens in a window and not in this terminal."""
    if not sys.stdout.isatty():
        return False
    if sys.platform in ("win32", "darwin"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
