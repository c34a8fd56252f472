"""What a live table tells of its turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.pack import load_pack
from engine.tiles.game import GameState
from engine.tiles.turn import Turn
from tests.tilesight.synthetic import plain_game
from tilesight.inference.understanding import Understanding, UnderstoodTurn
from tilesight.live.table import LiveTable

Told = list[tuple[str, Mapping[str, Any]]]


def understood(start: GameState, turns: Sequence[Turn]) -> Understanding:
    told, state = list[UnderstoodTurn](), start
    for number, turn in enumerate(turns):
        step = state.apply(turn)
        told.append(UnderstoodTurn(turn, step, number, float(number), 1.0))
        state = step.state
    return Understanding(tuple(told), len(told), state, board_seen=True, busy=False)


def test_of_a_correction_only_what_it_changes_is_told() -> None:
    start, turns = plain_game(load_pack("savanna"), 5, 8)
    events: Told = []
    table = LiveTable(start, {}, title="t", game="safari", listener=lambda *event: events.append(event))
    table.take(understood(start, turns[:7]), 7, 0.0)
    assert [data["turn"] for kind, data in events if kind == "turn"] == [1, 2, 3, 4, 5, 6, 7]
    placed = next(i for i, turn in enumerate(turns) if turn.action is not None and turn.ranger_to is None)
    otherwise = [replace(turn, action=None) if i == placed else turn for i, turn in enumerate(turns)]
    events.clear()
    table.take(understood(start, otherwise), 8, 0.0)
    told = {data["turn"]: data.get("corrects", False) for kind, data in events if kind == "turn"}
    before, after = understood(start, turns), understood(start, otherwise)
    scored = {i + 1 for i in range(7) if before.turns[i].step.events != after.turns[i].step.events}
    assert told == dict.fromkeys({placed + 1} | scored, True) | {8: False}
    events.clear()
    table.take(understood(start, [*turns[: placed + 1], *otherwise[placed + 1 : 7]]), 8, 0.0)
    assert [data.get("taken_back") for kind, data in events if kind == "turn"][-1] == 1
    table.take(understood(start, otherwise[:7]), 8, 0.0)
    events.clear()
    table.take(understood(start, otherwise[:6]), 9, 0.0)
    assert [(kind, data["turn"], data["taken_back"]) for kind, data in events if kind == "turn"] == [
        ("turn", 6, 1)
    ]
