"""Which turns are doubtful."""

from __future__ import annotations

from web.table.doubts import doubtful_turns, is_doubtful, sure_winners


def test_a_turn_below_nine_in_ten_is_doubtful_as_it_is_shown() -> None:
    shown = {None: False, 0.34: True, 0.8999: True, 0.89996: False, 0.9: False, 1.0: False}
    assert {confidence: is_doubtful(confidence) for confidence in shown} == shown
    assert doubtful_turns([0.9, None, 0.34]) == {3: 0.34}


def test_a_winner_is_known_only_whatever_the_points_are() -> None:
    assert sure_winners({"red": (32, 36), "blue": (31, 31)}) == ["red"]
    assert sure_winners({"red": (32, 36), "blue": (34, 34)}) == []
    assert sure_winners({"red": (32, 36), "blue": (32, 32)}) == [], "a tie, or red alone"
    assert sure_winners({"red": (30, 30), "blue": (30, 30)}) == ["red", "blue"]
    assert sure_winners({}) == []
