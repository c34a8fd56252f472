"""How what is watched is shown to who started it: on the dashboard, on the terminal, as JSON Lines."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any, NoReturn

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from tilesight.dashboard import DEFAULT_HOST, Dashboard


@dataclass(frozen=True, slots=True)
class Showing:
    """How a replay is shown: served on a dashboard, paced for people, as JSON, and when it ends."""

    serve: bool = False
    as_json: bool = False
    exit_at_end: bool = True
    turn_s: float = 0.0
    host: str = DEFAULT_HOST
    port: int | None = None


def say_ready(dashboard: Dashboard, out: Console, aside: Console, *, as_json: bool) -> None:
    """Say where the dashboard is: a QR code and a line, or the first of the JSON Lines."""
    ready = {"ready": True, "url": dashboard.url, "key": dashboard.key}
    if dashboard.camera_url is not None:
        ready["camera_url"] = dashboard.camera_url
    if as_json:
        print(json.dumps(ready), flush=True)
        return
    out.print(dashboard.qr_code(), soft_wrap=True)
    out.print(f"Scan it with a phone in the same network, or open {dashboard.join_url}", soft_wrap=True)
    if dashboard.camera_url is not None:
        out.print(dashboard.qr_code(dashboard.camera_url), soft_wrap=True)
        out.print(dashboard.about_camera(), soft_wrap=True)
    print(f"ready {dashboard.url}", flush=True)


def stay_open(dashboard: Dashboard, aside: Console) -> NoReturn:
    """Say where the dashboard stays, and let it: until Ctrl-C."""
    aside.print(f"The dashboard stays at {dashboard.join_url} until Ctrl-C.", soft_wrap=True)
    while True:
        time.sleep(3600)


def print_event(kind: str, data: Any) -> None:
    """One event as a JSON line."""
    print(json.dumps({"type": kind, **data}), flush=True)


class HeldEvents:
    """Events as JSON Lines. What a table tells before its dashboard is up, as one that goes on with a game
    does, waits: the first line is the dashboard's address (FORMATS, 'Command line')."""

    def __init__(self) -> None:
        self._held: list[tuple[str, Any]] | None = []

    def tell(self, kind: str, data: Any) -> None:
        """One event, now or once `release` was called."""
        if self._held is None:
            print_event(kind, data)
        else:
            self._held.append((kind, data))

    def release(self) -> None:
        """The dashboard's line is out."""
        held, self._held = self._held or [], None
        for kind, data in held:
            print_event(kind, data)


def progress_bar(console: Console) -> Progress:
    """How far a recording is watched: shown on a terminal only, and gone at the end."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
