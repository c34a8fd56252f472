"""Parent process, observed through standard input: its first line, and its end."""

from __future__ import annotations

import os
import sys


def first_line() -> bytes:
    """Read the first line of standard input, and nothing after it; empty if the input ends before."""
    line = b""
    while not line.endswith(b"\n"):
        if not (more := os.read(sys.stdin.fileno(), 1)):
            return b""
        line += more
    return line


def wait_for_end() -> None:
    """Block until the parent process has ended or closed the input."""
    while os.read(sys.stdin.fileno(), 4096):
        pass
