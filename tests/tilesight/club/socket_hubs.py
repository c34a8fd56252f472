"""A hub served at a port of its own, as `tilesight hub` serves it, and WebSockets of its tables."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from sqlalchemy import Engine
from websockets.asyncio import client

from tests.tilesight.club.club_parts import free_port, until
from tilesight.club.credentials import KeyRing, Role
from tilesight.club.frames import LINK_HEADER, Frame, FromHub, from_hub
from tilesight.club.hub.accounts import Accounts
from tilesight.club.hub.hub import Hub
from tilesight.club.hub.phone_tables import PhoneTables
from tilesight.club.hub.tournaments import Tournaments
from tilesight.club.invitation import CERTIFIED, Invitation, server_answers
from tilesight.server.certificate import certificate_for
from tilesight.server.page_server import Encrypted, serve_page
from tilesight.server.reverse_proxy import ReverseProxy
from web.club.app import add_link, create_club_app

KEY = "the-hubs-own-key"


class ServedHub:
    """A hub at ``url``; ``ring`` has its keys, ``fingerprint`` is that of its certificate."""

    def __init__(self, hub: Hub, ring: KeyRing, port: int, fingerprint: str | None) -> None:
        self.hub = hub
        self.ring = ring
        self.server = f"127.0.0.1:{port}"
        self.fingerprint = fingerprint

    def invite(self, name: str, role: Role = Role.TABLE) -> Invitation:
        """A new invitation of a table, or of a worker."""
        key = self.ring.create(name, role)[1]
        return Invitation(f"http://{self.server}", self.server, role, name, key, self.fingerprint)

    @property
    def sockets(self) -> dict[str, float]:
        """The gauges of its WebSockets."""
        return self.hub.sockets.counts()


@contextmanager
def served_hub(
    folder: Path,
    engine: Engine,
    port: int | None = None,
    phones: PhoneTables | None = None,
    secure_port: int | None = None,
) -> Iterator[ServedHub]:
    """Serve a hub, also encrypted where there is a port for it; it is stopped at the end."""
    ring, port = KeyRing(folder / "keys.json"), port or free_port()
    ready = threading.Event()
    stops = []

    def started(_: str, stop: object) -> None:
        stops.append(stop)
        ready.set()

    tournaments = Tournaments(engine, lambda: hub.tables())
    with Hub(engine, ring, phones=phones) as hub:
        accounts = Accounts(engine, "secret" * 8)
        app = create_club_app(hub, tournaments, key=KEY, accounts=accounts, phones=phones)
        add_link(app, hub.sockets.serve)
        encrypted = None if secure_port is None else _encrypted(folder, secure_port)
        more = (app, "127.0.0.1", port, started, ReverseProxy(), encrypted)
        serving = threading.Thread(target=serve_page, args=more, daemon=True)
        serving.start()
        assert ready.wait(60)
        fingerprint = None if encrypted is None else encrypted.named[CERTIFIED].fingerprint.replace(":", "")
        served = ServedHub(hub, ring, secure_port or port, fingerprint)
        until(lambda: server_answers(served.server))
        try:
            yield served
        finally:
            stops[0]()  # type: ignore[operator]
            serving.join(20)


def _encrypted(folder: Path, port: int) -> Encrypted:
    """The HTTPS port, with a page's certificate and the club's."""
    page = certificate_for("127.0.0.1", folder / "page")
    return Encrypted(port, page, {CERTIFIED: certificate_for(CERTIFIED, folder / "https", lasting=True)})


class Speaker:
    """A table's WebSocket, spoken by hand."""

    def __init__(self, socket: client.ClientConnection) -> None:
        self.socket = socket

    async def say(self, frame: Frame | str | bytes) -> None:
        """Send a frame, or anything else."""
        await self.socket.send(frame.text() if isinstance(frame, Frame) else frame)

    async def hear(self) -> FromHub:
        """The hub's next frame."""
        return from_hub(await self.text())

    async def text(self) -> str:
        """The hub's next frame as sent."""
        data = await asyncio.wait_for(self.socket.recv(), 20)
        assert isinstance(data, str)
        return data

    async def ask(self, frame: Frame) -> FromHub:
        """The hub's answer to a frame."""
        await self.say(frame)
        return await self.hear()

    async def closed(self) -> tuple[int, str]:
        """Code and reason with which the hub closes the connection."""
        await asyncio.wait_for(self.socket.wait_closed(), 20)
        return self.socket.close_code or 0, self.socket.close_reason or ""


@asynccontextmanager
async def speaking(invited: Invitation, secret: str | None = None, link: str = "") -> AsyncIterator[Speaker]:
    """Open the WebSocket of an invitation, or with another secret, as the process ``link``."""
    headers = {"Authorization": f"Bearer {secret or invited.key}", LINK_HEADER: link}
    async with client.connect(
        invited.link_url, additional_headers=headers, compression=None, max_size=None, proxy=None
    ) as socket:
        yield Speaker(socket)
