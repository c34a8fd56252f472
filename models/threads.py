"""Number of threads that see in this process: two, or one where every core has a process of its own."""

from __future__ import annotations

_number = 2


def threads() -> int:
    """Threads that run a network, match features, and decode faces."""
    return _number


def use_threads(number: int) -> None:
    """Use so many threads in this process from now on. Networks that are loaded keep what they had."""
    global _number
    _number = number
