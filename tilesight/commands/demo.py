"""`tilesight demo`: a sample session that ships, read as if live, on the dashboard."""

from __future__ import annotations

from typing import Annotated

import typer

from tilesight.live.presentation import Showing
from tilesight.recordings.command import run_replay
from tilesight.server.dashboard import DEFAULT_HOST
from tilesight.sessions.samples import sample_of

TURN_S = 1.0
"""Seconds between two turns, so that people can follow."""


def demo_command(
    game: Annotated[
        str | None, typer.Option(help="which game to show, for example tricky-safari; safari if not given")
    ] = None,
    exit_at_end: Annotated[bool, typer.Option("--exit-at-end", help="end after the last turn")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="JSON Lines on stdout")] = False,
    host: Annotated[str, typer.Option(help="address to serve on")] = DEFAULT_HOST,
    port: Annotated[int | None, typer.Option(help="port to serve on")] = None,
) -> None:
    """Replay a sample session on the dashboard: the first thing to run. Opens no camera."""
    showing = Showing(True, as_json, exit_at_end, turn_s=TURN_S, host=host, port=port)
    run_replay(sample_of(game), None, showing)
