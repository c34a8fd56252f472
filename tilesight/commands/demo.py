"""`tilesight demo`: replay of a bundled sample session on the dashboard."""

from __future__ import annotations

from typing import Annotated

import typer

from tilesight.live.presentation import Showing
from tilesight.outward.options import MqttOption, NetworkOption, WebhookOption, outward_options
from tilesight.recordings.command import run_replay
from tilesight.server.addresses import DEFAULT_HOST
from tilesight.sessions.samples import sample_of

TURN_S = 1.0
"""Minimum seconds between two turns, so that users can follow."""


def demo_command(
    game: Annotated[
        str | None, typer.Option(help="which game to show, for example tricky-safari; default: safari")
    ] = None,
    exit_at_end: Annotated[bool, typer.Option("--exit-at-end", help="exit after the last turn")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="JSON Lines on stdout")] = False,
    host: Annotated[str, typer.Option(help="address to serve on")] = DEFAULT_HOST,
    port: Annotated[int | None, typer.Option(help="port to serve on")] = None,
    webhook: WebhookOption = None,
    webhook_network: NetworkOption = None,
    mqtt: MqttOption = None,
) -> None:
    """Replay a sample session on the dashboard, without a camera: the first thing to try."""
    showing = Showing(True, as_json, exit_at_end, turn_s=TURN_S, host=host, port=port)
    outward = outward_options(webhook, webhook_network, mqtt)
    run_replay(sample_of(game), None, showing, outward=outward)
