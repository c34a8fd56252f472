"""Process of a link: `python -m tilesight.club.link`, started by `tilesight live --hub`.

Its first line of standard input says in JSON what it links: ``{"hub": URL, "log": FILE, "table": URL}``. The
end of the input is the end of the table, however that came; what is left is sent then.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from tilesight.club.connection import Address
from tilesight.club.credentials import CredentialError, Role
from tilesight.club.invitation import invitation_of
from tilesight.club.link.leftovers import Leftovers
from tilesight.club.link.link import Hub, Link
from tilesight.club.link.log_reader import LogReader
from tilesight.club.link.table_api import TableApi
from tilesight.club.subjects import table_id
from tilesight.logs import log_to_stderr

WRONG = 2
"""Exit code where the hub's address or invitation is wrong: to try again would not help."""
OPEN_SERVER = re.compile(r"(nats://[^/@]+)/([^/]+)")
"""Address of a NATS server that asks for no credentials, with the table's id."""


def hub_of(text: str) -> Hub:
    """The hub that ``--hub`` names. CredentialError or ValueError where it names none."""
    if found := OPEN_SERVER.fullmatch(text):
        url = found[1]

        async def without_keys() -> Address:
            return Address((url,))

        return Hub(url, without_keys, table_id(found[2]))
    invited = invitation_of(text)
    if invited.role is not Role.TABLE:
        raise CredentialError(f"this is the invitation of a {invited.role}, not of a table")

    async def address() -> Address:
        inbox = f"_INBOX.{invited.role}.{invited.name}"
        return Address((invited.nats_url,), invited.seed, inbox, await invited.tls())

    return Hub(invited.hub, address, table_id(invited.name))


async def _link(hub: str, path: Path, table: str) -> None:
    log = LogReader(path)
    link = Link(hub_of(hub), log, TableApi(table), _say, Leftovers(hub))
    loop = asyncio.get_running_loop()
    threading.Thread(
        target=_wait_for_end, args=(lambda: loop.call_soon_threadsafe(link.end),), daemon=True
    ).start()
    await link.run()
    log.close()


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _wait_for_end(end: Callable[[], object]) -> None:
    while os.read(sys.stdin.fileno(), 4096):
        pass
    end()


def main() -> None:
    """Link until the input ends."""
    log_to_stderr()
    told = json.loads(_first_line())
    try:
        asyncio.run(_link(told["hub"], Path(told["log"]), told["table"]))
    except ValueError as error:
        _say(f"tilesight: {error}")
        sys.exit(WRONG)


def _first_line() -> bytes:
    """The first line of standard input, nothing of what follows taken."""
    line = b""
    while not line.endswith(b"\n") and (more := os.read(sys.stdin.fileno(), 1)):
        line += more
    return line


if __name__ == "__main__":
    main()
