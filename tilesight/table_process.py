"""Process of `tilesight live` started in advance by a program: `python -m tilesight.table_process`.

The slowest steps, imports and networks, are done at once, and a line on standard output reports it. The first
line of standard input then holds the command's arguments as JSON. The process ends with the program that
started it.
"""

from __future__ import annotations

import json
import os
import sys
import threading

import tilesight.commands.live  # noqa: F401 - what takes its time
from models.loader import load_ahead
from tilesight.app import main
from tilesight.commands.live_hub import prepare_link
from tilesight.parent_process import first_line, wait_for_end


def table_process() -> None:
    """Wait for the arguments, then run the command with them."""
    prepare_link()
    load_ahead()
    print('{"waiting": true}', flush=True)
    if not (line := first_line()):
        return
    sys.argv[1:] = ["live", *json.loads(line)]
    threading.Thread(target=_end_with_parent, name="parent process", daemon=True).start()
    main()


def _end_with_parent() -> None:
    wait_for_end()
    os._exit(1)  # nobody is left who could be told; what is in the log stays


if __name__ == "__main__":
    table_process()
