"""Running table that another process started: a lobby whose window was closed, or `tilesight live`."""

from __future__ import annotations

import time
from pathlib import Path

from engine.message import Message
from tilesight.lobby.command_process import Line, TableProcess
from tilesight.server.table_control import Control
from tilesight.table_log.log_files import is_locked
from web.table.refusal import Refusal

LOOK_EVERY_S = 0.1
"""Seconds between two looks whether a table has ended."""


class FoundTable:
    """A table of this computer that was found by its log, in place of a process of its own (`TableProcess`).

    ``orphan`` is whether the process that started it is gone.
    """

    reason = ""
    """There is no error: a table that ends is not found any more."""

    def __init__(self, path: Path, control: Control, *, orphan: bool) -> None:
        self._path = path
        self._control = control
        self.ready: Line = control.ready
        self.orphan = orphan

    @property
    def running(self) -> bool:
        """Whether the table has its log open."""
        return is_locked(self._path)

    def stop(self) -> None:
        """End the table; its log stays. Raises Refusal if it does not end."""
        self._control.stop()
        until_s = time.monotonic() + TableProcess.stop_within_s
        while self.running:
            if time.monotonic() > until_s:
                raise Refusal("not_ended", Message("this table does not end; restart the computer"))
            time.sleep(LOOK_EVERY_S)


def found_table(path: Path) -> FoundTable | None:
    """Return the table that watches the game of a log; None if there is none, or none that answers."""
    control = Control.of(path)
    if control is None or not is_locked(path):
        return None
    orphan = control.is_orphan()
    return None if orphan is None else FoundTable(path, control, orphan=orphan)
