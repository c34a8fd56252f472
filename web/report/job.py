"""Report job: a PDF is made in a process of its own, one after the other.

Run as ``python -m web.report.job``: the pickled report comes on standard input, the PDF leaves on standard
output.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

from web.report.page import Report

WITHIN_S = 110.0
"""Seconds within which a report must be made."""
NICENESS = 10
"""Priority below the recogniser's, in units of nice: a tenth of a busy core is left for a report. At 19 one
starved where all cores were busy."""
ROOT = Path(__file__).resolve().parents[__name__.count(".")]
"""The folder that holds the package of this module."""


class ReportError(ValueError):
    """A report that could not be made."""


def pdf_in_subprocess(report: Report) -> bytes:
    """The report as a PDF; ReportError where it cannot be made."""
    words = [sys.executable, "-m", __name__]
    try:
        made = subprocess.run(
            words, input=pickle.dumps(report), capture_output=True, timeout=WITHIN_S, cwd=ROOT, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise ReportError(f"the report could not be made ({type(error).__name__})") from error
    return made.stdout


def main() -> None:
    """Make one report."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    from web.report.pdf import report_pdf

    report = pickle.load(sys.stdin.buffer)  # from the process that started this one, nobody else
    sys.stdout.buffer.write(report_pdf(report))


if __name__ == "__main__":
    main()
