"""Which tracker follows a game is decided by its pieces and by the times of its first pictures."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.pack import load_pack
from tests.tilesight.synthetic import CLEAN, film, plain_game
from tilesight.inference.histories import HistoryFilter
from tilesight.inference.opening.paced_tracker import SPARSE_S, PacedTracker
from tilesight.inference.tracker import TurnTracker


@pytest.mark.parametrize(
    ("every_s", "kind"), [(0.5, TurnTracker), (SPARSE_S - 1.0, TurnTracker), (SPARSE_S, HistoryFilter)]
)
def test_pictures_far_apart_are_weighed_by_what_changed_between_them(every_s: float, kind: type) -> None:
    start, turns = plain_game(load_pack("savanna"), 3, 2)
    noise = replace(CLEAN, hand=0.0, every_s=every_s)
    tracker = PacedTracker(start)
    for _, seen in film(start, turns, noise, 3):
        tracker.see(seen)
    assert isinstance(tracker._inner, kind)
    assert [told.turn for told in tracker.finish().turns] == list(turns)


def test_a_game_taken_up_from_its_log_is_followed_as_before() -> None:
    start, turns = plain_game(load_pack("savanna"), 3, 2)
    tracker = PacedTracker(start)
    assert [told.turn for told in tracker.fix(turns).turns] == list(turns)
    assert isinstance(tracker._inner, TurnTracker)


def test_a_camera_that_begins_with_a_pause_is_followed_as_a_camera() -> None:
    start, turns = plain_game(load_pack("savanna"), 3, 2)
    noise = replace(CLEAN, hand=0.0)
    tracker = PacedTracker(start)
    for _, seen in film(start, turns, noise, 3):
        tracker.see(replace(seen, t_s=seen.t_s + (60.0 if seen.frame_index else 0.0)))
    assert isinstance(tracker._inner, TurnTracker)
    assert [told.turn for told in tracker.finish().turns] == list(turns)


@pytest.mark.parametrize(
    ("name", "kind"), [("bastide", HistoryFilter), ("carcassonne", HistoryFilter), ("taiga", TurnTracker)]
)
def test_a_game_with_one_kind_of_pieces_is_always_weighed_by_what_changed(name: str, kind: type) -> None:
    assert isinstance(PacedTracker(plain_game(load_pack(name), 3, 1)[0])._inner, kind)
