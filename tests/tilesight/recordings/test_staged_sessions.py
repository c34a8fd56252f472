"""The staged sessions, in which players do not go by the book, replay exactly and without questions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilesight.inference.understanding import Understanding
from tilesight.live.watching import WatchedFrame
from tilesight.recordings.tile_replay import TileReplay, open_tiles
from tilesight.sessions.session import read_session

pytestmark = pytest.mark.long

STAGED = Path(__file__).resolve().parents[3] / "samples" / "staged"
CASES = (
    "two-turns-at-once",
    "late-piece",
    "early-piece",
    "take-back",
    "turned",
    "moved",
    "illegal",
    "nudge",
    "hand-resting",
    "stack-moved",
    "lights-dimmed",
    "camera-lost",
)


@pytest.mark.parametrize("case", CASES)
def test_a_staged_session_replays_exactly(case: str) -> None:
    session = read_session(STAGED / case)
    replay = open_tiles(session, None).watch()
    assert isinstance(replay, TileReplay)
    replay.compare()
    assert replay.compared is not None
    assert replay.compared.differences == ()
    assert replay.compared.final_exact
    assert list(replay.asked()) == []


def test_an_illegal_lay_is_told_while_it_lies_there() -> None:
    session = read_session(STAGED / "illegal")
    told: list[str] = []

    def took(seen: WatchedFrame[Understanding]) -> None:
        if seen.understood.unclear is not None:
            told.extend(fault.code for fault in seen.understood.unclear.faults)

    open_tiles(session, None).watch(took)
    assert set(told) == {"edge_mismatch"}
