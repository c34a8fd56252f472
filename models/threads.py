"""Number of threads of vision in this process: two by default, one if every core has a process of its own."""

from __future__ import annotations

_number = 2


def threads() -> int:
    """The number of threads that run a network, match features, and decode faces."""
    return _number


def use_threads(number: int) -> None:
    """Set the number of threads of this process. Loaded networks keep theirs."""
    global _number
    _number = number
