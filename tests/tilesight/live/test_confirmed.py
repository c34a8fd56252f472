"""A turn that people confirmed is certain for good, whatever pictures, an opening or a restart say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.tilesight.inference.opening.test_opening_tracker import Cut, cut_game
from tests.tilesight.live import test_opening as under_way
from tests.tilesight.live.squares import test_controller as squares
from tests.tilesight.live.test_doubt import TURNS, Live, another, doubt
from tilesight.table_log.event_fold import EntryKind
from tilesight.table_log.event_store import TableStore
from web.table.correction import Correction, RemoveTurn, ReplaceTurn, SetOpening
from web.table.refusal import Refusal


@pytest.fixture
def store(tmp_path: Path) -> Iterator[TableStore]:
    with TableStore(tmp_path / "one.table") as opened:
        yield opened


def told(live: Live) -> list[dict[str, Any]]:
    """The turns as phones get them, without their pictures."""
    return [{**turn, "frame": None} for turn in live.state["turns"]]


@pytest.mark.parametrize("seen", ["another turn", "no turn", "one turn"])
def test_no_picture_changes_a_confirmed_turn(store: TableStore, seen: str) -> None:
    store.append(EntryKind.OPENED, {"header": {"game": "safari"}, "names": {}})
    live = Live(store)
    live.see(1.0, 0.5, 0.6, 1.0)
    live.table.correct(ReplaceTurn(2, TURNS[1].to_json()))
    before, ledger = told(live), live.table.game.journal.ledger
    assert [turn["confidence"] for turn in before[1:3]] == [1.0, 0.6]
    for _ in range(2):
        live.tracker.show([1.0, 0.5, 0.6, 1.0], doubt=doubt(2))
        turns = live.tracker.now.turns
        others = {
            "another turn": (turns[0], replace(turns[1], turn=another(2)), *turns[2:]),
            "no turn": (),
            "one turn": turns[:1],
        }
        live.tracker.now = replace(live.tracker.now, turns=others[seen])
        live.again()
        assert told(live) == before and live.table.game.journal.ledger == ledger
        live.see(1.0, 0.5, 0.6, 1.0, doubt=doubt(2))
        assert told(live) == before and live.table.questions() == ()
    assert told(Live(store)) == before  # after a restart


@pytest.mark.parametrize("answer", [None, SetOpening(to="other")], ids=["look again", "another player"])
def test_no_other_opening_drops_a_confirmed_turn(store: TableStore, answer: Correction | None) -> None:
    cut: Cut = cut_game("savanna", 8)
    table = under_way.table_of(cut, store)
    looks, rest = under_way.pictures(cut)
    under_way.watch(table, looks + rest)
    line = under_way.turns_of(table)[0].to_json()
    table.correct(ReplaceTurn(1, line))
    known = under_way.turns_of(table)
    if answer is not None:
        [*_, other] = [color for color in cut.before.players if color != line["player"]]
        answer = SetOpening(to=other)

    def ask() -> None:
        if answer is None:
            table.answer("opening", "again")
        else:
            table.correct(answer)

    with pytest.raises(Refusal, match="turn 1 was confirmed") as refused:
        ask()
    assert refused.value.code == "confirmed" and under_way.turns_of(table) == known
    again = under_way.table_of(cut, store)
    again.answer("opening", "yes")
    assert under_way.turns_of(again) == known and again.state().played[0].confidence == 1.0
    table.correct(RemoveTurn(1))
    ask()


@pytest.mark.parametrize("to", ["a1", "a3"], ids=["back", "elsewhere"])
def test_a_pawn_that_is_moved_again_leaves_its_confirmed_turn(store: TableStore, to: str) -> None:
    live = squares.Live(store)
    live.show(squares.START.figures)
    live.play("a4")
    live.table.correct(ReplaceTurn(1, {"player": "yellow", "to": "a4"}))
    home = squares.START.cameras["yellow"]
    moved = replace(live.position, cameras={**live.position.cameras, "yellow": home if to == "a1" else to})
    for _ in range(2):
        view = live.show(moved.figures)
        assert live.lines == ["a4"] and view.played[0].confidence == 1.0 and view.faults
    live.show(live.position.figures)
    live.play("j8")
    assert live.lines == ["a4", "j8"]
    assert not live.table.state().faults
    assert squares.Live(store).table.state().played[0].confidence == 1.0
