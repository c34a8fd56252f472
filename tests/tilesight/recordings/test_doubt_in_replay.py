"""Turns that are not sure in the output of a replay."""

from __future__ import annotations

from tests.tilesight.live.test_doubt import START, Scripted, another, doubt
from tilesight.recordings.tile_replay import TileReplay


def test_a_turn_that_is_not_sure_has_what_else_it_was() -> None:
    tracker = Scripted()
    tracker.show((1.0, 0.34, 0.9, 0.6), doubt=doubt(4))
    replay = TileReplay(START)
    replay.understood = tracker.now
    turns = replay.to_json()["turns"]
    assert [turn["confidence"] for turn in turns] == [1.0, 0.34, 0.9, 0.6]
    assert [turn.get("alternatives") for turn in turns] == [
        None,
        [{"line": another(2).to_json()}],
        None,
        [{"line": another(4).to_json(), "probability": 0.3}],
    ]
