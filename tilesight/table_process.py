"""Pre-started process of `tilesight live`: `python -m tilesight.table_process`.

It imports modules and loads the networks, which are the slowest steps, reports that in a line on standard
output, and waits for the command's arguments as JSON in the first line of standard input. It ends when its
parent process ends.
"""

from __future__ import annotations

import json
import os
import sys
import threading

import tilesight.commands.live  # noqa: F401 - imported in advance
from models.loader import load_ahead
from tilesight.app import main
from tilesight.commands.live_hub import prepare_link
from tilesight.parent_process import first_line, wait_for_end


def table_process() -> None:
    """Prepare, wait for the arguments of `live`, and run it; return if the input ends first."""
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
    os._exit(1)  # at once: the parent is gone, and the table log is complete on disk


if __name__ == "__main__":
    table_process()
