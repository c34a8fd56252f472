"""The scoring track and its markers (zman-2018, 'Placing additional animals')."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.games import tile_game_named
from engine.pack import load_pack
from engine.safari.state import SafariState
from engine.safari.track import TrackPlace, on_track
from engine.tiles.game import Header


@pytest.mark.rule("safari-zman-2018", "Placing additional animals")
@pytest.mark.parametrize(
    ("points", "space", "markers"),
    [(0, 0, ()), (49, 49, ()), (50, 0, (50,)), (99, 49, (50,)), (100, 0, (100,)), (149, 49, (100,)),
     (150, 0, (100, 50)), (207, 7, (100, 100))],
)  # fmt: skip
def test_each_round_of_the_track_takes_or_turns_a_marker(
    points: int, space: int, markers: tuple[int, ...]
) -> None:
    assert on_track(points) == TrackPlace(space, markers)


def test_space_and_markers_are_the_score() -> None:
    start = tile_game_named("safari").start(
        Header("safari", "savanna", ("red", "blue")), load_pack("savanna")
    )
    assert isinstance(start, SafariState)
    state = replace(start, scores={"red": 137, "blue": 49})
    assert state.track == {"red": TrackPlace(37, (100,)), "blue": TrackPlace(49)}
    for player, place in state.track.items():
        assert place.space + sum(place.markers) == state.scores[player]
