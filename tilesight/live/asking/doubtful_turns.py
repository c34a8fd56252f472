"""Doubtful turns of a live table: those that the tracker doubts, and those with a doubt only in the log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tilesight.table_log.doubts import Doubted
from tilesight.table_log.event_fold import GameLedger
from web.table.doubts import is_doubtful

Doubts = Mapping[int, Doubted[Any]]
"""Doubts by the numbers of their turns."""


class DoubtfulTurns:
    """Doubtful turns, from the tracker and from the log.

    After a restart or a correction, the tracker is given turns as certain and has no doubts about them. Such
    a turn keeps the doubt that the log has, unless people have confirmed it.
    """

    def __init__(self) -> None:
        self._held: dict[int, Any] = {}

    def hold(self, ledger: GameLedger[Any], fixed: int) -> None:
        """Store the log's doubts about the first ``fixed`` turns, which the tracker took as certain."""
        self._held = {number: ledger.turns[number - 1] for number in ledger.doubts if number <= fixed}

    def now(self, ledger: GameLedger[Any], turns: Sequence[Any], doubted: Doubts) -> Doubts:
        """Return the current doubts about ``turns``; ``doubted`` are those of the tracker.

        A turn that people confirmed has none. A turn that is stored by `hold` and unchanged has the log's
        doubt. Any other turn has the tracker's doubt, if that is below the threshold.
        """
        found: dict[int, Doubted[Any]] = {}
        for number, turn in enumerate(turns, 1):
            known = ledger.turns[number - 1] if number <= len(ledger.turns) else None
            if number in ledger.sure and known == turn:
                continue
            if number in ledger.doubts and self._held.get(number) == known == turn:
                found[number] = ledger.doubts[number]
            elif (doubt := doubted.get(number)) is not None and is_doubtful(doubt.confidence):
                found[number] = doubt
        return found
