"""Holes in recorded sessions, and the calibration of confidences."""

from __future__ import annotations

from pathlib import Path

from tilesight.bench.gaps import drawn_holes, last_frames, with_hole
from tilesight.sessions.session import read_session

FIRST_LIGHT = Path(__file__).resolve().parents[3] / "samples" / "first-light"


def test_holes_lie_within_the_game_and_come_again_with_the_seed() -> None:
    holes = drawn_holes(25, 12, "1")
    assert [lost for _, lost in holes] == [1, 2, 3, 4, 5, 6] * 2
    assert all(first >= 2 and first + lost - 1 < 25 for first, lost in holes)
    assert holes == drawn_holes(25, 12, "1") != drawn_holes(25, 12, "2")


def test_a_hole_leaves_out_the_pictures_between_two_turns() -> None:
    session = read_session(FIRST_LIGHT)
    ends = last_frames(session)
    times = [file.t_s for file in session.frames]
    kept = with_hole(session, 8, 3).frames
    assert [file.index for file in kept] == list(range(len(kept)))
    gone = sorted(set(times) - {file.t_s for file in kept})
    assert gone == times[ends[6] + 3 : ends[9]]
