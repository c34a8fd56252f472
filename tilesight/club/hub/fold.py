"""Fold of a game at the hub, by the same code as at the table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tilesight.live.journal import FoldedStore, LogFold
from tilesight.lobby.past import UNREADABLE, PastTable, table_of
from tilesight.table_log.event_fold import EntryKind, GameLedger, empty_ledger
from tilesight.table_log.event_store import Entry, StoreError
from tilesight.table_log.log_pack import shipped_pack

BY_HAND = frozenset({"correct", "remove", "insert", "order", "move", "player"})
"""Names of what people do to turns (`said` entries of a log); an answer to a question is none of it."""

COPY = Path("the hub's copy")
"""Name of a game's log in messages."""


@dataclass(frozen=True, slots=True)
class Folded:
    """Fold of a game's entries.

    ``names`` are colours with people's names, in turn order; ``state`` is the table's ``GET /api/state``,
    with ``disputes`` (`ClubTable.disputes`). ``fault`` says why there is no state.
    """

    game: str | None = None
    pack: str | None = None
    turns: int = 0
    over: bool = False
    scores: Mapping[str, int] | None = None
    names: Sequence[tuple[str, str]] = ()
    state: Mapping[str, Any] | None = None
    fault: str | None = None


class GameFold:
    """Fold of one game, which can be kept: `add` applies only further entries.

    ``number`` is that of the last entry. An entry that makes no sense is never followed by another: no later
    entry can mend the log.
    """

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self.number = 0
        self._log: LogFold | None = None
        self._fault: StoreError | None = None
        self._disputes = {"corrected": 0, "undone": 0}
        self.add(entries)

    def add(self, entries: Iterable[Entry]) -> None:
        """Apply the next entries, in order. A faulty one is remembered as the fault of the game, which
        `table` raises and `folded` returns; entries after it are only counted."""
        for entry in entries:
            if self._fault is None:
                try:
                    self._add(entry)
                except StoreError as error:
                    self._fault = error
            self.number = entry.number

    def _add(self, entry: Entry) -> None:
        """Add one entry. Raises StoreError if one is missing before it, or if it makes no sense."""
        if entry.number != self.number + 1:
            raise StoreError(f"entry {self.number + 1} is missing")
        if self._log is None:
            self._log = LogFold(empty_ledger([entry]), entry.at_s)
        self._log.add(entry)
        by_hand = entry.kind == EntryKind.SAID and entry.data.get("what") in BY_HAND
        self._disputes["corrected"] += by_hand
        self._disputes["undone"] += entry.kind == EntryKind.UNDONE

    def table(self) -> PastTable:
        """Return the game as a read-only table. Raises one of `UNREADABLE`, or ValueError."""
        if self._fault is not None:
            raise self._fault
        if self._log is None:
            raise StoreError("entry 1 is missing")
        return table_of(self._log.ledger, FoldedStore(COPY, self._log), shipped_pack)

    def folded(self) -> Folded:
        """Return the game for the hub's pages; if it cannot be folded here, only the ``fault``."""
        try:
            table, board = self.table()
            ledger: GameLedger[Any] = table.game.journal.ledger
            state = board.state_json(table.state(), (), self.number)
        except (*UNREADABLE, ValueError) as error:
            return Folded(fault=str(error)[:500] or type(error).__name__)
        final = state["final"]
        scores = {one["color"]: int(one["score"]) for one in state["players"]}
        if final is not None:
            scores.update(final["scores"])
        unkept = len(state["history"]["unkept"]) if state["history"] else 0
        disputes = {kind: count for kind, count in (*self._disputes.items(), ("unkept", unkept)) if count}
        return Folded(
            game=str(state["game"]),
            pack=str(state["pack"]),
            turns=len(state["turns"]),
            over=ledger.ended,
            scores=scores,
            names=tuple((one["color"], one["name"]) for one in state["players"]),
            state={**state, "disputes": disputes},
        )
