"""Subprocess that makes one PDF report.

Run as ``python -m web.report.job``: reads a pickled `Report` from standard input and writes the PDF to
standard output.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

from web.report.page import Report

WITHIN_S = 110.0
"""Timeout for one report, in seconds."""
NICENESS = 10
"""Nice value of the process. It must yield to the recogniser, but at 19 it starved while all cores were
busy; at 10 it gets a tenth of a busy core."""
ROOT = Path(__file__).resolve().parents[__name__.count(".")]
"""Folder that contains the top-level package of this module."""


class ReportError(ValueError):
    """The report could not be made."""


def pdf_in_subprocess(report: Report) -> bytes:
    """Make the report as a PDF in a subprocess with low priority, and return the file.

    Raises ReportError if that fails or takes too long.
    """
    words = [sys.executable, "-m", __name__]
    try:
        made = subprocess.run(
            words, input=pickle.dumps(report), capture_output=True, timeout=WITHIN_S, cwd=ROOT, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise ReportError(f"the report could not be made ({type(error).__name__})") from error
    return made.stdout


def main() -> None:
    """Read one report from standard input and write its PDF to standard output."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    from web.report.pdf import report_pdf

    report = pickle.load(sys.stdin.buffer)  # trusted: written by the parent process
    sys.stdout.buffer.write(report_pdf(report))


if __name__ == "__main__":
    main()
