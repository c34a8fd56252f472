"""Logging to stderr, for libraries and our own packages, with a rate limit per minute."""

from __future__ import annotations

import contextlib
import logging
import sys
import threading
import time
from collections.abc import Callable

RECORDS_A_MINUTE = 30
LONGEST_RECORD = 4000
"""Characters of one record, its traceback included."""


class BoundedLog(logging.Handler):
    """Handler that writes at most ``limit`` records per minute to stderr and reports how many it dropped."""

    def __init__(self, limit: int = RECORDS_A_MINUTE, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(logging.WARNING)
        self._limit = limit
        self._clock = clock
        self._since_s = clock()
        self._written = 0
        self._left_out = 0
        self._counting = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        """Count a record; return whether it is within this minute's limit."""
        with self._counting:
            now_s = self._clock()
            if now_s - self._since_s >= 60.0:
                self._since_s, self._written = now_s, 0
            self._written += 1
            if self._written > self._limit:
                self._left_out += 1
                return False
        return bool(super().filter(record))

    def format(self, record: logging.LogRecord) -> str:
        """Format a record, shortened to `LONGEST_RECORD`, after a note on the records dropped before."""
        text = super().format(record)
        if len(text) > LONGEST_RECORD:
            half = LONGEST_RECORD // 2
            text = f"{text[:half]}\n[…]\n{text[-half:]}"
        with self._counting:
            left_out, self._left_out = self._left_out, 0
        return f"[{left_out} records left out]\n{text}" if left_out else text

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record to stderr; do nothing if stderr is closed."""
        with contextlib.suppress(OSError):
            print(self.format(record), file=sys.stderr, flush=True)


def log_to_stderr() -> None:
    """Install a `BoundedLog` on the root logger, unless there is one already."""
    root = logging.getLogger()
    if not any(isinstance(handler, BoundedLog) for handler in root.handlers):
        root.addHandler(BoundedLog())
