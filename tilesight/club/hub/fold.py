"""Fold of a game at the hub, by the same code as at the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tilesight.lobby.past import UNREADABLE, PastTable, past_table
from tilesight.table_log.event_fold import EntryKind, GameLedger
from tilesight.table_log.event_store import Entry, NotKeptError, TableStore
from tilesight.table_log.log_pack import shipped_pack

BY_HAND = frozenset({"correct", "remove", "insert", "order", "move", "player"})
"""Names of what people do to turns (`said` entries of a log); an answer to a question is none of it."""


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


class CopiedLog(TableStore):
    """Read-only copy of a table's log at the hub, without pictures."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.path = Path("the hub's copy")
        self._lock = None
        self._copied = tuple(entries)

    def entries(self) -> tuple[Entry, ...]:
        """Return every entry, in order."""
        return self._copied

    def entry(self, number: int) -> Entry | None:
        """Return one entry."""
        return self._copied[number - 1] if 0 < number <= len(self._copied) else None

    def picture(self, entry: int, name: str) -> bytes | None:
        """Return None: the hub has no pictures."""
        return None

    def append(self, kind: str, data: Mapping[str, Any], *_: Any, **__: Any) -> Entry:
        """Raise NotKeptError: the copy is read-only."""
        raise NotKeptError(f"{self.path}: is not written")


def copied(entries: Sequence[Entry]) -> PastTable:
    """Return the game of some entries as a read-only table. Raises one of `UNREADABLE`."""
    return past_table(CopiedLog(entries), shipped_pack)


def fold_of(entries: Sequence[Entry]) -> Folded:
    """Return the fold of some entries; with its fault if it cannot be folded here."""
    for expected, entry in enumerate(entries, 1):
        if entry.number != expected:
            return Folded(fault=f"entry {expected} is missing")
    try:
        table, board = copied(entries)
        ledger: GameLedger[Any] = table.game.journal.ledger
        state = board.state_json(table.state(), (), entries[-1].number)
    except (*UNREADABLE, ValueError) as error:
        return Folded(fault=str(error)[:500] or type(error).__name__)
    final = state["final"]
    scores = {one["color"]: int(one["score"]) for one in state["players"]}
    if final is not None:
        scores.update(final["scores"])
    return Folded(
        game=str(state["game"]),
        pack=str(state["pack"]),
        turns=len(state["turns"]),
        over=ledger.ended,
        scores=scores,
        names=tuple((one["color"], one["name"]) for one in state["players"]),
        state={**state, "disputes": _disputes(entries, state)},
    )


def _disputes(entries: Sequence[Entry], state: Mapping[str, Any]) -> dict[str, int]:
    """Return the number of open issues for a referee, by kind."""
    unkept = len(state["history"]["unkept"]) if state["history"] else 0
    counts = {
        "corrected": sum(one.kind == EntryKind.SAID and one.data.get("what") in BY_HAND for one in entries),
        "undone": sum(one.kind == EntryKind.UNDONE for one in entries),
        "unkept": unkept,
    }
    return {kind: count for kind, count in counts.items() if count}
