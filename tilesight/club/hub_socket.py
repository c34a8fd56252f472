"""Connection of a table or worker to its hub's WebSocket (``/link``): it is opened again for ever."""

from __future__ import annotations

import asyncio
import logging
import random
import secrets
import time
from collections.abc import Awaitable, Callable
from typing import Any, NoReturn

from websockets.asyncio import client
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

from tilesight.club.frames import FRAME_BYTES, LINK_HEADER, REVOKED, SECOND
from tilesight.club.invitation import CERTIFIED, Invitation
from tilesight.club.messages import MessageError

log = logging.getLogger("tilesight.club.socket")

FIRST_S, LONGEST_S = 0.5, 10.0
"""Seconds between two attempts at first and at most."""
REFUSED_S = 10.0
"""Seconds until the next attempt after the hub has refused the key."""
PING_S = 5.0
"""Seconds between two pings of the hub; a connection without an answer until the next one is left."""
Converse = Callable[[client.ClientConnection], Awaitable[None]]
"""Reads a connection's messages until it ends. Raises ConnectionClosed or MessageError."""
Refused = Callable[[int], Awaitable[None]]
"""Gets `REVOKED` if the hub rejects the invitation's key, `SECOND` if another process uses it."""


async def keep_connected(invited: Invitation, converse: Converse, refused: Refused) -> NoReturn:
    """Connect and converse, again and again, until cancelled; ``refused`` is called each time the hub lets
    this process not in.

    Raises CredentialError if another server answers at the hub's address.
    """
    pause_s, link = FIRST_S, secrets.token_hex(8)
    while True:
        begun_s = time.monotonic()
        try:
            async with await _opened(invited, link) as socket:
                await converse(socket)
        except InvalidStatus as error:
            pause_s = LONGEST_S
            if error.response.status_code == 403:
                await refused(REVOKED)
                pause_s = REFUSED_S
        except ConnectionClosed as error:
            if error.rcvd is not None and error.rcvd.code == SECOND:
                await refused(SECOND)
                pause_s = REFUSED_S
            elif error.rcvd is not None and error.rcvd.code >= 4000:
                log.warning("the hub closed the connection: %s", error.rcvd.reason)
        except (OSError, TimeoutError, WebSocketException, MessageError) as error:
            log.debug("%s: %s", invited.hub, error)
        if time.monotonic() - begun_s > LONGEST_S:
            pause_s = FIRST_S
        # Tables of a hall that lost the same hub come back one after another.
        await asyncio.sleep(pause_s * random.uniform(0.5, 1.0))
        pause_s = min(pause_s * 2, LONGEST_S)


async def _opened(invited: Invitation, link: str) -> client.connect:
    """Return a connection that is about to be opened."""
    more = dict[str, Any]()
    if (tls := await invited.tls()) is not None:
        more = {"ssl": tls, "server_hostname": CERTIFIED}
    return client.connect(
        invited.link_url,
        additional_headers={"Authorization": f"Bearer {invited.key}", LINK_HEADER: link},
        compression=None,
        max_size=FRAME_BYTES,
        ping_interval=PING_S,
        ping_timeout=PING_S,
        close_timeout=1,
        proxy=None,  # the hub is in the house, or said by its own address
        **more,
    )
