"""Fold of a game at the hub: what its entries come to, by the very code that the table runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tilesight.lobby.past import UNREADABLE, past_table
from tilesight.table_log.event_fold import GameLedger
from tilesight.table_log.event_store import Entry, NotKeptError, TableStore
from tilesight.table_log.log_pack import shipped_pack
from web.api.reports import replay_page


@dataclass(frozen=True, slots=True)
class Folded:
    """A game as its entries tell it. ``names`` are colours with what people call them, in turn order;
    ``state`` is what ``GET /api/state`` gives at the table. ``fault`` says why there is no state."""

    game: str | None = None
    pack: str | None = None
    turns: int = 0
    over: bool = False
    scores: Mapping[str, int] | None = None
    names: Sequence[tuple[str, str]] = ()
    state: Mapping[str, Any] | None = None
    fault: str | None = None


class CopiedLog(TableStore):
    """A table's log as the hub has it: entries without pictures, which nobody writes."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.path = Path("the hub's copy")
        self._lock = None
        self._copied = tuple(entries)

    def entries(self) -> tuple[Entry, ...]:
        """Every entry, in order."""
        return self._copied

    def entry(self, number: int) -> Entry | None:
        """One entry."""
        return self._copied[number - 1] if 0 < number <= len(self._copied) else None

    def picture(self, entry: int, name: str) -> bytes | None:
        """No picture."""
        return None

    def append(self, kind: str, data: Mapping[str, Any], *_: Any, **__: Any) -> Entry:
        """NotKeptError."""
        raise NotKeptError(f"{self.path}: is not written")


def fold_of(entries: Sequence[Entry]) -> Folded:
    """The game that entries come to; with its fault where it cannot be told here."""
    for expected, entry in enumerate(entries, 1):
        if entry.number != expected:
            return Folded(fault=f"entry {expected} is missing")
    try:
        table, board = past_table(CopiedLog(entries), shipped_pack)
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
        state=state,
    )


def replay_of(entries: Sequence[Entry]) -> bytes | None:
    """The game as a page that replays it, with its board; None where it cannot be told here."""
    try:
        table, board = past_table(CopiedLog(entries), shipped_pack)
        return replay_page(table.state(), board, None)
    except (*UNREADABLE, ValueError):
        return None
