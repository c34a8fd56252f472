"""A turn has the same number in the table's state, in choices, in corrections and in the log."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from engine.pack import load_pack
from engine.tiles.game import GameState
from engine.tiles.turn import Turn
from tests.tile_records import start_of
from tilesight.inference.stories.tracker import StoryTracker
from tilesight.inference.understanding import Understanding, UnderstoodTurn
from tilesight.live.tiles.table import TileTable
from tilesight.simulation.tile_games import random_game
from tilesight.table_log.event_fold import EntryKind, Ledger, folded
from tilesight.table_log.event_store import TableStore
from web.table.correction import ReplaceTurn

TURNS = 6


class Eager(StoryTracker):
    """A tracker whose pictures show the whole game ``played`` already, whatever people say of its first
    turns."""

    def __init__(self, start: GameState, played: Sequence[Turn]) -> None:
        super().__init__(start)
        self._played = played

    def fix(
        self, turns: Sequence[Turn], not_these: Collection[Turn] = (), *, confirmed: int | None = None
    ) -> Understanding:
        understood = super().fix(turns, not_these)
        if not turns:
            return understood
        for turn in self._played[len(turns) :]:
            if understood.state.faults(turn) or turn in not_these:
                break
            step = understood.state.apply(turn)
            more = (*understood.turns, UnderstoodTurn(turn, step, 3, 1.0, 0.99))
            understood = replace(understood, turns=more, state=step.state)
        return understood


@pytest.fixture
def store(tmp_path: Path) -> Iterator[TableStore]:
    with TableStore(tmp_path / "one.table") as opened:
        opened.append(EntryKind.OPENED, {"header": {"game": "safari"}, "names": {}})
        yield opened


@pytest.fixture(scope="module")
def game() -> tuple[GameState, tuple[Turn, ...]]:
    pack = load_pack("savanna")
    record = random_game(pack, 2, 5, turns=TURNS)
    return start_of(record, pack), record.turns


Game = tuple[GameState, tuple[Turn, ...]]


def told(table: TileTable) -> list[Turn]:
    return [played.turn for played in table.state().played]


def test_a_turn_understood_with_a_correction_can_be_corrected(game: Game, store: TableStore) -> None:
    start, turns = game
    table = TileTable(start, {}, store, title="test", game="safari", tracker=Eager(start, turns))
    table.correct(ReplaceTurn(1, turns[0].to_json()))
    assert told(table) == list(turns) == list(folded(Ledger(), store.entries()).turns)
    choices = table.choices(TURNS)
    table.correct(ReplaceTurn(TURNS, choices.turns[0].to_json()))
    assert told(table)[-1] == choices.turns[0]
    assert told(TileTable(start, {}, store, title="test", game="safari")) == told(table)


def test_undo_takes_what_came_with_a_correction_back_with_it(game: Game, store: TableStore) -> None:
    start, turns = game
    table = TileTable(start, {}, store, title="test", game="safari", tracker=Eager(start, turns))
    table.correct(ReplaceTurn(1, turns[0].to_json()))
    table.undo()
    assert told(table) == []
    table.redo()
    assert told(table) == list(turns) == list(folded(Ledger(), store.entries()).turns)
    other = table.choices(2).turns[0]
    table.correct(ReplaceTurn(2, other.to_json()))
    table.undo()
    assert told(table) == list(turns)
    table.redo()
    assert told(table)[1] == other
