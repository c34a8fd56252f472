"""Provenance of a figure: the commit whose code was measured, and the machine that measured it."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MEASURED = ("engine", "vision", "calibration", "models", "web", "tilesight", "samples")
"""Folders whose changes make a measured commit untrue."""
CPU_NAME = re.compile(r"^model name\s*:\s*(.+)$", re.MULTILINE)
"""Line of Linux's `/proc/cpuinfo` that names a processor."""


def same_code(since: str) -> bool:
    """Whether the working tree has the code and data of a commit; its pages may differ."""
    command = ["git", "diff", "--quiet", since, "--", *MEASURED, ":(exclude)*.md"]
    return subprocess.run(command, cwd=ROOT, check=False, capture_output=True).returncode == 0


def head() -> str:
    """Short hash of the commit that is checked out."""
    named = ["git", "rev-parse", "--short=7", "HEAD"]
    return subprocess.run(named, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def today() -> str:
    """The date (UTC) as YYYY-MM-DD."""
    return f"{datetime.now(UTC):%Y-%m-%d}"


def machine() -> str:
    """The class of this machine: cores, architecture, system, and the processor's name where Linux tells it.
    No figure uses a GPU."""
    listed = Path("/proc/cpuinfo")
    named = CPU_NAME.search(listed.read_text("utf-8")) if listed.is_file() else None
    cores = f"{os.cpu_count() or 1} cores, {platform.machine()}, {platform.system()}"
    return f"{cores}, {named[1].strip()}, no GPU" if named else f"{cores}, no GPU"
