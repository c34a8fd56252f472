"""Counts of kills, and what they destroyed."""

from __future__ import annotations

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
