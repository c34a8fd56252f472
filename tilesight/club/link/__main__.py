"""Process of a link: `python -m tilesight.club.link`, started by `tilesight live --hub`.

The first line of standard input is JSON: ``{"hub": URL, "log": FILE, "table": URL}``. The end of the input
means that the table has ended, for whatever reason; the rest of the log is sent then. Each line of standard
output is a `web.table.vitals.HubState`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import threading
from pathlib import Path

from tilesight.club.credentials import CredentialError, Role
from tilesight.club.invitation import Invitation, invitation_of
from tilesight.club.link import BROKEN, VOID, WRONG
from tilesight.club.link.leftovers import Leftovers
from tilesight.club.link.link import Link, ThrownOutError
from tilesight.club.link.log_reader import LogReader
from tilesight.club.link.publisher import DivergedError
from tilesight.club.link.table_api import TableApi
from tilesight.logs import log_to_stderr
from tilesight.parent_process import first_line, wait_for_end
from web.table.vitals import HubState


async def _link(invited: Invitation, path: Path, table: str, leftovers: Leftovers | None) -> None:
    log = LogReader(path)
    link = Link(invited, log, TableApi(table), _say, leftovers, _tell)
    loop = asyncio.get_running_loop()

    def wait() -> None:
        wait_for_end()
        with contextlib.suppress(RuntimeError):  # the link has ended before
            loop.call_soon_threadsafe(link.end)

    threading.Thread(target=wait, daemon=True).start()
    await link.run()
    log.close()


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _tell(state: HubState) -> None:
    with contextlib.suppress(OSError):  # nothing reads it any more
        print(state, flush=True)


def main() -> None:
    """Run the link until the input ends."""
    log_to_stderr()
    if not (line := first_line()):
        return
    told = json.loads(line)
    lent = False
    try:
        invited = invitation_of(told["hub"])
        if invited.speaks_as is None:
            raise CredentialError(f"this is the invitation of a {invited.role}, not of a table")
        lent = invited.role is Role.WORKER
        # What a worker left another has gone on with.
        leftovers = None if lent else Leftovers(told["hub"])
        asyncio.run(_link(invited, Path(told["log"]), told["table"], leftovers))
    except ThrownOutError:
        sys.exit(BROKEN)
    except ValueError as error:
        _say(f"tilesight: {error}")
        sys.exit(VOID if lent and isinstance(error, DivergedError) else WRONG)


if __name__ == "__main__":
    main()
