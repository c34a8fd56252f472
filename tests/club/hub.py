"""The hub of `make club-test` as a process: ``python -m tests.club.hub SERVER DATABASE SEED``."""

from __future__ import annotations

import sys
import time

from tilesight.club.connection import Address
from tilesight.club.database import open_database
from tilesight.club.hub.hub import Hub
from tilesight.logs import log_to_stderr


def main(server: str, database: str, seed: str) -> None:
    """Take in entries until killed."""
    log_to_stderr()
    with Hub(open_database(database), Address((server,), seed, "_INBOX.hub.hub")):
        while True:
            time.sleep(1)


if __name__ == "__main__":
    main(*sys.argv[1:4])
