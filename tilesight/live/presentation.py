"""Presentation of a watched table to the user who started it: dashboard, terminal, or JSON Lines."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from tilesight.server.addresses import DEFAULT_HOST
from web.qr import qr_text

if TYPE_CHECKING:
    from tilesight.server.dashboard import Dashboard

LINES_HELD = 20_000
"""Maximum number of lines in the queue. It holds those of many whole games."""
FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))
"""Error numbers of a full disk."""
AGAIN_S = 1.0
"""Seconds before a line for a full disk is tried again."""
RESULT_WITHIN_S = 10.0
"""Seconds that the reader has at the end to read the rest."""


@dataclass(frozen=True, slots=True)
class Showing:
    """Options of a replay's presentation.

    ``serve`` shows the dashboard, at ``host`` and ``port``; without ``exit_at_end`` it stays up afterwards.
    ``as_json`` prints JSON instead of text. ``turn_s`` is the minimum time in seconds between two turns.
    """

    serve: bool = False
    as_json: bool = False
    exit_at_end: bool = True
    turn_s: float = 0.0
    host: str = DEFAULT_HOST
    port: int | None = None


def ready_line(dashboard: Dashboard) -> dict[str, str | bool]:
    """Return the addresses and keys of a table as its first line of ``--json``."""
    camera = {} if dashboard.camera_url is None else {"camera_url": dashboard.camera_url}
    keys = {"key": dashboard.key, "host_key": dashboard.host_key}
    return {"ready": True, "url": dashboard.url, **keys, **camera}


def say_ready(
    dashboard: Dashboard, out: Console, aside: Console, *, as_json: bool, host: bool = False
) -> None:
    """Print the dashboard's address: on ``out`` a QR code and a line, or with ``as_json`` a JSON line.

    The line "ready ADDRESS" follows on standard output. With ``host``, the address for the table's host is
    printed on ``aside``.
    """
    if as_json:
        print(json.dumps(ready_line(dashboard)), flush=True)
        return
    out.print(qr_text(dashboard.join_url), soft_wrap=True)
    out.print(f"Scan it with a phone in the same network, or open {dashboard.join_url}", soft_wrap=True)
    if dashboard.camera_url is not None:
        out.print(qr_text(dashboard.camera_url), soft_wrap=True)
        out.print(dashboard.about_camera(), soft_wrap=True)
    if host:
        aside.print(
            f"For yourself, to replace the join key or hide the camera: {dashboard.host_url}", soft_wrap=True
        )
    print(f"ready {dashboard.url}", flush=True)


def stay_open(dashboard: Dashboard, aside: Console) -> NoReturn:
    """Print on ``aside`` that the dashboard stays up, and sleep until Ctrl-C (KeyboardInterrupt)."""
    # The reader has closed its end, for which rich would exit, or the disk is full.
    with contextlib.suppress(OSError, SystemExit):
        aside.print(f"The dashboard stays at {dashboard.join_url} until Ctrl-C.", soft_wrap=True)
    while True:
        time.sleep(3600)


def print_event(kind: str, data: Any) -> None:
    """Print one event as a JSON line on standard output."""
    print(json.dumps({"type": kind, **data}), flush=True)


class JsonLines:
    """Writes a live table's JSON Lines to standard output in a separate thread.

    A slow or closed reader therefore does not block the table. Events from before the start of the dashboard
    are held back, because the first line is the dashboard's address (docs/formats.md, 'Command line').
    """

    def __init__(self, most: int = LINES_HELD) -> None:
        """Create the queue; `release` starts the writing.

        It holds at most ``most`` lines. Further lines are dropped, and counted in a line of type
        ``left_out``.
        """
        self._lines: deque[str] = deque()
        self._most = most
        self._left_out = 0
        self._closed = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._write, name="JSON Lines", daemon=True)

    def tell(self, kind: str, data: Any) -> None:
        """Queue one event as a line. Nothing is written before `release`."""
        self._put(json.dumps({"type": kind, **data}), self._most)

    def _put(self, line: str, most: int) -> None:
        """Queue a line, or count it as dropped if ``most`` lines are queued."""
        with self._changed:
            if len(self._lines) >= most:
                self._left_out += 1
                return
            if self._left_out:
                self._lines.append(json.dumps({"type": "left_out", "lines": self._left_out}))
                self._left_out = 0
            self._lines.append(line)
            self._changed.notify()

    def release(self) -> None:
        """Start to write the queued events, once the dashboard's line is printed. Call it once."""
        self._thread.start()

    def close(self, result: Mapping[str, Any], within_s: float = RESULT_WITHIN_S) -> None:
        """Queue the result as the last line, and wait up to ``within_s`` until everything is written."""
        self._put(json.dumps(result), self._most + 2)
        with self._changed:
            self._closed = True
            self._changed.notify()
        if self._thread.ident is not None:
            self._thread.join(within_s)

    def _write(self) -> None:
        """Write queued lines until closed, or until the reader has closed its end."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._lines or self._closed)
                if not self._lines:
                    return
                line = self._lines.popleft()
            try:
                _write_line(line)
            except OSError:  # the reader has closed its end; the table goes on
                self._leave()
                return

    def _leave(self) -> None:
        """Drop all present and future lines, and redirect standard output to the null device.

        The reader has closed its end.
        """
        with self._changed:
            self._most = -3
            self._lines.clear()
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write_line(text: str) -> None:
    """Write a line to standard output without Python's buffer; wait while the disk is full.

    A thread that blocks in the buffer would hold its lock. Raises OSError if the reader has closed its end.
    """
    try:
        out = sys.stdout.fileno()
    except (OSError, ValueError):  # in a test, standard output has no file descriptor
        print(text, flush=True)
        return
    data = f"{text}\n".encode()
    while data:
        try:
            data = data[os.write(out, data) :]
        except OSError as error:
            if error.errno not in FULL:
                raise
            time.sleep(AGAIN_S)


def progress_bar(console: Console) -> Progress:
    """Return a progress bar for watching a recording, shown only on a terminal and removed at the end."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
