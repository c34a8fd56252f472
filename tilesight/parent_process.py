"""Process that started this one, as standard input tells of it: its first line, and its end."""

from __future__ import annotations

import os
import sys


def first_line() -> bytes:
    """The first line, nothing of what follows taken; empty where the input ended before."""
    line = b""
    while not line.endswith(b"\n"):
        if not (more := os.read(sys.stdin.fileno(), 1)):
            return b""
        line += more
    return line


def wait_for_end() -> None:
    """Return when that process has ended, however it did, or closed the input."""
    while os.read(sys.stdin.fileno(), 4096):
        pass
