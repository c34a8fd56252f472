"""Clock of a game by its log: how long each player took for their turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from tilesight.table_log.event_fold import EntryKind, GameLedger
from tilesight.table_log.event_store import Entry

LONGEST_TURN_S = 1800.0
"""Maximum length of a turn in seconds: a longer one was a break and does not count."""
BEFORE = (EntryKind.OPENED, EntryKind.LOOKED, EntryKind.SET_UP)
"""Kinds of entry after which the first turn begins."""


class TurnClock:
    """Times of a log's entries, in seconds since 1970.

    A turn lasts from the report of the turn before to its own report; pauses do not count.
    """

    def __init__(self, entries: Sequence[Entry] = ()) -> None:
        self._at_s: dict[int, float] = {}
        self._begun_s = 0.0
        self._pauses: list[tuple[float, float | None]] = []
        for entry in entries:
            self.add(entry)

    def add(self, entry: Entry) -> None:
        """Take the time of one entry, if it reports turns, begins the game, or pauses it."""
        if entry.kind == EntryKind.PAUSED:
            self._pause(entry)
        elif "lines" in entry.data:
            self._at_s[entry.number] = entry.at_s
        elif entry.kind in BEFORE:
            self._begun_s = entry.at_s

    def to_json(self, ledger: GameLedger[Any]) -> Mapping[str, Any] | None:
        """Return the seconds that each player took (``spent_s``), and the times of the present turn.

        ``since_s`` is when the player to move began to think (None after the end), ``until_s`` when the game
        was paused (None if it is not), both in seconds since 1970. None if the log has no times, as a
        recording's.
        """
        if not self._begun_s:
            return None
        # A corrected turn has a later entry; it was played before the turn after it.
        told = [self._at_s.get(number, self._begun_s) for number in ledger.entry_of]
        told = list(accumulate(reversed(told), min))[::-1]
        spent: dict[str, float] = {}
        before = self._begun_s
        for turn, at_s in zip(ledger.turns, told, strict=True):
            took_s = max(0.0, at_s - before - self._paused_s(before, at_s))
            spent[turn.player] = spent.get(turn.player, 0.0) + (took_s if took_s < LONGEST_TURN_S else 0.0)
            before = max(before, at_s)
        since_s = None if ledger.ended else round(before + self._paused_s(before, float("inf")), 1)
        pause = self._pauses[-1] if self._pauses else (0.0, 0.0)
        return {
            "spent_s": {player: round(seconds, 1) for player, seconds in spent.items()},
            "since_s": since_s,
            "until_s": round(pause[0], 1) if pause[1] is None else None,
            "longest_s": LONGEST_TURN_S,
        }

    def _pause(self, entry: Entry) -> None:
        """Record the start or the end of a pause."""
        if entry.data["paused"]:
            self._pauses.append((entry.at_s, None))
        elif self._pauses:
            self._pauses[-1] = (self._pauses[-1][0], entry.at_s)

    def _paused_s(self, from_s: float, to_s: float) -> float:
        """Return the seconds of finished pauses within an interval."""
        return sum(max(0.0, min(end, to_s) - max(start, from_s)) for start, end in self._pauses if end)
