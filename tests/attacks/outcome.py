"""Counts of kills, and what they destroyed."""

from __future__ import annotations

import subprocess
import threading
from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Outcome:
    """``kills`` counts the kills by what was being done, ``answered`` the changes that were acknowledged
    before, ``cut_off`` those that were not; ``wrong`` says what was lost, changed or left behind."""

    kills: Counter[str] = field(default_factory=Counter)
    answered: Counter[str] = field(default_factory=Counter)
    cut_off: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def add(self, other: Outcome) -> None:
        """Add the counts and faults of another outcome."""
        self.kills += other.kills
        self.answered += other.answered
        self.cut_off += other.cut_off
        self.wrong += other.wrong

    def wait_for_end(self, run: subprocess.Popen[str], reader: threading.Thread, when: str, why: str) -> None:
        """Wait for the end of a table that was sent the signal ``why``, and for the ``reader`` of its output.
        Note it as wrong if it does not end or prints a traceback; ``when`` begins the note."""
        assert run.stderr is not None
        try:
            run.wait(60)
        except subprocess.TimeoutExpired:
            self.wrong.append(f"{when}{why} did not end it")
            run.kill()
        reader.join(10)
        said = run.stderr.read()
        if "Traceback" in said:
            self.wrong.append(f"{when}{said[-600:]}")
