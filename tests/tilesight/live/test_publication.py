"""Events of a table's turns, as all its pages get them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from engine.pack import load_pack
from engine.safari.actions import RangerBack
from engine.tiles.game import GameState
from engine.tiles.turn import Turn
from tests.tilesight.synthetic import plain_game
from tilesight.inference.understanding import Understanding, UnderstoodTurn
from tilesight.live.tiles.table import TileTable
from vision.observation import Frame, Observation

Events = list[tuple[str, Mapping[str, Any]]]


def understood(start: GameState, turns: Sequence[Turn]) -> Understanding:
    told, state = list[UnderstoodTurn](), start
    for number, turn in enumerate(turns):
        step = state.apply(turn)
        told.append(UnderstoodTurn(turn, step, number, float(number), 1.0))
        state = step.state
    return Understanding(tuple(told), len(told), state, board_seen=True, busy=False)


class ReportedTurn:
    """A tracker that understands what it is told."""

    def __init__(self) -> None:
        self.now = Understanding((), 0, plain_game(load_pack("savanna"), 5, 1)[0], False, True)

    def see(self, observation: Observation) -> Understanding:
        return self.now

    def fix(
        self, turns: Sequence[Turn], not_these: Sequence[Turn] = (), *, confirmed: int | None = None
    ) -> Understanding:
        return self.now

    def finish(self) -> Understanding:
        return self.now


def test_of_a_correction_only_what_it_changes_is_told() -> None:
    start, turns = plain_game(load_pack("savanna"), 5, 8)
    events: Events = []
    tracker = ReportedTurn()
    table = TileTable(
        start,
        {},
        title="t",
        game="safari",
        sink=lambda *event: events.append(event),
        tracker=tracker,
    )

    def take(now: Understanding, index: int) -> None:
        tracker.now = now
        frame = Frame(np.zeros((72, 128, 3), np.uint8), index=index)
        table.game.see(Observation(index, 0.0, None, (), {}, ()), frame, 0.0)

    take(understood(start, turns[:7]), 7)
    assert [data["turn"] for kind, data in events if kind == "turn"] == [1, 2, 3, 4, 5, 6, 7]
    placed = next(
        i for i, turn in enumerate(turns) if turn.action is not None and not turn.parts_of(RangerBack)
    )
    otherwise = [replace(turn, action=None) if i == placed else turn for i, turn in enumerate(turns)]
    events.clear()
    take(understood(start, otherwise), 8)
    told = {data["turn"]: data.get("corrects", False) for kind, data in events if kind == "turn"}
    before, after = understood(start, turns), understood(start, otherwise)
    scored = {i + 1 for i in range(7) if before.turns[i].step.events != after.turns[i].step.events}
    assert told == dict.fromkeys({placed + 1} | scored, True) | {8: False}
    events.clear()
    take(understood(start, [*turns[: placed + 1], *otherwise[placed + 1 : 7]]), 8)
    assert [data.get("taken_back") for kind, data in events if kind == "turn"][-1] == 1
    take(understood(start, otherwise[:7]), 8)
    events.clear()
    take(understood(start, otherwise[:6]), 9)
    assert [(kind, data["turn"], data["taken_back"]) for kind, data in events if kind == "turn"] == [
        ("turn", 6, 1)
    ]
