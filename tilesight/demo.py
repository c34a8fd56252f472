"""``tilesight demo``: the shipped sample session through the real recogniser, on the dashboard."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tilesight.dashboard import DEFAULT_HOST
from tilesight.replay import run_replay
from tilesight.session import SESSION_FILE
from tilesight.showing import Showing

SAMPLES = Path(__file__).resolve().parent.parent / "samples"
SAMPLE_SESSION = SAMPLES / "first-light"
TURN_S = 1.0
"""Seconds between two turns, so that people can follow."""


class DemoError(ValueError):
    """The demo cannot be shown; one line for the user."""


def demo_command(
    exit_at_end: Annotated[bool, typer.Option("--exit-at-end", help="end after the last turn")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="JSON Lines on stdout")] = False,
    host: Annotated[str, typer.Option(help="address to serve on")] = DEFAULT_HOST,
    port: Annotated[int | None, typer.Option(help="port to serve on")] = None,
) -> None:
    """Replay the sample session on the dashboard: the first thing to run. Opens no camera."""
    if not (SAMPLE_SESSION / SESSION_FILE).is_file():
        raise DemoError("the sample session is missing: run the demo from a clone of the repository")
    showing = Showing(True, as_json, exit_at_end, turn_s=TURN_S, host=host, port=port)
    run_replay(SAMPLE_SESSION, None, showing)
