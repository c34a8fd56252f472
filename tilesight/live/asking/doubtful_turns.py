"""Doubtful turns of a live table: those that the tracker doubts, and those that only the log still knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tilesight.table_log.doubts import Doubted
from tilesight.table_log.event_fold import GameLedger
from web.views.doubts import is_doubtful

Doubts = Mapping[int, Doubted[Any]]
"""Doubts by the numbers of their turns."""


class DoubtfulTurns:
    """Doubtful turns, by what the tracker says and what the log holds.

    A tracker that is given turns for certain, after a restart or a correction, calls all of them sure. Nobody
    has named most of them: they stay as doubtful as the log has them.
    """

    def __init__(self) -> None:
        self._held: dict[int, Any] = {}

    def hold(self, ledger: GameLedger[Any], fixed: int) -> None:
        """Hold the log's doubts about the first ``fixed`` turns, which the tracker has just taken for
        certain."""
        self._held = {number: ledger.turns[number - 1] for number in ledger.doubts if number <= fixed}

    def now(self, ledger: GameLedger[Any], turns: Sequence[Any], doubted: Doubts) -> Doubts:
        """The doubts now about ``turns``, where the tracker has those of ``doubted``."""
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
